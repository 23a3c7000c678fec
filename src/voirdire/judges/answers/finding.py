"""Finds the JSON objects in what a model wrote: fenced, between prose, or slightly broken."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["Found", "find_objects"]

# A model's answer is short; what is longer than this is not searched (nor is it an answer).
_LONGEST: Final = 200_000
# Braces that begin no object, after which no more are tried: each may cost a walk to the end.
_MOST_FALSE_STARTS: Final = 100


@dataclass(frozen=True, slots=True)
class Found:
    """What was found.

    Attributes
    ----------
    objects : tuple of dict
        Those with the field looked for, in the order they stand.
    repaired : bool
        Whether a library mended the JSON.
    twice : bool
        Whether an object held the field twice with different values.
    echoed : bool
        Whether an object was left out because it stands in what the model was given.
    """

    objects: tuple[dict[str, Any], ...] = ()
    repaired: bool = False
    twice: bool = False
    echoed: bool = False


class _Twice(ValueError):
    """An object says the same field twice, differently."""


def find_objects(text: str, *, field: str, repair: bool = True, given: str = "") -> Found:
    """JSON objects that hold a field, wherever they stand in a text.

    Parameters
    ----------
    text : str
    field : str
        ``label`` or ``verdicts``; an object without it does not count.
    repair : bool
        Whether to have broken JSON mended (package json-repair) where no whole object is found.
    given : str
        Claim and context. An object that stands there letter for letter is an echo: whoever
        wrote the context gave that verdict, not the model. A bare label is one only where it is
        not the whole answer, for an honest answer may look the same.

    Returns
    -------
    Found
        A string value that broken JSON ends in is not believed: it may have been cut.
    """
    if len(text) > _LONGEST:
        return Found()
    try:
        objects, echoed = _whole(text, field, " ".join(given.split()))
        if not objects and repair and not echoed:
            mended = _mended(text, field)
            return Found(mended, repaired=bool(mended))
        return Found(objects, echoed=echoed)
    except _Twice:
        return Found(twice=True)


def _whole(text: str, field: str, given: str) -> tuple[tuple[dict[str, Any], ...], bool]:
    """Every object with the field, the outermost first found; nothing is looked for inside it.

    And whether one was left out as an echo.
    """
    decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: _unique(pairs, field))
    found: list[dict[str, Any]] = []
    false_starts = 0
    echoed = False
    place = text.find("{")
    while place >= 0 and false_starts < _MOST_FALSE_STARTS:
        try:
            value, end = decoder.raw_decode(text, place)
        except _Twice:
            raise
        except (ValueError, RecursionError):
            end = place + 1
            false_starts += 1
        else:
            if isinstance(value, dict) and field in value:
                if _is_echo(text[place:end], value, text, given):
                    echoed = True
                else:
                    found.append(value)
            else:
                end = place + 1  # the object may be inside this one
        place = text.find("{", end)
    return tuple(found), echoed


def _is_echo(piece: str, value: dict[str, Any], text: str, given: str) -> bool:
    if not given or (len(value) == 1 and piece == text.strip()):
        return False
    return " ".join(piece.split()) in given


def _unique(pairs: list[tuple[str, Any]], field: str) -> dict[str, Any]:
    values = [value for name, value in pairs if name == field]
    if len(values) > 1 and any(value != values[0] for value in values[1:]):
        raise _Twice
    return dict(pairs)


def _mended(text: str, field: str) -> tuple[dict[str, Any], ...]:
    try:
        from json_repair import loads
    except ImportError:
        return ()
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if start < 0:
        return ()
    try:
        value = loads(text[start:], skip_json_loads=True)
    except Exception:  # whatever it stumbles over, there is no object then
        return ()
    values = value if isinstance(value, list) else [value]
    objects = tuple(one for one in values if isinstance(one, dict) and field in one)
    return () if any(_cut(text, one.get(field)) for one in objects) else objects


def _cut(text: str, value: Any) -> bool:
    """Whether the text ends within this very value, so that more may have been meant."""
    return isinstance(value, str) and text.rstrip("` \n\r\t").endswith(value)
