"""TOML tables checked against a record: unknown keys refused, the nearest known one suggested."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from voirdire.errors import InputError
from voirdire.records import Record
from voirdire.store.documents import first_fault
from voirdire.store.files import read_text

__all__ = ["checked", "nearest", "read_toml"]

R = TypeVar("R", bound=Record)


def nearest(name: str, known: list[str]) -> str:
    """The known name most like a given one, or an empty string."""
    found = get_close_matches(name, known, n=1, cutoff=0.5)
    return found[0] if found else ""


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises
    ------
    UsageError, InputError, StoreError
        As `voirdire.store.files.read_text`; InputError too if it is not TOML (line named).
    """
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not TOML: {error}", where=str(path)) from error


def checked(kind: type[R], table: Any, *, where: str) -> R:
    """A table as a record.

    Raises
    ------
    InputError
        For an unknown key (with the nearest known one) or a value that is not allowed.
    """
    if not isinstance(table, dict):
        raise InputError(f"must be a table, got {table!r}", where=where)
    known = sorted(kind.model_fields)
    for key in table:
        if key not in known:
            guess = nearest(key, known)
            raise InputError(
                f"unknown key {key!r}",
                where=where,
                allowed=", ".join(known),
                todo=f"did you mean {guess!r}?" if guess else "",
            )
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        raise InputError(first_fault(error), where=where) from error
