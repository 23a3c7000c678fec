"""Calibrators: golden values, storage, degenerate data, cross-fitting, who wins at 60."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from voirdire.stats.beta_calibration import BetaMap, fit_beta
from voirdire.stats.calibrators import (
    CALIBRATORS,
    calibrator_from_dict,
    default_candidates,
    fit_calibrator,
)
from voirdire.stats.cross_fitting import cross_fit, map_band
from voirdire.stats.isotonic import fit_isotonic
from voirdire.stats.platt import PlattMap, fit_one_vs_rest, fit_platt
from voirdire.stats.temperature import TemperatureMap, fit_temperature
from voirdire.stats.venn_abers import VennAbersMap, fit_venn_abers

# --- golden ---------------------------------------------------------------------------------


def test_e05_platt(golden: dict[str, Any]) -> None:
    case = golden["E05_platt_scaling"]  # source: sklearn sigmoid, R glm on smoothed targets
    score, y = case["input"]["score"], case["input"]["y"]
    fitted = fit_platt(score, y, scale="real")
    assert isinstance(fitted, PlattMap)
    expected, tolerance = case["expected"], case["tolerance"]
    assert -fitted.slope == pytest.approx(expected["A"], abs=tolerance)
    assert -fitted.intercept == pytest.approx(expected["B"], abs=tolerance)
    assert fitted.predict(score) == pytest.approx(expected["prob"], abs=tolerance)


def test_e05_platt_on_probabilities_is_platt_on_their_logits(golden: dict[str, Any]) -> None:
    case = golden["E05_platt_scaling"]
    score, y = case["input"]["score"], case["input"]["y"]
    fitted = fit_platt(special.expit(np.array(score)), y)
    assert fitted.predict(special.expit(np.array(score))) == pytest.approx(
        case["expected"]["prob"], abs=case["tolerance"]
    )


def test_e06_isotonic(golden: dict[str, Any]) -> None:
    case = golden["E06_isotonic"]  # source: sklearn, R isoreg
    given_, expected = case["input"], case["expected"]
    fitted = fit_isotonic(given_["score"], given_["y"], scale="real")
    assert fitted.predict(given_["score"]) == pytest.approx(
        expected["fitted"], abs=case["tolerance"]
    )
    assert fitted.predict(given_["new"]) == pytest.approx(expected["new"], abs=case["tolerance"])


def test_e07_beta(golden: dict[str, Any]) -> None:
    case = golden["E07_beta_calibration"]  # source: statsmodels GLM, R glm
    p, y = case["input"]["p"], case["input"]["y"]
    fitted = fit_beta(p, y)
    assert isinstance(fitted, BetaMap)
    expected, tolerance = case["expected"], case["tolerance"]
    coefficients = [fitted.c, fitted.a, fitted.b]
    assert coefficients == pytest.approx(expected["coef_intercept_lnp_neglog1mp"], abs=tolerance)
    assert fitted.predict(p) == pytest.approx(expected["fitted"], abs=tolerance)


def test_e08_temperature(golden: dict[str, Any]) -> None:
    case = golden["E08_temperature_scaling_3class"]  # source: scipy, R optimize
    logits, y = np.array(case["input"]["logits"]), np.array(case["input"]["y"])
    fitted = fit_temperature(logits, y, scale="real")
    assert isinstance(fitted, TemperatureMap)
    expected, tolerance = case["expected"], case["tolerance"]
    assert fitted.temperature == pytest.approx(expected["temperature"], abs=tolerance)
    rows = fitted.predict(logits)
    assert rows == pytest.approx(np.array(expected["probs"]), abs=tolerance)
    nll = -float(np.log(rows[np.arange(len(y)), y]).sum())
    assert nll == pytest.approx(expected["nll"], abs=tolerance)


def test_e09_venn_abers(golden: dict[str, Any]) -> None:
    case = golden["E09_venn_abers"]  # source: sklearn isotonic twice, venn-abers 1.5.4
    given_, expected, tolerance = case["input"], case["expected"], case["tolerance"]
    fitted = fit_venn_abers(given_["calibration_p"], given_["y"])
    assert isinstance(fitted, VennAbersMap)
    low, high = fitted.interval(given_["new"])
    assert low == pytest.approx(expected["p0"], abs=tolerance)
    assert high == pytest.approx(expected["p1"], abs=tolerance)
    assert fitted.predict(given_["new"]) == pytest.approx(expected["p"], abs=tolerance)


# --- degenerate data (golden E12 and the method page) -----------------------------------------


@pytest.mark.parametrize("method", [m for m in CALIBRATORS if m != "identity"])
def test_degenerate_data_give_a_simpler_map_and_say_why(method: str) -> None:
    one = fit_calibrator([0.2, 0.6, 0.9], [1, 1, 1], method=method)
    assert one.reason == "one label only"
    assert one.predict([0.1]).tolist() == [4 / 5]  # (x + 1)/(n + 2)
    constant = fit_calibrator([0.7] * 4, [0, 1, 0, 1], method=method)
    assert constant.reason == "constant score"
    assert constant.predict([0.7]).tolist() == [0.5]
    empty = fit_calibrator([], [], method=method)
    assert empty.reason == "not fitted: no items"
    assert empty.predict([0.3]).tolist() == [0.3]
    outside = fit_calibrator([1.3, 0.2], [0, 1], method=method)
    assert outside.reason == "not fitted: 1 score outside 0..1"


def test_separated_labels_stay_finite() -> None:
    p, y = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [0, 0, 0, 1, 1, 1]
    platt = fit_platt(p, y)
    assert isinstance(platt, PlattMap)
    assert np.all((platt.predict(p) > 0) & (platt.predict(p) < 1))
    beta = fit_beta(p, y)
    assert beta.reason == "separation: Platt instead"
    assert beta.predict(p).tolist() == platt.predict(p).tolist()


@pytest.mark.parametrize("fit", [fit_platt, fit_beta, fit_isotonic])
def test_an_anti_informative_score_is_not_calibrated(fit: Any) -> None:
    fitted = fit([0.9, 0.8, 0.7, 0.3, 0.2, 0.1, 0.5, 0.4], [0, 0, 0, 1, 1, 1, 0, 1])
    assert fitted.kind == "identity" or fitted.reason == "separation: Platt instead"
    assert "anti-informative" in (fitted.reason or "")


def test_scores_of_exactly_0_and_1_are_clipped_by_half_an_item() -> None:
    fitted = fit_platt([0.0, 1.0, 0.4, 0.6, 1.0], [0, 1, 1, 0, 0])
    assert isinstance(fitted, PlattMap)
    assert fitted.clip == 1 / 10
    assert fitted.predict([0.0, 0.05]).tolist()[0] == fitted.predict([0.1]).tolist()[0]


def test_temperature_without_a_maximum_says_so() -> None:
    always_right = fit_temperature([[3.0, 0.0], [0.0, 2.0]], [0, 1], scale="real")
    assert always_right.reason == "no maximum of the likelihood above T = 0.02"
    always_wrong = fit_temperature([[3.0, 0.0], [0.0, 2.0]], [1, 0], scale="real")
    assert always_wrong.reason == "no maximum of the likelihood below T = 50"
    assert fit_temperature([[0.5, 0.6]], [0]).reason is not None


# --- laws -------------------------------------------------------------------------------------

pairs = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0, 1])), min_size=0, max_size=30)


@given(pairs, st.sampled_from(sorted(CALIBRATORS)))
@settings(max_examples=120, deadline=None)
def test_maps_rise_stay_in_0_1_and_survive_storage(
    rows: list[tuple[float, int]], method: str
) -> None:
    p, y = [r[0] for r in rows], [r[1] for r in rows]
    fitted = fit_calibrator(p, y, method=method)
    grid = np.linspace(0, 1, 41)
    out = fitted.predict(grid)
    assert np.all((out >= 0) & (out <= 1))
    assert np.all(np.diff(out) >= -1e-9)
    stored = json.loads(json.dumps(fitted.to_dict()))
    assert calibrator_from_dict(stored).predict(grid).tolist() == out.tolist()
    assert np.isnan(fitted.predict([None])).tolist() == [True]


@given(pairs)
@settings(max_examples=60, deadline=None)
def test_venn_abers_interval_holds_its_point(rows: list[tuple[float, int]]) -> None:
    fitted = fit_venn_abers([r[0] for r in rows], [r[1] for r in rows])
    if not isinstance(fitted, VennAbersMap):
        return
    grid = np.linspace(0, 1, 23)
    low, high = fitted.interval(grid)
    assert np.all(low <= high + 1e-12)
    point = fitted.predict(grid)
    assert np.all((low - 1e-12 <= point) & (point <= high + 1e-12))


@given(pairs)
@settings(max_examples=60, deadline=None)
def test_platt_matches_its_smoothed_targets_on_the_whole(rows: list[tuple[float, int]]) -> None:
    """The score equation of the intercept: mean prediction = mean smoothed target."""
    p, y = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    fitted = fit_platt(p, y)
    if isinstance(fitted, PlattMap):
        n1 = y.sum()
        target = np.where(y == 1, (n1 + 1) / (n1 + 2), 1 / (len(y) - n1 + 2))
        assert float(fitted.predict(p).mean()) == pytest.approx(float(target.mean()), abs=1e-7)


def test_one_vs_rest_rows_sum_to_one_and_are_stored() -> None:
    rng = np.random.default_rng(0)
    table = rng.dirichlet([1, 1, 1], size=60)
    labels = np.array([rng.choice(3, p=row) for row in table])
    fitted = fit_one_vs_rest(table, labels)
    assert fitted.predict(table).sum(axis=1) == pytest.approx(np.ones(60))
    again = calibrator_from_dict(json.loads(json.dumps(fitted.to_dict())))
    assert again.predict(table).tolist() == fitted.predict(table).tolist()
    with pytest.raises(ValueError, match="scores must have 3 columns, got 2"):
        fitted.predict(table[:, :2])


# --- cross-fitting ----------------------------------------------------------------------------


def over_confident(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """An NLI-like judge: the true logit is the shown logit over 2.5."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(0.3, 3.5, n)
    return special.expit(logit), (rng.random(n) < special.expit(logit / 2.5)).astype(float)


