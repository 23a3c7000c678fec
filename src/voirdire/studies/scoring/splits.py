"""Splits that were paid for, as lines of ``splits.jsonl`` and back."""

from __future__ import annotations

from typing import Any

from voirdire.errors import InputError
from voirdire.metrics import AnswerClaim, Split, SplitBill

__all__ = ["line_of_split", "split_of_line"]


def line_of_split(identifier: str, split: Split) -> dict[str, Any]:
    """A split as its line."""
    return {
        "answer": identifier,
        "status": split.status,
        "claims": [claim._asdict() for claim in split.claims],
        "not_claims": split.not_claims,
        "error": split.error,
        "bill": split.bill._asdict() if split.bill else None,
    }


def split_of_line(row: dict[str, Any]) -> Split:
    """A split from its line.

    Raises
    ------
    InputError
        If the line is no split.
    """
    try:
        claims = tuple(
            AnswerClaim(**{**claim, "flags": tuple(claim["flags"])}) for claim in row["claims"]
        )
        bill = SplitBill(**row["bill"]) if row["bill"] else None
        return Split(claims, row["not_claims"], row["status"], row["error"], bill)
    except (KeyError, TypeError) as error:
        raise InputError(
            "a line is no split of an answer",
            where="splits.jsonl",
            todo="restore the file from a copy, or score into another folder",
        ) from error
