"""Cells as texts, chunks and truth values, whatever a tool wrote into them."""

from __future__ import annotations

import ast
import json
import math
from collections import Counter
from typing import Any, Final

from voirdire.errors import InputError

__all__ = ["chunks_of", "text_of", "truth_of"]

_TEXT_KEYS: Final = ("text", "content", "page_content", "chunk", "document")
_DEEPEST: Final = 5
_TRUE: Final = frozenset({"true", "yes", "1", "t", "y"})
_FALSE: Final = frozenset({"false", "no", "0", "f", "n"})


def text_of(value: Any) -> str:
    """A cell as text; nothing and NaN are empty, half characters are replaced.

    Examples
    --------
    >>> text_of(None), text_of(12), text_of(["a", "b"])
    ('', '12', 'a')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, list):  # Ragas once kept references in a list
        return text_of(value[0]) if value else ""
    text = value if isinstance(value, str) else str(value)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def chunks_of(value: Any, *, where: str, notes: Counter[str]) -> tuple[str, ...]:
    """The chunks a cell holds.

    A list; a text that is a list as JSON or Python writes it; any other text, which is one chunk.
    Lists within lists are put in a row; of an object its text is taken; nothing among chunks is
    an empty chunk, so that the ranks of the others stand.

    Raises
    ------
    InputError
        For what holds no text at all.

    Examples
    --------
    >>> notes = Counter()
    >>> chunks_of('["a", ["b", null]]', where="", notes=notes), sorted(notes)
    (('a', 'b', ''), ['contexts with lists within lists, put in a row'])
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ()
    if isinstance(value, str):
        value = _listed(value)
        if isinstance(value, str):
            if not value.strip():
                return ()
            notes["contexts given as one text, taken as one chunk"] += 1
            return (text_of(value),)
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list | tuple):
        raise InputError(
            f"{type(value).__name__} is no context", where=where, allowed="a list of texts"
        )
    if all(isinstance(one, str) for one in value):
        return tuple(one if one.isascii() else text_of(one) for one in value)
    found: list[str] = []
    _gather(value, found, where, notes, depth=0)
    return tuple(found)


def truth_of(value: Any, *, where: str) -> bool | None:
    """A cell as yes or no; empty is None.

    Raises
    ------
    InputError
        For anything else.
    """
    if value is None or isinstance(value, bool):
        return value
    text = text_of(value).strip().lower().removesuffix(".0")
    if not text:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    raise InputError(f"{value!r} is neither yes nor no", where=where, allowed="true or false")


def _listed(text: str) -> Any:
    """A text that is a list as JSON or Python writes it, as that list; else the text."""
    plain = text.strip()
    if not (plain.startswith("[") and plain.endswith("]")):
        return text
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(plain)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list):
            return value
    return text


def _gather(values: Any, found: list[str], where: str, notes: Counter[str], *, depth: int) -> None:
    if depth > _DEEPEST:
        raise InputError("lists within lists, without end", where=where, allowed="a list of texts")
    if depth == 1:
        notes["contexts with lists within lists, put in a row"] += 1
    for one in values:
        if isinstance(one, list | tuple):
            _gather(one, found, where, notes, depth=depth + 1)
        elif isinstance(one, dict):
            found.append(_text_in(one, where))
        else:
            found.append(text_of(one))


def _text_in(value: dict[str, Any], where: str) -> str:
    for key in _TEXT_KEYS:
        if isinstance(value.get(key), str):
            return text_of(value[key])
    raise InputError(
        f"an object without a text, with the keys {', '.join(map(str, value)) or '(none)'}",
        where=where,
        allowed=f"an object with one of {', '.join(_TEXT_KEYS)}",
    )
