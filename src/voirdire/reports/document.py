"""From results to the report as data, in one language."""

from __future__ import annotations

from voirdire.records import (
    AgreementResult,
    DecisionResult,
    InvarianceResult,
    JudgeSummary,
    PeopleResult,
    PolicyResult,
    ReportDocument,
    StudyCircumstances,
    VarianceResult,
)
from voirdire.records.contest import ContestResult
from voirdire.records.operating import OperatingPoint
from voirdire.reports import facts
from voirdire.reports.contest_findings import contest_findings
from voirdire.reports.findings import Findings
from voirdire.reports.flags import find_flags
from voirdire.reports.formats import Formats
from voirdire.reports.sentences import Sentences
from voirdire.reports.words import load_words

__all__ = ["make_report"]


def make_report(
    agreement: AgreementResult,
    decision: DecisionResult,
    *,
    language: str = "en",
    invariance: InvarianceResult | None = None,
    variance: VarianceResult | None = None,
    policy: PolicyResult | None = None,
    people: PeopleResult | None = None,
    contest: ContestResult | None = None,
    operating: OperatingPoint | None = None,
    circumstances: StudyCircumstances | None = None,
) -> ReportDocument:
    """Everything the page says.

    Parameters
    ----------
    agreement : AgreementResult
    decision : DecisionResult
        Of the same study.
    language : {"en", "it"}
        Of the sentences; the numbers of the results stay as they are.
    invariance, variance, policy, people, contest, operating
        Of the same study; what is None is said to be absent, with what to run.
    circumstances : StudyCircumstances, optional
        What lies on disk beside the results; see `voirdire.reports.find_circumstances`.

    Raises
    ------
    ValueError
        If there is no such language, or the results are of different studies.
    """
    others = {
        "decision": decision,
        "invariance": invariance,
        "variance": variance,
        "policy": policy,
        "people": people,
        "contest": contest,
        "operating": operating,
    }
    for name, one in others.items():
        if one is not None and one.study != agreement.study:
            raise ValueError(
                f"agreement and {name} must be of one study, "
                f"got {agreement.study!r} and {one.study!r}"
            )
    words = load_words(language)
    formats = Formats(words)
    findings = Findings(agreement, words, formats).all(decision.decisions, policy, variance)
    findings |= contest_findings(contest, operating, words, formats)
    sentences = Sentences(words, formats, decision.gates)
    around = circumstances or StudyCircumstances()
    report = ReportDocument(
        study=agreement.study,
        language=language,
        headline=findings.pop("headline"),
        summaries=tuple(_summaries(agreement, decision, sentences)),
        flags=(),
        findings=findings,
        decision=decision,
        agreement=agreement,
        invariance=invariance,
        variance=variance,
        policy=policy,
        people=people,
        contest=contest,
        operating=operating,
        circumstances=around,
    )
    flags = find_flags(report, words=words, formats=formats)
    return report.model_copy(update={"flags": flags})


def _summaries(
    agreement: AgreementResult, decision: DecisionResult, sentences: Sentences
) -> list[JudgeSummary]:
    found = []
    for judge in facts.candidates(agreement):
        made = facts.decision_of(judge.judge, decision.decisions)
        if made is not None:
            found.append(sentences.summary(judge, made))
    return found
