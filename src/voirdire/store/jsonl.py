"""Append-only JSON lines: what was written before a crash can always be read after it.

A line is written whole and flushed, so a kill leaves at most one torn line, at the end. The
reader passes over a torn tail and says so; the writer cuts it off before it appends.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from voirdire.errors import InputError
from voirdire.store.files import make_folder, reported

__all__ = ["Appender", "Line", "dump_line", "read_lines", "repair_tail"]

_SYNC_SECONDS = 1.0
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
# What `_ENCODER.encode` makes anew for every object costs a quarter of a line; None where this
# Python has no encoder in C. It looks for no cycles: an object that holds itself is too deep.
_MAKE: Any = getattr(json.encoder, "c_make_encoder", None)
_ENCODED: Any = _MAKE and _MAKE(
    None, _ENCODER.default, json.encoder.encode_basestring, None, ":", ",", False, False, False
)


@dataclass(frozen=True, slots=True)
class Line:
    """A parsed line and its number, counted from 1."""

    number: int
    value: dict[str, Any]


def dump_line(value: dict[str, Any]) -> bytes:
    """One object as a line of UTF-8 JSON; line breaks inside strings are escaped by JSON."""
    text = "".join(_ENCODED(value, 0)) if _ENCODED else _ENCODER.encode(value)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def read_lines(path: Path) -> Iterator[Line]:
    """Every complete line of a file that `Appender` wrote.

    Yields
    ------
    Line
        In file order. A torn last line (no line end, not JSON) is passed over: it is what a
        killed writer leaves. Blank lines are passed over.

    Raises
    ------
    InputError
        If a line that has its line end is not a JSON object: that is damage, not a crash.
    """
    with reported(path, "read the file"), path.open("rb") as handle:
        for number, raw in enumerate(handle, start=1):
            if not raw.strip():
                continue
            value = _parse(raw)
            if value is not None:
                yield Line(number, value)
            elif raw.endswith(b"\n"):
                raise InputError(
                    "the line is not a JSON object",
                    where=f"{path}:{number}",
                    todo="restore the file from a copy, or delete that line and run again",
                )


def repair_tail(path: Path) -> int:
    """Cut a torn last line off; give a whole one its line end. Returns the bytes cut."""
    if not path.exists():
        return 0
    with reported(path, "mend the end of the file"), path.open("r+b") as handle:
        start = _last_line_start(handle)
        handle.seek(start)
        tail = handle.read()
        if not tail or tail.endswith(b"\n"):
            return 0
        if _parse(tail) is not None:
            handle.write(b"\n")
            return 0
        handle.truncate(start)
        return len(tail)


class Appender:
    """Appends objects, one line each, flushed line by line.

    Parameters
    ----------
    path : Path
        Made with its folders if absent; a torn tail is cut off first.

    Raises
    ------
    StoreError
        If the file system refuses (full disk, read-only): what was appended before stands.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        make_folder(path.parent)
        self.bytes_cut = repair_tail(path)
        with reported(path, "open the file for appending"):
            self._handle: IO[bytes] = path.open("ab")
        self._synced = time.monotonic()

    def append(self, value: dict[str, Any]) -> None:
        """Write one object; it survives a kill of this process from here on."""
        with reported(self._path, "append to the file"):
            self._handle.write(dump_line(value))
            self._handle.flush()
            if time.monotonic() - self._synced > _SYNC_SECONDS:
                self._sync()

    def append_all(self, values: Iterable[dict[str, Any]]) -> None:
        """Write several objects with one flush: for what is cheap to do again."""
        with reported(self._path, "append to the file"):
            self._handle.write(b"".join(map(dump_line, values)))
            self._handle.flush()
            if time.monotonic() - self._synced > _SYNC_SECONDS:
                self._sync()

    def close(self) -> None:
        """Flush to the disk and close."""
        with reported(self._path, "close the file"):
            try:
                if not self._handle.closed:
                    self._handle.flush()
                    self._sync()
            finally:
                self._handle.close()

    def _sync(self) -> None:
        os.fsync(self._handle.fileno())
        self._synced = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _parse(raw: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        return None
    return value if isinstance(value, dict) else None


def _last_line_start(handle: IO[bytes]) -> int:
    """Offset of the first byte after the last line end that is followed by anything."""
    end = handle.seek(0, os.SEEK_END)
    position, block = end, 1 << 16
    while position > 0:
        step = min(block, position)
        position -= step
        handle.seek(position)
        # A line end in the very last place closes the last line: it does not start one.
        found = handle.read(step).rfind(b"\n", 0, step - (position + step == end))
        if found >= 0:
            return position + found + 1
    return 0
