"""Agreement weights: how much of an agreement each pair of labels is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.stats.coding import SCALE
from voirdire.stats.registry import formula

__all__ = ["WeightName", "Weights", "agreement_weights", "in_scale_order"]

WeightName = Literal["identity", "linear", "quadratic"]
Weights = WeightName | ArrayLike


@formula
def agreement_weights(
    weights: Weights = "linear", *, size: int, disagreement: ArrayLike | None = None
) -> NDArray[np.float64]:
    """The matrix of agreement weights, 1 on the diagonal, between 0 and 1 elsewhere.

    Parameters
    ----------
    weights : {"identity", "linear", "quadratic"} or array, shape (L, L)
        ``1 - |i - j| / (L - 1)``, its square, or the matrix itself.
    size : int
        L, the number of labels.
    disagreement : array, shape (L, L), optional
        Cost of each pair instead, 0 on the diagonal; divided by the largest cost (Cohen 1968).

    Returns
    -------
    ndarray, shape (L, L)

    Raises
    ------
    ValueError
        When a matrix has another shape, is not finite, or breaks the limits above.

    Examples
    --------
    >>> agreement_weights("linear", size=3)[0].tolist()
    [1.0, 0.5, 0.0]
    >>> agreement_weights(size=2, disagreement=[[0, 3], [3, 0]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if disagreement is not None:
        return _from_costs(_matrix(disagreement, size, "disagreement"))
    if isinstance(weights, str):
        if weights not in ("identity", "linear", "quadratic"):
            raise ValueError(
                f"weights must be 'identity', 'linear', 'quadratic' or a matrix, got {weights!r}"
            )
        if weights == "identity" or size < 2:
            return np.eye(size)
        steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / (size - 1)
        return np.asarray(1 - steps ** (1 if weights == "linear" else 2))
    matrix = _matrix(weights, size, "weights")
    if not (np.diag(matrix) == 1).all() or (matrix > 1).any() or (matrix < 0).any():
        raise ValueError("weights must be 1 on the diagonal and within 0..1, got others")
    return matrix


def _matrix(given: ArrayLike, size: int, name: str) -> NDArray[np.float64]:
    matrix = np.asarray(given, dtype=float)
    if matrix.shape != (size, size) or not np.isfinite(matrix).all():
        raise ValueError(f"{name} must be a finite {size} x {size} matrix, got {matrix.shape}")
    return matrix


def _from_costs(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = costs.max(initial=0.0)
    if largest <= 0 or (costs < 0).any() or np.diag(costs).any():
        raise ValueError("disagreement must be 0 on the diagonal, >= 0 elsewhere, not all 0")
    return np.asarray(1 - costs / largest)


def in_scale_order(labels: Sequence[Any], scale: Sequence[Any] | None) -> tuple[Any, ...]:
    """The labels in the order that weights by distance use.

    Parameters
    ----------
    labels : sequence
        The coding scheme.
    scale : sequence, optional
        Its labels from one end to the other. Default: `SCALE` for the built-in labels, whose
        order in tables is another, and else the order of ``labels``.

    Returns
    -------
    tuple

    Raises
    ------
    ValueError
        When ``scale`` holds other labels than ``labels``.

    Examples
    --------
    >>> in_scale_order(("supported", "contradicted", "unverifiable"), None)
    ('contradicted', 'unverifiable', 'supported')
    """
    if scale is None:
        return SCALE if set(labels) == set(SCALE) else tuple(labels)
    if len(scale) != len(labels) or set(scale) != set(labels):
        raise ValueError(f"scale must order the labels {tuple(labels)!r}, got {tuple(scale)!r}")
    return tuple(scale)
