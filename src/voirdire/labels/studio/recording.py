"""What people said into label records: append-only, so a changed mind keeps its history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from voirdire.labels.studio.normalising import Said
from voirdire.labels.studio.tasks import SentText
from voirdire.records import (
    GuidelineUse,
    LabelRecord,
    PersonCode,
    PersonCodes,
    PushedItem,
    Role,
)
from voirdire.store import json_digest

__all__ = [
    "SOURCE",
    "Changes",
    "changes_to",
    "from_server",
    "given_codes",
    "guideline_at",
    "standing_heads",
    "task_link",
    "to_record",
]

SOURCE: Final = "label_studio"
"""Stands in a record's meta: which records a pull may supersede."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a pull appends.

    Attributes
    ----------
    records : tuple of LabelRecord
    new, changed, gone : int
        What they are: first words, changed minds, and labels that no longer stand.
    """

    records: tuple[LabelRecord, ...]
    new: int
    changed: int
    gone: int


def given_codes(codes: PersonCodes, users: Iterable[int], taken: Iterable[str]) -> PersonCodes:
    """Codes with one for everybody: those who have one keep it, the others get the next free.

    Parameters
    ----------
    codes : PersonCodes
    users : iterable of int
        In the order of their first annotation, so that codes do not hang on who pulls when.
    taken : iterable of str
        Codes that people from elsewhere have in this set.
    """
    people = list(codes.people)
    known = {person.user for person in people}
    used = {person.code for person in people} | set(taken)
    number = 1
    for user in dict.fromkeys(users):
        if user in known:
            continue
        while f"a{number}" in used:
            number += 1
        people.append(PersonCode(code=f"a{number}", user=user))
        known.add(user)
        used.add(f"a{number}")
    return PersonCodes(people=tuple(people))


def guideline_at(uses: Sequence[GuidelineUse], said: Said) -> str | None:
    """Hash of the guideline that was shown when somebody said something."""
    shown = [use.sha256 for use in uses if use.since <= said.at]
    return shown[-1] if shown else (uses[0].sha256 if uses else None)


def task_link(server: str, project: int, task: int) -> str:
    """Where a task is seen in the browser."""
    return f"{server}/projects/{project}/data?task={task}"


def to_record(
    said: Said,
    item: PushedItem,
    text: SentText,
    *,
    code: str,
    role: Role,
    guideline: str | None,
    server: str,
    extra: Mapping[str, Any] | None = None,
) -> LabelRecord:
    """One person's word as a label record, evidence mapped back to the chunks."""
    evidence = [span for start, end in said.spans for span in text.evidence(start, end)]
    meta: dict[str, Any] = {
        "source": SOURCE,
        "project": said.project,
        "task": said.task,
        "annotation": said.annotation,
        "item": said.item,
        **(extra or {}),
    }
    if server:
        meta["url"] = task_link(server, said.project, said.task)
    if said.edited_by_other:
        meta["edited_by_other"] = True
    if said.problems:
        meta["problems"] = list(said.problems)
    body: dict[str, Any] = {
        "claim_id": item.claim_id,
        "annotator": code,
        "role": role,
        "status": said.status,
        "label": said.label,
        "at": said.at.isoformat(),
        "guideline": guideline,
        "confidence": said.confidence,
        "comment": said.comment,
        "lead_seconds": said.lead_seconds,
        "evidence": [span.model_dump() for span in evidence],
        "meta": meta,
    }
    mark = json_digest(_content(body))[:10]
    return LabelRecord.model_validate({**body, "id": f"ls-{said.project}-{said.annotation}-{mark}"})


def from_server(record: LabelRecord) -> bool:
    """Whether a record came from the labelling server."""
    return record.meta.get("source") == SOURCE


def standing_heads(records: Iterable[LabelRecord]) -> dict[Key, LabelRecord]:
    """The last record of each claim, person and role that came from the server."""
    records = list(records)
    old = {record.supersedes for record in records}
    return {
        _key(record): record for record in records if record.id not in old and from_server(record)
    }


def changes_to(
    existing: Iterable[LabelRecord],
    wanted: Iterable[LabelRecord],
    *,
    why_gone: Callable[[LabelRecord], str] | None,
) -> Changes:
    """What has to be appended so that the wanted records are the ones that stand.

    Parameters
    ----------
    existing : iterable of LabelRecord
        Of the file, in its order.
    wanted : iterable of LabelRecord
        At most one for each claim, person and role.
    why_gone : callable or None
        Takes a standing record that is not wanted and says why; None: such records stand, because
        what was read may be a part only.
    """
    existing = list(existing)
    heads = standing_heads(existing)
    used = {record.id for record in existing}
    records: list[LabelRecord] = []
    new = changed = gone = 0
    met = set()
    for record in sorted(wanted, key=lambda one: (one.claim_id, one.annotator, one.role)):
        met.add(_key(record))
        head = heads.get(_key(record))
        if head is not None and _same(head, record):
            continue
        first = head is None or head.status == "cancelled"
        new, changed = new + first, changed + (not first)
        supersedes = head.id if head is not None else None
        records.append(
            record.model_copy(update={"id": _free(record.id, used), "supersedes": supersedes})
        )
    if why_gone is not None:
        for key, head in sorted(heads.items()):
            if key not in met and head.status != "cancelled":
                gone += 1
                records.append(_cancelled(head, why_gone(head), used))
    return Changes(tuple(records), new, changed, gone)


Key = tuple[str, str, str]


def _key(record: LabelRecord) -> Key:
    return record.claim_id, record.annotator, record.role


def _content(body: Mapping[str, Any]) -> dict[str, Any]:
    """What makes two records the same; addresses may change without a word changing."""
    meta = {key: value for key, value in body["meta"].items() if key != "url"}
    return {**{key: value for key, value in body.items() if key != "id"}, "meta": meta}


def _same(one: LabelRecord, other: LabelRecord) -> bool:
    bodies = [
        record.model_dump(mode="json", exclude={"id", "supersedes"}) for record in (one, other)
    ]
    return _content(bodies[0]) == _content(bodies[1])


def _cancelled(head: LabelRecord, why: str, used: set[str]) -> LabelRecord:
    return LabelRecord(
        id=_free(f"{head.id}-gone", used),
        claim_id=head.claim_id,
        annotator=head.annotator,
        role=head.role,
        status="cancelled",
        guideline=head.guideline,
        supersedes=head.id,
        meta={**head.meta, "why": why},
    )


def _free(name: str, used: set[str]) -> str:
    found, number = name, 2
    while found in used:
        found, number = f"{name}-{number}", number + 1
    used.add(found)
    return found
