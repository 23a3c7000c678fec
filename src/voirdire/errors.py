"""The tree of errors; every class carries the exit code the command line ends with.

::

    VoirdireError                 5  the tool or a service failed
    ├── UsageError                2  the call itself is wrong (an option, a missing file)
    ├── InputError                2  a file says something that is not allowed
    │   ├── ClaimSetError         2  … a claim set (carries every fault found, not the first)
    │   └── SchemaError           2  … a file of a newer schema than this version reads
    ├── NotEnoughEvidence         3  the data cannot answer the question
    ├── SealBroken                4  inputs changed since sealing, or another judge answers
    ├── StoreError                5  a file could not be read or written (full disk, permissions)
    └── JudgeUnavailable          5  a judge cannot work at all; the message says what mends it
        └── SpendLimit            3  the next call would go over the limit that was set

A message follows one form: what happened, where, what is allowed, what to do next.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ClaimSetError",
    "Fault",
    "InputError",
    "JudgeUnavailable",
    "NotEnoughEvidence",
    "SchemaError",
    "SealBroken",
    "SpendLimit",
    "StoreError",
    "UsageError",
    "VoirdireError",
]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an input, in the order a reader needs it.

    Parameters
    ----------
    what : str
        What happened, as a sentence without the place.
    where : str
        ``file:line``, ``file``, or ``file:line field name``; empty if there is no place.
    allowed : str
        What would have been accepted; empty if ``what`` already says so.
    todo : str
        What to do next; empty if it is plain.
    """

    what: str
    where: str = ""
    allowed: str = ""
    todo: str = ""

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        parts = [_unstopped(head)]
        if self.allowed:
            parts.append(_unstopped(f"allowed: {self.allowed}"))
        if self.todo:
            parts.append(_unstopped(self.todo))
        text = ". ".join(parts)
        return text if text.endswith(("?", "...")) else text + "."


def _unstopped(text: str) -> str:
    """Without the full stop at its end; an ellipsis stands for something and stays."""
    return text if text.endswith("...") else text.rstrip(".")


class VoirdireError(Exception):
    """Base of everything this package raises on purpose.

    Parameters
    ----------
    what : str
        What happened.
    where, allowed, todo : str, optional
        The other three parts of the message; see `Fault`.
    """

    exit_code = 5

    def __init__(self, what: str, *, where: str = "", allowed: str = "", todo: str = "") -> None:
        self.fault = Fault(what, where, allowed, todo)
        super().__init__(str(self.fault))


class UsageError(VoirdireError):
    """The call itself is wrong: an unknown option value, a path that is not there."""

    exit_code = 2


class InputError(VoirdireError):
    """A file says something that is not allowed."""

    exit_code = 2


class ClaimSetError(InputError):
    """A claim set has faults; `faults` holds every one of them."""

    def __init__(self, faults: list[Fault], *, where: str) -> None:
        self.faults = faults
        count = f"{len(faults)} fault{'s' if len(faults) != 1 else ''}"
        super().__init__(
            f"{count} in the claim set, first: {faults[0]}",
            where=where,
            todo=f"run 'voirdire check {where}' for the whole list",
        )


class SchemaError(InputError):
    """A file of another kind, or of a newer major version than this one reads."""


class NotEnoughEvidence(VoirdireError):
    """The data at hand cannot answer the question that was asked."""

    exit_code = 3


class SealBroken(VoirdireError):
    """Sealed inputs changed, or another judge stands where the recorded one stood."""

    exit_code = 4


class StoreError(VoirdireError):
    """A file could not be read or written (full disk, read-only folder, locked study)."""


class JudgeUnavailable(VoirdireError):
    """A judge cannot work at all; the message ends with the command that mends it."""


class SpendLimit(JudgeUnavailable):
    """The next call would go over the limit that was set; all answers so far are kept."""

    exit_code = 3
