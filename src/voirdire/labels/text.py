"""What a text may hold: no control characters, no half characters, no endless claims."""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = [
    "MAX_CLAIM_CHARACTERS",
    "MAX_LINE_BYTES",
    "control_character",
    "mend_surrogates",
    "mojibake",
    "odd_characters",
    "shown",
]

MAX_CLAIM_CHARACTERS: Final = 10_000
MAX_LINE_BYTES: Final = 8 * 1024 * 1024

# Tab, line feed and carriage return are ordinary in contexts; the rest of C0 and DEL are not.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# NEL (U+0085) is a line end in some sources; the other C1 codes are UTF-8 read as Latin-1.
_C1 = re.compile("[\x80-\x84\x86-\x9f]")
_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def control_character(text: str) -> str:
    """The first control character and where it stands, or an empty string."""
    found = _CONTROL.search(text)
    return f"U+{ord(found.group()):04X} at character {found.start() + 1}" if found else ""


def odd_characters(text: str) -> bool:
    """Whether there is anything that `control_character` or `mojibake` would name."""
    return _ODD.search(text) is not None


def mojibake(text: str) -> str:
    """The first C1 control character, a trace of UTF-8 read as Latin-1; or an empty string."""
    found = _C1.search(text)
    return f"U+{ord(found.group()):04X} at character {found.start() + 1}" if found else ""


def mend_surrogates(value: Any) -> tuple[Any, int]:
    """A JSON value with every lone surrogate replaced by U+FFFD, and how many there were.

    A lone surrogate is half a character: it can be written in JSON and nowhere in UTF-8.
    """
    if isinstance(value, str):
        return _SURROGATE.subn("\ufffd", value)
    if isinstance(value, list):
        pairs = [mend_surrogates(item) for item in value]
        return [item for item, _ in pairs], sum(count for _, count in pairs)
    if isinstance(value, dict):
        keys = [mend_surrogates(key) for key in value]
        items = [mend_surrogates(item) for item in value.values()]
        mended = {key: item for (key, _), (item, _) in zip(keys, items, strict=True)}
        return mended, sum(count for _, count in keys + items)
    return value, 0


def shown(value: Any, *, limit: int = 60) -> str:
    """A value as a message shows it: quoted, on one line, short."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
