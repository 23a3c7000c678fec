"""Originals and their variants side by side, and what could not be paired."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from voirdire.records import LABELS, apply_view
from voirdire.studies.alignment import Aligned, Column
from voirdire.studies.variant_groups import VariantGroup, denies_plainly, group_of

__all__ = ["Pairs", "equivalent_negations", "pair_up", "repeat_labels"]

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """P pairs of rows of an `Aligned`.

    Attributes
    ----------
    aligned : Aligned
    original, variant : ndarray of int, shape (P,)
        Rows of the two members.
    groups : tuple of str
        Group of each pair's variant.
    alone : ndarray of int
        Rows of variants without an original that has a reference label.
    """

    aligned: Aligned
    original: Rows
    variant: Rows
    groups: tuple[VariantGroup, ...]
    alone: Rows

    @property
    def size(self) -> int:
        """P."""
        return int(self.variant.size)

    @property
    def family(self) -> Column:
        """Family of each pair."""
        return self.aligned.family[self.variant]

    @property
    def human(self) -> tuple[Column, Column]:
        """Reference labels of original and variant."""
        return self.aligned.human[self.original], self.aligned.human[self.variant]

    def judge(self, column: Column | None = None) -> tuple[Column, Column]:
        """The judge's labels of both; ``column`` replaces the judge's own."""
        labels = self.aligned.judge if column is None else column
        return labels[self.original], labels[self.variant]

    @property
    def alike(self) -> NDArray[np.bool_]:
        """Pairs that people labelled alike."""
        first, second = self.human
        return np.asarray(first == second, dtype=bool)

    def of(self, *groups: VariantGroup) -> Pairs:
        """The pairs of some groups."""
        return self.where([group in groups for group in self.groups])

    def named(self, variant: str) -> Pairs:
        """The pairs whose variant has that very name."""
        claims = self.aligned.claims
        return self.where([claims[row].variant == variant for row in self.variant])

    def where(self, mask: Sequence[bool] | NDArray[np.bool_]) -> Pairs:
        """The pairs a mask selects."""
        keep = np.flatnonzero(np.asarray(mask, dtype=bool))
        return Pairs(
            self.aligned,
            self.original[keep],
            self.variant[keep],
            tuple(self.groups[i] for i in keep),
            self.alone,
        )


def pair_up(aligned: Aligned) -> Pairs:
    """Put each variant beside its family's original.

    Of several originals (one wording on several contexts, or in several languages) the one of the
    same language and context is taken, then of the same language; a translation takes one of
    another language where its own has none.
    """
    homes: dict[str, list[int]] = {}
    for row, claim in enumerate(aligned.claims):
        if group_of(claim.variant) == "original":
            homes.setdefault(claim.family, []).append(row)
    originals: list[int] = []
    variants: list[int] = []
    groups: list[VariantGroup] = []
    alone: list[int] = []
    for row, claim in enumerate(aligned.claims):
        group = group_of(claim.variant)
        if group == "original":
            continue
        home = _home(aligned, row, homes.get(claim.family, []), group)
        if home is None:
            alone.append(row)
            continue
        originals.append(home)
        variants.append(row)
        groups.append(group)
    return Pairs(aligned, _rows(originals), _rows(variants), tuple(groups), _rows(alone))


def _home(aligned: Aligned, row: int, originals: list[int], group: VariantGroup) -> int | None:
    claim = aligned.claims[row]
    tests: tuple[Callable[[int], bool], ...] = (
        lambda i: (
            aligned.claims[i].language == claim.language
            and aligned.claims[i].context == claim.context
        ),
        lambda i: aligned.claims[i].language == claim.language,
        lambda i: group == "translation",
    )
    for test in tests:
        for place in originals:
            if test(place):
                return place
    return None


def equivalent_negations(aligned: Aligned) -> Pairs:
    """Pairs of negations that deny the same thing in other words.

    Where a family declares some (variant ``equivalent_negation``), each pair holds one of these;
    else every two negations of the whole claim (sentence, lexical) make a pair.
    """
    members: dict[tuple[str, str], list[int]] = {}
    for row, claim in enumerate(aligned.claims):
        if denies_plainly(claim.variant):
            members.setdefault((claim.family, claim.language), []).append(row)
    first, second = [], []
    for rows in members.values():
        declared = {r for r in rows if aligned.claims[r].variant.lower().startswith("equivalent")}
        for one, two in combinations(rows, 2):
            if not declared or one in declared or two in declared:
                first.append(one)
                second.append(two)
    groups: list[VariantGroup] = ["negation" for _ in first]
    return Pairs(aligned, _rows(first), _rows(second), tuple(groups), _rows([]))


def repeat_labels(aligned: Aligned) -> list[list[str | None]]:
    """Every repeat's label under the view, None where there was no judgment; shape (C, K)."""
    known = {label: str(apply_view(label, aligned.view)) for label in LABELS}
    return [[known.get(answer) for answer in row] for row in aligned.answers]  # type: ignore[call-overload]


def _rows(values: list[int]) -> Rows:
    return np.array(values, dtype=np.int64)
