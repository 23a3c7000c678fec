"""Several judges vote; a tie is a tie."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from voirdire.errors import JudgeUnavailable, UsageError
from voirdire.judges.parameters import CHANGE, described, settled
from voirdire.judges.parts import Part, Parts, bill_of
from voirdire.models import SpendGuard, SpendPlan
from voirdire.records import LABELS, Fingerprint, JudgeAnswer, JudgeInput, Label, Record
from voirdire.store.redaction import Redaction

__all__ = ["PARAMETERS", "PRESETS", "PanelJudge", "PanelParameters", "make"]

VERSION: Final = "1"
TAKES_FOLDER: Final = True


class PanelParameters(Record):
    """What can be set of the panel judge."""

    members: tuple[Part, ...] = Field(
        default=(), description="tables with use, parameters and weight; two or more must be given"
    )
    weighted: bool = Field(
        default=False, description="whether votes count by weight instead of one each"
    )
    quorum: int | None = Field(
        default=None, ge=1, description="members that must have judged; None: more than half"
    )


PRESETS: Final[Mapping[str, str]] = {}
PARAMETERS: Final[Mapping[str, str]] = described(PanelParameters)


def make(
    parameters: dict[str, Any], preset: str | None, *, folder: Path | None = None
) -> PanelJudge:
    """Make a panel; see `PanelParameters`.

    Raises
    ------
    UsageError
        If there are fewer than two members, a quorum larger than their number, or weights that
        are not used.
    JudgeUnavailable
        If a member lacks something.
    """
    set_to = settled(PanelParameters, parameters, preset, presets={}, judge="panel")
    members = set_to.members
    checks = {
        "a panel needs two members or more": len(members) < 2,
        f"quorum must be <= {len(members)}, the number of members": (set_to.quorum or 0)
        > len(members),
        "weights are given, but weighted is false": not set_to.weighted
        and any(part.weight != 1 for part in members),
    }
    for rule, broken in checks.items():
        if broken:
            raise UsageError(rule, where="judge panel", todo=CHANGE)
    return PanelJudge(set_to, Parts(members, folder=folder))


class PanelJudge:
    """Members vote on each claim; the label with most votes, or most weight, is the answer.

    ``score`` is its share of the votes: no probability, for members may err together.

    Parameters
    ----------
    parameters : PanelParameters
    parts : Parts
        The members.
    """

    def __init__(self, parameters: PanelParameters, parts: Parts) -> None:
        self._set = parameters
        self._parts = parts
        self._quorum = parameters.quorum or len(parameters.members) // 2 + 1

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        """A vote on each claim.

        A tie is the outcome ``abstained`` with the flag ``tie``, too few votes ``abstained``
        with ``no_quorum``. What a member could not judge is no vote.

        Raises
        ------
        JudgeUnavailable
            If a member cannot work at all.
        """
        for items in self._parts.windows(inputs):
            said: list[dict[int, JudgeAnswer]] = [{} for _ in items]
            stop: JudgeUnavailable | None = None
            try:
                for number in range(len(self._parts.judges)):
                    for place, answer in self._parts.ask(number, items, repeat=repeat):
                        said[place][number] = answer
            except JudgeUnavailable as error:
                stop = error
            for item, answers in zip(items, said, strict=True):
                if len(answers) == len(self._parts.judges):
                    yield item.id, self._voted([answers[number] for number in sorted(answers)])
            if stop is not None:
                raise stop

    @property
    def answers_alone(self) -> bool:
        """Whether its parts answer each claim without seeing others."""
        return self._parts.answer_alone()

    def plan(self, inputs: Iterable[JudgeInput]) -> SpendPlan:
        """What all members would ask for."""
        return self._parts.plan(inputs)

    def limit(self, guard: SpendGuard) -> None:
        """Let a guard stand before every member."""
        self._parts.limit(guard)

    def redact(self, redaction: Redaction) -> None:
        """Let a redaction stand before what is sent."""
        self._parts.redact(redaction)

    def fingerprint(self) -> Fingerprint:
        """The members, their weights and the quorum."""
        rule = {
            "weighted": self._set.weighted,
            "weights": [part.weight for part in self._set.members],
            "quorum": self._quorum,
        }
        return Fingerprint(
            judge="panel",
            version=VERSION,
            parameters=rule | self._parts.models(),
            parts=self._parts.digests(),
        )

    def close(self) -> None:
        """Close every member."""
        self._parts.close()

    def _voted(self, answers: Sequence[JudgeAnswer]) -> JudgeAnswer:
        votes: defaultdict[Label, float] = defaultdict(float)
        for part, answer in zip(self._set.members, answers, strict=True):
            if answer.label is not None:
                votes[answer.label] += part.weight
        bill = bill_of(self._parts, list(enumerate(answers)))
        body: dict[str, Any] = {**bill, "rationale": self._said(answers)}
        cast = sum(answer.label is not None for answer in answers)
        if cast < self._quorum:
            return JudgeAnswer(
                outcome="abstained",
                error=f"{cast} of {len(answers)} members judged, {self._quorum} must",
                flags=("no_quorum",),
                **body,
            )
        most = max(votes.values())
        winners = [label for label in LABELS if math.isclose(votes[label], most, rel_tol=1e-9)]
        if len(winners) > 1:
            return JudgeAnswer(
                outcome="abstained",
                error=f"a tie between {' and '.join(winners)}",
                flags=("tie",),
                **body,
            )
        share = most / sum(votes.values())
        return JudgeAnswer(outcome="judged", label=winners[0], score=share, **body)

    def _said(self, answers: Sequence[JudgeAnswer]) -> str:
        members = zip(self._set.members, answers, strict=True)
        return "; ".join(
            f"{part.use}: {answer.label or answer.outcome}" for part, answer in members
        )
