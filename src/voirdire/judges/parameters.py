"""Parameters of built-in judges: a record each, checked by name and value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from voirdire.errors import InputError, UsageError
from voirdire.records import Record
from voirdire.store import checked, nearest

__all__ = ["CHANGE", "described", "refuse_unknown", "set_it", "settled"]

R = TypeVar("R", bound=Record)

CHANGE: Final = "change it with --param NAME=VALUE, or in study.toml under the judge"
"""What to do about parameters that do not go together."""


def settled(
    kind: type[R],
    parameters: Mapping[str, Any],
    preset: str | None,
    *,
    presets: Mapping[str, Mapping[str, Any]],
    judge: str,
) -> R:
    """Defaults, then the preset, then what was given.

    Raises
    ------
    UsageError
        For an unknown preset or parameter (with the nearest known one), or a value that is
        not allowed.
    """
    if preset is not None:
        refuse_unknown("preset", [preset], known=presets, judge=judge)
    refuse_unknown("parameter", parameters, known=kind.model_fields, judge=judge)
    table = {**(presets[preset] if preset else {}), **parameters}
    try:
        return checked(kind, table, where=f"judge {judge}")
    except InputError as error:
        fault = error.fault
        raise UsageError(
            fault.what,
            where=fault.where,
            allowed=fault.allowed,
            todo=fault.todo or _quoted(kind, table),
        ) from error


def _quoted(kind: type[Record], table: Mapping[str, Any]) -> str:
    """What to do where a text looks like a number, a date or a truth: a model named 401 or nan."""
    for name, value in table.items():
        if kind.model_fields[name].annotation in (str, str | None) and isinstance(
            value, bool | int | float
        ):
            return f"if it is a name, quote it: --param '{name}=\"{value}\"'"
    return CHANGE


def set_it(name: str, value: str) -> str:
    """How a parameter is set, on the command line and in a study.

    Examples
    --------
    >>> set_it("model", "NAME")
    "set it with --param model=NAME, or in study.toml under the judge: model = 'NAME'"
    """
    return (
        f"set it with --param {name}={value}, or in study.toml under the judge: {name} = '{value}'"
    )


def refuse_unknown(
    what: str, given: Mapping[str, Any] | list[str], *, known: Mapping[str, Any], judge: str
) -> None:
    """Refuse a name that is not known, and suggest the nearest.

    Raises
    ------
    UsageError
        For the first unknown name.
    """
    for name in given:
        if name not in known:
            guess = nearest(name, sorted(known))
            raise UsageError(
                f"unknown {what} {name!r}",
                where=f"judge {judge}",
                allowed=", ".join(sorted(known)) or f"no {what} at all",
                todo=f"did you mean {guess!r}?" if guess else "",
            )


def described(kind: type[Record]) -> dict[str, str]:
    """Parameter name to one line, from the descriptions of the record's fields."""
    return {
        name: f"{field.description or ''} (default: {field.get_default(call_default_factory=True)})"
        for name, field in kind.model_fields.items()
    }
