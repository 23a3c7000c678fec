"""People beside each other and beside judges: the matrix, the remarks, the candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

from voirdire.labels import StudyClaims
from voirdire.records import LABELS, Claim, LabelRecord
from voirdire.records.people import PeopleResult
from voirdire.store import dump_document, read_document, write_document
from voirdire.studies.people import people_study

TURNED = {"supported": "contradicted", "contradicted": "unverifiable", "unverifiable": "supported"}


def claims_of(number: int = 40) -> tuple[Claim, ...]:
    return tuple(
        Claim(
            id=f"c{n}",
            family=f"f{n}",
            variant="original",
            claim=f"claim {n}",
            context=("x",),
            language="en",
        )
        for n in range(number)
    )


def given(
    code: str, claims: tuple[Claim, ...], wrong: int = 0, **more: object
) -> list[LabelRecord]:
    """Labels of one person, the first `wrong` of them turned."""
    found = []
    for n, claim in enumerate(claims):
        label = LABELS[n % 3]
        if n < wrong:
            label = TURNED[label]  # type: ignore[assignment]
        values = {"guideline": "g1", "lead_seconds": float(n + 1), **more}
        found.append(
            LabelRecord.model_validate(
                {
                    "id": f"{claim.id}-{code}",
                    "claim_id": claim.id,
                    "annotator": code,
                    "label": label,
                    "meta": {"url": f"http://s/projects/1/data?task={n}"},
                    **values,
                }
            )
        )
    return found


def study(
    labels: list[LabelRecord], answers: dict[str, dict[str, str]] | None = None, **more: object
) -> PeopleResult:
    claims = StudyClaims(claims_of(), tuple(labels), (), {})
    return people_study(claims, answers or {}, study="s", view="three_class", **more)  # type: ignore[arg-type]


def test_the_matrix_holds_every_pair_with_its_n_and_where_they_differ() -> None:
    claims = claims_of()
    labels = given("a1", claims) + given("a2", claims[:30], wrong=3)
    judge = {claim.id: LABELS[n % 3] for n, claim in enumerate(claims) if n != 5}
    found = study(labels, {"lexical": judge})
    pairs = {(pair.one, pair.other): pair for pair in found.pairs}
    assert list(pairs) == [("a1", "a2"), ("a1", "lexical"), ("a2", "lexical")]
    people = pairs["a1", "a2"]
    assert (people.raw.k, people.raw.n, people.raw.n_asked) == (27, 30, 40)
    assert people.differ == ("c0", "c1", "c2")
    beside = pairs["a1", "lexical"]
    assert (beside.other_is, beside.raw.k, beside.raw.n, beside.differ) == ("judge", 39, 39, ())
    assert found.links["c7"] == "http://s/projects/1/data?task=7"
    assert pairs["a2", "lexical"].differ == ("c0", "c1", "c2")


def test_somebody_far_off_is_named_kindly_and_others_are_not() -> None:
    claims = claims_of()
    labels = given("a1", claims) + given("a2", claims, wrong=1) + given("a3", claims, wrong=20)
    by_code = {one.annotator: one for one in study(labels).reports}
    assert by_code["a1"].remark == by_code["a2"].remark == ""
    remark = by_code["a3"].remark
    assert "a3 chose otherwise than most others on 19 of 39 claims" in remark
    for unkind in ("wrong", "bad", "error", "unreliable", "careless"):
        assert unkind not in remark


@pytest.mark.parametrize("wrong", [0, 2])
def test_small_differences_and_two_people_draw_no_remark(wrong: int) -> None:
    claims = claims_of()
    three = given("a1", claims) + given("a2", claims) + given("a3", claims, wrong=wrong)
    two = given("a1", claims) + given("a2", claims, wrong=30)
    assert not any(one.remark for labels in (three, two) for one in study(labels).reports)


def test_each_person_against_the_majority_of_the_others() -> None:
    claims = claims_of(12)
    labels = given("a1", claims) + given("a2", claims) + given("a3", claims, wrong=3)
    skipped = LabelRecord(
        id="s", claim_id="c11", annotator="a3", status="skipped", supersedes="c11-a3"
    )
    report = study([*labels, skipped]).reports[2]
    assert (report.labelled, report.skipped) == (11, 1)
    assert (report.with_others.k, report.with_others.n) == (8, 11)
    assert report.confusion.counts == ((3, 1, 0, 0), (0, 3, 1, 0), (1, 0, 2, 1))
    assert report.median_seconds == 6.0


def test_planted_repeats_give_self_consistency() -> None:
    claims = claims_of(12)
    again = given("a1", claims[:4], wrong=1)
    found = study(given("a1", claims) + given("a2", claims), repeats=again)
    first, second = found.reports
    assert (first.consistency.k, first.consistency.n) == (3, 4)
    assert second.consistency.value is None
    assert "push with --duplicates" in str(second.consistency.undefined)


def test_ambiguous_claims_are_listed_with_their_votes() -> None:
    claims = claims_of(3)
    labels = given("a1", claims) + given("a2", claims, wrong=1) + given("a3", claims, wrong=1)
    third = labels[6].model_copy(update={"label": "unverifiable"})
    found = study([*labels[:6], third, *labels[7:]])
    assert [(one.claim_id, one.votes) for one in found.ambiguous] == [
        ("c0", {"supported": 1, "contradicted": 1, "unverifiable": 1})
    ]
    assert found.ambiguous[0].link.endswith("task=0")
    assert found.ambiguous[0].reason == "no strict majority"


def test_adjudicators_and_published_labels_are_no_independent_people() -> None:
    claims = claims_of(3)
    labels = given("a1", claims) + given("judge", claims, role="adjudicator")
    found = study(labels)
    assert found.annotators == ("a1",)
    assert found.pairs == ()
    assert found.reports[0].with_others.value is None
    assert "fewer than two" in found.notes[0]


def test_several_guidelines_are_noted_and_nobody_at_all_is_no_error() -> None:
    claims = claims_of(6)
    found = study(given("a10", claims) + given("a2", claims, guideline=None))
    assert found.annotators == ("a2", "a10")
    assert found.guidelines == {"g1": 6, "not recorded": 6}
    assert "2 guidelines" in found.notes[0]
    assert study([]).reports == ()


def test_the_result_can_be_read_back(tmp_path: Path) -> None:
    claims = claims_of(6)
    found = study(given("a1", claims) + given("a2", claims, wrong=2), {"j": {}})
    write_document(tmp_path / "people.json", found)
    assert read_document(tmp_path / "people.json", PeopleResult) == found
    assert '"schema": "voirdire/people"' in dump_document(found)
    assert "NaN" not in dump_document(found)
