"""``voirdire import`` as it is typed: tables out, faults on stderr, exit codes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from voirdire.cli.main import main
from voirdire.labels import load_claim_set

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*args: Any) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


def row(number: int = 1, **change: Any) -> dict[str, Any]:
    return {
        "id": f"c{number}",
        "family": f"f{number}",
        "claim": f"Plan {number} costs 12 euros.",
        "context": "All plans cost 12 euros.",
        "label": "supported",
        "language": "en",
        **change,
    }


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def test_prints_what_was_read(tmp_path: Path, call: Call) -> None:
    file = lines(tmp_path / "s.jsonl", row(1), row(2, label="NOT ENOUGH INFO"))
    code, out, err = call("import", file, "--into", tmp_path / "labels/set", "--seed", 3)
    assert code == 0
    table = dict(line.split("\t") for line in out.splitlines())
    assert table["claims read"] == "2"
    assert table["families"] == "2"
    assert table["variant: original"] == "2"
    assert table["language: en"] == "2"
    assert table["reference: unverifiable"] == "1"
    assert table["labels by: published"] == "2"
    assert table["seed of the splits"] == "3"
    assert err == ""
    assert load_claim_set(tmp_path / "labels/set").splits.seed == 3


def test_json(tmp_path: Path, call: Call) -> None:
    file = lines(tmp_path / "s.jsonl", row(1), row(2, label=None))
    code, out, _ = call("import", file, "--into", tmp_path / "set", "--json")
    summary = json.loads(out)
    assert code == 0
    assert summary["claims"] == 2
    assert summary["without_reference"] == {"no label": 1}


def test_all_options_of_a_table(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "aussagen.csv"
    file.write_text(
        "Aussage;Quelle;Anna;Ben;Urteil\nEs kostet 12 €.;Das Paket kostet 12 €.#Mit = Konto.;"
        "passt;geht = nicht;belegt\n",
        encoding="utf-8-sig",
    )
    code, _, err = call(
        *("import", file, "--into", tmp_path / "set", "--language", "de", "--name", "Tarife"),
        *("--column", "claim=Aussage", "--column", "context=Quelle", "--label-column", "Urteil"),
        *("--annotator-column", "a1=Anna", "--annotator-column", "Ben"),
        *("--map-label", "passt=supported", "--map-label", "geht = nicht=contradicted"),
        *("--context-separator", "#", "--licence", "CC0-1.0", "--source", "own"),
    )
    assert code == 0, err
    assert "cells are separated by semicolons" in err
    made = load_claim_set(tmp_path / "set")
    assert made.name == "Tarife"
    assert made.claims[0].context == ("Das Paket kostet 12 €.", "Mit = Konto.")
    assert (made.claims[0].licence, made.claims[0].source) == ("CC0-1.0", "own")
    assert [(one.annotator, one.label) for one in made.labels] == [
        ("a1", "supported"),
        ("Ben", "contradicted"),
        ("published", "supported"),
    ]


def test_faults_are_listed_all_and_nothing_is_written(tmp_path: Path, call: Call) -> None:
    file = lines(tmp_path / "s.jsonl", *(row(n, label="hm") for n in range(70)), row(0))
    code, out, err = call("import", file, "--into", tmp_path / "labels/set")
    assert (code, out) == (2, "")
    assert f"{file}:1: unknown label 'hm'. allowed: supported" in err
    assert "… and 21 more; --json lists them all" in err
    assert "Error: 71 faults (unknown label: 70, duplicated id: 1). Nothing was written." in err
    assert err.count("--map-label 'hm'=supported") == 1, "the hint once, the places all"
    assert not (tmp_path / "labels").exists()
    code, out, _ = call("import", file, "--into", tmp_path / "labels/set", "--json")
    assert code == 2
    assert len(json.loads(out)["faults"]) == 71
    code, _, _ = call("import", file, "--into", tmp_path / "labels/set", "--skip-faulty")
    assert code == 2  # nothing is left


def test_existing_set(tmp_path: Path, call: Call) -> None:
    file = lines(tmp_path / "s.jsonl", row(1))
    assert call("import", file, "--into", tmp_path / "set")[0] == 0
    code, _, err = call("import", file, "--into", tmp_path / "set")
    assert code == 2
    assert "there is a claim set already" in err
    assert call("import", file, "--into", tmp_path / "set", "--add")[0] == 0
    assert call("import", file, "--into", tmp_path / "set", "--replace")[0] == 0
    assert call("import", file, "--into", tmp_path / "set", "--replace", "--add")[0] == 2


@pytest.mark.parametrize(
    ("args", "what"),
    [
        (("--column", "claim"), "--column must be FIELD=COLUMN, got 'claim'"),
        (("--map-label", "x="), "--map-label must be WORD=LABEL, got 'x='"),
        (("--role", "boss"), "'boss' is not one of"),
        ((), "no such file"),
    ],
)
def test_wrong_calls(tmp_path: Path, call: Call, args: tuple[str, ...], what: str) -> None:
    code, _, err = call("import", tmp_path / "none.csv", "--into", tmp_path / "set", *args)
    assert code == 2
    assert what in err


def test_into_is_needed_and_options_read_the_environment(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = lines(tmp_path / "s.jsonl", row(1, language=None))
    assert "Missing option '--into'" in call("import", file)[2]
    monkeypatch.setenv("VOIRDIRE_LANGUAGE", "it")
    assert call("import", file, "--into", tmp_path / "set")[0] == 0
    assert load_claim_set(tmp_path / "set").claims[0].language == "it"


def test_hostile_text_is_inert_in_messages(tmp_path: Path, call: Call) -> None:
    file = lines(tmp_path / "s.jsonl", row(1, label="\x1b]0;owned\x07"))
    _, _, err = call("import", file, "--into", tmp_path / "set")
    assert "\x1b" not in err
    assert "\x07" not in err


@contextmanager
def without_root() -> Iterator[None]:
    """For root no folder is read-only: become nobody for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.name == "nt", reason="folders have no write bit there")
def test_read_only_folder(tmp_path: Path, call: Call) -> None:
    folder = Path(tempfile.mkdtemp())  # tmp_path is its owner's alone
    file = lines(folder / "s.jsonl", row(1))
    # Once with leave to write, so that every module is loaded before root is given up.
    assert call("import", file, "--into", folder / "first")[0] == 0
    try:
        (folder / "labels").mkdir()
        (folder / "labels").chmod(0o555)
        folder.chmod(0o755)
        with without_root():
            code, out, err = call("import", file, "--into", folder / "labels/set")
        assert (code, out) == (5, "")
        assert f"{folder}/labels/set: cannot write the claim set: Permission denied. " in err
        assert "give yourself write permission there, or name another folder" in err
        assert list((folder / "labels").iterdir()) == []
    finally:
        (folder / "labels").chmod(0o755)
        shutil.rmtree(folder)


def test_killed_while_it_writes_leaves_the_old_set_or_the_new(tmp_path: Path) -> None:
    old = lines(tmp_path / "old.jsonl", *(row(n) for n in range(50)))
    new = lines(tmp_path / "new.jsonl", *(row(n) for n in range(1500)))
    into = tmp_path / "labels/set"
    run = "from voirdire.cli.main import main; main()"
    command = [sys.executable, "-c", run, "import", str(new), "--into", str(into), "--replace"]
    with pytest.raises(SystemExit):
        main(["import", str(old), "--into", str(into)])
    sizes = set()
    for step in range(5):
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path
        )
        time.sleep(0.3 + 0.2 * step)
        process.kill()
        process.wait()
        sizes.add(len(load_claim_set(into).claims))
    assert sizes <= {50, 1500}
