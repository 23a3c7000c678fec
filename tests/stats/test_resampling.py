"""Jackknife and bootstrap on collapsed rows are the plain ones, only cheaper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire import stats
from voirdire.stats import tables
from voirdire.stats.coefficients import of_sums
from voirdire.stats.jackknife import gradient

KAPPA = of_sums(tables.kappa, 3)


def make(seed: int, families: int = 25) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 3, 3 * families)
    judge = np.where(rng.random(human.size) < 0.7, human, rng.integers(0, 3, human.size))
    return human, judge, np.repeat(np.arange(families), 3)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_jackknife_is_leaving_out_each_family(seed: int) -> None:
    human, judge, family = make(seed)
    counts = stats.family_counts(human, judge, family=family, labels=[0, 1, 2])
    found = stats.jackknife_replicates(counts, KAPPA)
    plain = [
        stats.kappa(human[family != g], judge[family != g], labels=[0, 1, 2]).value
        for g in range(25)
    ]
    repeated = np.repeat(found.replicates, found.weight.astype(int))
    assert np.sort(repeated) == pytest.approx(np.sort(np.array(plain, dtype=float)), abs=1e-12)
    spread = np.sqrt(24 / 25 * np.sum((np.array(plain) - np.mean(plain)) ** 2))
    assert found.se == pytest.approx(spread, rel=1e-10)
    weighted = stats.acceleration(found.replicates, found.weight)
    assert weighted == pytest.approx(stats.acceleration(np.array(plain, dtype=float)), abs=1e-9)


@pytest.mark.parametrize(
    "function",
    [
        tables.kappa,
        tables.mcc,
        tables.balanced_accuracy,
        tables.macro_f1,
        lambda t: tables.chance_corrected(t, tables.gwet_chance),
        lambda t: tables.chance_corrected(t, tables.scott_chance),
    ],
)
def test_complex_step_is_the_derivative(function: Any) -> None:
    total = np.array([40.0, 5, 3, 4, 30, 6, 2, 7, 20])
    sums = of_sums(function, 3)
    exact = gradient(total, sums)
    step = 1e-4 * np.eye(9)
    central = (sums(total + step) - sums(total - step)) / 2e-4
    assert exact == pytest.approx(central, abs=1e-8)
    assert exact @ total == pytest.approx(0, abs=1e-12)  # unchanged when all counts double


def test_linearised_and_jackknife_agree_in_large_samples() -> None:
    human, judge, family = make(3, families=4000)
    counts = stats.family_counts(human, judge, family=family)
    jackknife = stats.jackknife_replicates(counts, KAPPA).se
    assert stats.linearised_se(counts, KAPPA) == pytest.approx(jackknife, rel=1e-3)


def test_linearised_se_of_items_is_fleiss_cohen_everitt() -> None:
    human, judge, _ = make(4)
    counts = stats.family_counts(human, judge)
    plain = stats.linearised_se(counts, KAPPA, small_sample=False)
    assert plain == pytest.approx(stats.kappa_se(counts.table), rel=1e-12)


@pytest.mark.parametrize("poisson", [False, True])
def test_bootstrap_has_the_spread_of_the_jackknife(poisson: bool) -> None:
    human, judge, family = make(5, families=300)
    counts = stats.family_counts(human, judge, family=family)
    draws = stats.bootstrap_replicates(counts, KAPPA, resamples=4000, rng=2, poisson=poisson)
    expected = stats.jackknife_replicates(counts, KAPPA)
    assert draws.std() == pytest.approx(expected.se, rel=0.06)
    assert draws.mean() == pytest.approx(expected.value, abs=0.005)


def test_bootstrap_is_the_plain_one_in_distribution() -> None:
    """Against resampling of family numbers, one at a time."""
    human, judge, family = make(6, families=12)
    counts = stats.family_counts(human, judge, family=family, labels=[0, 1, 2])
    draws = np.sort(stats.bootstrap_replicates(counts, KAPPA, resamples=4000, rng=3))
    rng = np.random.default_rng(4)
    cells = np.zeros((12, 9))
    np.add.at(cells, (family, human * 3 + judge), 1)
    plain = np.sort([KAPPA(cells[rng.integers(0, 12, 12)].sum(axis=0)) for _ in range(4000)])
    levels = [0.025, 0.25, 0.5, 0.75, 0.975]
    assert np.quantile(draws, levels) == pytest.approx(np.quantile(plain, levels), abs=0.02)


def test_seed_decides_and_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    human, judge, family = make(7)
    counts = stats.family_counts(human, judge, family=family)
    first = stats.bootstrap_replicates(counts, KAPPA, resamples=50, rng=9)
    assert np.array_equal(first, stats.bootstrap_replicates(counts, KAPPA, resamples=50, rng=9))
    other = stats.bootstrap_replicates(counts, KAPPA, resamples=50, rng=10)
    assert not np.array_equal(first, other)
    monkeypatch.setattr("voirdire.stats.bootstrap.BLOCK", 1)
    again = stats.bootstrap_replicates(counts, KAPPA, resamples=50, rng=np.random.default_rng(9))
    assert np.array_equal(first, again)


def test_bca_undefined_and_messages() -> None:
    alone = stats.family_counts([0, 1, 2], [0, 1, 1], family=[1, 1, 1])
    assert stats.bca_interval(alone, KAPPA, rng=1) is None
    constant = stats.family_counts([0, 0], [0, 0], labels=[0, 1, 2])
    assert stats.bca_interval(constant, KAPPA, rng=1) is None
    empty = stats.family_counts([], [], labels=[0, 1, 2])
    assert np.isnan(stats.bootstrap_replicates(empty, KAPPA, resamples=2, rng=1)).all()
    with pytest.raises(ValueError, match="resamples must be >= 1, got 0"):
        stats.bootstrap_replicates(alone, KAPPA, resamples=0, rng=1)
    with pytest.raises(ValueError, match="replicates and weight must have one length > 0"):
        stats.jackknife_se([])


def test_bca_shifts_with_bias_and_skew() -> None:
    draws = np.linspace(0, 1, 1001)
    plain = stats.bca_endpoints(draws, 0.5, 0.0, ties=0.5)
    assert plain == pytest.approx(stats.percentile_interval(draws), abs=1e-9)
    assert stats.bca_endpoints(draws, 0.6, 0.0).low > plain.low
    assert stats.bca_endpoints(draws, 0.5, 0.1, ties=0.5).high > plain.high
    assert stats.acceleration([0.3, 0.3, 0.3]) == 0.0
