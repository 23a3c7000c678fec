"""Temperature scaling: one number for all classes of a softmax.

It makes a multi-class judge bolder or shyer and nothing else; a shifted base rate it cannot mend.

Source: Guo, Pleiss, Sun & Weinberger (2017), maximum likelihood.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field
from scipy import optimize, special

from .calibration_map import CalibrationMap, IdentityMap, half_item
from .platt import Scale
from .proper_scores import multiclass_pairs
from .registry import formula
from .scores import FloatArray, number_matrix

__all__ = ["TemperatureMap", "fit_temperature"]

# a temperature outside 1/50..50 says that the data have no maximum (all right, or all wrong)
_EXTREME = 50.0


class TemperatureMap(CalibrationMap):
    """``softmax(logits / temperature)`` row by row.

    Attributes
    ----------
    temperature : float
        Above 1 makes the judge shyer.
    scale : {"probability", "real"}
        Whether rows are probabilities or logits.
    clip : float
        Least probability before the logarithm.
    """

    kind: Literal["temperature"] = "temperature"
    temperature: float = Field(gt=0)
    scale: Scale = "probability"
    clip: float = Field(default=1e-6, gt=0)

    def predict(self, scores: Any) -> FloatArray:
        """Calibrated rows, shape (m, L); a row with a missing entry stays missing (NaN)."""
        table = number_matrix(scores, name="scores")
        logits = table if self.scale == "real" else np.log(np.maximum(table, self.clip))
        out = special.softmax(np.where(np.isnan(logits), 0.0, logits) / self.temperature, axis=1)
        out[np.isnan(table).any(axis=1)] = np.nan
        return np.asarray(out, dtype=np.float64)


@formula
def fit_temperature(scores: Any, labels: Any, *, scale: Scale = "probability") -> CalibrationMap:
    """Fit the temperature of a table of logits or probabilities.

    Parameters
    ----------
    scores : table, shape (n, L)
        Probabilities (rows sum to 1 within 1e-4, raised to at least ``1/(2n)`` before the
        logarithm), or logits with ``scale="real"``.
    labels : sequence of int, shape (n,)
        Codes 0..L-1.
    scale : {"probability", "real"}

    Returns
    -------
    TemperatureMap
        With the reason ``no maximum …`` when the likelihood has none within 1/50..50 and the end
        of that range is taken; or an `IdentityMap` when the data are faulty.

    Raises
    ------
    ValueError
        On differing lengths or an unknown `scale`.

    Examples
    --------
    >>> logits = [[2.0, 0.0], [1.0, 0.0], [0.0, 1.5], [1.0, 0.0]]
    >>> round(fit_temperature(logits, [0, 0, 1, 1], scale="real").temperature, 3)
    0.957
    """
    if scale not in ("probability", "real"):
        raise ValueError(f"scale must be 'probability' or 'real', got {scale!r}")
    table = number_matrix(scores, name="scores")
    # logits are checked for everything but their sum by looking at their softmax
    shown = special.softmax(np.where(np.isnan(table), 0, table), axis=1) if table.size else table
    shown = np.where(np.isnan(table), np.nan, shown)
    kept, data = multiclass_pairs(table if scale == "probability" else shown, labels)
    if data.fault:
        return IdentityMap(n=0, reason=f"not fitted: {data.fault}")
    clip = half_item(data.n)
    logits = np.log(np.maximum(kept, clip if scale == "probability" else 1e-300))
    chosen = logits[np.arange(data.n), data.y.astype(np.int64)]

    def gradient(inverse: float) -> float:
        """Of the negative log likelihood in 1/T: it only rises."""
        weight = special.softmax(inverse * logits, axis=1)
        return float((weight * logits).sum() - chosen.sum())

    low, high = 1.0 / _EXTREME, _EXTREME
    reason = None
    if gradient(low) >= 0:
        inverse, reason = low, f"no maximum of the likelihood below T = {_EXTREME:g}"
    elif gradient(high) <= 0:
        inverse, reason = high, f"no maximum of the likelihood above T = {1 / _EXTREME:g}"
    else:
        inverse = float(optimize.brentq(gradient, low, high, xtol=1e-12))
    return TemperatureMap(
        n=data.n, temperature=1.0 / inverse, scale=scale, clip=clip, reason=reason
    )
