"""Several judges on the same claims: against the incumbent, against each other, together."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from voirdire.records.decisions import Gate
from voirdire.records.estimates import Estimate, Record
from voirdire.records.results import Provenance

__all__ = [
    "CheapestSet",
    "ContestResult",
    "CoveragePoint",
    "ErrorCorrelation",
    "IncumbentDifference",
    "JudgeRow",
    "JudgeSet",
    "PanelGain",
    "RiskCoverage",
    "SetAnswer",
]


class JudgeRow(Record):
    """A judge in the table: how well it agrees, what it takes.

    Attributes
    ----------
    judge : str
    accuracy, kappa : Estimate
        A claim without a judgment counts as wrong.
    cost_per_1000, seconds_per_claim : float or None
        None is unknown, not 0.
    failed : int
        Claims without a judgment.
    """

    judge: str
    accuracy: Estimate
    kappa: Estimate
    cost_per_1000: float | None
    seconds_per_claim: float | None
    failed: int = Field(ge=0)


class IncumbentDifference(Record):
    """A candidate less the incumbent, on the same claims.

    Attributes
    ----------
    judge : str
    accuracy, kappa : Estimate
        Differences, paired by family.
    accuracy_p, kappa_p : float or None
        Two-sided.
    accuracy_holm, kappa_holm : float or None
        The same, adjusted over all candidates.
    only_judge, only_incumbent : int
        Claims that only one of them got right.
    sentence : str
    """

    judge: str
    accuracy: Estimate
    kappa: Estimate
    accuracy_p: float | None
    kappa_p: float | None
    accuracy_holm: float | None
    kappa_holm: float | None
    only_judge: int = Field(ge=0)
    only_incumbent: int = Field(ge=0)
    sentence: str


class ErrorCorrelation(Record):
    """Whether two judges err on the same claims: the phi coefficient of their errors."""

    first: str
    second: str
    both_wrong: int = Field(ge=0)
    correlation: Estimate


class PanelGain(Record):
    """What all candidates together could add to the best of them.

    Attributes
    ----------
    best : str
        The judge with the highest accuracy on these very claims.
    best_accuracy, majority_accuracy, oracle_accuracy : Estimate
        Of the best judge; of the majority's answer, a tie counting as wrong; of a reader who
        always picks a right answer if any judge gives one.
    majority_gain : Estimate
        Majority less best, paired by family.
    oracle_gain : float
        Oracle less best: what a perfect choice between them could add at most.
    mean_error_correlation : float or None
        Over all pairs for which it is defined.
    effective_judges : float or None
        ``J / (1 + (J - 1) r)``, r that mean: how many independent judges they are worth.
    note : str
    """

    best: str
    best_accuracy: Estimate
    majority_accuracy: Estimate
    oracle_accuracy: Estimate
    majority_gain: Estimate
    oracle_gain: float
    mean_error_correlation: float | None
    effective_judges: float | None
    note: str


class CoveragePoint(Record):
    """What is kept at a confidence threshold; ``upper`` is a pointwise one-sided 95 % bound."""

    threshold: float
    kept: int = Field(ge=0)
    wrong: int = Field(ge=0)
    coverage: float
    risk: float
    upper: float


class RiskCoverage(Record):
    """Share wrong among the answers kept, the surest first."""

    judge: str
    n: int = Field(ge=0)
    points: tuple[CoveragePoint, ...]


SetAnswer = Literal[
    "confirmed", "not_confirmed", "none_passes", "not_enough_evidence", "cal_too_small"
]


class JudgeSet(Record):
    """Judges that answer together.

    Attributes
    ----------
    kind : str
        ``alone``; ``panel``: the majority's label, a tie is no judgment; ``cascade``: the second
        is asked where the first is less sure than ``threshold`` of its own answer.
    judges : tuple of str
        In the order in which a cascade asks them.
    threshold : float or None
        Of a cascade, chosen on ``cal``.
    calls_per_claim : float
        Judges asked for each claim, on ``cal``.
    cost_per_1000, seconds_per_1000 : float or None
        For 1,000 claims, after the ledgers; None is unknown, not 0.
    """

    kind: Literal["alone", "panel", "cascade"]
    judges: tuple[str, ...]
    threshold: float | None = None
    calls_per_claim: float
    cost_per_1000: float | None
    seconds_per_1000: float | None


class CheapestSet(Record):
    """The cheapest judges that pass the gates: chosen on ``cal``, confirmed on ``test``.

    Attributes
    ----------
    answer : SetAnswer
        ``confirmed``: chosen on cal, and every gate accepts on test; ``not_confirmed``: chosen,
        and a gate rejects on test; ``none_passes``: each set is rejected on cal;
        ``not_enough_evidence``: a gate stays open, on cal or (``chosen`` given) on test;
        ``cal_too_small``: cal has too few families to choose on.
    ranked_by : str
        ``cost``; ``calls`` where a judge's cost is unknown.
    chosen : JudgeSet or None
    tried : int
        Sets looked at on cal, the cheapest first, up to the one chosen.
    cal_families, test_families : int
    level : float
        One-sided confidence of each bound.
    cal_gates, test_gates : tuple of Gate
        Of the chosen set.
    test_cost_per_1000, test_calls_per_claim : float or None
        The same on test, where a cascade may ask its second judge more often or less.
    sentence : str
    """

    answer: SetAnswer
    ranked_by: Literal["cost", "calls"]
    chosen: JudgeSet | None
    tried: int = Field(ge=0)
    cal_families: int = Field(ge=0)
    test_families: int = Field(ge=0)
    level: float
    cal_gates: tuple[Gate, ...] = ()
    test_gates: tuple[Gate, ...] = ()
    test_cost_per_1000: float | None = None
    test_calls_per_claim: float | None = None
    sentence: str


class ContestResult(Record):
    """``results/contest.json``; there is one where a study has several candidates.

    ``cheapest`` is None where the study examines one split only: there is nothing to choose on.
    """

    study: str
    incumbent: str
    table: tuple[JudgeRow, ...]
    differences: tuple[IncumbentDifference, ...]
    correlations: tuple[ErrorCorrelation, ...]
    panel: PanelGain
    risk: tuple[RiskCoverage, ...]
    cheapest: CheapestSet | None = None
    provenance: Provenance
