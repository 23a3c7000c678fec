"""Inductive Venn-Abers: an isotonic fit for each of the two possible labels of the new item.

It gives an interval [p0, p1] that is calibrated whatever the score, and a point between them. For
coarse scores (an LLM that says 0, .25, .5, .75, 1), and whenever an interval is wanted.

Source: Vovk, Petej & Fedorova (2015).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .calibration_map import CalibrationMap, simpler_map
from .corp import monotone_fit
from .isotonic import weighted_steps
from .registry import formula
from .scores import FloatArray, numbers, scored_labels

__all__ = ["VennAbersMap", "fit_venn_abers"]


class VennAbersMap(CalibrationMap):
    """The calibration items, by distinct score; the fits are made when asked.

    Attributes
    ----------
    score : tuple of float
        Distinct scores, ascending.
    count, positive : tuple of float
        Items and positive labels at each.
    """

    kind: Literal["venn_abers"] = "venn_abers"
    score: tuple[float, ...]
    count: tuple[float, ...]
    positive: tuple[float, ...]

    def interval(self, scores: Any) -> tuple[FloatArray, FloatArray]:
        """p0 and p1 for each score, shape (m,) each; missing stays missing (NaN)."""
        values = numbers(scores, name="scores")
        low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
        known = ~np.isnan(values)
        low[known], high[known] = self._both(values[known])
        return low, high

    def _both(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        # the answer depends only on the rank among the calibration scores: one fit per place
        own = np.asarray(self.score)
        place = np.searchsorted(own, scores) + np.searchsorted(own, scores, side="right")
        places, first, back = np.unique(place, return_index=True, return_inverse=True)
        both = np.array([self._with(float(scores[i])) for i in first]).reshape(len(places), 2)
        return both[back, 0], both[back, 1]

    def _with(self, score: float) -> tuple[float, float]:
        own, count, positive = map(np.asarray, (self.score, self.count, self.positive))
        at = int(np.searchsorted(own, score))
        if at == len(own) or own[at] != score:
            count, positive = np.insert(count, at, 0.0), np.insert(positive, at, 0.0)
        count = count + (np.arange(len(count)) == at)
        out = []
        for label in (0.0, 1.0):
            share = (positive + label * (np.arange(len(count)) == at)) / count
            out.append(float(monotone_fit(share, count)[at]))
        return out[0], out[1]

    def _map(self, scores: FloatArray) -> FloatArray:
        low, high = self._both(scores)
        return high / (1.0 - low + high)


@formula
def fit_venn_abers(scores: Any, y: Any) -> CalibrationMap:
    """Keep the calibration items for Venn-Abers predictions.

    Parameters
    ----------
    scores : sequence, shape (n,)
        Probabilities.
    y : sequence, shape (n,)
        Labels 0 or 1.

    Returns
    -------
    VennAbersMap
        Its point ``p1 / (1 - p0 + p1)`` minimises the worst-case log loss. Or a `BaseRateMap`
        (one label only; constant score), or an `IdentityMap` (faulty data).

    Raises
    ------
    ValueError
        If lengths differ.

    Examples
    --------
    >>> fitted = fit_venn_abers([0.1, 0.3, 0.4, 0.8], [0, 1, 0, 1])
    >>> low, high = fitted.interval([0.35])
    >>> float(low[0]), float(high[0]), fitted.predict([0.35])
    (0.3333333333333333, 0.6666666666666666, array([0.5]))
    """
    data = scored_labels(scores, y)
    simple = simpler_map(data)
    if simple is not None:
        return simple
    score, count, positive = (
        tuple(float(v) for v in column) for column in weighted_steps(data.p, data.y)
    )
    return VennAbersMap(n=data.n, score=score, count=count, positive=positive)
