"""How well is a standard deviation known after a few repeats? Badly: five leave .60 s to 2.87 s.

Source: the chi-square interval of a normal variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from voirdire.stats import distributions

from .registry import formula
from .scores import check_level

__all__ = ["repeats_for_sd_precision", "sd_bounds", "sd_factors", "sd_upper_factor"]


@formula
def sd_factors(repeats: int, *, level: float = 0.95) -> tuple[float, float]:
    """Factors that turn a standard deviation of `repeats` values into its interval.

    Parameters
    ----------
    repeats : int
        At least 2.
    level : float
        Two-sided.

    Raises
    ------
    ValueError
        On fewer than 2 repeats or a bad `level`.

    Examples
    --------
    >>> low, high = sd_factors(5)
    >>> round(low, 3), round(high, 3)
    (0.599, 2.874)
    """
    if repeats < 2:
        raise ValueError(f"repeats must be >= 2, got {repeats}")
    return sd_bounds(1.0, df=repeats - 1, level=level)


@formula
def sd_upper_factor(repeats: int, *, level: float = 0.90) -> float:
    """Factor of the one-sided upper bound of a standard deviation.

    Raises
    ------
    ValueError
        On fewer than 2 repeats or a bad `level`.

    Examples
    --------
    >>> round(sd_upper_factor(5), 4)
    1.9393
    """
    check_level(level)
    if repeats < 2:
        raise ValueError(f"repeats must be >= 2, got {repeats}")
    df = repeats - 1
    return math.sqrt(df / float(distributions.chi2_ppf(1.0 - level, df)))


@formula
def sd_bounds(sd: float, *, df: float, level: float = 0.95) -> tuple[float, float]:
    """Interval of a standard deviation estimated with `df` degrees of freedom (may be fractional).

    Raises
    ------
    ValueError
        If `sd` < 0, `df` <= 0 or `level` is not in (0, 1).

    Examples
    --------
    >>> low, high = sd_bounds(0.02, df=7)
    >>> round(low, 4), round(high, 4)
    (0.0132, 0.0407)
    """
    check_level(level)
    if sd < 0 or df <= 0:
        raise ValueError(f"sd must be >= 0 and df > 0, got sd={sd!r}, df={df!r}")
    low = float(distributions.chi2_ppf((1 - level) / 2, df))
    high = float(distributions.chi2_ppf((1 + level) / 2, df))
    if low <= 0:  # so few degrees of freedom that the quantile underflows
        return sd * math.sqrt(df / high), math.inf if sd > 0 else 0.0
    return sd * math.sqrt(df / high), sd * math.sqrt(df / low)


@formula
def repeats_for_sd_precision(
    relative: float | Sequence[float], *, confidence: float = 0.95
) -> int | tuple[int, ...]:
    """Repeats needed so that the standard deviation is within ``± relative`` of the true one.

    Parameters
    ----------
    relative : float or sequence of float
        Between 0 and 1: .2 means 20 percent.
    confidence : float
        Both chi-square quantiles at this level must lie inside.

    Raises
    ------
    ValueError
        If a precision or the confidence is not in (0, 1).

    Examples
    --------
    >>> repeats_for_sd_precision([0.5, 0.3, 0.2, 0.1])
    (9, 23, 49, 193)
    """
    check_level(confidence, name="confidence")
    if isinstance(relative, Sequence):
        return tuple(_repeats(one, confidence) for one in relative)
    return _repeats(relative, confidence)


def _repeats(relative: float, confidence: float) -> int:
    check_level(relative, name="relative")

    def enough(n: int) -> bool:
        df = n - 1
        low = math.sqrt(float(distributions.chi2_ppf((1 - confidence) / 2, df)) / df)
        high = math.sqrt(float(distributions.chi2_ppf((1 + confidence) / 2, df)) / df)
        return low >= 1 - relative and high <= 1 + relative

    few, many = 1, 2
    while not enough(many):
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if enough(middle) else (middle, many)
    return many
