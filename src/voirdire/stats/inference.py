"""From sums per family to an `Estimate`: value, interval, method, and every way it can fail.

The interval is the delete-one-family jackknife with t(G-1) on the Fisher-z scale: coverage .905 to
.977 at 20 families of three, lower bound missed in at most 1.4 % (2.5 % is nominal). What happens
where that recipe has no answer is decided here, once for all statistics.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from voirdire.records import Estimate
from voirdire.stats.counts import FamilySums
from voirdire.stats.intervals import Interval, check_level, fisher_z_interval, zero_error_bound
from voirdire.stats.jackknife import SumFunction, jackknife_replicates, linearised_se
from voirdire.stats.reasons import (
    FEW_FAMILIES,
    NO_ITEMS,
    NO_VARIATION,
    ONE_FAMILY_CARRIES_A_CLASS,
)

__all__ = ["Recipe", "estimate"]

#: Distance from 1 (or spread of replicates) below which rounding is all that is left.
TINY = 1e-10


@dataclass(frozen=True)
class Recipe:
    """What is needed to infer on one statistic.

    Attributes
    ----------
    name : str
        For ``Estimate.method``.
    value : callable
        From sums of shape (..., S) to values of shape (...); nan where undefined.
    undefined : str
        Reason when the value is nan.
    lowest : float
        Smallest possible value, to which the interval is cut: -1, or 0 for means of rates.
    at_one : callable, optional
        From the share of agreement that zero errors in G families still allow, to the lower bound
        of the statistic when its value is 1.
    when_flat : callable, optional
        From that share to an interval when all families are alike (a constant judge, say) and the
        standard error is 0; None where there is nothing to say.
    flat_reason : str
        Why there is no interval in that case.
    bound_families : float, optional
        Families behind ``at_one``; default all.
    """

    name: str
    value: SumFunction
    undefined: str
    lowest: float = -1.0
    at_one: Callable[[float], float] | None = None
    when_flat: Callable[[float], Interval | None] | None = None
    flat_reason: str = NO_VARIATION
    bound_families: float | None = None


def estimate(
    sums: FamilySums, recipe: Recipe, *, level: float = 0.95, notes: tuple[str, ...] = ()
) -> Estimate:
    """Value and family-jackknife interval of a statistic.

    Parameters
    ----------
    sums : FamilySums
        Sums per family.
    recipe : Recipe
        The statistic.
    level : float
        Two-sided level.
    notes : tuple of str
        Warnings to attach.

    Returns
    -------
    Estimate
        Undefined: "no items", or the recipe's reason. No interval: "fewer than 2 families", "no
        variation between families". When leaving one family out makes the statistic undefined,
        the interval uses the linearised standard error and a note says "one family carries a
        class".
    """
    check_level(level)
    if sums.n == 0 or sums.families == 0:
        return Estimate.not_defined(
            NO_ITEMS, method=recipe.name, n_asked=sums.n_asked, families=0, level=level, notes=notes
        )
    with np.errstate(all="ignore"):
        value = float(np.real(recipe.value(sums.total)))
    if math.isnan(value):
        return Estimate.not_defined(
            recipe.undefined,
            method=recipe.name,
            n=sums.n,
            n_asked=sums.n_asked,
            families=sums.families,
            level=level,
            notes=notes,
        )
    ends, method, reason, more = _interval(sums, recipe, value, level)
    if ends is not None:
        ends = Interval(max(recipe.lowest, ends.low), min(1.0, max(recipe.lowest, ends.high)))
    unit = "" if sums.grouped else ", items taken as independent"
    return Estimate(
        value=value,
        low=None if ends is None else ends.low,
        high=None if ends is None else ends.high,
        level=level,
        n=sums.n,
        n_asked=sums.n_asked,
        families=sums.families,
        method=f"{recipe.name}{f', {method}' if method else ''}{unit}",
        no_interval=reason,
        notes=notes + more,
    )


Answer = tuple[Interval | None, str, str | None, tuple[str, ...]]


def _interval(sums: FamilySums, recipe: Recipe, value: float, level: float) -> Answer:
    """Interval, its method, the reason why there is none, notes."""
    families = sums.families
    if families < 2:
        return None, "", FEW_FAMILIES, ()
    share = zero_error_bound(recipe.bound_families or families, level=level)
    if value > 1 - TINY:
        if recipe.at_one is None:
            return None, "", NO_VARIATION, ()
        low = min(value, recipe.at_one(share))
        return Interval(low, max(1.0, value)), "zero-error bound over families", None, ()
    left_out = jackknife_replicates(sums, recipe.value)
    se, method = left_out.se, "family jackknife t, Fisher z"
    notes: tuple[str, ...] = ()
    if not left_out.complete:
        se, method = linearised_se(sums, recipe.value), "family-linearised t, Fisher z"
        notes = (ONE_FAMILY_CARRIES_A_CLASS,)
    if not math.isfinite(se) or se < TINY or value < -1 + TINY:
        flat = recipe.when_flat(share) if recipe.when_flat else None
        if flat is None:
            return None, "", recipe.flat_reason, notes
        flat = Interval(min(value, flat.low), max(value, flat.high))
        return flat, "zero-error bound over families", None, notes
    return fisher_z_interval(value, se, families - 1, level=level), method, None, notes
