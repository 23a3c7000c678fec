"""The alert policy: when a signal has fallen further than its own noise, and for which judge."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from voirdire.records.estimates import Record
from voirdire.records.labels import View
from voirdire.records.results import Provenance
from voirdire.records.variance import Direction, Signal

__all__ = [
    "AlertLimit",
    "AlertPolicy",
    "DriftLimit",
    "NaiveRisk",
    "PolicyResult",
    "PowerPoint",
    "Severity",
]

Severity = Literal["warning", "critical"]


class AlertLimit(Record):
    """One of the two limits.

    Attributes
    ----------
    severity : {"warning", "critical"}
    promised_rate : float
        False alarms per evaluation that are allowed.
    noise_drop : float or None
        How far noise alone reaches at that rate, in units of the signal.
    margin : float
        Practical margin, relative to the base.
    drop : float or None
        The larger of the two: further than this fires.
    value : float or None
        Where that lies today: the centre less (or plus) the drop.
    expected_rate : float or None
        False alarms per evaluation with the margin taken into account, at most the promise.
    per_year : float or None
        The same in a year at the stated cadence.
    detectable_drop : float or None
        Smallest true drop that one evaluation sees with the stated power.
    """

    severity: Severity
    promised_rate: float = Field(gt=0, lt=1)
    noise_drop: float | None = Field(default=None, ge=0)
    margin: float = Field(ge=0, lt=1)
    drop: float | None = Field(default=None, ge=0)
    value: float | None = None
    expected_rate: float | None = Field(default=None, ge=0, le=1)
    per_year: float | None = Field(default=None, ge=0)
    detectable_drop: float | None = None


class DriftLimit(Record):
    """The second channel: an EWMA against a frozen centre, which does not forget.

    Attributes
    ----------
    weight : float
        Lambda: what the newest evaluation counts.
    rate : float
        Chance that one in-control evaluation stands beyond the limit.
    """

    weight: float = Field(gt=0, le=1)
    rate: float = Field(gt=0, lt=0.5)


class PowerPoint(Record):
    """Chance that one evaluation fires when the true signal has moved by ``drop``."""

    drop: float
    warning: float = Field(ge=0, le=1)
    critical: float = Field(ge=0, le=1)


class NaiveRisk(Record):
    """What "5 or 10 percent below the mean of the last k" does with this noise.

    Attributes
    ----------
    warning_drop, critical_drop : float
        Relative.
    warning_rate, critical_rate : float
        False alarms per evaluation.
    sd : float
        Of the evaluations.
    """

    warning_drop: float = 0.05
    critical_drop: float = 0.10
    warning_rate: float = Field(ge=0, le=1)
    critical_rate: float = Field(ge=0, le=1)
    sd: float = Field(ge=0)
    k: int = Field(default=4, ge=1)


class AlertPolicy(Record):
    """How one signal of one judge is watched.

    It holds for the judge, the labels and the guideline it was made with, and for no other.

    Attributes
    ----------
    study, judge : str
        Where it comes from.
    signal : Signal
    direction : {"low", "high"}
        Which way is bad.
    rule : {"prediction", "counts"}
        A prediction limit against the last k evaluations; or, for shares near 0 or 1, an exact
        limit on counts.
    strict : bool
        Limits that allow for the error of the standard deviation itself, at `confidence`.
    claims : {"fixed", "fresh"}
        The same claims at each evaluation, or claims drawn anew.
    items : int
        Claims of an evaluation.
    k : int
        Evaluations in the base with which the newest is compared.
    centre : float or None
        Frozen centre for drift: of the calibration (fixed claims), of an earlier history, or None
        when the first evaluations of the history make it.
    centre_n : int
        Evaluations behind the centre.
    sd, df : float or None
        Noise of one evaluation and its degrees of freedom; None when the calibration cannot tell
        (one session): the history alone then gives it. A df of None with an sd of 0 is certainty.
    warning, critical : AlertLimit
    drift : DriftLimit or None
    wanted_drop : float
        Relative drop the user cares about.
    items_needed : int or None
        Claims with which its noise would let that drop be seen.
    power : tuple of PowerPoint
    naive : NaiveRisk or None
    baseline_runs : tuple of str
        Runs of the calibration.
    baseline_events, baseline_n : int
        Bad events among claims of one calibration repeat, over all repeats; for counts.
    calibration : tuple of float
        The signal at each repeat.
    fingerprints : tuple of str
        Digests of the judge it holds for.
    view, label_set, guidelines
        The labels and the guideline it holds for.
    sentences : tuple of str
        What the policy can and cannot do, for readers.
    derivation : tuple of str
        How each number came about, filled in.
    """

    study: str
    judge: str
    signal: Signal
    direction: Direction
    rule: Literal["prediction", "counts"]
    strict: bool = False
    confidence: float = Field(default=0.9, gt=0, lt=1)
    claims: Literal["fixed", "fresh"]
    items: int = Field(ge=1)
    k: int = Field(default=4, ge=1)
    centre: float | None = None
    centre_n: int = Field(default=0, ge=0)
    sd: float | None = Field(default=None, ge=0)
    df: float | None = Field(default=None, gt=0)
    warning: AlertLimit
    critical: AlertLimit
    drift: DriftLimit | None = None
    per_year: float = Field(gt=0)
    power_wanted: float = Field(default=0.8, gt=0, lt=1)
    wanted_drop: float = Field(gt=0, lt=1)
    items_needed: int | None = Field(default=None, ge=1)
    power: tuple[PowerPoint, ...] = ()
    naive: NaiveRisk | None = None
    baseline_runs: tuple[str, ...]
    baseline_events: int = Field(default=0, ge=0)
    baseline_n: int = Field(default=0, ge=0)
    calibration: tuple[float, ...] = ()
    fingerprints: tuple[str, ...] = Field(min_length=1)
    view: View
    label_set: tuple[str, ...]
    guidelines: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    derivation: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.warning.severity != "warning" or self.critical.severity != "critical":
            raise ValueError("'warning' and 'critical' must hold the limits of those names")
        one, two = self.warning.drop, self.critical.drop
        if one is not None and two is not None and two < one - 1e-12:
            raise ValueError(
                f"the critical drop must not be below the warning's, got {two} < {one}"
            )
        if self.df is not None and self.sd is None:
            raise ValueError("degrees of freedom without a standard deviation")
        return self


class PolicyResult(Record):
    """``results/policy.json``: a policy for each signal of each judge.

    ``reference_labels`` are the labels of the claims as they stood: what a canary is held against.
    """

    study: str
    claims_sha256: str
    policies: tuple[AlertPolicy, ...] = Field(min_length=1)
    reference_labels: dict[str, str] = Field(default_factory=dict)
    provenance: Provenance
