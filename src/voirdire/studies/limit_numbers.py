"""The numbers that go with a limit: claims needed, power, what the usual rule would do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from voirdire import stats
from voirdire.records import JudgeVariance, NaiveRisk, PowerPoint, SignalVariance

__all__ = ["LimitOptions", "Noise", "baseline_counts", "items_needed", "naive", "power"]

Noise: TypeAlias = tuple[float, float | None]
"""Standard deviation of one evaluation and its degrees of freedom; None is known for certain."""
_POWER_STEPS: Final = 21


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """How a signal will be watched.

    Attributes
    ----------
    claims : {"fixed", "fresh"}
    items : int or None
        Claims of an evaluation; None: as many as the calibration had.
    k : int
        Evaluations in the base.
    warning_rate, critical_rate : float
        False alarms per evaluation.
    warning_margin, critical_margin : float
        Practical margins, relative.
    strict : bool
    per_year : float
        Evaluations in a year.
    wanted_drop : float
        Relative drop that must be seen.
    power : float
        Chance with which.
    """

    claims: Literal["fixed", "fresh"] = "fixed"
    items: int | None = None
    k: int = 4
    warning_rate: float = 0.05
    critical_rate: float = 0.01
    warning_margin: float = 0.05
    critical_margin: float = 0.10
    strict: bool = False
    per_year: float = 52.0
    wanted_drop: float = 0.05
    power: float = 0.8


def items_needed(
    one: SignalVariance, judge: JudgeVariance, options: LimitOptions, at: float
) -> int | None:
    """Claims with which noise would let the wanted drop be seen; None if no number would."""
    drop = options.wanted_drop * abs(at)
    if drop == 0:
        return None
    between, per_item = _parts(one, judge)
    if per_item is None:
        return None
    if options.claims == "fresh":
        per_item += one.item_variance or 0.0
    found = stats.items_for_drop(
        drop,
        var_residual=per_item,
        var_run=between,
        alpha=options.warning_rate,
        power=options.power,
        k=options.k,
    )
    return None if found is None else max(math.ceil(found), 1)


def _parts(one: SignalVariance, judge: JudgeVariance) -> tuple[float, float | None]:
    """Variance of whole evaluations, and variance per claim that claims divide."""
    parts = one.components
    if parts is None:  # kappa: no split, so all of its noise is taken to shrink with claims
        sd = one.evaluation_sd if one.evaluation_sd is not None else one.within_sd
        return 0.0, None if sd is None else sd**2 * judge.claims
    if parts.run is None or parts.residual is None:
        return 0.0, None
    whole = parts.run
    if one.evaluation_sd is not None:
        whole = max(whole, one.evaluation_sd**2 - parts.residual / parts.items)
    return whole, parts.residual


def power(at: float, noise: Noise | None, options: LimitOptions) -> list[PowerPoint]:
    """Chance of each alarm over drops from 0 to 20 percent (at least three detectable drops)."""
    if noise is None or noise[0] <= 0:
        return []
    sd, df = noise
    nu = math.inf if df is None else df
    top = max(0.20 * abs(at), 5 * sd)
    points = []
    for step in range(_POWER_STEPS):
        drop = top * step / (_POWER_STEPS - 1)
        chances = [
            stats.alarm_probability(
                drop, sd=sd, df=nu, k=options.k, alpha=rate, margin=margin * abs(at)
            )
            for rate, margin in (
                (options.warning_rate, options.warning_margin),
                (options.critical_rate, options.critical_margin),
            )
        ]
        points.append(PowerPoint(drop=drop, warning=chances[0], critical=chances[1]))
    return points


def naive(
    at: float, noise: Noise | None, options: LimitOptions, one: SignalVariance
) -> NaiveRisk | None:
    """What the usual rule would do with this noise."""
    if noise is None or at <= 0 or one.direction == "high":
        return None
    sd = noise[0]
    rates = [
        stats.naive_false_alarm(drop, mean=at, sd=sd, k=options.k) if sd > 0 else 0.0
        for drop in (0.05, 0.10)
    ]
    return NaiveRisk(warning_rate=rates[0], critical_rate=rates[1], sd=sd, k=options.k)


def baseline_counts(judge: JudgeVariance, one: SignalVariance) -> tuple[int, int]:
    """Bad events and claims of the calibration, all repeats together, for counts."""
    if one.signal == "kappa":
        return 0, 0
    items = one.components.items if one.components else judge.claims
    known = [value for value in one.values if value is not None]
    bad = [1 - value if one.direction == "low" else value for value in known]
    return sum(round(share * items) for share in bad), items * len(known)
