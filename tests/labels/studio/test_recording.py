"""Append-only: what stands, what supersedes, what is gone; who has which code."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from voirdire.labels.families import record_findings
from voirdire.labels.studio.normalising import Said
from voirdire.labels.studio.recording import (
    Changes,
    changes_to,
    given_codes,
    guideline_at,
    to_record,
)
from voirdire.labels.studio.tasks import sent_text
from voirdire.records import (
    Claim,
    GuidelineUse,
    LabelRecord,
    PersonCode,
    PersonCodes,
    PushedItem,
)
from voirdire.store.redaction import Redaction

NOW = datetime(2026, 1, 2, tzinfo=UTC)
CLAIM = Claim(id="c1", family="f", variant="original", claim="x", context=("y",), language="en")


def said(**change: Any) -> Said:
    values: dict[str, Any] = {
        **{"project": 1, "task": 2, "annotation": 3, "item": "t1", "user": 4, "label": "supported"},
        **{"status": "labelled", "confidence": None, "comment": None, "spans": ()},
        **{"lead_seconds": 5.0, "created": NOW, "at": NOW},
    }
    return Said(**{**values, **change})


def record(
    claim_id: str = "c1", code: str = "a1", server: str = "http://h", **change: Any
) -> LabelRecord:
    item = PushedItem(item="t1", claim_id=claim_id, content="")
    text = sent_text(CLAIM, Redaction())
    return to_record(
        said(**change), item, text, code=code, role="annotator", guideline="g", server=server
    )


def after(existing: list[LabelRecord], *wanted: LabelRecord) -> Changes:
    return changes_to(existing, wanted, why_gone=lambda _: "deleted on the server")


def test_new_changed_gone_and_back_again() -> None:
    file: list[LabelRecord] = []
    steps = [
        ((record(), record("c2", annotation=9)), (2, 0, 0)),
        ((record(), record("c2", annotation=9)), (0, 0, 0)),
        (
            (record(label="contradicted", at=NOW + timedelta(1)), record("c2", annotation=9)),
            (0, 1, 0),
        ),
        ((record("c2", annotation=9),), (0, 0, 1)),
        ((record("c2", annotation=9),), (0, 0, 0)),
        ((record(), record("c2", annotation=9)), (1, 0, 0)),
        ((record(status="skipped", label=None), record("c2", annotation=9)), (0, 1, 0)),
    ]
    for wanted, counts in steps:
        changes = after(file, *wanted)
        assert (changes.new, changes.changed, changes.gone) == counts
        file += changes.records
    assert len({one.id for one in file}) == len(file) == 6
    chain = [one for one in file if one.claim_id == "c1"]
    assert [one.supersedes for one in chain[1:]] == [one.id for one in chain[:-1]]
    assert [one.status for one in chain] == [
        "labelled",
        "labelled",
        "cancelled",
        "labelled",
        "skipped",
    ]
    assert not record_findings(list(enumerate(file, start=1)), path="labels.jsonl")


def test_another_address_of_the_server_changes_nothing() -> None:
    assert not after([record()], record(server="http://elsewhere")).records


def test_a_part_takes_nothing_away() -> None:
    assert not changes_to([record()], [], why_gone=None).records


def test_labels_from_elsewhere_are_left_alone() -> None:
    other = LabelRecord(id="x", claim_id="c1", annotator="b", label="supported")
    changes = after([other])
    assert not changes.records


def test_codes_stay_and_are_given_in_order() -> None:
    codes = given_codes(PersonCodes(), [7, 5, 7], taken=["a2"])
    assert [(one.code, one.user) for one in codes.people] == [("a1", 7), ("a3", 5)]
    more = given_codes(codes, [9, 5], taken=["a2"])
    assert more.people[:2] == codes.people
    assert more.people[2] == PersonCode(code="a4", user=9)


def test_the_guideline_is_the_one_shown_then() -> None:
    uses = [GuidelineUse(sha256=str(day), since=NOW + timedelta(days=day)) for day in (1, 3)]
    assert [guideline_at(uses, said(at=NOW + timedelta(days=day))) for day in (0, 1, 2, 3, 9)] == [
        "1",
        "1",
        "1",
        "3",
        "3",
    ]
    assert guideline_at([], said()) is None


@pytest.mark.parametrize("field", ["label", "confidence", "comment", "lead_seconds"])
def test_every_word_counts_as_a_change(field: str) -> None:
    values = {"label": "unverifiable", "confidence": "low", "comment": "c", "lead_seconds": 1.0}
    assert after([record()], record(**{field: values[field]})).changed == 1
