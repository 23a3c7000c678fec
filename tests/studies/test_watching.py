"""A history against its policy: states, reasons, gaps, and whose judge it is."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.studies import repeating as made
from voirdire.errors import NotEnoughEvidence, SealBroken, UsageError
from voirdire.records import AlertPolicy, HistoryPoint
from voirdire.studies import (
    LimitOptions,
    choose_policy,
    set_limits,
    vary,
    watch,
    watch_naively,
)
from voirdire.studies.watching import MISMATCH

WEEKLY = [0.88, 0.86, 0.89, 0.87, 0.85, 0.84, 0.82, 0.76]


def history(scores: list[float | None], **about: Any) -> list[HistoryPoint]:
    return [
        HistoryPoint(time=made.START + timedelta(weeks=week), score=score, line=week + 2, **about)
        for week, score in enumerate(scores)
    ]


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> tuple[AlertPolicy, ...]:
    folder, _ = made.noisy_study(tmp_path_factory.mktemp("w"), n=200, days=8, seed=4)
    vary(made.opened(folder))
    return set_limits(made.opened(folder)).policies


@pytest.fixture
def policy(policies: tuple[AlertPolicy, ...]) -> AlertPolicy:
    return choose_policy(policies)


def steady(policy: AlertPolicy, n: int = 8, seed: int = 1) -> list[float | None]:
    assert policy.centre is not None
    assert policy.sd is not None
    rng = np.random.default_rng(seed)
    return [float(x) for x in rng.normal(policy.centre, 0.5 * policy.sd, n)]


def state_of(result: Any, channel: str) -> Any:
    return next(one for one in result.channels if one.channel == channel)


def test_the_usual_rule_on_eight_weekly_scores() -> None:
    """Published summary figures: ok three times from week 5, then critical, 10.1 % at base .845."""
    result = watch_naively(history(list(WEEKLY)))
    assert [point.state for point in result.points] == [None] * 4 + ["ok"] * 3 + ["critical"]
    newest = result.points[-1]
    assert newest.base == pytest.approx(0.845)
    assert "10.1 % below the mean of the last 4, 0.845" in result.sentence
    assert result.naive is not None
    assert 0 < result.naive.warning_rate < 0.05
    assert "fires without cause in" in result.notes[0]


def test_the_usual_rule_measures_its_own_false_alarms() -> None:
    rng = np.random.default_rng(1)
    found = watch_naively(history([float(x) for x in rng.normal(0.85, 0.03, 200)]))
    fired = [point.state != "ok" for point in found.points if point.state]
    assert found.naive is not None
    assert found.naive.warning_rate == pytest.approx(0.1003, abs=0.03)  # golden H01
    assert np.mean(fired) == pytest.approx(found.naive.warning_rate, abs=0.05)


def test_too_little_history_for_the_usual_rule() -> None:
    with pytest.raises(NotEnoughEvidence, match="fewer than 4 earlier evaluations") as found:
        watch_naively(history([0.9, 0.8, 0.9]))
    assert found.value.exit_code == 3
    with pytest.raises(NotEnoughEvidence, match="holds no evaluation"):
        watch_naively([])


def test_ok_warning_and_critical(policy: AlertPolicy) -> None:
    scores = steady(policy)
    result = watch(policy, history(scores))
    assert result.state == "ok"
    assert result.sentence.startswith("Ok: ")
    newest = result.points[-1]
    assert newest.warning_limit is not None
    assert newest.critical_limit is not None
    between = (newest.warning_limit + newest.critical_limit) / 2
    assert watch(policy, history([*scores[:-1], between])).state == "warning"
    found = watch(policy, history([*scores[:-1], newest.critical_limit - 0.01]))
    assert found.state == "critical"
    assert "the limit is" in found.sentence


def test_gaps_are_gaps(policy: AlertPolicy) -> None:
    scores = steady(policy)
    gapped: list[float | None] = [*scores[:4], None, *scores[4:]]
    plain, holed = watch(policy, history(scores)), watch(policy, history(gapped))
    assert holed.points[-1].base == pytest.approx(plain.points[-1].base)
    assert holed.points[4].state is None
    assert holed.points[4].undefined == "latest evaluation missing"
    with pytest.raises(NotEnoughEvidence, match="latest evaluation missing"):
        watch(policy, history([*scores, None]))


def test_a_failure_rate_is_an_alarm_of_its_own(policy: AlertPolicy) -> None:
    points = history(steady(policy), n=200, failures=1)
    points[-1] = points[-1].model_copy(update={"failures": 20})
    result = watch(policy, points)
    assert state_of(result, "score").state == "ok"
    assert state_of(result, "failures").state == "critical"
    assert result.state == "critical"
    everything = points[-1].model_copy(update={"failures": 200, "score": None})
    assert watch(policy, [*points[:-1], everything]).state == "critical"


def test_contradicted_alarms_and_unverifiable_indicates(policy: AlertPolicy) -> None:
    points = history(steady(policy), n=200, failures=0, contradicted=10, unverifiable=10)
    more = points[-1].model_copy(update={"unverifiable": 60})
    result = watch(policy, [*points[:-1], more])
    coverage = state_of(result, "coverage")
    assert (coverage.state, coverage.alarms) == ("critical", False)
    assert result.state == "ok"
    worse = points[-1].model_copy(update={"contradicted": 40})
    found = watch(policy, [*points[:-1], worse])
    assert found.state == "critical"
    assert "40 of 200 contradicted claims, 5.0 % before" in found.sentence


def test_a_slow_drift_is_found_against_the_frozen_centre(policy: AlertPolicy) -> None:
    assert policy.sd is not None
    start = steady(policy, 6)
    sinking = [policy.centre - 0.3 * policy.sd * week for week in range(1, 13)]  # type: ignore[operator]
    result = watch(policy, history([*start, *sinking]))
    assert state_of(result, "drift").state in ("warning", "critical")
    assert any(point.drifted for point in result.points)
    first = next(place for place, point in enumerate(result.points) if point.drifted)
    assert all(point.state == "ok" for point in result.points[4:first])


def test_an_alarm_does_not_blind_the_next_evaluations(policy: AlertPolicy) -> None:
    scores = steady(policy)
    fallen = [float(scores[0]) - 0.3] * 3  # type: ignore[arg-type]
    result = watch(policy, history([*scores, *fallen]))
    assert [point.state for point in result.points[-3:]] == ["critical"] * 3


def test_the_first_evaluation_is_held_against_the_calibration(policy: AlertPolicy) -> None:
    result = watch(policy, history([policy.centre]))
    assert result.points[0].base == pytest.approx(policy.centre)
    assert result.state == "ok"


def test_too_little_history(tmp_path: Path) -> None:
    folder, _ = made.noisy_study(tmp_path, days=1, repeats=5)
    vary(made.opened(folder))
    one_session = set_limits(made.opened(folder)).policies[0]
    with pytest.raises(NotEnoughEvidence, match="no noise estimate.*other|no noise estimate") as it:
        watch(one_session, history([0.8, 0.8, 0.81]))
    assert it.value.exit_code == 3
    assert "another day" in str(it.value)
    assert watch(one_session, history([0.8, 0.81, 0.79, 0.8, 0.8])).state == "ok"
    with pytest.raises(NotEnoughEvidence, match="holds no evaluation"):
        watch(one_session, [])


def test_fresh_claims_freeze_the_first_evaluations(tmp_path: Path) -> None:
    folder, _ = made.noisy_study(tmp_path, n=120)
    vary(made.opened(folder))
    policy = set_limits(made.opened(folder), LimitOptions(claims="fresh")).policies[0]
    scores: list[float | None] = [0.9, 0.91, 0.89, 0.9, 0.9, 0.88, 0.92, 0.9, 0.9, 0.9]
    result = watch(policy, history(scores))
    assert [point.baseline for point in result.points] == [True] * 8 + [False] * 2
    assert result.centre == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("about", "word"),
    [
        ({"judge": "0" * 64}, "judge"),
        ({"judge": "short"}, "judge"),
        ({"label_set": "supported_or_not"}, "label set"),
        ({"guideline": "g2"}, "guideline"),
    ],
)
def test_another_instrument_is_refused(policy: AlertPolicy, about: Any, word: str) -> None:
    own = {"judge": policy.fingerprints[0], "label_set": "three_class", "guideline": "g1"}
    points = history(steady(policy), **own)
    assert watch(policy, points).state == "ok"
    other = points[-1].model_copy(update=about)
    with pytest.raises(
        SealBroken, match=f"the {word} of the evaluation of .* holds for another"
    ) as it:
        watch(policy, [*points[:-1], other])
    assert it.value.exit_code == 4
    with pytest.raises(SealBroken):
        watch(policy, [point.model_copy(update=about) for point in points])


def test_older_lines_of_another_judge_are_left_out(policy: AlertPolicy) -> None:
    old = history([0.1, 0.2], judge="0" * 64)
    new = [
        point.model_copy(update={"time": point.time + timedelta(weeks=9)})
        for point in history(steady(policy), judge=policy.fingerprints[0][:16])
    ]
    result = watch(policy, [*old, *new])
    assert len(result.points) == 8
    assert "2 older evaluation(s) of another judge" in result.notes[0]
    assert "not checked" in watch(policy, history(steady(policy))).notes[0]


def test_counts_near_the_edge(policies: tuple[AlertPolicy, ...]) -> None:
    policy = choose_policy(policies, signal="failures")
    points = history([0.0, 0.005, 0.0, 0.0, 0.0], n=200)
    assert watch(policy, points).state == "ok"
    bad = points[-1].model_copy(update={"score": 0.05})
    result = watch(policy, [*points[:-1], bad])
    assert result.state == "critical"
    assert result.points[-1].critical_limit < 0.05  # type: ignore[operator]
    with pytest.raises(NotEnoughEvidence, match="n is not given"):
        watch(policy, history([0.0, 0.0]))


def test_a_rise_is_bad_for_contradicted_claims(policies: tuple[AlertPolicy, ...]) -> None:
    policy = choose_policy(policies, signal="contradicted")
    assert policy.centre is not None
    level = policy.centre
    up = watch(policy, history([level] * 5 + [level + 0.2]))
    down = watch(policy, history([level] * 5 + [0.0]))
    assert (up.state, down.state) == ("critical", "ok")
    assert "above the mean" in up.sentence


def test_which_policy_is_meant(policies: tuple[AlertPolicy, ...]) -> None:
    assert choose_policy(policies).signal == "faithfulness"
    assert choose_policy(policies, signal="kappa").signal == "kappa"
    with pytest.raises(UsageError, match="no policy of that kind"):
        choose_policy(policies, judge="other")
    twin = policies[0].model_copy(update={"judge": "other"})
    with pytest.raises(UsageError, match="holds several judges") as it:
        choose_policy([*policies, twin])
    assert it.value.exit_code == 2
    line = policies[0].model_copy(update={"judge": "constant"})
    assert choose_policy([line, *policies]).judge == policies[0].judge
    assert choose_policy([line]).judge == "constant"
    assert choose_policy([line, *policies], judge="constant").judge == "constant"


def of_mismatch(policy: AlertPolicy, scores: list[float | None]) -> list[str]:
    notes = watch(policy, history(scores)).notes
    return [note for note in notes if note.startswith(MISMATCH)]


def test_a_history_on_another_level_is_said(policy: AlertPolicy) -> None:
    level = policy.centre
    assert level is not None
    low = policy.model_copy(update={"centre": level - 0.5})
    above = of_mismatch(low, [level] * 6)
    assert "voirdire limits STUDY --history FILE" in above[0]
    assert "last 4 evaluations" in above[0]
    assert of_mismatch(low, [level])  # a first evaluation too
    below = of_mismatch(policy, [level - 0.4] * 6)
    assert "first 4 evaluations" in below[0]
    assert not of_mismatch(policy, steady(policy))
    assert not of_mismatch(
        policy, [*steady(policy), level - 0.4]
    )  # a drop is an alarm, no mismatch


def test_the_good_side_of_a_signal_that_must_not_rise(policies: tuple[AlertPolicy, ...]) -> None:
    policy = choose_policy(policies, signal="contradicted")
    high = policy.model_copy(update={"centre": 0.6})
    assert of_mismatch(high, [0.1] * 6)
    assert policy.centre is not None
    assert not of_mismatch(policy, [policy.centre] * 6)


def test_counts_know_their_level_too(policies: tuple[AlertPolicy, ...]) -> None:
    policy = choose_policy(policies, signal="failures").model_copy(update={"centre": 0.3})
    points = history([0.0] * 6, n=200)
    assert any(note.startswith(MISMATCH) for note in watch(policy, points).notes)
    own = policy.model_copy(update={"centre": 0.0})
    assert not any(note.startswith(MISMATCH) for note in watch(own, points).notes)
