"""``voirdire report``: the files again, from results alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.reports import report_factory as make
from voirdire.cli.main import cli, main
from voirdire.store import StudyPaths, write_document


@pytest.fixture
def study(tmp_path: Path) -> StudyPaths:
    paths = StudyPaths(tmp_path / "trial")
    agreement, decision = make.small()
    write_document(paths.result("agreement"), agreement)
    write_document(paths.result("decision"), decision)
    return paths


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["report", *args], catch_exceptions=False)


def test_the_paths_go_to_stdout_and_warnings_to_stderr(study: StudyPaths) -> None:
    done = run(str(study.root))
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        str(study.root / name)
        for name in ("report.html", "report.json", "rows.csv", "report.md", "memo.html")
    ]
    assert "Warning: rows.csv holds only" in done.stderr


def test_language_and_byte_order_mark(study: StudyPaths) -> None:
    done = run(str(study.root), "--lang", "it", "--bom", "--json")
    assert json.loads(done.stdout)["files"][0] == str(study.page)
    assert '<html lang="it">' in study.page.read_text(encoding="utf-8")
    assert study.rows.read_bytes().startswith(b"\xef\xbb\xbf")


def test_options_read_the_environment(study: StudyPaths) -> None:
    CliRunner().invoke(
        cli, ["report", str(study.root)], env={"VOIRDIRE_LANG": "it"}, catch_exceptions=False
    )
    assert '<html lang="it">' in study.page.read_text(encoding="utf-8")


def test_the_file_study_toml_names_its_folder(study: StudyPaths) -> None:
    assert run(str(study.config)).exit_code == 0


def test_without_results_it_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["report", str(tmp_path)])
    assert ended.value.code == 2
    assert "the study has no agreement result yet" in capsys.readouterr().err


def test_a_result_that_is_no_json_says_what_makes_it_anew(
    study: StudyPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    study.result("agreement").write_text('{"schema": "voirdire/agr', encoding="utf-8")
    with pytest.raises(SystemExit) as caught:
        main(["report", str(study.root)])
    assert caught.value.code == 2
    told = capsys.readouterr().err
    assert "agreement.json: not JSON" in told
    assert f"make it anew: 'voirdire agree {study.root}'" in told


def test_a_language_we_do_not_speak_is_a_usage_error(study: StudyPaths) -> None:
    assert run(str(study.root), "--lang", "xx").exit_code == 2
