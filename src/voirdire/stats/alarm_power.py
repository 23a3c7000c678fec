"""What a limit will see and what it costs: power, detectable drop, items, false alarms."""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize

from voirdire.stats import distributions

from .prediction_limit import prediction_factor
from .registry import formula
from .scores import FloatArray, check_level

__all__ = ["alarm_probability", "detectable_drop", "false_alarms_per_year", "items_for_drop"]

# midpoints of equal slices of the distribution of s; 4000 leave an error below 1e-4
_SLICES = 4000


@formula
def alarm_probability(
    drop: float, *, sd: float, df: float, k: int = 4, alpha: float = 0.05, margin: float = 0.0
) -> float:
    """Chance that one evaluation fires when the true mean has dropped by `drop`.

    Averages over the estimation of s: ``E_s Phi((drop - max(t s c, margin)) / (sd c))`` with
    ``c = sqrt(1 + 1/k)``. With ``drop = 0`` it is the false-alarm rate of the limit.

    Parameters
    ----------
    drop : float
        True drop, in units of the metric.
    sd : float
        True standard deviation of an evaluation, > 0.
    df : float
        Degrees of freedom with which it is estimated.
    k : int
    alpha : float
        Promised false alarms per evaluation.
    margin : float
        Practical margin in units of the metric, >= 0.

    Raises
    ------
    ValueError
        On a standard deviation, margin, df, k or alpha out of range.

    Examples
    --------
    >>> round(alarm_probability(0.0, sd=0.02, df=7, alpha=0.05), 3)
    0.05
    >>> round(alarm_probability(0.08, sd=0.02, df=7, alpha=0.05), 3)
    0.941
    """
    if not sd > 0 or margin < 0:
        raise ValueError(f"sd must be > 0 and margin >= 0, got sd={sd!r}, margin={margin!r}")
    factor = prediction_factor(df, k=k, alpha=alpha)
    scale = sd * math.sqrt(1 + 1 / k)
    if math.isinf(df):
        ratio: FloatArray = np.ones(1)
    else:
        middle = (np.arange(_SLICES) + 0.5) / _SLICES
        ratio = np.asarray(np.sqrt(distributions.chi2_ppf(middle, df) / df), dtype=np.float64)
    limit = np.maximum(factor * sd * ratio, margin)
    return float(distributions.norm_cdf((drop - limit) / scale).mean())


@formula
def detectable_drop(
    *,
    sd: float,
    df: float,
    k: int = 4,
    alpha: float = 0.05,
    power: float = 0.8,
    margin: float = 0.0,
) -> float:
    """Smallest true drop that one evaluation sees with chance `power`.

    Parameters as in `alarm_probability`.

    Raises
    ------
    ValueError
        As `alarm_probability`, or if `power` is not in (0, 1).

    Examples
    --------
    >>> round(detectable_drop(sd=0.02, df=7), 3)
    0.062
    """
    check_level(power, name="power")

    def excess(drop: float) -> float:
        found = alarm_probability(drop, sd=sd, df=df, k=k, alpha=alpha, margin=margin)
        return found - power

    low, high = -10 * sd, margin + 10 * sd
    while excess(high) < 0:
        high *= 2
    while excess(low) > 0:
        low *= 2
    return float(optimize.brentq(excess, low, high, xtol=1e-10))


@formula
def items_for_drop(
    drop: float,
    *,
    var_residual: float,
    var_run: float,
    alpha: float = 0.05,
    power: float = 0.8,
    k: int = 4,
) -> float | None:
    """Items that an evaluation needs to see a drop.

    ``I = var_residual / ((drop / (z_alpha + z_power))^2 / (1 + 1/k) - var_run)``; round up.

    Parameters
    ----------
    drop : float
        In units of the metric, > 0.
    var_residual, var_run : float
        Components of `run_components`; with fresh items add var_item to the residual.
    alpha, power : float
    k : int

    Returns
    -------
    float or None
        None when the run effect alone exceeds the budget: more items cannot help.

    Raises
    ------
    ValueError
        On a drop not above 0, negative variances, or rates out of range.

    Examples
    --------
    >>> round(items_for_drop(0.0425, var_residual=0.047, var_run=0.0001), 1)
    351.5
    """
    check_level(alpha, name="alpha")
    check_level(power, name="power")
    if not drop > 0 or var_residual < 0 or var_run < 0 or k < 1:
        raise ValueError(
            "drop must be > 0, variances >= 0 and k >= 1, got "
            f"{drop!r}, {var_residual!r}, {var_run!r}, {k!r}"
        )
    z = float(distributions.norm_isf(alpha) + distributions.norm_ppf(power))
    budget = (drop / z) ** 2 / (1 + 1 / k) - var_run
    return var_residual / budget if z > 0 and budget > 0 else None


@formula
def false_alarms_per_year(alpha: float, *, per_year: float) -> float:
    """Expected false alarms in a year: rate per evaluation times evaluations.

    Parameters
    ----------
    alpha : float
    per_year : float
        Evaluations in a year (weekly: 52).

    Raises
    ------
    ValueError
        If `alpha` is not in (0, 1) or `per_year` is negative.

    Examples
    --------
    >>> false_alarms_per_year(0.05, per_year=52)
    2.6
    """
    check_level(alpha, name="alpha")
    if per_year < 0:
        raise ValueError(f"per_year must be >= 0, got {per_year!r}")
    return alpha * per_year
