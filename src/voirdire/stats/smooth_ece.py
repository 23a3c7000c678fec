"""Smooth calibration error: no bins, no choice of bandwidth.

``r(t) = mean_i K_s(t, p_i) (y_i - p_i)`` with the Gaussian kernel reflected at 0 and 1;
``smECE_s = integral over 0..1 of |r(t)|``; the bandwidth ``s*`` is the one with ``smECE_s = s``.

The integral is exact up to rounding: the antiderivative of r is a sum of normal distribution
functions, so between two roots of r the integral of |r| is one difference of it. Only the roots
are searched, on a grid of a sixteenth of the bandwidth, and then polished.

Source: Blasiok & Nakkiran (2023), "Smooth ECE: principled reliability diagrams".
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy import optimize, special

from voirdire.records.estimates import Estimate, Record

from .registry import Sample, statistic
from .scores import FloatArray, IntArray, ScoredLabels, scored_labels

__all__ = ["SmoothCalibration", "smooth_calibration"]

# below this bandwidth the judge is calibrated for every purpose; the grid would only grow
_NARROWEST = 1e-3
# distinct scores beyond which neighbours are merged to steps of 1/2048 (their mean is kept)
_DISTINCT = 2048
_CELLS_AT_ONCE = 1_000_000


class SmoothCalibration(Record):
    """Smooth ECE, its bandwidth and its null.

    Attributes
    ----------
    ece : Estimate
        The smooth calibration error.
    bandwidth : float or None
        The fixed point s*; equals the error unless that is below 0.001.
    null_mean, null_95 : float or None
        Mean and 95 % quantile for a perfectly calibrated judge with these scores.
    p_value : float or None
        Share of such judges with at least this error.
    """

    ece: Estimate
    bandwidth: float | None
    null_mean: float | None
    null_95: float | None
    p_value: float | None


def _smooth_calibration_on(s: Sample) -> Any:
    return smooth_calibration(s.scores, s.outcomes, family=s.family, null_draws=0)


@statistic(kind="other", renaming="none", call=_smooth_calibration_on)
def smooth_calibration(
    p: Any, y: Any, *, family: Any | None = None, null_draws: int = 199, seed: int = 0
) -> SmoothCalibration:
    """Smooth ECE with the mean and 95 % quantile it has when the judge is calibrated.

    Parameters
    ----------
    p, y : sequence, shape (n,)
        Probability of the positive label, and the label 0 or 1.
    family : sequence, optional
        Only counted.
    null_draws : int
        Draws ``y* ~ Bernoulli(p)``; 0 for none. The null uses the grid without polished roots
        and interpolates the fixed point between 24 bandwidths, which moves the null mean by less
        than 1 %.
    seed : int
        Of the draws.

    Returns
    -------
    SmoothCalibration
        Undefined: ``no items``, ``… outside 0..1``, ``… other than 0 and 1``.

    Raises
    ------
    ValueError
        If lengths differ or `null_draws` < 0.

    Examples
    --------
    >>> result = smooth_calibration([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
    >>> round(result.ece.value, 3)
    0.146
    """
    if null_draws < 0:
        raise ValueError(f"null_draws must be >= 0, got {null_draws}")
    data = scored_labels(p, y, family=family)
    if data.fault:
        gone = data.undefined("smooth ECE")
        return SmoothCalibration(
            ece=gone, bandwidth=None, null_mean=None, null_95=None, p_value=None
        )
    points, residual, _ = _merged(data)
    value, bandwidth = _fixed_point(points, residual)
    null = _null(data, null_draws, np.random.default_rng(seed))
    why = "a calibration error is read against its null, not by an interval"
    has_null = null.size > 0
    return SmoothCalibration(
        ece=data.estimate(value, None, method="smooth ECE, reflected kernel", no_interval=why),
        bandwidth=bandwidth,
        null_mean=float(null.mean()) if has_null else None,
        null_95=float(np.quantile(null, 0.95)) if has_null else None,
        p_value=float((1 + (null >= value).sum()) / (1 + null.size)) if has_null else None,
    )


def _merged(data: ScoredLabels) -> tuple[FloatArray, FloatArray, IntArray]:
    """Distinct scores, summed residuals over n, and where each item went."""
    distinct, where = np.unique(data.p, return_inverse=True)
    if len(distinct) > _DISTINCT:
        _, where = np.unique(np.floor(data.p * _DISTINCT), return_inverse=True)
        distinct = np.bincount(where, weights=data.p) / np.bincount(where)
    residual = np.bincount(where, weights=data.y - data.p) / data.n
    return distinct, residual, where


def _centres(points: FloatArray, width: float) -> list[FloatArray]:
    """Reflected kernel centres that can reach 0..1: the kernel is dead beyond 9 bandwidths."""
    reach = int(np.ceil((9 * width + 1) / 2))
    images = [sign * points + 2.0 * k for k in range(-reach, reach + 1) for sign in (1.0, -1.0)]
    return [c for c in images if c.max() > -9 * width and c.min() < 1 + 9 * width]


def _kernel(t: FloatArray, points: FloatArray, width: float) -> FloatArray:
    """Reflected Gaussian kernel, shape (t, points)."""
    out = np.zeros((len(t), len(points)))
    for centre in _centres(points, width):
        z = (t[:, None] - centre) / width
        out += np.exp(-0.5 * z * z)
    return np.asarray(out / (width * np.sqrt(2 * np.pi)), dtype=np.float64)


def _kernel_integral(t: FloatArray, points: FloatArray, width: float) -> FloatArray:
    """Integral of the reflected kernel from 0 to t, shape (t, points)."""
    out = np.zeros((len(t), len(points)))
    for centre in _centres(points, width):
        out += special.ndtr((t[:, None] - centre) / width) - special.ndtr(-centre / width)
    return out


def _applied(kernel: Any, t: FloatArray, points: FloatArray, width: float, r: Any) -> FloatArray:
    """``kernel(t, points) @ r`` in blocks of t."""
    step = max(1, _CELLS_AT_ONCE // len(points))
    blocks = [kernel(t[i : i + step], points, width) @ r for i in range(0, len(t), step)]
    return np.asarray(np.concatenate(blocks), dtype=np.float64)


def _grid(width: float) -> FloatArray:
    return np.linspace(0.0, 1.0, max(17, int(np.ceil(16 / width)) + 1), dtype=np.float64)


def _error_at(points: FloatArray, residual: FloatArray, width: float) -> float:
    """smECE at one bandwidth, roots of r polished."""
    grid = _grid(width)
    r = _applied(_kernel, grid, points, width, residual)

    def value(t: float) -> float:
        return float(_kernel(np.array([t]), points, width)[0] @ residual)

    live = np.flatnonzero(r)  # a root may fall on the grid (symmetric data): step over zeros
    turns = [(i, j) for i, j in itertools.pairwise(live) if (r[i] < 0) != (r[j] < 0)]
    roots = [float(optimize.brentq(value, grid[i], grid[j], xtol=1e-12)) for i, j in turns]
    ends = np.array([0.0, *roots, 1.0])
    area = _applied(_kernel_integral, ends, points, width, residual)
    return float(np.abs(np.diff(area)).sum())


def _fixed_point(points: FloatArray, residual: FloatArray) -> tuple[float, float]:
    """The error and the bandwidth with error == bandwidth; the error falls with the bandwidth."""

    def excess(width: float) -> float:
        return _error_at(points, residual, width) - width

    # from wide to narrow, because a narrow bandwidth needs a fine grid
    high = 1.001  # the error never exceeds 1
    low = 0.5
    while low > _NARROWEST and excess(low) <= 0:
        high, low = low, max(low / 2, _NARROWEST)
    if low == _NARROWEST and excess(low) <= 0:
        return _error_at(points, residual, low), low
    width = float(optimize.brentq(excess, low, high, xtol=1e-9, rtol=1e-9))
    return _error_at(points, residual, width), width


def _null(data: ScoredLabels, draws: int, rng: np.random.Generator) -> FloatArray:
    if draws == 0:
        return np.empty(0)
    points, _, where = _merged(data)
    residual = np.empty((len(points), draws))
    for b in range(draws):
        y = rng.random(data.n) < data.p
        residual[:, b] = np.bincount(where, weights=y - data.p) / data.n
    widths = np.asarray(np.geomspace(10 * _NARROWEST, 1.0, 24), dtype=np.float64)
    excess = np.array([_grid_error(points, residual, s) - s for s in widths])
    return np.array([_crossing(widths, excess[:, b]) for b in range(draws)])


def _grid_error(points: FloatArray, residual: FloatArray, width: float) -> FloatArray:
    """smECE of many residual columns at once, by cell integrals (roots inside cells ignored)."""
    area = _applied(_kernel_integral, _grid(width), points, width, residual)
    return np.asarray(np.abs(np.diff(area, axis=0)).sum(axis=0), dtype=np.float64)


def _crossing(widths: FloatArray, excess: FloatArray) -> float:
    """Where the falling `excess` meets 0, linear between bandwidths."""
    above = np.flatnonzero(excess > 0)
    if above.size == 0:
        return float(widths[0] + excess[0])
    j = int(above[-1])
    if j + 1 == len(widths):
        return float(widths[-1])
    share = excess[j] / (excess[j] - excess[j + 1])
    return float(widths[j] + share * (widths[j + 1] - widths[j]))
