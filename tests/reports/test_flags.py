"""Each flag is raised by what it names, and by nothing less."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reports import report_factory as make
from voirdire.records import AgreementResult, DecisionResult, ReportFlag
from voirdire.reports import make_report


def flags(
    agreement: AgreementResult, decision: DecisionResult | None = None, **others: Any
) -> dict[str, ReportFlag]:
    report = make_report(agreement, decision or make.decisions(), **others)
    return {flag.code: flag for flag in report.flags}


def study(*judges: Any, **changes: Any) -> dict[str, ReportFlag]:
    quiet = make.judge(outcomes={"judged": 400}, kappa=make.estimate(0.95).value)
    return flags(make.agreement(*(judges or (quiet,)), **changes))


def test_a_good_study_raises_none() -> None:
    assert study() == {}


def test_few_labels() -> None:
    few = study(families_per_label={"supported": 90, "contradicted": 7})
    assert "fewer than 8 families: contradicted 7." in few["few_labels"].text
    assert "few_labels" in study(n_families=49)
    assert "few_labels" not in study(n_families=50)


def test_limits_are_those_of_the_study() -> None:
    agreement = make.agreement(make.judge(kappa=0.95), n_families=60)
    strict = make.decisions(gates={"min_families": 80})
    assert "at least 80 are wanted" in flags(agreement, strict)["few_labels"].text
    lax = make.decisions(gates={"max_failure_share": 0.5})
    assert "failures" not in flags(agreement, lax)


@pytest.mark.parametrize(("most", "raised"), [(80, False), (81, True)])
def test_lopsided_labels(most: int, raised: bool) -> None:
    found = study(reference_counts={"supported": most, "contradicted": 100 - most})
    assert ("lopsided_labels" in found) is raised


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("author (400)", "written_examples"),
        ("single annotator (400)", "single_annotator"),
        ("published (400)", "no_annotators"),
    ],
)
def test_who_labelled(rule: str, code: str) -> None:
    assert set(study(reference_rule=rule, humans=None)) == {code}


def test_two_class_view() -> None:
    found = flags(*make.two_class())
    assert {"two_class_view", "lopsided_labels", "few_labels", "no_annotators"} <= set(found)


def test_waived_gate_is_named_once() -> None:
    waived = make.gates("accept", waived="human_ceiling")
    made = make.decisions(*(make.decision(n, "adopt", gates=waived) for n in ("a", "b")))
    agreement = make.agreement(make.judge("a", 0.95), make.judge("b", 0.95))
    found = make_report(agreement, made).flags
    assert [flag.code for flag in found].count("waived_gate") == 1


@pytest.mark.parametrize(("judged", "raised"), [(392, False), (391, True)])
def test_failures(judged: int, raised: bool) -> None:
    outcomes = {"judged": judged, "failed": 400 - judged}
    assert ("failures" in study(make.judge(kappa=0.95, outcomes=outcomes))) is raised


def test_single_run() -> None:
    assert "single_run" in study(make.judge(kappa=0.95, repeats=1))


@pytest.mark.parametrize(
    ("kappa", "code"), [(0.5, "below_human_ceiling"), (0.7, "at_human_ceiling"), (0.95, None)]
)
def test_human_ceiling(kappa: float, code: str | None) -> None:
    found = set(study(make.judge(kappa=kappa, outcomes={"judged": 400})))
    assert found == ({code} if code else set())


def test_prevalence_paradox() -> None:
    apart = make.judge(kappa=0.95, ac1=make.estimate(0.7), outcomes={"judged": 400})
    assert set(study(apart)) == {"prevalence_paradox"}


def test_what_cannot_be_compared_says_why() -> None:
    found = study(make.judge(kappa=None, outcomes={"judged": 400}))
    assert "cannot be compared with people: one label only." in found["not_comparable"].text


def test_a_reference_line_raises_none() -> None:
    assert study(make.judge("constant", None, use="constant:supported", repeats=1)) == {}
