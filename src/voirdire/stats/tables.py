"""Agreement as a function of the table: vectorised, undefined where the formula is 0/0.

Each function takes tables ``T`` of shape (..., L, L) (human in rows, judge in columns; counts or
proportions) and returns an array of shape (...). Nothing here leaves the room: a nan of these
functions becomes an `Estimate` with a reason, or a dropped replicate. All are smooth and accept
complex tables, so that the linearised standard error can take exact derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "TableFunction",
    "agreement",
    "balanced_accuracy",
    "chance_corrected",
    "cohen_chance",
    "f1",
    "gwet_chance",
    "kappa",
    "macro_f1",
    "mcc",
    "ratio",
    "scott_chance",
    "uniform_chance",
]

Array = NDArray[Any]
TableFunction = Callable[[Array], Array]


def ratio(numerator: Array, denominator: Array) -> Array:
    """``numerator / denominator``, nan where the denominator is 0 (up to rounding)."""
    zero = np.abs(denominator) < 1e-12
    safe = np.where(zero, 1.0, denominator)
    result: Array = np.where(zero, np.nan, numerator / safe)
    return result


def _shares(tables: Array) -> tuple[Array, Array, Array]:
    """Joint proportions, row margins, column margins."""
    total = tables.sum(axis=(-2, -1), keepdims=True)
    joint = ratio(tables, total)
    return joint, joint.sum(axis=-1), joint.sum(axis=-2)


def agreement(tables: Array, *, weights: Array | None = None) -> Array:
    """(Weighted) observed agreement."""
    joint, _, _ = _shares(tables)
    if weights is None:
        return np.asarray(np.einsum("...kk->...", joint))
    return np.asarray(np.einsum("...ij,ij->...", joint, weights))


def cohen_chance(tables: Array, *, weights: Array | None = None) -> Array:
    """Agreement expected by chance from both margins (Cohen 1960, 1968)."""
    _, rows, columns = _shares(tables)
    if weights is None:
        return np.asarray((rows * columns).sum(axis=-1))
    return np.asarray(np.einsum("...i,ij,...j->...", rows, weights, columns))


def scott_chance(tables: Array, *, weights: Array | None = None) -> Array:
    """Agreement expected from the mean of both margins (Scott 1955)."""
    _, rows, columns = _shares(tables)
    mean = (rows + columns) / 2
    weights = np.eye(tables.shape[-1]) if weights is None else weights
    return np.asarray(np.einsum("...i,ij,...j->...", mean, weights, mean))


def gwet_chance(tables: Array, *, weights: Array | None = None) -> Array:
    """Agreement expected among hard items (Gwet 2008; with weights Gwet 2014)."""
    size = tables.shape[-1]
    _, rows, columns = _shares(tables)
    mean = (rows + columns) / 2
    mass = float(size) if weights is None else float(weights.sum())
    spread = (mean * (1 - mean)).sum(axis=-1)
    return ratio(mass * spread, np.full(spread.shape, float(size * (size - 1))))


def uniform_chance(tables: Array, *, weights: Array | None = None) -> Array:
    """Agreement expected from uniform guessing (Brennan & Prediger 1981)."""
    size = tables.shape[-1]
    mass = float(size) if weights is None else float(weights.sum())
    return np.full(tables.shape[:-2], mass / size**2)


def chance_corrected(
    tables: Array, chance: Callable[..., Array], *, weights: Array | None = None
) -> Array:
    """``(observed - expected) / (1 - expected)``."""
    observed, expected = agreement(tables, weights=weights), chance(tables, weights=weights)
    return ratio(observed - expected, 1.0 - expected)


def kappa(tables: Array) -> Array:
    """Cohen's kappa."""
    return chance_corrected(tables, cohen_chance)


def mcc(tables: Array) -> Array:
    """Matthews correlation for L classes, R_K of Gorodkin (2004)."""
    _, rows, columns = _shares(tables)
    covariance = agreement(tables) - (rows * columns).sum(axis=-1)
    spread = (1 - (rows**2).sum(axis=-1)) * (1 - (columns**2).sum(axis=-1))
    return ratio(covariance, np.sqrt(np.where(np.abs(spread) < 1e-15, 0.0, spread)))


def balanced_accuracy(tables: Array) -> Array:
    """Mean recall over the classes present in the reference."""
    recall = ratio(np.einsum("...kk->...k", tables), tables.sum(axis=-1))
    return _mean_defined(recall)


def f1(tables: Array) -> Array:
    """F1 per class, shape (..., L); undefined for a class that neither rater used.

    Cicchetti & Feinstein (1990) call the same number specific (positive, negative) agreement.
    """
    hits = np.einsum("...kk->...k", tables)
    return ratio(2 * hits, tables.sum(axis=-1) + tables.sum(axis=-2))


def macro_f1(tables: Array) -> Array:
    """Mean F1 over the classes present in the reference."""
    present = np.abs(tables.sum(axis=-1)) > 1e-12
    return _mean_defined(np.where(present, f1(tables), np.nan))


def _mean_defined(values: Array) -> Array:
    defined = ~np.isnan(values)
    count = defined.sum(axis=-1).astype(float)
    return ratio(np.where(defined, values, 0.0).sum(axis=-1), count)
