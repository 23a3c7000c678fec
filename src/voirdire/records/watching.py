"""What was watched and what was seen: the score history, the states, and what moved."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import AwareDatetime, Field, model_validator

from voirdire.records.alerts import NaiveRisk
from voirdire.records.estimates import Estimate, Record
from voirdire.records.variance import Direction, Signal

__all__ = [
    "Attribution",
    "Cause",
    "CauseShare",
    "Channel",
    "ChannelState",
    "HistoryPoint",
    "SlicePart",
    "WatchPoint",
    "WatchResult",
    "WatchState",
]

WatchState = Literal["ok", "warning", "critical"]
Channel = Literal["score", "drift", "failures", "contradicted", "coverage"]
Cause = Literal["judge", "labels", "mix", "system"]


class SlicePart(Record):
    """A slice within one evaluation: how many claims, and their score."""

    n: int = Field(ge=0)
    score: float = Field(ge=0, le=1)


class HistoryPoint(Record):
    """One line of a score history.

    Attributes
    ----------
    time : datetime
        UTC.
    score : float or None
        None is a gap: the evaluation yielded no score. A gap is never a zero.
    n : int or None
        Claims put to the judge.
    failures : int or None
        Of these, how many got no judgment.
    contradicted, unverifiable : int or None
        Judged claims with that label.
    judge, guideline, label_set : str or None
        Fingerprint of the judge; the guideline and labels in force. None is not said.
    slices : dict of str to SlicePart
        Parts that do not overlap and together are the evaluation, for what moved.
    line : int
        In the file.
    """

    time: AwareDatetime
    score: float | None = None
    n: int | None = Field(default=None, ge=0)
    failures: int | None = Field(default=None, ge=0)
    contradicted: int | None = Field(default=None, ge=0)
    unverifiable: int | None = Field(default=None, ge=0)
    judge: str | None = None
    guideline: str | None = None
    label_set: str | None = None
    slices: dict[str, SlicePart] = Field(default_factory=dict)
    line: int = Field(default=0, ge=0)

    @property
    def judged(self) -> int | None:
        """Claims that got a judgment."""
        return None if self.n is None else self.n - (self.failures or 0)

    @model_validator(mode="after")
    def _counts_fit(self) -> Self:
        asked, judged = self.n, self.judged
        if asked is not None and judged is not None:
            if judged < 0:
                raise ValueError(f"failures must be <= n, got {self.failures} of {asked}")
            counted = (self.contradicted or 0) + (self.unverifiable or 0)
            if counted > judged:
                raise ValueError(
                    f"contradicted and unverifiable must be <= judged claims ({judged}), "
                    f"got {counted}"
                )
        return self


class ChannelState(Record):
    """What one channel says of the newest evaluation.

    ``state`` is None exactly when `undefined` says why. ``alarms`` is False for coverage, which
    indicates and does not alarm.
    """

    channel: Channel
    state: WatchState | None = None
    reason: str = ""
    undefined: str | None = None
    p_value: float | None = Field(default=None, ge=0, le=1)
    alarms: bool = True
    notes: tuple[str, ...] = ()


class WatchPoint(Record):
    """One evaluation with the limits it was held against.

    Attributes
    ----------
    base : float or None
        Mean of the k evaluations before it.
    warning_limit, critical_limit : float or None
        Values beyond which it fires.
    state : WatchState or None
        Of the score channel.
    drift, drift_limit : float or None
        The EWMA and its limit.
    drifted : bool
    baseline : bool
        Whether the frozen centre rests on it.
    """

    time: AwareDatetime
    score: float | None = None
    base: float | None = None
    warning_limit: float | None = None
    critical_limit: float | None = None
    state: WatchState | None = None
    undefined: str | None = None
    drift: float | None = None
    drift_limit: float | None = None
    drifted: bool = False
    baseline: bool = False


class CauseShare(Record):
    """One possible cause of a move.

    Attributes
    ----------
    change : Estimate
        What it contributes, in units of the signal.
    share : Estimate
        Of the whole move.
    moved : bool
        Whether it stands out from noise.
    evidence : str
        The finding in words.
    """

    cause: Cause
    change: Estimate
    share: Estimate
    moved: bool
    evidence: str


class Attribution(Record):
    """What moved: the change of the signal put down to its causes.

    Attributes
    ----------
    total : Estimate
        Newest evaluation less the baseline.
    causes : tuple of CauseShare
        judge, labels, mix, system; the system is what the others leave over.
    moved : tuple of Cause
        Those that stand out.
    sentence : str
    assumptions : tuple of str
    """

    total: Estimate
    causes: tuple[CauseShare, ...]
    moved: tuple[Cause, ...]
    sentence: str
    assumptions: tuple[str, ...] = ()


class WatchResult(Record):
    """What ``watch`` says of a history.

    Attributes
    ----------
    rule : {"policy", "naive"}
    state : WatchState
        The worst of the channels that alarm.
    sentence : str
    channels : tuple of ChannelState
        Of the newest evaluation.
    points : tuple of WatchPoint
        All evaluations, oldest first.
    centre : float or None
        Frozen.
    naive : NaiveRisk or None
        What the naive rule does with the noise of this history.
    attribution : Attribution or None
    """

    study: str | None = None
    judge: str | None = None
    signal: Signal
    direction: Direction
    rule: Literal["policy", "naive"]
    state: WatchState
    sentence: str
    channels: tuple[ChannelState, ...]
    points: tuple[WatchPoint, ...]
    centre: float | None = None
    naive: NaiveRisk | None = None
    notes: tuple[str, ...] = ()
    attribution: Attribution | None = None
