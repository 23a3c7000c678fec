"""Two judges on the same independent claims: McNemar's test and Tango's interval.

Only for claims that are each their own family (or one chosen variant per family). When several
variants of a claim are in the data, use `compare_accuracy`, which treats the family as the unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from voirdire.records import Estimate, Record
from voirdire.stats import distributions
from voirdire.stats.reasons import NO_DISCORDANT, NO_ITEMS
from voirdire.stats.registry import formula
from voirdire.stats.scores import numbers

__all__ = ["McNemar", "mcnemar", "paired_table", "tango_interval"]

METHOD = "paired difference of proportions, Tango score interval"


class McNemar(Record):
    """Result of `mcnemar`.

    Attributes
    ----------
    both, only_first, only_second, neither : int
        Pairs by who was right.
    difference : Estimate
        Share right of the first minus that of the second, with Tango's score interval.
    exact_p, mid_p : float or None
        Two-sided; the mid-p is the one to use, the exact one is conservative. 1.0 without
        discordant pairs, None without pairs.
    chi2, asymptotic_p : float or None
        Statistic without continuity correction; None without discordant pairs.
    """

    both: int
    only_first: int
    only_second: int
    neither: int
    difference: Estimate
    exact_p: float | None
    mid_p: float | None
    chi2: float | None
    asymptotic_p: float | None


@formula
def paired_table(first_right: ArrayLike, second_right: ArrayLike) -> NDArray[np.int64]:
    """Count pairs by who was right.

    Parameters
    ----------
    first_right, second_right : array_like of bool, shape (C,)
        Whether each judge was right on each claim; NaN (a claim not judged) drops the pair.

    Returns
    -------
    ndarray of int, shape (2, 2)
        ``[[both, only first], [only second, neither]]``.

    Raises
    ------
    ValueError
        If the arrays are not one-dimensional and of equal length.

    Examples
    --------
    >>> paired_table([1, 1, 0, 0, float("nan")], [1, 0, 1, 0, 1]).tolist()
    [[1, 1], [1, 1]]
    """
    first = numbers(first_right, name="first_right")
    second = numbers(second_right, name="second_right")
    if first.shape != second.shape:
        raise ValueError(
            "first_right and second_right must be one-dimensional and of equal length, "
            f"got shapes {first.shape} and {second.shape}"
        )
    known = ~(np.isnan(first) | np.isnan(second))
    cell = 2 * (first[known] == 0) + (second[known] == 0)
    return np.bincount(cell.astype(np.int64), minlength=4).reshape(2, 2)


@formula
def mcnemar(table: ArrayLike, *, level: float = 0.95) -> McNemar:
    """McNemar's exact, mid-p and asymptotic test, with Tango's interval of the difference.

    Parameters
    ----------
    table : array_like of int, shape (2, 2)
        ``[[both right, only first], [only second, neither]]``, see `paired_table`.
    level : float
        Confidence level of the interval.

    Returns
    -------
    McNemar
        Without discordant pairs: difference 0, p = 1, and a note that these items cannot tell
        the judges apart. Without pairs: undefined, 'no items'.

    Raises
    ------
    ValueError
        If the table is not 2 x 2 of non-negative whole numbers, or level is outside (0, 1).

    References
    ----------
    Fagerland, Lydersen & Laake (2013), BMC Med Res Methodol 13:91; Tango (1998), Statistics in
    Medicine 17:891-908.

    Examples
    --------
    >>> result = mcnemar([[1, 1], [7, 12]])
    >>> round(result.exact_p, 4), round(result.mid_p, 4), round(result.difference.value, 4)
    (0.0703, 0.0391, -0.2857)
    """
    both, first, second, neither = _checked_table(table)
    n, discordant = both + first + second + neither, first + second
    if n == 0:
        return McNemar(
            both=0,
            only_first=0,
            only_second=0,
            neither=0,
            difference=Estimate.not_defined(NO_ITEMS, method=METHOD, level=level),
            exact_p=None,
            mid_p=None,
            chi2=None,
            asymptotic_p=None,
        )
    low, high = tango_interval(table, level=level)
    exact, mid = _binomial_p(first, second)
    chi2 = (first - second) ** 2 / discordant if discordant else None
    return McNemar(
        both=both,
        only_first=first,
        only_second=second,
        neither=neither,
        difference=Estimate(
            value=(first - second) / n,
            low=low,
            high=high,
            level=level,
            n=n,
            n_asked=n,
            families=n,
            method=METHOD,
            notes=() if discordant else (NO_DISCORDANT,),
        ),
        exact_p=exact,
        mid_p=mid,
        chi2=chi2,
        asymptotic_p=None if chi2 is None else float(distributions.chi2_sf(chi2, 1)),
    )


@formula
def tango_interval(table: ArrayLike, *, level: float = 0.95) -> tuple[float, float]:
    """Tango's score interval for a difference of paired proportions.

    Parameters
    ----------
    table : array_like of int, shape (2, 2)
        ``[[both right, only first], [only second, neither]]``.
    level : float
        Confidence level.

    Returns
    -------
    (float, float)
        Bounds of ``P(first right) - P(second right)``; (-1, 1) without pairs. Unlike Wald's
        interval it has a width when there are no discordant pairs.

    Raises
    ------
    ValueError
        If the table is not 2 x 2 of non-negative whole numbers, or level is outside (0, 1).

    References
    ----------
    Tango (1998), Statistics in Medicine 17:891-908.

    Examples
    --------
    >>> [round(bound, 4) for bound in tango_interval([[1, 1], [7, 12]])]
    [-0.5172, -0.026]
    """
    both, first, second, neither = _checked_table(table)
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}")
    n = both + first + second + neither
    if n == 0:
        return -1.0, 1.0
    z = float(special.ndtri((1 + level) / 2))
    score = _tango_score(first, second, n)
    difference = (first - second) / n
    return (
        _crossing(lambda d: score(d) - z, difference, -1.0),
        _crossing(lambda d: score(d) + z, difference, 1.0),
    )


def _tango_score(first: int, second: int, n: int) -> Callable[[float], float]:
    """The score statistic of "the true difference is d", decreasing in d."""

    def score(d: float) -> float:
        a = 2.0 * n
        b = -first - second + (2 * n - first + second) * d
        c = -second * d * (1 - d)
        restricted = (math.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
        variance = n * (2 * restricted + d * (1 - d))
        distance = first - second - n * d
        if variance <= 1e-12 * n:
            return 0.0 if abs(distance) < 1e-9 * n else math.copysign(math.inf, distance)
        return distance / math.sqrt(variance)

    return score


def _crossing(function: Callable[[float], float], inside: float, outside: float) -> float:
    """Root between the estimate and the end of the scale; the end itself when there is none."""
    edge = outside * (1 - 1e-12)
    if inside == outside or np.sign(function(inside)) == np.sign(function(edge)):
        return outside
    return float(optimize.brentq(lambda d: _finite(function(d)), inside, edge, xtol=1e-13))


def _finite(value: float) -> float:
    return max(-1e9, min(1e9, value))


def _binomial_p(first: int, second: int) -> tuple[float, float]:
    """Exact and mid-p, two-sided, of the discordant pairs splitting as they did."""
    discordant, smaller = first + second, min(first, second)
    if discordant == 0:
        return 1.0, 1.0
    below = float(distributions.binom_cdf(smaller, discordant, 0.5))
    point = float(distributions.binom_pmf(smaller, discordant, 0.5))
    return min(1.0, 2 * below), min(1.0, 2 * below - point)


def _checked_table(table: ArrayLike) -> tuple[int, int, int, int]:
    counts = np.asarray(table, dtype=np.float64)
    if counts.shape != (2, 2):
        raise ValueError(f"table must have shape (2, 2), got {counts.shape}")
    if not np.all(np.isfinite(counts)) or np.any(counts < 0) or np.any(counts % 1):
        raise ValueError(f"table must hold whole numbers >= 0, got {counts.tolist()}")
    both, first, second, neither = counts.astype(np.int64).ravel().tolist()
    return both, first, second, neither
