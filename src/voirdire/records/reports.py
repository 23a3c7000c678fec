"""The report as data: everything the page says, in the order it says it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from voirdire.records.alerts import PolicyResult
from voirdire.records.contest import ContestResult
from voirdire.records.decisions import DecisionResult, Verdict4
from voirdire.records.estimates import Record
from voirdire.records.invariance import InvarianceResult
from voirdire.records.operating import OperatingPoint
from voirdire.records.people import PeopleResult
from voirdire.records.results import AgreementResult
from voirdire.records.variance import VarianceResult

__all__ = [
    "FlagCode",
    "JudgeSummary",
    "ReportDocument",
    "ReportFlag",
    "RunCircumstances",
    "StudyCircumstances",
]

FlagCode = Literal[
    "few_labels",
    "lopsided_labels",
    "written_examples",
    "no_annotators",
    "single_annotator",
    "two_class_view",
    "waived_gate",
    "labels_changed",
    "guideline_mixed",
    "test_split_looked_at",
    "single_run",
    "cached_repeats",
    "unstable_claims",
    "identity_incomplete",
    "failures",
    "failures_not_random",
    "truncation",
    "learned_from_this_set",
    "probe_failed",
    "not_comparable",
    "below_human_ceiling",
    "at_human_ceiling",
    "prevalence_paradox",
]
"""The closed list of flags; a code keeps its meaning for good."""


class ReportFlag(Record):
    """Something a reader must know before trusting a number, and what to do about it.

    Attributes
    ----------
    code : FlagCode
    judge : str or None
        None where it concerns the whole study.
    text, todo : str
        In the report's language.
    """

    code: FlagCode
    judge: str | None = None
    text: str
    todo: str


class RunCircumstances(Record):
    """What a judge's run on disk says beyond its verdicts' labels.

    Attributes
    ----------
    judge : str
    identity_missing : tuple of str
        What its fingerprint would have to say and does not.
    cut : int
        Verdicts whose input or answer was cut short.
    verdicts : int
        All of the run.
    failures_go_with : dict of str to float
        What missing judgments go with (label, variant, language …) to the adjusted p-value.
    answer_flags : dict of str to int
        What the judge's answers are marked with (``repaired``, ``input_cut`` …), to the answers.
    learned_from : dict of str to str
        If the judge's model was fitted to a set of this study: ``set``, ``split``, and
        ``families``, which says whether that split is the ``same`` as then, ``changed`` or
        ``unknown``.
    """

    judge: str
    identity_missing: tuple[str, ...] = ()
    cut: int = Field(default=0, ge=0)
    verdicts: int = Field(default=0, ge=0)
    failures_go_with: dict[str, float] = Field(default_factory=dict)
    answer_flags: dict[str, int] = Field(default_factory=dict)
    learned_from: dict[str, str] = Field(default_factory=dict)


class StudyCircumstances(Record):
    """What a report finds on disk beside the results; what is not there is empty.

    Attributes
    ----------
    sets_changed : tuple of str
        Claim sets that are not what they were when the results were made.
    guidelines : dict of str to int
        Hash of a guideline to the labels given under it.
    test_looks : int
        The how-manieth look at the test split the decision rests on; 0 where none was taken.
    runs : tuple of RunCircumstances
    """

    sets_changed: tuple[str, ...] = ()
    guidelines: dict[str, int] = Field(default_factory=dict)
    test_looks: int = Field(default=0, ge=0)
    runs: tuple[RunCircumstances, ...] = ()

    def of(self, judge: str) -> RunCircumstances | None:
        """Those of one judge's run, None if they are not known."""
        return next((one for one in self.runs if one.judge == judge), None)


class JudgeSummary(Record):
    """The first screen of one judge, in the report's language.

    Attributes
    ----------
    judge : str
    decision : Verdict4
    sentence : str
        The decision and what the judge catches, in natural frequencies.
    why : tuple of str
        One line a gate.
    misses : str
        Of 1,000 claims that people call contradicted, how many it lets pass.
    cost : str
        What 1,000 claims take.
    next_step, look_again : str
    """

    judge: str
    decision: Verdict4
    sentence: str
    why: tuple[str, ...]
    misses: str
    cost: str
    next_step: str
    look_again: str


class ReportDocument(Record):
    """``report.json``: the results whole, and the sentences made from them.

    Attributes
    ----------
    language : str
        Of every sentence made by the report; records speak English.
    headline : str
    summaries : tuple of JudgeSummary
        Candidates only; a judge that is a reference line has none.
    flags : tuple of ReportFlag
    findings : dict of str to str
        Figure or section to its title.
    invariance, variance, policy, people, contest, operating
        The other results of the study, None where they were not made.
    circumstances : StudyCircumstances
    """

    study: str
    language: str
    headline: str
    summaries: tuple[JudgeSummary, ...]
    flags: tuple[ReportFlag, ...]
    findings: dict[str, str]
    decision: DecisionResult
    agreement: AgreementResult
    invariance: InvarianceResult | None = None
    variance: VarianceResult | None = None
    policy: PolicyResult | None = None
    people: PeopleResult | None = None
    contest: ContestResult | None = None
    operating: OperatingPoint | None = None
    circumstances: StudyCircumstances = StudyCircumstances()
