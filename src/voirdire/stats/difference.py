"""A difference (or another unbounded number) from sums per family: value, t interval, reasons.

The sibling of `voirdire.stats.inference.estimate` for numbers that live on no Fisher-z scale. What
happens where the jackknife has no answer is decided here, once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from voirdire.records import Estimate
from voirdire.stats.counts import FamilySums
from voirdire.stats.intervals import Interval, t_interval
from voirdire.stats.jackknife import SumFunction, jackknife
from voirdire.stats.mcnemar import tango_interval
from voirdire.stats.reasons import FEW_FAMILIES, NO_VARIATION, ONE_FAMILY_CARRIES_A_CLASS

__all__ = ["Difference", "family_difference"]

TINY = 1e-12


class Difference(NamedTuple):
    """A value with what its interval at any level is made from.

    Attributes
    ----------
    value : float
    se : float or None
        Jackknife standard error; None when there is none.
    families : int
    flat : bool
        All families show no difference at all: the interval is Tango's on families.
    reason : str or None
        Why there is no interval.
    """

    value: float
    se: float | None
    families: int
    flat: bool
    reason: str | None

    def interval(self, level: float) -> Interval | None:
        """The two-sided interval, or None."""
        if self.reason is not None:
            return None
        if self.flat:
            return Interval(*tango_interval([[self.families, 0], [0, 0]], level=level))
        return t_interval(self.value, self.se or 0.0, self.families - 1, level=level)

    def estimate(
        self,
        sums: FamilySums,
        method: str,
        *,
        level: float,
        notes: tuple[str, ...] = (),
        span: tuple[float, float] = (-math.inf, math.inf),
    ) -> Estimate:
        """The `Estimate`, with the interval cut to the possible span."""
        how = "Tango score interval on families" if self.flat else "family jackknife t"
        unit = "" if sums.grouped else ", items taken as independent"
        ends = self.interval(level)
        return Estimate(
            value=self.value,
            low=max(span[0], ends.low) if ends else None,
            high=min(span[1], ends.high) if ends else None,
            level=level,
            n=sums.n,
            n_asked=sums.n_asked,
            families=self.families,
            method=f"{method}, {how}{unit}",
            no_interval=self.reason,
            notes=notes,
        )


def family_difference(
    sums: FamilySums, statistic: SumFunction, *, no_difference: bool = False
) -> Difference:
    """Leave out one family at a time.

    Parameters
    ----------
    sums : FamilySums
    statistic : callable
        From sums (..., S) to values (...).
    no_difference : bool
        Every single item shows a difference of 0, a share in [-1, 1]: families bound it then,
        although the standard error is 0.

    Returns
    -------
    Difference
        Reasons: 'fewer than 2 families', 'one family carries a class' (undefined without it), 'no
        variation between families'.

    Examples
    --------
    >>> import numpy as np
    >>> sums = FamilySums(np.array([[1.0, 2], [0, 2]]), np.ones(2), 4, 4, True)
    >>> found = family_difference(sums, lambda t: t[..., 0] / t[..., 1])
    >>> found.value, found.se, found.families
    (0.25, 0.25, 2)
    """
    left_out = jackknife(sums, statistic)
    families = sums.families
    se = left_out.se if families > 1 and left_out.complete else None
    flat = no_difference and families > 1
    reason = None
    if families < 2:
        reason = FEW_FAMILIES
    elif flat:
        pass
    elif se is None:
        reason = ONE_FAMILY_CARRIES_A_CLASS
    elif se < TINY:
        reason = NO_VARIATION
    return Difference(left_out.value, se, families, flat, reason)
