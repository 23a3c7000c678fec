"""Average run lengths of control charts: evaluations until the first alarm.

EWMA and CUSUM by a Markov chain on a fine grid of their statistic (Brook & Evans 1972; Lucas &
Saccucci 1990), accurate to about .2 percent; Shewhart in closed form. Shifts are in standard
deviations, a drop being positive.
"""

from __future__ import annotations

import math

import numpy as np

from voirdire.stats import distributions

from .registry import formula
from .scores import FloatArray

__all__ = ["cusum_arl", "ewma_arl", "shewhart_arl"]


def _mean_time(transition: FloatArray, start: int) -> float:
    """Expected steps to absorption from `start`."""
    size = len(transition)
    steps = np.linalg.solve(np.eye(size) - transition, np.ones(size))
    return float(steps[start])


@formula
def shewhart_arl(limit: float, *, shift: float = 0.0, two_sided: bool = False) -> float:
    """``1 / P(signal)`` of a chart with known mean and standard deviation.

    Parameters
    ----------
    limit : float
        In standard deviations, > 0.
    shift : float
        Drop of the mean.
    two_sided : bool

    Raises
    ------
    ValueError
        If `limit` is not positive.

    Examples
    --------
    >>> round(shewhart_arl(3.0), 1), round(shewhart_arl(3.0, two_sided=True), 1)
    (740.8, 370.4)
    """
    if not limit > 0:
        raise ValueError(f"limit must be > 0, got {limit!r}")
    signal = float(distributions.norm_sf(limit - shift))
    if two_sided:
        signal += float(distributions.norm_cdf(-limit - shift))
    return 1.0 / signal if signal > 0 else math.inf


@formula
def ewma_arl(
    weight: float,
    width: float,
    *,
    shift: float = 0.0,
    two_sided: bool = False,
    states: int = 301,
) -> float:
    """Average run length of an EWMA with its asymptotic (fixed) limits, started at the mean.

    Parameters
    ----------
    weight : float
        Lambda in (0, 1].
    width : float
        L > 0.
    shift : float
        Drop of the mean.
    two_sided : bool
        One-sided charts alarm below the lower limit only.
    states : int
        Odd, at least 51.

    Raises
    ------
    ValueError
        On a parameter out of range.

    Examples
    --------
    >>> round(ewma_arl(0.2, 2.962, two_sided=True))
    500
    """
    if not 0 < weight <= 1 or not width > 0 or states < 51 or states % 2 == 0:
        raise ValueError(
            "weight must be in (0, 1], width > 0 and states odd >= 51, got "
            f"{weight!r}, {width!r}, {states!r}"
        )
    sd = math.sqrt(weight / (2 - weight))
    low = -width * sd
    # a one-sided chart never alarms upwards: beyond 6 sd of z the grid only holds the rest
    high = width * sd if two_sided else max(width, 6.0) * sd
    edges = np.linspace(low, high, states + 1)
    middle = (edges[:-1] + edges[1:]) / 2
    reach = (edges[None, :] - (1 - weight) * middle[:, None]) / weight + shift
    cumulative = distributions.norm_cdf(reach)
    if not two_sided:
        cumulative[:, -1] = 1.0
    transition = np.diff(cumulative, axis=1)
    start = int(np.searchsorted(edges, 0.0, side="right")) - 1
    if two_sided:
        return _mean_time(transition, start)
    # the mean need not be a midpoint here: take the first step from it exactly
    steps = np.linalg.solve(np.eye(states) - transition, np.ones(states))
    first = distributions.norm_cdf(edges / weight + shift)
    first[-1] = 1.0
    return float(1.0 + np.diff(first) @ steps)


@formula
def cusum_arl(
    k: float, h: float, *, shift: float = 0.0, two_sided: bool = False, states: int = 301
) -> float:
    """Average run length of a tabular CUSUM started at 0.

    Parameters
    ----------
    k, h : float
        Allowance >= 0 and decision interval > 0, in standard deviations.
    shift : float
        Drop of the mean.
    two_sided : bool
        Both sides run together: ``1/ARL = 1/ARL_down + 1/ARL_up``.
    states : int
        At least 51.

    Raises
    ------
    ValueError
        On a parameter out of range.

    Examples
    --------
    >>> round(cusum_arl(0.5, 4.0, two_sided=True)), round(cusum_arl(0.5, 4.0, shift=1.0), 2)
    (168, 8.38)
    """
    if k < 0 or not h > 0 or states < 51:
        raise ValueError(f"k must be >= 0, h > 0 and states >= 51, got {k!r}, {h!r}, {states!r}")
    down = _cusum_one_sided(k, h, shift, states)
    if not two_sided:
        return down
    up = _cusum_one_sided(k, h, -shift, states)
    return 1.0 / (1.0 / down + 1.0 / up)


def _cusum_one_sided(k: float, h: float, shift: float, states: int) -> float:
    width = 2 * h / (2 * states - 1)
    at = np.arange(states) * width
    upper = at[None, :] - at[:, None] + width / 2 + k - shift
    cumulative = distributions.norm_cdf(upper)
    transition = cumulative.copy()
    transition[:, 1:] -= cumulative[:, :-1]
    return _mean_time(np.asarray(transition, dtype=np.float64), 0)
