"""What is to be scored and how: the options of one scoring."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from voirdire.judges import Judge
from voirdire.metrics import LlmQuestions, LlmSplitter, SentenceSplitter
from voirdire.records import Metric

__all__ = ["Instruments", "ScoreOptions"]


@dataclass(frozen=True)
class ScoreOptions:
    """What is measured.

    Attributes
    ----------
    metrics : tuple of Metric
    per_chunk : bool
        Each claim with each chunk alone, too: contradictions among chunks come to light.
    attribution : {"evidence", "tfidf", "none"}
        How a claim is put down to its chunk.
    share : float
        Of the answers, drawn at random; 1 takes all.
    seed : int
    stratify : tuple of str
        Fields that make the strata.
    pilot : int
        Answers of the pilot; 0: none.
    retry_failed : bool
        Ask again where there was no judgment.
    difference : float
        The smallest difference of means that is going to be called one.
    columns : dict
        Field to column.
    language : str or None
        Of answers that do not say.
    """

    metrics: tuple[Metric, ...] = ("faithfulness",)
    per_chunk: bool = False
    attribution: str = "evidence"
    share: float = 1.0
    seed: int = 0
    stratify: tuple[str, ...] = ()
    pilot: int = 0
    retry_failed: bool = False
    difference: float = 0.05
    columns: dict[str, str] = field(default_factory=dict)
    language: str | None = None


@dataclass(frozen=True)
class Instruments:
    """What measures.

    Attributes
    ----------
    judge : Judge
    use : str
        How it was named.
    splitter : SentenceSplitter or LlmSplitter
    second : Judge or None
        Another judge, for disputes.
    questions : LlmQuestions or None
        Makes questions from answers; needed for answer relevancy.
    """

    judge: Judge
    use: str
    splitter: SentenceSplitter | LlmSplitter = field(default_factory=SentenceSplitter)
    second: Judge | None = None
    second_use: str = ""
    questions: LlmQuestions | None = None

    def identity(self) -> dict[str, Any]:
        """What must be equal for a scoring to go on."""
        return {
            "judge": self.use,
            "judge_digest": self.judge.fingerprint().digest,
            "second": self.second_use,
            "second_digest": self.second.fingerprint().digest if self.second else "",
            "splitter": self.splitter.identity(),
            "questions": self.questions.identity() if self.questions else {},
        }
