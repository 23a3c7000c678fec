"""``voirdire plan`` on the command line: alone, for a set, and after a study."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import voirdire


def test_one_line_for_a_meeting(tmp_path: Path) -> None:
    done = voirdire("plan", "--people", "3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first = done.stdout.splitlines()[0]
    assert first.startswith("With ")
    assert "labelled by 3 people each" in first
    assert "paraphrase_kept" in done.stdout
    assert "45 seconds a label (assumed)" in done.stderr


def test_after_a_study_it_says_what_comes_next(tmp_path: Path) -> None:
    voirdire("examine", "starter-it", "--judge", "lexical:it", "--into", "reports/s", cwd=tmp_path)
    done = voirdire("plan", "reports/s", "--json", "--next", "12", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert found["inputs"]["families_at_hand"] == 66
    assert found["next"]["families"] == 12
    assert sum(found["next"]["labels"].values()) == 12
    assert "Of the next 12 families" in found["next"]["sentence"]


def test_out_of_reach_is_three(tmp_path: Path) -> None:
    done = voirdire("plan", "--kappa", "0.6", cwd=tmp_path)
    assert done.returncode == 3
    assert "Not even 1,000 families" in done.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--prevalence", "supported=a"], "not a share of a label"),
        (["--prevalence", "supportd=1,contradicted=1"], "not a share of a label"),
        (["--prevalence", "supported=1"], "at least two labels"),
        (["--waive", "kapa"], "did you mean 'kappa'?"),
        (["nowhere"], "no claim set"),
    ],
)
def test_refusals(tmp_path: Path, args: list[str], message: str) -> None:
    done = voirdire("plan", *args, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ("supported=0.2,contradicted=0.1,unverifiable=0.1", "the shares sum to 0.4"),
        ("supported=0.9,contradicted=0.9", "the shares sum to 1.8"),
        ("supported=0.5,supported=0.5,contradicted=0.5", "'supported' has two shares"),
    ],
)
def test_shares_that_are_no_shares(tmp_path: Path, shares: str, message: str) -> None:
    done = voirdire("plan", "--prevalence", shares, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


def test_per_cents_are_shares(tmp_path: Path) -> None:
    """Taken as they were, no number of families was ever enough."""
    told = [
        voirdire("plan", "--prevalence", shares, cwd=tmp_path).stdout
        for shares in (
            "supported=50,contradicted=30,unverifiable=20",
            "supported=0.5,contradicted=0.3,unverifiable=0.2",
        )
    ]
    assert told[0] == told[1]
    assert told[0].startswith("With ")
