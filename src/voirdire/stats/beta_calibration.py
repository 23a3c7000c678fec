"""Beta calibration: three parameters, so that an S-curve may lean. For 200 labels or more.

``logit P = c + a ln p - b ln(1 - p)`` with a, b >= 0; Platt on the logit is the case a = b.

Source: Kull, Silva Filho & Flach (2017).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field
from scipy import special

from .calibration_map import CalibrationMap, IdentityMap, half_item, simpler_map
from .logistic import fit_logistic, separated
from .platt import ANTI_INFORMATIVE, fit_platt
from .registry import formula
from .scores import FloatArray, scored_labels

__all__ = ["BetaMap", "fit_beta"]


class BetaMap(CalibrationMap):
    """``P = expit(c + a ln p - b ln(1 - p))``.

    Attributes
    ----------
    a, b, c : float
        Coefficients, a and b not negative.
    clip : float
        Distance from 0 and 1 to which scores are clipped.
    """

    kind: Literal["beta"] = "beta"
    a: float = Field(ge=0)
    b: float = Field(ge=0)
    c: float
    clip: float

    def _map(self, scores: FloatArray) -> FloatArray:
        p = np.clip(scores, self.clip, 1.0 - self.clip)
        eta = self.c + self.a * np.log(p) - self.b * np.log1p(-p)
        return np.asarray(special.expit(eta), dtype=np.float64)


@formula
def fit_beta(scores: Any, y: Any) -> CalibrationMap:
    """Fit beta calibration by maximum likelihood; a negative a or b is dropped and refitted.

    Parameters
    ----------
    scores : sequence, shape (n,)
        Probabilities, clipped to ``[1/(2n), 1 - 1/(2n)]``.
    y : sequence, shape (n,)
        Labels 0 or 1.

    Returns
    -------
    BetaMap
        Or what `fit_platt` returns on degenerate data; under separation (no maximum of the
        likelihood) Platt's map with the reason ``separation: Platt instead``.

    Raises
    ------
    ValueError
        If lengths differ.

    Examples
    --------
    >>> fitted = fit_beta([0.1, 0.3, 0.4, 0.8, 0.9, 0.7], [0, 0, 1, 1, 1, 0])
    >>> fitted.kind
    'beta'
    """
    data = scored_labels(scores, y)
    simple = simpler_map(data)
    if simple is not None:
        return simple
    clip = half_item(data.n)
    p = np.clip(data.p, clip, 1.0 - clip)
    if separated(p, data.y):
        platt = fit_platt(data.p, data.y)
        return platt.model_copy(update={"reason": platt.reason or "separation: Platt instead"})
    columns = {"a": np.log(p), "b": -np.log1p(-p)}
    kept = ["a", "b"]
    while kept:
        design = np.column_stack([np.ones(data.n), *(columns[name] for name in kept)])
        fit = fit_logistic(design, data.y)
        if len(kept) == 2 and not fit.converged:  # two distinct scores: the columns are collinear
            kept.remove("b")
            continue
        slopes = dict(zip(kept, (float(v) for v in fit.coefficients[1:]), strict=True))
        negative = [name for name in kept if slopes[name] < 0]
        if not negative:
            coefficients = {"a": 0.0, "b": 0.0} | slopes
            return BetaMap(n=data.n, c=float(fit.coefficients[0]), clip=clip, **coefficients)
        kept.remove(min(negative, key=lambda name: slopes[name]))
    return IdentityMap(n=data.n, reason=ANTI_INFORMATIVE)
