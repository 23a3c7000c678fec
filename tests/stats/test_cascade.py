"""Thresholds of a cascade: promises kept on simulated calibration sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from voirdire import stats
from voirdire.stats.reasons import CANNOT_CERTIFY, NO_ITEMS, reason_code


def test_smallest_sets_that_certify_five_percent() -> None:
    """0 to 5 errors need 59, 93, 124, 153, 181, 208 claims (method page, thresholds)."""
    for errors, n in enumerate((59, 93, 124, 153, 181, 208)):
        assert stats.clopper_pearson_upper(errors, n) <= 0.05
        assert stats.clopper_pearson_upper(errors, n - 1) > 0.05


@given(n=st.integers(1, 300), data=st.data())
@settings(deadline=None)
def test_upper_bound_is_above_the_rate_and_monotone(n: int, data: st.DataObject) -> None:
    errors = data.draw(st.integers(0, n))
    upper = stats.clopper_pearson_upper(errors, n)
    assert errors / n < upper or upper == 1.0
    if errors < n:
        assert stats.clopper_pearson_upper(errors + 1, n) >= upper


@given(n=st.integers(1, 400), errors=st.integers(0, 400), alpha=st.floats(0.01, 0.5))
@settings(deadline=None)
def test_hoeffding_bentkus_is_no_sharper_than_the_exact_tail(
    n: int, errors: int, alpha: float
) -> None:
    errors = min(errors, n)
    p = stats.hoeffding_bentkus_p(errors / n, n, alpha=alpha)
    assert 0 <= p <= 1
    assert p >= binom.cdf(errors, n, alpha) - 1e-12


def test_sixty_labels_certify_only_without_errors() -> None:
    score = np.linspace(1, 0.5, 60)
    clean = stats.keep_threshold(score, np.zeros(60))
    assert (clean.kept, clean.undefined) == (60, None)
    wrong = np.zeros(60)
    wrong[3] = 1
    spoiled = stats.keep_threshold(score, wrong)
    assert spoiled.threshold is None
    assert spoiled.kept == 0
    assert reason_code(spoiled.undefined or "") == CANNOT_CERTIFY
    few = stats.keep_threshold(score[:58], np.zeros(58))
    assert few.undefined == f"{CANNOT_CERTIFY}: n too small"
    assert stats.keep_threshold([], []).undefined == NO_ITEMS


def test_variants_are_not_independent_labels() -> None:
    """60 claims in 20 families without an error: as items they certify, as families they do not."""
    score, wrong = np.linspace(1, 0.5, 60), np.zeros(60)
    family = np.repeat(np.arange(20), 3)
    assert stats.keep_threshold(score, wrong).threshold is not None
    clustered = stats.keep_threshold(score, wrong, family=family)
    assert clustered.threshold is None
    assert "Hoeffding-Bentkus" in clustered.method
    many = stats.keep_threshold(
        np.linspace(1, 0.5, 600), np.zeros(600), family=np.repeat(np.arange(200), 3)
    )
    assert (many.kept, many.families) == (600, 200)


def calibration(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Confidence uniform in (0, 1); the answer is wrong with chance .4 (1 - confidence)^2."""
    score = rng.random(n)
    return score, rng.random(n) < 0.4 * (1 - score) ** 2


def true_risk(threshold: float) -> float:
    """Mean of .4 (1 - c)^2 over c uniform in (t, 1): .4 (1 - t)^2 / 3."""
    return 0.4 * (1 - threshold) ** 2 / 3


def violations(studies: int, n: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    bad = 0
    for _ in range(studies):
        found = stats.keep_threshold(*calibration(rng, n), target=0.05, delta=0.05)
        bad += found.threshold is not None and true_risk(found.threshold) > 0.05
    return bad / studies


def test_the_promise_of_the_fixed_sequence_short() -> None:
    """Risk above 5 % among kept answers in at most 5 % of calibration sets; true risk derived in
    `true_risk`. 300 sets: 5 % and two standard errors."""
    assert violations(300, 200, 1) <= 0.075


@pytest.mark.slow
def test_the_promise_of_the_fixed_sequence_long() -> None:
    assert violations(3000, 200, 2) <= 0.05
    assert violations(1000, 500, 3) <= 0.05


def test_the_marginal_promise_of_conformal_risk_control() -> None:
    """E[kept and wrong] <= alpha; at threshold t it is .4 (1 - t)^3 / 3."""
    rng = np.random.default_rng(4)
    risks = []
    for _ in range(400):
        threshold = stats.conformal_risk_threshold(*calibration(rng, 60), alpha=0.05)
        risks.append(0.0 if threshold is None else 0.4 * (1 - threshold) ** 3 / 3)
    assert np.mean(risks) <= 0.05
    assert stats.conformal_risk_threshold([0.9], [1], alpha=0.05) is None
    assert stats.conformal_risk_threshold([], [], alpha=0.05) is None


def test_risk_curve_counts() -> None:
    curve = stats.selective_risk_curve([0.9, 0.8, 0.8, np.nan, 0.2], [0, 1, 0, 1, 1])
    assert [(p.threshold, p.kept, p.wrong) for p in curve] == [
        (0.9, 1, 0),
        (0.8, 3, 1),
        (0.2, 4, 2),
    ]
    assert [p.coverage for p in curve] == [0.25, 0.75, 1.0]
    assert all(p.risk <= p.upper <= 1 for p in curve)
    assert stats.selective_risk_curve([], []) == ()


def test_deferring_that_costs_too_much_is_never_done() -> None:
    dear = stats.cost_threshold(false_accept=1, false_reject=1, defer=0.6)
    assert dear.never_defer
    assert dear.defer_low == dear.defer_high == dear.accept_from == 0.5
    assert stats.cost_threshold(false_accept=3, false_reject=1).never_defer


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.clopper_pearson_upper(3, 2), "errors must be between 0 and n"),
        (lambda: stats.clopper_pearson_upper(1, 2, delta=0), "delta must be between 0 and 1"),
        (lambda: stats.hoeffding_bentkus_p(1.2, 3, alpha=0.1), r"risk must be in \[0, 1\]"),
        (lambda: stats.hoeffding_bentkus_p(0.2, -3, alpha=0.1), "n must be >= 0, got -3"),
        (lambda: stats.keep_threshold([0.1], [1, 0]), "must be one-dimensional and of equal"),
        (lambda: stats.keep_threshold([0.1], [1], family=[1, 2]), "family must have"),
        (lambda: stats.keep_threshold([0.1], [1], target=5), "target must be between 0 and 1"),
        (lambda: stats.cost_threshold(false_accept=0, false_reject=1), "false_accept must be"),
        (
            lambda: stats.cost_threshold(false_accept=1, false_reject=1, defer=-1),
            "defer must be a number >= 0, got -1",
        ),
    ],
)
def test_wrong_arguments(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_the_sequence_stops_at_its_first_failure() -> None:
    """Errors among the surest answers cannot be bought back by many right answers below."""
    score = np.linspace(1, 0, 3000)
    wrong = np.zeros(3000)
    wrong[:12] = 1
    found = stats.keep_threshold(score, wrong)
    assert stats.clopper_pearson_upper(12, 3000) < 0.05
    assert found.threshold is None
    assert found.undefined == f"{CANNOT_CERTIFY}: too many errors among the surest answers"
