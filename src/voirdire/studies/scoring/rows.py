"""Lines of ``claims.jsonl``: one judgment each; written as they come, the last of a key counts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from voirdire.errors import InputError
from voirdire.metrics import Attribution, attribute_by_evidence
from voirdire.records import OUTCOMES, JudgeAnswer
from voirdire.store import read_lines
from voirdire.studies.scoring.askings import PURPOSES, Asking, Key

__all__ = ["Judged", "attributed", "judged_of", "read_rows", "row_of"]

_USUAL: Final[tuple[tuple[str, Any], ...]] = (("attempts", 1), ("cached", False), ("flags", ()))


class Judged(NamedTuple):
    """What a metric needs of a judgment; ``label`` is None without one.

    ``applies`` is False where the judge said that the claim asserts nothing.
    """

    label: str | None
    applies: bool

    @property
    def failed(self) -> bool:
        """No judgment, though there was something to judge."""
        return self.label is None and self.applies


def row_of(
    asking: Asking, answer: JudgeAnswer, *, attribution: Attribution | None
) -> dict[str, Any]:
    """A judgment as its line; empty fields and usual values are left out.

    Built by hand: the answer was checked when it was made, and there may be millions.
    """
    purpose, number, chunk = asking.key
    claim = asking.claim
    row: dict[str, Any] = {"answer": asking.answer.id, "for": purpose, "claim": number}
    if chunk >= 0:
        row["chunk"] = chunk
    if purpose == "claim":
        row["text"], row["start"], row["end"] = claim.text, claim.start, claim.end
        if claim.flags:
            row["claim_flags"] = claim.flags
        if attribution is not None:
            row["rests_on"] = _place(attribution)
    elif purpose in ("recall", "precision"):
        row["text"] = claim.text
    row |= {name: value for name, value in answer.__dict__.items() if value is not None}
    for name, usual in _USUAL:
        if row[name] == usual:
            del row[name]
    return row


def _place(found: Attribution) -> dict[str, Any]:
    place: dict[str, Any] = {"chunk": found.chunk, "start": found.start, "end": found.end}
    if found.score is not None:
        place["score"] = found.score
    place["method"] = found.method
    return place


def attributed(asking: Asking, answer: JudgeAnswer) -> Attribution | None:
    """The chunk in which the judge's own evidence stands."""
    if asking.key[0] != "claim" or not answer.evidence:
        return None
    return attribute_by_evidence(answer.evidence, asking.context)


def read_rows(path: Path) -> Iterator[tuple[str, Key, Judged, dict[str, Any]]]:
    """Every line: answer id, key, what was judged, and the whole line.

    Raises
    ------
    InputError
        For a line that is no judgment.
    """
    if not path.exists():
        return
    for line in read_lines(path):
        row = line.value
        key: Any = (row.get("for"), row.get("claim"), row.get("chunk", -1))
        known = key[0] in PURPOSES and type(key[1]) is int and type(key[2]) is int
        known = known and isinstance(row.get("answer"), str)
        if not known or row.get("outcome") not in OUTCOMES:
            raise InputError(
                "the line is no judgment of a claim",
                where=f"{path}:{line.number}",
                todo="restore the file from a copy, or score into another folder",
            )
        yield row["answer"], key, judged_of(row["outcome"], row.get("label")), row


@cache  # a handful of values, shared by millions of judgments
def judged_of(outcome: str, label: str | None) -> Judged:
    """An outcome as a metric sees it."""
    return Judged(label, outcome != "not_applicable")
