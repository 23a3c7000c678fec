"""Does a signal still move no further than its own noise? A history held against a policy.

Channels: the score against the last k evaluations; the score's slow average against a frozen
centre; the failure rate; the contradicted claims, which alarm; the unverifiable claims, which
indicate coverage and alarm nobody.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from voirdire import stats
from voirdire.errors import NotEnoughEvidence, UsageError
from voirdire.records import (
    AlertPolicy,
    HistoryPoint,
    Signal,
    WatchPoint,
    WatchResult,
)
from voirdire.studies.channels import (
    count_channels,
    drift_channel,
    score_channel,
    summed,
    worst,
)
from voirdire.studies.instrument import of_this_instrument

__all__ = ["BASELINE", "MISMATCH", "choose_policy", "watch"]

BASELINE: Final = 8
"""First evaluations that make the frozen centre where the policy has none."""
MISMATCH: Final = "history and policy do not match"
"""How the note begins that the history lies on another level than the policy's centre."""
_DOZEN: Final = 12


def choose_policy(
    policies: Sequence[AlertPolicy], *, judge: str | None = None, signal: Signal | None = None
) -> AlertPolicy:
    """The policy that is meant; the first signal of the only judge if nothing is named.

    A constant judge is a reference line: it is meant only if it is named, or alone.

    Raises
    ------
    UsageError
        If none is of that judge and signal, or there are several judges and none is named.
    """
    found = [one for one in policies if judge in (None, one.judge) and signal in (None, one.signal)]
    if judge is None:
        found = [one for one in found if one.judge.partition(":")[0] != "constant"] or found
    names = sorted({one.judge for one in found})
    if not found or len(names) > 1:
        raise UsageError(
            "the policy file holds several judges" if found else "no policy of that kind there",
            allowed=", ".join(f"{one.judge}/{one.signal}" for one in policies),
            todo="name one with --judge and --signal",
        )
    return found[0]


def watch(policy: AlertPolicy, history: Sequence[HistoryPoint]) -> WatchResult:
    """Hold a history against a policy.

    Parameters
    ----------
    policy : AlertPolicy
    history : sequence of HistoryPoint
        Oldest first.

    Returns
    -------
    WatchResult
        States of the newest evaluation, and every earlier one with the limits it had.

    Raises
    ------
    SealBroken
        If the judge, the label set or the guideline is another than the policy's.
    NotEnoughEvidence
        If there is no evaluation, or too few for any channel that alarms.
    """
    points, notes = of_this_instrument(policy, list(history))
    if not points:
        raise NotEnoughEvidence("the history holds no evaluation", todo="evaluate, then watch")
    centre = _frozen(policy, points)
    drawn = _drawn(policy, points, centre)
    channels = (
        score_channel(policy, drawn),
        drift_channel(policy, drawn, centre.value if centre else None),
        *count_channels(policy, points),
    )
    deciding = [one for one in channels if one.alarms and one.state is not None]
    if channels[0].state is None and not any(one.state == "critical" for one in deciding):
        raise NotEnoughEvidence(
            f"the newest evaluation cannot be judged: {channels[0].undefined}",
            allowed=f"{max(policy.k, 4)} earlier evaluations with a score, and a newest one",
            todo="wait for more evaluations, or calibrate over several sessions "
            "('voirdire run --fresh' on another day, then vary and limits)",
        )
    state = worst([one.state for one in deciding if one.state is not None])
    notes += _mismatch(policy, points)
    return WatchResult(
        study=policy.study,
        judge=policy.judge,
        signal=policy.signal,
        direction=policy.direction,
        rule="policy",
        state=state,
        sentence=summed(state, deciding),
        channels=channels,
        points=tuple(drawn),
        centre=centre.value if centre else None,
        naive=policy.naive,
        notes=tuple(notes),
    )


def _mismatch(policy: AlertPolicy, points: Sequence[HistoryPoint]) -> list[str]:
    """A note if the history lies on another level than the policy: no alarm watches for that.

    The last k on the good side, where nothing ever fires, or the first k on either side.
    """
    scores = [point.score for point in points if point.score is not None]
    if policy.centre is None or not scores:
        return []
    k, reach = policy.k, policy.critical.drop
    if reach is None:  # counts: three standard errors of a share, kept off the edges
        share = (policy.centre * policy.items + 1) / (policy.items + 2)
        reach = 3 * math.sqrt(share * (1 - share) / policy.items)
    last, first = (sum(some) / len(some) for some in (scores[-k:], scores[:k]))
    better = last - policy.centre if policy.direction == "low" else policy.centre - last
    started_elsewhere = len(scores) > k and abs(first - policy.centre) > reach
    if better <= reach and not started_elsewhere:
        return []
    which, mean = ("last", last) if better > reach else ("first", first)
    return [
        f"{MISMATCH}: the mean of the {which} {min(k, len(scores))} evaluations is {mean:.3f}, the "
        f"policy's centre {policy.centre:.3f} with a limit of {reach:.3f}. A drop within another "
        "level may go unseen; if this is the right policy, re-base it: voirdire limits STUDY "
        f"--history FILE --judge {policy.judge} --signal {policy.signal}"
    ]


@dataclass(frozen=True, slots=True)
class _Centre:
    """The frozen centre, how many evaluations made it, and how many of this history did."""

    value: float
    n: int
    used: int


def _frozen(policy: AlertPolicy, points: Sequence[HistoryPoint]) -> _Centre | None:
    if policy.centre is not None and policy.centre_n:
        return _Centre(policy.centre, policy.centre_n, 0)
    scores = [point.score for point in points[:-1] if point.score is not None][:BASELINE]
    if len(scores) < max(policy.k, 4):
        return None
    used = next(
        place + 1
        for place in range(len(points))
        if sum(point.score is not None for point in points[: place + 1]) == len(scores)
    )
    return _Centre(sum(scores) / len(scores), len(scores), used)


