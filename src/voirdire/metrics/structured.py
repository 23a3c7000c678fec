"""One JSON object out of what a model wrote, fenced or slightly broken."""

from __future__ import annotations

import json
from typing import Any, Final

__all__ = ["object_with"]

_LONGEST: Final = 200_000
_MOST_FALSE_STARTS: Final = 50


def object_with(text: str, *, field: str) -> tuple[dict[str, Any] | None, bool]:
    """The first JSON object that holds a field, and whether a library had to mend it.

    Examples
    --------
    >>> object_with('Here: ```json\\n{"claims": []}\\n```', field="claims")
    ({'claims': []}, False)
    """
    if len(text) > _LONGEST:
        return None, False
    decoder = json.JSONDecoder()
    place, tries = text.find("{"), 0
    while place >= 0 and tries < _MOST_FALSE_STARTS:
        tries += 1
        try:
            value, _ = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and field in value:
            return value, False
        place = text.find("{", place + 1)
    return _mended(text, field), True


def _mended(text: str, field: str) -> dict[str, Any] | None:
    """Only what is closed is believed: a text that breaks off may lack its last claims."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end <= start or text[end + 1 :].strip("` \n\r\t"):
        return None
    try:
        from json_repair import loads

        value = loads(text[start : end + 1], skip_json_loads=True)
    except Exception:  # not installed, or it stumbles: there is no object then
        return None
    return value if isinstance(value, dict) and field in value else None
