"""From whatever holds labels to integer codes: the only place that knows what "missing" is.

Labels are coded 0..L-1 in the order of the coding scheme, missing is -1. Missing means None, NaN,
``pandas.NA``, ``NaT`` or an empty string: all that a CSV or a frame may hold for "no answer".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["SCALE", "Codes", "Labels", "code_families", "code_labels", "coding_scheme", "values_of"]

#: What functions accept for labels: a list, an array, a pandas or polars Series.
Labels = Sequence[Any] | ArrayLike | Iterable[Any]
Codes = NDArray[np.int64]

#: Order of the built-in coding scheme, used by every weighted statistic.
SCALE: tuple[str, ...] = ("contradicted", "unverifiable", "supported")


def values_of(data: Labels, *, name: str) -> list[Any] | NDArray[np.int64]:
    """The values as plain Python objects, or as integers when the data are integers.

    Parameters
    ----------
    data : sequence of length C
        Labels or family identifiers.
    name : str
        Name of the argument, for the message.

    Returns
    -------
    list or ndarray of int, length C

    Raises
    ------
    TypeError
        When ``data`` is a single string or no sequence at all.
    ValueError
        When ``data`` is an array with more than one dimension.
    """
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise TypeError(f"{name} must be a sequence of labels, got {type(data).__name__}")
    if isinstance(data, list):
        return data
    if isinstance(data, tuple):
        return list(data)
    if hasattr(data, "to_list"):  # pandas and polars Series: no copy through a numpy string type
        dtype = getattr(data, "dtype", None)
        if not (isinstance(dtype, np.dtype) and dtype.kind in "iu"):
            return list(data.to_list())
    if hasattr(data, "__array__"):
        array = np.asarray(data)
        if array.ndim != 1:
            raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
        return array.astype(np.int64) if array.dtype.kind in "iu" else list(array.tolist())
    return list(data)


def is_missing(value: Any) -> bool:
    """Whether a value stands for "no answer"."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    try:
        return bool(value != value)  # NaN and NaT differ from themselves
    except TypeError:  # pandas.NA refuses to be true or false
        return True


def coding_scheme(labels: Sequence[Any] | None, *columns: Labels) -> tuple[Any, ...]:
    """The labels of the coding scheme, in scale order.

    Parameters
    ----------
    labels : sequence or None
        The scheme as given. None takes the built-in scheme when all labels seen belong to it
        (AC1 and Brennan-Prediger count the categories that could be used, not those that were),
        and otherwise the labels seen, sorted.
    *columns : sequences
        Data in which labels are looked for when none are given.

    Returns
    -------
    tuple
        L labels. A scheme of built-in labels is in the order of `SCALE`.

    Raises
    ------
    ValueError
        When a given scheme is empty, or holds a label twice or a missing value.

    Examples
    --------
    >>> coding_scheme(None, ["supported", None])
    ('contradicted', 'unverifiable', 'supported')
    >>> coding_scheme(None, [2, 0], [1, 0])
    (0, 1, 2)
    """
    if labels is not None:
        scheme = tuple(values_of(labels, name="labels"))
        if not scheme or len(set(scheme)) < len(scheme) or any(map(is_missing, scheme)):
            raise ValueError(f"labels must be distinct and none missing, got {scheme!r}")
        return scheme
    seen: set[Any] = set()
    for column in columns:
        values = values_of(column, name="labels")
        seen |= set(np.unique(values).tolist() if isinstance(values, np.ndarray) else values)
    seen = {value for value in seen if not is_missing(value)}
    if seen <= set(SCALE):
        return SCALE
    try:
        return tuple(sorted(seen))
    except TypeError:  # numbers beside strings: any fixed order will do
        return tuple(sorted(seen, key=lambda value: (type(value).__name__, repr(value))))


def code_labels(data: Labels, scheme: Sequence[Any], *, name: str) -> Codes:
    """Code labels as their position in the scheme, missing as -1.

    Parameters
    ----------
    data : sequence of length C
        Labels.
    scheme : sequence of length L
        The coding scheme.
    name : str
        Name of the argument, for the message.

    Returns
    -------
    ndarray of int, shape (C,)

    Raises
    ------
    ValueError
        When a label is not in the scheme: dropping it silently would flatter or harm a judge.

    Examples
    --------
    >>> code_labels(["yes", None, "no"], ("no", "yes"), name="judge").tolist()
    [1, -1, 0]
    """
    values = values_of(data, name=name)
    position = {label: code for code, label in enumerate(scheme)}
    if isinstance(values, np.ndarray):
        return _code_integers(values, position, name)
    codes = np.fromiter((position.get(v, -2) for v in values), dtype=np.int64, count=len(values))
    unknown = np.flatnonzero(codes == -2)
    for row in unknown.tolist():
        if not is_missing(values[row]):
            raise _not_in_scheme(name, position, row, values[row])
    codes[unknown] = -1
    return codes


def _code_integers(values: NDArray[np.int64], position: dict[Any, int], name: str) -> Codes:
    distinct, inverse = _distinct_integers(values)
    known = [position.get(value, -2) for value in distinct.tolist()]
    for value, code in zip(distinct.tolist(), known, strict=True):
        if code == -2:
            raise _not_in_scheme(name, position, int(np.flatnonzero(values == value)[0]), value)
    return np.asarray(known, dtype=np.int64)[inverse]


def _not_in_scheme(name: str, position: dict[Any, int], row: int, value: Any) -> ValueError:
    return ValueError(
        f"{name} must hold labels of the scheme {tuple(position)!r} or None, "
        f"got {value!r} in row {row}"
    )


def code_families(data: Labels | None, rows: int) -> tuple[Codes, int] | None:
    """Number the families 0..F-1; a row without family is a family of its own.

    Parameters
    ----------
    data : sequence of length C, or None
        Family identifiers of any hashable kind.
    rows : int
        C.

    Returns
    -------
    (codes, F) or None
        None when no families are given.

    Raises
    ------
    ValueError
        When the lengths differ.
    """
    if data is None:
        return None
    values = values_of(data, name="family")
    if len(values) != rows:
        raise ValueError(f"family must have one entry per item ({rows}), got {len(values)}")
    if isinstance(values, np.ndarray):
        distinct, inverse = _distinct_integers(values)
        return inverse, len(distinct)
    number: dict[Any, int] = {}
    codes = np.fromiter(
        (
            number.setdefault((row,) if is_missing(value) else value, len(number))
            for row, value in enumerate(values)
        ),
        dtype=np.int64,
        count=rows,
    )
    return codes, len(number)


def _distinct_integers(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], Codes]:
    """``np.unique(..., return_inverse=True)`` without sorting when the range is dense."""
    if values.size == 0:
        return values, values
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * values.size + 1024:
        distinct, inverse = np.unique(values, return_inverse=True)
        return distinct, inverse.reshape(-1).astype(np.int64)
    present = np.zeros(high - low + 1, dtype=bool)
    present[values - low] = True
    rank = np.cumsum(present) - 1
    return np.flatnonzero(present) + low, rank[values - low]