def test_families_are_never_split_between_folds() -> None:
    p, y = over_confident(120, 1)
    family = np.repeat(np.arange(40), 3)
    result = cross_fit(p, y, family=family, seed=3)
    folds = np.array(result.fold).reshape(40, 3)
    assert np.all(folds == folds[:, :1])
    assert sorted(set(folds[:, 0].tolist())) == [0, 1, 2, 3, 4]
    assert np.bincount(folds[:, 0]).tolist() == [8] * 5


def test_out_of_fold_predictions_never_saw_their_fold() -> None:
    p, y = over_confident(60, 2)
    result = cross_fit(p, y, methods=["platt"], seed=0)
    assert result.chosen == "platt"
    fold = np.array(result.fold)
    for held in range(5):
        alone = fit_platt(p[fold != held], y[fold != held]).predict(p[fold == held])
        assert np.array(result.out_of_fold)[fold == held].tolist() == alone.tolist()
    assert result.calibrator == fit_platt(p, y).to_dict()


def test_rows_with_a_missing_side_keep_their_place() -> None:
    p, y = over_confident(40, 3)
    shown: list[Any] = [None, *p, 0.4]
    result = cross_fit(shown, [1, *y, None])
    assert result.out_of_fold[0] is None
    assert result.out_of_fold[-1] is None
    assert all(v is not None for v in result.out_of_fold[1:-1])


