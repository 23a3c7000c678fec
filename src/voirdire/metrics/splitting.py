"""An answer taken apart into claims, each with its place in the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Any, Literal, NamedTuple, Protocol

from voirdire.metrics.checkable import NotAClaim, claim_flags, not_a_claim, tidy
from voirdire.metrics.languages import language_of
from voirdire.metrics.sentences import sentences
from voirdire.records import Answer

__all__ = ["AnswerClaim", "SentenceSplitter", "Split", "SplitBill", "SplitStatus", "Splitter"]

SplitStatus = Literal["split", "nothing_to_check", "empty_answer", "no_claims", "failed"]
"""``no_claims``: there was something to take apart, and nothing came out. ``failed``: the model
or its server did."""


class AnswerClaim(NamedTuple):
    """A claim of an answer.

    Attributes
    ----------
    text : str
        As a judge is shown it.
    start, end : int
        Its place in the answer, end exclusive; -1 where a model's claim could not be traced.
    flags : tuple of str
        ``pronoun``, ``list_item``, ``table_row``, ``untraced``, ``number_added``.
    """

    text: str
    start: int
    end: int
    flags: tuple[str, ...] = ()


class SplitBill(NamedTuple):
    """What taking an answer apart cost; None is unknown, not zero."""

    calls: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    seconds: float | None = None


class Split(NamedTuple):
    """What came of taking an answer apart.

    Attributes
    ----------
    claims : tuple of AnswerClaim
    not_claims : dict of str to int
        Sentences that assert nothing, by kind.
    status : SplitStatus
    error : str
    bill : SplitBill or None
        None for a splitter that calls nothing.
    """

    claims: tuple[AnswerClaim, ...]
    not_claims: dict[NotAClaim, int]
    status: SplitStatus
    error: str = ""
    bill: SplitBill | None = None

    @property
    def refused(self) -> bool:
        """Whether the answer declines: it says so, and asserts nothing beside."""
        return not self.claims and "refusal" in self.not_claims


class Splitter(Protocol):
    """Takes answers apart."""

    def __call__(self, answers: Iterable[Answer]) -> Iterator[tuple[Answer, Split]]:
        """One split for each answer, in any order; nothing is raised for one answer."""
        ...

    def identity(self) -> dict[str, Any]:
        """What must be equal for equal splits."""
        ...

    def close(self) -> None:
        """Give back what is held."""
        ...


class SentenceSplitter:
    """One claim a sentence, as it stands there; no model, no cost, the same split every time.

    Parameters
    ----------
    language : str
        Of answers that do not say and whose script does not tell.

    Examples
    --------
    >>> split = SentenceSplitter().split("Hello! The plan costs 12 euro. It has support.")
    >>> [(claim.text, claim.flags) for claim in split.claims], split.not_claims
    ([('The plan costs 12 euro.', ()), ('It has support.', ('pronoun',))], {'greeting': 1})
    """

    def __init__(self, *, language: str = "en") -> None:
        self._language = language

    def __call__(self, answers: Iterable[Answer]) -> Iterator[tuple[Answer, Split]]:
        for answer in answers:
            yield answer, self.split(answer.answer, language=answer.language)

    def split(self, text: str, *, language: str | None = None) -> Split:
        """The claims of one text."""
        code = language_of(text, told=language, default=self._language)
        claims: list[AnswerClaim] = []
        others: Counter[NotAClaim] = Counter()
        for start, end, kind in sentences(text, language=code):
            said = tidy(text[start:end])
            why = not_a_claim(said, kind=kind, language=code)
            if why is None:
                claims.append(
                    AnswerClaim(said, start, end, claim_flags(said, kind=kind, language=code))
                )
            else:
                others[why] += 1
        status: SplitStatus = (
            "split" if claims else "nothing_to_check" if text.strip() else "empty_answer"
        )
        return Split(tuple(claims), dict(others), status)

    def identity(self) -> dict[str, Any]:
        return {
            "splitter": "sentences",
            "version": "1",
            "language": self._language,
            "sentencex": version("sentencex"),
        }

    def close(self) -> None:
        """Holds nothing."""
