"""How far the next evaluation may fall by chance: prediction limits in units of s.

Plain: ``t(df) sqrt(1 + 1/k)``, right on average over calibrations (Hahn & Meeker 1991). Guaranteed:
wider, so that with a stated confidence *this* calibration's false-alarm rate keeps its promise
(Albers & Kallenberg 2004).
"""

from __future__ import annotations

import math

from voirdire.stats import distributions

from .registry import formula
from .scores import check_level

__all__ = ["fresh_items_sd", "guaranteed_factor", "plain_limit_risk", "prediction_factor"]


def _spread(k: float) -> float:
    if not k >= 1:
        raise ValueError(f"k must be >= 1, got {k!r}")
    return math.sqrt(1.0 + 1.0 / k)


def _t_upper(alpha: float, df: float) -> float:
    check_level(alpha, name="alpha")
    if not df > 0:
        raise ValueError(f"df must be > 0, got {df!r}")
    return float(
        distributions.norm_isf(alpha) if math.isinf(df) else distributions.t_isf(alpha, df)
    )


@formula
def prediction_factor(df: float, *, k: float, alpha: float) -> float:
    """``t_{df, 1-alpha} sqrt(1 + 1/k)``.

    Parameters
    ----------
    df : float
        Degrees of freedom of s; infinity if it is known.
    k : float
        Evaluations in the base with which the newest is compared.
    alpha : float
        False alarms per evaluation.

    Raises
    ------
    ValueError
        If `df` <= 0, `k` < 1 or `alpha` is not in (0, 1).

    Examples
    --------
    >>> round(prediction_factor(4, k=4, alpha=0.01), 3)
    4.189
    """
    return _t_upper(alpha, df) * _spread(k)


@formula
def guaranteed_factor(df: float, *, k: float, alpha: float, confidence: float = 0.9) -> float:
    """``z_{1-alpha} sqrt(1 + 1/k) sqrt(df / chi2_{1-confidence, df})``.

    Parameters
    ----------
    df, k, alpha
        As in `prediction_factor`.
    confidence : float
        Chance that the true false-alarm rate of this calibration is at most `alpha`.

    Raises
    ------
    ValueError
        As `prediction_factor`, or if `confidence` is not in (0, 1).

    Examples
    --------
    >>> round(guaranteed_factor(4, k=4, alpha=0.01), 3)
    5.044
    """
    check_level(confidence, name="confidence")
    z = _t_upper(alpha, math.inf) * _spread(k)
    if not df > 0:
        raise ValueError(f"df must be > 0, got {df!r}")
    if math.isinf(df):
        return z
    return z * math.sqrt(df / float(distributions.chi2_ppf(1.0 - confidence, df)))


@formula
def plain_limit_risk(df: float, *, alpha: float, quantile: float = 0.9) -> float:
    """Quantile of the true false-alarm rate when the plain t limit is used.

    An s that came out low makes a limit that fires too often; with df = 4 and a promise of 1
    percent, one calibration in ten really fires in 2.7 percent or more.

    Raises
    ------
    ValueError
        If `df` <= 0, or `alpha` or `quantile` is not in (0, 1).

    Examples
    --------
    >>> round(plain_limit_risk(4, alpha=0.01), 4)
    0.0267
    """
    check_level(quantile, name="quantile")
    t = _t_upper(alpha, df)
    return float(
        distributions.norm_sf(t * math.sqrt(float(distributions.chi2_ppf(1 - quantile, df)) / df))
    )


@formula
def fresh_items_sd(
    sd_run: float, *, repeats: int, var_item: float, items: int
) -> tuple[float, float]:
    """Standard deviation of a metric whose items are redrawn each time, and its degrees of freedom.

    ``s^2 = sd_run^2 + var_item / I`` with Satterthwaite's df from ``repeats - 1`` and ``I - 1``.

    Parameters
    ----------
    sd_run : float
        Standard deviation of the run means on a fixed set of that size.
    repeats : int
        Runs behind it, at least 2.
    var_item : float
        Variance between items.
    items : int
        Items of an evaluation, at least 2.

    Returns
    -------
    sd, df : float
        ``df`` is infinite when nothing varies.

    Raises
    ------
    ValueError
        On negative variances, fewer than 2 repeats or fewer than 2 items.

    Examples
    --------
    >>> sd, df = fresh_items_sd(0.018, repeats=5, var_item=0.09, items=120)
    >>> round(sd, 4), round(df, 1)
    (0.0328, 37.2)
    """
    if sd_run < 0 or var_item < 0 or repeats < 2 or items < 2:
        raise ValueError(
            "sd_run and var_item must be >= 0, repeats and items >= 2, got "
            f"{sd_run}, {var_item}, {repeats}, {items}"
        )
    run, item = sd_run**2, var_item / items
    below = run**2 / (repeats - 1) + item**2 / (items - 1)
    return math.sqrt(run + item), (run + item) ** 2 / below if below > 0 else math.inf
