"""Asks a cheap judge first, and a dear one where the cheap one is not sure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from voirdire.errors import UsageError
from voirdire.judges.parameters import described, settled
from voirdire.judges.parts import Part, Parts, bill_of
from voirdire.models import SpendGuard, SpendPlan
from voirdire.records import LABELS, Fingerprint, JudgeAnswer, JudgeInput, Label, Record
from voirdire.store.redaction import Redaction

__all__ = ["PARAMETERS", "PRESETS", "CascadeJudge", "CascadeParameters", "make"]

VERSION: Final = "1"
TAKES_FOLDER: Final = True

_FIRST, _SECOND = 0, 1


class CascadeParameters(Record):
    """What can be set of the cascade judge."""

    first: Part | None = Field(
        default=None, description="the cheap judge: a table with use and parameters; must be given"
    )
    second: Part | None = Field(
        default=None, description="the dear judge: a table with use and parameters; must be given"
    )
    confidence: Literal["probability", "score"] = Field(
        default="probability",
        description="what the first judge's sureness is: its highest probability, or its score",
    )
    threshold: float | None = Field(
        default=None, description="answers of at least this confidence are kept, others passed on"
    )
    band: tuple[float, float] | None = Field(
        default=None,
        description="instead: claims whose P(supported), or score, lies within are passed on",
    )
    keep: tuple[Label, ...] = Field(
        default=LABELS, description="labels of the first judge that may be kept at all"
    )


PRESETS: Final[Mapping[str, str]] = {}
PARAMETERS: Final[Mapping[str, str]] = described(CascadeParameters)


def make(
    parameters: dict[str, Any], preset: str | None, *, folder: Path | None = None
) -> CascadeJudge:
    """Make a cascade; see `CascadeParameters`. A threshold comes from a study, not from taste.

    Raises
    ------
    UsageError
        If a part is not given, or not exactly one of ``threshold`` and ``band`` is.
    JudgeUnavailable
        If a part lacks something.
    """
    set_to = settled(CascadeParameters, parameters, preset, presets={}, judge="cascade")
    if set_to.first is None or set_to.second is None:
        raise UsageError(
            "the judge 'cascade' needs the parameters 'first' and 'second'",
            where="judge cascade",
            allowed='tables: first = { use = "nli", parameters = { … } }',
        )
    if (set_to.threshold is None) == (set_to.band is None):
        raise UsageError(
            "a cascade needs either a threshold or a band",
            where="judge cascade",
            todo="set one of the two",
        )
    if set_to.band is not None and set_to.band[0] > set_to.band[1]:
        raise UsageError("band must be (low, high) with low <= high", where="judge cascade")
    return CascadeJudge(set_to, Parts((set_to.first, set_to.second), folder=folder))


class CascadeJudge:
    """Two judges, one after the other; flags ``kept`` and ``deferred`` say whose answer it is.

    Parameters
    ----------
    parameters : CascadeParameters
    parts : Parts
        The cheap judge and the dear one.
    """

    def __init__(self, parameters: CascadeParameters, parts: Parts) -> None:
        self._set = parameters
        self._parts = parts

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        """Answers of the first judge that are kept, then those of the second.

        What the first could not judge is passed on. An answer of the second carries the cost of
        both.

        Raises
        ------
        JudgeUnavailable
            If a part cannot work at all.
        """
        for items in self._parts.windows(inputs):
            deferred: list[JudgeInput] = []
            before: list[JudgeAnswer] = []
            for place, answer in self._parts.ask(_FIRST, items, repeat=repeat):
                if self._keeps(answer):
                    yield items[place].id, self._told([(_FIRST, answer)], "kept")
                else:
                    deferred.append(items[place])
                    before.append(answer)
            for place, answer in self._parts.ask(_SECOND, deferred, repeat=repeat):
                both = [(_FIRST, before[place]), (_SECOND, answer)]
                yield deferred[place].id, self._told(both, "deferred")

    @property
    def answers_alone(self) -> bool:
        """Whether its parts answer each claim without seeing others."""
        return self._parts.answer_alone()

    def plan(self, inputs: Iterable[JudgeInput]) -> SpendPlan:
        """What both would ask for if everything were passed on."""
        return self._parts.plan(inputs)

    def limit(self, guard: SpendGuard) -> None:
        """Let a guard stand before both."""
        self._parts.limit(guard)

    def redact(self, redaction: Redaction) -> None:
        """Let a redaction stand before what is sent."""
        self._parts.redact(redaction)

    def fingerprint(self) -> Fingerprint:
        """Both parts and the rule between them."""
        rule = self._set.model_dump(mode="json", include={"confidence", "threshold", "band"})
        rule["keep"] = sorted(self._set.keep)
        return Fingerprint(
            judge="cascade",
            version=VERSION,
            parameters=rule | self._parts.models(),
            parts=self._parts.digests(),
        )

    def close(self) -> None:
        """Close both."""
        self._parts.close()

    def _keeps(self, answer: JudgeAnswer) -> bool:
        if answer.label is None or answer.label not in self._set.keep:
            return False
        if self._set.band is not None:
            value = self._value(answer, of="supported")
            low, high = self._set.band
            return value is not None and not low <= value <= high
        value = self._value(answer, of=answer.label)
        return value is not None and value >= (self._set.threshold or 0.0)

    def _value(self, answer: JudgeAnswer, *, of: Label) -> float | None:
        """The number that is held against the limit; without one an answer is passed on."""
        if self._set.confidence == "score":
            return answer.score
        return answer.probabilities.get(of) if answer.probabilities else None

    def _told(self, answers: list[tuple[int, JudgeAnswer]], flag: str) -> JudgeAnswer:
        last = answers[-1][1]
        bill = bill_of(self._parts, answers)
        return last.model_copy(update={**bill, "flags": (*last.flags, flag)})
