"""How far labelling is: counted from a dump, since the server's own counters go wrong.

After concurrent submits the server's counters (is_labeled, total_annotations) are off. Nothing
here reads them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from voirdire.labels.claim_set import load_claim_set
from voirdire.labels.studio.client import Studio
from voirdire.labels.studio.connection import Server
from voirdire.labels.studio.hearing import Heard, hear
from voirdire.labels.studio.layout import StudioPaths
from voirdire.labels.studio.plans import read_state
from voirdire.labels.studio.pulling import fetch, read_codes
from voirdire.records import LabelRecord, PushState

__all__ = [
    "AnnotatorProgress",
    "LocalStatus",
    "StatusReport",
    "local_status",
    "status",
    "status_of",
]


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """One person's work.

    Attributes
    ----------
    annotator : str
        Code.
    labelled, skipped, empty, not_used : int
        Items, planted repeats among them; annotations that are no label.
    median_lead : float or None
        Seconds on a labelled item; None if none has a time.
    last : str or None
        Of the last change, ISO 8601.
    """

    annotator: str
    labelled: int
    skipped: int
    empty: int
    not_used: int
    median_lead: float | None
    last: str | None


@dataclass(frozen=True, slots=True)
class StatusReport:
    """How far a claim set is.

    Attributes
    ----------
    items : int
        Tasks that ask for labels, planted repeats among them.
    wanted, given : int
        Labels asked for (items times people) and given, at most the wanted ones of each item.
    by_labels : dict of int to int
        Number of labels to the items that have so many.
    finished : int
        Items with as many labels as asked for.
    seconds_left : float or None
        Labels missing times the median lead time, over the people at work; None if unknown.
    """

    set: str
    items: int
    wanted: int
    given: int
    finished: int
    by_labels: dict[int, int]
    annotators: tuple[AnnotatorProgress, ...]
    median_lead: float | None
    seconds_left: float | None
    counts: dict[str, int]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class LocalStatus:
    """What the files of a claim set say, without any server.

    Attributes
    ----------
    claims, labelled : int
        Claims in the set; those with at least one label of an annotator.
    labels : int
        Labels that count: of a changed mind only the last.
    annotators : tuple of AnnotatorProgress
        Everyone who said something, in the order of their codes.
    """

    set: str
    claims: int
    labelled: int
    labels: int
    annotators: tuple[AnnotatorProgress, ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def local_status(folder: Path) -> LocalStatus:
    """How far labelling is by what was imported or pulled; asks no server.

    Raises
    ------
    ClaimSetError
        If the set has faults.
    """
    claim_set = load_claim_set(folder)
    replaced = {one.supersedes for one in claim_set.labels if one.supersedes}
    by_code: dict[str, list[LabelRecord]] = defaultdict(list)
    for record in claim_set.labels:
        if record.id not in replaced:
            by_code[record.annotator].append(record)
    labelled = [one for said in by_code.values() for one in said if one.status == "labelled"]
    return LocalStatus(
        set=claim_set.name,
        claims=len(claim_set.claims),
        labelled=len({one.claim_id for one in labelled}),
        labels=len(labelled),
        annotators=tuple(_one(code, by_code[code], 0) for code in sorted(by_code)),
    )


def status(folder: Path, server: Server) -> StatusReport:
    """How far labelling is, from a fresh dump; writes nothing.

    Raises
    ------
    UsageError
        If nothing was pushed.
    StudioError
        If the server or the project is not there.
    """
    paths = StudioPaths.of(folder)
    state = read_state(paths)
    claim_set = load_claim_set(folder)
    studio = Studio(server)
    studio.check()
    heard = hear(claim_set, state, fetch(studio, state), read_codes(paths))
    return status_of(state, heard)


def status_of(state: PushState, heard: Heard) -> StatusReport:
    """How far labelling is, by what was heard; asks no server."""
    people = max(state.per_annotator, 1) * state.overlap
    items = [
        item.item
        for item in state.items
        if item.kind == "labels" and item.item not in heard.why_gone
    ]
    records = [*heard.labels, *heard.repeats]
    labelled = [one for one in records if one.status == "labelled"]
    per_item = Counter(str(one.meta["item"]) for one in labelled)
    given = sum(min(per_item[item], people) for item in items)
    leads = [one.lead_seconds for one in labelled if one.lead_seconds]
    at_work = len({one.annotator for one in labelled})
    middle = median(leads) if leads else None
    missing = people * len(items) - given
    workers = min(at_work, people) if at_work else people
    return StatusReport(
        set=state.set,
        items=len(items),
        wanted=people * len(items),
        given=given,
        finished=sum(per_item[item] >= people for item in items),
        by_labels=dict(sorted(Counter(per_item[item] for item in items).items())),
        annotators=_annotators(records, heard),
        median_lead=middle,
        seconds_left=missing * middle / workers if middle is not None else None,
        counts=heard.counts,
        notes=tuple(heard.notes),
    )


def _annotators(records: list[LabelRecord], heard: Heard) -> tuple[AnnotatorProgress, ...]:
    code_of = {person.user: person.code for person in heard.codes.people}
    by_code: dict[str, list[LabelRecord]] = defaultdict(list)
    for record in records:
        by_code[record.annotator].append(record)
    unused = Counter(code_of.get(one.user, "") for one in heard.unused if one.user is not None)
    codes = [person.code for person in heard.codes.people]
    seen = [code for code in codes if by_code[code] or unused[code]]
    return tuple(_one(code, by_code[code], unused[code]) for code in seen)


def _one(code: str, records: list[LabelRecord], not_used: int) -> AnnotatorProgress:
    found = Counter(record.status for record in records)
    leads = [
        record.lead_seconds
        for record in records
        if record.lead_seconds and record.status == "labelled"
    ]
    times = [record.at for record in records if record.at]
    return AnnotatorProgress(
        annotator=code,
        labelled=found["labelled"],
        skipped=found["skipped"],
        empty=found["empty"],
        not_used=not_used,
        median_lead=median(leads) if leads else None,
        last=max(times).isoformat(timespec="seconds") if times else None,
    )
