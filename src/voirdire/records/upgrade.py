"""Two runs on the same claims: what an upgrade of a judge changes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from voirdire.records.decisions import Gate
from voirdire.records.estimates import Estimate, Record
from voirdire.records.variance import Direction, Signal

__all__ = ["ChangedVerdict", "PolicyAnswer", "PolicyCheck", "UpgradeAnswer", "UpgradeResult"]

UpgradeAnswer = Literal["not_worse", "worse", "open"]
PolicyAnswer = Literal["holds", "derive_again", "too_few_repeats"]


class ChangedVerdict(Record):
    """A claim on which the two runs differ; ``effect`` is mended, broken or neither."""

    claim_id: str
    variant: str
    people: str
    old: str
    new: str
    effect: Literal["mended", "broken", "neither"]


class PolicyCheck(Record):
    """One alert policy of the judge in use, held against the repeats of the new one.

    Attributes
    ----------
    signal, direction
        What it watches, and which way is bad.
    answer : {"holds", "derive_again", "too_few_repeats"}
    reasons : tuple of str
        Why, with the numbers; never empty.
    runs : tuple of str
        Runs of the new judge that speak here.
    repeats : int
        Independent repeats in them.
    assumed_sd : float or None
        Noise of one evaluation in the policy; None where it has none of its own.
    noise : Estimate
        The new judge's, on evaluations like the policy's.
    promised_rate : float
        Warnings per evaluation that the policy allows without a change.
    expected_rate : float or None
        What the new judge's noise makes of it, the limit staying where it is.
    centre : float or None
        The policy's level.
    level : Estimate
        The new judge's on the same claims.
    warning_drop, warning_value : float or None
        How far below (or above) the level a warning is, and where; None for counts.
    """

    signal: Signal
    direction: Direction
    answer: PolicyAnswer
    reasons: tuple[str, ...] = Field(min_length=1)
    runs: tuple[str, ...] = ()
    repeats: int = Field(default=0, ge=0)
    assumed_sd: float | None = None
    noise: Estimate
    promised_rate: float
    expected_rate: float | None = None
    centre: float | None = None
    level: Estimate
    warning_drop: float | None = None
    warning_value: float | None = None


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
    policy : PolicyAnswer or None
        Of all policies together; None if there is none to check.
    policies : tuple of PolicyCheck
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
    policy: PolicyAnswer | None = None
    policies: tuple[PolicyCheck, ...] = ()
    sentences: tuple[str, ...]
