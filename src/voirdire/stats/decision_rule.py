"""Three answers instead of two: a bound decides, never a point estimate."""

from __future__ import annotations

import math
from typing import Literal

from voirdire.records import GateAnswer
from voirdire.stats.registry import formula

__all__ = ["three_way"]


@formula
def three_way(
    lower: float | None,
    upper: float | None,
    floor: float,
    *,
    direction: Literal["at least", "at most"] = "at least",
) -> GateAnswer:
    """Compare one-sided bounds with a pre-registered limit.

    Parameters
    ----------
    lower, upper : float or None
        One-sided 95 % bounds of the quantity (the two ends of a two-sided 90 % interval). None
        or NaN: there is no bound, so nothing can be concluded.
    floor : float
        The limit the quantity must keep.
    direction : {'at least', 'at most'}
        'at least' for quantities that must be large (kappa, recall, negation flip rate),
        'at most' for those that must be small (blind rate, flip rate between repeats).

    Returns
    -------
    GateAnswer
        'accept' if the bound on the wrong side still keeps the limit, 'reject' if even the
        bound on the good side breaks it, 'inconclusive' otherwise.

    Raises
    ------
    ValueError
        If ``floor`` is not a finite number, ``direction`` is unknown, or lower > upper.

    Examples
    --------
    >>> three_way(0.62, 0.85, 0.60), three_way(0.41, 0.58, 0.60), three_way(0.50, 0.80, 0.60)
    ('accept', 'reject', 'inconclusive')
    >>> three_way(0.01, 0.08, 0.10, direction="at most")
    'accept'
    """
    if not math.isfinite(floor):
        raise ValueError(f"floor must be a finite number, got {floor}")
    if direction not in ("at least", "at most"):
        raise ValueError(f"direction must be 'at least' or 'at most', got {direction!r}")
    low = -math.inf if lower is None or math.isnan(lower) else lower
    high = math.inf if upper is None or math.isnan(upper) else upper
    if low > high:
        raise ValueError(f"lower must be <= upper, got {lower} > {upper}")
    if direction == "at most":
        low, high, floor = -high, -low, -floor
    if low >= floor:
        return "accept"
    return "reject" if high < floor else "inconclusive"
