"""Answers of a RAG system, what was measured of them, and what could not be."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from voirdire.records.estimates import Estimate, Record

__all__ = [
    "METRICS",
    "Answer",
    "AnswerScore",
    "ConflictCounts",
    "FailureQuestion",
    "Metric",
    "MetricSummary",
    "NotAScore",
    "NotAScoreCount",
    "Origin",
    "PilotCost",
    "PilotResult",
    "RefusalSummary",
    "SampleRecord",
    "ScoreSettings",
    "ScoreSummary",
    "WorstAnswer",
]

Metric = Literal["faithfulness", "context_precision", "context_recall", "answer_relevancy"]
METRICS: tuple[Metric, ...] = (
    "faithfulness",
    "context_precision",
    "context_recall",
    "answer_relevancy",
)

NotAScore = Literal[
    "judge_failed",
    "splitter_failed",
    "no_claims",
    "no_question",
    "empty_answer",
    "nothing_to_check",
    "no_reference",
    "no_contexts",
]
"""Why an answer has no score."""

Origin = Literal[
    "judge or service failed",
    "no claims extracted",
    "no usable question",
    "nothing to divide by",
]
"""The four ways in which a score can be missing; none of them is a low score."""


class Answer(Record):
    """One answer of a RAG system.

    Attributes
    ----------
    id : str
        Unique in its file.
    question : str
        May be empty where it was not recorded.
    contexts : tuple of str
        Chunks as they were retrieved; blank ones are kept, for their rank counts.
    answer : str
        May be empty: then there is nothing to divide by.
    reference : str or None
        The answer that would have been right.
    should_refuse : bool or None
        Whether the right thing was to decline; None is not known.
    language : str or None
        Of the answer; None: seen from its script, else English.
    kind : str or None
        Kind of question; None: seen from its first word.
    stratum : str
        For sampling.
    line : int
        In the file.
    """

    id: str = Field(min_length=1, max_length=200)
    question: str = ""
    contexts: tuple[str, ...] = ()
    answer: str = ""
    reference: str | None = None
    should_refuse: bool | None = None
    language: str | None = None
    kind: str | None = None
    stratum: str = ""
    line: int = Field(default=0, ge=0)


class AnswerScore(Record):
    """What was measured of one answer: a line of ``answers.jsonl``.

    Attributes
    ----------
    claims : int
        Claims put to the judge; statements that assert nothing are not among them.
    supported, contradicted, unverifiable, failed : int
        How they came out; ``failed`` got no judgment.
    not_claims : int
        Sentences that assert nothing, and claims the judge called not applicable.
    faithfulness, context_precision, context_recall, answer_relevancy : float or None
        None exactly when `not_a_score` holds the reason under the metric's name, or the metric
        was not asked for.
    low, high : float or None
        Ends of faithfulness with all failed claims unsupported, and supported.
    partial : bool
        Some claims were judged and some failed.
    refused : bool
        The answer declines.
    should_refuse : bool or None
        Then the answer is in its own stratum and counts there only.
    conflict : int
        Claims that some chunks support and others contradict.
    """

    id: str
    claims: int = Field(default=0, ge=0)
    supported: int = Field(default=0, ge=0)
    contradicted: int = Field(default=0, ge=0)
    unverifiable: int = Field(default=0, ge=0)
    failed: int = Field(default=0, ge=0)
    not_claims: int = Field(default=0, ge=0)
    faithfulness: float | None = Field(default=None, ge=0, le=1)
    context_precision: float | None = Field(default=None, ge=0, le=1)
    context_recall: float | None = Field(default=None, ge=0, le=1)
    answer_relevancy: float | None = Field(default=None, ge=-1, le=1)
    low: float | None = None
    high: float | None = None
    partial: bool = False
    refused: bool = False
    should_refuse: bool | None = None
    conflict: int = Field(default=0, ge=0)
    not_a_score: dict[Metric, NotAScore] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _counts_fit(self) -> Self:
        parts = self.supported + self.contradicted + self.unverifiable + self.failed
        if parts != self.claims:
            raise ValueError(f"the parts must sum to claims ({self.claims}), got {parts}")
        return self


class NotAScoreCount(Record):
    """One way of having no score: how often, and what mends it."""

    metric: Metric
    reason: NotAScore
    origin: Origin
    count: int = Field(ge=0)
    counts_as_missing: bool
    remedy: str


class MetricSummary(Record):
    """One metric over all answers of a file or of its sample.

    Attributes
    ----------
    metric : Metric
    mean : Estimate
        Over the answers that have a score; `n_asked` counts those that could have had one.
    micro : Estimate or None
        Supported claims over all judged claims (faithfulness only).
    missing_as_0, missing_as_1 : Estimate
        The ends between which the mean lies, whatever the missing scores are.
    missing : Estimate
        Share of answers without a score that should have had one.
    low, high : float or None
        Imbens-Manski interval over both ends.
    comparable : bool
        False where so much is missing that nothing may be compared.
    sd, p10, share_below_half : float or None
        Of the valid scores; sd with n - 1, p10 interpolated linearly.
    histogram : tuple of int
        Ten bins of equal width over 0..1; the last holds 1.
    partial : int
        Answers scored on some of their claims only.
    sentence : str
        What the missing scores mean for a difference somebody wants to claim.
    """

    metric: Metric
    mean: Estimate
    micro: Estimate | None = None
    missing_as_0: Estimate
    missing_as_1: Estimate
    missing: Estimate
    low: float | None = None
    high: float | None = None
    comparable: bool = False
    sd: float | None = None
    p10: float | None = None
    share_below_half: float | None = None
    histogram: tuple[int, ...] = ()
    partial: int = 0
    sentence: str = ""


class WorstAnswer(Record):
    """An answer among the lowest."""

    id: str
    score: float
    claims: int
    contradicted: int
    unverifiable: int


class RefusalSummary(Record):
    """Answers that should refuse, in a stratum of their own: refusing is what is right there.

    Attributes
    ----------
    refused_rightly : Estimate
        Of the answers that should refuse, those that did.
    refused_wrongly : Estimate
        Of the answers that are marked as answerable, those that refused.
    """

    refused_rightly: Estimate
    refused_wrongly: Estimate


class FailureQuestion(Record):
    """Whether missing scores go with something."""

    attribute: str
    rates: dict[str, float] = Field(default_factory=dict)
    p: float | None = None
    p_adjusted: float | None = None
    n: int = 0
    undefined: str | None = None


class ConflictCounts(Record):
    """How far chunks contradict claims, and the pairs of chunks that disagree.

    Attributes
    ----------
    none, sometimes, all : int
        Claims by level; ``sometimes`` means that the corpus disagrees with itself.
    silent : int
        Claims that no chunk speaks to.
    pairs : tuple of (answer id, claim number, supporting chunk, contradicting chunk)
        The first of them.
    """

    none: int = 0
    sometimes: int = 0
    all: int = 0
    silent: int = 0
    pairs: tuple[tuple[str, int, int, int], ...] = ()


class SampleRecord(Record):
    """How the answers were drawn.

    Attributes
    ----------
    design : {"census", "random"}
        ``random``: within strata, each answer of a stratum with the same chance.
    share : float
        Asked for.
    seed : int
    of, drawn : dict of str to int
        Answers of each stratum, and how many of them were drawn.
    """

    design: Literal["census", "random"]
    share: float = Field(gt=0, le=1)
    seed: int
    of: dict[str, int]
    drawn: dict[str, int]


class PilotCost(Record):
    """What one metric cost in the pilot, and what it will cost.

    Attributes
    ----------
    calls, tokens_in, tokens_out, cost, seconds : float or None
        Per answer; None is unknown, not zero.
    total_* : Estimate
        For all answers, with an interval from the spread over the pilot's answers.
    growth : str
        How calls grow with chunks and claims.
    """

    metric: str
    answers: int
    calls: float | None = None
    tokens_in: float | None = None
    tokens_out: float | None = None
    cost: float | None = None
    seconds: float | None = None
    total_calls: Estimate
    total_tokens_in: Estimate
    total_tokens_out: Estimate
    total_cost: Estimate
    total_seconds: Estimate
    growth: str = ""


class PilotResult(Record):
    """What a pilot measured."""

    answers: int
    of: int
    claims_per_answer: float
    chunks_per_answer: float
    currency: str = ""
    prices_as_of: str = ""
    costs: tuple[PilotCost, ...]


class ScoreSettings(Record):
    """``score.json``: what is measured and how; asked again with others is another scoring.

    Attributes
    ----------
    source : str
        Name of the file.
    source_sha256 : str
    judge : str
        As it was named.
    judge_digest : str
        Of its fingerprint.
    splitter : dict
        What splits answers into claims.
    metrics : tuple of Metric
    per_chunk : bool
        Whether every claim is put to the judge with each chunk alone, too.
    """

    source: str
    source_sha256: str
    judge: str
    judge_digest: str
    second: str = ""
    second_digest: str = ""
    splitter: dict[str, Any]
    metrics: tuple[Metric, ...]
    per_chunk: bool = False
    attribution: str = "evidence"
    questions: dict[str, Any] = Field(default_factory=dict)
    sample: SampleRecord
    started_at: str = ""
    tool_version: str = ""


class ScoreSummary(Record):
    """``summary.json``: everything measured of a file of answers.

    Attributes
    ----------
    answers : int
        Scored or tried.
    not_applicable : int
        Answers without a checkable claim; in no mean.
    claims, supported, contradicted, unverifiable, failed : int
        Over all answers that are not in the stratum of refusals.
    contradicted_share, unverifiable_share : Estimate
        Of the judged claims, clustered by question.
    corrected : Estimate or None
        Share of supported claims, corrected for the judge's errors; the reason where refused.
    corrected_why : str
    """

    settings: ScoreSettings
    answers: int
    questions: int
    not_applicable: int
    claims: int
    supported: int
    contradicted: int
    unverifiable: int
    failed: int
    contradicted_share: Estimate
    unverifiable_share: Estimate
    metrics: tuple[MetricSummary, ...]
    not_scores: tuple[NotAScoreCount, ...]
    refusals: RefusalSummary
    worst: tuple[WorstAnswer, ...]
    failure_tests: tuple[FailureQuestion, ...] = ()
    conflict: ConflictCounts | None = None
    corrected: Estimate | None = None
    corrected_why: str = ""
    notes: tuple[str, ...] = ()
