"""``voirdire probe`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calling import voirdire


def test_passed_of_asked_for_each_kind(tmp_path: Path) -> None:
    done = voirdire("probe", "--judge", "lexical", "--language", "en", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = {line.split("\t")[0]: line.split("\t") for line in done.stdout.splitlines()[1:]}
    assert rows["number"][3] == "3 of 3"
    assert rows["unit"][3] == "0 of 2"
    assert "20 grams.' is contradicted, it said supported" in rows["unit"][4]
    assert "lexical: passed " in done.stderr


def test_json_and_parameters(tmp_path: Path) -> None:
    args = ["--judge", "lexical", "--kind", "sentence_negation", "--json", "--language", "en"]
    found = json.loads(voirdire("probe", *args, cwd=tmp_path).stdout)
    assert [one["passed"] for one in found] == [True, True]
    bare = voirdire("probe", *args, "--param", "negation_guard=false", cwd=tmp_path)
    assert [one["passed"] for one in json.loads(bare.stdout)] == [False, False]


def test_the_judge_decides_the_languages(tmp_path: Path) -> None:
    done = voirdire("probe", "--judge", "lexical", "--kind", "date", cwd=tmp_path)
    assert {line.split("\t")[2] for line in done.stdout.splitlines()[1:]} == {"en"}
    assert "lexical does not read it: not asked (--language it asks it anyway)" in done.stderr
    both = voirdire("probe", "--judge", "lexical:auto", "--kind", "date", cwd=tmp_path)
    assert {line.split("\t")[2] for line in both.stdout.splitlines()[1:]} == {"en", "it"}
    assert "passed 2 of 4 probes; en 1 of 2, it 1 of 2" in both.stderr
    assert "does not read" not in both.stderr
    own = ("probe", "--judge", "lexical", "--kind", "date", "--language", "it")
    asked = voirdire(*own, cwd=tmp_path)
    assert {line.split("\t")[2] for line in asked.stdout.splitlines()[1:]} == {"it"}


def test_unknown_kind_is_refused(tmp_path: Path) -> None:
    done = voirdire("probe", "--judge", "constant", "--kind", "dates", cwd=tmp_path)
    assert done.returncode == 2
    assert "did you mean 'date'?" in done.stderr
