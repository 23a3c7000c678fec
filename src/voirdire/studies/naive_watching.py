"""The usual rule, kept for comparison, with the false alarms it makes here printed beside it."""

from __future__ import annotations

from collections.abc import Sequence

from voirdire import stats
from voirdire.errors import NotEnoughEvidence
from voirdire.records import (
    ChannelState,
    HistoryPoint,
    NaiveRisk,
    Signal,
    WatchPoint,
    WatchResult,
)
from voirdire.studies.channels import count_channel, summed, worst
from voirdire.studies.signals import NAMES

__all__ = ["watch_naively"]


def watch_naively(
    history: Sequence[HistoryPoint], *, signal: Signal = "faithfulness", k: int = 4
) -> WatchResult:
    """The usual rule, 5 or 10 percent below the mean of the last k, and what it does here.

    Its false-alarm rate is measured on the scatter of the evaluations before the newest one.

    Raises
    ------
    NotEnoughEvidence
        If fewer than k scores come before the newest, or the newest has none.
    """
    scores = [float("nan") if point.score is None else point.score for point in history]
    drawn = []
    for place, point in enumerate(history):
        found = stats.naive_alarm(scores[:place], scores[place], k=k)
        base = found.base
        drawn.append(
            WatchPoint(
                time=point.time,
                score=point.score,
                state=found.state,
                undefined=found.undefined,
                base=base,
                warning_limit=None if base is None else 0.95 * base,
                critical_limit=None if base is None else 0.90 * base,
            )
        )
    newest = drawn[-1] if drawn else None
    if newest is None or newest.state is None or newest.base is None or newest.score is None:
        why = "the history holds no evaluation" if newest is None else newest.undefined
        raise NotEnoughEvidence(
            f"the newest evaluation cannot be judged: {why}",
            allowed=f"{k} earlier evaluations with a score, and a newest one",
            todo="wait for more evaluations",
        )
    naive = _measured_naive(scores[:-1], k)
    drop = 100 * (1 - newest.score / newest.base)
    reason = (
        f"{NAMES[signal]} {newest.score:g} is {drop:.1f} % below the mean of the last {k}, "
        f"{newest.base:.4g}"
        if drop > 0
        else f"{NAMES[signal]} {newest.score:g} is no worse than the mean of the last {k}, "
        f"{newest.base:.4g}"
    )
    channels = (
        ChannelState(channel="score", state=newest.state, reason=reason),
        count_channel("failures", history, (0.05, 0.01), "claims without a judgment"),
    )
    deciding = [one for one in channels if one.state is not None]
    state = worst([one.state for one in deciding if one.state is not None])
    return WatchResult(
        signal=signal,
        direction="low",
        rule="naive",
        state=state,
        sentence=summed(state, deciding),
        channels=channels,
        points=tuple(drawn),
        naive=naive,
        notes=_naive_notes(naive, len({point.judge for point in history if point.judge})),
    )


def _measured_naive(earlier: Sequence[float], k: int) -> NaiveRisk | None:
    """The rule's false alarms with the scatter of successive evaluations (drift apart)."""
    known = [score for score in earlier if score == score]
    found = stats.successive_noise(known)
    if found is None:
        return None
    sd, mean = found[0], sum(known) / len(known)
    if mean <= 0:
        return None
    rates = [
        stats.naive_false_alarm(drop, mean=mean, sd=sd, k=k) if sd > 0 else 0.0
        for drop in (0.05, 0.10)
    ]
    return NaiveRisk(warning_rate=rates[0], critical_rate=rates[1], sd=sd, k=k)


def _naive_notes(naive: NaiveRisk | None, judges: int) -> tuple[str, ...]:
    notes = []
    if naive is not None:
        notes.append(
            f"with evaluations that scatter as these do (sd {naive.sd:.4f}), this rule fires "
            f"without cause in {100 * naive.warning_rate:.1f} % (warning) and "
            f"{100 * naive.critical_rate:.1f} % (critical) of evaluations; it knows nothing of "
            "that noise: 'voirdire limits' does"
        )
    if judges > 1:
        notes.append(f"the history holds {judges} judges: the naive rule compares them as one")
    return tuple(notes)
