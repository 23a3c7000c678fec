"""How much a judge moves by itself: what repeats of one judge on fixed claims have shown."""

from __future__ import annotations

from typing import Final, Literal, get_args

from pydantic import Field

from voirdire.records.estimates import Estimate, Record
from voirdire.records.labels import View
from voirdire.records.results import Provenance

__all__ = [
    "SIGNALS",
    "Components",
    "Direction",
    "DuplicateClaims",
    "EffectTest",
    "JudgeVariance",
    "Signal",
    "SignalVariance",
    "UnstableClaim",
    "VarianceResult",
]

Signal = Literal["faithfulness", "agreement", "kappa", "contradicted", "unverifiable", "failures"]
"""What one evaluation of a set of claims yields: the share supported among judged claims, raw
agreement and kappa with the reference, the shares contradicted and unverifiable, and the share
of asked claims without a judgment."""

SIGNALS: Final[tuple[Signal, ...]] = get_args(Signal)

Direction = Literal["low", "high"]
"""Which way is bad: a falling faithfulness, a rising failure rate."""


class EffectTest(Record):
    """A question put to the data: do runs, or sessions, differ by more than their noise?

    Attributes
    ----------
    statistic : float or None
    df : tuple of float
    p_value : float or None
        None exactly when `undefined` says why.
    """

    statistic: float | None = None
    df: tuple[float, ...] = ()
    p_value: float | None = Field(default=None, ge=0, le=1)
    method: str
    undefined: str | None = None


class Components(Record):
    """Variance of one signal split into claims, runs and the rest.

    Attributes
    ----------
    item, run, residual : float or None
        Variances, cut at 0: between claims, between runs, claim x run and call noise.
    item_raw, run_raw : float or None
        Before they were cut.
    repeatability_sd, reproducibility_sd : Estimate
        s_r and s_R of a single claim's score (ISO 5725).
    repeatability_limit : float or None
        2.8 s_r; None for 0/1 scores, where the flip rate says it.
    icc : Estimate
        ICC(A,1): the share of variance that lies between claims.
    run_effect : EffectTest
    items, runs, items_dropped, runs_dropped : int
    method : str
        ``two-way ANOVA`` or ``REML`` (missing cells).
    undefined : str or None
    """

    item: float | None = None
    run: float | None = None
    residual: float | None = None
    item_raw: float | None = None
    run_raw: float | None = None
    repeatability_sd: Estimate
    reproducibility_sd: Estimate
    repeatability_limit: float | None = None
    icc: Estimate
    run_effect: EffectTest
    items: int = Field(ge=0)
    runs: int = Field(ge=0)
    items_dropped: int = Field(default=0, ge=0)
    runs_dropped: int = Field(default=0, ge=0)
    method: str
    undefined: str | None = None
    notes: tuple[str, ...] = ()


class SignalVariance(Record):
    """One signal over the repeats.

    Attributes
    ----------
    values : tuple of float or None
        One per repeat, in the order of `JudgeVariance.sessions`; None where it is undefined.
    mean : float or None
        Over the defined ones.
    sd : Estimate
        Standard deviation of the values: what the signal moves by on these claims.
    evaluation_sd, evaluation_df : float or None
        The same with sessions allowed for: between-session variance counts whole however many
        repeats a session holds; degrees of freedom after Satterthwaite. None with one session,
        unless nothing moved at all.
    mean_n : float or None
        Independent evaluations that the mean is worth: repeats of one day are worth less than as
        many days.
    within_sd : float or None
        Within sessions.
    session_effect : EffectTest
        Do sessions differ by more than the repeats within them?
    components : Components or None
        None where the signal is not a mean over claims (kappa).
    item_variance : float or None
        Variance that fresh claims add, per claim; for kappa that of its linearisation.
    item_df : float or None
        Degrees of freedom with which it is known.
    """

    signal: Signal
    direction: Direction
    values: tuple[float | None, ...]
    mean: float | None = None
    sd: Estimate
    evaluation_sd: float | None = None
    evaluation_df: float | None = None
    mean_n: float | None = None
    within_sd: float | None = None
    session_effect: EffectTest
    components: Components | None = None
    item_variance: float | None = None
    item_df: float | None = None
    notes: tuple[str, ...] = ()


class UnstableClaim(Record):
    """A claim with more than one answer over the repeats."""

    claim_id: str
    family: str
    claim: str
    answers: tuple[str, ...]
    disagreement: float = Field(ge=0, le=1)


class DuplicateClaims(Record):
    """Claims that are word for word the same under several ids: a free consistency check.

    Attributes
    ----------
    groups : int
        Sets of equal claims.
    differing : Estimate
        Share of comparisons, within one repeat, whose answers differ; ``k`` of ``n``.
    examples : tuple of tuple of str
        Ids of the groups that differed, at most 20.
    """

    groups: int = Field(ge=0)
    differing: Estimate
    examples: tuple[tuple[str, ...], ...] = ()


class JudgeVariance(Record):
    """One judge on fixed claims, asked several times.

    Attributes
    ----------
    judge : str
        Name in the study; several names joined by ``+`` when they were taken as one instrument.
    fingerprints : tuple of str
        Digests of the judges behind it; one, unless conditions were put together.
    runs : tuple of str
        Run ids; each run is a session.
    sessions : tuple of str
        Session of each repeat that counts.
    claims, repeats : int
        C and K of the table that everything rests on.
    cached : int
        Repeats left out because they were cache hits of another one.
    deterministic : bool
        All repeats gave the same answer to every claim.
    pairwise, ever_flip, minority : Estimate
        Chance that two repeats differ on a claim; share of claims that ever flip; mean share of
        repeats that did not give the commonest answer.
    alpha : Estimate
        Krippendorff's alpha of the repeats against each other.
    flips : dict of str to dict of str to int
        Ordered pairs of repeats by their two answers, labels and outcomes: from, to, count.
    unstable : tuple of UnstableClaim
        Worst first, at most 200; ``unstable_claims`` counts them all.
    duplicates : DuplicateClaims
    advice : tuple of str
        What would help and what would not.
    """

    judge: str
    use: str
    fingerprints: tuple[str, ...]
    runs: tuple[str, ...]
    sessions: tuple[str, ...]
    claims: int = Field(ge=0)
    families: int = Field(ge=0)
    repeats: int = Field(ge=0)
    cached: int = Field(default=0, ge=0)
    deterministic: bool
    pairwise: Estimate
    ever_flip: Estimate
    minority: Estimate
    alpha: Estimate
    flips: dict[str, dict[str, int]]
    signals: tuple[SignalVariance, ...]
    unstable: tuple[UnstableClaim, ...]
    unstable_claims: int = Field(ge=0)
    duplicates: DuplicateClaims
    advice: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def signal(self, name: Signal) -> SignalVariance | None:
        """The variance of one signal; None if it could not be formed."""
        return next((one for one in self.signals if one.signal == name), None)


class VarianceResult(Record):
    """``results/variance.json``."""

    study: str
    view: View
    guidelines: tuple[str, ...] = ()
    claims_sha256: str
    judges: tuple[JudgeVariance, ...]
    provenance: Provenance