def test_calibrating_a_calibrated_score_is_said_to_be_useless() -> None:
    rng = np.random.default_rng(8)
    p = rng.random(90)
    result = cross_fit(p, rng.random(90) < p, methods=["platt", "isotonic"])
    assert result.chosen == "identity"
    assert result.sentence.startswith("Leave the score as it is")
    isotonic = {one.method: one for one in result.candidates}["isotonic"]
    assert isotonic.made_worse
    assert "made it worse with" in result.sentence
    assert "isotonic" in result.sentence.split("made it worse with")[1]


def test_an_over_confident_score_is_mended_by_platt() -> None:
    p, y = over_confident(400, 4)
    result = cross_fit(p, y)
    assert result.chosen == "platt"
    platt = {one.method: one for one in result.candidates}["platt"]
    assert platt.gain.low is not None
    assert platt.gain.low > 0


def test_choice_over_many_sets_of_60() -> None:
    """Over-confident scores get a map nearly always, calibrated ones mostly stay as they are."""
    mended = [cross_fit(*over_confident(60, seed)).chosen for seed in range(30)]
    assert mended.count("platt") >= 20
    assert mended.count("identity") <= 4
    left = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        p = rng.random(60)
        left += cross_fit(p, rng.random(60) < p).chosen == "identity"
    assert left >= 15


