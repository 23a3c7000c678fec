"""What a judge is given, what it answers, and the run its answers belong to."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Self

from pydantic import AwareDatetime, Field, model_validator

from voirdire.records.estimates import Record
from voirdire.records.labels import Label, Outcome

__all__ = [
    "Fingerprint",
    "JudgeAnswer",
    "JudgeInput",
    "JudgeRun",
    "Reuse",
    "RunSeal",
    "Verdict",
]


class JudgeInput(Record):
    """All that a judge may see: no label, no variant, no family; the id tells it nothing."""

    id: str
    claim: str
    context: tuple[str, ...]


class JudgeAnswer(Record):
    """One answer. ``label`` is set if and only if the outcome is ``judged``.

    Attributes
    ----------
    outcome : Outcome
        ``judged``, or the named way it was not.
    label : Label or None
        The verdict.
    probabilities : dict or None
        Label to probability, summing to 1 within 1e-6; None where the judge yields none.
    score : float or None
        The judge's own number (coverage for the lexical judge); not a probability.
    rationale, evidence, raw, error : str or None
        Why; the sentence it rests on; the answer as it came; what went wrong.
    seconds : float or None
        Wall time of this answer.
    attempts : int
        Calls made for it, retries included.
    tokens_in, tokens_out : int or None
        None is unknown, not zero.
    cost : float or None
        In the price table's currency; None is unknown, not zero.
    cached : bool
        Whether it came from a cache instead of a fresh call.
    flags : tuple of str
        ``repaired``, ``input_cut`` … things the page counts.
    """

    outcome: Outcome
    label: Label | None = None
    probabilities: dict[Label, float] | None = None
    score: float | None = None
    rationale: str | None = None
    evidence: str | None = None
    raw: str | None = None
    error: str | None = None
    seconds: float | None = Field(default=None, ge=0)
    attempts: int = Field(default=1, ge=0)
    tokens_in: int | None = Field(default=None, ge=0)
    tokens_out: int | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0)
    cached: bool = False
    flags: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.label is not None) != (self.outcome == "judged"):
            raise ValueError(
                "label must be set exactly when outcome is 'judged', "
                f"got label={self.label!r}, outcome={self.outcome!r}"
            )
        if self.label is not None and self.error is not None:
            raise ValueError("a label and an error exclude each other")
        if self.probabilities is not None:
            total = sum(self.probabilities.values())
            if abs(total - 1) > 1e-6 or min(self.probabilities.values(), default=0) < 0:
                raise ValueError(f"probabilities must be >= 0 and sum to 1, got sum {total!r}")
        return self


class Verdict(JudgeAnswer):
    """An answer in its place: one per (run, repeat, claim).

    ``shown`` is the digest of the text and context it is an answer to; None in runs of versions
    that did not write it.
    """

    run_id: str
    repeat: int = Field(ge=0)
    claim_id: str
    at: AwareDatetime
    shown: str | None = None


class Fingerprint(Record):
    """Identity of a judge. Two judges with one digest answer alike but for their own noise.

    Attributes
    ----------
    judge : str
        Registered name.
    version : str
        Version of the adapter: raised whenever its answers may change.
    parameters : dict
        Everything that was set, defaults included.
    model, revision, weights_sha256, prompt_sha256 : str or None
        Identity of the model behind it; None where there is none.
    label_map : dict
        The model's own words to our labels.
    packages : dict
        Version of every package that shapes an answer.
    parts : tuple of str
        Digests of the judges it is made of.
    """

    judge: str
    version: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    model: str | None = None
    revision: str | None = None
    weights_sha256: str | None = None
    prompt_sha256: str | None = None
    label_map: dict[str, str] = Field(default_factory=dict)
    packages: dict[str, str] = Field(default_factory=dict)
    parts: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the canonical JSON of every field."""
        canonical = json.dumps(
            self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False, separators=(",", ":")
        )
        return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


class RunSeal(Record):
    """Set when a run is finished: the verdict file's hash and what it holds."""

    sha256: str
    verdicts: int = Field(ge=0)
    outcomes: dict[str, int]
    finished_at: AwareDatetime


class Reuse(Record):
    """What a run took over from an earlier one over another version of its claims.

    Attributes
    ----------
    run_id : str
        Of the earlier run.
    reused, changed, new : int
        Claims that stand as they were, whose verdicts are taken over; that are shown otherwise
        now, and that were not there: both asked.
    dropped : int
        Claims of the earlier run that are no longer in the set.
    """

    run_id: str
    reused: int = Field(ge=0)
    changed: int = Field(ge=0)
    new: int = Field(ge=0)
    dropped: int = Field(ge=0)

    def __str__(self) -> str:
        return (
            f"{self.reused} claims reused, {self.changed + self.new} asked "
            f"({self.changed} changed, {self.new} new), {self.dropped} dropped"
        )


class JudgeRun(Record):
    """``run.json``: one session of a judge over fixed claims. Sealed when finished.

    Attributes
    ----------
    run_id : str
        Folder name under ``runs/``.
    judge : str
        The name the study gives it.
    use : str
        Registered name, with a preset after a colon.
    fingerprint : Fingerprint
        Who answered.
    claims_sha256 : str
        Digest of the (id, claim, context) triples that were put to it, in order.
    n_claims, repeats : int
        What was asked: ``n_claims * repeats`` verdicts make it complete.
    started_at : datetime
        UTC.
    seed : int
        Of the study.
    reuse : Reuse or None
        What it took over; None if every verdict was asked for.
    seal : RunSeal or None
        None while the run is open.
    """

    run_id: str
    judge: str
    use: str
    fingerprint: Fingerprint
    claims_sha256: str
    n_claims: int = Field(ge=0)
    repeats: int = Field(ge=1)
    started_at: AwareDatetime
    seed: int = 0
    tool_version: str = ""
    reuse: Reuse | None = None
    seal: RunSeal | None = None
