"""What each channel says of the newest evaluation, in a state and a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from voirdire import stats
from voirdire.records import (
    AlertPolicy,
    Channel,
    ChannelState,
    HistoryPoint,
    WatchPoint,
    WatchState,
)

__all__ = ["count_channel", "count_channels", "drift_channel", "score_channel", "summed", "worst"]

_ORDER = {"ok": 0, "warning": 1, "critical": 2}


def worst(states: Sequence[WatchState]) -> WatchState:
    """The worst of some states; ok if there is none."""
    return max(states, key=lambda state: _ORDER[state], default="ok")


def summed(state: WatchState, channels: Sequence[ChannelState]) -> str:
    """The sentence of a result: the reasons of the channels that decide it."""
    reasons = [one.reason for one in channels if one.state == state]
    return f"{state.capitalize()}: {'; '.join(reasons)}."


def score_channel(policy: AlertPolicy, drawn: Sequence[WatchPoint]) -> ChannelState:
    newest = drawn[-1]
    if newest.state is None or newest.base is None or newest.score is None:
        return ChannelState(
            channel="score", undefined=newest.undefined or "nothing to compare with"
        )
    drop = newest.base - newest.score if policy.direction == "low" else newest.score - newest.base
    way = "below" if policy.direction == "low" else "above"
    share = f" ({100 * drop / abs(newest.base):.1f} %)" if newest.base else ""
    how = f"{drop:.3f}{share} {way}" if drop > 0 else "no worse than"
    where = (
        f"{policy.signal} {newest.score:.3f} is {how} the mean of the evaluations before it, "
        f"{newest.base:.3f}"
    )
    limit = newest.critical_limit if newest.state == "critical" else newest.warning_limit
    held = f"; the limit is {limit:.3f}" if limit is not None else ""
    return ChannelState(channel="score", state=newest.state, reason=where + held)


def drift_channel(
    policy: AlertPolicy, drawn: Sequence[WatchPoint], centre: float | None
) -> ChannelState:
    """A drift warns; it is critical once the average itself is beyond the critical margin."""
    newest = drawn[-1]
    if policy.drift is None:
        return ChannelState(channel="drift", undefined="counts have no drift channel")
    if centre is None:
        return ChannelState(channel="drift", undefined="no frozen centre yet")
    if newest.drift is None or newest.drift_limit is None:
        what = "noise 0 or unknown" if newest.score is not None else "latest evaluation missing"
        return ChannelState(channel="drift", undefined=what)
    sign = -1 if policy.direction == "low" else 1
    far = sign * (newest.drift - centre) > policy.critical.margin * abs(centre)
    state: WatchState = "ok"
    if newest.drifted:
        state = "critical" if far and policy.critical.margin > 0 else "warning"
    reason = (
        f"the slow average {newest.drift:.3f} "
        + ("has left" if newest.drifted else "is within")
        + f" its limit {newest.drift_limit:.3f} around the frozen centre {centre:.3f}"
    )
    return ChannelState(channel="drift", state=state, reason=reason)


def count_channels(
    policy: AlertPolicy, points: Sequence[HistoryPoint]
) -> tuple[ChannelState, ChannelState, ChannelState]:
    about = (policy.warning.promised_rate, policy.critical.promised_rate)
    return (
        count_channel("failures", points, about, "claims without a judgment"),
        count_channel("contradicted", points, about, "contradicted claims"),
        count_channel("coverage", points, about, "unverifiable claims (coverage)"),
    )


def count_channel(
    channel: Channel, points: Sequence[HistoryPoint], rates: tuple[float, float], what: str
) -> ChannelState:
    field = "unverifiable" if channel == "coverage" else channel
    counts = []
    for point in points:
        events = getattr(point, field)
        n = point.n if channel == "failures" else point.judged
        counts.append(None if events is None or not n else (events, n))
    alarms = channel != "coverage"
    now = counts[-1]
    if now is None:
        return ChannelState(channel=channel, undefined="not in the history", alarms=alarms)
    earlier = [one for one in counts[:-1] if one is not None][-12:]
    found = stats.count_alarm(
        [events for events, _ in earlier],
        [n for _, n in earlier],
        *now,
        alpha_warning=rates[0],
        alpha_critical=rates[1],
    )
    if found.state is None:
        return ChannelState(channel=channel, undefined=found.undefined, alarms=alarms)
    before = f"{100 * (found.previous_rate or 0):.1f} % before"
    return ChannelState(
        channel=channel,
        state=found.state,
        reason=f"{now[0]} of {now[1]} {what}, {before}",
        p_value=found.p_value,
        alarms=alarms,
        notes=("more than counts alone can vary: beta-binomial limit",)
        if found.overdispersed
        else (),
    )
