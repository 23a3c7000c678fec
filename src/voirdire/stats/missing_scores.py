"""A mean with missing scores: what it is if all missing were 0, and if all were 1.

"NaN as 0" here and "mean of the valid" there are different numbers; a missing rate that rises from
0 to 6 % alone trips a 5 % drop alarm on the first. So both ends are shown, with the missing rate
as a number of its own.

Source: Manski (1990), worst-case bounds; interval of Imbens & Manski (2004).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pydantic import Field
from scipy import optimize

from voirdire.records.estimates import Estimate, Record
from voirdire.stats import distributions

from .bounded import clustered_ratio, rate_interval, why_no_interval
from .registry import statistic
from .scores import FloatArray, IntArray, check_level, family_codes, numbers

__all__ = ["MissingBounds", "imbens_manski", "missing_bounds"]


class MissingBounds(Record):
    """A mean of scores in 0..1, some of them missing.

    Attributes
    ----------
    mean_valid : Estimate
        Over the scores that are there: the mean if they are missing at random.
    missing_as_0, missing_as_1 : Estimate
        The ends between which the full mean lies, whatever the missing scores are.
    missing_rate : Estimate
    critical : float or None
        Imbens-Manski critical value, between the one- and the two-sided normal quantile.
    low, high : float or None
        Imbens-Manski interval of the full mean, not cut to 0..1.
    comparable : bool
        False when the missing rate exceeds `most_missing`: show the bounds only, decide nothing.
    """

    mean_valid: Estimate
    missing_as_0: Estimate
    missing_as_1: Estimate
    missing_rate: Estimate
    critical: float | None = Field(default=None)
    low: float | None = None
    high: float | None = None
    comparable: bool = False


@statistic(kind="rate", renaming="none", duplication=True)
def missing_bounds(
    scores: Any,
    *,
    family: Any | None = None,
    level: float = 0.95,
    most_missing: float = 0.10,
) -> MissingBounds:
    """Mean of the valid scores, its two ends, and the missing rate.

    Parameters
    ----------
    scores : sequence, shape (n,)
        In 0..1; None, NaN and text are missing.
    family : sequence, shape (n,), optional
        Families; all standard errors are clustered.
    level : float
    most_missing : float
        Missing rate above which nothing may be compared.

    Returns
    -------
    MissingBounds
        Undefined: ``no items``; ``… outside 0..1``; the valid mean with ``all scores missing``
        (the two ends are then 0 and 1).

    Raises
    ------
    ValueError
        If `family` has another length, or `level` or `most_missing` is not in (0, 1).

    Examples
    --------
    >>> bounds = missing_bounds([1, 1, 0, 0.5, None, 1, None, 0.75, 1, 0])
    >>> bounds.mean_valid.value, bounds.missing_as_0.value, bounds.missing_as_1.value
    (0.65625, 0.525, 0.725)
    >>> round(bounds.low, 3), round(bounds.high, 3), bounds.comparable
    (0.274, 0.943, False)
    """
    check_level(level)
    check_level(most_missing, name="most_missing")
    values = numbers(scores, name="scores")
    codes = family_codes(family, len(values))
    gone = np.isnan(values)
    outside = int(((values < 0) | (values > 1)).sum())
    reason = "no items" if len(values) == 0 else f"{outside} score(s) outside 0..1"
    if len(values) == 0 or outside:
        none = Estimate.not_defined(reason, method="mean", n=0, n_asked=len(values), level=level)
        return MissingBounds(
            mean_valid=none, missing_as_0=none, missing_as_1=none, missing_rate=none
        )
    lowest = _mean(np.where(gone, 0.0, values), codes, "mean, missing as 0", level)
    highest = _mean(np.where(gone, 1.0, values), codes, "mean, missing as 1", level)
    rate = _mean(gone.astype(np.float64), codes, "missing rate", level, k=int(gone.sum()))
    valid = (
        Estimate.not_defined(
            "all scores missing", method="mean of valid", n_asked=len(values), level=level
        )
        if gone.all()
        else _mean(values[~gone], codes[~gone], "mean of valid", level, n_asked=len(values))
    )
    critical, low, high = imbens_manski(
        np.where(gone, 0.0, values), np.where(gone, 1.0, values), codes, level=level
    )
    return MissingBounds(
        mean_valid=valid,
        missing_as_0=lowest,
        missing_as_1=highest,
        missing_rate=rate,
        critical=critical,
        low=low,
        high=high,
        comparable=bool(gone.mean() <= most_missing),
    )


def _mean(
    values: FloatArray,
    codes: IntArray,
    name: str,
    level: float,
    *,
    n_asked: int | None = None,
    k: int | None = None,
) -> Estimate:
    codes = np.unique(codes, return_inverse=True)[1].reshape(-1).astype(np.int64)
    value, se, families = clustered_ratio(values, np.ones(len(values)), codes)
    value = min(max(value, 0.0), 1.0)
    interval = rate_interval(value, se, families=families, df=families - 1, level=level)
    low, high = interval if interval is not None else (None, None)
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        n=len(values),
        n_asked=n_asked if n_asked is not None else len(values),
        families=families,
        k=k,
        method=f"{name}, family-clustered, logit scale, t",
        no_interval=None if interval is not None else why_no_interval(families),
    )


def imbens_manski(
    lowest: FloatArray, highest: FloatArray, codes: IntArray, *, level: float
) -> tuple[float | None, float | None, float | None]:
    """Critical value and interval of a mean known only to lie between two means.

    ``Phi(c + (upper - lower)/max(se_l, se_u)) - Phi(-c) = level``; interval
    ``[lower - c se_l, upper + c se_u]``. None with fewer than two families.

    Examples
    --------
    >>> x = np.array([1.0, 0.0, 1.0, 0.5])
    >>> critical, low, high = imbens_manski(x, x, np.arange(4), level=0.95)
    >>> round(critical, 3)  # nothing missing: the two-sided quantile
    1.96
    """
    ones = np.ones(len(lowest))
    lower, se_l, families = clustered_ratio(lowest, ones, codes)
    upper, se_u, _ = clustered_ratio(highest, ones, codes)
    if families < 2:
        return None, None, None
    widest = max(se_l, se_u)
    gap = (upper - lower) / widest if widest > 0 else math.inf

    def excess(c: float) -> float:
        return float(distributions.norm_cdf(c + gap) - distributions.norm_cdf(-c)) - level

    critical = float(optimize.brentq(excess, 0.0, 10.0, xtol=1e-12))
    return critical, lower - critical * se_l, upper + critical * se_u
