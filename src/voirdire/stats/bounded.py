"""Intervals for means of values in 0..1 whose items come in families.

A mean near 0 or 1 has a lopsided uncertainty; the logit scale follows it and never leaves 0..1.
When every family says the same (standard error 0) the zero-error bound of `families` exact
Bernoulli trials is given instead of an interval of width 0.
"""

from __future__ import annotations

import math

import numpy as np

from voirdire.stats import distributions

from .reasons import FEW_FAMILIES, NO_VARIATION
from .scores import FloatArray, IntArray, family_sums

__all__ = [
    "clustered_ratio",
    "logit_interval",
    "plain_interval",
    "rate_interval",
    "why_no_interval",
    "zero_error_bound",
]


def clustered_ratio(
    numerator: FloatArray, denominator: FloatArray, codes: IntArray
) -> tuple[float, float, int]:
    """Ratio of two sums with the standard error clustered by family.

    ``r = sum x / sum m``; ``se^2 = F/(F-1) * sum_f (x_f - r m_f)^2 / (sum m)^2`` (Cochran 1977,
    section 2.11, clusters as units). With `denominator` all ones this is the mean.

    Returns
    -------
    ratio, se, families : float, float, int
        The standard error is NaN with fewer than two families (an internal value; callers turn
        it into a reason).

    Examples
    --------
    >>> x = np.array([1.0, 1.0, 0.0, 1.0])
    >>> r, se, families = clustered_ratio(x, np.ones(4), np.array([0, 0, 1, 1]))
    >>> r, round(se, 4), families
    (0.75, 0.25, 2)
    """
    x, m = family_sums(numerator, codes), family_sums(denominator, codes)
    total = float(m.sum())
    ratio = float(x.sum()) / total
    families = len(m)
    if families < 2:
        return ratio, math.nan, families
    variance = families / (families - 1) * float(((x - ratio * m) ** 2).sum()) / total**2
    return ratio, math.sqrt(variance), families


def plain_interval(value: float, se: float, *, df: float, level: float) -> tuple[float, float]:
    """``value ± t(df) se``; a `df` of infinity gives the normal quantile.

    Examples
    --------
    >>> low, high = plain_interval(0.5, 0.1, df=float("inf"), level=0.95)
    >>> round(low, 3), round(high, 3)
    (0.304, 0.696)
    """
    half = _quantile(df, level) * se
    return value - half, value + half


def logit_interval(value: float, se: float, *, df: float, level: float) -> tuple[float, float]:
    """``expit(logit(v) ± t(df) se / (v (1 - v)))``, the delta method on the logit scale.

    Raises
    ------
    ValueError
        If `value` is not strictly between 0 and 1; use `zero_error_bound` there.

    Examples
    --------
    >>> low, high = logit_interval(0.9, 0.05, df=19, level=0.95)
    >>> round(low, 3), round(high, 3)
    (0.738, 0.966)
    """
    if not 0.0 < value < 1.0:
        raise ValueError(f"value must be strictly between 0 and 1, got {value!r}")
    centre = math.log(value / (1.0 - value))
    half = _quantile(df, level) * se / (value * (1.0 - value))
    return _expit(centre - half), _expit(centre + half)


def zero_error_bound(value: float, *, families: int, level: float) -> tuple[float, float]:
    """Interval of a rate that was 0 or 1 in every one of `families` independent families.

    The Clopper-Pearson bound: ``((1-level)/2)^(1/F)`` away from the corner, which is 0 or 1.

    Examples
    --------
    >>> low, high = zero_error_bound(1.0, families=20, level=0.95)
    >>> round(low, 4), high
    (0.8316, 1.0)
    """
    reach = 1.0 - ((1.0 - level) / 2.0) ** (1.0 / families)
    return (1.0 - reach, 1.0) if value >= 0.5 else (0.0, reach)


def _quantile(df: float, level: float) -> float:
    upper = (1.0 + level) / 2.0
    return float(
        distributions.norm_ppf(upper) if math.isinf(df) else distributions.t_ppf(upper, df)
    )


def _expit(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= -700 else 0.0


def rate_interval(
    value: float, se: float, *, families: int, df: float, level: float
) -> tuple[float, float] | None:
    """The interval of a mean in 0..1: logit scale, at the corners the zero-error bound.

    None when there are fewer than two families, or when the families do not differ at all
    (standard error 0) though the mean lies strictly inside 0..1; `why_no_interval` says which.
    """
    if families < 2 or not np.isfinite(se):
        return None
    if se < 1e-15:
        if value in (0.0, 1.0):
            return zero_error_bound(value, families=families, level=level)
        return None
    if not 0.0 < value < 1.0:
        low, high = plain_interval(value, se, df=df, level=level)
        return min(max(low, 0.0), 1.0), max(min(high, 1.0), 0.0)
    return logit_interval(value, se, df=df, level=level)


def why_no_interval(families: int) -> str:
    """The reason that goes with a missing interval.

    Examples
    --------
    >>> why_no_interval(1)
    'fewer than 2 families'
    """
    return FEW_FAMILIES if families < 2 else NO_VARIATION
