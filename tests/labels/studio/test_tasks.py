"""Claims as they go up: opaque, shuffled, redacted; and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from voirdire.labels.studio.tasks import planted, send_order, sent_items, sent_text
from voirdire.records import Claim
from voirdire.store.redaction import Redaction

KEY, OTHER = "01" * 16, "02" * 16
NOTHING = Redaction()


def claim(number: int = 1, **change: Any) -> Claim:
    values = {
        "id": f"c{number}",
        "family": f"family-{number}",
        "variant": "negation",
        "claim": f"Plan {number} costs 12 euros.",
        "context": (
            "🌉 Café «naïve»\r\ncosts\t12 €.",
            "e\u0301 and 👩‍👩‍👧 <b>tickets</b>",
            "Third.",
        ),
        "language": "en",
    }
    return Claim.model_validate({**values, **change})


def test_a_task_holds_three_fields_and_its_id_says_nothing() -> None:
    data = [
        sent.data() for sent in sent_items([claim(n) for n in range(9)], key=KEY, redaction=NOTHING)
    ]
    assert all(set(one) == {"item_id", "claim", "context"} for one in data)
    ids = [one["item_id"] for one in data]
    assert len(set(ids)) == 9
    assert all(len(name) == 21 and name[0] == "t" for name in ids)
    other = sent_items([claim(n) for n in range(9)], key=OTHER, redaction=NOTHING)
    assert not set(ids) & {sent.item.item for sent in other}


def test_changed_text_is_another_item_and_other_changes_are_none() -> None:
    def name(**change: Any) -> str:
        return sent_items([claim(**change)], key=KEY, redaction=NOTHING)[0].item.item

    assert name() == name(family="x", variant="original", topic="t", meta={"a": 1})
    assert len({name(), name(claim="y"), name(context=("z",)), name(id="c2")}) == 4


def test_spans_come_back_to_their_chunk_in_code_points() -> None:
    one = claim()
    text = sent_text(one, NOTHING)
    assert text.context.startswith("[1] 🌉 Café")
    for number, chunk in enumerate(one.context):
        for start, end in ((0, len(chunk)), (0, 1), (2, 5)):
            place = text.context.index(chunk) + start
            span = text.evidence(place, place + end - start)
            assert [(s.chunk, s.start, s.end, s.text) for s in span] == [
                (number, start, end, chunk[start:end])
            ]
    whole = text.evidence(0, len(text.context))
    assert [(span.chunk, span.text) for span in whole] == list(enumerate(one.context))
    assert text.evidence(0, 3) == []  # the number in front is no evidence


def test_one_chunk_has_no_number() -> None:
    assert sent_text(claim(context=("Only this.",)), NOTHING).context == "Only this."


def test_redacted_spans_cover_what_was_hidden() -> None:
    hidden = Redaction([r"\d+ €", "Third"])
    text = sent_text(claim(), hidden)
    assert "12 €" not in text.context
    assert text.redactions == 2
    start = text.context.index("costs")
    span = text.evidence(start, text.context.index("]", start) + 2)[0]
    assert span.text == "costs\t12 €."
    assert text.content != sent_text(claim(), NOTHING).content


def test_the_order_is_shuffled_and_another_in_each_project() -> None:
    items = sent_items([claim(n) for n in range(40)], key=KEY, redaction=NOTHING)
    names = [sent.item.claim_id for sent in items]
    orders = [
        [s.item.claim_id for s in send_order(items, key=KEY, part=part)] for part in (0, 1, 0)
    ]
    assert orders[0] == orders[2]
    assert len({tuple(order) for order in (names, orders[0], orders[1])}) == 3
    assert all(sorted(order) == sorted(names) for order in orders)


@pytest.mark.parametrize(("share", "number"), [(0, 0), (0.05, 2), (0.001, 1), (1, 40)])
def test_a_fixed_share_is_planted(share: float, number: int) -> None:
    claims = [claim(n) for n in range(40)]
    chosen = planted(claims, share=share, key=KEY)
    assert len(chosen) == len(set(chosen)) == number
    assert chosen == planted(list(reversed(claims)), share=share, key=KEY) or share == 1


def test_planted_claims_stay_planted_when_the_set_grows() -> None:
    few = [claim(n) for n in range(40)]
    chosen = planted(few, share=0.1, key=KEY)
    more = planted([claim(n) for n in range(80)], share=0.1, key=KEY, already=chosen)
    assert more[:4] == sorted(chosen, key=lambda name: int(name[1:]))
    assert len(more) == 8
    copies = sent_items(few, key=KEY, redaction=NOTHING, copies=[*chosen, "gone"])
    assert sum(sent.item.copy_number for sent in copies) == 4
    assert len({sent.item.item for sent in copies}) == 44
