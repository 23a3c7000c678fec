"""A hand-made export as the source of a claim set: its tasks are claims, its labels people's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from voirdire.errors import Fault
from voirdire.labels.assembling import Assembled, assemble
from voirdire.labels.findings import Finding
from voirdire.labels.options import ImportOptions
from voirdire.labels.sources import SourceRow
from voirdire.labels.studio.exports import LOSSES, Export, looks_like_export, read_export
from voirdire.labels.studio.layout import StudioPaths
from voirdire.labels.studio.normalising import Normalised, Said, item_field, normalise
from voirdire.labels.studio.plans import read_state
from voirdire.labels.studio.recording import given_codes
from voirdire.labels.studio.screen import verdict_words
from voirdire.labels.text import shown
from voirdire.records import EvidenceSpan, LabelRecord, PersonCodes

__all__ = [
    "ExportRows",
    "assemble_export",
    "enriched",
    "export_of_pushed",
    "export_rows",
    "is_export",
]

_NEVER = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class ExportRows:
    """An export as source rows.

    Attributes
    ----------
    rows : list of SourceRow
    findings : list of Finding
        Warnings: what the export loses, annotations that are not used.
    notes : list of str
    said : dict of (claim id, annotator code) to Said
        What a row's bare label leaves out: time, confidence, comment, evidence.
    contexts : dict of str to str
        Claim id to its context; evidence spans lie in it.
    """

    rows: list[SourceRow]
    findings: list[Finding]
    notes: list[str]
    said: dict[tuple[str, str], Said]
    contexts: dict[str, str]


def export_rows(export: Export, path: Path) -> ExportRows:
    """Tasks as source rows: the fields of their data, and a label for each annotator.

    The id is the task's ``item_id`` or ``id`` field, or ``task-`` and its number.
    """
    tasks = [{**task, "data": {**_data(task), "item_id": _name(task)}} for task in export.tasks]
    contexts = {_name(task): _context(_data(task)) for task in export.tasks}
    words = (*verdict_words("three_class"), "not_supported")
    found = normalise(tasks, verdicts=words, contexts=contexts)
    first = sorted(found.said, key=lambda one: (one.created, one.annotation))
    codes = given_codes(PersonCodes(), [one.user for one in first], ())
    code_of = {person.user: person.code for person in codes.people}
    said = {(one.item, code_of[one.user]): one for one in found.said}
    labels: dict[str, dict[str, str]] = {}
    for (name, code), one in said.items():
        if one.label is not None:
            labels.setdefault(name, {})[code] = one.label
    rows = [
        SourceRow(
            number,
            f"{path}, task {task.get('id')}",
            _values(task, _name(task), labels.get(_name(task), {})),
        )
        for number, task in enumerate(export.tasks, start=1)
    ]
    return ExportRows(rows, _findings(export, found, path), _notes(found), said, contexts)


def enriched(labels: Iterable[LabelRecord], rows: ExportRows) -> tuple[LabelRecord, ...]:
    """Label records with what the export knows besides the label."""
    return tuple(_enriched(label, rows) for label in labels)


def is_export(path: Path, options: ImportOptions) -> bool:
    """Whether a source is to be read as an export: options about a file's shape say no."""
    shaped = options.layout != "auto" or options.columns or options.annotator_columns
    return not shaped and path.is_file() and looks_like_export(path) is not None


def assemble_export(path: Path, options: ImportOptions) -> Assembled:
    """An export as claims and labels.

    Raises
    ------
    InputError
        If it is none.
    """
    rows = export_rows(read_export(path), path)
    found = assemble(rows.rows, rows.findings, options, path=str(path))
    return replace(found, labels=enriched(found.labels, rows), notes=(*rows.notes, *found.notes))


def export_of_pushed(path: Path, folder: Path, options: ImportOptions) -> Export | None:
    """The export, if it is of tasks that the set in a folder was pushed as; else None."""
    paths = StudioPaths.of(folder)
    if not paths.push.is_file() or not is_export(path, options):
        return None
    export = read_export(path)
    ours = {item.item for item in read_state(paths).items}
    return export if any(item_field(task) in ours for task in export.tasks) else None


def _enriched(label: LabelRecord, rows: ExportRows) -> LabelRecord:
    said = rows.said.get((label.claim_id, label.annotator))
    if said is None:
        return label
    context = rows.contexts.get(label.claim_id, "")
    return label.model_copy(
        update={
            "at": said.at if said.at > _NEVER else None,
            "confidence": said.confidence,
            "comment": said.comment,
            "lead_seconds": said.lead_seconds,
            "evidence": tuple(
                EvidenceSpan(chunk=0, start=start, end=end, text=context[start:end])
                for start, end in said.spans
            ),
            "meta": {**label.meta, "annotation": said.annotation, "task": said.task},
        }
    )


def _data(task: Mapping[str, Any]) -> dict[str, Any]:
    data = task.get("data")
    return dict(data) if isinstance(data, dict) else {}


def _name(task: Mapping[str, Any]) -> str:
    data = _data(task)
    return str(data.get("item_id") or data.get("id") or f"task-{task.get('id')}")


def _context(data: Mapping[str, Any]) -> str:
    context = data.get("context")
    return context if isinstance(context, str) else ""


def _values(task: Mapping[str, Any], name: str, labels: Mapping[str, str]) -> dict[str, Any]:
    data = _data(task)
    data.pop("item_id", None)
    values = {**data, "id": name}
    if labels:
        values["labels_by_annotator"] = dict(labels)
    return values


def _findings(export: Export, found: Normalised, path: Path) -> list[Finding]:
    findings = []
    if export.kind != "JSON":
        fault = Fault(LOSSES.format(kind=export.kind), str(path))
        findings.append(Finding("lossy export", 0, fault, warning=True))
    for one in found.unused:
        fault = Fault(
            f"annotation {one.annotation} of item {shown(one.item)} not used: {one.why}", str(path)
        )
        findings.append(Finding("annotation not used", 0, fault, warning=True))
    return findings


def _notes(found: Normalised) -> list[str]:
    counts = found.counts
    return [
        f"Label Studio export: {counts['tasks']:,} tasks, {counts['annotations']:,} annotations: "
        f"{counts['labelled']:,} labels, {counts['skipped']:,} skipped, {counts['empty']:,} empty, "
        f"{counts['not used']:,} not used; annotators became codes a1, a2 …"
    ]
