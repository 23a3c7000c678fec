"""A mean over items whose uncertainty comes from families: clustered standard error, t(F-1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voirdire.records import Estimate
from voirdire.stats.bounded import clustered_ratio, plain_interval
from voirdire.stats.reasons import FEW_FAMILIES, NO_ITEMS, NO_VARIATION

__all__ = ["family_mean"]


def family_mean(
    values: NDArray[np.float64],
    codes: NDArray[np.int64],
    *,
    method: str,
    level: float = 0.95,
    notes: tuple[str, ...] = (),
) -> Estimate:
    """Mean of the known values with a family-clustered t interval.

    Parameters
    ----------
    values : ndarray of float, shape (C,)
        NaN is missing: counted in ``n_asked``, not in ``n``.
    codes : ndarray of int, shape (C,)
        Family of each item.
    method : str
        What the mean is; ", family-clustered t" is appended.
    level : float
        Confidence level.
    notes : tuple of str
        Passed on.

    Returns
    -------
    Estimate
        Undefined with 'no items'. Without interval with 'fewer than 2 families', or with 'no
        variation between families' when all families have the same value.

    Examples
    --------
    >>> estimate = family_mean(np.array([1.0, 0.0, 1.0]), np.array([0, 1, 2]), method="mean")
    >>> round(estimate.value, 3), estimate.families
    (0.667, 3)
    """
    known = ~np.isnan(values)
    method = f"{method}, family-clustered t"
    if not known.any():
        return Estimate.not_defined(
            NO_ITEMS, method=method, n_asked=values.size, level=level, notes=notes
        )
    groups = np.unique(codes[known], return_inverse=True)[1].reshape(-1)
    used = values[known]
    value, error, families = clustered_ratio(used, np.ones(used.size), groups)
    reason = FEW_FAMILIES if families < 2 else NO_VARIATION if error < 1e-15 else None
    low, high = (
        (None, None) if reason else plain_interval(value, error, df=families - 1, level=level)
    )
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        n=used.size,
        n_asked=values.size,
        families=families,
        method=method,
        no_interval=reason,
        notes=notes,
    )
