"""A dump of a project into what people said, by pure functions.

The server checks no result, keeps the choices of a skipped task, lets one person label a task
twice and anybody edit anybody's. So: skip before result; exactly one known verdict; the newest of
each person and item; and every annotation that is not used is listed with its reason.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, Literal

from voirdire.labels.studio.screen import COMMENT, CONFIDENCE, EVIDENCE, VERDICT

__all__ = ["Normalised", "Said", "Unused", "item_field", "normalise", "scrubbed"]

Kind = Literal["labelled", "skipped", "empty"]
UNKNOWN_ITEM: Final = "unknown item: no task of this set"


@dataclass(frozen=True, slots=True)
class Said:
    """One person's word on one item.

    Attributes
    ----------
    status : {"labelled", "skipped", "empty"}
    label : str or None
        Set exactly when labelled.
    spans : tuple of (start, end)
        Evidence in the joined context, in code points, held against its text.
    at : datetime
        Of the last change.
    edited_by_other : bool
        Whether the last change was another person's.
    problems : tuple of str
        What was passed over in it: spans that do not match, unknown controls.
    """

    project: int
    task: int
    annotation: int
    item: str
    user: int
    status: Kind
    label: str | None
    confidence: str | None
    comment: str | None
    spans: tuple[tuple[int, int], ...]
    lead_seconds: float | None
    created: datetime
    at: datetime
    edited_by_other: bool = False
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unused:
    """An annotation that is no word on an item, and why."""

    project: int
    task: int | None
    annotation: int | None
    item: str
    user: int | None
    why: str


@dataclass(frozen=True, slots=True)
class Normalised:
    """What a dump came to.

    Attributes
    ----------
    said : tuple of Said
        One for each person and item at most, by item and person.
    unused : tuple of Unused
    counts : dict of str to int
        Tasks and annotations, by what became of them. ``annotations`` is the sum of labelled,
        skipped, empty and unused.
    """

    said: tuple[Said, ...]
    unused: tuple[Unused, ...]
    counts: dict[str, int] = field(default_factory=dict)


def item_field(task: Mapping[str, Any]) -> str:
    """Our opaque id of a task, or an empty string."""
    data = task.get("data")
    found = data.get("item_id") if isinstance(data, dict) else None
    return found if isinstance(found, str) else ""


def scrubbed(tasks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A dump without what names a person: objects of people become their numbers.

    Drafts name their maker by e-mail and are no labels: only their number stays.
    """
    return [_scrubbed_task(task) for task in tasks]


def normalise(
    tasks: Sequence[Mapping[str, Any]],
    *,
    verdicts: Sequence[str],
    contexts: Mapping[str, str],
) -> Normalised:
    """What people said in a project.

    Parameters
    ----------
    tasks : sequence of dict
        As the server exports them.
    verdicts : sequence of str
        The verdicts there are.
    contexts : mapping of str to str
        Item to the context that was sent. Annotations of other items are unused.
    """
    unused: list[Unused] = []
    heard: dict[tuple[str, int], list[Said]] = defaultdict(list)
    for task in tasks:
        item = item_field(task)
        for annotation in _objects(task.get("annotations")):
            if item not in contexts:
                unused.append(_unused(task, annotation, UNKNOWN_ITEM))
                continue
            found = _said(task, annotation, verdicts, contexts[item])
            if isinstance(found, Unused):
                unused.append(found)
            else:
                heard[item, found.user].append(found)
    said: list[Said] = []
    for _, candidates in sorted(heard.items()):
        newest = max(candidates, key=_rank)
        said.append(newest)
        unused += [_superseded(one, newest) for one in candidates if one is not newest]
    unused.sort(key=lambda one: (one.project, one.task or 0, one.annotation or 0))
    return Normalised(tuple(said), tuple(unused), _counts(tasks, contexts, said, unused))


def _counts(
    tasks: Sequence[Mapping[str, Any]],
    contexts: Mapping[str, str],
    said: Sequence[Said],
    unused: Sequence[Unused],
) -> dict[str, int]:
    homes = Counter(item for item in map(item_field, tasks) if item in contexts)
    annotations = [len(_objects(task.get("annotations"))) for task in tasks]
    status = Counter(one.status for one in said)
    return {
        "tasks": len(tasks),
        "tasks of ours": sum(homes.values()),
        "tasks not ours": len(tasks) - sum(homes.values()),
        "tasks twice on the server": sum(count - 1 for count in homes.values()),
        "tasks annotated": sum(count > 0 for count in annotations),
        "tasks missing on the server": len(set(contexts) - set(homes)),
        "annotations": sum(annotations),
        "labelled": status["labelled"],
        "skipped": status["skipped"],
        "empty": status["empty"],
        "not used": len(unused),
        "drafts (not submitted)": sum(len(task.get("drafts") or []) for task in tasks),
    }


