"""Judges that a judge is made of: loaded, asked, paid and closed together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from voirdire.errors import VoirdireError
from voirdire.judges.asking import Irregular, ask
from voirdire.judges.bills import summed
from voirdire.judges.protocol import Judge
from voirdire.judges.registry import load
from voirdire.judges.reusing import answers_alone
from voirdire.judges.spending import limit_spending, plan_spending, redact_inputs, sends
from voirdire.models import SpendGuard, SpendPlan
from voirdire.records import JudgeAnswer, JudgeInput, Record
from voirdire.store.redaction import Redaction

__all__ = ["Part", "Parts", "bill_of"]

# Claims that are held while they go from part to part, and no more.
_WINDOW: Final = 256
_PAID_WINDOW: Final = 32


class Part(Record):
    """One judge among the parts.

    Attributes
    ----------
    use : str
        Registered name, with a preset after a colon.
    parameters : dict
        As in study.toml; paths among them start where the study's do.
    weight : float
        Of its vote in a panel.
    """

    use: str = Field(min_length=1)
    parameters: dict[str, Any] = Field(default_factory=dict)
    weight: float = Field(default=1.0, gt=0)


class Parts:
    """The judges a judge is made of.

    Parameters
    ----------
    parts : sequence of Part
    folder : Path or None
        Where paths among their parameters start.

    Raises
    ------
    UsageError, JudgeUnavailable
        If one cannot be made; those made before are closed.
    """

    def __init__(self, parts: Sequence[Part], *, folder: Path | None) -> None:
        self.judges: list[Judge] = []
        try:
            for part in parts:
                self.judges.append(load(part.use, parameters=part.parameters, folder=folder))
        except VoirdireError:
            self.close()
            raise

    def ask(
        self, number: int, items: Sequence[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[int, JudgeAnswer]]:
        """Answers of one part as they come: the place of the item and its one answer.

        Raises
        ------
        JudgeUnavailable
            If the part cannot work at all; what it answered before has been given out.
        """
        ids = [item.id for item in items]

        def inputs(places: Iterable[int]) -> Iterator[JudgeInput]:
            return (items[place] for place in places)

        yield from ask(self.judges[number], ids, inputs, repeat=repeat, irregular=Irregular())

    def windows(self, inputs: Iterable[JudgeInput]) -> Iterator[list[JudgeInput]]:
        """A stream of inputs in lists, as they go from part to part.

        The lists are short where answers cost money: what one part has answered is lost if the
        next one stops before it has answered too.
        """
        dear = any(map(sends, self.judges[: max(len(self.judges) - 1, 1)]))
        source = iter(inputs)
        while held := list(islice(source, _PAID_WINDOW if dear else _WINDOW)):
            yield held

    def plan(self, inputs: Iterable[JudgeInput]) -> SpendPlan:
        """What all parts would ask for if each were asked everything: the most it can be."""
        held = list(inputs)
        total = SpendPlan()
        for judge in self.judges:
            total = total + plan_spending(judge, held)
        return total

    def limit(self, guard: SpendGuard) -> None:
        """Let a guard stand before every part."""
        for judge in self.judges:
            limit_spending(judge, guard)

    def redact(self, redaction: Redaction) -> None:
        """Let a redaction stand before every part that sends claims somewhere."""
        for judge in self.judges:
            redact_inputs(judge, redaction)

    def answer_alone(self) -> bool:
        """Whether every part answers each claim without seeing others."""
        return all(map(answers_alone, self.judges))

    def digests(self) -> tuple[str, ...]:
        """Digests of the parts' fingerprints, in their order."""
        return tuple(judge.fingerprint().digest for judge in self.judges)

    def models(self) -> dict[str, list[str]]:
        """``{"models": [...]}`` of the parts and their parts; empty if none has a model."""
        names: set[str] = set()
        for judge in self.judges:
            told = judge.fingerprint()
            names |= {told.model} if told.model else set()
            names |= set(told.parameters.get("models", ())) if told.parts else set()
        return {"models": sorted(names)} if names else {}

    def sends(self, number: int) -> bool:
        """Whether a part sends claims somewhere."""
        return sends(self.judges[number])

    def close(self) -> None:
        """Close every part."""
        for judge in self.judges:
            judge.close()


def bill_of(parts: Parts, answers: Sequence[tuple[int, JudgeAnswer]]) -> dict[str, Any]:
    """What the answers of several parts cost together, as fields of an answer.

    Parameters
    ----------
    parts : Parts
    answers : sequence of (number of the part, its answer)
        A part that sends nothing costs nothing, so its unknown tokens and cost are no unknowns.
    """
    paid = summed([answer for number, answer in answers if parts.sends(number)] or [_FREE])
    times = [answer.seconds for _, answer in answers if answer.seconds is not None]
    return {
        **paid,
        "seconds": sum(times) if times else None,
        "attempts": sum(answer.attempts for _, answer in answers),
        "cached": all(answer.cached for _, answer in answers),
    }


_FREE: Final = JudgeAnswer(
    outcome="failed", error="free", seconds=0.0, attempts=0, tokens_in=None, cost=None
)
