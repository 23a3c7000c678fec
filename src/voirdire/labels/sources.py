"""JSON sources: one claim a line, one family a line, or an array of either."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voirdire.errors import Fault
from voirdire.labels.findings import Finding
from voirdire.labels.lines import JSON_DECODER, byte_finding, read_rows
from voirdire.labels.text import mend_surrogates, shown
from voirdire.store import nearest
from voirdire.store.files import reported

__all__ = ["SourceRow", "explode_families", "read_array_source", "read_lines_source"]


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One claim as its source has it: what the source calls things, and where it stands."""

    line: int
    where: str
    values: dict[str, Any]


def read_lines_source(path: Path) -> tuple[list[SourceRow], list[Finding]]:
    """A JSON lines file, families unfolded.

    Raises
    ------
    StoreError
        If the file cannot be read.
    """
    rows, findings = read_rows(path)
    sources = [SourceRow(row.line, f"{path}:{row.line}", row.value) for row in rows]
    unfolded, found = explode_families(sources)
    return unfolded, findings + found


def read_array_source(path: Path) -> tuple[list[SourceRow], list[Finding]]:
    """A JSON file that holds an array of objects, or one object with such an array.

    Raises
    ------
    StoreError
        If the file cannot be read.
    """
    with reported(path, "read the file"):
        data = path.read_bytes()
    data = data.removeprefix(b"\xef\xbb\xbf")
    unreadable = byte_finding(data, line=0, offset=0, where=str(path))
    if unreadable:
        return [], [unreadable]
    try:
        value = JSON_DECODER.decode(data.decode("utf-8"))
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}"
        what = f"not JSON: {error.msg.removesuffix(' at')} at character {error.colno}"
        return [], [Finding("not JSON", error.lineno, Fault(what, where, todo="mend the file"))]
    except (ValueError, RecursionError) as error:
        return [], [Finding("not JSON", 0, Fault(f"not JSON: {error}", str(path)))]
    value, mended = mend_surrogates(value)
    items = _array_of(value)
    if items is None:
        allowed = "an array of objects, or one object that holds such an array"
        return [], [Finding("no array", 0, Fault("no array of claims", str(path), allowed))]
    findings = []
    if mended:
        fault = Fault(f"{mended} half characters (lone surrogates) read as U+FFFD", str(path))
        findings.append(Finding("half characters", 0, fault, warning=True))
    rows = []
    for number, item in enumerate(items, start=1):
        where = f"{path}, element {number}"
        if isinstance(item, dict):
            rows.append(SourceRow(number, where, item))
        else:
            what = f"a JSON {type(item).__name__} and not an object"
            findings.append(Finding("broken line", number, Fault(what, where, "an object")))
    unfolded, found = explode_families(rows)
    return unfolded, findings + found


def explode_families(rows: list[SourceRow]) -> tuple[list[SourceRow], list[Finding]]:
    """Rows that hold a family with its ``members`` become one row for each member.

    A member takes from its family what it does not say itself (context, topic, language …).
    Without an id of its own it is called after family and variant, numbered where a variant
    stands twice.
    """
    unfolded: list[SourceRow] = []
    findings: list[Finding] = []
    for row in rows:
        members = row.values.get("members")
        if members is None:
            unfolded.append(row)
            continue
        fault = _family_fault(row, members)
        if fault:
            findings.append(fault)
            continue
        common = {key: value for key, value in row.values.items() if key != "members"}
        seen: Counter[str] = Counter()
        for member in members:
            variant = str(member.get("variant", "original"))
            seen[variant] += 1
            number = f"-{seen[variant]}" if seen[variant] > 1 else ""
            values = {**common, "id": f"{common['family']}-{variant}{number}", **member}
            unfolded.append(SourceRow(row.line, row.where, values))
    return unfolded, findings


def _family_fault(row: SourceRow, members: Any) -> Finding | None:
    allowed = "members: a list of objects with variant, claim and label"
    if not isinstance(members, list) or not members:
        what = f"members must be a list of claims, got {shown(members)}"
        return Finding("family without members", row.line, Fault(what, row.where, allowed))
    for member in members:
        if not isinstance(member, dict):
            what = f"a member must be an object, got {shown(member)}"
            return Finding("member not an object", row.line, Fault(what, row.where, allowed))
    if not row.values.get("family"):
        guess = nearest("family", list(row.values))
        todo = f"did you mean {guess!r}?" if guess else ""
        fault = Fault("no field 'family'", row.where, "the family's name", todo)
        return Finding("missing field", row.line, fault)
    return None


def _array_of(value: Any) -> list[Any] | None:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        arrays = [item for item in value.values() if isinstance(item, list) and item]
        objects = [items for items in arrays if all(isinstance(one, dict) for one in items)]
        if "members" in value:
            return [value]
        return objects[0] if len(objects) == 1 else None
    return None
