"""Ranks, ties sharing the mean of theirs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["midranks"]


def midranks(values: ArrayLike) -> NDArray[np.float64]:
    """Rank of each value from 1, equal values at the mean of the ranks they take up.

    Parameters
    ----------
    values : array_like, shape (C,)

    Examples
    --------
    >>> midranks([0.3, 0.1, 0.3, 0.9]).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    _, place, count = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place.reshape(-1)], dtype=np.float64)
