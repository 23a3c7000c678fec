"""Measures of calibration: golden values, other tools on the common set, laws, degenerate data."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.records import Estimate
from voirdire.stats.binned_ece import binned_calibration, consistency_limits
from voirdire.stats.class_calibration import class_calibration, top_label_calibration
from voirdire.stats.corp import corp_split, monotone_fit, reliability_curve
from voirdire.stats.cox import cox_line, spiegelhalter_z
from voirdire.stats.proper_scores import (
    brier_score,
    brier_skill,
    log_loss,
    multiclass_brier,
    multiclass_log_loss,
)
from voirdire.stats.ranking import aurc, auroc
from voirdire.stats.registry import estimates_in
from voirdire.stats.smooth_ece import _error_at, smooth_calibration

CODES = {"supported": 0, "contradicted": 1, "unverifiable": 2}


@pytest.fixture(scope="session")
def common(shared: Path) -> pd.DataFrame:
    return pd.read_csv(shared / "peers" / "common_set.csv")


@pytest.fixture(scope="session")
def three_classes(common: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    table = common[["p_sup_r1", "p_con_r1", "p_unv_r1"]].to_numpy()
    return table, common["gold"].map(CODES).to_numpy()


def value(estimate: Estimate) -> float:
    assert estimate.value is not None, estimate.undefined
    return estimate.value


# --- golden ---------------------------------------------------------------------------------


def test_e01_binned_ece(golden: dict[str, Any]) -> None:
    case = golden["E01_binned_ece"]  # source: netcal ECE/MCE, own code, R
    p, y = case["input"]["p"], case["input"]["y"]
    expected, tolerance = case["expected"], case["tolerance"]
    width = binned_calibration(p, y, bins=5)
    assert value(width.ece) == pytest.approx(expected["ece_5_width"], abs=tolerance)
    assert value(width.mce) == pytest.approx(expected["mce_5_width"], abs=tolerance)
    mass = binned_calibration(p, y, bins=4, binning="mass")
    assert value(mass.ece) == pytest.approx(expected["ece_4_mass"], abs=tolerance)


def test_e01_rests_on_the_edges_of_linspace(golden: dict[str, Any]) -> None:
    # the score 0.6 lies below numpy's third edge of five (0.6000000000000001); with decimal edges,
    # as the case's source line states the bins, the same data give .0865
    case = golden["E01_binned_ece"]
    p = [v + 1e-9 for v in case["input"]["p"]]
    decimal = binned_calibration(p, case["input"]["y"], bins=5)
    assert value(decimal.ece) == pytest.approx(0.0865, abs=1e-7)


def test_e02_proper_scores_and_recalibration(golden: dict[str, Any]) -> None:
    case = golden["E02_proper_scores_and_logistic_recalibration"]  # source: sklearn, R glm
    p, y = case["input"]["p"], case["input"]["y"]
    line, z = cox_line(p, y), spiegelhalter_z(p, y)
    ours = {
        "brier": value(brier_score(p, y)),
        "log_loss": value(log_loss(p, y)),
        "spiegelhalter_z": z.statistic,
        "spiegelhalter_p": z.p_value,
        "slope": value(line.slope),
        "intercept_joint": value(line.intercept),
        "intercept_in_the_large": value(line.in_the_large),
        "auc": value(auroc(p, y)),
    }
    assert ours == pytest.approx(case["expected"], abs=case["tolerance"])


def test_e03_corp(golden: dict[str, Any]) -> None:
    case = golden["E03_corp_brier_decomposition"]  # source: sklearn isotonic, model-diagnostics, R
    p, y = case["input"]["p"], case["input"]["y"]
    split = corp_split(p, y, null_draws=0, resamples=0)
    expected, tolerance = case["expected"], case["tolerance"]
    assert value(split.score) == pytest.approx(expected["score"], abs=tolerance)
    assert value(split.miscalibration) == pytest.approx(expected["mcb"], abs=tolerance)
    assert value(split.discrimination) == pytest.approx(expected["dsc"], abs=tolerance)
    assert value(split.uncertainty) == pytest.approx(expected["unc"], abs=tolerance)
    curve = reliability_curve(p, y, resamples=9)
    at_items = dict(zip(curve.score, curve.calibrated, strict=True))
    assert [at_items[v] for v in p] == pytest.approx(expected["calibrated"], abs=tolerance)


def test_e04_smooth_ece(golden: dict[str, Any]) -> None:
    case = golden["E04_smooth_ece"]  # source: own numpy, R; relplot within its grid error
    result = smooth_calibration(case["input"]["p"], case["input"]["y"], null_draws=0)
    expected = case["expected"]
    assert value(result.ece) == pytest.approx(expected["smece"], abs=case["tolerance"])
    assert result.bandwidth == pytest.approx(expected["sigma_star"], abs=case["tolerance"])
    # ours is exact: it meets the reference far inside the tolerance granted to grids
    assert value(result.ece) == pytest.approx(expected["smece"], abs=1e-6)


def test_e11_consistency_limits(golden: dict[str, Any]) -> None:
    case = golden["E11_consistency_band_binomial"]  # source: scipy binom, R qbinom
    low, high = consistency_limits(
        case["input"]["n"], case["input"]["p"], level=case["input"]["level"]
    )
    assert low == pytest.approx(case["expected"]["lower"], abs=1e-10)
    assert high == pytest.approx(case["expected"]["upper"], abs=1e-10)


def test_e12_degenerate(golden: dict[str, Any]) -> None:
    case = golden["E12_degenerate_calibration"]  # source: rules of the method page
    ones = cox_line([0.2, 0.6, 0.9], [1, 1, 1])
    assert ones.slope.undefined == "one label only"
    assert brier_score([0.2, 0.6, 0.9], [1, 1, 1]).defined
    assert binned_calibration([0.2, 0.6, 0.9], [1, 1, 1]).ece.defined
    constant = binned_calibration([0.7] * 10, [0, 1] * 5)
    assert value(constant.ece) == pytest.approx(
        case["expected"]["ece_constant"], abs=case["tolerance"]
    )
    assert cox_line([0.7] * 4, [0, 1, 0, 1]).slope.undefined == "constant score"
    assert brier_score([], []).undefined == "no items"
    split = cox_line([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
    assert split.slope.undefined == "separation"
    assert split.in_the_large.defined


# --- other tools on the common set ----------------------------------------------------------


def test_common_set_binary(common: pd.DataFrame) -> None:
    p, y = common["p_sup_r1"], common["gold_bin"]
    binned = binned_calibration(p, y, null_draws=0)
    assert value(binned.ece) == pytest.approx(0.0798521933333333, abs=1e-12)  # 5 peers
    assert value(binned.mce) == pytest.approx(0.327015, abs=5e-7)  # netcal
    assert value(binned.ace) == pytest.approx(0.121593, abs=5e-7)  # netcal
    smooth = smooth_calibration(p, y, null_draws=0)
    # relplot: grid of .001 and a bandwidth from a bisection that stops early (.07421875)
    assert value(smooth.ece) == pytest.approx(0.0738298, abs=1e-3)
    assert value(brier_score(p, y)) == pytest.approx(0.1320439, abs=5e-8)  # juryrig, kunko


def test_common_set_three_classes(three_classes: tuple[np.ndarray, np.ndarray]) -> None:
    table, codes = three_classes
    assert value(multiclass_brier(table, codes)) == pytest.approx(0.3290374, abs=5e-7)  # kunko
    assert value(multiclass_log_loss(table, codes)) == pytest.approx(0.6154597, abs=5e-7)  # own
    top = top_label_calibration(table, codes, draws=0)
    assert value(top.binned.ece) == pytest.approx(0.0803842, abs=5e-8)  # kunko, netcal
    assert value(top.corp.score) == pytest.approx(0.1567750, abs=5e-7)  # kunko top-label Brier
    # relplot .0799616: its grid loses .0004; all residuals have one sign, so exactly the ECE
    assert value(top.smooth.ece) == pytest.approx(0.0803842, abs=5e-8)
    right, favourite = (table.argmax(axis=1) == codes).astype(float), table.max(axis=1)
    assert value(auroc(favourite, right)) == pytest.approx(0.7773822, abs=5e-8)  # kunko
    assert value(aurc(favourite, right)) == pytest.approx(0.1147374, abs=5e-8)  # kunko
    assert value(log_loss(favourite, right)) == pytest.approx(0.5150675, abs=5e-7)  # kunko


def test_classes_are_shown_one_by_one(three_classes: tuple[np.ndarray, np.ndarray]) -> None:
    table, codes = three_classes
    each = class_calibration(table, codes, names=list(CODES), draws=0)
    assert [one.label for one in each] == list(CODES)
    alone = corp_split(table[:, 1], codes == 1, null_draws=0, resamples=0)
    assert each[1].corp.miscalibration.value == alone.miscalibration.value


def test_log_corp_agrees_with_the_log_loss(common: pd.DataFrame) -> None:
    p, y = common["p_sup_r1"], common["gold_bin"]
    split = corp_split(p, y, score="log", null_draws=0, resamples=0)
    assert split.score.value == log_loss(p, y).value
    base = float(y.mean())
    entropy = -base * math.log(base) - (1 - base) * math.log(1 - base)
    assert value(split.uncertainty) == pytest.approx(entropy)


# --- laws -----------------------------------------------------------------------------------

scored_rows = st.lists(
    st.tuples(
        st.one_of(st.none(), st.floats(0, 1), st.just("n/a")),
        st.one_of(st.none(), st.sampled_from([0, 1])),
        st.integers(0, 5),
    ),
    max_size=25,
)


@given(scored_rows)
@settings(max_examples=60, deadline=None)
def test_nothing_raises_and_corp_adds_up(rows: list[tuple[Any, Any, int]]) -> None:
    p, y, family = ([row[i] for row in rows] for i in range(3))
    split = corp_split(p, y, family=family, null_draws=3, resamples=3)
    results = [
        split,
        brier_score(p, y, family=family),
        log_loss(p, y, family=family),
        brier_skill(p, y, family=family),
        cox_line(p, y, family=family),
        binned_calibration(p, y, family=family, null_draws=3),
        smooth_calibration(p, y, family=family, null_draws=0),
        auroc(p, y, family=family),
        aurc(p, y, family=family),
    ]
    for estimate in estimates_in(results).values():
        assert estimate.n_asked == len(rows)
    spiegelhalter_z(p, y)
    if split.score.defined:
        total = value(split.miscalibration) - value(split.discrimination) + value(split.uncertainty)
        assert value(split.score) == pytest.approx(total, abs=1e-12)
        assert value(split.miscalibration) >= -1e-12
        assert value(split.discrimination) >= -1e-12


@given(
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0, 1])), min_size=1, max_size=20),
    st.integers(1, 12),
)
@settings(max_examples=60, deadline=None)
def test_every_ece_lies_between_its_bounds(rows: list[tuple[float, int]], bins: int) -> None:
    """Triangle inequality: |mean residual| <= any ECE <= mean |residual of tied scores|."""
    p, y = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    lower, upper = abs(float((y - p).mean())), float(np.abs(y - p).mean())
    for ece in (
        binned_calibration(p, y, bins=bins, null_draws=0).ece,
        binned_calibration(p, y, bins=bins, binning="mass", null_draws=0).ece,
        smooth_calibration(p, y, null_draws=0).ece,
    ):
        assert lower - 1e-9 <= value(ece) <= upper + 1e-9


def test_smooth_ece_is_a_fixed_point_by_brute_force() -> None:
    """A Riemann sum of the definition, with none of the code under test."""
    rng = np.random.default_rng(5)
    p, y = rng.random(30), (rng.random(30) < 0.5).astype(float)
    s = smooth_calibration(p, y, null_draws=0).bandwidth
    assert s is not None
    t = (np.arange(40_000) + 0.5) / 40_000
    r = np.zeros_like(t)
    for p_i, y_i in zip(p, y, strict=True):
        kernel = sum(
            np.exp(-0.5 * ((t - sign * p_i - 2 * k) / s) ** 2)
            for k in range(-4, 5)
            for sign in (1, -1)
        )
        r += kernel / (s * math.sqrt(2 * math.pi)) * (y_i - p_i) / 30
    assert float(np.abs(r).mean()) == pytest.approx(s, rel=1e-5)


def test_smooth_ece_of_symmetric_residuals_is_not_zero() -> None:
    # the root of r falls on a grid point here; skipping it would cancel the two halves
    assert value(smooth_calibration([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]).ece) > 0.1


def test_smooth_ece_steps_over_stretches_where_the_kernel_is_zero() -> None:
    # at bandwidth .005 both kernels underflow between .1 and .9: the signs are never neighbours
    points, residual = np.array([0.1, 0.9]), np.array([0.4, -0.4])
    assert _error_at(points, residual, 0.005) == pytest.approx(0.8)


def test_p_values_are_small_for_a_miscalibrated_judge() -> None:
    rng = np.random.default_rng(13)
    truth = rng.random(300)
    y, p = rng.random(300) < truth, truth**3 / (truth**3 + (1 - truth) ** 3)
    split = corp_split(p, y, null_draws=199, resamples=0)
    assert split.p_value == pytest.approx(1 / 200)
    assert split.null_95 is not None
    assert value(split.miscalibration) > split.null_95
    assert binned_calibration(p, y, null_draws=199).p_value == pytest.approx(1 / 200)
    assert smooth_calibration(p, y, null_draws=99).p_value == pytest.approx(1 / 100)


def test_monotone_fit_is_the_least_squares_one() -> None:
    fit = monotone_fit(np.array([3.0, 1.0, 2.0, 5.0]), np.array([1.0, 2.0, 1.0, 1.0]))
    assert fit.tolist() == pytest.approx([5 / 3, 5 / 3, 2.0, 5.0])


def test_null_p_value_is_roughly_uniform_for_a_calibrated_judge() -> None:
    """y ~ Bernoulli(p) is the null itself, so P(p-value <= .2) = .2 (200 sets: SE .028)."""
    rng = np.random.default_rng(11)
    small = 0
    for seed in range(200):
        p = rng.random(60)
        y = rng.random(60) < p
        result = corp_split(p, y, null_draws=49, resamples=0, seed=seed)
        assert result.p_value is not None
        small += result.p_value <= 0.2
    assert 0.12 <= small / 200 <= 0.28


def test_null_of_the_binned_ece_is_what_perfection_looks_like() -> None:
    rng = np.random.default_rng(2)
    p = rng.beta(0.8, 0.8, 60)
    result = binned_calibration(p, rng.random(60) < p)
    # "ECE .11 at n = 60 is what perfection looks like"
    # (.109 and .156 over the four shapes of scores on the method page; this shape a little more)
    assert result.null_mean == pytest.approx(0.118, abs=0.02)
    assert result.null_95 == pytest.approx(0.17, abs=0.03)


def test_bands_hold_the_curve_of_a_calibrated_judge() -> None:
    rng = np.random.default_rng(3)
    p = rng.integers(1, 10, 400) / 10
    y = rng.random(400) < p
    curve = reliability_curve(p, y, family=np.arange(400) // 2)
    inside = [
        low <= c <= high
        for low, c, high in zip(
            curve.consistency_low, curve.calibrated, curve.consistency_high, strict=True
        )
    ]
    assert sum(inside) >= 7  # of 9, each with probability .9
    assert len(curve.confidence_low) == 9
    assert sum(curve.n) == 400


def test_family_clustering_widens_the_interval() -> None:
    rng = np.random.default_rng(4)
    p, y = rng.random(40), (rng.random(40) < 0.5).astype(float)
    alone = brier_score(np.repeat(p, 3), np.repeat(y, 3))
    together = brier_score(np.repeat(p, 3), np.repeat(y, 3), family=np.repeat(np.arange(40), 3))
    one_each = brier_score(p, y)
    assert alone.low is not None
    assert together.low is not None
    assert together.low == pytest.approx(one_each.low)
    assert alone.low > together.low


def test_impossible_predictions_are_counted_and_noted() -> None:
    result = log_loss([0.0, 0.5], [1, 1])
    assert "1 label(s) given probability 0" in result.notes[-1]
    assert math.isfinite(value(result))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: brier_score([0.1], [1, 0]), "y must be as long as p"),
        (lambda: brier_score([0.1], [1], level=1.0), "level must be between 0 and 1"),
        (lambda: brier_score([0.1], [1], family=["a", "b"]), "family must have one entry per item"),
        (lambda: corp_split([0.1], [1], score="crps"), "score must be 'brier' or 'log'"),
        (lambda: corp_split([0.1], [1], resamples=-1), "counts must be >= 0"),
        (lambda: binned_calibration([0.1], [1], bins=0), "bins must be >= 1"),
        (
            lambda: binned_calibration([0.1], [1], binning="log"),
            "binning must be 'width' or 'mass'",
        ),
        (lambda: reliability_curve([0.1], [1], resamples=0), "resamples must be >= 1"),
        (lambda: smooth_calibration([0.1], [1], null_draws=-1), "null_draws must be >= 0"),
        (lambda: consistency_limits([0], [0.5]), "n must be >= 1"),
        (lambda: multiclass_brier([[1.0, 0.0]], [0, 1]), "labels must be as long as"),
        (
            lambda: class_calibration([[1.0, 0.0]], [0], names=["a"]),
            "names must have one entry per class",
        ),
        (lambda: brier_score([[0.1]], [1]), "p must be one-dimensional"),
    ],
)
def test_wrong_arguments_say_what_must_be(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("p", "y", "reason"),
    [
        ([1.2, 0.1], [1, 0], "1 score outside 0..1"),
        ([0.2, 0.1], [2, 0], "1 label other than 0 and 1"),
        ([None, "x"], [1, 0], "no items"),
    ],
)
def test_bad_data_is_a_reason(p: list[Any], y: list[Any], reason: str) -> None:
    assert brier_score(p, y).undefined == reason
    assert corp_split(p, y).miscalibration.undefined == reason
    assert smooth_calibration(p, y).ece.undefined == reason
    assert reliability_curve(p, y).undefined == reason
    assert spiegelhalter_z(p, y).undefined == reason


def test_probability_rows_that_do_not_sum_to_one_are_a_reason() -> None:
    result = multiclass_brier([[0.5, 0.6], [0.5, 0.5]], [0, 1])
    assert result.undefined == "1 row(s) of probabilities do not sum to 1 or lie outside 0..1"
    result = multiclass_log_loss([[0.5, 0.5]], [2])
    assert result.undefined == "1 label code(s) outside 0..1"
    assert class_calibration([[0.5, 0.6]], [0])[0].corp.score.undefined is not None
