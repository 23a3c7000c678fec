"""Exports that somebody made by hand in Label Studio, read without its client and any server.

JSON holds everything. JSON_MIN and CSV lose skipped annotations, whether a task was skipped, the
times of changes by others and all drafts: they are read, and a warning says so.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from voirdire.errors import InputError
from voirdire.labels.lines import JSON_DECODER
from voirdire.store.files import read_text

__all__ = ["LOSSES", "Export", "ExportKind", "looks_like_export", "read_export"]

ExportKind = Literal["JSON", "JSON_MIN", "CSV"]

LOSSES: Final = (
    "a {kind} export leaves out skipped annotations (a task that everybody skipped has no row), "
    "deleted annotators and drafts: export as JSON to have them, or use 'voirdire pull'"
)
_CONTROLS: Final = ("verdict", "confidence", "comment", "evidence")
_OWN_COLUMNS: Final = frozenset(
    {"annotation_id", "annotator", "created_at", "updated_at", "lead_time", "id", *_CONTROLS}
)


@dataclass(frozen=True, slots=True)
class Export:
    """An export as tasks, in the shape of a JSON export whatever it was.

    Attributes
    ----------
    kind : ExportKind
    tasks : list of dict
    """

    kind: ExportKind
    tasks: list[dict[str, Any]]


def looks_like_export(path: Path) -> ExportKind | None:
    """What kind of Label Studio export a file is; None for any other file.

    Never raises on content: a file that cannot be read is no export, and other readers say why.
    """
    try:
        text = read_text(path)
    except InputError:
        return None
    if text.lstrip().startswith("["):
        rows = _array(text)
        if not rows:
            return None
        if all("annotations" in row and isinstance(row.get("data"), dict) for row in rows):
            return "JSON"
        if all({"annotation_id", "annotator", "id"} <= set(row) for row in rows):
            return "JSON_MIN"
        return None
    header = next(csv.reader(io.StringIO(text[:65536]), delimiter=_separator(text)), [])
    return "CSV" if {"annotation_id", "annotator", "lead_time"} <= set(header) else None


def read_export(path: Path) -> Export:
    """Read an export.

    Raises
    ------
    InputError
        If it is none.
    UsageError, StoreError
        If it is not there or cannot be read.
    """
    kind = looks_like_export(path)
    if kind is None:
        raise InputError(
            "not an export of Label Studio",
            where=str(path),
            allowed="JSON, JSON_MIN, CSV or TSV as its Export page makes them",
        )
    text = read_text(path)
    if kind == "JSON":
        return Export(kind, _array(text))
    rows = _array(text) if kind == "JSON_MIN" else _table(text)
    return Export(kind, _gathered(rows))


def _array(text: str) -> list[dict[str, Any]]:
    try:
        value = JSON_DECODER.decode(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return []
    return value


def _separator(text: str) -> str:
    return "\t" if "\t" in text.partition("\n")[0] else ","


def _table(text: str) -> list[dict[str, Any]]:
    csv.field_size_limit(sys.maxsize)
    return [dict(row) for row in csv.DictReader(io.StringIO(text), delimiter=_separator(text))]


def _gathered(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row an annotation becomes one task with its annotations."""
    tasks: dict[str, dict[str, Any]] = {}
    for row in rows:
        name = str(row.get("id"))
        data = {key: value for key, value in row.items() if key not in _OWN_COLUMNS}
        task = tasks.setdefault(
            name, {"id": _number(row.get("id")), "data": data, "annotations": []}
        )
        task["annotations"].append(_annotation(row))
    return list(tasks.values())


def _annotation(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": _number(row.get("annotation_id")),
        "completed_by": _number(row.get("annotator")),
        "result": _result(row),
        "was_cancelled": False,
        "created_at": row.get("created_at"),
        "updated_at": row.get("updated_at"),
        "lead_time": _real(row.get("lead_time")),
    }


def _result(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    for name in ("verdict", "confidence"):
        given = _value(row.get(name))
        choices = given.get("choices") if isinstance(given, dict) else given
        if choices:
            several = [str(one) for one in choices] if isinstance(choices, list) else [str(choices)]
            result.append({"from_name": name, "type": "choices", "value": {"choices": several}})
    comment = _value(row.get("comment"))
    if comment:
        result.append({"from_name": "comment", "type": "textarea", "value": {"text": comment}})
    spans = _value(row.get("evidence"))
    for span in spans if isinstance(spans, list) else []:
        if isinstance(span, dict):
            result.append({"from_name": "evidence", "type": "labels", "value": span})
    return result


def _value(cell: Any) -> Any:
    """A cell as it was: several values stand in a table as JSON."""
    if isinstance(cell, str) and cell[:1] in ("[", "{"):
        try:
            return json.loads(cell)
        except ValueError:
            return cell
    return cell


def _number(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None


def _real(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
