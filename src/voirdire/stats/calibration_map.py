"""What every fitted calibration map is: a frozen record that predicts and can be stored.

A map is fitted by a function (``fit_platt`` and so on) and never changes. Where the map that was
asked for cannot be had (one label only, a constant score), the function returns a simpler map and
`reason` says why; nothing raises on data.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field

from voirdire.records.estimates import Record

from .scores import FloatArray, ScoredLabels, numbers

__all__ = ["BaseRateMap", "CalibrationMap", "IdentityMap", "half_item", "simpler_map"]


class CalibrationMap(Record):
    """A fitted map from scores to probabilities.

    Attributes
    ----------
    n : int
        Items it was fitted on.
    reason : str or None
        Why this is not the map that was asked for.
    """

    n: int = Field(ge=0)
    reason: str | None = None

    def predict(self, scores: Any) -> FloatArray:
        """Calibrated probabilities, shape (m,); a missing score stays missing (NaN).

        Parameters
        ----------
        scores : sequence, shape (m,)
        """
        values = numbers(scores, name="scores")
        known = ~np.isnan(values)
        out = np.full(len(values), np.nan)
        out[known] = self._map(values[known])
        return out

    def _map(self, scores: FloatArray) -> FloatArray:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The map as plain data for a JSON file; `calibrator_from_dict` reads it."""
        return self.model_dump(mode="json")


class IdentityMap(CalibrationMap):
    """The score itself: what "do not calibrate" means.

    Examples
    --------
    >>> IdentityMap(n=3).predict([0.2, None])
    array([0.2, nan])
    """

    kind: Literal["identity"] = "identity"

    def _map(self, scores: FloatArray) -> FloatArray:
        return scores


class BaseRateMap(CalibrationMap):
    """One probability for every score.

    Attributes
    ----------
    rate : float
        ``(x + 1) / (n + 2)`` (Laplace), never 0 or 1.

    Examples
    --------
    >>> BaseRateMap(n=8, rate=0.9).predict([0.1, 0.7])
    array([0.9, 0.9])
    """

    kind: Literal["base_rate"] = "base_rate"
    rate: float = Field(gt=0, lt=1)

    def _map(self, scores: FloatArray) -> FloatArray:
        return np.full(len(scores), self.rate)


def half_item(n: int) -> float:
    """``1/(2n)``: the distance from 0 and 1 to which scores are clipped before a logit.

    Examples
    --------
    >>> half_item(50)
    0.01
    """
    return 1.0 / (2 * max(n, 2))


def simpler_map(data: ScoredLabels) -> CalibrationMap | None:
    """The map for data on which nothing can be fitted, or None if something can.

    Faulty or no data give the identity; one label only or a constant score give the base rate.

    Examples
    --------
    >>> from voirdire.stats.scores import scored_labels
    >>> simpler_map(scored_labels([0.2, 0.9], [1, 1])).reason
    'one label only'
    """
    if data.fault:
        return IdentityMap(n=0, reason=f"not fitted: {data.fault}")
    rate = (float(data.y.sum()) + 1.0) / (data.n + 2.0)
    if len(np.unique(data.y)) < 2:
        return BaseRateMap(n=data.n, rate=rate, reason="one label only")
    if np.ptp(data.p) == 0:
        return BaseRateMap(n=data.n, rate=rate, reason="constant score")
    return None
