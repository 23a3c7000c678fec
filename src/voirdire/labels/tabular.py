"""CSV and TSV sources: what separates the cells is seen from the first row, and said aloud.

Every row must be as wide as the first, so that an unquoted comma is a fault with a line number
and not a shifted column. Cells are text and stay text: one that looks like a formula too.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from voirdire.errors import Fault, UsageError
from voirdire.labels.findings import Finding
from voirdire.labels.lines import byte_finding
from voirdire.labels.options import ImportOptions
from voirdire.labels.sources import SourceRow
from voirdire.labels.text import MAX_LINE_BYTES, shown
from voirdire.store import nearest
from voirdire.store.delimited import (
    SEPARATOR_NAMES,
    long_cells,
    seen_encoding,
    seen_separator,
)
from voirdire.store.files import reported

__all__ = ["COLUMN_FIELDS", "read_table_source"]

COLUMN_FIELDS: Final[tuple[str, ...]] = (
    *("id", "family", "variant", "claim", "context", "language", "label"),
    *("label_space", "topic", "source", "licence"),
)
"""What a column may be mapped to."""

_OTHER_NAMES = {"lang": "language", "license": "licence"}


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which column goes where, by position."""

    fields: dict[str, list[int]]
    annotators: dict[str, int]
    others: dict[str, int]


def read_table_source(
    path: Path, options: ImportOptions
) -> tuple[list[SourceRow], list[Finding], list[str]]:
    """The rows of a table under the fields' names, what is wrong, and what was assumed.

    Raises
    ------
    UsageError
        If a mapped column is not there (the nearest is suggested) or a field is unknown.
    StoreError
        If the file cannot be read.
    """
    with reported(path, "read the file"):
        data = path.read_bytes()
    text, finding = _decoded(data, options.encoding, str(path))
    if finding:
        return [], [finding], []
    separator = options.separator or seen_separator(text)
    records, findings = _records(text, separator, path)
    if not records:
        return [], findings, []
    header = [name.strip() for name in records[0][1]]
    plan = _plan(header, options, str(path))
    notes = [f"cells are separated by {SEPARATOR_NAMES.get(separator, repr(separator))}"]
    rows = []
    for line, cells in records[1:]:
        where = f"{path}:{line}"
        if len(cells) != len(header):
            what = f"the row has {len(cells)} cells, the first row {len(header)}"
            todo = "put cells that hold the separator or a line end into double quotes"
            fault = Fault(what, where, "as many cells as the first row", todo)
            findings.append(Finding("row of another width", line, fault))
        else:
            rows.append(SourceRow(line, where, _values(cells, plan, options)))
    return rows, findings, notes


def _decoded(data: bytes, encoding: str | None, where: str) -> tuple[str, Finding | None]:
    if encoding is None:
        data, encoding = seen_encoding(data)
    if encoding == "utf-8":
        finding = byte_finding(data, line=0, offset=0, where=where)
        if finding and finding.kind == "not UTF-8":
            allowed = "UTF-8, or UTF-16 with a byte order mark"
            todo = "save the file as UTF-8, or name its encoding: --encoding cp1252"
            finding = Finding(finding.kind, 0, Fault(finding.fault.what, where, allowed, todo))
        if finding:
            return "", finding
    try:
        text = data.decode(encoding).removeprefix("\ufeff")
    except LookupError as error:
        raise UsageError(
            f"unknown encoding {encoding!r}", where="--encoding", allowed="utf-8, utf-16, cp1252 …"
        ) from error
    except UnicodeDecodeError as error:
        what = f"byte {error.start} cannot be read as {encoding}"
        return "", Finding("other encoding", 0, Fault(what, where, todo="save it as UTF-8"))
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        fault = Fault("a NUL character", f"{where}:{line}", "text", "restore it from a copy")
        return "", Finding("NUL byte", 0, fault)
    return text, None


def _records(
    text: str, separator: str, path: Path
) -> tuple[list[tuple[int, list[str]]], list[Finding]]:
    """Records with the line they start in; rows of nothing but blank cells are passed over."""
    records: list[tuple[int, list[str]]] = []
    line = 1
    with long_cells(MAX_LINE_BYTES):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        try:
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    records.append((line, cells))
                line = reader.line_num + 1
        except csv.Error as error:
            todo = "close the quotes; a quote within a quoted cell is written twice"
            fault = Fault(f"not CSV from here on: {error}", f"{path}:{line}", todo=todo)
            # Line 0: what follows was not read, so it cannot be left out as one faulty row.
            return records, [Finding("broken quotes", 0, fault)]
    if not records:
        allowed = "a row of column names, then one claim a row"
        return [], [Finding("empty file", 0, Fault("the file is empty", str(path), allowed))]
    if len(records) == 1:
        fault = Fault("column names and no rows", str(path), "one claim a row")
        return records, [Finding("empty file", 0, fault)]
    return records, []


