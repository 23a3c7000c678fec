"""What a study found about the people who labelled, beside each other and beside the judges."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from voirdire.records.estimates import Estimate, Record
from voirdire.records.labels import View
from voirdire.records.results import Confusion, Provenance

__all__ = ["AmbiguousClaim", "AnnotatorReport", "PairAgreement", "PeopleResult"]


class PairAgreement(Record):
    """Two who labelled the same claims; a person or a judge each.

    Attributes
    ----------
    raw, kappa : Estimate
        Over the claims both labelled; ``n_asked`` are all claims of the study.
    differ : tuple of str
        Ids of the claims on which they differ; `PeopleResult.links` leads to their tasks.
    """

    one: str
    other: str
    one_is: Literal["annotator", "judge"] = "annotator"
    other_is: Literal["annotator", "judge"] = "annotator"
    raw: Estimate
    kappa: Estimate
    differ: tuple[str, ...] = ()


class AnnotatorReport(Record):
    """One person, by code.

    Attributes
    ----------
    labelled, skipped : int
        Claims.
    with_others : Estimate
        Share of claims on which the label is that of the majority of the others.
    confusion : Confusion
        Rows: the majority of the others; columns: this person, ``no_judgment`` where skipped.
    consistency : Estimate
        Share of planted repeats answered as at the first time.
    median_seconds : float or None
        On a claim.
    guidelines : tuple of str
        Hashes of the guidelines under which the labels were given.
    remark : str
        A kind word where the labels are far from the others'; else empty.
    """

    annotator: str
    labelled: int = Field(ge=0)
    skipped: int = Field(ge=0)
    with_others: Estimate
    confusion: Confusion
    consistency: Estimate
    median_seconds: float | None = None
    guidelines: tuple[str, ...] = ()
    remark: str = ""


class AmbiguousClaim(Record):
    """A claim on which people are split: no strict majority, or three answers."""

    claim_id: str
    claim: str
    votes: dict[str, int]
    reason: str
    link: str = ""


class PeopleResult(Record):
    """``results/people.json``.

    Attributes
    ----------
    annotators, judges : tuple of str
        Those of the matrix, people first.
    pairs : tuple of PairAgreement
        The matrix, each pair once; judge beside judge too.
    reports : tuple of AnnotatorReport
    ambiguous : tuple of AmbiguousClaim
    links : dict of str to str
        Claim id to its task on the labelling server, where there is one.
    guidelines : dict of str to int
        Hash to labels given under it; ``not recorded`` for labels that name none.
    notes : tuple of str
    """

    study: str
    view: View
    annotators: tuple[str, ...]
    judges: tuple[str, ...]
    pairs: tuple[PairAgreement, ...]
    reports: tuple[AnnotatorReport, ...]
    ambiguous: tuple[AmbiguousClaim, ...]
    links: dict[str, str] = Field(default_factory=dict)
    guidelines: dict[str, int] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    provenance: Provenance | None = None
