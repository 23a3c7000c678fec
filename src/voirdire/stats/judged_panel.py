"""A panel of annotators and a judge on the same claims, coded once for all panel statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.stats.annotators import rating_codes, vote_counts
from voirdire.stats.coding import Codes, Labels, code_families, code_labels
from voirdire.stats.counts import FamilySums, collapse
from voirdire.stats.panel_sums import Ratings

__all__ = ["JudgedPanel", "panel_of"]


@dataclass(frozen=True)
class JudgedPanel:
    """Codes of C items, A annotators and (perhaps) one judge; missing is -1.

    Attributes
    ----------
    people : ndarray of int, shape (C, A)
    judge : ndarray of int, shape (C,)
        All -1 when there is no judge.
    family : ndarray of int, shape (C,)
    scheme : tuple, length L
    grouped : bool
        Whether families were given.
    """

    people: Codes
    judge: Codes
    family: Codes
    scheme: tuple[Any, ...]
    grouped: bool

    @property
    def items(self) -> int:
        """C."""
        return int(self.people.shape[0])

    @property
    def annotators(self) -> int:
        """A."""
        return int(self.people.shape[1])

    def votes_of_others(self, annotator: int) -> NDArray[np.int64]:
        """Votes per item and label of everyone but one, shape (C, L)."""
        others = np.delete(self.people, annotator, axis=1)
        return vote_counts(others, len(self.scheme))

    def sums(self, columns: NDArray[Any], used: NDArray[np.bool_]) -> FamilySums:
        """Sum item columns (C, S) by family over the used items."""
        distinct, number = np.unique(self.family[used], return_inverse=True)
        summed = np.zeros((distinct.size, columns.shape[1]))
        np.add.at(summed, number.reshape(-1), columns[used].astype(float))
        counts, weight = collapse(summed, drop_empty=False)
        return FamilySums(counts, weight, int(used.sum()), self.items, self.grouped)


def panel_of(
    ratings: Ratings,
    judge: Labels | None,
    *,
    family: Labels | None,
    labels: Sequence[Any] | None,
) -> JudgedPanel:
    """Code a panel.

    Raises
    ------
    ValueError
        If ratings are not a matrix, lengths differ, or a label is not in the scheme.
    """
    answers: Labels = [] if judge is None else judge
    people, scheme = rating_codes(ratings, labels, answers)
    coded_judge = (
        np.full(people.shape[0], -1, dtype=np.int64)
        if judge is None
        else code_labels(answers, scheme, name="judge")
    )
    if coded_judge.size != people.shape[0]:
        raise ValueError(
            f"judge must have one label per item ({people.shape[0]}), got {coded_judge.size}"
        )
    groups = code_families(family, people.shape[0])
    number = np.arange(people.shape[0], dtype=np.int64) if groups is None else groups[0]
    return JudgedPanel(people, coded_judge, number, tuple(scheme), groups is not None)


def pair_cells(first: Codes, second: Codes, classes: int) -> NDArray[np.float64]:
    """One-hot joint table of two raters per item, shape (C, L*L); zeros where one is missing."""
    cells = np.zeros((first.size, classes * classes))
    known = np.flatnonzero((first >= 0) & (second >= 0))
    cells[known, first[known] * classes + second[known]] = 1.0
    return cells
