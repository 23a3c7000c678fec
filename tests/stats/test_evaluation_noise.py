"""Noise of an evaluation by sessions, the alarm on it, and drift against an estimated centre."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.stats import (
    drift_chart,
    evaluation_alarm,
    fresh_items_noise,
    pooled_alarm,
    session_noise,
    successive_noise,
)

SCORES = st.floats(0.5, 1.0).map(lambda x: round(x, 4))


def test_h15_by_sd_and_degrees(golden: dict[str, Any]) -> None:
    """golden H15: the pooled rule end to end (scipy, R), one repeat a session."""
    case = golden["H15_pooled_rule_end_to_end"]
    given_, wanted = case["input"], case["expected"]
    noise = session_noise(given_["calibration_run_means"], range(5))
    alarm = evaluation_alarm(noise.sd, noise.df, given_["previous"], given_["latest"])
    assert alarm.state == wanted["state"]
    for name in ("pooled_sd", "df", "drop", "relative_drop", "noise_limit_warning",
                 "noise_limit_critical", "warning_drop", "critical_drop", "p_value",
                 "f_history_vs_calibration", "p_history_noisier"):  # fmt: skip
        assert getattr(alarm, name) == pytest.approx(wanted[name], abs=case["tolerance"]), name


def test_h16_fresh_items(golden: dict[str, Any]) -> None:
    """golden H16: between-item variance and Satterthwaite degrees of freedom."""
    case = golden["H16_fresh_items_limit"]
    one, wanted = case["input"], case["expected"]
    sd, df = fresh_items_noise(
        one["sd_run"], one["repeats"] - 1, var_item=one["var_item"],
        items=one["items_per_evaluation"],
    )  # fmt: skip
    assert sd == pytest.approx(wanted["sd_metric"], abs=case["tolerance"])
    assert df == pytest.approx(wanted["df"], rel=1e-8)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(SCORES, min_size=2, max_size=8),
    st.lists(SCORES, min_size=0, max_size=8),
    SCORES,
    st.booleans(),
    st.sampled_from(["low", "high"]),
)
def test_one_repeat_a_session_is_the_pooled_rule(
    runs: list[float], history: list[float], latest: float, strict: bool, bad: Any
) -> None:
    noise = session_noise(runs, range(len(runs)))
    mine = evaluation_alarm(
        noise.sd, noise.df, history, latest, centre=float(np.mean(runs)), centre_n=len(runs),
        strict=strict, bad=bad,
    )  # fmt: skip
    theirs = pooled_alarm(runs, history, latest, strict=strict, bad=bad)
    if noise.sd == 0:  # theirs gives a known sd R - 1 degrees, here it has none to give
        return
    assert mine.state == theirs.state
    for name in ("mean_previous", "pooled_sd", "df", "warning_drop", "critical_drop", "p_value"):
        assert getattr(mine, name) == pytest.approx(getattr(theirs, name), rel=1e-6, abs=1e-9)


def test_one_session_cannot_tell_days() -> None:
    noise = session_noise([0.80, 0.82, 0.81], ["mon"] * 3)
    assert noise.sd is None
    assert noise.undefined == "one session: the variance between sessions is not known"
    assert noise.within_sd == pytest.approx(0.01)
    assert session_noise([0.8], ["mon"]).undefined == "fewer than 2 runs"
    assert session_noise([], []).undefined == "fewer than 2 runs"


def test_equal_repeats_have_exactly_no_noise() -> None:
    for sessions in (["mon"] * 3, ["mon", "tue", "wed"]):
        noise = session_noise([0.1 + 0.2] * 3, sessions)
        assert (noise.sd, noise.df, noise.undefined) == (0.0, None, None)


def test_days_count_whole_however_many_repeats_they_hold() -> None:
    rng = np.random.default_rng(3)
    few, many = [], []
    for _ in range(3000):
        day = rng.normal(0, 0.03, 4)
        repeats = (day[:, None] + rng.normal(0, 0.01, (4, 5))).ravel()
        noise = session_noise(repeats, np.repeat(range(4), 5))
        assert noise.sd is not None
        many.append(noise.sd**2)
        few.append(repeats.var(ddof=1))
    truth = 0.03**2 + 0.01**2
    assert np.mean(many) == pytest.approx(truth, rel=0.05)
    assert np.mean(few) < 0.9 * truth  # what pooling repeats of a day together would claim


def test_call_noise_is_the_least() -> None:
    lucky = session_noise([0.75, 0.7501, 0.75], range(3), least=0.03)
    assert lucky.sd == 0.03
    assert lucky.df == 12
    assert session_noise([0.70, 0.80, 0.75], range(3), least=0.03).df == 2


def test_successive_differences_pass_over_an_old_shift() -> None:
    rng = np.random.default_rng(1)
    scores = np.concatenate([rng.normal(0.9, 0.01, 6), rng.normal(0.8, 0.01, 6)])
    found = successive_noise(scores)
    assert found is not None
    assert found[0] < 0.5 * scores.std(ddof=1)
    assert found[1] == pytest.approx(2 * 121 / 32)
    assert successive_noise([0.8, 0.9]) is None


def test_the_history_alone_needs_four() -> None:
    assert evaluation_alarm(None, None, [0.8] * 3, 0.5).undefined == "no noise estimate"
    alarm = evaluation_alarm(None, None, [0.80, 0.82, 0.81, 0.80], 0.5)
    assert (alarm.state, alarm.df) == ("critical", 3.0)
    longer = evaluation_alarm(None, None, [0.80, 0.82, 0.81, 0.80] * 3, 0.8)
    assert longer.df is not None
    assert longer.df > 7


def test_gaps_and_missing() -> None:
    nan = math.nan
    gapped = evaluation_alarm(0.01, 4, [0.8, nan, 0.82, 0.81, nan, 0.8], 0.8)
    assert gapped.k == 4
    assert evaluation_alarm(0.01, 4, [0.8], nan).undefined == "latest evaluation missing"
    assert evaluation_alarm(0.01, 4, [], 0.8).undefined == "nothing to compare with"
    assert evaluation_alarm(0.01, 4, [], 0.8, centre=0.8, centre_n=5).state == "ok"


def test_an_event_in_the_history_does_not_widen_the_next_limit() -> None:
    history = [0.80, 0.81, 0.80, 0.79, 0.60]
    blind = evaluation_alarm(0.01, 4, history, 0.61)
    seeing = evaluation_alarm(0.01, 4, history, 0.61, steady=history[:-1])
    assert blind.state == "ok"
    assert seeing.state == "critical"
    assert blind.mean_previous == seeing.mean_previous


def test_drift_with_a_known_centre_is_the_textbook_chart(golden: dict[str, Any]) -> None:
    """golden H12 (Montgomery), its width as a rate; the centre known for sure."""
    case = golden["H12_ewma_statistic"]
    one, wanted = case["input"], case["expected"]
    rate = 0.5 * math.erfc(one["L"] / math.sqrt(2))
    chart = drift_chart(
        one["x"], centre=one["mu"], centre_n=10**12, sd=one["sigma"], df=None,
        weight=one["lambda_"], rate=rate,
    )  # fmt: skip
    assert chart.average == pytest.approx(wanted["z"], abs=1e-9)
    assert chart.limit == pytest.approx(wanted["lower_limit"], abs=1e-6)
    assert list(chart.drifted) == wanted["alarm"]


def test_drift_keeps_its_rate_though_the_centre_is_estimated() -> None:
    rng = np.random.default_rng(5)
    fired, textbook = 0, 0
    for _ in range(6000):
        runs, scores = rng.normal(0, 1, 5), rng.normal(0, 1, 15)
        sd, centre = runs.std(ddof=1), runs.mean()
        about: dict[str, Any] = {"centre": centre, "sd": sd}
        fired += drift_chart(scores, **about, centre_n=5, df=4, rate=0.05).drifted[-1]
        textbook += drift_chart(scores, **about, centre_n=10**9, df=None, rate=0.05).drifted[-1]
    assert fired / 6000 == pytest.approx(0.05, abs=0.012)
    assert textbook / 6000 > 0.15


def test_a_lasting_drop_of_one_sd_is_found_in_about_five() -> None:
    """The last-four rule takes 84 evaluations (method page, D2), the average against a frozen
    centre 5.3 by its asymptotic limits; exact limits are a little faster."""
    rng = np.random.default_rng(2)
    found, forgetting = [], []
    for _ in range(400):
        scores = rng.normal(-1, 1, 400)
        chart = drift_chart(scores, centre=0.0, centre_n=10**9, sd=1.0, df=None)
        found.append(chart.drifted.index(True) + 1)
        shifted = np.concatenate([rng.normal(0, 1, 4), scores])
        base = np.convolve(shifted, np.ones(4) / 4)[3:-4]
        hit = np.flatnonzero(base - shifted[4:] > 2.326 * math.sqrt(1.25))
        forgetting.append(hit[0] + 1 if len(hit) else 400)
    assert 3.5 < np.mean(found) < 6.5
    assert np.mean(forgetting) > 50


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: session_noise([1, 2], ["a"]), "sessions must be as long as values"),
        (lambda: session_noise([1, 2], ["a", "b"], least=-1), "least must be >= 0"),
        (lambda: fresh_items_noise(-1, 4, var_item=0, items=10), "must be >= 0"),
        (lambda: fresh_items_noise(1, 4, var_item=0, items=1), "items >= 2"),
        (lambda: evaluation_alarm(0.1, 4, [1], 1, k=0), "k must be >= 1"),
        (lambda: evaluation_alarm(0.1, 4, [1], 1, alpha_warning=0.001), "alpha_critical"),
        (lambda: evaluation_alarm(0.1, 4, [1], 1, margin_warning=0.5), "margin_warning"),
        (lambda: evaluation_alarm(0.1, 4, [1], 1, bad="up"), "bad must be"),  # type: ignore[arg-type]
        (lambda: drift_chart([1], centre=1, centre_n=0, sd=1, df=None), "centre_n must be >= 1"),
        (lambda: drift_chart([1], centre=1, centre_n=1, sd=0, df=None), "sigma must be"),
        (lambda: drift_chart([1], centre=1, centre_n=1, sd=1, df=None, bad="x"), "bad must be"),  # type: ignore[arg-type]
    ],
)
def test_wrong_arguments_say_what_must_be(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
