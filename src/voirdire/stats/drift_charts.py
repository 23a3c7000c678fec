"""Slow drift against a frozen baseline: EWMA and CUSUM.

"Latest against the mean of the last four" forgets: after a lasting drop the base sinks with it, and
a drop of one standard deviation is found after 84 evaluations on average. A chart against a frozen
baseline finds it in about 5.

Source: Roberts (1959), Page (1954); limits as in Montgomery, Introduction to Statistical Quality
Control.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from voirdire.records.estimates import Record

from .registry import formula
from .scores import FloatArray, numbers

__all__ = ["CusumChart", "EwmaChart", "cusum_chart", "ewma_chart"]


class EwmaChart(Record):
    """An exponentially weighted moving average with its limits, one entry per evaluation.

    Attributes
    ----------
    z : tuple of float or None
        The average; a missing evaluation is a gap (None) and leaves it alone.
    lower_limit, upper_limit : tuple of float or None
    alarm : tuple of bool
        Below the lower limit (or, two-sided, outside either).
    first_alarm : int or None
        Index of the first alarm.
    """

    z: tuple[float | None, ...]
    lower_limit: tuple[float | None, ...]
    upper_limit: tuple[float | None, ...]
    alarm: tuple[bool, ...]
    first_alarm: int | None


class CusumChart(Record):
    """A lower tabular CUSUM in standard deviations.

    Attributes
    ----------
    c_minus : tuple of float or None
        Accumulated shortfall; None at a gap.
    alarm : tuple of bool
    first_alarm : int or None
    """

    c_minus: tuple[float | None, ...]
    alarm: tuple[bool, ...]
    first_alarm: int | None


def _checked(values: Any, sigma: float) -> FloatArray:
    if not sigma > 0 or not math.isfinite(sigma):
        raise ValueError(f"sigma must be a positive number, got {sigma!r}")
    return numbers(list(values), name="values")


@formula
def ewma_chart(
    values: Sequence[float],
    *,
    mu: float,
    sigma: float,
    weight: float = 0.2,
    width: float = 2.7,
    two_sided: bool = False,
) -> EwmaChart:
    """EWMA with exact, time-varying limits.

    ``z_t = weight x_t + (1 - weight) z_{t-1}``, ``z_0 = mu``; limits ``mu ± width sigma
    sqrt(weight/(2 - weight) (1 - (1 - weight)^(2t)))``.

    Parameters
    ----------
    values : sequence
        Evaluations, oldest first; missing ones are gaps.
    mu, sigma : float
        Frozen baseline; re-based only by an explicit human action.
    weight : float
        Lambda, in (0, 1].
    width : float
        L, > 0.
    two_sided : bool
        Whether a rise is an alarm too.

    Raises
    ------
    ValueError
        If `sigma` or `width` is not positive or `weight` is not in (0, 1].

    Examples
    --------
    >>> chart = ewma_chart([0.84, 0.86, 0.85, 0.83, 0.80, 0.81, 0.79], mu=0.85, sigma=0.02)
    >>> chart.first_alarm
    5
    """
    x = _checked(values, sigma)
    if not 0 < weight <= 1 or not width > 0:
        raise ValueError(f"weight must be in (0, 1] and width > 0, got {weight!r}, {width!r}")
    z, t = mu, 0
    rows: list[tuple[float | None, float | None, float | None, bool]] = []
    for value in x:
        if np.isnan(value):
            rows.append((None, None, None, False))
            continue
        t += 1
        z = weight * float(value) + (1 - weight) * z
        spread = weight / (2 - weight) * (1 - (1 - weight) ** (2 * t))
        half = width * sigma * math.sqrt(spread)
        rows.append((z, mu - half, mu + half, z < mu - half or (two_sided and z > mu + half)))
    alarm = tuple(row[3] for row in rows)
    return EwmaChart(
        z=tuple(row[0] for row in rows),
        lower_limit=tuple(row[1] for row in rows),
        upper_limit=tuple(row[2] for row in rows),
        alarm=alarm,
        first_alarm=alarm.index(True) if True in alarm else None,
    )


@formula
def cusum_chart(
    values: Sequence[float], *, mu: float, sigma: float, k: float = 0.5, h: float = 4.0
) -> CusumChart:
    """Lower CUSUM ``C_t = max(0, C_{t-1} + (mu - x_t)/sigma - k)``, alarm above h.

    Parameters
    ----------
    values : sequence
        Evaluations, oldest first; missing ones are gaps.
    mu, sigma : float
        Frozen baseline.
    k : float
        Allowance: half the drop to be found, in standard deviations, >= 0.
    h : float
        Decision interval, > 0.

    Raises
    ------
    ValueError
        If `sigma` or `h` is not positive or `k` is negative.

    Examples
    --------
    >>> chart = cusum_chart([0.84, 0.86, 0.85, 0.83, 0.80, 0.81, 0.79], mu=0.85, sigma=0.02)
    >>> chart.first_alarm
    6
    """
    x = _checked(values, sigma)
    if k < 0 or not h > 0:
        raise ValueError(f"k must be >= 0 and h > 0, got {k!r}, {h!r}")
    c = 0.0
    out: list[float | None] = []
    for value in x:
        if np.isnan(value):
            out.append(None)
            continue
        c = max(0.0, c + (mu - float(value)) / sigma - k)
        out.append(c)
    # 1e-9: the statistic of a series that lands exactly on h must not depend on rounding
    alarm = tuple(v is not None and v > h + 1e-9 for v in out)
    return CusumChart(
        c_minus=tuple(out), alarm=alarm, first_alarm=alarm.index(True) if True in alarm else None
    )
