"""Adjusting p-values when several questions are asked of the same data.

Holm keeps the chance of *any* false rejection (the pre-registered comparisons against the
incumbent); Benjamini-Hochberg and Benjamini-Yekutieli keep the expected *share* of false
rejections, the second under any dependence (the alternative-annotator test, where all annotators
are compared with the same judge).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.stats.registry import formula

__all__ = ["benjamini_hochberg", "benjamini_yekutieli", "holm"]

Floats = NDArray[np.float64]


@formula
def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's step-down adjusted p-values.

    Parameters
    ----------
    p_values : sequence of (float or None), shape (M,)
        None (or NaN) marks a test that could not be made. It stays None and is not counted among
        the M tests, because it can never be rejected.

    Returns
    -------
    tuple of (float or None)
        In the order given; reject at level q where the adjusted value is <= q.

    Raises
    ------
    ValueError
        If a p-value lies outside [0, 1].

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6:65-70.

    Examples
    --------
    >>> holm([0.01, 0.04, None, 0.03])
    (0.03, 0.06, None, 0.06)
    """
    return _adjusted(p_values, _holm)


@formula
def benjamini_hochberg(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Benjamini-Hochberg adjusted p-values (false discovery rate, independent tests).

    Parameters and returned value are those of `holm`.

    Raises
    ------
    ValueError
        If a p-value lies outside [0, 1].

    References
    ----------
    Benjamini & Hochberg (1995), JRSS B 57:289-300.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    (0.03, 0.04, 0.04)
    """
    return _adjusted(p_values, _step_up)


@formula
def benjamini_yekutieli(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Benjamini-Yekutieli adjusted p-values (false discovery rate under any dependence).

    Parameters and returned value are those of `holm`.

    Raises
    ------
    ValueError
        If a p-value lies outside [0, 1].

    References
    ----------
    Benjamini & Yekutieli (2001), Annals of Statistics 29:1165-1188.

    Examples
    --------
    >>> [round(p, 4) for p in benjamini_yekutieli([0.01, 0.04, 0.03])]
    [0.055, 0.0733, 0.0733]
    """
    return _adjusted(p_values, lambda p: np.minimum(_step_up(p) * _harmonic(p.size), 1.0))


def _adjusted(
    p_values: Sequence[float | None], rule: Callable[[Floats], Floats]
) -> tuple[float | None, ...]:
    numbers = [None if p is None or math.isnan(p) else float(p) for p in p_values]
    for position, number in enumerate(numbers):
        if number is not None and not 0.0 <= number <= 1.0:
            raise ValueError(f"p_values must be in [0, 1], got {number} at position {position}")
    made = np.array([p for p in numbers if p is not None], dtype=np.float64)
    if made.size == 0:
        return tuple(numbers)
    order = np.argsort(made, kind="stable")
    adjusted = np.empty_like(made)
    adjusted[order] = rule(made[order])
    values = iter(adjusted.tolist())
    return tuple(None if p is None else next(values) for p in numbers)


def _holm(ascending: Floats) -> Floats:
    left = np.arange(ascending.size, 0, -1)
    return np.asarray(np.minimum(np.maximum.accumulate(ascending * left), 1.0))


def _step_up(ascending: Floats) -> Floats:
    rank = np.arange(1, ascending.size + 1)
    scaled = ascending * ascending.size / rank
    return np.asarray(np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0))


def _harmonic(m: int) -> float:
    return float(np.sum(1.0 / np.arange(1, m + 1)))
