"""The reference label of a claim, by rule, and the rule is named on every one.

In this order: the adjudicator's word; the strict majority of two or more independent annotators,
where a tie stays a tie (broken neither by order nor by chance); the one label a source published;
the author's; the label of a single annotator. A record that another one supersedes does not
count, and of several by one annotator the latest does. Votes are counted under the view: whether
`contradicted` and `unverifiable` are one label decides what a tie is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from voirdire.errors import UsageError
from voirdire.records import Claim, LabelRecord, ReferenceLabel, View, apply_view

__all__ = [
    "Reference",
    "References",
    "Rule",
    "references",
    "resolve_view",
    "standing_labels",
]

Rule = Literal[
    "adjudicated", "unanimous", "majority", "published", "author", "single annotator", "none"
]

_ORDER: tuple[ReferenceLabel, ...] = (
    "supported",
    "contradicted",
    "unverifiable",
    "not_supported",
)


@dataclass(frozen=True, slots=True)
class Reference:
    """The label a claim is compared with.

    Attributes
    ----------
    claim_id : str
    label : ReferenceLabel or None
        None exactly when `rule` is ``none``.
    rule : Rule
        What made it.
    reason : str
        Why there is none (``tie``, ``no label``), or ``single annotator`` where one person's
        label stands without another's; else empty.
    votes : tuple of (label, count)
        Of the independent annotators, in the fixed order of labels.
    """

    claim_id: str
    label: ReferenceLabel | None
    rule: Rule
    reason: str = ""
    votes: tuple[tuple[ReferenceLabel, int], ...] = ()


@dataclass(frozen=True, slots=True)
class References:
    """The references of some claims, in their order, and what they count up to."""

    items: tuple[Reference, ...]
    _labels: dict[str, ReferenceLabel | None] = field(repr=False)

    def label_of(self, claim_id: str) -> ReferenceLabel | None:
        """The label of a claim, None if it has none or is not among them."""
        return self._labels.get(claim_id)

    @property
    def labels(self) -> dict[str, ReferenceLabel]:
        """Claim id to label, of those that have one."""
        return {item.claim_id: item.label for item in self.items if item.label is not None}

    @property
    def rules(self) -> dict[str, int]:
        """How many references each rule made, most first; ``none`` included."""
        return _counted(item.rule for item in self.items)

    @property
    def reasons(self) -> dict[str, int]:
        """How many claims have no reference, by reason."""
        return _counted(item.reason for item in self.items if item.label is None)

    @property
    def counts(self) -> dict[str, int]:
        """How many claims carry each label, in the fixed order of labels."""
        found = Counter(item.label for item in self.items if item.label is not None)
        return {label: found[label] for label in _ORDER if found[label]}


def references(
    claims: Iterable[Claim],
    labels: Iterable[LabelRecord],
    *,
    view: View | Literal["source"] = "three_class",
) -> References:
    """The reference label of every claim.

    Parameters
    ----------
    claims : iterable of Claim
    labels : iterable of LabelRecord
        Of these claims; others are passed over.
    view : View or "source"
        Labels are shown under it before votes are counted; ``source`` leaves them as they are,
        for counting what a set holds.

    Raises
    ------
    ValueError
        If a two-class label meets the three-class view: see `resolve_view`.
    """
    standing: dict[str, list[LabelRecord]] = defaultdict(list)
    for record in standing_labels(labels):
        standing[record.claim_id].append(record)
    items = tuple(_reference(claim.id, standing.get(claim.id, []), view) for claim in claims)
    return References(items, {item.claim_id: item.label for item in items})


def standing_labels(labels: Iterable[LabelRecord]) -> list[LabelRecord]:
    """One record for each claim, annotator and role: the latest that nothing supersedes.

    Later is a later time; where a time is missing or equal, a later place in the file. Records
    come in the order of the file.
    """
    labels = list(labels)
    superseded = {record.supersedes for record in labels if record.supersedes is not None}
    latest: dict[tuple[str, str, str], tuple[datetime, int]] = {}
    for place, record in enumerate(labels):
        if record.id in superseded:
            continue
        key = (record.claim_id, record.annotator, record.role)
        mark = (record.at or datetime.min.replace(tzinfo=UTC), place)
        if key not in latest or mark > latest[key]:
            latest[key] = mark
    return [labels[place] for place in sorted(place for _, place in latest.values())]


def resolve_view(view: View | Literal["auto"], claims: Sequence[Claim]) -> View:
    """The view under which a selection is compared.

    ``auto`` is three classes, unless a claim of the selection has only two: then it is
    supported or not for all of them, since whether `not_supported` was contradicted is unknown.

    Raises
    ------
    UsageError
        If three classes are asked for and a claim has only two.
    """
    two_class = sum(claim.label_space == "two_class" for claim in claims)
    if view == "auto":
        return "supported_or_not" if two_class else "three_class"
    if view == "three_class" and two_class:
        raise UsageError(
            f"{two_class} of {len(claims)} claims have two classes only (supported or not)",
            where="study.toml, field view",
            allowed="auto, supported_or_not",
            todo="set view = 'auto', or leave the two-class sets out",
        )
    return view


def _reference(
    claim_id: str, records: list[LabelRecord], view: View | Literal["source"]
) -> Reference:
    given: dict[str, list[ReferenceLabel]] = defaultdict(list)
    last_adjudicator: LabelRecord | None = None
    for record in records:
        if record.label is None:
            continue
        given[record.role].append(_under(record.label, view))
        if record.role == "adjudicator" and _later(record, last_adjudicator):
            last_adjudicator = record
    votes = _votes(given["annotator"])
    if last_adjudicator is not None and last_adjudicator.label is not None:
        label = _under(last_adjudicator.label, view)
        return Reference(claim_id, label, "adjudicated", votes=votes)
    return _by_vote(claim_id, votes, given)


def _by_vote(
    claim_id: str,
    votes: tuple[tuple[ReferenceLabel, int], ...],
    given: dict[str, list[ReferenceLabel]],
) -> Reference:
    total = sum(count for _, count in votes)
    if total >= 2:
        label, most = max(votes, key=lambda vote: vote[1])
        if 2 * most > total:
            rule: Rule = "unanimous" if most == total else "majority"
            return Reference(claim_id, label, rule, votes=votes)
        return Reference(claim_id, None, "none", "tie", votes)
    sources: tuple[Literal["published", "author"], ...] = ("published", "author")
    for role in sources:
        told = sorted(set(given[role]))
        if len(told) == 1:
            return Reference(claim_id, told[0], role, votes=votes)
        if told:
            return Reference(claim_id, None, "none", "tie", votes)
    if total == 1:
        return Reference(claim_id, votes[0][0], "single annotator", "single annotator", votes)
    return Reference(claim_id, None, "none", "no label", votes)


def _under(label: ReferenceLabel, view: View | Literal["source"]) -> ReferenceLabel:
    return label if view == "source" else apply_view(label, view)


def _later(record: LabelRecord, other: LabelRecord | None) -> bool:
    never = datetime.min.replace(tzinfo=UTC)
    return other is None or (record.at or never) >= (other.at or never)


def _votes(labels: list[ReferenceLabel]) -> tuple[tuple[ReferenceLabel, int], ...]:
    found = Counter(labels)
    return tuple((label, found[label]) for label in _ORDER if found[label])


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda item: (-item[1], item[0])))
