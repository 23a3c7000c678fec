"""Examples shown to a model: a file of labelled claims, all of them from the ``dev`` split."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal

from pydantic import Field

from voirdire.errors import InputError, UsageError
from voirdire.records import Label, Record
from voirdire.store import checked, read_lines

__all__ = ["Example", "read_examples"]


class Example(Record):
    """A line of the file.

    Attributes
    ----------
    claim : str
    context : tuple of str
    label : Label
    split : {"dev"}
        Written out in each line: an example from another split would be learnt by heart and
        then asked.
    rationale, family, id : str or None
    """

    claim: str = Field(min_length=1)
    context: tuple[str, ...] = Field(min_length=1)
    label: Label
    split: Literal["dev"]
    rationale: str | None = None
    family: str | None = None
    id: str | None = None


def read_examples(path: str) -> tuple[tuple[Example, ...], str]:
    """Examples and the SHA-256 of their file; none for an empty path.

    Raises
    ------
    UsageError
        If the file is not there or has no examples.
    InputError
        If a line is not one; a split other than ``dev`` is refused.
    """
    if not path:
        return (), ""
    file = Path(path)
    if not file.is_file():
        raise UsageError(
            "no such file of examples", where=path, todo="check the parameter examples"
        )
    found = tuple(
        checked(Example, line.value, where=f"{path}:{line.number}") for line in read_lines(file)
    )
    if not found:
        raise InputError("the file of examples is empty", where=path)
    return found, hashlib.sha256(file.read_bytes()).hexdigest()
