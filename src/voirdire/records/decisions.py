"""Gates and the decision they add up to."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from voirdire.records.estimates import Estimate, Record
from voirdire.records.looks import Look
from voirdire.records.results import Provenance

__all__ = ["Decision", "DecisionResult", "Gate", "GateAnswer", "Verdict4"]

GateAnswer = Literal["accept", "reject", "inconclusive"]
Verdict4 = Literal["adopt", "adopt_narrower", "do_not_adopt", "not_enough_evidence"]


class Gate(Record):
    """One question, the bound that answers it, and the answer.

    Attributes
    ----------
    name : str
        Stable key, as in ``[gates]`` of study.toml.
    question : str
        The question as a sentence, limits filled in.
    limit : float or None
        The floor (or ceiling) that the bound is held against.
    lower, upper : float or None
        One-sided bounds, each at 95 % unless the study says otherwise.
    estimate : Estimate or None
        The number behind it.
    answer : GateAnswer
    reason : str
        Why, with the numbers.
    families_needed : int or None
        Families that would settle an inconclusive gate if the estimate stays where it is.
    waived : bool
        Waived by name in study.toml: shown, but it does not count.
    """

    name: str
    question: str
    limit: float | None
    lower: float | None = None
    upper: float | None = None
    estimate: Estimate | None = None
    answer: GateAnswer
    reason: str
    families_needed: int | None = Field(default=None, ge=0)
    waived: bool = False


class Decision(Record):
    """One of four, the rule that made it, the numbers it rests on and the next step."""

    judge: str
    decision: Verdict4
    sentence: str
    rule: str
    gates: tuple[Gate, ...]
    part: str | None = None
    part_gates: tuple[Gate, ...] = ()
    left_out: str | None = None
    missing: tuple[str, ...] = ()
    families_missing: int | None = Field(default=None, ge=0)
    next_step: str
    flags: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _part_iff_narrower(self) -> Self:
        if (self.part is not None) != (self.decision == "adopt_narrower"):
            raise ValueError("'part' is named exactly when the decision is adopt_narrower")
        if self.decision == "not_enough_evidence" and not self.missing:
            raise ValueError("not_enough_evidence must say what is missing")
        return self


class DecisionResult(Record):
    """``results/decision.json``.

    ``look`` says the how-manieth look at the test split it is and at which level its bounds are;
    None where no claim of that split was examined.
    """

    study: str
    decisions: tuple[Decision, ...]
    gates: dict[str, float | str | bool]
    provenance: Provenance
    look: Look | None = None
