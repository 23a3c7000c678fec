"""Numbers as they come (None, NaN, text, any order) made into arrays the formulas can trust.

Missing is counted, never invented: a value that is not a finite number drops out and shows in
``n_asked - n``. A fault that makes the whole question meaningless (a probability of 1.7, a label
of 3) is kept as a reason, so that the statistic above is undefined instead of wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from voirdire.records.estimates import Estimate

from .coding import code_families
from .reasons import NO_ITEMS

__all__ = [
    "BoolArray",
    "FloatArray",
    "IntArray",
    "ScoredLabels",
    "check_level",
    "family_codes",
    "family_sums",
    "number_matrix",
    "numbers",
    "scored_labels",
]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

NO_FAMILY_NOTE = "no family given: each item counted as its own family"


def check_level(level: float, *, name: str = "level") -> float:
    """Return `level` if it is a number strictly between 0 and 1.

    Raises
    ------
    ValueError
        Otherwise.

    Examples
    --------
    >>> check_level(0.95)
    0.95
    """
    if not 0.0 < float(level) < 1.0:
        raise ValueError(f"{name} must be between 0 and 1 (exclusive), got {level!r}")
    return float(level)


def _to_float(flat: NDArray[Any]) -> FloatArray:
    try:
        out = np.asarray(flat, dtype=np.float64)
    except (TypeError, ValueError):
        import pandas as pd  # slow to import, and met only by columns of objects

        coerced = pd.to_numeric(pd.Series(list(flat), dtype=object), errors="coerce")
        out = coerced.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isfinite(out), out, np.nan)


def _as_object_array(values: Any) -> NDArray[Any]:
    if isinstance(values, np.ndarray):
        return values
    if hasattr(values, "to_numpy"):
        return np.asarray(values.to_numpy())
    listed = list(values)
    try:
        array = np.asarray(listed)
    except ValueError:  # ragged
        return np.asarray(listed, dtype=object)
    # numpy turns [1, "x"] into strings; keep the objects, so that 1 stays a number
    return np.asarray(listed, dtype=object) if array.dtype.kind in "US" else array


def numbers(values: Any, *, name: str = "values") -> FloatArray:
    """A sequence as a 1-D float array; None, text and infinities become NaN (missing).

    Parameters
    ----------
    values : sequence, ndarray or Series, shape (n,)
        Any mixture of numbers, booleans, None and text; numeric text is read as a number.
    name : str
        What to call it in the message.

    Raises
    ------
    ValueError
        If `values` has another number of dimensions than one.

    Examples
    --------
    >>> numbers([1, None, "0.5", "n/a"])
    array([1. , nan, 0.5, nan])
    """
    array = _as_object_array(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got {array.ndim} dimensions")
    return _to_float(array)


def number_matrix(values: Any, *, name: str = "values") -> FloatArray:
    """A table as a 2-D float array; None, text and infinities become NaN (missing).

    An empty sequence is a table of shape (0, 0).

    Raises
    ------
    ValueError
        If `values` is not a table of equally long rows.

    Examples
    --------
    >>> number_matrix([[1, None], [0, "1"]])
    array([[ 1., nan],
           [ 0.,  1.]])
    """
    array = values.to_numpy() if hasattr(values, "to_numpy") else values
    if not isinstance(array, np.ndarray):
        rows = [list(row) if isinstance(row, Sequence | np.ndarray) else row for row in array]
        widths = sorted({len(row) if isinstance(row, list) else -1 for row in rows})
        if len(widths) > 1 or widths == [-1]:
            raise ValueError(f"{name} must be a table of equally long rows, got widths {widths}")
        array = np.array(rows, dtype=object).reshape(len(rows), widths[0] if widths else 0)
    if array.ndim != 2:
        raise ValueError(f"{name} must be two-dimensional, got {array.ndim} dimensions")
    return _to_float(array.ravel()).reshape(array.shape)


def family_codes(family: Any | None, n: int) -> IntArray:
    """Codes 0..F-1 for the families of `n` items.

    Without `family`, and where a family is missing, an item is its own family.

    Raises
    ------
    ValueError
        If `family` has another length than `n`.

    Examples
    --------
    >>> family_codes(["a", "b", "a", None], 4)
    array([0, 1, 0, 2])
    """
    coded = code_families(family, n)
    return np.arange(n, dtype=np.int64) if coded is None else coded[0]


def family_sums(values: FloatArray, codes: IntArray) -> FloatArray:
    """Sums of `values` per family, shape (F,).

    Examples
    --------
    >>> family_sums(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 0]))
    array([5., 2.])
    """
    return np.bincount(codes, weights=values).astype(np.float64)


@dataclass(frozen=True, slots=True)
class ScoredLabels:
    """Probabilities beside 0/1 labels, complete pairs only.

    Attributes
    ----------
    p, y : ndarray, shape (n,)
        Predicted probability of the positive label, and the label.
    family : ndarray of int, shape (n,)
        Codes 0..F-1.
    n_asked : int
        Pairs before those with a missing side dropped out.
    fault : str
        Why no statistic can be formed; empty if one can.
    notes : tuple of str
        Warnings that belong to whatever is computed from this.
    """

    p: FloatArray
    y: FloatArray
    family: IntArray
    n_asked: int
    fault: str
    notes: tuple[str, ...]

    @property
    def n(self) -> int:
        """Complete pairs."""
        return len(self.p)

    @property
    def families(self) -> int:
        """Distinct families among the complete pairs."""
        return int(self.family.max(initial=-1)) + 1

    def undefined(self, method: str, *, level: float = 0.95, reason: str = "") -> Estimate:
        """The estimate that says why there is none."""
        return Estimate.not_defined(
            reason or self.fault,
            method=method,
            n=self.n,
            n_asked=self.n_asked,
            families=self.families,
            level=level,
            notes=self.notes,
        )

    def estimate(
        self,
        value: float,
        interval: tuple[float, float] | None,
        *,
        method: str,
        level: float = 0.95,
        no_interval: str = "fewer than 2 families",
        notes: tuple[str, ...] = (),
    ) -> Estimate:
        """An estimate over these pairs; `interval` None needs the reason `no_interval`."""
        low, high = interval if interval is not None else (None, None)
        return Estimate(
            value=value,
            low=low,
            high=high,
            level=level,
            n=self.n,
            n_asked=self.n_asked,
            families=self.families,
            method=method,
            no_interval=None if interval is not None else no_interval,
            notes=self.notes + notes,
        )


def scored_labels(p: Any, y: Any, *, family: Any | None = None) -> ScoredLabels:
    """Pair probabilities with labels and drop the incomplete pairs.

    Parameters
    ----------
    p : sequence, shape (n,)
        Probability of the positive label, each in 0..1.
    y : sequence, shape (n,)
        Labels 0 or 1 (or booleans).
    family : sequence, shape (n,), optional
        Family of each item.

    Raises
    ------
    ValueError
        If the lengths differ.

    Examples
    --------
    >>> pairs = scored_labels([0.2, None, 0.9], [0, 1, 1])
    >>> pairs.n, pairs.n_asked
    (2, 3)
    >>> scored_labels([1.7], [1]).fault
    '1 score outside 0..1'
    """
    p_all, y_all = numbers(p, name="p"), numbers(y, name="y")
    if len(p_all) != len(y_all):
        raise ValueError(f"y must be as long as p ({len(p_all)}), got {len(y_all)}")
    codes = family_codes(family, len(p_all))
    keep = ~(np.isnan(p_all) | np.isnan(y_all))
    p_kept, y_kept = p_all[keep], y_all[keep]
    return ScoredLabels(
        p=p_kept,
        y=y_kept,
        family=_recode(codes[keep]),
        n_asked=len(p_all),
        fault=_fault(p_kept, y_kept),
        notes=(NO_FAMILY_NOTE,) if family is None else (),
    )


def _recode(codes: IntArray) -> IntArray:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64).reshape(-1)


def _fault(p: FloatArray, y: FloatArray) -> str:
    if len(p) == 0:
        return NO_ITEMS
    outside = int(((p < 0) | (p > 1)).sum())
    if outside:
        return f"{outside} score{'s' if outside > 1 else ''} outside 0..1"
    strange = int((~np.isin(y, (0.0, 1.0))).sum())
    if strange:
        return f"{strange} label{'s' if strange > 1 else ''} other than 0 and 1"
    return ""
