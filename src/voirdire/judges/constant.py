"""Says the same of every claim: the line that a judge must rise above."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pydantic import Field

from voirdire.judges.parameters import described, settled
from voirdire.records import LABELS, Fingerprint, JudgeAnswer, JudgeInput, Label, Record

__all__ = ["PARAMETERS", "PRESETS", "ConstantJudge", "ConstantParameters", "make"]

VERSION: Final = "1"


class ConstantParameters(Record):
    """What can be set of the constant judge."""

    label: Label = Field(
        default="supported", description=f"what it always says: {', '.join(LABELS)}"
    )


_PRESETS: Final[Mapping[str, dict[str, Any]]] = {label: {"label": label} for label in LABELS}
PRESETS: Final[Mapping[str, str]] = {label: f"always says {label}" for label in LABELS}
PARAMETERS: Final[Mapping[str, str]] = described(ConstantParameters)


def make(parameters: dict[str, Any], preset: str | None) -> ConstantJudge:
    """Make a constant judge; see `ConstantParameters`.

    Raises
    ------
    UsageError
        For an unknown preset or parameter, or a label that is not one.
    """
    set_to = settled(ConstantParameters, parameters, preset, presets=_PRESETS, judge="constant")
    return ConstantJudge(set_to.label)


class ConstantJudge:
    """A judge that looks at nothing, an empty context among it.

    Parameters
    ----------
    label : Label
        What it says.
    """

    def __init__(self, label: Label) -> None:
        self._label = label
        self._answer = JudgeAnswer(
            outcome="judged", label=label, rationale="the constant judge always says so"
        )

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        """The one label for every claim."""
        for item in inputs:
            yield item.id, self._answer

    def fingerprint(self) -> Fingerprint:
        """The label."""
        return Fingerprint(judge="constant", version=VERSION, parameters={"label": self._label})

    def close(self) -> None:
        """Nothing to give back."""
