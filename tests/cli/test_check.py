"""``voirdire check`` as it is typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voirdire.cli.main import main

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*args: Any) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


@pytest.fixture
def folder(tmp_path: Path, call: Call) -> Path:
    source = tmp_path / "s.jsonl"
    rows = [
        {"id": f"c{n}", "family": f"f{n}", "claim": "x", "context": f"y{n}", "label": "yes"}
        for n in range(1000)
    ]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    into = tmp_path / "labels" / "set"
    assert call("import", source, "--into", into, "--language", "en")[0] == 0
    return into


def spoil(folder: Path, line: int, data: bytes) -> None:
    lines = (folder / "claims.jsonl").read_bytes().splitlines(keepends=True)
    lines[line - 1] = data + b"\n"
    (folder / "claims.jsonl").write_bytes(b"".join(lines))


def test_clean(folder: Path, call: Call) -> None:
    code, out, err = call("check", folder)
    assert code == 0
    assert out == f"{folder}: no faults in 1,000 claims\n"
    assert "0 faults, 0 warnings; nothing was changed" in err


def test_one_broken_line_of_a_thousand(folder: Path, call: Call) -> None:
    spoil(folder, 500, b'{"id": "c499"')
    code, out, err = call("check", folder)
    assert code == 2
    where = [line.split("\t")[1] for line in out.splitlines()[1:]]
    # The line, the label that now has no claim; the split of no family is a warning.
    assert where == [
        f"{folder}/claims.jsonl:500",
        f"{folder}/labels.jsonl:500",
        f"{folder}/splits.json",
    ]
    assert "2 faults, 1 warning; nothing was changed" in err


def test_json_keeps_faults_and_warnings_apart(folder: Path, call: Call) -> None:
    spoil(folder, 7, b"{}")
    (folder / "set.toml").unlink()
    code, out, _ = call("check", folder, "--json")
    body = json.loads(out)
    assert code == 2
    assert body["ok"] is False
    assert body["claims"] == 999
    assert {fault["where"] for fault in body["faults"]} == {
        f"{folder}/claims.jsonl:7",
        f"{folder}/labels.jsonl:7",
    }
    assert any(fault["what"] == "no set.toml" for fault in body["warnings"])


def test_a_file_that_is_about_to_be_imported(tmp_path: Path, call: Call) -> None:
    source = tmp_path / "claims.csv"
    source.write_text("claim,context,language\na,b,en\nc,,en\n", encoding="utf-8")
    code, out, _ = call("check", source)
    assert code == 2
    assert f"fault\t{source}:3\tthe context is empty" in out


def test_no_such_set(folder: Path, call: Call) -> None:
    code, out, err = call("check", folder.parent / "sett")
    assert (code, out) == (2, "")
    assert f"{folder.parent}/sett: no such claim set. allowed: the sets beside it: set." in err
    assert f"did you mean {folder}?" in err
