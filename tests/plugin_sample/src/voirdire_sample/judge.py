"""Counts the words of a claim that stand in its context, and looks at numbers and at "not"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from voirdire.errors import UsageError
from voirdire.records import Fingerprint, JudgeAnswer, JudgeInput, Label

PARAMETERS = {"share": "share of the claim's words that must stand in the context (default: 0.7)"}
PRESETS = {"strict": "share = 0.9"}


def make(parameters: dict[str, Any], preset: str | None) -> SampleJudge:
    """Make the judge; unknown names were refused before, values are looked at here."""
    share = parameters.get("share", 0.9 if preset == "strict" else 0.7)
    if not isinstance(share, int | float) or not 0 < share <= 1:
        raise UsageError(
            f"share must be above 0 and at most 1, got {share!r}", where="judge sample"
        )
    return SampleJudge(float(share))


class SampleJudge:
    """A judge is any object with these three methods."""

    def __init__(self, share: float) -> None:
        self._share = share

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        for item in inputs:
            try:
                yield item.id, self._answer(item)
            except Exception as error:  # one claim never stops a run
                yield item.id, JudgeAnswer(outcome="failed", error=repr(error))

    def fingerprint(self) -> Fingerprint:
        return Fingerprint(judge="sample", version="1", parameters={"share": self._share})

    def close(self) -> None:
        """Nothing to give back."""

    def _answer(self, item: JudgeInput) -> JudgeAnswer:
        claim = _words(item.claim)
        if not claim:
            return JudgeAnswer(outcome="not_applicable", error="the claim has no words")
        best: tuple[float, Label] = (0.0, "unverifiable")
        for chunk in item.context:
            chunk_words = _words(chunk)
            share = len(claim & chunk_words) / len(claim)
            if share >= self._share and share > best[0]:
                best = (share, "supported" if _agree(claim, chunk_words) else "contradicted")
        return JudgeAnswer(outcome="judged", label=best[1], score=best[0])


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _agree(claim: set[str], chunk: set[str]) -> bool:
    numbers = {word for word in claim if word.isdigit()}
    return numbers <= chunk and ("not" in claim) == ("not" in chunk)
