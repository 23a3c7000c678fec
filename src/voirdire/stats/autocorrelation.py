"""When successive evaluations resemble each other, and what can be done without a model at all."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from voirdire.records.estimates import Estimate

from .registry import formula
from .scores import numbers

__all__ = [
    "ar1_sd_bias",
    "ar1_variance_ratio",
    "lag1_correlation",
    "rank_test_floor",
    "successive_sd",
]


def _check(rho: float, k: int) -> None:
    if not -1 < rho < 1 or k < 1:
        raise ValueError(f"rho must be in (-1, 1) and k >= 1, got {rho!r}, {k!r}")


@formula
def ar1_variance_ratio(rho: float, *, k: int = 4) -> float:
    """``Var(x_t - mean of the previous k) / sigma^2`` under a first-order autoregression.

    Parameters
    ----------
    rho : float
        Correlation of neighbours, in (-1, 1).
    k : int

    Raises
    ------
    ValueError
        If `rho` is not in (-1, 1) or k < 1.

    Examples
    --------
    >>> ar1_variance_ratio(0.0), round(ar1_variance_ratio(0.9), 6)
    (1.25, 0.333575)
    """
    _check(rho, k)
    lag = np.abs(np.subtract.outer(np.arange(k + 1), np.arange(k + 1)))
    contrast = np.append(np.full(k, -1.0 / k), 1.0)
    return float(contrast @ (float(rho) ** lag) @ contrast)


@formula
def ar1_sd_bias(rho: float, *, k: int = 4) -> float:
    """``E[s^2] / sigma^2`` of k neighbouring evaluations: how much their own s underrates sigma.

    Raises
    ------
    ValueError
        If `rho` is not in (-1, 1) or k < 2.

    Examples
    --------
    >>> round(ar1_sd_bias(0.6), 3)
    0.544
    """
    _check(rho, k)
    if k < 2:
        raise ValueError(f"k must be >= 2, got {k!r}")
    lag = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    mean_variance = float((float(rho) ** lag).mean())
    return (1.0 - mean_variance) * k / (k - 1)


@formula
def lag1_correlation(values: Sequence[float], *, least: int = 20) -> Estimate:
    """Correlation of neighbouring evaluations; beyond .3 either way, chart residuals instead.

    Parameters
    ----------
    values : sequence
        Evaluations, oldest first. A gap breaks the chain: its neighbours form no pair.
    least : int
        Evaluations needed, at least 3.

    Returns
    -------
    Estimate
        With the approximate interval ``± 1.96/sqrt(n)`` around it, and a note beyond .3. Undefined:
        ``fewer than … evaluations``, ``no variation``.

    Raises
    ------
    ValueError
        If `least` < 3.

    Examples
    --------
    >>> lag1_correlation([0.8, 0.9] * 10).notes
    ('|r| > .3: neighbours are not independent; chart the residuals of a first-order model',)
    """
    if least < 3:
        raise ValueError(f"least must be >= 3, got {least!r}")
    x = numbers(list(values), name="values")
    n = int((~np.isnan(x)).sum())
    method = "lag-1 correlation, large-sample interval"
    if n < least:
        reason = f"fewer than {least} evaluations"
        return Estimate.not_defined(reason, method=method, n=n, n_asked=len(x))
    deviation = x - np.nanmean(x)
    total = float(np.nansum(deviation**2))
    if float(np.nanmax(x) - np.nanmin(x)) == 0.0:
        return Estimate.not_defined("no variation", method=method, n=n, n_asked=len(x))
    r = float(np.nansum(deviation[1:] * deviation[:-1])) / total
    half = 1.959963984540054 / math.sqrt(n)
    note = "|r| > .3: neighbours are not independent; chart the residuals of a first-order model"
    return Estimate(
        value=r,
        low=max(r - half, -1.0),
        high=min(r + half, 1.0),
        n=n,
        n_asked=len(x),
        method=method,
        notes=(note,) if abs(r) > 0.3 else (),
    )


@formula
def rank_test_floor(history: int) -> float:
    """Smallest p-value any distribution-free test can reach with `history` earlier evaluations.

    By exchangeability the newest is the lowest of all with chance ``1/(history + 1)``; with four
    earlier evaluations nothing distribution-free alarms less often than one time in five.

    Raises
    ------
    ValueError
        If `history` < 0.

    Examples
    --------
    >>> rank_test_floor(4)
    0.2
    """
    if history < 0:
        raise ValueError(f"history must be >= 0, got {history!r}")
    return 1.0 / (history + 1)


@formula
def successive_sd(values: Sequence[float]) -> float | None:
    """Standard deviation from successive differences: ``sqrt(mean (x_t - x_{t-1})^2 / 2)``.

    An old shift of level inflates the usual standard deviation of a long history and blinds the
    limit; here it adds one difference only. Too small when neighbours are positively correlated.

    Parameters
    ----------
    values : sequence
        Evaluations, oldest first. A gap breaks the chain.

    Returns
    -------
    float or None
        None with fewer than two neighbouring evaluations.

    Notes
    -----
    Source: von Neumann, Kent, Bellinson & Hart (1941).

    Examples
    --------
    >>> round(successive_sd([0.80, 0.82, 0.81, 0.90, 0.91, 0.89]), 3)
    0.03
    """
    step = np.diff(numbers(list(values), name="values"))
    step = step[~np.isnan(step)]
    return float(np.sqrt((step**2).mean() / 2.0)) if len(step) else None
