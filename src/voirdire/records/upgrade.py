"""Two runs on the same claims: what an upgrade of a judge changes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from voirdire.records.decisions import Gate
from voirdire.records.estimates import Estimate, Record

__all__ = ["ChangedVerdict", "UpgradeAnswer", "UpgradeResult"]

UpgradeAnswer = Literal["not_worse", "worse", "open"]


class ChangedVerdict(Record):
    """A claim on which the two runs differ; ``effect`` is mended, broken or neither."""

    claim_id: str
    variant: str
    people: str
    old: str
    new: str
    effect: Literal["mended", "broken", "neither"]


class UpgradeResult(Record):
    """What `voirdire compare` says.

    Attributes
    ----------
    old, new : str
        Run ids.
    same_judge : bool
        Whether both runs are of one fingerprint.
    n_claims : int
    accuracy, kappa : Estimate
        New less old, paired by family; a claim without a judgment counts as wrong. The interval
        is two-sided at twice the one-sided error, so each end is a one-sided bound.
    gates : tuple of Gate
        Not worse by the margin, on accuracy and on kappa.
    changed : tuple of ChangedVerdict
        Verdict by verdict, of the first repeats.
    mended, broken : int
    own_noise : Estimate
        Share of claims on which the old judge, asked twice, differs from itself.
    between : Estimate
        Share on which an asking of the old and one of the new differ.
    beyond_noise : Estimate
        ``between`` less the mean of both judges' own noise: 0 if only noise moved.
    answer : UpgradeAnswer
    sentences : tuple of str
    """

    old: str
    new: str
    same_judge: bool
    n_claims: int = Field(ge=0)
    accuracy: Estimate
    kappa: Estimate
    gates: tuple[Gate, ...]
    changed: tuple[ChangedVerdict, ...]
    mended: int = Field(ge=0)
    broken: int = Field(ge=0)
    own_noise: Estimate
    between: Estimate
    beyond_noise: Estimate
    answer: UpgradeAnswer
    sentences: tuple[str, ...]
