"""Recipes for the chance-corrected coefficients of two raters.

Each coefficient is ``(observed - expected) / (1 - expected)``; a recipe also knows what the bound
is when every family agreed, and when the judge gave one answer only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.stats import tables
from voirdire.stats.counts import FamilyCounts
from voirdire.stats.inference import Recipe
from voirdire.stats.intervals import Interval
from voirdire.stats.jackknife import SumFunction
from voirdire.stats.reasons import JUDGE_CONSTANT, NO_VARIATION, ONE_LABEL, REFERENCE_CONSTANT
from voirdire.stats.tables import TableFunction

__all__ = ["coefficient_recipe", "constant_judge_interval", "of_sums", "why_constant"]

Array = NDArray[Any]


def of_sums(function: TableFunction, size: int) -> SumFunction:
    """A function of tables (..., L, L) as a function of flat sums (..., L*L)."""
    return lambda sums: function(sums.reshape(*sums.shape[:-1], size, size))


def why_constant(table: Array) -> str | None:
    """Which rater used one label only: a reason, or None when neither did."""
    reference, judge = (table.sum(axis=1) > 0).sum(), (table.sum(axis=0) > 0).sum()
    if reference == 1 and judge == 1:
        return ONE_LABEL
    if judge == 1:
        return JUDGE_CONSTANT
    return REFERENCE_CONSTANT if reference == 1 else None


def coefficient_recipe(
    counts: FamilyCounts,
    name: str,
    chance: Callable[..., Array],
    *,
    weights: Array | None = None,
    value: TableFunction | None = None,
) -> Recipe:
    """The recipe of a chance-corrected coefficient.

    Parameters
    ----------
    counts : FamilyCounts
        The data.
    name : str
        For ``Estimate.method``.
    chance : callable
        Expected agreement of tables (..., L, L); one of `voirdire.stats.tables`.
    weights : ndarray, shape (L, L), optional
        Agreement weights.
    value : callable, optional
        The coefficient where it is not ``(observed - expected) / (1 - expected)`` (MCC); ``chance``
        then serves the bound at perfect agreement only.

    Returns
    -------
    Recipe
    """

    def corrected(table: Array) -> Array:
        return tables.chance_corrected(table, chance, weights=weights)

    function = value or corrected
    table = counts.table
    reason = why_constant(table)

    def bound(share: float) -> float:
        with np.errstate(all="ignore"):
            expected = float(chance(table, weights=weights))
        return (share - expected) / (1 - expected)

    def flat(share: float) -> Interval | None:
        if float(np.trace(table)) == 0 and weights is None:
            return Interval(-1.0, bound(1 - share))
        return constant_judge_interval(table, function, share)

    return Recipe(
        name=name,
        value=of_sums(function, len(counts.labels)),
        undefined=reason or ONE_LABEL,
        at_one=bound,
        when_flat=flat,
        flat_reason=reason or NO_VARIATION,
    )


def constant_judge_interval(table: Array, function: TableFunction, share: float) -> Interval | None:
    """What a judge that gave one answer to all G families could still be worth.

    All replicates of a constant judge are equal, so the jackknife sees no error. But G equal
    answers only show that other answers have a share of at most ``q = 1 - alpha^(1/G)``. The
    ends are the values when that share of answers changes, all for the better or all for the worse.

    Parameters
    ----------
    table : ndarray, shape (L, L)
        Counts.
    function : callable
        The statistic.
    share : float
        ``alpha^(1/G)``.

    Returns
    -------
    Interval or None
        None when the judge is not constant or the reference is.
    """
    if why_constant(table) != JUDGE_CONSTANT:
        return None
    answer = int(table.sum(axis=0).argmax())
    shares = table / table.sum()
    wrong = shares[:, answer].copy()
    wrong[answer] = 0.0
    right = float(shares[answer, answer])
    better, worse = shares.copy(), shares.copy()
    moved = wrong * min(1.0, (1 - share) / float(wrong.sum()))
    better[:, answer] -= moved
    better += np.diag(moved)
    lost = min(1 - share, right)
    worse[answer, answer] -= lost
    others = np.arange(len(table)) != answer
    worse[answer, others] += lost / others.sum()
    with np.errstate(all="ignore"):
        ends = sorted((float(function(worse)), float(function(better))))
    return None if np.isnan(ends).any() else Interval(*ends)
