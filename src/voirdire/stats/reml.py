"""Variance components of an item x run table with missing cells, by restricted likelihood.

``y = mu + item + run + error``. The covariance is ``s2 (I + g_i Zi Zi' + g_r Zr Zr')``. Items are
absorbed one by one (their part is block diagonal), runs by Woodbury's identity, so one evaluation
costs items x runs^2 and nothing larger than a run x run matrix is ever solved.

Source: Patterson & Thompson (1971); absorption as in Searle, Casella & McCulloch (1992), 7.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize

from .scores import FloatArray

__all__ = ["RemlFit", "reml"]

# a ratio below exp(-18) is a component of zero
_FLOOR, _CEILING = -18.0, 18.0


@dataclass(frozen=True, slots=True)
class RemlFit:
    """Components and the generalised least-squares mean.

    Attributes
    ----------
    item, run, residual : float
        Variances.
    mean : float
    """

    item: float
    run: float
    residual: float
    mean: float


def reml(table: FloatArray) -> RemlFit:
    """Fit by maximising the restricted likelihood over the two variance ratios.

    Parameters
    ----------
    table : ndarray, shape (I, R)
        NaN is a missing cell; every row and column has at least one value, the table at least
        two rows, two columns and some residual variation.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.9, 1.1], [0.2, 0.1, np.nan], [0.5, 0.7, 0.6], [0.9, 0.7, 0.8]])
    >>> fit = reml(rows)
    >>> round(fit.item, 2), round(fit.residual, 3)
    (0.13, 0.009)
    """
    seen = (~np.isnan(table)).astype(np.float64)
    # centred and scaled, so that the search meets numbers of order one
    centre, scale = float(np.nanmean(table)), float(np.nanstd(table)) or 1.0
    y = np.where(seen > 0, (table - centre) / scale, 0.0)
    starts = ((0.0, -2.0), (2.0, 0.0), (-2.0, -6.0), (4.0, -8.0))
    results = [_search(np.array(start), y, seen) for start in starts]
    best = min(results, key=lambda t: _criterion(t, y, seen)[0])
    _, s2, mean, ratios = _criterion(best, y, seen)
    return RemlFit(
        item=float(ratios[0] * s2 * scale**2),
        run=float(ratios[1] * s2 * scale**2),
        residual=float(s2 * scale**2),
        mean=float(mean * scale + centre),
    )


def _search(start: FloatArray, y: FloatArray, seen: FloatArray) -> FloatArray:
    def objective(t: FloatArray) -> float:
        return _criterion(t, y, seen)[0]

    found = optimize.minimize(objective, start, method="Nelder-Mead", tol=1e-10)
    return np.asarray(found.x, dtype=np.float64)


def _criterion(
    log_ratios: FloatArray, y: FloatArray, seen: FloatArray
) -> tuple[float, float, float, FloatArray]:
    """-2 restricted log-likelihood (up to a constant), residual variance, mean, ratios."""
    inside = np.clip(log_ratios, _FLOOR, _CEILING)
    ratio = np.where(inside <= _FLOOR, 0.0, np.exp(inside))
    per_item, n = seen.sum(axis=1), float(seen.sum())
    shrink = ratio[0] / (1.0 + ratio[0] * per_item)
    # products with A^-1, A = I + g_i Zi Zi'
    runs_runs = np.diag(seen.sum(axis=0)) - seen.T @ (seen * shrink[:, None])
    runs_y = y.sum(axis=0) - seen.T @ (shrink * y.sum(axis=1))
    runs_one = seen.sum(axis=0) - seen.T @ (shrink * per_item)
    y_y = float((y**2).sum() - (shrink * y.sum(axis=1) ** 2).sum())
    one_y = float(y.sum() - (shrink * per_item * y.sum(axis=1)).sum())
    one_one = float(n - (shrink * per_item**2).sum())
    # Woodbury for the runs: H^-1 = A^-1 - A^-1 Zr g (I + g M)^-1 Zr' A^-1
    inner = np.eye(seen.shape[1]) + ratio[1] * runs_runs
    solve_y = ratio[1] * np.linalg.solve(inner, runs_y)
    solve_one = ratio[1] * np.linalg.solve(inner, runs_one)
    y_y -= float(runs_y @ solve_y)
    one_y -= float(runs_one @ solve_y)
    one_one -= float(runs_one @ solve_one)
    mean = one_y / one_one
    s2 = max(y_y - one_y * mean, 1e-300) / (n - 1)
    log_det = float(np.log1p(ratio[0] * per_item).sum()) + float(np.linalg.slogdet(inner)[1])
    # a gentle pull back into the box keeps the simplex from wandering on the flat outside
    outside = float(((log_ratios - inside) ** 2).sum())
    value = (n - 1) * np.log(s2) + log_det + np.log(one_one) + outside
    return float(value), s2, mean, np.asarray(ratio, dtype=np.float64)
