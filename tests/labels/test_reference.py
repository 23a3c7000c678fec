"""The reference label: which rule makes it, and when there is none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.errors import UsageError
from voirdire.labels import Reference, references, resolve_view, standing_labels
from voirdire.records import Claim, LabelRecord

DAY = datetime(2025, 3, 1, tzinfo=UTC)


def claim(name: str = "c", **change: Any) -> Claim:
    values = {"family": name, "variant": "original", "claim": "x", "context": ("y",)}
    return Claim(id=name, language="en", **{**values, **change})


def label(said: str | None, annotator: str = "a1", role: str = "annotator", **more: Any) -> Any:
    status = "labelled" if said else "skipped"
    values = {"id": f"{annotator}-{role}", "claim_id": "c", "status": status, **more}
    return LabelRecord.model_validate(
        {"annotator": annotator, "role": role, "label": said, **values}
    )


def one(*labels: LabelRecord, view: Any = "three_class") -> Reference:
    return references([claim()], labels, view=view).items[0]


S, C, U = "supported", "contradicted", "unverifiable"


def test_unanimous_and_strict_majority() -> None:
    assert one(label(S, "a"), label(S, "b")).rule == "unanimous"
    found = one(label(S, "a"), label(C, "b"), label(S, "d"))
    assert (found.label, found.rule, found.votes) == (S, "majority", ((S, 2), (C, 1)))


@pytest.mark.parametrize("said", [(S, C), (S, S, C, C), (S, C, U), (S, S, C, U)])
def test_a_tie_is_a_tie(said: tuple[str, ...]) -> None:
    found = one(*(label(word, f"a{n}") for n, word in enumerate(said)))
    assert (found.label, found.rule, found.reason) == (None, "none", "tie")


@given(st.lists(st.sampled_from([S, C, U]), min_size=1, max_size=7), st.randoms())
def test_order_and_names_of_annotators_do_not_matter(said: list[str], random: Any) -> None:
    labels = [label(word, f"a{n}") for n, word in enumerate(said)]
    shuffled = list(labels)
    random.shuffle(shuffled)
    assert one(*labels) == one(*shuffled)


def test_a_tie_is_not_broken_by_the_published_label() -> None:
    found = one(label(S, "a"), label(C, "b"), label(S, "published", "published"))
    assert (found.label, found.reason) == (None, "tie")


def test_the_adjudicator_settles_it() -> None:
    found = one(label(S, "a"), label(C, "b"), label(U, "judge", "adjudicator"))
    assert (found.label, found.rule) == (U, "adjudicated")
    later = label(C, "second", "adjudicator", at=DAY)
    assert one(later, label(U, "judge", "adjudicator")).label == C


def test_published_goes_before_author_and_both_before_a_single_annotator() -> None:
    published, author = label(S, "p", "published"), label(C, "author", "author")
    assert one(author, published, label(U, "a")).rule == "published"
    assert one(author, label(U, "a")).rule == "author"
    found = one(label(U, "a"))
    assert (found.label, found.rule, found.reason) == (U, "single annotator", "single annotator")


def test_two_published_labels_that_differ_are_a_tie() -> None:
    assert one(label(S, "p", "published"), label(C, "q", "published")).reason == "tie"


def test_no_label_and_skipped() -> None:
    assert one().reason == "no label"
    assert one(label(None, "a")).reason == "no label"
    assert one(label(None, "a"), label(S, "b")).rule == "single annotator"


def test_superseded_records_do_not_count_and_of_several_the_latest_does() -> None:
    old, new = label(S, "a", id="1"), label(C, "a", id="2", supersedes="1")
    assert one(new, old).label == C
    early, late = label(S, "a", id="1", at=DAY), label(C, "a", id="2", at=DAY + timedelta(1))
    assert one(late, early).label == C
    assert one(label(S, "a", id="1"), label(C, "a", id="2")).label == C
    chain = [old, new, label(U, "a", id="3", supersedes="2")]
    assert [record.id for record in standing_labels(chain)] == ["3"]


def test_votes_are_counted_under_the_view() -> None:
    labels = [label(S, "a"), label(C, "b"), label(U, "d")]
    assert one(*labels).reason == "tie"
    found = one(*labels, view="supported_or_not")
    assert (found.label, found.rule) == ("not_supported", "majority")


def test_not_supported_never_passes_for_contradicted() -> None:
    two = claim(label_space="two_class")
    said = [label("not_supported", "a"), label("not_supported", "b")]
    with pytest.raises(ValueError, match="no place in the three-class view"):
        references([two], said, view="three_class")
    assert references([two], said, view="supported_or_not").labels == {"c": "not_supported"}
    assert references([two], said, view="source").labels == {"c": "not_supported"}


def test_auto_view_takes_two_classes_as_soon_as_one_claim_has_only_two() -> None:
    three, two = claim("t"), claim("b", label_space="two_class")
    assert resolve_view("auto", [three]) == "three_class"
    assert resolve_view("auto", [three, two]) == "supported_or_not"
    assert resolve_view("supported_or_not", [three]) == "supported_or_not"
    with pytest.raises(UsageError, match="1 of 2 claims have two classes only") as caught:
        resolve_view("three_class", [three, two])
    assert caught.value.exit_code == 2


def test_counts_cover_every_claim() -> None:
    claims = [claim("c"), claim("d"), claim("e")]
    said = [label(S, "a"), label(S, "b"), label(C, "a", claim_id="d", id="9")]
    found = references(claims, said)
    assert found.counts == {S: 1, C: 1}
    assert found.rules == {"none": 1, "single annotator": 1, "unanimous": 1}
    assert found.reasons == {"no label": 1}
    assert found.label_of("e") is None
    assert [item.claim_id for item in found.items] == ["c", "d", "e"]
