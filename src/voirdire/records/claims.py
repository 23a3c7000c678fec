"""Claims and the labels people gave them."""

from __future__ import annotations

from typing import Any, Self

from pydantic import AwareDatetime, Field, model_validator

from voirdire.records.estimates import Record
from voirdire.records.labels import LabelSpace, ReferenceLabel, Role, Status

__all__ = ["Claim", "ClaimSetInfo", "EvidenceSpan", "LabelRecord", "Splits"]


class Claim(Record):
    """A sentence to be judged and the source it is judged against.

    Attributes
    ----------
    id : str
        Unique in its set.
    family : str
        The original and its variants share one; the unit of splitting and resampling.
    variant : str
        The member's role in the family: ``original``, ``paraphrase``, ``negation`` …
    claim : str
        The sentence judged.
    context : tuple of str
        The chunks it is judged against, in the order they were retrieved; at least one.
    language : str
        BCP 47 tag, lower case ("en", "it").
    label_space : {"three_class", "two_class"}
        Whether people could tell contradicted from unverifiable in this source.
    topic, source, licence : str or None
        For slices and for passing the set on.
    meta : dict
        Whatever else the source said; never shown to a judge.
    """

    id: str = Field(min_length=1, max_length=200)
    family: str = Field(min_length=1, max_length=200)
    variant: str = Field(min_length=1, max_length=80)
    claim: str = Field(min_length=1)
    context: tuple[str, ...] = Field(min_length=1)
    language: str = Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    label_space: LabelSpace = "three_class"
    topic: str | None = None
    source: str | None = None
    licence: str | None = None
    meta: dict[str, Any] = Field(default_factory=dict)


class EvidenceSpan(Record):
    """Where in the context an annotator saw the evidence, in code points, end exclusive."""

    chunk: int = Field(ge=0)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str


class LabelRecord(Record):
    """One person's word on one claim. A changed mind is a new record naming the old one.

    ``label`` is set if and only if ``status`` is ``labelled``. Annotators are codes, never names.
    """

    id: str = Field(min_length=1)
    claim_id: str = Field(min_length=1)
    annotator: str = Field(min_length=1)
    role: Role = "annotator"
    status: Status = "labelled"
    label: ReferenceLabel | None = None
    at: AwareDatetime | None = None
    guideline: str | None = None
    supersedes: str | None = None
    confidence: str | None = None
    comment: str | None = None
    lead_seconds: float | None = Field(default=None, ge=0)
    evidence: tuple[EvidenceSpan, ...] = ()
    meta: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _label_iff_labelled(self) -> Self:
        if (self.label is not None) != (self.status == "labelled"):
            raise ValueError(
                "label must be set exactly when status is 'labelled', "
                f"got label={self.label!r}, status={self.status!r}"
            )
        return self


class Splits(Record):
    """Which family is in which split, and the seed that put it there."""

    seed: int
    shares: dict[str, float]
    families: dict[str, str]


class ClaimSetInfo(Record):
    """``set.toml``: what a claim set is, where it comes from and what it must not be used for.

    ``redact`` holds regular expressions: what they match is taken out of every text of the set
    before it leaves this machine.
    """

    name: str = Field(min_length=1)
    title: str = ""
    description: str = ""
    languages: tuple[str, ...] = ()
    licence: str = ""
    origin: str = ""
    guideline: str | None = None
    not_evidence_for: str = ""
    redact: tuple[str, ...] = ()
