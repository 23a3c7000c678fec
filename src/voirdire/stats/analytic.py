"""Textbook standard errors of kappa and AC1 for independent items.

They ignore families and are far too small with them (coverage down to .79 where .95 is claimed), so
no interval of this package uses them. They are here for sample sizes, for tests of one kappa
against a value, and to compare with other programs.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.stats import tables
from voirdire.stats.coefficients import of_sums
from voirdire.stats.jackknife import gradient
from voirdire.stats.registry import formula
from voirdire.stats.weighting import Weights, agreement_weights

__all__ = ["ac1_se", "kappa_se", "kappa_se0"]


@formula
def kappa_se(table: ArrayLike, *, weights: Weights = "identity") -> float:
    """Standard error of (weighted) kappa for independent items.

    Parameters
    ----------
    table : array, shape (L, L)
        Joint counts.
    weights : {"identity", "linear", "quadratic"} or array, shape (L, L)
        Agreement weights.

    Returns
    -------
    float
        ``sqrt(mean(IF^2) / n)``; nan where kappa is undefined.

    References
    ----------
    Fleiss, Cohen & Everitt (1969), Psychological Bulletin 72:323.

    Examples
    --------
    >>> round(kappa_se([[75, 1, 4], [5, 4, 1], [0, 0, 10]]), 5)
    0.0877
    """
    counts = _table(table)
    matrix = agreement_weights(weights, size=len(counts))
    return _independent_se(
        counts, lambda t: tables.chance_corrected(t, tables.cohen_chance, weights=matrix)
    )


@formula
def ac1_se(table: ArrayLike) -> float:
    """Standard error of AC1 for independent items, in the 1/n form of `kappa_se`.

    Parameters
    ----------
    table : array, shape (L, L)
        Joint counts.

    Returns
    -------
    float
        nan where AC1 is undefined.

    References
    ----------
    Gwet (2008), British Journal of Mathematical and Statistical Psychology 61:29.

    Examples
    --------
    >>> round(ac1_se([[13, 0, 0], [0, 20, 7], [0, 4, 56]]), 5)
    0.04322
    """
    return _independent_se(_table(table), lambda t: tables.chance_corrected(t, tables.gwet_chance))


@formula
def kappa_se0(table: ArrayLike, *, weights: Weights = "identity") -> float:
    """Standard error of (weighted) kappa when there is no agreement beyond chance.

    Parameters
    ----------
    table : array, shape (L, L)
        Joint counts.
    weights : {"identity", "linear", "quadratic"} or array, shape (L, L)
        Agreement weights.

    Returns
    -------
    float
        nan where kappa is undefined.

    References
    ----------
    Fleiss, Cohen & Everitt (1969), Psychological Bulletin 72:323, equation 12.

    Examples
    --------
    >>> round(kappa_se0([[75, 1, 4], [5, 4, 1], [0, 0, 10]]), 5)
    0.07619
    """
    counts = _table(table)
    n = float(counts.sum())
    matrix = agreement_weights(weights, size=len(counts))
    if n == 0:
        return math.nan
    rows, columns = counts.sum(axis=1) / n, counts.sum(axis=0) / n
    expected = float(rows @ matrix @ columns)
    if expected > 1 - 1e-12:
        return math.nan
    own = matrix - (matrix @ columns)[:, None] - (rows @ matrix)[None, :]
    variance = float(rows @ own**2 @ columns) - expected**2
    return math.sqrt(max(0.0, variance) / n) / (1 - expected)


def _table(table: ArrayLike) -> NDArray[np.float64]:
    counts = np.asarray(table, dtype=float)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or (counts < 0).any():
        raise ValueError(f"table must be square with counts >= 0, got shape {counts.shape}")
    return counts


def _independent_se(counts: NDArray[np.float64], function: tables.TableFunction) -> float:
    flat = counts.reshape(-1)
    influence = gradient(flat, of_sums(function, len(counts)))
    return float(np.sqrt(flat @ influence**2))
