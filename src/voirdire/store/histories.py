"""Score histories: one evaluation a line, CSV or JSON lines, read strictly.

A blank score is a gap. Everything else that is not a number is a fault with its line, because an
alarm must never rest on a guess.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from voirdire.errors import InputError
from voirdire.records import HistoryPoint, Signal
from voirdire.store.documents import first_fault
from voirdire.store.files import read_text

__all__ = ["COLUMNS", "History", "read_history"]

COLUMNS: Final[tuple[str, ...]] = (
    "time",
    "score",
    "n",
    "failures",
    "contradicted",
    "unverifiable",
    "judge",
    "guideline",
    "label_set",
    "slices",
)
"""What a history may hold; ``time`` and ``score`` must be there."""
_COUNTS = ("n", "failures", "contradicted", "unverifiable")


class History(tuple[HistoryPoint, ...]):
    """Evaluations, oldest first; ``notes`` says what the reader did."""

    notes: tuple[str, ...] = ()


def read_history(path: Path, *, signal: Signal = "faithfulness") -> History:
    """Read a history.

    Parameters
    ----------
    path : Path
        CSV (comma, semicolon or tab; first line names the columns) or, with the suffix ``.jsonl``
        or ``.ndjson``, one JSON object a line.
    signal : Signal
        What ``score`` holds: kappa may lie in -1..1, all others in 0..1.

    Returns
    -------
    History
        In the order of time. A file out of order is sorted, and a note says so.

    Raises
    ------
    UsageError
        If the file is not there.
    InputError
        For a column missing or unknown, a time that is none or stands twice, times with and
        without a zone in one file, a score that is no number or out of range, a count that is no
        whole number or negative; file, line, field and value are named.
    """
    text = read_text(path)
    rows = (
        list(_json_rows(text, path))
        if path.suffix.lower() in (".jsonl", ".ndjson")
        else list(_csv_rows(text, path))
    )
    zoned = {number: _time(row.get("time"), path, number) for number, row in rows}
    _refuse_mixed_zones(zoned, path)
    points = [_point(row, zoned[number], signal, path, number) for number, row in rows]
    notes = []
    if any(time.tzinfo is None for time in zoned.values()):
        notes.append("times carry no zone: they are taken as UTC")
    ordered = sorted(points, key=lambda point: point.time)
    if ordered != points:
        notes.append("the lines were not in the order of time: they are sorted")
    _refuse_twins(ordered, path)
    history = History(ordered)
    history.notes = tuple(notes)
    return history


def _csv_rows(text: str, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [name.strip() for name in next(reader, [])]
        _check_names(names, path)
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(names):
                raise InputError(
                    f"the line has {len(cells)} cells, the first line {len(names)}",
                    where=f"{path}:{reader.line_num}",
                    todo="quote cells that hold the delimiter",
                )
            found = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
            yield reader.line_num, {name: cell for name, cell in found.items() if cell}
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", where=f"{path}:{reader.line_num}") from error


def _check_names(names: list[str], path: Path) -> None:
    unknown = [name for name in names if name not in COLUMNS]
    missing = [name for name in ("time", "score") if name not in names]
    twice = [name for name in names if names.count(name) > 1]
    what = (
        f"there is no column {missing[0]!r}"
        if missing
        else f"unknown column {unknown[0]!r}"
        if unknown
        else f"the column {twice[0]!r} stands twice"
        if twice
        else ""
    )
    if what:
        raise InputError(
            what,
            where=f"{path}:1",
            allowed=", ".join(COLUMNS),
            todo="name the columns in the first line",
        )


def _json_rows(text: str, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_constant=_no_constant)
        except ValueError as error:
            raise InputError(
                f"not a JSON object: {error}",
                where=f"{path}:{number}",
                todo="write null for a gap",
            ) from error
        if not isinstance(row, dict):
            raise InputError("not a JSON object", where=f"{path}:{number}")
        unknown = [name for name in row if name not in COLUMNS]
        if unknown:
            raise InputError(
                f"unknown field {unknown[0]!r}",
                where=f"{path}:{number}",
                allowed=", ".join(COLUMNS),
            )
        yield number, {name: value for name, value in row.items() if value is not None}


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _time(value: Any, path: Path, number: int) -> datetime:
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            pass
    raise InputError(
        f"{value!r} is not a time" if value is not None else "there is no time",
        where=f"{path}:{number} time",
        allowed="ISO 8601, as 2026-03-02 or 2026-03-02T09:00:00+01:00",
    )


def _refuse_mixed_zones(times: dict[int, datetime], path: Path) -> None:
    bare = [number for number, time in times.items() if time.tzinfo is None]
    if bare and len(bare) < len(times):
        raise InputError(
            "some times carry a zone and this one does not, so they cannot be ordered",
            where=f"{path}:{bare[0]} time",
            allowed="a zone on every time, or on none (then they are taken as UTC)",
        )


def _refuse_twins(points: list[HistoryPoint], path: Path) -> None:
    for one, two in pairwise(points):
        if one.time == two.time:
            raise InputError(
                f"two evaluations have the time {two.time.isoformat()} (the other is line "
                f"{min(one.line, two.line)})",
                where=f"{path}:{max(one.line, two.line)} time",
                todo="keep one, or give the time of day of each",
            )


def _point(
    row: dict[str, Any], time: datetime, signal: Signal, path: Path, number: int
) -> HistoryPoint:
    body: dict[str, Any] = {
        "time": time if time.tzinfo else time.replace(tzinfo=UTC),
        "score": _score(row.get("score"), signal, f"{path}:{number} score"),
        "line": number,
    }
    body["time"] = body["time"].astimezone(UTC)
    body |= {name: _count(row[name], f"{path}:{number} {name}") for name in _COUNTS if name in row}
    for name in ("judge", "guideline", "label_set"):
        if name in row:
            body[name] = str(row[name])
    if "slices" in row:
        body["slices"] = _slices(row["slices"], f"{path}:{number} slices")
    try:
        return HistoryPoint.model_validate(body)
    except ValidationError as error:
        raise InputError(first_fault(error), where=f"{path}:{number}") from error


def _score(value: Any, signal: Signal, where: str) -> float | None:
    if value is None:
        return None
    low = -1.0 if signal == "kappa" else 0.0
    allowed = f"a number in {low:g}..1, or nothing for a gap"
    try:
        if isinstance(value, bool):
            raise ValueError
        score = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{value!r} is not a number", where=where, allowed=allowed) from None
    if not math.isfinite(score):
        raise InputError(
            f"{value!r} is not a number", where=where, allowed=allowed, todo="leave a gap empty"
        )
    if not low <= score <= 1:
        raise InputError(
            f"the score {score:g} is out of range",
            where=where,
            allowed=allowed,
            todo="a percentage is divided by 100",
        )
    return score


def _count(value: Any, where: str) -> int:
    try:
        if isinstance(value, bool) or float(value) != int(float(value)):
            raise ValueError
        count = int(float(value))
    except (TypeError, ValueError, OverflowError):
        count = -1
    if count < 0:
        raise InputError(
            f"{value!r} is not a count", where=where, allowed="a whole number, 0 or more"
        )
    return count


def _slices(value: Any, where: str) -> Any:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise InputError(f"not JSON: {error}", where=where) from error
    if not isinstance(value, dict):
        raise InputError(
            "slices must be an object",
            where=where,
            allowed='{"language:en": {"n": 40, "score": 0.9}, ...}',
        )
    return value
