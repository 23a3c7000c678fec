"""The (C, A) matrix of labels and its sums per family.

The sums are whole numbers in units of one over a common denominator, so that leaving a family out
leaves exact zeros, and equal families are found to be equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.stats.annotators import rating_codes, vote_counts
from voirdire.stats.cautions import FEW
from voirdire.stats.coding import Codes, Labels, code_families
from voirdire.stats.counts import FamilySums, collapse
from voirdire.stats.weighting import in_scale_order

__all__ = ["Panel", "Ratings", "coincidence_sums", "pair_sums", "read_panel", "share_sums"]

Ratings = ArrayLike | Sequence[Sequence[Any]]
Floats = NDArray[np.float64]

#: Largest common denominator; above it sums are plain floating-point numbers.
LARGEST_DENOMINATOR = 10**9


@dataclass(frozen=True)
class Panel:
    """Coded labels of several raters.

    Attributes
    ----------
    codes : ndarray of int, shape (C, A)
        Position in ``labels``, -1 for missing.
    family : ndarray of int, shape (C,)
        Family of each item, 0..F-1.
    families : int
        F, with families in which nothing was labelled.
    grouped : bool
        Whether families were given.
    labels : tuple
        The coding scheme, in scale order.
    notes : tuple of str
        Warnings about the data.
    """

    codes: Codes
    family: Codes
    families: int
    grouped: bool
    labels: tuple[Any, ...]
    notes: tuple[str, ...] = ()

    @property
    def votes(self) -> NDArray[np.int64]:
        """Votes per item and label, shape (C, L)."""
        return vote_counts(self.codes, len(self.labels))

    def one_against_others(self, code: int) -> Panel:
        """The same panel with two labels: this one (1) and any other (0)."""
        codes = np.where(self.codes < 0, -1, (self.codes == code).astype(np.int64))
        return replace(self, codes=codes, labels=("other", self.labels[code]))

    def sums(self, per_item: NDArray[Any], n: int) -> FamilySums:
        """Add up items by family, shape (C, S) to `FamilySums`; whole numbers stay whole."""
        totals = np.zeros((self.families, per_item.shape[1]), dtype=per_item.dtype)
        for column in range(per_item.shape[1]):
            added = np.bincount(self.family, weights=per_item[:, column], minlength=self.families)
            whole = np.issubdtype(per_item.dtype, np.integer)
            totals[:, column] = np.rint(added) if whole else added
        counts, weight = collapse(totals)
        return FamilySums(counts, weight, n, len(self.codes), self.grouped)


def read_panel(
    ratings: Ratings,
    *,
    family: Labels | None,
    labels: Sequence[Any] | None,
    scale: Sequence[Any] | None = None,
) -> Panel:
    """Code a matrix of labels.

    Parameters
    ----------
    ratings : array_like or frame, shape (C, A)
        Labels; None is missing.
    family : sequence of length C, optional
        Family of each item.
    labels : sequence of length L, optional
        The coding scheme.
    scale : sequence of length L, optional
        Its order; see `in_scale_order`.

    Returns
    -------
    Panel

    Raises
    ------
    ValueError
        When the shapes do not fit, or a label is not in the scheme.
    """
    codes, scheme = rating_codes(ratings, labels if labels is not None else scale)
    ordered = in_scale_order(scheme, scale)
    if ordered != scheme:
        position = np.array([ordered.index(label) for label in scheme])
        codes = np.where(codes < 0, -1, position[codes])
    rows = len(codes)
    groups = code_families(family, rows)
    number, size = (np.arange(rows), rows) if groups is None else groups
    panel = Panel(codes, number, size, groups is not None, ordered)
    return replace(panel, notes=_few_notes(panel))


def _few_notes(panel: Panel) -> tuple[str, ...]:
    """A note for each label that occurs in 1 to 7 families, on items with two labels or more."""
    unit = "families" if panel.grouped else "items"
    votes = panel.votes
    used = votes[(votes.sum(axis=1) >= 2)] > 0
    owner = panel.family[votes.sum(axis=1) >= 2]
    notes = []
    for code, label in enumerate(panel.labels):
        number = np.unique(owner[used[:, code]]).size
        if 0 < number < FEW:
            notes.append(
                f"class {label!r} lives in {number} {unit} (fewer than {FEW}): "
                "interval may be too narrow"
            )
    return tuple(notes)


def _whole(per_item: Floats, denominator: int) -> NDArray[Any]:
    """Rational numbers as whole numbers of one over the denominator, when that is small."""
    if denominator > LARGEST_DENOMINATOR:
        return per_item
    scaled = per_item * denominator
    rounded = np.rint(scaled)
    if np.abs(scaled - rounded).max(initial=0.0) > 1e-6:  # weights that are no simple fractions
        return per_item
    return rounded.astype(np.int64)


def share_sums(panel: Panel, weights: Floats) -> FamilySums:
    """Sums behind Fleiss, Conger, Gwet and Brennan-Prediger.

    Parameters
    ----------
    panel : Panel
        The labels.
    weights : ndarray, shape (L, L)
        Agreement weights.

    Returns
    -------
    FamilySums
        Columns: agreement of the item's pairs; 1 if it has a pair; for each label the share of the
        item's votes; for each rater and label 1 if given. All but the last A*L columns in
        one common unit, the last in their own.
    """
    votes = panel.votes
    m = votes.sum(axis=1)
    paired = m >= 2
    pairs = np.where(paired, m * (m - 1), 1)[:, None]
    agreeing = (votes * (votes @ weights)).sum(axis=1) - m  # a label agrees with itself
    agreement = np.where(paired, agreeing / pairs[:, 0], 0.0)
    shares = votes / np.maximum(m, 1)[:, None]
    first = np.column_stack([agreement, paired.astype(float), shares])
    highest = int(m.max(initial=2))
    unit = _whole(first, math.lcm(*range(1, highest + 1), *(k * (k - 1) for k in m_values(m))))
    given = panel.codes[:, :, None] == np.arange(len(panel.labels))
    given = given.reshape(len(m), panel.codes.shape[1] * len(panel.labels))
    return panel.sums(np.column_stack([unit, given.astype(unit.dtype)]), int(paired.sum()))


def m_values(m: NDArray[np.int64]) -> list[int]:
    """The numbers of labels per item that occur, from two on."""
    return [int(k) for k in np.unique(m) if k >= 2]


def pair_sums(panel: Panel) -> FamilySums:
    """Joint counts of each pair of raters: A(A-1)/2 tables of L*L columns."""
    size = len(panel.labels)
    blocks = []
    for a, b in combinations(range(panel.codes.shape[1]), 2):
        first, second = panel.codes[:, a], panel.codes[:, b]
        cell = np.where((first >= 0) & (second >= 0), first * size + second, -1)
        blocks.append((cell[:, None] == np.arange(size**2)).astype(np.int64))
    n = int(((panel.codes >= 0).sum(axis=1) >= 2).sum())
    empty = np.zeros((len(panel.codes), 0), dtype=np.int64)
    return panel.sums(np.concatenate([empty, *blocks], axis=1), n)


def coincidence_sums(panel: Panel) -> tuple[FamilySums, int]:
    """Coincidences of labels within items, and the unit they are counted in.

    Parameters
    ----------
    panel : Panel
        The labels.

    Returns
    -------
    sums : FamilySums
        L*L columns: ordered pairs of labels of one item, divided by (labels of the item - 1).
        Items with one label drop out.
    denominator : int
        By which the sums are to be divided.

    Notes
    -----
    Krippendorff (2011), Computing Krippendorff's alpha-reliability.
    """
    votes = panel.votes
    m = votes.sum(axis=1)
    votes = np.where((m >= 2)[:, None], votes, 0)
    size = votes.shape[1]
    ordered = votes[:, :, None] * votes[:, None, :] - votes[:, :, None] * np.eye(size, dtype=int)
    per_item = ordered.reshape(len(m), size * size) / np.maximum(m - 1, 1)[:, None]
    denominator = math.lcm(1, *(k - 1 for k in m_values(m)))
    whole = _whole(per_item, denominator)
    exact = np.issubdtype(whole.dtype, np.integer)
    return panel.sums(whole, int((m >= 2).sum())), denominator if exact else 1
