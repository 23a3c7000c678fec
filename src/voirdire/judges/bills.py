"""What several answers cost together: an unknown among them makes the sum unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from voirdire.records import JudgeAnswer

__all__ = ["summed"]

N = TypeVar("N", int, float)


def summed(answers: Sequence[JudgeAnswer]) -> dict[str, Any]:
    """Seconds, attempts, tokens and cost of all, as fields of an answer.

    Parameters
    ----------
    answers : sequence of JudgeAnswer
        Of one judge, or of judges that all send claims somewhere: one that does not knows
        neither tokens nor cost, and is left out by the caller.
    """
    return {
        "seconds": _total(answer.seconds for answer in answers),
        "attempts": sum(answer.attempts for answer in answers),
        "tokens_in": _total(answer.tokens_in for answer in answers),
        "tokens_out": _total(answer.tokens_out for answer in answers),
        "cost": _total(answer.cost for answer in answers),
    }


def _total(values: Iterable[N | None]) -> N | None:
    known: list[N] = []
    for value in values:
        if value is None:
            return None
        known.append(value)
    return sum(known[1:], known[0]) if known else None
