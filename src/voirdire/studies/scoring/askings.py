"""What a judge is asked about an answer: which claim, against which chunks, for which metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from voirdire.metrics import AnswerClaim, Split
from voirdire.records import Answer, Metric

__all__ = ["PURPOSES", "Asking", "Key", "Purpose", "askings_of", "has_context"]

Purpose = Literal["claim", "chunk", "second", "recall", "precision"]
PURPOSES: Final[tuple[Purpose, ...]] = ("claim", "chunk", "second", "recall", "precision")
"""``claim``: with all chunks, for faithfulness. ``chunk``: with one chunk alone. ``second``: by
the other judge. ``recall``, ``precision``: of the reference, with all chunks and with one."""

Key = tuple[Purpose, int, int]
"""Purpose, number of the claim, number of the chunk (-1 for all)."""


class Asking(NamedTuple):
    """One question to a judge."""

    answer: Answer
    key: Key
    claim: AnswerClaim
    context: tuple[str, ...]


def has_context(answer: Answer) -> bool:
    """Whether any chunk holds more than blanks."""
    return any(chunk and not chunk.isspace() for chunk in answer.contexts)


def askings_of(
    answer: Answer,
    split: Split,
    reference: Split | None,
    *,
    metrics: Sequence[Metric],
    per_chunk: bool,
    second: bool,
) -> Iterator[Asking]:
    """Everything to be asked about one answer; the order is that of the claims.

    Parameters
    ----------
    answer : Answer
    split : Split
        Of the answer.
    reference : Split or None
        Of the reference answer.
    metrics : sequence of Metric
    per_chunk, second : bool
        Whether each chunk is asked alone; whether another judge is asked too.
    """
    own: tuple[Purpose, ...] = ("claim", "second") if second else ("claim",)
    if "faithfulness" in metrics:
        for number, claim in enumerate(split.claims):
            for purpose in own:
                yield Asking(answer, (purpose, number, -1), claim, answer.contexts)
            if per_chunk:
                yield from _each_chunk(answer, "chunk", number, claim)
    for number, claim in enumerate(reference.claims if reference else ()):
        if "context_recall" in metrics:
            yield Asking(answer, ("recall", number, -1), claim, answer.contexts)
        if "context_precision" in metrics:
            yield from _each_chunk(answer, "precision", number, claim)


def _each_chunk(
    answer: Answer, purpose: Purpose, number: int, claim: AnswerClaim
) -> Iterator[Asking]:
    for place, chunk in enumerate(answer.contexts):
        if chunk and not chunk.isspace():
            yield Asking(answer, (purpose, number, place), claim, (chunk,))
