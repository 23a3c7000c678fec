"""The committed example is what the tool makes of its recorded verdicts, byte for byte.

Time and versions are taken from the committed report; every number, sentence and figure is made
again.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from voirdire.cli.demo_ import JUDGES
from voirdire.judges import load
from voirdire.records import JudgeAgreement, JudgeInput, Provenance, ReportDocument
from voirdire.records.contest import ContestResult
from voirdire.reports import make_report, render_memo, render_page, render_summary
from voirdire.reports.writing import report_of_study
from voirdire.store import StudyPaths, dump_document, read_document
from voirdire.studies import agree, open_study, run_study

EXAMPLE = Path(__file__).parents[2] / "reports" / "example"
BYTES = 1_600_000
PICTURE_BYTES = 150_000


@pytest.fixture(scope="module")
def committed() -> ReportDocument:
    return read_document(EXAMPLE / "report.json", ReportDocument)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, committed: ReportDocument) -> ReportDocument:
    """The same study, run anew elsewhere from its recording."""
    folder = tmp_path_factory.mktemp("again") / "example"
    folder.mkdir()
    shutil.copy(EXAMPLE / "study.toml", folder)
    shutil.copytree(EXAMPLE / "recorded", folder / "recorded")
    study = open_study(folder)
    run_study(study)
    agree(study)
    return _at_the_same_time(report_of_study(StudyPaths(folder)), committed)


def _at_the_same_time(made: ReportDocument, committed: ReportDocument) -> ReportDocument:
    """Clock, run ids and versions of the committed report; the rest is as it was made."""
    then = committed.agreement.provenance
    judges = tuple(
        _timed(judge, old)
        for judge, old in zip(made.agreement.judges, committed.agreement.judges, strict=True)
    )
    agreement = made.agreement.model_copy(
        update={"judges": judges, "provenance": _origin(made.agreement.provenance, then)}
    )
    decision = made.decision.model_copy(
        update={"provenance": _origin(made.decision.provenance, then)}
    )
    assert made.invariance is not None
    ids = {judge.judge: judge.run_id for judge in committed.agreement.judges}
    invariance = made.invariance.model_copy(
        update={
            "provenance": _origin(made.invariance.provenance, then),
            "judges": tuple(
                one.model_copy(update={"run_id": ids[one.judge]}) for one in made.invariance.judges
            ),
        }
    )
    assert made.people is not None
    people = made.people.model_copy(
        update={"provenance": _origin(made.people.provenance, committed.people.provenance)}
        if committed.people
        else {}
    )
    return make_report(
        agreement,
        decision,
        invariance=invariance,
        people=people,
        contest=_contest(made, committed),
        circumstances=made.circumstances,
    )


def _contest(made: ReportDocument, committed: ReportDocument) -> ContestResult | None:
    if made.contest is None or committed.contest is None:
        return made.contest
    seconds = {row.judge: row.seconds_per_claim for row in committed.contest.table}
    table = tuple(
        row.model_copy(update={"seconds_per_claim": seconds[row.judge]})
        for row in made.contest.table
    )
    origin = _origin(made.contest.provenance, committed.contest.provenance)
    return made.contest.model_copy(update={"table": table, "provenance": origin})


def _timed(made: JudgeAgreement, committed: JudgeAgreement) -> JudgeAgreement:
    ledger = made.ledger.model_copy(update={"seconds": committed.ledger.seconds})
    update: dict[str, Any] = {
        "run_id": committed.run_id,
        "ledger": ledger,
        "seconds_per_claim": committed.seconds_per_claim,
    }
    return made.model_copy(update=update)


def _origin(made: Provenance, then: Provenance) -> Provenance:
    """What is neither time nor version must be the same."""
    assert (made.seed, made.sets, made.gates) == (then.seed, then.sets, then.gates)
    return then


AGAIN = (
    "if the change is meant, look at it, remove reports/example/results (else it is another look), "
    "then run 'voirdire examine reports/example'"
)


def test_the_page_is_made_again(made: ReportDocument) -> None:
    assert render_page(made).encode() == (EXAMPLE / "report.html").read_bytes(), AGAIN


def test_memo_and_summary_are_made_again(made: ReportDocument) -> None:
    assert render_memo(made).encode() == (EXAMPLE / "memo.html").read_bytes(), AGAIN
    assert render_summary(made).encode() == (EXAMPLE / "report.md").read_bytes(), AGAIN


def test_the_numbers_are_made_again(made: ReportDocument) -> None:
    text = (EXAMPLE / "report.json").read_text(encoding="utf-8")
    assert _told(dump_document(made)) == _told(text), AGAIN


def _told(text: str) -> Any:
    """JSON with its numbers to ten digits: the last bits of a sum differ between machines."""
    return json.loads(text, parse_float=lambda digits: f"{float(digits):.10g}")


@pytest.mark.parametrize(("use", "at_least"), [("lexical:en", 1.0), ("nli-mini", 0.97)])
def test_the_recording_is_what_the_demo_judge_says(use: str, at_least: float) -> None:
    """The lexical judge to the last answer; int8 is rounded otherwise on another processor."""
    claims = {claim.id: claim for claim in open_study(EXAMPLE).claims.claims}
    name = use.partition(":")[0]
    lines = (EXAMPLE / "recorded" / name / "verdicts.jsonl").read_text(encoding="utf-8")
    recorded = {line["claim_id"]: line["label"] for line in map(json.loads, lines.splitlines())}
    assert recorded.keys() == claims.keys()
    inputs = [JudgeInput(id=c.id, claim=c.claim, context=c.context) for c in claims.values()]
    said = {claim: answer.label for claim, answer in load(use)(inputs, repeat=0)}
    same = sum(said[claim] == label for claim, label in recorded.items())
    assert same >= at_least * len(claims)


def test_the_example_has_the_judges_of_the_demo() -> None:
    study = open_study(EXAMPLE)
    assert tuple(judge.name for judge in study.config.judges) == JUDGES


def test_the_example_is_small_and_names_no_machine() -> None:
    kept = [
        path
        for path in sorted(EXAMPLE.rglob("*"))
        if path.is_file()
        and not {"runs", "results"} & set(path.parts)
        and path.name not in ("rows.csv", ".lock")
    ]
    assert sum(path.stat().st_size for path in kept) < BYTES
    pictures = [path for path in kept if path.suffix == ".png"]
    assert pictures
    assert all(path.stat().st_size < PICTURE_BYTES for path in pictures)
    for path in kept:
        if path.suffix != ".png":
            text = path.read_text(encoding="utf-8")
            assert "/home/" not in text
            assert "/tmp/" not in text


def test_the_readme_shows_the_pictures() -> None:
    readme = (EXAMPLE.parents[1] / "README.md").read_text(encoding="utf-8")
    for path in sorted(EXAMPLE.glob("*.png")):
        assert f"reports/example/{path.name}" in readme
