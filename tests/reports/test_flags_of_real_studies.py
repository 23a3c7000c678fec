"""Every flag of the closed list, raised by a study that was examined by the command.

The judge answers from a recording, so that what it says is planted; everything after its answers
is the way of any study: run, agree, decide, report. `SOUND` is what the study raises before
anything is planted.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.reports.flag_studies import OTHER, Made, flags_of, made_families, report_anew, step
from voirdire.records import Fingerprint, FlagCode
from voirdire.store import write_text

SOUND = {"single_run", "at_human_ceiling"}
WORDINGS = ("original", "paraphrase", "negation", "number_swap")

CUT = {"outcome": "judged", "flags": ["input_cut"]}
LATE = {"outcome": "timed_out", "label": None}


def every(n: int, wrong: Callable[[str], Any]) -> Callable[[int, int, str], Any]:
    """An answer that is wrong on every n-th claim and right on the others."""
    return lambda place, repeat, truth: wrong(truth) if place % n == 0 else truth


def other(truth: str) -> str:
    return OTHER[truth]


def moving(place: int, repeat: int, truth: str) -> str:
    """Every sixth claim turns at the second asking."""
    return OTHER[truth] if place % 6 == 0 and repeat == 1 else truth


def apart(place: int, person: int, truth: str) -> str:
    """Three people who hardly agree."""
    return OTHER[truth] if (place + person) % 3 == 0 and place % 2 else truth


def mostly_supported(n: int) -> list[Any]:
    """One family of twenty is contradicted."""
    return made_families(n, labels=("supported",) * 19 + ("contradicted",))


def late_on_contradicted(place: int, repeat: int, truth: str) -> Any:
    return LATE if truth == "contradicted" else truth


MODEL = Fingerprint(judge="llm", version="1", model="some-model")

PLANTED: dict[str, tuple[Made, str, set[str]]] = {
    # what is planted: the study, a piece of the flag's text, what else it raises
    "few_labels": (Made(claims=made_families(24)), "24 families", set()),
    "lopsided_labels": (
        Made(claims=mostly_supported(100), vote=lambda place, person, truth: truth),
        "95 of 100",
        {"few_labels"},
    ),
    "written_examples": (Made(role="author", people=1), "90", {"-at_human_ceiling"}),
    "no_annotators": (Made(role="published", people=1), "", {"-at_human_ceiling"}),
    "single_annotator": (Made(people=1), "", {"-at_human_ceiling"}),
    "two_class_view": (Made(study={"view": "supported_or_not"}), "", set()),
    "waived_gate": (Made(gates={"waive": ["human_ceiling"]}), "", set()),
    "guideline_mixed": (Made(guideline=lambda person: f"g{person % 2}"), "2", set()),
    "cached_repeats": (Made(repeats=2), "180", {"-single_run"}),
    "identity_incomplete": (Made(mark=MODEL), "", set()),
    "failures": (Made(answer=every(10, lambda truth: LATE)), "9 of 90", set()),
    "failures_not_random": (Made(answer=late_on_contradicted), "label", {"failures"}),
    "truncation": (
        Made(answer=every(10, lambda truth: {**CUT, "label": truth})),
        "9 of 90",
        set(),
    ),
    "not_comparable": (
        Made(answer=lambda place, repeat, truth: LATE),
        "mine",
        {"failures", "-at_human_ceiling"},
    ),
    "below_human_ceiling": (Made(answer=every(2, other)), "mine", {"-at_human_ceiling"}),
    "prevalence_paradox": (
        Made(
            claims=mostly_supported(120),
            vote=lambda place, person, truth: truth,
            answer=lambda place, repeat, truth: "supported",
        ),
        "0.00",
        {"few_labels", "lopsided_labels", "-at_human_ceiling"},
    ),
}


@pytest.mark.parametrize("code", PLANTED)
def test_what_is_planted_is_flagged(code: str, tmp_path: Path) -> None:
    made, told, along = PLANTED[code]
    found = made.flags(tmp_path)
    gone = {one.removeprefix("-") for one in along if one.startswith("-")}
    more = {one for one in along if not one.startswith("-")}
    assert set(found) == (SOUND | more | {code}) - gone
    assert told in found[code]["text"]


def test_marked_answers_are_counted_with_what_to_do(tmp_path: Path) -> None:
    marked = {"outcome": "judged", "flags": ["repaired", "of_my_own"]}
    Made(answer=every(10, lambda truth: {**marked, "label": truth})).flags(tmp_path)
    page = (tmp_path / "reports/s/report.html").read_text("utf-8")
    assert "9 of 90 answers are marked repaired: the answer was not in the form" in page
    assert "9 of 90 answers are marked of_my_own: what it means is said by the package" in page


def test_a_sound_study_raises_little(tmp_path: Path) -> None:
    assert set(Made().flags(tmp_path)) == SOUND


def test_claims_that_move_are_flagged_once_they_were_looked_at(tmp_path: Path) -> None:
    found = Made(repeats=3, answer=moving).flags(tmp_path, "vary")
    assert "15 of 90" in found["unstable_claims"]["text"]
    assert "single_run" not in found


def test_claims_that_seldom_move_are_not(tmp_path: Path) -> None:
    found = Made(repeats=2, answer=_moves_four).flags(tmp_path, "vary")
    assert "unstable_claims" not in found


def _moves_four(place: int, repeat: int, truth: str) -> str:
    return OTHER[truth] if place < 4 and repeat == 1 else truth


def test_a_judge_that_is_blind_to_negation_fails_a_probe(tmp_path: Path) -> None:
    claims = made_families(60, labels=("supported", "contradicted"), variants=WORDINGS[:3])
    blind = Made(claims=claims, answer=_of_the_original(claims))
    found = blind.flags(tmp_path)
    assert "negation" in found["probe_failed"]["text"]
    assert "paraphrase" not in found["probe_failed"]["text"]


def test_a_judge_that_sees_negation_does_not(tmp_path: Path) -> None:
    claims = made_families(60, labels=("supported", "contradicted"), variants=WORDINGS[:3])
    assert "probe_failed" not in Made(claims=claims).flags(tmp_path)


def _of_the_original(claims: list[Any]) -> Callable[[int, int, str], str]:
    truths = {claim.family: truth for claim, truth in claims if claim.variant == "original"}
    return lambda place, repeat, truth: truths[claims[place][0].family]


def test_labels_that_changed_after_the_examination(tmp_path: Path) -> None:
    Made().flags(tmp_path)
    path = tmp_path / "labels/s/labels.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows[0]["label"] = OTHER[rows[0]["label"]]
    write_text(path, "".join(json.dumps(row) + "\n" for row in rows))
    found = report_anew(tmp_path)
    assert set(found) == {*SOUND, "labels_changed"}
    assert "s" in found["labels_changed"]["text"]
    step(tmp_path, "agree")
    assert "labels_changed" not in report_anew(tmp_path)


def test_looks_at_the_test_split_are_counted(tmp_path: Path) -> None:
    tested = Made(study={"split": "test"})
    assert "test_split_looked_at" not in tested.flags(tmp_path)
    tested.but(answer=every(5, other)).put(tmp_path)
    step(tmp_path, "examine")
    assert "2 times" in flags_of(tmp_path)["test_split_looked_at"]["text"]


ELSEWHERE = {
    "unstable_claims",
    "probe_failed",
    "labels_changed",
    "test_split_looked_at",
    "single_run",
    "at_human_ceiling",
    "learned_from_this_set",  # test_learned_from
}
"""Flags raised by the tests above, or by the sound study."""
OF_FITTED_JUDGES = {"learned_from_this_set"}
"""Flags that take a judge whose model was fitted: tested with the fitting."""


def test_no_flag_of_the_closed_list_is_left_out() -> None:
    assert set(PLANTED) | ELSEWHERE | OF_FITTED_JUDGES == set(get_args(FlagCode))
