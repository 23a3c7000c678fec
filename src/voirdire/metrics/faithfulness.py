"""Faithfulness of one answer: supported claims over judged claims.

A claim without a judgment is neither supported nor not: the score is taken over the judged ones,
the answer is marked partial, and its two ends say what the failed claims could make of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["AnswerFaithfulness", "answer_faithfulness", "faithfulness_of_counts"]


class AnswerFaithfulness(NamedTuple):
    """Faithfulness of an answer, and the shares of what is not supported.

    Attributes
    ----------
    score : float or None
        Supported over judged claims; None where none was judged.
    contradicted, unverifiable : float or None
        Shares of the judged claims.
    low, high : float or None
        The score with every failed claim unsupported, and supported; None without claims.
    claims, judged : int
    """

    score: float | None
    contradicted: float | None
    unverifiable: float | None
    low: float | None
    high: float | None
    claims: int
    judged: int

    @property
    def partial(self) -> bool:
        """Some claims were judged, and some failed."""
        return 0 < self.judged < self.claims


def answer_faithfulness(labels: Iterable[str | None]) -> AnswerFaithfulness:
    """Faithfulness from the labels of an answer's claims.

    Parameters
    ----------
    labels : iterable of str or None
        ``supported``, ``contradicted``, ``unverifiable``; None for a claim without judgment.

    Raises
    ------
    ValueError
        For a label that is none of these.

    Examples
    --------
    >>> answer_faithfulness(["supported", "unverifiable", "supported", "contradicted"]).score
    0.5
    >>> answer_faithfulness(["supported", None]).score, answer_faithfulness([]).score
    (1.0, None)
    """
    counts = {"supported": 0, "contradicted": 0, "unverifiable": 0, None: 0}
    for label in labels:
        if label not in counts:
            raise ValueError(
                f"label must be supported, contradicted, unverifiable or None, got {label!r}"
            )
        counts[label] += 1
    return faithfulness_of_counts(
        counts["supported"], counts["contradicted"], counts["unverifiable"], counts[None]
    )


def faithfulness_of_counts(
    supported: int, contradicted: int, unverifiable: int, failed: int
) -> AnswerFaithfulness:
    """Faithfulness from counts of claims."""
    judged = supported + contradicted + unverifiable
    claims = judged + failed
    return AnswerFaithfulness(
        score=supported / judged if judged else None,
        contradicted=contradicted / judged if judged else None,
        unverifiable=unverifiable / judged if judged else None,
        low=supported / claims if claims else None,
        high=(supported + failed) / claims if claims else None,
        claims=claims,
        judged=judged,
    )
