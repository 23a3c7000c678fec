"""What else lies on disk is shown; what does not lie there is named, with what to run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.reports import more_factory as more
from tests.reports import report_factory as make
from tests.reports.test_page import Outline
from voirdire.records import FlagCode, Ledger
from voirdire.reports import (
    AgreementDisplay,
    ReportDisplay,
    find_circumstances,
    make_report,
    render_memo,
    render_page,
    render_part,
    write_report,
)
from voirdire.store import StudyPaths, write_document


def full(language: str = "en"):
    agreement, decision = make.ordinary()
    return make_report(agreement, decision, language=language, **more.everything(agreement))


def hostile():
    agreement, decision = make.hostile()
    others = more.everything(agreement, text=make.HOSTILE, study=make.HOSTILE)
    return make_report(agreement, decision, **others)


@pytest.mark.parametrize("language", ["en", "it"])
def test_a_full_page_is_sound(language: str) -> None:
    page = render_page(full(language))
    outline = Outline(page)
    assert outline.open == []
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert all("scope" in attributes for attributes in outline.named("th"))
    assert len(outline.named("caption")) == len(outline.named("table"))
    assert "None" not in page.replace("None of", "")
    assert "voirdire vary" not in page
    assert "voirdire limits" not in page


def test_the_certificate_is_told_worst_family_first() -> None:
    part = render_part(full(), "rewording", figures=False)
    assert "turns its answer too in 6 (0 to 13) of 100 cases, over 145 pairs" in part
    assert "It does not see negation" in part
    assert "8 of 145" in part
    assert "Not tested, because the set has no such claims: Same answer whatever the order." in part
    assert part.index("f1-0: 2 of 6") < part.index("f1-1: 2 of 6")
    assert "Rewording breaks lexical in 9 of 100 families" in part


def test_the_certificate_speaks_italian() -> None:
    part = render_part(full("it"), "rewording", figures=False)
    assert "negazione: le persone passano da contraddetta a sostenuta" in part
    assert "people turn" not in part


def test_stability_shows_flips_and_limits() -> None:
    part = render_part(full(), "stability", figures=False)
    assert "Of 100 claims, lexical gives more than one answer to 10 (7 to 13) in 5 repeats." in part
    assert "nli-base gave the same answer to every claim in 5 repeats." in part
    assert "drop of 0.0402" in part
    assert "2.6 / 0.5" in part
    assert "by exact counts, at 5" in part
    assert "timed out" in part


def test_figures_of_limits_state_the_finding() -> None:
    report = full()
    title = report.findings["limits:lexical"]
    assert title.startswith("lexical moves by 0.0300 by itself")
    assert title.endswith("a drop of 0.0402 warns")
    assert f">{title}<" in render_page(report)


def test_people_stand_beside_judges() -> None:
    part = render_part(full(), "people", figures=False)
    assert "On 7 claims people are split" in part
    assert "2 more are in results/people.json." in part
    assert part.count("80 of 100") >= 3


@pytest.mark.parametrize(
    ("part", "command"),
    [
        ("rewording", "voirdire agree"),
        ("stability", "voirdire vary"),
        ("stability", "voirdire limits"),
        ("people", "voirdire agree"),
    ],
)
def test_what_is_absent_says_what_to_run(part: str, command: str) -> None:
    assert f"<code>{command}</code>" in render_part(
        make_report(*make.ordinary()), part, figures=False
    )


def test_costs_are_per_thousand_fresh_answers_and_unknown_is_unknown() -> None:
    ledger = Ledger(
        fresh=500, cached=700, failed=3, retried=9, tokens_in=100_000, cost=0.25, seconds=50
    )
    one = make.judge(ledger=ledger)
    report = make_report(make.agreement(one), make.decisions(make.decision("lexical")))
    part = render_part(report, "cost", figures=False)
    for text in ("100.0 s", "0.5000", "200,000 / not recorded", ">500<", ">700<", ">3<", ">9<"):
        assert text in part
    assert "take it 100.0 s and cost 0.5000" in report.summaries[0].cost
    silent = make.judge(ledger=Ledger(fresh=0, cached=5, failed=0, retried=0))
    told = render_part(make_report(make.agreement(silent), make.decisions()), "cost", figures=False)
    assert told.partition("</caption>")[2].count("not recorded") == 4


def test_every_flag_of_the_folder_is_raised_and_only_then() -> None:
    agreement, decision = make.ordinary()
    made = make_report(agreement, decision, circumstances=more.troubled("lexical"))
    codes = {flag.code for flag in made.flags}
    expected: set[FlagCode] = {
        "labels_changed", "guideline_mixed", "test_split_looked_at", "identity_incomplete",
        "truncation", "failures_not_random",
    }  # fmt: skip
    assert expected <= codes
    assert not expected & {flag.code for flag in make_report(agreement, decision).flags}
    told = {flag.code: flag.text for flag in made.flags}
    assert "7 of 1,200" in told["truncation"]
    assert "the language, people's label" in told["failures_not_random"]


def test_flags_of_repeats() -> None:
    agreement, decision = make.ordinary()
    made = make_report(agreement, decision, **more.everything(agreement))
    told = {(flag.code, flag.judge): flag.text for flag in made.flags}
    assert "40 of 400" in told["unstable_claims", "lexical"]
    assert ("unstable_claims", "nli-base") not in told
    assert ("single_run", "nli-base") not in told
    copied = make.judge(ledger=Ledger(fresh=400, cached=800, failed=0, retried=0))
    found = make_report(make.agreement(copied), make.decisions()).flags
    assert "cached_repeats" in {flag.code for flag in found}


def test_a_failed_probe_is_a_gate_that_rejects() -> None:
    gate = make.gates("reject")[3].model_copy(update={"name": "negation_flip"})
    for answer, raised in (("reject", True), ("inconclusive", False)):
        gates = (gate.model_copy(update={"answer": answer}),)
        made = make.decisions(make.decision("lexical", "do_not_adopt", gates=gates))
        codes = {flag.code for flag in make_report(make.agreement(make.judge()), made).flags}
        assert ("probe_failed" in codes) is raised


def test_hostile_text_stays_inert_in_every_part() -> None:
    report = hostile()
    for text in (render_page(report), render_memo(report), ReportDisplay(report)._repr_html_()):
        assert "<script" not in text
        assert "<img" not in text
        assert "\u202e" not in text
        assert "\x1b" not in text
    assert Outline(render_page(report)).open == []


def test_a_large_full_study_stays_under_a_megabyte() -> None:
    agreement, decision = make.large()
    page = render_page(make_report(agreement, decision, **more.everything(agreement)))
    assert len(page.encode()) < 1_000_000


@pytest.mark.parametrize("language", ["en", "it"])
def test_the_memo_has_the_decision_and_quotes_no_claim(language: str) -> None:
    memo = render_memo(full(language))
    assert Outline(memo).open == []
    assert ("Do not adopt lexical" if language == "en" else "Non adottare lexical") in memo
    assert "The plan includes support" not in memo
    assert "report.html" in memo


@pytest.mark.filterwarnings("ignore:rows.csv holds only")
def test_faulty_results_are_left_out_and_said(study: StudyPaths) -> None:
    study.result("variance").write_text("{", encoding="utf-8")
    study.result("people").write_text(
        json.dumps({"schema": "voirdire/people", "schema_version": "9.0"}), encoding="utf-8"
    )
    with pytest.warns(UserWarning, match="left out of the report"):
        write_report(study)
    assert "voirdire vary" in study.page.read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore:rows.csv holds only")
def test_results_on_disk_reach_the_page(study: StudyPaths) -> None:
    agreement, _ = make.ordinary()
    for name in ("invariance", "variance", "policy", "people"):
        write_document(study.result(name), more.everything(agreement)[name])
    write_report(study, language="it")
    page = study.page.read_text(encoding="utf-8")
    assert "Limiti di allarme" in page
    assert "Le riformulazioni rompono lexical in 9 famiglie su 100" in page


def test_an_empty_folder_has_no_circumstances(tmp_path: Path) -> None:
    found = find_circumstances(StudyPaths(tmp_path), make.agreement(make.judge()))
    assert found.sets_changed == ()
    assert found.runs[0].verdicts == 0


def test_results_of_another_study_are_refused() -> None:
    agreement, decision = make.ordinary()
    other = more.people("A1", "A2").model_copy(update={"study": "other"})
    with pytest.raises(ValueError, match="agreement and people must be of one study"):
        make_report(agreement, decision, people=other)


def test_a_display_is_refused_a_kind_that_is_none() -> None:
    with pytest.raises(ValueError, match="kind must be one of forest, recall, variants, got 'pie'"):
        AgreementDisplay(make.ordinary()[0], kind="pie")  # type: ignore[arg-type]
