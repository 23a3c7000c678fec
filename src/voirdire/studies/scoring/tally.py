"""Answers summed up as they come: columns of numbers, never the texts."""

from __future__ import annotations

import hashlib
import heapq
from array import array
from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from voirdire.metrics import Split
from voirdire.metrics.languages import language_of, question_kind
from voirdire.records import Answer, AnswerScore, Metric, NotAScore, WorstAnswer
from voirdire.studies.scoring.answers import conflicts_of
from voirdire.studies.scoring.askings import Key
from voirdire.studies.scoring.rows import Judged

__all__ = ["COUNTS", "Tally"]

COUNTS = ("claims", "supported", "contradicted", "unverifiable", "failed")
_WORST = 10
_PAIRS = 50


class Tally:
    """Columns over the answers, in the order they came.

    Parameters
    ----------
    metrics : tuple of Metric
    per_chunk : bool

    Attributes
    ----------
    scores : dict of Metric to array
        NaN where there is none.
    why : dict of Metric to list of (NotAScore or None)
    family : array
        Number of the question; answers to one question belong together.
    """

    def __init__(self, metrics: tuple[Metric, ...], *, per_chunk: bool) -> None:
        self._per_chunk = per_chunk
        self.scores: dict[Metric, array[float]] = {metric: array("d") for metric in metrics}
        self.why: dict[Metric, list[NotAScore | None]] = {metric: [] for metric in metrics}
        self.low, self.high = array("d"), array("d")
        self.counts: dict[str, array[int]] = {name: array("l") for name in COUNTS}
        self.family, self.length = array("l"), array("l")
        self.partial = 0
        self.kinds: list[str] = []
        self.should: list[bool | None] = []
        self.refused: list[bool] = []
        self.answers = 0
        self.chunks = 0
        self.conflict: Counter[str | None] = Counter()
        self.pairs: list[tuple[str, int, int, int]] = []
        self.slices: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        self._questions: dict[bytes, int] = {}
        self._worst: list[tuple[float, int, WorstAnswer]] = []

    def __len__(self) -> int:
        return self.answers

    @property
    def questions(self) -> int:
        """Different questions."""
        return len(self._questions)

    def add(
        self, answer: Answer, split: Split, judged: dict[Key, Judged], score: AnswerScore
    ) -> None:
        """Take in one answer."""
        self.answers += 1
        self.chunks += len(answer.contexts)
        self.should.append(answer.should_refuse)
        self.refused.append(score.refused)
        self.family.append(self._family(answer))
        self.length.append(sum(map(len, answer.contexts)))
        language = language_of(answer.question, told=answer.language)
        kind = answer.kind or question_kind(answer.question, language=language)
        self.kinds.append(kind)
        for metric, column in self.scores.items():
            value = getattr(score, metric)
            column.append(np.nan if value is None else value)
            self.why[metric].append(score.not_a_score.get(metric))
        self.low.append(0.0 if score.low is None else score.low)
        self.high.append(1.0 if score.high is None else score.high)
        for name, counts in self.counts.items():
            counts.append(getattr(score, name))
        self.partial += score.partial
        judged_claims = score.claims - score.failed
        if judged_claims:
            part = self.slices[answer.stratum or f"kind:{kind}"]
            part[0] += judged_claims
            part[1] += score.supported
        self._keep_worst(score)
        if self._per_chunk and not answer.should_refuse:
            self._add_conflicts(answer, split, judged)

    def column(self, name: str) -> NDArray[np.int64]:
        """A count over the answers."""
        return np.array(self.counts[name], dtype=np.int64)

    @property
    def in_the_means(self) -> NDArray[np.bool_]:
        """Answers that are not in the stratum of those that should refuse."""
        return np.array([one is not True for one in self.should], dtype=bool)

    @property
    def worst(self) -> tuple[WorstAnswer, ...]:
        """The lowest, the lowest first; among equals the one with more claims."""
        return tuple(one for _, _, one in sorted(self._worst, key=_order, reverse=True))

    def _family(self, answer: Answer) -> int:
        # Without a question each answer stands alone.
        text = " ".join(answer.question.split()).casefold() or f"\0{answer.id}"
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
        return self._questions.setdefault(digest, len(self._questions))

    def _keep_worst(self, score: AnswerScore) -> None:
        if score.faithfulness is None or score.faithfulness >= 1:
            return
        # The heap's smallest is the least bad of those kept.
        badness = (1 - score.faithfulness) * 1e6 + min(score.claims, 999_999)
        if len(self._worst) == _WORST and badness <= self._worst[0][0]:
            return
        entry = WorstAnswer(
            id=score.id,
            score=score.faithfulness,
            claims=score.claims,
            contradicted=score.contradicted,
            unverifiable=score.unverifiable,
        )
        push = heapq.heappushpop if len(self._worst) == _WORST else heapq.heappush
        push(self._worst, (badness, -self.answers, entry))

    def _add_conflicts(self, answer: Answer, split: Split, judged: dict[Key, Judged]) -> None:
        for number, level, pairs in conflicts_of(answer, split, judged):
            self.conflict[level] += 1
            room = _PAIRS - len(self.pairs)
            self.pairs += [(answer.id, number, *pair) for pair in pairs[: max(room, 0)]]


def _order(entry: tuple[float, int, WorstAnswer]) -> tuple[float, int]:
    return entry[:2]
