"""Several judges and a threshold on the page: what is said follows from the numbers."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

import pytest

from tests.reports import contest_factory as many
from tests.reports import report_factory as make
from tests.reports.test_page import Outline
from voirdire.records import ReportDocument
from voirdire.records.contest import RiskCoverage
from voirdire.reports import make_report, render_page, render_part, write_report
from voirdire.reports.contest_findings import contest_findings, half_point
from voirdire.reports.contest_words import ContestWords
from voirdire.reports.formats import Formats
from voirdire.reports.words import load_words
from voirdire.store import StudyPaths, dump_document, read_document, write_document

NAMES = ("lexical", "nli-base", "third")


@cache
def full(language: str = "en", *, incumbent: str = "lexical", look: int = 1) -> ReportDocument:
    agreement, decision = make.ordinary()
    return make_report(
        agreement,
        many.at_look(decision, look),
        language=language,
        contest=many.contest_of(*NAMES, incumbent=incumbent),
        operating=many.point_of("nli-base"),
    )


def section(report: ReportDocument, *, figures: bool = False) -> str:
    return render_part(report, "contest", figures=figures)


def words_of(report: ReportDocument) -> ContestWords:
    words = load_words(report.language)
    return ContestWords(report, words, Formats(words))


@pytest.mark.parametrize("language", ["en", "it"])
def test_the_section_is_sound_and_holds_every_number(language: str) -> None:
    report = full(language)
    text = section(report, figures=True)
    outline = Outline(text)
    assert outline.open == []
    assert len(outline.named("table")) == len(outline.named("caption")) == 5
    assert all(cell.get("scope") in ("col", "row") for cell in outline.named("th"))
    assert len(outline.named("svg")) == 2
    contest = report.contest
    assert contest is not None
    formats = Formats(load_words(language))
    for row in contest.table:
        assert formats.value(row.accuracy, share=True) in text
    for one in contest.differences:
        assert formats.difference(one.accuracy.value or 0.0) in text
    assert "None" not in text
    levels = [int(level) for level in re.findall(r"<h(\d)", render_page(report))]
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_it_says_who_is_better_by_the_adjusted_p() -> None:
    report = full()
    assert report.contest is not None
    said = [words_of(report).against(one) for one in report.contest.differences]
    assert said[0].startswith("nli-base is better than lexical: of 100 claims it gets")
    one = report.contest.differences[0]
    told = words_of(report)
    assert "do not show" in told.against(one.model_copy(update={"accuracy_holm": 0.051}))
    assert "do not show" in told.against(one.model_copy(update={"accuracy_holm": None}))
    worse = one.accuracy.model_copy(
        update={"value": -0.2, "low": -0.3, "high": -0.1},
    )
    assert "20 fewer right" in told.against(one.model_copy(update={"accuracy": worse}))
    same = one.model_copy(update={"only_judge": 0, "only_incumbent": 0})
    assert "cannot tell" in told.against(same)


def test_without_an_incumbent_or_a_contest_it_says_so() -> None:
    assert "No judge is named as the one in use" in section(full(incumbent=""))
    alone = section(make_report(*make.ordinary()))
    assert "Only one judge was examined" in alone
    assert "<table" not in alone


def test_unknown_costs_stay_unknown() -> None:
    report = full()
    contest = report.contest
    assert contest is not None
    row = contest.table[0].model_copy(update={"cost_per_1000": None, "seconds_per_claim": None})
    bare = report.model_copy(update={"contest": contest.model_copy(update={"table": (row,)})})
    assert section(bare).partition("</table>")[0].count("not recorded") == 2


def test_the_cheapest_set_and_its_level_are_told() -> None:
    told = words_of(full()).cheapest()
    assert told[0].startswith("Chosen on the cal split (120 families")
    assert "calls for 1,000 claims" in told[0]
    assert told[1] == (
        "The test split (120 families) confirms it: every bound, at 95\u00a0%, keeps its limit."
    )
    rows = list(words_of(full()).cheapest_gates())
    assert [limit for _, limit, _ in rows][:2] == ["30", "0.60"]
    assert [len(both) for _, _, both in rows] == [2] * len(rows)
    assert all(gate is not None and gate.answer == "accept" for _, _, b in rows for gate in b)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("none_passes", "each of 9 is rejected"),
        ("not_enough_evidence", "not each is rejected"),
        ("cal_too_small", "too small to choose"),
    ],
)
def test_what_was_not_chosen_is_told(answer: str, said: str) -> None:
    report = full()
    assert report.contest is not None
    assert report.contest.cheapest is not None
    none = report.contest.cheapest.model_copy(
        update={"answer": answer, "chosen": None, "tried": 9, "cal_gates": (), "test_gates": ()}
    )
    changed = report.contest.model_copy(update={"cheapest": none})
    (line,) = words_of(report.model_copy(update={"contest": changed})).cheapest()
    assert said in line
    nothing = report.contest.model_copy(update={"cheapest": None})
    (line,) = words_of(report.model_copy(update={"contest": nothing})).cheapest()
    assert line.startswith("Not looked for")


@pytest.mark.parametrize(
    ("answer", "gate", "said"),
    [
        ("not_confirmed", "reject", "does not confirm it"),
        ("not_enough_evidence", "inconclusive", "there is not enough evidence"),
    ],
)
def test_a_set_that_test_does_not_confirm(answer: str, gate: str, said: str) -> None:
    report = full()
    assert report.contest is not None
    found = report.contest.cheapest
    assert found is not None
    gates = tuple(
        one.model_copy(update={"answer": gate}) if one.name == "kappa" else one
        for one in found.test_gates
    )
    changed = found.model_copy(update={"answer": answer, "test_gates": gates})
    made = report.model_copy(
        update={"contest": report.contest.model_copy(update={"cheapest": changed})}
    )
    line = words_of(made).cheapest()[1]
    assert said in line
    assert "agreement with people beyond chance" in line


def test_later_looks_are_told_with_their_level() -> None:
    assert words_of(full(look=1)).look_line() == ""
    assert "bounds are at" not in render_part(full(look=1), "decision")
    third = render_part(full(look=3), "decision")
    assert "This is look 3 at the test split: bounds are at 99.4\u00a0% instead of 95" in third
    assert "at most 6.8\u00a0%" in third
    italian = render_part(full("it", look=3), "decision")
    assert "sguardo n. 3" in italian
    assert "99,4\u00a0%" in italian
    flags = {flag.code: flag.text for flag in full(look=3).flags}
    assert "looked at 3 times" in flags["test_split_looked_at"]
    assert "test_split_looked_at" not in {flag.code for flag in full(look=1).flags}


def test_the_title_of_the_risk_figure_is_its_finding() -> None:
    report = full()
    assert report.contest is not None
    assert report.findings["risk"].startswith("Of its surest")
    assert "lexical gets 0\u00a0% wrong, of all 17\u00a0%" in report.findings["risk"]
    flat = tuple(
        RiskCoverage(
            judge=curve.judge,
            n=curve.n,
            points=tuple(point.model_copy(update={"risk": 0.2}) for point in curve.points),
        )
        for curve in report.contest.risk
    )
    words = load_words("en")
    level = report.contest.model_copy(update={"risk": flat})
    titles = contest_findings(level, None, words, Formats(words))
    assert titles == {"risk": "No judge is more often right where it is surer"}
    empty = report.contest.model_copy(update={"risk": ()})
    assert contest_findings(empty, None, words, Formats(words)) == {}
    assert half_point(report.contest.risk[0]).coverage >= 0.5


def test_the_threshold_and_what_may_be_kept() -> None:
    told = words_of(full()).threshold_lines()
    point = full().operating
    assert point is not None
    assert f"from a probability of {point.threshold:.4f} up" in told[0]
    assert "where a wrong supported costs 5.00" in told[0]
    assert "may be kept: at most 5\u00a0% of them are wrong, with 95\u00a0% confidence" in told[2]
    report = full().model_copy(update={"operating": many.point_of("nli-base", families=30)})
    refused = words_of(report).threshold_lines()[2]
    assert refused == (
        "No answers can be certified to be at most 5\u00a0% wrong: 30 families on the cal split; "
        "at least 59 would be needed if none erred."
    )
    sure = point.kept.model_copy(update={"threshold": None, "families": 400})
    for families, said in ((400, "it errs too often"), (0, "gives no probabilities")):
        kept = sure.model_copy(update={"families": families})
        made = full().model_copy(update={"operating": point.model_copy(update={"kept": kept})})
        assert said in words_of(made).threshold_lines()[2]
    dear = point.model_copy(update={"always_supported": 0.0, "never_supported": 0.0})
    words = load_words("en")
    assert "no less than 0.00" in contest_findings(None, dear, words, Formats(words))["operating"]


@pytest.mark.filterwarnings("ignore:rows.csv holds only")
def test_results_on_disk_reach_page_and_document(study: StudyPaths) -> None:
    write_report(study)
    assert "Only one judge was examined" in study.page.read_text(encoding="utf-8")
    write_document(study.result("contest"), many.contest_of(*NAMES, incumbent="lexical"))
    write_document(study.result("operating-point"), many.point_of("nli-base"))
    write_report(study, language="it")
    page = study.page.read_text(encoding="utf-8")
    assert "nli-base è migliore di lexical" in page
    assert "Dove regolare nli-base" in page
    document = read_document(study.report_document, ReportDocument)
    assert document.contest is not None
    assert document.operating is not None
    assert dump_document(document) == study.report_document.read_text(encoding="utf-8")
    other = many.contest_of(*NAMES).model_copy(update={"study": "other"})
    write_document(study.result("contest"), other)
    with pytest.warns(UserWarning, match="of another study"):
        write_report(study)


def test_results_of_another_study_are_refused() -> None:
    agreement, decision = make.ordinary()
    other = many.contest_of(*NAMES).model_copy(update={"study": "other"})
    with pytest.raises(ValueError, match="agreement and contest must be of one study"):
        make_report(agreement, decision, contest=other)
