"""Repeated runs: components, intraclass correlations, gauge study, flips, sd intervals."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.stats.flips import flip_rates
from voirdire.stats.gauge import gauge_study
from voirdire.stats.icc import intraclass_correlations
from voirdire.stats.metric_sd import binary_metric_sd, metric_sd, session_effect
from voirdire.stats.registry import estimates_in
from voirdire.stats.reml import reml
from voirdire.stats.run_components import DETERMINISTIC, run_components
from voirdire.stats.sd_intervals import (
    repeats_for_sd_precision,
    sd_bounds,
    sd_factors,
    sd_upper_factor,
)

ICC_NAMES = {
    "ICC1": "icc1",
    "ICC2": "icc2",
    "ICC3": "icc3",
    "ICC1k": "icc1k",
    "ICC2k": "icc2k",
    "ICC3k": "icc3k",
}


@pytest.fixture(scope="session")
def common(shared: Path) -> pd.DataFrame:
    return pd.read_csv(shared / "peers" / "common_set.csv")


def run_columns(frame: pd.DataFrame, stem: str) -> np.ndarray:
    return frame[[f"{stem}_r{run}" for run in range(1, 6)]].to_numpy()


# --- golden ---------------------------------------------------------------------------------


def test_g01_gauge_study(golden: dict[str, Any]) -> None:
    case = golden["G01_aiag_gauge_rr_anova"]  # source: AIAG MSA 4th ed., numpy, R anova(lm)
    study = gauge_study(case["input"]["operators_trials_parts"])
    assert study.pooled  # interaction p = .97
    for name, value in case["expected"].items():
        if name in ("f_interaction", "p_interaction"):
            continue
        assert getattr(study, name) == pytest.approx(value, abs=case["tolerance"]), name
    test = study.interaction
    assert test.statistic == pytest.approx(case["expected"]["f_interaction"], abs=1e-6)
    assert test.p_value == pytest.approx(case["expected"]["p_interaction"], abs=1e-6)


def test_g03_components(golden: dict[str, Any]) -> None:
    case = golden["G03_item_by_run_components"]  # source: numpy, R anova + lme4 REML + irr::icc
    table = case["input"]["scores_items_by_runs"]
    result = run_components(table)
    icc = intraclass_correlations(table)
    ours = {
        "ms_item": result.ms_item,
        "ms_run": result.ms_run,
        "ms_resid": result.ms_residual,
        "var_item": result.var_item,
        "var_run": result.var_run,
        "var_resid": result.var_residual,
        "f_run": result.run_effect.statistic,
        "p_run": result.run_effect.p_value,
        "sd_run_means": result.sd_run_means.value,
        "sd_from_components": result.sd_from_components,
        "sd_if_no_run_effect": result.sd_if_no_run_effect,
        # the case pools runs within the item: what ISO 5725 calls reproducibility here
        "repeatability_sd_within_item": result.reproducibility_sd.value,
        "repeatability_limit_2_8": result.reproducibility_limit,
        "icc_agreement_single": icc.icc2.value,
    }
    expected = case["expected"]
    assert result.run_means == pytest.approx(expected["run_means"], abs=case["tolerance"])
    interval = (result.sd_run_means.low, result.sd_run_means.high)
    assert interval == pytest.approx(expected["sd_run_means_ci95"], abs=case["tolerance"])
    for name, value in ours.items():
        assert value == pytest.approx(expected[name], abs=case["tolerance"]), name
    assert result.repeatability_sd.value == pytest.approx(math.sqrt(expected["var_resid"]))


def test_g04_intraclass_correlations(golden: dict[str, Any]) -> None:
    case = golden["G04_icc_shrout_fleiss"]  # source: Shrout & Fleiss 1979, pingouin, R psych::ICC
    icc = intraclass_correlations(case["input"]["scores_targets_by_judges"])
    for name, value in zip(case["expected"]["names"], case["expected"]["icc"], strict=True):
        ours = getattr(icc, ICC_NAMES[name]).value
        assert ours == pytest.approx(value, abs=case["tolerance"]), name
    for published, name in zip(case["published"]["icc"], ICC_NAMES.values(), strict=True):
        assert round(getattr(icc, name).value, 2) == published


def test_g05_sd_factors(golden: dict[str, Any]) -> None:
    case = golden["G05_sd_confidence_factors"]  # source: scipy, R qchisq
    for at, repeats in enumerate(case["input"]["repeats"]):
        low, high = sd_factors(repeats, level=case["input"]["level"])
        expected, tolerance = case["expected"], case["tolerance"]
        assert low == pytest.approx(expected["lower"][at], abs=tolerance)
        assert high == pytest.approx(expected["upper"][at], abs=tolerance)
        upper = sd_upper_factor(repeats, level=0.90)
        assert upper == pytest.approx(expected["upper_one_sided_90"][at], abs=tolerance)


def test_g06_flip_rates(golden: dict[str, Any]) -> None:
    case = golden["G06_flip_rate"]  # source: scipy, R irr::kappam.fleiss
    rates = flip_rates(case["input"]["verdicts_items_by_runs"])
    ours = {
        "pairwise_disagreement": rates.pairwise_disagreement.value,
        "share_items_that_ever_flip": rates.ever_flip.value,
        "mean_minority_share": rates.minority_share.value,
        "fleiss_kappa_over_runs": rates.kappa.value,
    }
    assert ours == pytest.approx(case["expected"], abs=case["tolerance"])


def test_g07_binary_metric_sd(golden: dict[str, Any]) -> None:
    case = golden["G07_binary_judge_metric_sd"]  # source: scipy, R
    chances = case["input"]["p_supported_per_item"]
    result, expected = binary_metric_sd(chances), case["expected"]
    assert result.mean == pytest.approx(expected["mean"], abs=case["tolerance"])
    assert result.fixed_items == pytest.approx(
        expected["sd_metric_fixed_items"], abs=case["tolerance"]
    )
    assert result.fresh_items == pytest.approx(
        expected["sd_metric_fresh_items"], abs=case["tolerance"]
    )


def test_g08_repeats_for_precision(golden: dict[str, Any]) -> None:
    case = golden["G08_repeats_for_sd_precision"]  # source: scipy, R
    ours = repeats_for_sd_precision(
        case["input"]["relative_precision"], confidence=case["input"]["confidence"]
    )
    assert ours == pytest.approx(case["expected"]["n_repeats"], abs=case["tolerance"])


def test_g09_degenerate(golden: dict[str, Any]) -> None:
    case = golden["G09_degenerate_variance"]  # source: rules of the method page
    sd, reason = case["expected"]["sd_run_means"], case["expected"]["reason"]
    identical = run_components([[0.3] * 4, [0.8] * 4])
    assert identical.sd_run_means.value == sd[0]
    assert identical.sd_run_means.notes == (reason[0],) == (DETERMINISTIC,)
    assert identical.run_effect.undefined == DETERMINISTIC
    one_run = run_components([[0.3], [0.8]])
    assert one_run.sd_run_means.value is sd[1]
    assert one_run.undefined == reason[1]
    one_item = run_components([[0.4, 0.4, 0.4]])
    assert one_item.sd_run_means.value == sd[2]
    assert one_item.undefined == "fewer than 2 items"  # of the components only
    empty_run = run_components([[0.3, None], [0.8, None]])
    assert empty_run.sd_run_means.value is sd[3]
    assert empty_run.runs_dropped == 1
    assert "excluded" in empty_run.notes[0]
    assert reason[3] == "run excluded, count reported"
    two_left = run_components([[0.3, 0.4, None], [0.8, 0.7, None]])
    assert two_left.sd_run_means.defined
    assert two_left.runs == 2


# --- other tools on the common set ------------------------------------------------------------


def test_common_set_flips(common: pd.DataFrame) -> None:
    rates = flip_rates(run_columns(common, "judge"), family=common["base_id"])
    assert rates.ever_flip.value == pytest.approx(0.286667, abs=5e-7)  # noisefloor, mistrial
    assert rates.pairwise_disagreement.value == pytest.approx(0.139667, abs=5e-7)
    assert rates.kappa.value == pytest.approx(0.7801475897, abs=5e-11)  # judgecal
    assert rates.ever_flip.families == 100
    assert len(rates.unstable) == rates.ever_flip.k == 86
    binary = flip_rates(run_columns(common, "judge_bin"))
    assert binary.ever_flip.value == pytest.approx(0.23)  # grader-variance


def test_common_set_components(common: pd.DataFrame) -> None:
    """noisefloor and grader-variance use one way (item, rest): their "run" is all within items."""
    for stem, item, within, correlation in (
        ("p_sup", 0.148395, 0.015223, 0.906960),
        ("judge_bin", 0.195173, 0.055, 0.780153),
    ):
        table = run_columns(common, stem).astype(float)
        icc = intraclass_correlations(table)
        assert icc.icc1.value == pytest.approx(correlation, abs=5e-7)
        one_way = float(table.var(axis=1, ddof=1).mean())
        assert one_way == pytest.approx(within, abs=5e-7)
        result = run_components(table)
        # one-way and two-way differ by the (here tiny) run component
        assert result.var_item == pytest.approx(item, abs=1e-5)
        assert result.var_run is not None
        assert result.var_residual is not None
        assert result.var_run + result.var_residual == pytest.approx(within, abs=5e-5)
    icc = intraclass_correlations(run_columns(common, "judge_bin"))
    assert icc.icc2.value == pytest.approx(0.780155, abs=5e-7)  # metajudge
    assert (icc.icc2.low, icc.icc2.high) == pytest.approx((0.7467, 0.8116), abs=6e-5)
    assert icc.icc2k.value == pytest.approx(0.946648, abs=5e-7)


# --- REML against ANOVA and statsmodels ---------------------------------------------------------


def simulated(items: int, runs: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    item, run = rng.normal(0, 0.3, (items, 1)), rng.normal(0, 0.05, (1, runs))
    return np.asarray(0.7 + item + run + rng.normal(0, 0.1, (items, runs)))


def test_reml_on_complete_data_is_anova() -> None:
    """With all components positive, REML and ANOVA coincide on balanced data."""
    table = simulated(30, 6, 1)
    anova, fit = run_components(table), reml(table)
    assert fit.item == pytest.approx(anova.var_item, rel=1e-4)
    assert fit.run == pytest.approx(anova.var_run, rel=1e-4)
    assert fit.residual == pytest.approx(anova.var_residual, rel=1e-4)
    assert fit.mean == pytest.approx(float(table.mean()))


@pytest.mark.filterwarnings("ignore")
def test_reml_with_missing_cells_agrees_with_statsmodels() -> None:
    smf = pytest.importorskip("statsmodels.formula.api")
    table = simulated(25, 6, 4)
    table[np.random.default_rng(0).random(table.shape) < 0.15] = np.nan
    rows, columns = np.nonzero(~np.isnan(table))
    frame = pd.DataFrame({"y": table[rows, columns], "item": rows, "run": columns, "all": 1})
    model = smf.mixedlm(
        "y ~ 1", frame, groups="all", vc_formula={"item": "0+C(item)", "run": "0+C(run)"}
    ).fit(reml=True)
    oracle = dict(zip(model.model.exog_vc.names, model.vcomp, strict=True))
    result = run_components(table)
    assert result.method == "REML"
    assert result.var_item == pytest.approx(oracle["item"], rel=0.01)
    assert result.var_run == pytest.approx(oracle["run"], rel=0.03)
    assert result.var_residual == pytest.approx(model.scale, rel=0.01)


def test_complete_items_are_the_other_way_with_missing_cells() -> None:
    table = simulated(20, 4, 5)
    table[3, 1] = table[7, 2] = np.nan
    result = run_components(table, missing="complete")
    assert (result.items, result.items_dropped, result.method) == (18, 2, "two-way ANOVA")
    whole = run_components(np.delete(table, [3, 7], axis=0))
    assert result.var_residual == whole.var_residual


def test_run_means_do_not_reward_a_run_that_missed_the_hard_items() -> None:
    table = np.array([[0.9, 0.9, 0.9], [0.8, 0.8, 0.8], [0.1, 0.1, np.nan]])
    result = run_components(table)
    assert max(result.run_means) - min(result.run_means) == pytest.approx(0.0, abs=1e-12)


# --- laws -------------------------------------------------------------------------------------

cells = st.one_of(st.none(), st.floats(0, 1), st.just("?"))


@given(
    st.integers(1, 5).flatmap(
        lambda r: st.lists(st.lists(cells, min_size=r, max_size=r), max_size=7)
    )
)
@settings(max_examples=60, deadline=None)
def test_any_table_gives_numbers_or_reasons(table: list[list[Any]]) -> None:
    for how in ("reml", "complete"):
        result = run_components(table, missing=how)
        assert result.undefined or result.sd_from_components is not None
    assert estimates_in(intraclass_correlations(table))


@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.sampled_from("scu")), min_size=3, max_size=3),
        max_size=12,
    )
)
@settings(max_examples=80, deadline=None)
def test_flip_laws(table: list[list[Any]]) -> None:
    rates = flip_rates(table, labels=["s", "c", "u"])
    pair, ever, minority = (
        e.value for e in (rates.pairwise_disagreement, rates.ever_flip, rates.minority_share)
    )
    if pair is None or ever is None or minority is None:
        return
    assert minority <= pair + 1e-12 <= ever + 2e-12
    assert len(rates.unstable) == rates.ever_flip.k


@given(st.integers(2, 6), st.integers(2, 5), st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_variance_of_run_means_is_the_variance_of_the_metric(
    items: int, runs: int, seed: int
) -> None:
    """(sd of run means)^2 = var_run + var_residual/I, exactly, unless var_run was cut at 0."""
    table = np.random.default_rng(seed).random((items, runs))
    result = run_components(table)
    assert result.var_run_raw is not None
    assert result.sd_run_means.value is not None
    assert result.sd_run_means.value == pytest.approx(float(table.mean(axis=0).std(ddof=1)))
    if result.var_run_raw >= 0:
        assert result.sd_from_components == pytest.approx(result.sd_run_means.value)
    else:
        assert any("negative" in note for note in result.notes)


def test_a_judge_that_never_flips_gets_the_zero_error_bound() -> None:
    rates = flip_rates([["s"] * 3] * 20)
    assert rates.ever_flip.value == 0.0
    assert rates.ever_flip.high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert rates.kappa.undefined == "one label only"
    assert rates.unstable == ()


def test_reasons() -> None:
    assert flip_rates([]).ever_flip.undefined == "no items"
    assert flip_rates([["s"], ["c"]]).ever_flip.undefined == "fewer than 2 runs"
    assert flip_rates([["s", None], [None, None]]).ever_flip.undefined == "no item judged twice"
    assert flip_rates([["s", "s", None]]).ever_flip.no_interval == "fewer than 2 families"
    assert run_components([]).undefined == "no items"
    assert intraclass_correlations([[1, 1], [1, 1]]).icc2.undefined == "no variation"
    assert intraclass_correlations([[1, 2], [3, 4]]).icc3.value == pytest.approx(1.0)
    assert intraclass_correlations([[0, 0], [1, 1]]).icc1.no_interval == "no residual variation"
    assert gauge_study([]).undefined == "fewer than 2 operators, trials or parts"
    assert gauge_study([[[1, None], [1, 2]], [[1, 2], [1, 2]]]).undefined == "missing cells"
    assert gauge_study([[[1, 1], [1, 1]], [[1, 1], [1, 1]]]).undefined == "no variation"
    same = gauge_study([[[1, 2], [1, 2]], [[1, 2], [1, 2]]])
    assert same.grr == 0.0
    assert same.ndc is None


def test_binary_scores_have_no_repeatability_limit() -> None:
    result = run_components([[1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0]])
    assert result.repeatability_limit is None
    assert result.var_residual is not None


def test_session_effect_finds_what_five_in_a_row_hide() -> None:
    apart = session_effect([0.80, 0.81, 0.86, 0.85, 0.83, 0.82], list("aabbcc"))
    assert apart.p_value is not None
    assert apart.p_value < 0.05
    assert session_effect([0.8, 0.9], ["a", "a"]).undefined == "fewer than 2 sessions"
    assert session_effect([0.8, 0.9], ["a", "b"]).undefined == "one run in every session"
    deterministic = session_effect([0.8, 0.8, 0.9, 0.9], list("aabb"))
    assert deterministic.undefined == "deterministic within sessions"


def test_more_calls_never_remove_the_run_effect() -> None:
    arguments = {"var_item": 0.1, "var_run": 0.0004, "var_residual": 0.05}
    many = metric_sd(**arguments, items=10_000, calls=100)
    assert many == pytest.approx(math.sqrt(0.0004), rel=1e-3)
    fixed = metric_sd(**arguments, items=60)
    fresh = metric_sd(**arguments, items=60, fresh=True)
    assert fresh**2 - fixed**2 == pytest.approx(0.1 / 60)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: run_components([[1, 2], [1]]), "scores must be a table of equally long rows"),
        (lambda: run_components([[1, 2]], missing="drop"), "missing must be 'reml' or 'complete'"),
        (lambda: flip_rates([["s"], ["s", "c"]]), "verdicts must be a table of equally long"),
        (lambda: flip_rates([["s", "x"]], labels=["s"]), "verdicts must hold labels of the scheme"),
        (lambda: sd_factors(1), "repeats must be >= 2, got 1"),
        (lambda: sd_bounds(-1, df=3), "sd must be >= 0 and df > 0"),
        (lambda: repeats_for_sd_precision(1.5), "relative must be between 0 and 1"),
        (lambda: binary_metric_sd([0.5, None]), "chances must be numbers in 0..1"),
        (
            lambda: metric_sd(var_item=-1, var_run=0, var_residual=0, items=1),
            "components must be >= 0",
        ),
        (lambda: session_effect([0.1], ["a", "b"]), "sessions must be as long as run_means"),
        (lambda: gauge_study([[[1, 2]], [[1]]]), "values must have equally shaped operators"),
    ],
)
def test_wrong_arguments_say_what_must_be(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# --- simulation -------------------------------------------------------------------------------


def sd_coverage(replicates: int, seed: int) -> float:
    """Coverage of the interval of the sd of run means, 40 items x 5 runs.

    Truth by construction: run sd .03, residual sd .2, so the metric on the fixed set has variance
    ``.03^2 + .2^2 / 40 = .0019``, standard deviation .04359.
    """
    rng = np.random.default_rng(seed)
    hit = 0
    for _ in range(replicates):
        item, run = rng.normal(0, 0.3, (40, 1)), rng.normal(0, 0.03, (1, 5))
        sd = run_components(item + run + rng.normal(0, 0.2, (40, 5))).sd_run_means
        assert sd.low is not None
        assert sd.high is not None
        hit += sd.low <= math.sqrt(0.0019) <= sd.high
    return hit / replicates


def test_sd_of_run_means_is_covered() -> None:
    assert 0.92 <= sd_coverage(500, 1) <= 0.98


@pytest.mark.slow
def test_sd_of_run_means_is_covered_long() -> None:
    assert 0.944 <= sd_coverage(10_000, 2) <= 0.956
