"""``voirdire variants`` on the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.calling import voirdire
from voirdire.labels import starter_set


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(starter_set("starter-it"), tmp_path / "s")
    return tmp_path


def test_from_drafts_to_claims_to_scores(folder: Path) -> None:
    done = voirdire("variants", "s", "--rule", "equivalent_negation", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Non è vero che" in done.stdout
    assert "drafts added, 0 there already" in done.stderr
    again = voirdire("variants", "s", "--rule", "equivalent_negation", "--json", cwd=folder)
    assert json.loads(again.stdout)["added"] == 0
    done = voirdire("variants", "s", "--accept", "--limit", "2", cwd=folder)
    assert "2 claims await labels" in done.stderr
    assert voirdire("check", "s", cwd=folder).returncode == 0
    status = voirdire("variants", "s", "--status", "--json", cwd=folder)
    (score,) = json.loads(status.stdout)
    assert (score["accepted"], score["labelled"]) == (2, 0)


def test_drafts_never_enter_a_study_before_people_labelled_them(folder: Path) -> None:
    def n_claims() -> int:
        voirdire("examine", "s", "--judge", "constant", "--into", "reports/s", cwd=folder)
        text = (folder / "reports/s/results/agreement.json").read_text(encoding="utf-8")
        return int(json.loads(text)["n_claims"])

    before = n_claims()
    voirdire("variants", "s", "--rule", "equivalent_negation", cwd=folder)
    assert n_claims() == before
    voirdire("variants", "s", "--accept", cwd=folder)
    assert n_claims() == before


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--rule", "magic"], "no rule is called 'magic'"),
        (["--wording", "paraphrase"], "wording needs a model"),
        (["--accept", "--id", "x"], "no usable draft is called 'x'"),
    ],
)
def test_refusals(folder: Path, args: list[str], message: str) -> None:
    done = voirdire("variants", "s", *args, cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--accept", "--status"], "--accept and --status are different things"),
        (["--wording", "short", "--from-docs", "d"], "--wording and --from-docs are different"),
        (["--wording", "short", "--rule", "negation"], "--rule says nothing beside --wording"),
        (["--status", "--rule", "negation"], "--rule says nothing beside --status"),
        (["--accept", "--rule", "negation"], "no draft was made by 'negation'"),
    ],
)
def test_nothing_that_is_asked_is_passed_over(folder: Path, args: list[str], message: str) -> None:
    done = voirdire("variants", "s", *args, cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr


def test_why_a_rule_made_nothing_is_said(folder: Path) -> None:
    done = voirdire("variants", "s", "--rule", "percentage_swap", cwd=folder)
    assert "passed over: percentage_swap: the original is not called supported: 40" in done.stderr
    assert "percentage_swap: no place in the claim where it is safe: 26" in done.stderr