def _drawn(
    policy: AlertPolicy, points: Sequence[HistoryPoint], centre: _Centre | None
) -> list[WatchPoint]:
    """Every evaluation with its limits, as it would have been seen at its time."""
    scores = [float("nan") if point.score is None else point.score for point in points]
    drift = _drift(policy, scores, centre)
    used = centre.used if centre else 0
    drawn: list[WatchPoint] = []
    for place, point in enumerate(points):
        steady = _steady(policy, scores[:place], drawn)
        fields = _shock(policy, points, scores, place, steady)
        if drift is not None and place >= used:
            at = place - used
            fields |= {
                "drift": drift.average[at],
                "drift_limit": drift.limit[at],
                "drifted": drift.drifted[at],
            }
        drawn.append(
            WatchPoint(time=point.time, score=point.score, baseline=place < used, **fields)
        )
    return drawn


def _steady(
    policy: AlertPolicy, scores: Sequence[float], drawn: Sequence[WatchPoint]
) -> list[float]:
    """The scores that noise is taken from: criticals are events and stay out.

    Unless more than a third of the last dozen are critical: then the noise was taken too small, and
    the history must be able to say so.
    """
    known = [place for place, score in enumerate(scores) if score == score]
    recent = known[-_DOZEN:]
    fired = {place for place in recent if drawn[place].state == "critical"}
    if 3 * len(fired) > len(recent):
        fired = set()
    return [scores[place] for place in known if place not in fired]


def _shock(
    policy: AlertPolicy,
    points: Sequence[HistoryPoint],
    scores: Sequence[float],
    place: int,
    steady: Sequence[float],
) -> dict[str, object]:
    if policy.rule == "counts":
        return _shock_by_counts(policy, points, place)
    fixed_centre = policy.claims == "fixed" or policy.centre_n > 0
    alarm = stats.evaluation_alarm(
        policy.sd,
        policy.df,
        scores[:place],
        scores[place],
        steady=steady,
        centre=policy.centre if fixed_centre else None,
        centre_n=policy.centre_n,
        k=policy.k,
        alpha_warning=policy.warning.promised_rate,
        alpha_critical=policy.critical.promised_rate,
        margin_warning=policy.warning.margin,
        margin_critical=policy.critical.margin,
        strict=policy.strict,
        confidence=policy.confidence,
        bad=policy.direction,
    )
    base = alarm.mean_previous
    if alarm.state is None or base is None:
        return {"undefined": alarm.undefined}
    sign = -1 if policy.direction == "low" else 1
    assert alarm.warning_drop is not None
    assert alarm.critical_drop is not None
    return {
        "state": alarm.state,
        "base": base,
        "warning_limit": base + sign * alarm.warning_drop,
        "critical_limit": base + sign * alarm.critical_drop,
    }


def _shock_by_counts(
    policy: AlertPolicy, points: Sequence[HistoryPoint], place: int
) -> dict[str, object]:
    """The score as a count of bad claims out of those judged."""
    now = _bad(policy, points[place])
    if now is None:
        missing = points[place].score is None
        return {"undefined": "latest evaluation missing" if missing else "n is not given"}
    earlier = [found for point in points[:place] if (found := _bad(policy, point)) is not None]
    alarm = _counted(policy, earlier, now)
    if alarm.state is None:
        return {"undefined": alarm.undefined}
    n = now[1]
    low = policy.direction == "low"
    base = alarm.previous_rate or 0.0

    def limit(count: int | None) -> float | None:
        if count is None or n == 0:
            return None
        share = (count - 1) / n  # more than this fires
        return 1 - share if low else share

    return {
        "state": alarm.state,
        "base": 1 - base if low else base,
        "warning_limit": limit(alarm.warning_count),
        "critical_limit": limit(alarm.critical_count),
    }


def _bad(policy: AlertPolicy, point: HistoryPoint) -> tuple[int, int] | None:
    """Bad events and claims of one evaluation; None if it does not say."""
    n = point.n if policy.signal == "failures" else point.judged
    if point.score is None or n is None or n == 0:
        return None
    share = 1 - point.score if policy.direction == "low" else point.score
    return round(share * n), n


def _counted(
    policy: AlertPolicy, earlier: Sequence[tuple[int, int]], now: tuple[int, int]
) -> stats.CountAlarm:
    """The newest count against up to 12 earlier ones and, on fixed claims, the calibration."""
    before = list(earlier[-12:])
    if policy.claims == "fixed" and policy.baseline_n:
        before.insert(0, (policy.baseline_events, policy.baseline_n))
    return stats.count_alarm(
        [events for events, _ in before],
        [n for _, n in before],
        now[0],
        now[1],
        alpha_warning=policy.warning.promised_rate,
        alpha_critical=policy.critical.promised_rate,
    )


def _drift(
    policy: AlertPolicy, scores: Sequence[float], centre: _Centre | None
) -> stats.DriftChart | None:
    if policy.drift is None or centre is None:
        return None
    sd, df = policy.sd, policy.df
    if sd is None:  # one session: the frozen baseline's own scatter
        known = [score for score in scores[: centre.used] if score == score]
        if len(known) < max(policy.k, 4):
            return None
        sd, df = float(np.std(known, ddof=1)), len(known) - 1.0
    if sd <= 0:
        return None
    return stats.drift_chart(
        list(scores[centre.used :]),
        centre=centre.value,
        centre_n=centre.n,
        sd=sd,
        df=df,
        weight=policy.drift.weight,
        rate=policy.drift.rate,
        bad=policy.direction,
    )
