"""What dumps say about a claim set, as label records; asks no server and writes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from voirdire.labels.claim_set import ClaimSet
from voirdire.labels.studio.normalising import Normalised, Unused, item_field, normalise
from voirdire.labels.studio.plans import label_space_of, redaction_of
from voirdire.labels.studio.recording import from_server, given_codes, guideline_at, to_record
from voirdire.labels.studio.screen import verdict_words
from voirdire.labels.studio.tasks import SentText, sent_text
from voirdire.records import LabelRecord, PersonCodes, PushState

__all__ = ["Dump", "Heard", "hear"]

OTHER_TEXT: Final = (
    "the claim, or what is redacted in it, changed since: this label was given for another text"
)


@dataclass(frozen=True, slots=True)
class Dump:
    """A project's tasks as they were downloaded, people as numbers."""

    project: int
    part: int
    tasks: list[dict[str, Any]]
    screen_changed: bool


@dataclass(frozen=True, slots=True)
class Heard:
    """What some dumps say about a claim set.

    Attributes
    ----------
    labels : list of LabelRecord
        Independent labels, one for each claim and person.
    repeats : list of LabelRecord
        Answers to planted repeats.
    unused : list of Unused
    counts : dict of str to int
    codes : PersonCodes
    why_gone : dict of str to str
        Item to the reason why labels on it no longer stand.
    notes : list of str
    """

    labels: list[LabelRecord]
    repeats: list[LabelRecord]
    unused: list[Unused]
    counts: dict[str, int]
    codes: PersonCodes
    why_gone: dict[str, str]
    notes: list[str]


def hear(claim_set: ClaimSet, state: PushState, dumps: Sequence[Dump], codes: PersonCodes) -> Heard:
    """What the dumps say, as records; changes nothing."""
    texts = _texts(claim_set, state)
    contexts = {item: text.context for item, text in texts.items()}
    verdicts = verdict_words(label_space_of(claim_set.claims, str(claim_set.paths.root)))
    parts = [normalise(dump.tasks, verdicts=verdicts, contexts=contexts) for dump in dumps]
    said = _one_each([one for part in parts for one in part.said])
    unused = [one for part in parts for one in part.unused] + said[1]
    why_gone = _why_gone(claim_set, state, texts)
    unused = [_explained(one, why_gone) for one in unused]
    first = sorted(said[0], key=lambda one: (one.created, one.annotation))
    others = [one.annotator for one in claim_set.labels if not from_server(one)]
    codes = given_codes(codes, [one.user for one in first], others)
    code_of = {person.user: person.code for person in codes.people}
    items = {item.item: item for item in state.items}
    labels: list[LabelRecord] = []
    repeats: list[LabelRecord] = []
    for one in said[0]:
        item = items[one.item]
        record = to_record(
            one,
            item,
            texts[one.item],
            code=code_of[one.user],
            role="annotator",
            guideline=guideline_at(state.guidelines, one),
            server=state.server,
            extra={"copy": item.copy_number} if item.copy_number else None,
        )
        (repeats if item.copy_number else labels).append(record)
    notes = _notes(dumps, said[0], state)
    counts = _counts(parts)
    outdated = sum(item_field(task) in why_gone for dump in dumps for task in dump.tasks)
    counts["tasks not ours"] -= outdated
    counts["tasks of claims that changed or went"] = outdated
    return Heard(labels, repeats, unused, counts, codes, why_gone, notes)


def _texts(claim_set: ClaimSet, state: PushState) -> dict[str, SentText]:
    """Item to its text, of the items whose claim is in the set as it was sent."""
    redaction = redaction_of(claim_set)
    sent = {claim.id: sent_text(claim, redaction) for claim in claim_set.claims}
    return {
        item.item: sent[item.claim_id]
        for item in state.items
        if item.kind == "labels"
        and item.claim_id in sent
        and sent[item.claim_id].content == item.content
    }


def _one_each(said: list[Any]) -> tuple[list[Any], list[Unused]]:
    """One word for each person and item over all projects: the newest."""
    best: dict[tuple[str, int], Any] = {}
    dropped: list[Unused] = []
    for one in sorted(said, key=lambda one: (one.status != "empty", one.at, one.annotation)):
        old = best.get((one.item, one.user))
        if old is not None:
            why = f"superseded by annotation {one.annotation} in project {one.project}"
            dropped.append(Unused(old.project, old.task, old.annotation, old.item, old.user, why))
        best[one.item, one.user] = one
    return [best[key] for key in sorted(best)], dropped


def _why_gone(
    claim_set: ClaimSet, state: PushState, texts: Mapping[str, SentText]
) -> dict[str, str]:
    known = {claim.id for claim in claim_set.claims}
    return {
        item.item: OTHER_TEXT if item.claim_id in known else "the claim is no longer in the set"
        for item in state.items
        if item.item not in texts
    }


def _explained(one: Unused, why_gone: Mapping[str, str]) -> Unused:
    why = why_gone.get(one.item)
    return Unused(one.project, one.task, one.annotation, one.item, one.user, why) if why else one


def _counts(parts: Sequence[Normalised]) -> dict[str, int]:
    names = list(normalise([], verdicts=(), contexts={}).counts)
    return {name: sum(part.counts.get(name, 0) for part in parts) for name in names}


def _notes(dumps: Sequence[Dump], said: Sequence[Any], state: PushState) -> list[str]:
    notes = [
        f"project {dump.project}: somebody changed the labelling screen on the server; "
        "'voirdire push' puts it back"
        for dump in dumps
        if dump.screen_changed
    ]
    edited = sum(one.edited_by_other for one in said)
    if edited:
        notes.append(f"{edited:,} labels were last changed by somebody else than their giver")
    if state.per_annotator:
        for dump in dumps:
            people = {one.user for one in said if one.project == dump.project}
            if len(people) > 1:
                notes.append(
                    f"project {dump.project} is one annotator's, and {len(people)} people "
                    "labelled in it"
                )
    return notes
