"""JSON lines read with patience: every broken line is a finding, and reading goes on.

The store's reader stops at the first damage, as a program should; a person who mends a file
wants to see all of it at once, with line numbers and byte offsets.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from voirdire.errors import Fault
from voirdire.labels.findings import Finding
from voirdire.labels.text import MAX_LINE_BYTES, mend_surrogates
from voirdire.store.files import reported

__all__ = ["JSON_DECODER", "Row", "byte_finding", "read_rows"]


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON object and the line it stands in."""

    line: int
    value: dict[str, Any]


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _refuse_twin_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        names = [name for name, _ in pairs]
        twin = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twin!r} stands twice")
    return table


JSON_DECODER = json.JSONDecoder(
    parse_constant=_refuse_constant, object_pairs_hook=_refuse_twin_keys
)
"""JSON as the standard has it: no NaN, no infinity, no key twice in one object."""


def read_rows(path: Path, *, append_only: bool = False) -> tuple[list[Row], list[Finding]]:
    """Every object of a JSON lines file, and everything that is wrong with the others.

    Parameters
    ----------
    path : Path
    append_only : bool
        Whether a torn last line is what a killed writer leaves (a warning) or damage (a fault).

    Raises
    ------
    StoreError
        If the file cannot be read.
    """
    rows: list[Row] = []
    findings: list[Finding] = []
    with reported(path, "read the file"), path.open("rb") as handle:
        for line, offset, raw in _raw_lines(handle):
            if not raw.strip():
                continue
            where = f"{path}:{line}"
            found = _parse(raw, line=line, offset=offset, where=where)
            if isinstance(found, dict):
                value, mended = mend_surrogates(found) if b"\\u" in raw else (found, 0)
                rows.append(Row(line, value))
                findings += _mended(mended, line, where)
            elif append_only and not raw.endswith(b"\n"):
                findings.append(_torn(line, where))
            else:
                findings.append(found)
    return rows, findings


def byte_finding(data: bytes, *, line: int, offset: int, where: str) -> Finding | None:
    """What makes bytes unreadable as UTF-8 text, with the offset in the file; or None."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = data[error.start]
        return Finding(
            "not UTF-8",
            line,
            Fault(
                f"byte {offset + error.start} (0x{byte:02x}) is not UTF-8",
                where,
                "UTF-8 text",
                "save the file as UTF-8",
            ),
        )
    if b"\0" not in data:
        return None
    return Finding(
        "NUL byte",
        line,
        Fault(
            f"byte {offset + data.index(0)} is NUL",
            where,
            "text without NUL bytes",
            "save the file as UTF-8 text, or restore it from a copy",
        ),
    )


def _raw_lines(handle: IO[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Line number, offset in the file and bytes; a line that is too long comes cut."""
    line, offset = 0, 0
    while raw := handle.readline(MAX_LINE_BYTES + 1):
        line += 1
        start = offset
        offset += len(raw)
        while not raw.endswith(b"\n") and len(raw) > MAX_LINE_BYTES:
            rest = handle.readline(MAX_LINE_BYTES)
            offset += len(rest)
            if not rest or rest.endswith(b"\n"):
                break
        if line == 1 and raw.startswith(b"\xef\xbb\xbf"):
            raw, start = raw[3:], 3
        yield line, start, raw


def _parse(raw: bytes, *, line: int, offset: int, where: str) -> dict[str, Any] | Finding:
    if len(raw) > MAX_LINE_BYTES:
        return Finding(
            "line too long",
            line,
            Fault(
                "the line is longer than 8 MB",
                where,
                f"lines of at most {MAX_LINE_BYTES} bytes",
                "split the context into chunks that were retrieved, or leave the claim out",
            ),
        )
    unreadable = byte_finding(raw, line=line, offset=offset, where=where)
    if unreadable:
        return unreadable
    try:
        value = JSON_DECODER.decode(raw.decode("utf-8"))
    except json.JSONDecodeError as error:
        return _not_json(
            f"not JSON: {error.msg.removesuffix(' at')} at character {error.colno}", line, where
        )
    except RecursionError:
        return _not_json("not JSON that can be read: nested too deeply", line, where)
    except ValueError as error:
        return _not_json(f"not JSON: {error}", line, where)
    if not isinstance(value, dict):
        return _not_json(f"a JSON {type(value).__name__} and not an object", line, where)
    return value


def _not_json(what: str, line: int, where: str) -> Finding:
    todo = "mend the line or delete it"
    return Finding("broken line", line, Fault(what, where, "one JSON object a line", todo))


def _torn(line: int, where: str) -> Finding:
    what = "the last line is torn, as a killed writer leaves it; it is passed over"
    return Finding("torn last line", line, Fault(what, where), warning=True)


def _mended(count: int, line: int, where: str) -> list[Finding]:
    if not count:
        return []
    what = f"{count} half character{'s' if count > 1 else ''} (lone surrogates) read as U+FFFD"
    return [Finding("half characters", line, Fault(what, where), warning=True)]
