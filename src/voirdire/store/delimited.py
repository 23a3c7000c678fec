"""Tables of text cells: how bytes become text, what separates cells, and how long a cell may be."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["SEPARATOR_NAMES", "long_cells", "seen_encoding", "seen_separator"]

SEPARATOR_NAMES: Final = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
"""What may separate cells, and what it is called."""

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def seen_encoding(data: bytes) -> tuple[bytes, str]:
    """The bytes after the byte order mark, and the encoding they show by it or by their NULs.

    Examples
    --------
    >>> seen_encoding("id;claim".encode("utf-16"))[1]
    'utf-16-le'
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :], name
    # Latin letters in UTF-16 have a NUL beside each letter; a damaged UTF-8 file has few.
    start = data[:64]
    if start[1::2].count(0) > len(start) // 4 and 0 not in start[0::2]:
        return data, "utf-16-le"
    if start[0::2].count(0) > len(start) // 4 and 0 not in start[1::2]:
        return data, "utf-16-be"
    return data, "utf-8"


def seen_separator(text: str) -> str:
    """The candidate that cuts the first record into most cells; a comma if none does.

    Examples
    --------
    >>> seen_separator("id;claim, with comma;context\\n1;a;b")
    ';'
    """
    best, most = ",", 1
    for candidate in SEPARATOR_NAMES:
        try:
            first = next(csv.reader(io.StringIO(text, newline=""), delimiter=candidate), [])
        except csv.Error:
            continue
        if len(first) > most:
            best, most = candidate, len(first)
    return best


@contextmanager
def long_cells(most: int) -> Iterator[None]:
    """The csv module refuses cells over 128 KiB unless told otherwise, for the whole process."""
    before = csv.field_size_limit(most)
    try:
        yield
    finally:
        csv.field_size_limit(before)
