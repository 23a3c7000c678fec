"""Reference and answers side by side, and the parts a study may declare."""

from __future__ import annotations

import numpy as np
import pytest

from tests.studies.made import claims_of, laboratory
from voirdire.errors import InputError
from voirdire.studies import align
from voirdire.studies.alignment import matches_part, part_words


def test_claims_without_reference_are_left_out() -> None:
    claims = claims_of(2)
    reference = {claims[0].id: "supported", claims[1].id: None}
    found = align(claims, reference, {}, view="three_class")  # type: ignore[arg-type]
    assert [claim.id for claim in found.claims] == [claims[0].id]


def test_a_claim_without_an_answer_is_failed_and_not_dropped() -> None:
    claims = claims_of(1)
    reference = {claim.id: "supported" for claim in claims}
    answers = {claims[0].id: [("judged", "supported"), ("timed_out", None)]}
    found = align(claims, reference, answers, view="three_class")  # type: ignore[arg-type]
    assert found.judge.tolist() == ["supported", None, None]
    assert found.outcome.tolist() == ["judged", "failed", "failed"]
    assert found.answers[0] == ("supported", "timed_out")


def test_the_two_class_view_maps_both_sides() -> None:
    claims = claims_of(1)
    reference = dict(
        zip([c.id for c in claims], ["supported", "not_supported", "contradicted"], strict=True)
    )
    answers = {c.id: [("judged", "unverifiable")] for c in claims}
    found = align(
        claims,
        reference,
        answers,
        view="supported_or_not",  # type: ignore[arg-type]
        votes={claims[1].id: {"b": "contradicted", "a": "supported"}},
    )
    assert found.human.tolist() == ["supported", "not_supported", "not_supported"]
    assert found.judge.tolist() == ["not_supported"] * 3
    assert found.annotators == ("a", "b")
    assert found.people[1].tolist() == ["supported", "not_supported"]
    assert found.people[0].tolist() == [None, None]


def test_two_class_labels_never_meet_three_classes() -> None:
    claims = claims_of(1)
    with pytest.raises(ValueError, match="no place"):
        align(claims, {claims[0].id: "not_supported"}, {}, view="three_class")


def test_where_keeps_columns_together() -> None:
    whole = laboratory(5)
    mask = np.array([claim.variant == "negation" for claim in whole.claims])
    part = whole.where(mask)
    assert len(part.claims) == len(part.human) == len(part.people) == len(part.answers) == 5
    assert {claim.variant for claim in part.claims} == {"negation"}
    assert part.family.tolist() == [claim.family for claim in part.claims]


@pytest.mark.parametrize(
    ("part", "hits"),
    [
        ("variant:negation", 1),
        ("variant!negation", 2),
        ("variant!*nega*", 2),
        ("language:en,it", 3),
        ("language!en", 0),
        ("topic:", None),
        ("colour:red", None),
        ("variant", None),
        ("topic:x", 0),
    ],
)
def test_parts(part: str, hits: int | None) -> None:
    claims = claims_of(1)
    if hits is None:
        with pytest.raises(InputError, match="does not name a part.*for example"):
            matches_part(claims[0], part)
    else:
        assert sum(matches_part(claim, part) for claim in claims) == hits


def test_a_part_in_words() -> None:
    assert part_words("language:en") == "claims whose language is en"
    assert part_words("variant!*negation*") == "claims whose variant is not …negation…"


def test_the_panel_keeps_the_claims_on_which_people_tie() -> None:
    claims = claims_of(1)
    reference = {claims[0].id: "supported"}
    votes = {
        claims[0].id: {"a": "supported", "b": "supported"},
        claims[1].id: {"a": "supported", "b": "contradicted"},
    }
    answers = {claims[1].id: [("judged", "contradicted")]}
    found = align(claims, reference, answers, view="three_class", votes=votes)  # type: ignore[arg-type]
    assert len(found.claims) == 1
    assert [claim.id for claim in found.panel.claims] == [claims[0].id, claims[1].id]
    assert found.panel.people.tolist() == [["supported"] * 2, ["supported", "contradicted"]]
    assert found.panel.judge.tolist() == [None, "contradicted"]
    kept = found.part(lambda claim: claim.variant == "paraphrase")
    assert len(kept.claims) == 0
    assert [claim.id for claim in kept.panel.claims] == [claims[1].id]
