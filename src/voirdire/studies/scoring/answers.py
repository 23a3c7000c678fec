"""One answer's score from the judgments of its claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from voirdire.metrics import (
    MadeQuestion,
    Split,
    answer_relevancy,
    context_precision,
    context_recall,
    context_verdict,
)
from voirdire.metrics.context_conflict import ConflictLevel
from voirdire.metrics.faithfulness import faithfulness_of_counts
from voirdire.records import Answer, AnswerScore, Metric, NotAScore, trusted
from voirdire.studies.scoring.askings import Key, has_context
from voirdire.studies.scoring.rows import Judged

__all__ = ["conflicts_of", "score_of"]

Judgments = Mapping[Key, Judged]

_WHY: dict[str, NotAScore] = {
    "failed": "splitter_failed",
    "no_claims": "no_claims",
    "empty_answer": "empty_answer",
    "nothing_to_check": "nothing_to_check",
}


def score_of(
    answer: Answer,
    split: Split,
    reference: Split | None,
    judged: Judgments,
    *,
    metrics: Sequence[Metric],
    per_chunk: bool = False,
    made: Sequence[MadeQuestion] = (),
) -> AnswerScore:
    """Everything measured of one answer.

    Parameters
    ----------
    answer : Answer
    split, reference : Split
    judged : mapping of Key to Judged
        What was asked and not answered counts as failed.
    metrics : sequence of Metric
    per_chunk : bool
    made : sequence of MadeQuestion
    """
    base: dict[str, Any] = {
        "id": answer.id,
        "should_refuse": answer.should_refuse,
        "refused": split.refused,
        "not_claims": sum(split.not_claims.values()),
    }
    if answer.should_refuse:  # scored by whether it refuses, and by nothing else
        return _unchecked(base, {})
    why: dict[Metric, NotAScore] = {}
    if "faithfulness" in metrics:
        _faithfulness(base, why, split, judged)
        if per_chunk:
            base["conflict"] = sum(
                level == "SOMETIMES" for _, level, _ in conflicts_of(answer, split, judged)
            )
    if "context_precision" in metrics:
        _precision(base, why, answer, reference, judged)
    if "context_recall" in metrics:
        _recall(base, why, reference, judged)
    if "answer_relevancy" in metrics:
        _relevancy(base, why, answer, split, made)
    return _unchecked(base, why)


def _unchecked(base: dict[str, Any], why: dict[Metric, NotAScore]) -> AnswerScore:
    """A score without a check of its fields: they were counted here."""
    return trusted(AnswerScore, {**base, "not_a_score": why})


def conflicts_of(
    answer: Answer, split: Split, judged: Judgments
) -> list[tuple[int, ConflictLevel | None, tuple[tuple[int, int], ...]]]:
    """For each claim its number, the level of contradiction over chunks, and the pairs."""
    found = []
    for number in range(len(split.claims)):
        labels: list[Any] = [None] * len(answer.contexts)
        for place, chunk in enumerate(answer.contexts):
            one = judged.get(("chunk", number, place))
            labels[place] = "unverifiable" if not chunk.strip() else one.label if one else None
        verdict = context_verdict(labels)
        found.append((number, verdict.level, verdict.pairs))
    return found


def _faithfulness(
    base: dict[str, Any], why: dict[Metric, NotAScore], split: Split, judged: Judgments
) -> None:
    counts = {"supported": 0, "contradicted": 0, "unverifiable": 0, "failed": 0}
    for number in range(len(split.claims)):
        one = judged.get(("claim", number, -1))
        if one is not None and not one.applies:
            base["not_claims"] += 1
        else:
            counts[(one.label if one else None) or "failed"] += 1
    found = faithfulness_of_counts(**counts)
    base |= counts
    base["claims"] = found.claims
    base["faithfulness"], base["partial"] = found.score, found.partial
    base["low"], base["high"] = found.low, found.high
    if found.score is None:
        why["faithfulness"] = (
            "judge_failed" if found.claims else _WHY.get(split.status, "nothing_to_check")
        )


def _precision(
    base: dict[str, Any],
    why: dict[Metric, NotAScore],
    answer: Answer,
    reference: Split | None,
    judged: Judgments,
) -> None:
    if not has_context(answer):
        why["context_precision"] = "no_contexts"
        return
    if (missing := _no_reference(reference)) is not None or reference is None:
        why["context_precision"] = missing or "no_reference"
        return
    relevant = [
        _relevant([judged.get(("precision", n, place)) for n in range(len(reference.claims))])
        if chunk.strip()
        else False
        for place, chunk in enumerate(answer.contexts)
    ]
    base["context_precision"] = context_precision(relevant).value
    if base["context_precision"] is None:
        why["context_precision"] = "judge_failed"


def _relevant(found: Sequence[Judged | None]) -> bool | None:
    """A chunk is relevant if it alone supports a claim of the reference."""
    if any(one is not None and one.label == "supported" for one in found):
        return True
    return None if any(one is None or one.failed for one in found) else False


def _recall(
    base: dict[str, Any],
    why: dict[Metric, NotAScore],
    reference: Split | None,
    judged: Judgments,
) -> None:
    if (missing := _no_reference(reference)) is not None or reference is None:
        why["context_recall"] = missing or "no_reference"
        return
    found = [judged.get(("recall", n, -1)) for n in range(len(reference.claims))]
    asked = [one for one in found if one is None or one.applies]
    labels = [None if one is None or one.label is None else one.label == "supported"
              for one in asked]  # fmt: skip
    base["context_recall"] = context_recall(labels).value
    if base["context_recall"] is None:
        why["context_recall"] = "judge_failed" if labels else "no_reference"


def _no_reference(reference: Split | None) -> NotAScore | None:
    if reference is None or reference.status in ("empty_answer", "nothing_to_check"):
        return "no_reference"
    if reference.status in ("failed", "no_claims"):
        return _WHY[reference.status]
    return None


def _relevancy(
    base: dict[str, Any],
    why: dict[Metric, NotAScore],
    answer: Answer,
    split: Split,
    made: Sequence[MadeQuestion],
) -> None:
    if split.status == "empty_answer":
        why["answer_relevancy"] = "empty_answer"
        return
    answered = [one for one in made if not one.error]
    if not answered:
        failed = made and all(one.error != "the reply holds no question" for one in made)
        why["answer_relevancy"] = "judge_failed" if failed else "no_question"
        return
    found = answer_relevancy(
        answer.question,
        [one.question for one in answered],
        evasive=[one.evasive for one in answered],
    )
    base["answer_relevancy"] = found.value
    if found.value is None:
        why["answer_relevancy"] = "no_question"