def test_cross_fit_refuses_with_reasons() -> None:
    assert cross_fit([], []).undefined == "no items"
    assert cross_fit([0.2, 0.8], [0, 1], family=["a", "a"]).undefined == "fewer than 2 families"
    assert cross_fit([0.2, 0.8, 0.6], [1, 1, 1]).chosen is not None
    with pytest.raises(ValueError, match="folds must be >= 2, got 1"):
        cross_fit([0.1], [1], folds=1)
    with pytest.raises(ValueError, match="methods must be among"):
        cross_fit([0.1], [1], methods=["magic"])


def test_map_band_holds_the_true_curve() -> None:
    p, y = over_confident(400, 5)
    grid = np.array([0.05, 0.3, 0.7, 0.95])
    low, high = map_band(p, y, at=grid, resamples=199)
    truth = special.expit(special.logit(grid) / 2.5)
    assert np.all((np.array(low) < truth) & (truth < np.array(high)))
    assert map_band([0.5], [1], at=[0.5]) == ((), ())
    with pytest.raises(ValueError, match="at must hold no missing values"):
        map_band(p, y, at=[None])


def test_default_candidates_grow_with_n() -> None:
    assert default_candidates(199) == ("identity", "platt", "venn_abers")
    assert "beta" in default_candidates(200)
    assert "isotonic" not in default_candidates(999)
    assert "isotonic" in default_candidates(1000)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_calibrator([0.1], [1], method="magic"), "method must be one of"),
        (lambda: calibrator_from_dict({"kind": "magic"}), "kind must be one of"),
        (lambda: fit_platt([0.1], [1], scale="log"), "scale must be 'probability' or 'real'"),
        (lambda: fit_isotonic([0.1], [1], scale="log"), "scale must be 'probability' or 'real'"),
        (lambda: fit_temperature([[1.0]], [0], scale="x"), "scale must be 'probability' or"),
        (lambda: fit_platt([0.1], [1, 0]), "y must be as long as p"),
    ],
)
def test_wrong_arguments_say_what_must_be(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# --- simulation -------------------------------------------------------------------------------


def mean_excess_loss(method: str, n: int, replicates: int) -> float:
    """Mean log loss above that of the true curve ``expit(logit(p)/2.5)``, on 4000 fresh scores.

    The expected loss of a prediction q where the truth is t is the cross entropy of t and q; its
    excess over the entropy of t is the Kullback-Leibler divergence, computed exactly per score.
    """
    grid = special.expit(np.random.default_rng(99).normal(0.3, 3.5, 4000))
    truth = special.expit(special.logit(grid) / 2.5)
    total = 0.0
    for seed in range(replicates):
        p, y = over_confident(n, seed)
        q = np.clip(fit_calibrator(p, y, method=method).predict(grid), 1 / (2 * n), 1 - 1 / (2 * n))
        divergence = truth * np.log(truth / q) + (1 - truth) * np.log((1 - truth) / (1 - q))
        total += float(divergence.mean())
    return total / replicates


def test_platt_beats_the_others_at_60_labels() -> None:
    losses = {m: mean_excess_loss(m, 60, 30) for m in ("identity", "platt", "isotonic")}
    assert losses["platt"] < 0.035  # method page: .018
    assert losses["identity"] > 0.1  # .141
    assert losses["isotonic"] > 2 * losses["platt"]  # .158; less here, where 0 and 1 are clipped


@pytest.mark.slow
def test_ranking_of_calibrators_by_n() -> None:
    small = {m: mean_excess_loss(m, 60, 200) for m in CALIBRATORS}
    large = {m: mean_excess_loss(m, 500, 200) for m in CALIBRATORS}
    assert min(small, key=lambda m: small[m]) == "platt"
    assert min(large, key=lambda m: large[m]) == "platt"
    assert small["venn_abers"] < small["isotonic"]
    assert large["isotonic"] < large["identity"]
