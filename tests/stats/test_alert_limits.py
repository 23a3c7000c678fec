"""Alert limits: golden values, degenerate histories, laws, false alarms and run lengths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.stats.alarm_power import (
    alarm_probability,
    detectable_drop,
    false_alarms_per_year,
    items_for_drop,
)
from voirdire.stats.autocorrelation import (
    ar1_sd_bias,
    ar1_variance_ratio,
    lag1_correlation,
    rank_test_floor,
    successive_sd,
)
from voirdire.stats.count_alarm import count_alarm
from voirdire.stats.drift_charts import cusum_chart, ewma_chart
from voirdire.stats.e_process import betting_process
from voirdire.stats.naive_rule import (
    naive_alarm,
    naive_drop_for,
    naive_false_alarm,
    naive_largest_sd,
)
from voirdire.stats.pooled_rule import pooled_alarm
from voirdire.stats.prediction_limit import (
    fresh_items_sd,
    guaranteed_factor,
    plain_limit_risk,
    prediction_factor,
)
from voirdire.stats.run_length import cusum_arl, ewma_arl, shewhart_arl

# --- golden ---------------------------------------------------------------------------------


def test_h01_naive_false_alarms(golden: dict[str, Any]) -> None:
    case = golden["H01_naive_rule_false_alarm"]  # source: derived; scipy, R
    for one, expected in zip(case["input"]["cases"], case["expected"]["far"], strict=True):
        assert naive_false_alarm(**one) == pytest.approx(expected, abs=case["tolerance"])


def test_h02_inverse(golden: dict[str, Any]) -> None:
    case = golden["H02_relative_drop_for_false_alarm"]  # source: scipy brentq, R uniroot
    expected, tolerance = case["expected"], case["tolerance"]
    for one, drop in zip(case["input"]["cases"], expected["drop"], strict=True):
        assert naive_drop_for(**one) == pytest.approx(drop, abs=tolerance)
    for rule, name in ((0.05, "5pct"), (0.10, "10pct")):
        ours = [naive_largest_sd(rule, mean=0.85, alpha=alpha) for alpha in (0.05, 0.01, 0.001)]
        assert ours == pytest.approx(
            expected[f"max_sd_for_rule_{name}_at_alpha_05_01_001"], abs=tolerance
        )


def test_h03_prediction_factors(golden: dict[str, Any]) -> None:
    case = golden["H03_prediction_limit_factor"]  # source: Hahn & Meeker; scipy, R qt
    for one, factor in zip(case["input"]["cases"], case["expected"]["factor"], strict=True):
        assert prediction_factor(**one) == pytest.approx(factor, abs=case["tolerance"])


def test_h04_guaranteed_limits(golden: dict[str, Any]) -> None:
    case = golden["H04_guaranteed_limit"]  # source: Albers & Kallenberg 2004; scipy, R
    i, expected = case["input"], case["expected"]
    for at, df in enumerate(i["df"]):
        factor = guaranteed_factor(df, k=i["k"], alpha=i["alpha"], confidence=i["confidence"])
        assert factor == pytest.approx(expected["factor"][at], abs=case["tolerance"])
        risk = plain_limit_risk(df, alpha=i["alpha"])
        assert risk == pytest.approx(expected["cond_far_q90"][at], abs=case["tolerance"])


def test_h06_ewma_run_lengths(golden: dict[str, Any]) -> None:
    case = golden["H06_ewma_arl"]  # source: R spc::xewma.arl; Montgomery's table
    for design, expected in case["expected"].items():
        weight, width = (float(part.split("=")[1]) for part in design.split(","))
        for shift, arl in zip(case["input"]["shifts"], expected, strict=True):
            ours = ewma_arl(weight, width, shift=shift, two_sided=True)
            assert ours == pytest.approx(arl, rel=case["tolerance"]["relative"]), (design, shift)


def test_h07_cusum_run_lengths(golden: dict[str, Any]) -> None:
    case = golden["H07_cusum_arl"]  # source: R spc::xcusum.arl; Montgomery's table
    for h in case["input"]["h"]:
        for suffix, two_sided in (("", True), (",one_sided", False)):
            expected = case["expected"][f"h={h}{suffix}"]
            for shift, arl in zip(case["input"]["shifts"], expected, strict=True):
                ours = cusum_arl(case["input"]["k"], h, shift=shift, two_sided=two_sided)
                assert ours == pytest.approx(arl, rel=case["tolerance"]["relative"]), (h, shift)


def test_h08_shewhart_run_lengths(golden: dict[str, Any]) -> None:
    case = golden["H08_shewhart_arl"]  # source: scipy, R
    for limit, expected in zip(case["input"]["L"], case["expected"]["arl"], strict=True):
        ours = [shewhart_arl(limit, shift=shift) for shift in case["input"]["shifts"]]
        assert ours == pytest.approx(expected, abs=case["tolerance"])


def test_h09_autoregression(golden: dict[str, Any]) -> None:
    case = golden["H09_ar1_variance_of_difference"]  # source: numpy, R
    k = case["input"]["k"]
    ratio = [ar1_variance_ratio(rho, k=k) for rho in case["input"]["rho"]]
    assert ratio == pytest.approx(case["expected"]["var_ratio"], abs=case["tolerance"])
    bias = [ar1_sd_bias(rho, k=k) for rho in case["input"]["rho"]]
    assert bias == pytest.approx(case["expected"]["es2"], abs=case["tolerance"])


def test_h10_rank_floor(golden: dict[str, Any]) -> None:
    case = golden["H10_rank_test_floor"]  # source: definition
    ours = [rank_test_floor(k) for k in case["input"]["history"]]
    assert ours == pytest.approx(case["expected"]["min_p"], abs=case["tolerance"])


def test_h11_betting(golden: dict[str, Any]) -> None:
    case = golden["H11_betting_e_process"]  # source: Waudby-Smith & Ramdas; numpy, R
    i, expected = case["input"], case["expected"]
    process = betting_process(i["x"], m0=i["m0"], bet=i["lambda_"])
    assert process.e == pytest.approx(expected["e"], abs=case["tolerance"])
    assert process.threshold == expected["alarm_threshold_alpha_05"]
    assert process.first_alarm is expected["first_alarm"]


def test_h12_ewma_chart(golden: dict[str, Any]) -> None:
    case = golden["H12_ewma_statistic"]  # source: Montgomery; numpy, R
    i, expected = case["input"], case["expected"]
    chart = ewma_chart(i["x"], mu=i["mu"], sigma=i["sigma"], weight=i["lambda_"], width=i["L"])
    assert chart.z == pytest.approx(expected["z"], abs=case["tolerance"])
    assert chart.lower_limit == pytest.approx(expected["lower_limit"], abs=case["tolerance"])
    assert list(chart.alarm) == expected["alarm"]


def test_h13_cusum_chart(golden: dict[str, Any]) -> None:
    case = golden["H13_cusum_statistic"]  # source: scipy, R
    i, expected = case["input"], case["expected"]
    chart = cusum_chart(i["x"], mu=i["mu"], sigma=i["sigma"], k=i["k"], h=i["h"])
    assert chart.c_minus == pytest.approx(expected["c_minus"], abs=case["tolerance"])
    assert list(chart.alarm) == expected["alarm"]


def test_h15_pooled_rule_end_to_end(golden: dict[str, Any]) -> None:
    case = golden["H15_pooled_rule_end_to_end"]  # source: scipy, R
    i = case["input"]
    alarm = pooled_alarm(
        i["calibration_run_means"],
        i["previous"],
        i["latest"],
        alpha_warning=i["alpha_warning"],
        alpha_critical=i["alpha_critical"],
        margin_warning=i["practical_warning_rel"],
        margin_critical=i["practical_critical_rel"],
    )
    assert alarm.state == case["expected"]["state"]
    for name, value in case["expected"].items():
        if name != "state":
            assert getattr(alarm, name) == pytest.approx(value, abs=case["tolerance"]), name


def test_h16_fresh_items(golden: dict[str, Any]) -> None:
    case = golden["H16_fresh_items_limit"]  # source: scipy, R
    i, expected = case["input"], case["expected"]
    sd, df = fresh_items_sd(
        i["sd_run"],
        repeats=i["repeats"],
        var_item=i["var_item"],
        items=i["items_per_evaluation"],
    )
    assert sd == pytest.approx(expected["sd_metric"], abs=case["tolerance"])
    assert df == pytest.approx(expected["df"], abs=1e-7)
    limit = prediction_factor(df, k=i["k"], alpha=i["alpha"]) * sd
    assert limit == pytest.approx(expected["limit"], abs=case["tolerance"])


def test_h17_items_for_a_drop(golden: dict[str, Any]) -> None:
    case = golden["H17_items_needed_for_drop"]  # source: scipy, R
    for one, expected in zip(case["input"]["cases"], case["expected"]["items"], strict=True):
        ours = items_for_drop(
            one["drop"],
            var_residual=one["var_resid"],
            var_run=one["var_run"],
            alpha=one["alpha"],
            power=one["power"],
            k=one["k"],
        )
        assert ours is expected or ours == pytest.approx(expected, abs=case["tolerance"])


# --- the naive rule ---------------------------------------------------------------------------


def test_eight_weekly_scores() -> None:
    scores = [0.88, 0.86, 0.89, 0.87, 0.85, 0.84, 0.82, 0.76]
    alarms = [naive_alarm(scores[:t], scores[t]) for t in range(4, 8)]
    assert [alarm.state for alarm in alarms] == ["ok", "ok", "ok", "critical"]
    assert alarms[-1].base == pytest.approx(0.845)
    assert alarms[-1].relative_drop == pytest.approx(0.101, abs=5e-4)


def test_naive_rule_on_short_and_broken_histories() -> None:
    assert naive_alarm([0.8] * 3, 0.8).undefined == "fewer than 4 earlier evaluations"
    assert naive_alarm([0.8] * 4, float("nan")).undefined == "latest evaluation missing"
    assert naive_alarm([0.0] * 4, 0.8).undefined == "base not above 0"
    gap = naive_alarm([0.8, None, 0.8, "n/a", 0.8, 0.8], 0.79)  # type: ignore[list-item]
    assert gap.base == pytest.approx(0.8)


@given(st.floats(0.01, 0.2), st.floats(0.005, 0.05), st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_naive_functions_invert_each_other(drop: float, sd: float, k: int) -> None:
    alpha = naive_false_alarm(drop, mean=0.85, sd=sd, k=k)
    if 1e-8 < alpha < 0.49:
        assert naive_drop_for(alpha, mean=0.85, sd=sd, k=k) == pytest.approx(drop, rel=1e-6)
        assert naive_largest_sd(drop, mean=0.85, alpha=alpha, k=k) == pytest.approx(sd, rel=1e-6)


# --- the pooled rule: degenerate histories ------------------------------------------------------

CALIBRATION = [0.842, 0.861, 0.853, 0.838, 0.856]


def test_tiny_histories() -> None:
    s = float(np.std(CALIBRATION, ddof=1))
    one = pooled_alarm(CALIBRATION, [0.85], 0.84)
    assert one.df == 4
    assert one.noise_limit_critical == pytest.approx(
        prediction_factor(4, k=1, alpha=0.01) * s
    )  # s sqrt(2)
    none = pooled_alarm(CALIBRATION, [], 0.84)
    assert none.mean_previous == pytest.approx(0.85)
    assert none.noise_limit_critical == pytest.approx(prediction_factor(4, k=5, alpha=0.01) * s)
    assert "no history" in none.notes[-1]
    assert pooled_alarm([], [0.85] * 3, 0.84).undefined == "no noise estimate"
    assert pooled_alarm([0.85], [0.85, 0.84], 0.84).undefined == "no noise estimate"
    alone = pooled_alarm([], [0.85, 0.86, 0.84, 0.85], 0.84)
    assert alone.df == 3
    missing = pooled_alarm(CALIBRATION, [0.85], None)  # type: ignore[arg-type]
    assert missing.undefined == "latest evaluation missing"


def test_gaps_are_gaps_and_only_the_last_k_count() -> None:
    full = pooled_alarm(CALIBRATION, [0.85, 0.86, 0.84, 0.85], 0.80)
    gaps: list[Any] = [0.2, None, 0.85, 0.86, float("nan"), 0.84, "lost", 0.85]
    assert pooled_alarm(CALIBRATION, gaps, 0.80) == full


def test_a_deterministic_judge_has_noise_limit_zero() -> None:
    alarm = pooled_alarm([0.85] * 5, [0.85] * 4, 0.849)
    assert alarm.pooled_sd == 0.0
    assert alarm.state == "ok"  # within the practical margin
    assert alarm.p_value == 0.0  # but a real change
    assert any("noise limit 0" in note for note in alarm.notes)
    bare = pooled_alarm([0.85] * 5, [0.85] * 4, 0.849, margin_warning=0, margin_critical=0)
    assert bare.state == "critical"
    same = pooled_alarm([0.1] * 5, [0.1] * 3, 0.1, margin_warning=0, margin_critical=0)
    assert (same.state, same.p_value) == ("ok", 1.0)


def test_a_noisier_history_stands_alone() -> None:
    quiet = [0.850, 0.851, 0.849, 0.850, 0.850]
    alarm = pooled_alarm(quiet, [0.80, 0.90, 0.82, 0.88], 0.80)
    assert alarm.df == 3
    assert alarm.p_history_noisier is not None
    assert alarm.p_history_noisier < 0.001
    assert "missed a source of variance" in alarm.notes[0]
    zero = pooled_alarm([0.85] * 5, [0.80, 0.90, 0.82, 0.88], 0.80)
    assert zero.df == 3


def test_strict_limits_are_wider_and_fresh_items_too() -> None:
    plain = pooled_alarm(CALIBRATION, [0.85] * 4, 0.80)
    strict = pooled_alarm(CALIBRATION, [0.85] * 4, 0.80, strict=True)
    fresh = pooled_alarm(CALIBRATION, [0.85] * 4, 0.80, var_item=0.09, items=120)
    assert plain.noise_limit_critical is not None
    assert strict.noise_limit_critical is not None
    assert fresh.pooled_sd is not None
    assert plain.pooled_sd is not None
    assert strict.noise_limit_critical > plain.noise_limit_critical
    assert fresh.pooled_sd > plain.pooled_sd
    assert pooled_alarm([0.85] * 5, [0.85] * 4, 0.80, var_item=0.0, items=120).pooled_sd == 0.0


def test_rises_are_bad_for_a_failure_rate() -> None:
    down = pooled_alarm(CALIBRATION, [0.85, 0.86, 0.84, 0.85], 0.80)
    flipped = [1 - v for v in CALIBRATION]
    up = pooled_alarm(flipped, [0.15, 0.14, 0.16, 0.15], 0.20, bad="high")
    assert up.drop == pytest.approx(down.drop)
    assert up.noise_limit_warning == pytest.approx(down.noise_limit_warning)
    assert up.state == "critical"  # the same step is 33 % of the small base


def test_the_arcsine_scale() -> None:
    plain = pooled_alarm(CALIBRATION, [0.85, 0.86, 0.84, 0.85], 0.80)
    arcsine = pooled_alarm(CALIBRATION, [0.85, 0.86, 0.84, 0.85], 0.80, scale="arcsine")
    # far from 0 and 1, and for small steps, the scales agree
    assert arcsine.drop == plain.drop
    assert arcsine.noise_limit_warning == pytest.approx(plain.noise_limit_warning, rel=0.05)
    assert arcsine.p_value == pytest.approx(plain.p_value, rel=0.5)
    mirrored = pooled_alarm(
        [1 - v for v in CALIBRATION],
        [0.15, 0.14, 0.16, 0.15],
        0.20,
        scale="arcsine",
        bad="high",
    )
    assert mirrored.noise_limit_critical == pytest.approx(arcsine.noise_limit_critical)
    assert mirrored.p_value == pytest.approx(arcsine.p_value)
    all_right = pooled_alarm([1.0] * 5, [1.0] * 4, 0.95, var_item=0.0, items=60, scale="arcsine")
    assert all_right.pooled_sd is not None
    assert all_right.pooled_sd > 0  # 60 right answers do not prove that all are
    out = pooled_alarm([85.0, 86.0], [0.85] * 4, 0.8, scale="arcsine")
    assert out.undefined == "scores outside 0..1"


@given(
    st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=7),
    st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=7),
    st.one_of(st.none(), st.floats(0, 1)),
    st.booleans(),
    st.sampled_from(["plain", "arcsine"]),
)
@settings(max_examples=150, deadline=None)
def test_any_history_gives_a_state_or_a_reason(
    calibration: list[Any], previous: list[Any], latest: Any, strict: bool, scale: Any
) -> None:
    alarm = pooled_alarm(calibration, previous, latest, strict=strict, scale=scale)
    assert (alarm.state is None) == bool(alarm.undefined)
    if alarm.state == "critical":
        assert alarm.drop is not None
        assert alarm.critical_drop is not None
        assert alarm.drop > alarm.critical_drop


# --- power --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("df", "alpha"), [(3, 0.05), (7, 0.01), (19, 0.05), (math.inf, 0.01)])
def test_power_at_no_drop_is_the_promise(df: float, alpha: float) -> None:
    assert alarm_probability(0.0, sd=0.02, df=df, alpha=alpha) == pytest.approx(alpha, rel=0.02)


def test_pooling_raises_the_power_at_four_sd() -> None:
    # method page: .53 with 5 repeats alone, .71 with the 4 history points pooled, at 1 percent
    assert alarm_probability(4.0, sd=1.0, df=4, alpha=0.01) == pytest.approx(0.53, abs=0.01)
    assert alarm_probability(4.0, sd=1.0, df=7, alpha=0.01) == pytest.approx(0.71, abs=0.01)


def test_detectable_drop_is_seen_with_that_power() -> None:
    for margin in (0.0, 0.0425):
        drop = detectable_drop(sd=0.02, df=7, margin=margin)
        assert alarm_probability(drop, sd=0.02, df=7, margin=margin) == pytest.approx(0.8)


def test_items_for_drop_is_the_inverse_of_the_known_sd_power() -> None:
    items = items_for_drop(0.0425, var_residual=0.047, var_run=0.0001)
    assert items is not None
    sd = math.sqrt(0.0001 + 0.047 / items)
    assert alarm_probability(0.0425, sd=sd, df=math.inf) == pytest.approx(0.8)


def test_weekly_false_alarms() -> None:
    assert false_alarms_per_year(0.05, per_year=52) == pytest.approx(2.6)


# --- charts -------------------------------------------------------------------------------------


def test_charts_treat_gaps_as_gaps() -> None:
    x: list[Any] = [0.84, 0.86, 0.80]
    gap: list[Any] = [0.84, None, 0.86, "?", 0.80]
    whole = ewma_chart(x, mu=0.85, sigma=0.02)
    broken = ewma_chart(gap, mu=0.85, sigma=0.02)
    assert [v for v in broken.z if v is not None] == list(whole.z)
    assert [v for v in broken.lower_limit if v is not None] == list(whole.lower_limit)
    sums = cusum_chart(gap, mu=0.85, sigma=0.02)
    assert sums.c_minus[1] is None
    assert [v for v in sums.c_minus if v is not None] == list(
        cusum_chart(x, mu=0.85, sigma=0.02).c_minus
    )


def test_a_rise_is_an_alarm_only_when_asked() -> None:
    rise = [0.95] * 6
    assert ewma_chart(rise, mu=0.85, sigma=0.02).first_alarm is None
    assert ewma_chart(rise, mu=0.85, sigma=0.02, two_sided=True).first_alarm == 0


def simulated_arl(chart: str, shift: float, replicates: int, seed: int) -> float:
    """Mean run length of a one-sided chart with fixed limits on N(-shift, 1), by brute force."""
    rng = np.random.default_rng(seed)
    total = 0
    for _ in range(replicates):
        z, t = 0.0, 0
        while True:
            t += 1
            x = float(rng.normal(-shift, 1.0))
            if chart == "ewma":
                z = 0.2 * x + 0.8 * z
                if z < -2.2 * math.sqrt(0.2 / 1.8):
                    break
            else:
                z = max(0.0, z - x - 0.5)
                if z > 2.85:
                    break
        total += t
    return total / replicates


@pytest.mark.parametrize(("chart", "published"), [("ewma", 5.3), ("cusum", 6.2)])
def test_a_lasting_drop_of_one_sd_is_found_in_about_five(chart: str, published: float) -> None:
    exact = ewma_arl(0.2, 2.2, shift=1.0) if chart == "ewma" else cusum_arl(0.5, 2.85, shift=1.0)
    assert simulated_arl(chart, 1.0, 3000, 1) == pytest.approx(exact, rel=0.05)
    # method page, simulated with an estimated baseline and time-varying limits: a little apart
    assert exact == pytest.approx(published, rel=0.25)


def test_the_last_four_rule_forgets_where_the_charts_remember() -> None:
    """84 evaluations on average for a lasting 1-sd drop, because the base sinks with it.

    Known sd, limit at 1 percent: the first four evaluations compare with the old level, all later
    ones with the new one, where the chance is 1 percent again.
    """
    rng = np.random.default_rng(2)
    limit = prediction_factor(math.inf, k=4, alpha=0.01)
    lengths = []
    for _ in range(1500):
        x = np.concatenate([rng.normal(0, 1, 4), rng.normal(-1, 1, 1200)])
        base = np.convolve(x, np.ones(4) / 4, mode="valid")[:-1]
        fired = np.flatnonzero(base - x[4:] > limit)
        lengths.append(int(fired[0]) + 1 if fired.size else 1200)
    mean = float(np.mean(lengths))
    assert mean == pytest.approx(84, rel=0.12)
    assert mean > 10 * ewma_arl(0.2, 2.2, shift=1.0)


# --- autocorrelation, e-process, counts ----------------------------------------------------------


def test_lag1_needs_twenty_and_flags_beyond_three_tenths() -> None:
    assert lag1_correlation([0.8] * 19).undefined == "fewer than 20 evaluations"
    assert lag1_correlation([0.8] * 20).undefined == "no variation"
    rng = np.random.default_rng(2)
    series = [0.0]
    for _ in range(400):
        series.append(0.6 * series[-1] + float(rng.normal()))
    found = lag1_correlation(series)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.6 < found.high
    pairs = np.corrcoef(series[1:], series[:-1])[0, 1]
    assert found.value == pytest.approx(float(pairs), abs=0.005)
    assert "neighbours are not independent" in found.notes[0]
    assert lag1_correlation(rng.normal(size=200).tolist()).notes == ()


def test_successive_sd_forgives_an_old_shift() -> None:
    rng = np.random.default_rng(12)
    x = rng.normal(0.85, 0.02, 400)
    x[:200] += 0.2
    found = successive_sd(x.tolist())
    assert found == pytest.approx(0.02, rel=0.15)
    assert float(x.std(ddof=1)) > 0.09
    assert successive_sd([0.8, None, 0.9]) is None  # type: ignore[list-item]


def test_betting_process_adapts_its_stake_to_a_quiet_metric() -> None:
    rng = np.random.default_rng(3)
    low = rng.normal(0.80, 0.02, 60).clip(0, 1)
    adaptive = betting_process(low.tolist(), m0=0.85)
    fixed = betting_process(low.tolist(), m0=0.85, bet=1.5)
    assert adaptive.first_alarm is not None
    assert fixed.first_alarm is None or adaptive.first_alarm < fixed.first_alarm
    assert betting_process([1.2], m0=0.85).undefined == "values outside 0..1"
    assert betting_process([None, 0.8], m0=0.85, bet=1.0).e[0] is None  # type: ignore[list-item]


def test_betting_process_keeps_its_promise_at_any_time() -> None:
    """Ville: with mean exactly m0 the wealth reaches 20 in at most 5 percent of all series."""
    rng = np.random.default_rng(4)
    fired = sum(
        betting_process((rng.random(120) < 0.85).astype(float).tolist(), m0=0.85).first_alarm
        is not None
        for _ in range(400)
    )
    assert fired / 400 <= 0.05 + 0.02


def test_count_alarm_is_exact_and_never_promises_too_much() -> None:
    """True false-alarm rate at 2 percent failures, all 5 x 100 items drawn binomially."""
    rng = np.random.default_rng(5)
    states = []
    for _ in range(1500):
        x = rng.binomial(100, 0.02, 5)
        states.append(count_alarm(x[:4].tolist(), [100] * 4, int(x[4]), 100).state)
    assert sum(s != "ok" for s in states) / 1500 <= 0.06
    assert sum(s == "critical" for s in states) / 1500 <= 0.016


def test_count_alarm_widens_for_a_restless_history() -> None:
    calm = count_alarm([5, 5, 5, 5], [100] * 4, 14, 100)
    restless = count_alarm([0, 14, 1, 9], [100] * 4, 14, 100)
    assert not calm.overdispersed
    assert restless.overdispersed
    assert restless.p_value is not None
    assert calm.p_value is not None
    assert restless.p_value > calm.p_value


def test_count_alarm_reasons() -> None:
    assert count_alarm([], [], 1, 10).undefined == "no history"
    assert count_alarm([1], [10], 0, 0).undefined == "no items"
    assert count_alarm([1], [10], 11, 10).undefined == "counts missing or impossible"
    assert count_alarm([11], [10], 1, 10).undefined == "counts missing or impossible"
    none_yet = count_alarm([0, 0, 0, 0], [100] * 4, 3, 100)
    assert none_yet.state == "critical"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: naive_false_alarm(0.05, mean=0.85, sd=0), "mean and sd must be > 0"),
        (lambda: naive_alarm([1.0], 1.0, warning=0.2, critical=0.1), "0 < warning <= critical"),
        (lambda: prediction_factor(0, k=4, alpha=0.05), "df must be > 0"),
        (lambda: prediction_factor(4, k=0, alpha=0.05), "k must be >= 1"),
        (lambda: prediction_factor(4, k=4, alpha=0), "alpha must be between 0 and 1"),
        (lambda: fresh_items_sd(0.1, repeats=1, var_item=0, items=9), "repeats and items >= 2"),
        (lambda: pooled_alarm([], [], 1, k=0), "k must be >= 1"),
        (lambda: pooled_alarm([], [], 1, alpha_warning=0.001), "0 < alpha_critical <="),
        (lambda: pooled_alarm([], [], 1, margin_warning=0.3), "0 <= margin_warning <="),
        (lambda: pooled_alarm([], [], 1, items=5), "var_item and items must be given together"),
        (lambda: pooled_alarm([], [], 1, bad="up"), "bad must be 'low' or 'high'"),
        (lambda: pooled_alarm([], [], 1, scale="log"), "scale must be 'plain' or 'arcsine'"),
        (lambda: alarm_probability(0, sd=0, df=3), "sd must be > 0"),
        (lambda: items_for_drop(0, var_residual=1, var_run=0), "drop must be > 0"),
        (lambda: false_alarms_per_year(0.05, per_year=-1), "per_year must be >= 0"),
        (lambda: ewma_chart([1], mu=0, sigma=0), "sigma must be a positive number"),
        (lambda: ewma_chart([1], mu=0, sigma=1, weight=2), "weight must be in"),
        (lambda: cusum_chart([1], mu=0, sigma=1, h=0), "k must be >= 0 and h > 0"),
        (lambda: ewma_arl(0.2, 3, states=300), "states odd"),
        (lambda: cusum_arl(-1, 4), "k must be >= 0"),
        (lambda: shewhart_arl(0), "limit must be > 0"),
        (lambda: ar1_variance_ratio(1.0), "rho must be in"),
        (lambda: lag1_correlation([1], least=2), "least must be >= 3"),
        (lambda: rank_test_floor(-1), "history must be >= 0"),
        (lambda: betting_process([0.5], m0=0.85, bet=9), "bet must be in"),
        (lambda: count_alarm([1], [1, 2], 0, 1), "previous_n must be as long as"),
        (lambda: count_alarm([1], [1], 0, 1, alpha_warning=2), "0 < alpha_critical <="),
    ],
)
def test_wrong_arguments_say_what_must_be(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# --- simulations: false alarms with nothing changed ----------------------------------------------


def item_chances(rng: np.random.Generator, items: int) -> np.ndarray:
    """Logits of the judge's chance to say "supported": 72 % near-certain, 8 % near zero, 20 % not.

    The mixture of the method page's table D (mean about .83).
    """
    kind = rng.random(items)
    logit = np.where(
        kind < 0.72,
        rng.normal(5.0, 1.0, items),
        np.where(kind < 0.80, rng.normal(-4.0, 1.0, items), rng.normal(0.5, 1.0, items)),
    )
    return np.asarray(logit, dtype=np.float64)


def evaluate(rng: np.random.Generator, logit: np.ndarray, runs: int) -> np.ndarray:
    """Means of `runs` evaluations of these items; each run has an effect on the logit (sd .25)."""
    shifted = logit + rng.normal(0, 0.25, (runs, 1))
    return np.asarray((rng.random((runs, len(logit))) < 1 / (1 + np.exp(-shifted))).mean(axis=1))


def false_alarms(
    replicates: int, *, items: int, fresh: bool, seed: int
) -> tuple[float, float, float]:
    """Shares of evaluations with a warning or critical, a critical, and a naive 5 % alarm.

    Nothing changes: calibration (5 repeats), history (4) and the newest evaluation come from the
    same generator, so every alarm is a false one by construction. Noise limits alone (margins 0).
    With fresh items the history and the newest are on newly drawn items, and the limit is told the
    between-item variance, estimated from the calibration set.
    """
    rng = np.random.default_rng(seed)
    warning = critical = naive = 0
    for _ in range(replicates):
        logit = item_chances(rng, items)
        extra: dict[str, Any] = {}
        if fresh:
            chance = 1 / (1 + np.exp(-logit))
            last = np.array([evaluate(rng, item_chances(rng, items), 1)[0] for _ in range(5)])
            extra = {"var_item": float(chance.var(ddof=1)), "items": items}
        else:
            last = evaluate(rng, logit, 5)
        calibration = evaluate(rng, logit, 5)
        alarm = pooled_alarm(
            calibration.tolist(),
            last[:4].tolist(),
            float(last[4]),
            margin_warning=0.0,
            margin_critical=0.0,
            **extra,
        )
        warning += alarm.state in ("warning", "critical")
        critical += alarm.state == "critical"
        naive += naive_alarm(last[:4].tolist(), float(last[4])).state != "ok"
    return warning / replicates, critical / replicates, naive / replicates


def deterministic_on_fresh_items(
    scale: Any, rate: float, replicates: int, seed: int
) -> tuple[float, float]:
    """Shares of any alarm and of critical ones for a judge without noise on 60 fresh 0/1 items.

    Nothing changes: every item is positive with chance `rate`, so all alarms are false.
    """
    rng = np.random.default_rng(seed)
    states = []
    for _ in range(replicates):
        verdicts = (rng.random(60) < rate).astype(float)
        last = rng.binomial(60, rate, 5) / 60
        alarm = pooled_alarm(
            [float(verdicts.mean())] * 5,
            last[:4].tolist(),
            float(last[4]),
            margin_warning=0.0,
            margin_critical=0.0,
            var_item=float(verdicts.var(ddof=1)),
            items=60,
            scale=scale,
        )
        states.append(alarm.state)
    critical = states.count("critical")
    return (states.count("warning") + critical) / replicates, critical / replicates


def test_the_arcsine_scale_keeps_the_promise_near_one() -> None:
    # plain at .9: .058 / .019, arcsine .044 / .008
    warning, critical = deterministic_on_fresh_items("arcsine", 0.9, 2000, 7)
    assert warning <= 0.065
    assert critical <= 0.016


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.5, 0.83, 0.9, 0.97])
def test_the_arcsine_scale_keeps_the_promise_near_one_long(rate: float) -> None:
    warning, critical = deterministic_on_fresh_items("arcsine", rate, 20_000, 8)
    assert warning <= 0.08
    assert critical <= 0.016
    assert critical < deterministic_on_fresh_items("plain", rate, 20_000, 8)[1] + 0.001


def test_false_alarms_on_60_fixed_items() -> None:
    # method page: .056 / .013 for the noise limits alone, naive 5 percent rule .101
    warning, critical, naive = false_alarms(1500, items=60, fresh=False, seed=1)
    assert warning <= 0.08  # at most 1.6 times nominal
    assert critical <= 0.02
    assert naive > warning


def test_false_alarms_on_60_fresh_items() -> None:
    # method page: .059 / .016, naive .208
    warning, critical, naive = false_alarms(1000, items=60, fresh=True, seed=2)
    assert warning <= 0.08
    assert critical <= 0.022
    assert naive > 0.12


@pytest.mark.slow
@pytest.mark.parametrize(("items", "fresh"), [(60, False), (200, False), (60, True), (200, True)])
def test_false_alarms_long(items: int, fresh: bool) -> None:
    warning, critical, _ = false_alarms(10_000, items=items, fresh=fresh, seed=3)
    assert 0.03 <= warning <= 0.08
    assert critical <= 0.016 + 0.003


@pytest.mark.slow
def test_strict_limits_keep_their_promise_in_nine_of_ten_calibrations() -> None:
    """The false-alarm rate given s is ``Phi-bar(factor s / (sigma c))``, ``c^2 = 1 + 1/k``."""
    rng = np.random.default_rng(6)
    s = np.sqrt(rng.chisquare(7, 20_000) / 7)
    from scipy import stats

    scale = math.sqrt(1.25)
    strict = stats.norm.sf(guaranteed_factor(7, k=4, alpha=0.01) * s / scale)
    plain = stats.norm.sf(prediction_factor(7, k=4, alpha=0.01) * s / scale)
    assert (strict <= 0.01).mean() == pytest.approx(0.9, abs=0.01)
    assert (plain <= 0.01).mean() < 0.8
    assert plain.mean() == pytest.approx(0.01, rel=0.05)
