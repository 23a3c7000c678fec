"""The one reduction: from rows of labels to counts per family, from which all statistics follow.

Every agreement number of two raters is a function ``f(T)`` of the table ``T`` of joint counts, and
``T`` is a sum over families. So the families' tables ``C``, shape (F, L*L), carry everything: the
jackknife is ``f(T - C)``, the bootstrap ``f(W @ C)``, the linearised standard error ``C @ grad f``.
Families with the same table count as one row with a weight, so resampling costs what the *distinct*
rows cost: 333,333 families of three items have at most 219 different tables.

Numbers of more than two raters are functions of other sums over families (coincidences, category
shares); `FamilySums` is the common shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.stats.coding import (
    Codes,
    Labels,
    code_families,
    code_labels,
    coding_scheme,
    values_of,
)

__all__ = ["FamilyCounts", "FamilySums", "collapse", "collapse_weighted", "family_counts"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FamilySums:
    """Sums over the items of each family, families with equal sums collapsed.

    Attributes
    ----------
    counts : ndarray of float, shape (D, S)
        The distinct rows of the families' sums.
    weight : ndarray of float, shape (D,)
        How many families have that row; sums to ``families``.
    n : int
        Items that entered.
    n_asked : int
        Items given.
    grouped : bool
        Whether families were given; if not, each item is its own family.
    """

    counts: Floats
    weight: Floats
    n: int
    n_asked: int
    grouped: bool

    @property
    def families(self) -> int:
        """Families with at least one item that entered."""
        return round(float(self.weight.sum()))

    @property
    def total(self) -> Floats:
        """Sum over all families, shape (S,)."""
        return self.weight @ self.counts


@dataclass(frozen=True)
class FamilyCounts(FamilySums):
    """Joint counts of two raters per family.

    ``counts`` has one column per cell of the L x L table, row by row: human label first.

    Attributes
    ----------
    labels : tuple
        The L labels of the coding scheme.
    missing_human, missing_judge : int
        Items without a label of the human, of the judge (an item may lack both).
    asked_of_human, asked_of_judge : tuple of int
        Items that the human (the judge) gave each label, whether or not the other answered.
    """

    labels: tuple[Any, ...] = ()
    missing_human: int = 0
    missing_judge: int = 0
    asked_of_human: tuple[int, ...] = ()
    asked_of_judge: tuple[int, ...] = ()

    @property
    def table(self) -> Floats:
        """Joint counts, shape (L, L), human in rows, judge in columns."""
        return self.total.reshape(len(self.labels), len(self.labels))

    @property
    def families_per_label(self) -> tuple[int, ...]:
        """In how many families the human uses each label, on an item that entered."""
        size = len(self.labels)
        present = self.counts.reshape(-1, size, size).sum(axis=2) > 0
        return tuple(round(x) for x in (self.weight @ present).tolist())


def family_counts(
    human: Labels,
    judge: Labels,
    *,
    labels: Sequence[Any] | None = None,
    family: Labels | None = None,
    weights: ArrayLike | None = None,
) -> FamilyCounts:
    """Count, for each family, how often each pair of labels occurs.

    Parameters
    ----------
    human, judge : sequence of length C
        Labels of the two raters: list, array or Series of strings or integers. None, NaN, NA and
        "" are missing: the item is counted as asked, and never as a label.
    labels : sequence of length L, optional
        The coding scheme; see `coding_scheme` for the default.
    family : sequence of length C, optional
        Family of each item, the unit of resampling. Without it each item is its own family.
    weights : sequence of length C, optional
        Weight of each item in the table (inverse inclusion probability, say), >= 0. Default 1.

    Returns
    -------
    FamilyCounts

    Raises
    ------
    ValueError
        When lengths differ, a label is not in the scheme, or a weight is negative or not finite.

    Examples
    --------
    >>> counts = family_counts(["y", "n", "y", None], ["y", "n", "n", "y"], family=[1, 1, 2, 2])
    >>> counts.table.astype(int).tolist(), counts.n, counts.n_asked, counts.families
    ([[1, 0], [1, 1]], 3, 4, 2)
    """
    human, judge = values_of(human, name="human"), values_of(judge, name="judge")
    scheme = coding_scheme(labels, human, judge)
    rows = code_labels(human, scheme, name="human")
    columns = code_labels(judge, scheme, name="judge")
    if rows.size != columns.size:
        raise ValueError(f"judge must have one label per item ({rows.size}), got {columns.size}")
    groups = code_families(family, rows.size)
    keep = (rows >= 0) & (columns >= 0)
    mass = None if weights is None else _item_weights(weights, rows.size)[keep]
    cells = (rows * len(scheme) + columns)[keep]
    counts, weight = _cell_counts(
        cells, len(scheme) ** 2, None if groups is None else (groups[0][keep], groups[1]), mass
    )
    return FamilyCounts(
        counts=counts,
        weight=weight,
        n=int(keep.sum()),
        n_asked=rows.size,
        grouped=groups is not None,
        labels=scheme,
        missing_human=int((rows < 0).sum()),
        missing_judge=int((columns < 0).sum()),
        asked_of_human=_tally(rows, len(scheme)),
        asked_of_judge=_tally(columns, len(scheme)),
    )


def _tally(codes: Codes, size: int) -> tuple[int, ...]:
    return tuple(np.bincount(codes[codes >= 0], minlength=size).tolist())


def _item_weights(weights: ArrayLike, rows: int) -> Floats:
    mass = np.asarray(weights, dtype=float)
    if mass.shape != (rows,) or not np.isfinite(mass).all() or (mass < 0).any():
        raise ValueError(f"weights must be {rows} finite numbers >= 0, got shape {mass.shape}")
    return mass


def _cell_counts(
    cells: Codes, size: int, groups: tuple[Codes, int] | None, mass: Floats | None
) -> tuple[Floats, Floats]:
    """Distinct rows of counts per family, and their weights."""
    if groups is None and mass is None:  # unit rows: no array of size C x L*L is ever made
        per_cell = np.bincount(cells, minlength=size).astype(float)
        used = np.flatnonzero(per_cell)
        return np.eye(size)[used], per_cell[used]
    number, families = groups if groups is not None else (np.arange(cells.size), cells.size)
    flat = np.bincount(number * size + cells, weights=mass, minlength=families * size)
    return collapse(flat.reshape(families, size))


def collapse(sums: NDArray[Any], *, drop_empty: bool = True) -> tuple[Floats, Floats]:
    """Collapse equal rows into one, with its multiplicity.

    Parameters
    ----------
    sums : ndarray, shape (F, S)
        One row per family, no negative numbers.
    drop_empty : bool
        Leave out rows of zeros: families in which no item entered.

    Returns
    -------
    counts : ndarray of float, shape (D, S)
    weight : ndarray of float, shape (D,)

    Examples
    --------
    >>> collapse(np.array([[1, 0], [0, 2], [1, 0], [0, 0]]))
    (array([[0., 2.],
           [1., 0.]]), array([1., 2.]))
    """
    if drop_empty:
        sums = sums[sums.any(axis=1)]
    if np.issubdtype(sums.dtype, np.integer):
        first, weight = _distinct_rows(sums)
        return sums[first].astype(float), weight.astype(float)
    counts, weight = np.unique(sums, axis=0, return_counts=True)
    return counts.astype(float), weight.astype(float)


def collapse_weighted(sums: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """`collapse` for rows that already stand for several families each.

    Parameters
    ----------
    sums : ndarray, shape (D, S)
        Sums of families.
    weight : ndarray, shape (D,)
        How many families each row stands for.

    Returns
    -------
    counts : ndarray of float, shape (E, S)
    weight : ndarray of float, shape (E,)

    Examples
    --------
    >>> collapse_weighted(np.array([[1.0], [2.0], [1.0], [0.0]]), np.array([3.0, 1.0, 4.0, 9.0]))
    (array([[1.],
           [2.]]), array([7., 1.]))
    """
    kept = sums.any(axis=1)
    counts, rank = np.unique(sums[kept], axis=0, return_inverse=True)
    merged = np.bincount(rank.reshape(-1), weights=weight[kept], minlength=len(counts))
    return counts, merged.astype(float)


def _distinct_rows(sums: NDArray[np.int64]) -> tuple[Codes, Codes]:
    """First index and multiplicity of each distinct row, by packing rows into single integers.

    Sorting packed integers is twenty times faster than ``np.unique(axis=0)``. When the packed
    number would not fit into 62 bits, what was packed so far is renumbered, so the key is exact.
    """
    base = int(sums.max(initial=0)) + 1
    key = np.zeros(len(sums), dtype=np.int64)
    bound = 1
    for column in sums.T:
        if bound > 2**62 // base:
            distinct, rank = np.unique(key, return_inverse=True)
            key, bound = rank.reshape(-1).astype(np.int64), len(distinct)
        key = key * base + column
        bound *= base
    _, first, weight = np.unique(key, return_index=True, return_counts=True)
    return first, weight
