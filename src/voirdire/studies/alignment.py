"""Reference labels and a judge's answers side by side, one row a claim."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import InputError
from voirdire.records import Claim, Label, Outcome, ReferenceLabel, View, apply_view, view_labels

__all__ = ["Aligned", "Panel", "align", "matches_part", "part_words"]

Column = NDArray[np.object_]


@dataclass(frozen=True)
class Panel:
    """What each person said, and the judge, on every claim that any of them labelled.

    Ties are here too: people's own agreement over the claims that have a reference alone would
    leave out just those on which they disagree.

    Attributes
    ----------
    claims : tuple of Claim, length P
    judge : array of str or None, shape (P,)
    family : array of str, shape (P,)
    people : array of str or None, shape (P, A)
    """

    claims: tuple[Claim, ...]
    judge: Column
    family: Column
    people: Column

    def where(self, predicate: Callable[[Claim], bool]) -> Panel:
        """The claims a predicate is true of."""
        keep = [row for row, claim in enumerate(self.claims) if predicate(claim)]
        rows = np.array(keep, dtype=np.intp)
        return Panel(
            claims=tuple(self.claims[row] for row in keep),
            judge=self.judge[rows],
            family=self.family[rows],
            people=self.people[rows],
        )


@dataclass(frozen=True)
class Aligned:
    """One judge on the claims that have a reference label; arrays of one length C.

    Attributes
    ----------
    claims : tuple of Claim
        In the order of the set.
    human : array of str
        Reference labels under the view.
    judge : array of str or None
        The first repeat's label under the view; None where there is no judgment.
    outcome : array of str
        The first repeat's outcome.
    family : array of str
    answers : tuple of tuple of str
        Every repeat's label or outcome, for the page.
    annotators : tuple of str
        Codes of the independent annotators, the columns of ``people``.
    people : array of str or None, shape (C, A)
        What each of them said, under the view.
    panel : Panel
        The same on every labelled claim, those without a reference (ties) included.
    """

    view: View
    claims: tuple[Claim, ...]
    human: Column
    judge: Column
    outcome: Column
    family: Column
    answers: tuple[tuple[str, ...], ...]
    annotators: tuple[str, ...]
    people: Column
    panel: Panel

    @property
    def labels(self) -> tuple[ReferenceLabel, ...]:
        """Labels of the view, in table order."""
        return view_labels(self.view)

    def part(self, predicate: Callable[[Claim], bool]) -> Aligned:
        """The claims a predicate is true of, in rows and panel alike."""
        rows = self.where([predicate(claim) for claim in self.claims])
        return replace(rows, panel=self.panel.where(predicate))

    def where(self, mask: Sequence[bool] | NDArray[np.bool_]) -> Aligned:
        """The rows a mask selects; the panel keeps the claims of these rows."""
        keep = np.flatnonzero(np.asarray(mask, dtype=bool))
        ids = {self.claims[row].id for row in keep}
        return Aligned(
            view=self.view,
            claims=tuple(self.claims[i] for i in keep),
            human=self.human[keep],
            judge=self.judge[keep],
            outcome=self.outcome[keep],
            family=self.family[keep],
            answers=tuple(self.answers[i] for i in keep),
            annotators=self.annotators,
            people=self.people[keep],
            panel=self.panel.where(lambda claim: claim.id in ids),
        )


def align(
    claims: Iterable[Claim],
    reference: Mapping[str, ReferenceLabel | None],
    answers: Mapping[str, Sequence[tuple[Outcome, Label | None]]],
    *,
    view: View,
    votes: Mapping[str, Mapping[str, ReferenceLabel]] | None = None,
) -> Aligned:
    """Put reference and answers side by side.

    Parameters
    ----------
    claims : iterable of Claim
    reference : mapping
        Claim id to reference label; claims without one (ties, no label) are left out.
    answers : mapping
        Claim id to (outcome, label) per repeat.
    view : View
        How labels are compared.
    votes : mapping, optional
        Claim id to annotator code to label, of the independent annotators.
    """
    claims = list(claims)
    kept = [claim for claim in claims if reference.get(claim.id) is not None]
    human, judge, outcome, shown = [], [], [], []
    for claim in kept:
        repeats = answers.get(claim.id) or [("failed", None)]
        first_outcome, first_label = repeats[0]
        label = reference[claim.id]
        assert label is not None
        human.append(apply_view(label, view))
        judge.append(apply_view(first_label, view) if first_label else None)
        outcome.append(first_outcome)
        shown.append(tuple(label or outcome for outcome, label in repeats))
    panel, annotators = _panel(claims, answers, votes or {}, view)
    return Aligned(
        view=view,
        claims=tuple(kept),
        human=_column(human),
        judge=_column(judge),
        outcome=_column(outcome),
        family=_column([claim.family for claim in kept]),
        answers=tuple(shown),
        annotators=annotators,
        people=_people(kept, annotators, votes or {}, view),
        panel=panel,
    )


def _panel(
    claims: Sequence[Claim],
    answers: Mapping[str, Sequence[tuple[Outcome, Label | None]]],
    votes: Mapping[str, Mapping[str, ReferenceLabel]],
    view: View,
) -> tuple[Panel, tuple[str, ...]]:
    voted = [claim for claim in claims if votes.get(claim.id)]
    annotators = tuple(sorted({code for claim in voted for code in votes[claim.id]}))
    said = [(answers.get(claim.id) or [("failed", None)])[0][1] for claim in voted]
    panel = Panel(
        claims=tuple(voted),
        judge=_column([apply_view(label, view) if label else None for label in said]),
        family=_column([claim.family for claim in voted]),
        people=_people(voted, annotators, votes, view),
    )
    return panel, annotators


def _people(
    claims: Sequence[Claim],
    annotators: Sequence[str],
    votes: Mapping[str, Mapping[str, ReferenceLabel]],
    view: View,
) -> Column:
    people = np.full((len(claims), len(annotators)), None, dtype=object)
    place = {code: column for column, code in enumerate(annotators)}
    for row, claim in enumerate(claims):
        for code, label in votes.get(claim.id, {}).items():
            people[row, place[code]] = apply_view(label, view)
    return people


def matches_part(claim: Claim, part: str) -> bool:
    """Whether a claim belongs to a named part, ``kind:value,…`` or ``kind!value,…`` (all but).

    Values may hold ``*``; kinds are variant, language, topic and source.

    Raises
    ------
    InputError
        If the part is not of that form.
    """
    kind, excluded, patterns = _part(part)
    value = str(getattr(claim, kind) or "")
    hit = any(fnmatch.fnmatchcase(value, pattern) for pattern in patterns)
    return hit != excluded


def part_words(part: str) -> str:
    """A part in words: what is kept."""
    kind, excluded, patterns = _part(part)
    listed = " or ".join(pattern.replace("*", "…") for pattern in patterns)
    return f"claims whose {kind} is {'not ' if excluded else ''}{listed}"


def _part(part: str) -> tuple[str, bool, list[str]]:
    excluded = "!" in part
    kind, mark, rest = part.partition("!" if excluded else ":")
    patterns = [piece.strip() for piece in rest.split(",") if piece.strip()]
    if not mark or kind not in ("variant", "language", "topic", "source") or not patterns:
        raise InputError(
            f"{part!r} does not name a part of the claims",
            where="study.toml parts",
            allowed="kind:value or kind!value, kind one of variant, language, topic, source",
            todo='for example "language:en" or "variant!*negation*"',
        )
    return kind, excluded, patterns


def _column(values: Sequence[object]) -> Column:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
