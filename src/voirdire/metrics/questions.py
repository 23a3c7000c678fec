"""Questions made from an answer by a language model, for answer relevancy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from voirdire.metrics.llm_splitting import bill_of, client_of, prompt_digest, request_of
from voirdire.metrics.splitting import SplitBill
from voirdire.metrics.structured import object_with
from voirdire.models import LlmRequest, LlmSettings, Reply, SpendPlan
from voirdire.records import Answer

__all__ = ["LlmQuestions", "MadeQuestion"]

_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"question": {"type": "string"}, "evasive": {"type": "boolean"}},
    "required": ["question", "evasive"],
    "additionalProperties": False,
}


class MadeQuestion(NamedTuple):
    """One question made from an answer; ``question`` is None where none could be made."""

    question: str | None
    evasive: bool
    error: str
    bill: SplitBill


class LlmQuestions:
    """Asks a model several times which question an answer answers.

    Parameters
    ----------
    settings : LlmSettings
    each : int
        Questions for each answer; they are sampled (temperature .7), else all would be alike.
    max_tokens : int
    """

    def __init__(self, settings: LlmSettings, *, each: int = 3, max_tokens: int = 256) -> None:
        if each < 1:
            raise ValueError(f"each must be >= 1, got {each}")
        self.each = each
        self._max_tokens = max_tokens
        self.client = client_of(settings)

    def __call__(
        self, answers: Iterable[tuple[Answer, int]]
    ) -> Iterator[tuple[Answer, int, MadeQuestion]]:
        """A question for each pair of answer and number; in any order."""

        async def ask(pair: tuple[Answer, int]) -> MadeQuestion:
            return _read(await self.client.ask(self._request(*pair)))

        for (answer, number), made in self.client.map(answers, ask):
            yield answer, number, made

    def plan(self, answers: Iterable[Answer]) -> SpendPlan:
        """What the questions of these would cost at most; nothing is sent."""
        return self.client.plan(self._request(answer, 0) for answer in answers).times(self.each)

    def identity(self) -> dict[str, Any]:
        """What must be equal for the same kind of questions."""
        return {
            "model": self.client.model,
            "base_url": self.client.base_url,
            "prompt_sha256": prompt_digest("questions"),
            "each": self.each,
            "max_tokens": self._max_tokens,
        }

    def close(self) -> None:
        """End connections."""
        self.client.close()

    def _request(self, answer: Answer, number: int) -> LlmRequest:
        request = request_of(
            "questions", {"answer": answer.answer}, schema=_SCHEMA, max_tokens=self._max_tokens
        )
        return LlmRequest({**request.body, "temperature": 0.7, "seed": number})


def _read(reply: Reply) -> MadeQuestion:
    bill = bill_of(reply)
    if reply.status != "answered":
        return MadeQuestion(None, False, f"{reply.status}: {reply.error}", bill)
    found, _ = object_with(reply.text, field="question")
    question = found.get("question") if found else None
    evasive = bool(found and found.get("evasive") is True)
    if not isinstance(question, str) or (not question.strip() and not evasive):
        return MadeQuestion(None, False, "the reply holds no question", bill)
    return MadeQuestion(question.strip() or None, evasive, "", bill)