def _plan(header: Sequence[str], options: ImportOptions, where: str) -> _Plan:
    _refuse_unknown_fields(options.columns)
    fields: dict[str, list[int]] = {}
    for field, names in options.columns.items():
        fields[field] = [place for name in names for place in _places(name, header, where)]
    annotators = {
        code: _only(code, _places(name, header, where), header, where)
        for code, name in options.annotator_columns.items()
    }
    taken = {place for places in fields.values() for place in places} | set(annotators.values())
    others: dict[str, int] = {}
    for place, name in enumerate(header):
        field = _field_of(name)
        if place in taken or not name:
            continue
        if field and field not in options.columns:
            fields.setdefault(field, []).append(place)
        else:
            others[name] = place
    for field, places in fields.items():
        if field != "context":
            _only(field, places, header, where)
    for field in ("claim", "context"):
        if field not in fields:
            raise _no_column(field, header, where)
    return _Plan(fields, annotators, others)


def _refuse_unknown_fields(columns: Mapping[str, Any]) -> None:
    for field in columns:
        if field not in COLUMN_FIELDS:
            guess = nearest(field, list(COLUMN_FIELDS))
            raise UsageError(
                f"unknown field {field!r}",
                where="--column",
                allowed=", ".join(COLUMN_FIELDS),
                todo=f"did you mean {guess!r}?" if guess else "write --column FIELD=COLUMN",
            )


def _field_of(name: str) -> str:
    """The field a column is for by its own name, or an empty string."""
    plain = re.sub(r"[\s-]+", "_", name.casefold())
    if re.fullmatch(r"context_?\d+", plain):
        return "context"
    plain = _OTHER_NAMES.get(plain, plain)
    return plain if plain in COLUMN_FIELDS else ""


def _places(name: str, header: Sequence[str], where: str) -> list[int]:
    places = [place for place, column in enumerate(header) if column == name.strip()]
    if places:
        return places
    guess = nearest(name, list(header))
    raise UsageError(
        f"no column {name!r}",
        where=f"{where}:1",
        allowed=", ".join(header),
        todo=f"did you mean {guess!r}?" if guess else "name one of these columns",
    )


def _only(field: str, places: list[int], header: Sequence[str], where: str) -> int:
    if len(places) > 1:
        columns = ", ".join(f"{header[place]!r} (column {place + 1})" for place in places)
        raise UsageError(
            f"{len(places)} columns for {field!r}: {columns}",
            where=f"{where}:1",
            allowed="one column; only the context may have several",
            todo="rename the others; labels of several people go to --annotator-column",
        )
    return places[0]


def _no_column(field: str, header: Sequence[str], where: str) -> UsageError:
    guess = nearest(field, list(header))
    example = guess or (header[0] if header else "COLUMN")
    return UsageError(
        f"no column for the {field}",
        where=f"{where}:1",
        allowed=f"columns {', '.join(shown(name) for name in header)}",
        todo=f"name it: --column {field}={example!r}",
    )


def _values(cells: Sequence[str], plan: _Plan, options: ImportOptions) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field, places in plan.fields.items():
        if field == "context":
            values["context"] = _chunks([cells[place] for place in places], options)
        elif cells[places[0]].strip() or field == "claim":
            text = cells[places[0]]
            values[field] = text if field == "claim" else text.strip()
    if plan.annotators:
        values["labels_by_annotator"] = {
            code: cells[place].strip() or None for code, place in plan.annotators.items()
        }
    meta = {name: cells[place] for name, place in plan.others.items() if cells[place].strip()}
    if meta:
        values["meta"] = meta
    return values


def _chunks(cells: Sequence[str], options: ImportOptions) -> list[str]:
    """Context cells as chunks; a blank cell among several is a chunk that was not retrieved."""
    if options.context_separator:
        parts = [part for cell in cells for part in cell.split(options.context_separator)]
        cells = [part.strip() for part in parts]
    return [cell for cell in cells if cell.strip()] if len(cells) > 1 else list(cells)
