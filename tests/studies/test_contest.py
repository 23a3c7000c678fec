"""Several judges: against the incumbent, against each other, as a panel, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from tests.studies.made import laboratory
from voirdire.judges import VerdictColumns
from voirdire.records import Fingerprint, JudgeRun, Ledger, Provenance
from voirdire.records.contest import ContestResult
from voirdire.studies import Aligned, judge_agreement
from voirdire.studies.contest import contest, effective_judges

ORIGIN = Provenance(tool_version="0", python="3", packages={}, seed=0, made_at="now")
LEDGER = Ledger(fresh=100, cached=0, failed=0, retried=0, cost=0.5)


def run_of(name: str) -> JudgeRun:
    return JudgeRun(
        run_id=name,
        judge=name,
        use=name,
        fingerprint=Fingerprint(judge=name, version="1"),
        claims_sha256="x",
        n_claims=1,
        repeats=1,
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def verdicts_of(
    name: str, aligned: Aligned, sure: Mapping[str, float] | None = None
) -> VerdictColumns:
    n = len(aligned.claims)
    ids = [claim.id for claim in aligned.claims]
    labels = [None if one is None else str(one) for one in aligned.judge]
    shares = [
        None
        if sure is None or label is None
        else {
            one: sure[claim] if one == label else (1 - sure[claim]) / 2
            for one in ("supported", "contradicted", "unverifiable")
        }
        for claim, label in zip(ids, labels, strict=True)
    ]
    nothing: list[None] = [None] * n
    return VerdictColumns(
        run=run_of(name),
        claim_id=ids,
        repeat=[0] * n,
        outcome=["judged"] * n,
        label=labels,
        probabilities=shares,
        score=list(nothing),
        rationale=list(nothing),
        evidence=list(nothing),
        error=list(nothing),
        seconds=[0.5] * n,
        attempts=[1] * n,
        tokens_in=list(nothing),
        tokens_out=list(nothing),
        cost=list(nothing),
        cached=[False] * n,
        flags=[()] * n,
    )


def hold(
    aligned: Mapping[str, Aligned],
    *,
    incumbent: str = "",
    sure: Mapping[str, Mapping[str, float]] | None = None,
) -> ContestResult:
    return contest(
        aligned,
        [judge_agreement(run_of(name), one, ledger=LEDGER) for name, one in aligned.items()],
        {name: verdicts_of(name, one, (sure or {}).get(name)) for name, one in aligned.items()},
        study="s",
        incumbent=incumbent,
        provenance=ORIGIN,
    )


def erring(base: Aligned, rows: list[int], *, silent: bool = False) -> Aligned:
    """The same claims with a judge that is wrong (or says nothing) on some rows only."""
    judge = base.human.copy()
    for row in rows:
        judge[row] = None if silent else "unverifiable"
        if not silent and base.human[row] == "unverifiable":
            judge[row] = "supported"
    return replace(base, judge=judge)


BASE = laboratory(40)


def test_a_clear_winner_is_called_better_and_p_is_adjusted() -> None:
    found = hold(
        {
            "old": erring(BASE, list(range(0, 120, 3))),
            "good": erring(BASE, [0, 30]),
            "same": erring(BASE, list(range(0, 120, 3))),
        },
        incumbent="old",
    )
    good, same = found.differences
    assert (good.judge, same.judge) == ("good", "same")
    assert good.accuracy.value == pytest.approx(38 / 120)
    assert (good.only_judge, good.only_incumbent) == (38, 0)
    assert good.kappa.low is not None
    assert good.kappa.low > 0
    assert good.accuracy_p is not None
    assert good.accuracy_holm == pytest.approx(2 * good.accuracy_p)
    assert good.sentence.startswith("good is better than old: of 100 claims it gets 32 more right")
    assert same.accuracy.value == 0
    assert same.accuracy_p == 1
    assert same.sentence.startswith("These claims cannot tell same from old")


def test_silence_counts_as_wrong() -> None:
    """A judge that keeps silent on every third claim does not tie with one that answers them."""
    found = hold(
        {"old": erring(BASE, []), "shy": erring(BASE, list(range(0, 120, 3)), silent=True)},
        incumbent="old",
    )
    assert found.differences[0].accuracy.value == pytest.approx(-40 / 120)
    assert "shy is worse than old" in found.differences[0].sentence
    row = found.table[1]
    assert row.failed == 40
    assert row.accuracy.k == 80
    assert row.cost_per_1000 == 5.0


def test_without_an_incumbent_nothing_is_tested() -> None:
    assert hold({"a": erring(BASE, [1]), "b": erring(BASE, [2])}).differences == ()
    with pytest.raises(ValueError, match="at least 2"):
        hold({"a": BASE})


def test_three_judges_with_errors_apart_make_a_perfect_majority() -> None:
    found = hold({name: erring(BASE, list(range(k, 120, 9))) for k, name in enumerate("abc")})
    panel = found.panel
    assert panel.majority_accuracy.value == panel.oracle_accuracy.value == 1
    assert panel.majority_gain.value == pytest.approx(14 / 120)
    assert panel.oracle_gain == pytest.approx(14 / 120)
    assert [one.both_wrong for one in found.correlations] == [0, 0, 0]
    assert panel.mean_error_correlation is not None
    assert panel.mean_error_correlation < 0
    assert panel.effective_judges is not None
    assert panel.effective_judges > 3


def test_three_copies_are_worth_one() -> None:
    panel = hold({name: erring(BASE, list(range(0, 120, 9))) for name in "abc"}).panel
    assert panel.best == "a"
    assert panel.majority_gain.value == 0
    assert panel.oracle_gain == 0
    assert panel.effective_judges == pytest.approx(1)


def test_a_tie_is_wrong_and_perfect_judges_have_no_error_correlation() -> None:
    tied = hold({"a": erring(BASE, [0, 1, 2]), "b": erring(BASE, [])})
    assert tied.panel.majority_accuracy.k == 117
    assert tied.panel.majority_gain.value == pytest.approx(-3 / 120)
    perfect = hold({"a": erring(BASE, []), "b": erring(BASE, [])})
    assert perfect.correlations[0].correlation.undefined
    assert perfect.panel.effective_judges is None


def test_risk_falls_with_confidence_where_a_judge_is_sure_of_what_it_knows() -> None:
    wrong = list(range(0, 120, 6))
    one = erring(BASE, wrong)
    sure = {
        claim.id: 0.5 if row in wrong else 0.9 + row / 10_000
        for row, claim in enumerate(one.claims)
    }
    found = hold({"a": one, "b": erring(BASE, [1])}, sure={"a": sure})
    (curve,) = found.risk
    assert curve.judge == "a"
    assert curve.n == 120
    assert len(curve.points) <= 50
    assert curve.points[0].risk == 0
    assert curve.points[-1].wrong == 20
    assert curve.points[-1].coverage == 1
    assert np.all(np.diff([point.threshold for point in curve.points]) < 0)


def test_effective_judges_has_no_meaning_when_errors_exclude_each_other() -> None:
    assert effective_judges(3, -0.5) is None
    assert effective_judges(2, 0.5) == pytest.approx(4 / 3)
