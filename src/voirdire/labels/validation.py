"""Rows into records: every field that is not allowed is a finding of its own."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError

from voirdire.errors import Fault
from voirdire.labels.findings import Finding
from voirdire.labels.text import shown
from voirdire.records import Record, ReferenceLabel
from voirdire.store import nearest

__all__ = ["LABEL_WORDS", "to_record"]

R = TypeVar("R", bound=Record)

LABEL_WORDS: tuple[str, ...] = ReferenceLabel.__args__  # type: ignore[attr-defined]
"""Every label a person may have given, as files spell it."""

_ALLOWED = {
    "language": "a language tag such as en, it or de-CH",
    "label": ", ".join(LABEL_WORDS),
    "context": "a list of at least one chunk of text",
    "at": "ISO 8601 with the offset from UTC, such as 2025-03-01T09:30:00+01:00",
    "label_space": "three_class, two_class",
    "meta": "a JSON object",
}


def to_record(
    kind: type[R], value: dict[str, Any], *, line: int, where: str
) -> tuple[R | None, list[Finding]]:
    """A record, or None with everything that is wrong with the row."""
    try:
        return kind.model_validate(value), []
    except ValidationError as error:
        known = sorted(kind.model_fields)
        return None, [_finding(item, line, where, known) for item in error.errors()]


def _finding(item: Any, line: int, where: str, known: list[str]) -> Finding:
    path = [str(part) for part in item["loc"]]
    field = ".".join(path) or "the whole row"
    allowed = _ALLOWED.get(path[0] if path else "", "")
    got = shown(item.get("input"))
    match item["type"]:
        case "missing":
            return Finding("missing field", line, Fault(f"no field {field!r}", where, allowed))
        case "extra_forbidden":
            guess = nearest(path[-1], known)
            todo = f"did you mean {guess!r}?" if guess else "move it into 'meta'"
            what = f"unknown key {field!r}"
            return Finding("unknown key", line, Fault(what, where, ", ".join(known), todo))
        case "literal_error" if path == ["label"]:
            return Finding("unknown label", line, Fault(f"unknown label {got}", where, allowed))
        case "timezone_aware":
            what = f"field {field}: the time {got} says no time zone"
            return Finding("time without zone", line, Fault(what, where, allowed))
        case "too_short" if path == ["context"]:
            return Finding("empty context", line, Fault("the context is empty", where, allowed))
        case "string_too_short" if path == ["claim"]:
            return Finding("empty claim", line, Fault("the claim is empty", where))
        case _:
            what = f"field {field}: {item['msg'].removeprefix('Value error, ')}"
            what += "" if path == [] else f", got {got}"
            return Finding(f"field {path[0] if path else 'row'}", line, Fault(what, where, allowed))