def _said(
    task: Mapping[str, Any],
    annotation: Mapping[str, Any],
    verdicts: Sequence[str],
    context: str,
) -> Said | Unused:
    user = _user(annotation.get("completed_by"))
    if user is None:
        return _unused(task, annotation, "annotator deleted: nobody's label")
    result = annotation.get("result")
    if not isinstance(result, list):
        return _unused(task, annotation, "no result")
    base = _base(task, annotation, user)
    if annotation.get("was_cancelled"):  # before the result: skipping keeps what was clicked
        return base
    entries = [entry for entry in result if isinstance(entry, dict)]
    given = _choices(entries, VERDICT)
    if not entries:
        return replace(base, status="empty")
    if not given:
        return _unused(task, annotation, "no verdict in it")
    if len(given) > 1:
        return _unused(task, annotation, f"several verdicts: {', '.join(given)}")
    if given[0] not in verdicts:
        return _unused(task, annotation, f"unknown verdict {given[0]!r}")
    spans, problems = _spans(entries, context)
    known = {VERDICT, CONFIDENCE, COMMENT, EVIDENCE}
    strange = sorted({str(one.get("from_name")) for one in entries} - known)
    problems += [f"unknown control {name!r} passed over" for name in strange]
    confidence = _choices(entries, CONFIDENCE)
    return replace(
        base,
        status="labelled",
        label=given[0],
        confidence=confidence[0] if len(confidence) == 1 else None,
        comment=_comment(entries),
        spans=tuple(spans),
        problems=tuple(problems),
    )


def _base(task: Mapping[str, Any], annotation: Mapping[str, Any], user: int) -> Said:
    created = _time(annotation.get("created_at"))
    editor = _user(annotation.get("updated_by"))
    lead = annotation.get("lead_time")
    good = isinstance(lead, int | float) and not isinstance(lead, bool) and 0 <= lead < 1e9
    return Said(
        project=_number(annotation.get("project")) or _number(task.get("project")) or 0,
        task=_number(task.get("id")) or 0,
        annotation=_number(annotation.get("id")) or 0,
        item=item_field(task),
        user=user,
        status="skipped",
        label=None,
        confidence=None,
        comment=None,
        spans=(),
        lead_seconds=round(float(lead), 3) if good and lead is not None else None,
        created=created,
        at=max(_time(annotation.get("updated_at")), created),
        edited_by_other=editor is not None and editor != user,
    )


def _rank(said: Said) -> tuple[bool, datetime, int]:
    """Newest last; an empty answer never takes the place of one that says something."""
    return said.status != "empty", said.at, said.annotation


def _superseded(said: Said, by: Said) -> Unused:
    why = f"superseded by annotation {by.annotation} of the same person"
    if said.task != by.task:
        why += f" on task {by.task}, which is the same item"
    return Unused(said.project, said.task, said.annotation, said.item, said.user, why)


def _unused(task: Mapping[str, Any], annotation: Mapping[str, Any], why: str) -> Unused:
    return Unused(
        project=_number(annotation.get("project")) or _number(task.get("project")) or 0,
        task=_number(task.get("id")),
        annotation=_number(annotation.get("id")),
        item=item_field(task),
        user=_user(annotation.get("completed_by")),
        why=why,
    )


def _choices(entries: Iterable[Mapping[str, Any]], name: str) -> list[str]:
    found = []
    for entry in entries:
        value = entry.get("value")
        if entry.get("from_name") == name and isinstance(value, dict):
            choices = value.get("choices")
            found += [str(one) for one in choices] if isinstance(choices, list) else []
    return found


def _comment(entries: Iterable[Mapping[str, Any]]) -> str | None:
    texts: list[str] = []
    for entry in entries:
        value = entry.get("value")
        if entry.get("from_name") == COMMENT and isinstance(value, dict):
            said = value.get("text")
            texts += [str(one) for one in (said if isinstance(said, list) else [said]) if one]
    return "\n".join(texts).strip() or None


def _spans(
    entries: Iterable[Mapping[str, Any]], context: str
) -> tuple[list[tuple[int, int]], list[str]]:
    """Evidence spans whose text is what stands at their place; the others are named."""
    spans: set[tuple[int, int]] = set()
    problems = []
    for entry in entries:
        value = entry.get("value")
        if entry.get("from_name") != EVIDENCE or not isinstance(value, dict):
            continue
        start, end = value.get("start"), value.get("end")
        if not (isinstance(start, int) and isinstance(end, int)):
            problems.append(f"evidence without a place: {start!r} to {end!r}")
        elif not 0 <= start < end <= len(context):
            problems.append(f"evidence {start} to {end} reaches out of the context")
        elif value.get("text") not in (None, context[start:end]):
            problems.append(f"evidence {start} to {end} is not the text that stands there")
        else:
            spans.add((start, end))
    return sorted(spans), problems


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _user(value: Any) -> int | None:
    """A person's number, whichever of its three shapes the server chose."""
    return _number(value.get("id")) if isinstance(value, dict) else _number(value)


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _time(value: Any) -> datetime:
    try:
        found = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return datetime.fromtimestamp(0, UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _scrubbed_task(task: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: _without_people(value) for key, value in task.items() if key != "drafts"}
    kept["data"] = task.get("data")
    drafts = task.get("drafts")
    kept["drafts"] = [
        {"id": one.get("id")} if isinstance(one, dict) else {"id": one}
        for one in (drafts if isinstance(drafts, list) else [])
    ]
    annotations = task.get("annotations")
    if isinstance(annotations, list):
        kept["annotations"] = [
            {**_without_people(one), "result": one.get("result")} if isinstance(one, dict) else one
            for one in annotations
        ]
    return kept


def _without_people(value: Any) -> Any:
    if isinstance(value, dict):
        if "email" in value:
            return value.get("id")
        return {key: _without_people(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_people(item) for item in value]
    return value
