"""The files of a report: all or none, the same bytes every time, readable again."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.reports import report_factory as make
from voirdire.errors import SchemaError, StoreError, UsageError
from voirdire.records import ReportDocument
from voirdire.reports import render_page, write_report
from voirdire.store import StudyPaths, read_document, write_document

pytestmark = pytest.mark.filterwarnings("ignore:rows.csv holds only")


def test_five_files_are_written(study: StudyPaths) -> None:
    written = write_report(study)
    assert [path.name for path in written] == [
        "report.html",
        "report.json",
        "rows.csv",
        "report.md",
        "memo.html",
    ]
    assert all(path.is_file() for path in written)


def test_the_same_results_give_the_same_bytes_in_another_process(study: StudyPaths) -> None:
    before = [path.read_bytes() for path in write_report(study)]
    code = (
        "import sys, pathlib; from voirdire.reports import write_report; "
        "from voirdire.store import StudyPaths; "
        "write_report(StudyPaths(pathlib.Path(sys.argv[1])))"
    )
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(study.root)],
        check=True,
        env={"PYTHONHASHSEED": "77", "LC_ALL": "C", "PATH": ""},
    )
    names = [
        study.page,
        study.report_document,
        study.rows,
        study.root / "report.md",
        study.root / "memo.html",
    ]
    assert [path.read_bytes() for path in names] == before


def test_the_json_holds_the_whole_report(study: StudyPaths) -> None:
    write_report(study)
    body = json.loads(study.report_document.read_text(encoding="utf-8"))
    assert (body["schema"], body["schema_version"]) == ("voirdire/report", "1.0")
    assert body["agreement"]["judges"][0]["kappa"]["value"] == 0.55
    assert body["summaries"][0]["misses"].startswith("Of 1,000 claims")
    report = read_document(study.report_document, ReportDocument)
    assert render_page(report) == study.page.read_text(encoding="utf-8")


def test_a_newer_report_is_refused(study: StudyPaths) -> None:
    write_report(study)
    text = study.report_document.read_text(encoding="utf-8").replace('"1.0"', '"2.0"', 1)
    study.report_document.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError, match="schema_version '2.0' is not known here"):
        read_document(study.report_document, ReportDocument)


def test_without_runs_and_claims_it_says_what_rows_hold(study: StudyPaths) -> None:
    with pytest.warns(UserWarning, match="rows.csv holds only the families .* no such file"):
        write_report(study)
    assert study.rows.read_bytes().count(b"\r\n") > 10


def test_rows_may_be_given(study: StudyPaths) -> None:
    write_report(study, rows=[{"claim_id": "a", "judge": "b"}], bom=True)
    assert study.rows.read_bytes().startswith(b"\xef\xbb\xbfclaim_id,")
    assert study.rows.read_bytes().count(b"\r\n") == 2


def test_without_results_it_says_what_to_do(tmp_path) -> None:
    with pytest.raises(UsageError, match=r"no agreement result yet\. run 'voirdire agree"):
        write_report(StudyPaths(tmp_path))


def test_a_fault_leaves_the_old_report_whole(study: StudyPaths) -> None:
    before = [path.read_bytes() for path in write_report(study)]
    with pytest.raises(ValueError, match="columns must be among"):
        write_report(study, rows=[{"nonsense": 1}])
    other = make.agreement(make.judge(), study="other")
    write_document(study.result("agreement"), other)
    with pytest.raises(ValueError, match="of one study"):
        write_report(study)
    names = [
        study.page,
        study.report_document,
        study.rows,
        study.root / "report.md",
        study.root / "memo.html",
    ]
    assert [path.read_bytes() for path in names] == before


def test_a_file_in_the_way_is_named(study: StudyPaths) -> None:
    study.page.mkdir()
    with pytest.raises(StoreError, match=r"report\.html: cannot write the file"):
        write_report(study)


def test_hostile_results_can_be_written_and_read(study: StudyPaths) -> None:
    agreement, decision = make.hostile()
    write_document(study.result("agreement"), agreement)
    write_document(study.result("decision"), decision)
    write_report(study)
    assert read_document(study.report_document, ReportDocument).agreement == agreement


def test_the_room_loads_neither_matplotlib_nor_jinja_until_a_page_is_made() -> None:
    code = (
        "import sys, voirdire.reports; "
        "print([n for n in ('matplotlib', 'jinja2', 'scipy', 'pandas') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
