"""Where to set a judge's threshold, chosen on one part of the families and reported on another."""

from __future__ import annotations

from pydantic import Field

from voirdire.records.estimates import Estimate, Record
from voirdire.records.results import Provenance

__all__ = ["CostPoint", "KeptPart", "OperatingPoint"]


class CostPoint(Record):
    """Mean cost of a claim when a score from ``threshold`` up means *supported*."""

    threshold: float
    cost: float
    false_accepts: int = Field(ge=0)
    false_rejects: int = Field(ge=0)


class KeptPart(Record):
    """Answers that may be kept, the rest going to the next judge or to people.

    Attributes
    ----------
    target, delta : float
        The promise: with probability 1 - delta the error rate among kept answers is at most
        the target.
    threshold : float or None
        Confidence from which answers are kept; None: nothing is certified, defer everything.
    refused : str
        Why there is none.
    families_at_least : int
        Families that could certify the target at all, if none of them erred.
    families : int
        Families on ``cal``.
    kept_on_cal, wrong_on_cal : int
    kept_on_test : Estimate
        Share of the claims kept there.
    error_on_test : Estimate
        Error rate among those, by family; a report and no part of the promise.
    method : str
    """

    target: float
    delta: float
    threshold: float | None
    refused: str
    families_at_least: int
    families: int
    kept_on_cal: int = Field(ge=0)
    wrong_on_cal: int = Field(ge=0)
    kept_on_test: Estimate
    error_on_test: Estimate
    method: str


class OperatingPoint(Record):
    """``results/operating-point.json``.

    Attributes
    ----------
    judge, run_id : str
    score : {"probability", "score"}
        What the threshold is on: the probability of *supported*, or the judge's own number.
    false_accept, false_reject : float
        Stated costs: calling an unsupported claim supported, and the reverse.
    n_cal, n_test : int
        Claims with a score.
    threshold : float
        Chosen on ``cal``: the least mean cost, the highest threshold of equals. Above the highest
        score there is: accept nothing.
    cost_on_cal : float
        Optimistic: the least of many.
    cost_on_test : Estimate
    always_supported, never_supported : float
        Mean cost on ``test`` of calling every claim so, or none.
    textbook : float
        The threshold that calibrated probabilities would call for (Elkan 2001).
    curve : tuple of CostPoint
        On ``test``.
    kept : KeptPart
    """

    study: str
    judge: str
    run_id: str
    score: str
    false_accept: float
    false_reject: float
    n_cal: int = Field(ge=0)
    n_test: int = Field(ge=0)
    threshold: float
    cost_on_cal: float
    cost_on_test: Estimate
    always_supported: float
    never_supported: float
    textbook: float
    curve: tuple[CostPoint, ...]
    kept: KeptPart
    provenance: Provenance
