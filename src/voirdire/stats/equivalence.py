"""Not worse than, and as good as: one-sided tests against a margin fixed beforehand."""

from __future__ import annotations

import math

from scipy import special

from voirdire.records import Record
from voirdire.stats.intervals import Interval, t_interval
from voirdire.stats.reasons import FEW_FAMILIES, NO_VARIATION
from voirdire.stats.registry import formula

__all__ = ["Equivalence", "equivalence_test"]


class Equivalence(Record):
    """Result of `equivalence_test`.

    Attributes
    ----------
    noninferior_p : float or None
        Against "the first is worse by the margin or more".
    equivalent_p : float or None
        Two one-sided tests: against "they differ by the margin or more".
    low, high : float or None
        Two-sided interval at ``1 - 2 alpha``: non-inferior if low > -margin, equivalent if it
        lies within ±margin.
    noninferior, equivalent : bool
        At level alpha. False when undefined.
    undefined : str or None
        'no variation between families' or 'fewer than 2 families'.
    """

    noninferior_p: float | None
    equivalent_p: float | None
    low: float | None
    high: float | None
    noninferior: bool
    equivalent: bool
    undefined: str | None = None


@formula
def equivalence_test(
    difference: float,
    *,
    se: float | None,
    df: float,
    margin: float,
    alpha: float = 0.05,
) -> Equivalence:
    """Non-inferiority and equivalence (TOST) of a difference with a standard error.

    Parameters
    ----------
    difference : float
        First minus second; larger is better.
    se : float or None
        Its standard error. None or 0: the data show no variation, nothing is concluded.
    df : float
        Degrees of freedom, families - 1.
    margin : float
        How much worse would still do, > 0; fixed before the data are seen (0.05 for accuracy,
        0.10 for kappa).
    alpha : float
        One-sided level.

    Returns
    -------
    Equivalence

    Raises
    ------
    ValueError
        If margin <= 0, se < 0 or alpha outside (0, 0.5).

    References
    ----------
    Schuirmann (1987), J. Pharmacokinetics and Biopharmaceutics 15:657-680.

    Examples
    --------
    >>> result = equivalence_test(-0.02, se=0.035, df=19, margin=0.1)
    >>> round(result.noninferior_p, 5), result.noninferior, result.equivalent
    (0.01697, True, True)
    """
    if not 0 < margin < math.inf:
        raise ValueError(f"margin must be > 0, got {margin}")
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha must be between 0 and 0.5, got {alpha}")
    if se is not None and se < 0:
        raise ValueError(f"se must be >= 0, got {se}")
    if df < 1 or not se or not math.isfinite(se):
        return Equivalence(
            noninferior_p=None,
            equivalent_p=None,
            low=None,
            high=None,
            noninferior=False,
            equivalent=False,
            undefined=FEW_FAMILIES if df < 1 else NO_VARIATION,
        )
    not_worse = float(special.stdtr(df, -(difference + margin) / se))
    not_better = float(special.stdtr(df, (difference - margin) / se))
    both = max(not_worse, not_better)
    ends: Interval = t_interval(difference, se, df, level=1 - 2 * alpha)
    return Equivalence(
        noninferior_p=not_worse,
        equivalent_p=both,
        low=ends.low,
        high=ends.high,
        noninferior=not_worse < alpha,
        equivalent=both < alpha,
    )
