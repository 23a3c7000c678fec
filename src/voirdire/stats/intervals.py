"""Intervals from a value and its standard error, and for a proportion k of n.

All are two-sided at ``level``; each end alone is a one-sided bound at ``(1 + level) / 2``, so a
gate that wants one-sided 95 % bounds asks for ``level=0.90``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy import special

from voirdire.stats.registry import formula

__all__ = [
    "Interval",
    "agresti_coull",
    "clopper_pearson",
    "fisher_z_interval",
    "jeffreys",
    "korn_graubard",
    "newcombe_difference",
    "normal_quantile",
    "t_interval",
    "t_quantile",
    "wilson",
    "zero_error_bound",
]


class Interval(NamedTuple):
    """Two ends, ``low <= high``."""

    low: float
    high: float


def check_level(level: float) -> float:
    """The one-sided error ``(1 - level) / 2``; ValueError unless ``0 < level < 1``."""
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level!r}")
    return (1 - level) / 2


def _check_proportion(k: float, n: float) -> None:
    if not (n > 0 and 0 <= k <= n):
        raise ValueError(f"k and n must be 0 <= k <= n with n > 0, got k={k!r}, n={n!r}")


def normal_quantile(level: float) -> float:
    """z such that ``level`` of a standard normal lies within +-z.

    Examples
    --------
    >>> round(normal_quantile(0.95), 6)
    1.959964
    """
    return -float(special.ndtri(check_level(level)))


def t_quantile(level: float, df: float) -> float:
    """t such that ``level`` of Student's t with ``df`` degrees of freedom lies within +-t.

    Examples
    --------
    >>> round(t_quantile(0.95, 19), 6)
    2.093024
    """
    if not df > 0:
        raise ValueError(f"df must be > 0, got {df!r}")
    return -float(special.stdtrit(df, check_level(level)))


@formula
def t_interval(value: float, se: float, df: float, *, level: float = 0.95) -> Interval:
    """``value +- t(df) * se``, without transformation: for differences.

    Parameters
    ----------
    value, se : float
        Estimate and its standard error.
    df : float
        Degrees of freedom, families - 1.
    level : float
        Two-sided level.

    Returns
    -------
    Interval

    Examples
    --------
    >>> [round(x, 4) for x in t_interval(0.1, 0.05, 19)]
    [-0.0047, 0.2047]
    """
    half = t_quantile(level, df) * se
    return Interval(value - half, value + half)


@formula
def fisher_z_interval(value: float, se: float, df: float, *, level: float = 0.95) -> Interval:
    """t interval on the Fisher-z (atanh) scale, for coefficients bounded by -1 and 1.

    Parameters
    ----------
    value : float
        Coefficient, strictly between -1 and 1.
    se : float
        Its standard error on the original scale; delta method ``se / (1 - value^2)``.
    df : float
        Degrees of freedom, families - 1.
    level : float
        Two-sided level.

    Returns
    -------
    Interval

    Raises
    ------
    ValueError
        When ``|value| >= 1``: the scale is infinite there; see `zero_error_bound`.

    Examples
    --------
    >>> [round(x, 4) for x in fisher_z_interval(0.76, 0.1158013549, 6)]
    [0.3144, 0.9312]
    """
    if not abs(value) < 1:
        raise ValueError(f"value must be strictly between -1 and 1, got {value!r}")
    half = t_quantile(level, df) * se / (1 - value**2)
    centre = math.atanh(value)
    return Interval(math.tanh(centre - half), math.tanh(centre + half))


@formula
def wilson(k: float, n: float, *, level: float = 0.95) -> Interval:
    """Wilson (1927) score interval for k of n; both may be fractional (effective sizes).

    Parameters
    ----------
    k, n : float
        Successes and trials, ``0 <= k <= n``, ``n > 0``.
    level : float
        Two-sided level.

    Returns
    -------
    Interval

    Examples
    --------
    >>> [round(x, 4) for x in wilson(81, 263)]
    [0.2553, 0.3662]
    """
    _check_proportion(k, n)
    z, p = normal_quantile(level), k / n
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low = 0.0 if k == 0 else max(0.0, centre - half)
    return Interval(low, 1.0 if k == n else min(1.0, centre + half))


@formula
def clopper_pearson(k: float, n: float, *, level: float = 0.95) -> Interval:
    """Exact interval of Clopper & Pearson (1934); both may be fractional.

    Parameters
    ----------
    k, n : float
        Successes and trials, ``0 <= k <= n``, ``n > 0``.
    level : float
        Two-sided level.

    Returns
    -------
    Interval

    Examples
    --------
    >>> [round(x, 4) for x in clopper_pearson(0, 20)]
    [0.0, 0.1684]
    """
    _check_proportion(k, n)
    tail = check_level(level)
    low = 0.0 if k == 0 else float(special.betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(special.betaincinv(k + 1, n - k, 1 - tail))
    return Interval(low, high)


@formula
def jeffreys(k: float, n: float, *, level: float = 0.95) -> Interval:
    """Jeffreys interval, beta(1/2, 1/2) prior, ends 0 and 1 at k = 0 and k = n.

    Source: Brown, Cai & DasGupta (2001), Statistical Science 16:101, with their fix of the ends.

    Parameters
    ----------
    k, n : float
        Successes and trials, ``0 <= k <= n``, ``n > 0``.
    level : float
        Two-sided level.

    Returns
    -------
    Interval

    Examples
    --------
    >>> [round(x, 4) for x in jeffreys(15, 148)]
    [0.0604, 0.1576]
    """
    _check_proportion(k, n)
    tail = check_level(level)
    low = 0.0 if k == 0 else float(special.betaincinv(k + 0.5, n - k + 0.5, tail))
    high = 1.0 if k == n else float(special.betaincinv(k + 0.5, n - k + 0.5, 1 - tail))
    return Interval(low, high)


@formula
def agresti_coull(k: float, n: float, *, level: float = 0.95) -> Interval:
    """Agresti & Coull (1998): Wald around ``(k + z^2/2) / (n + z^2)``, clipped to [0, 1].

    Parameters
    ----------
    k, n : float
        Successes and trials, ``0 <= k <= n``, ``n > 0``.
    level : float
        Two-sided level.

    Returns
    -------
    Interval

    Examples
    --------
    >>> [round(x, 4) for x in agresti_coull(1, 29)]
    [0.0, 0.1863]
    """
    _check_proportion(k, n)
    z = normal_quantile(level)
    trials = n + z**2
    p = (k + z**2 / 2) / trials
    half = z * math.sqrt(p * (1 - p) / trials)
    return Interval(max(0.0, p - half), min(1.0, p + half))


@formula
def korn_graubard(p: float, n_effective: float, *, level: float = 0.95) -> Interval:
    """Clopper-Pearson with an effective sample size (Korn & Graubard 1998).

    Parameters
    ----------
    p : float
        Proportion.
    n_effective : float
        Effective number of items, t-adjusted; see `effective_size`.
    level : float
        Two-sided level.

    Returns
    -------
    Interval

    Examples
    --------
    >>> [round(x, 4) for x in korn_graubard(7 / 9, 15.26485513)]
    [0.498, 0.945]
    """
    return clopper_pearson(p * n_effective, n_effective, level=level)


@formula
def zero_error_bound(units: float, *, level: float = 0.95) -> float:
    """Lower bound of a success rate when all ``units`` succeeded: ``((1 - level)/2)^(1/units)``.

    Parameters
    ----------
    units : float
        Independent units: families, not items.
    level : float
        Two-sided level; 0.90 gives the one-sided 95 % bound.

    Returns
    -------
    float

    Examples
    --------
    >>> round(zero_error_bound(59, level=0.90), 4)
    0.9505
    """
    if not units > 0:
        raise ValueError(f"units must be > 0, got {units!r}")
    return float(check_level(level) ** (1 / units))


@formula
def newcombe_difference(
    k1: float, n1: float, k2: float, n2: float, *, level: float = 0.95
) -> Interval:
    """Difference of two independent proportions, k1/n1 - k2/n2 (Newcombe 1998, method 10).

    Parameters
    ----------
    k1, n1, k2, n2 : float
        Successes and trials of the two groups.
    level : float
        Two-sided level.

    Returns
    -------
    Interval

    Examples
    --------
    >>> [round(x, 4) for x in newcombe_difference(56, 70, 48, 80)]
    [0.0524, 0.3339]
    """
    first, second = wilson(k1, n1, level=level), wilson(k2, n2, level=level)
    p1, p2 = k1 / n1, k2 / n2
    down = math.hypot(p1 - first.low, second.high - p2)
    up = math.hypot(first.high - p1, p2 - second.low)
    return Interval(p1 - p2 - down, p1 - p2 + up)
