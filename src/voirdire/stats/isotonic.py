"""Isotonic calibration: the best monotone curve. For 1000 labels or more, never at 60.

Source: Zadrozny & Elkan (2002); new scores by linear interpolation, clipped at the ends.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .calibration_map import CalibrationMap, IdentityMap, simpler_map
from .corp import monotone_fit
from .platt import ANTI_INFORMATIVE, Scale, real_scored_labels
from .registry import formula
from .scores import FloatArray, scored_labels

__all__ = ["IsotonicMap", "fit_isotonic", "weighted_steps"]


class IsotonicMap(CalibrationMap):
    """A monotone broken line.

    Attributes
    ----------
    score : tuple of float
        Knots, ascending.
    value : tuple of float
        Probability at each knot, not falling.
    """

    kind: Literal["isotonic"] = "isotonic"
    score: tuple[float, ...]
    value: tuple[float, ...]

    def _map(self, scores: FloatArray) -> FloatArray:
        return np.interp(scores, self.score, self.value)


def weighted_steps(p: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Distinct scores, items at each, positives at each.

    Examples
    --------
    >>> weighted_steps(np.array([0.3, 0.1, 0.3]), np.array([1.0, 0.0, 0.0]))
    (array([0.1, 0.3]), array([1., 2.]), array([0., 1.]))
    """
    distinct, where = np.unique(p, return_inverse=True)
    count = np.bincount(where).astype(np.float64)
    return distinct, count, np.bincount(where, weights=y).astype(np.float64)


@formula
def fit_isotonic(scores: Any, y: Any, *, scale: Scale = "probability") -> CalibrationMap:
    """Fit the isotonic curve by pool-adjacent-violators.

    Parameters
    ----------
    scores, y, scale
        As in `fit_platt`.

    Returns
    -------
    IsotonicMap
        Or a `BaseRateMap` (one label only; constant score), or an `IdentityMap` (faulty data; the
        best rising curve is flat: the score is anti-informative).

    Raises
    ------
    ValueError
        On differing lengths or an unknown `scale`.

    Examples
    --------
    >>> fit_isotonic([0.1, 0.3, 0.4, 0.8], [0, 1, 0, 1]).predict([0.0, 0.35, 0.6])
    array([0.  , 0.5 , 0.75])
    """
    if scale not in ("probability", "real"):
        raise ValueError(f"scale must be 'probability' or 'real', got {scale!r}")
    data = scored_labels(scores, y) if scale == "probability" else real_scored_labels(scores, y)
    simple = simpler_map(data)
    if simple is not None:
        return simple
    distinct, count, positive = weighted_steps(data.p, data.y)
    fitted = monotone_fit(positive / count, count)
    if fitted[-1] - fitted[0] <= 1e-12:
        return IdentityMap(n=data.n, reason=ANTI_INFORMATIVE)
    knot = _knots(fitted)
    return IsotonicMap(
        n=data.n,
        score=tuple(float(v) for v in distinct[knot]),
        value=tuple(float(v) for v in fitted[knot]),
    )


def _knots(fitted: FloatArray) -> Any:
    """Ends of the flat stretches; the points between them carry nothing."""
    new = np.r_[True, np.diff(fitted) > 0]
    last = np.r_[new[1:], True]
    return np.flatnonzero(new | last)
