"""``voirdire vary`` as it is typed: what it prints, what it refuses, how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import voirdire
from tests.studies import repeating as made


def test_a_noisy_judge(tmp_path: Path) -> None:
    made.noisy_study(tmp_path)
    done = voirdire("vary", "reports/s", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "noisy: 60 claims, 5 repeats in 5 session(s)" in done.stdout
    assert "two repeats differ on a claim" in done.stdout
    assert "unstable: en" in done.stdout
    assert (tmp_path / "reports/s/results/variance.json").is_file()


def test_json_is_the_result(tmp_path: Path) -> None:
    made.noisy_study(tmp_path)
    done = voirdire("vary", "reports/s", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["judges"][0]["repeats"] == 5


@pytest.mark.parametrize(
    ("repeats", "cached", "words"),
    [(1, False, "was asked once"), (4, True, "cache hits of one call")],
)
def test_no_evidence_is_exit_code_3(tmp_path: Path, repeats: int, cached: bool, words: str) -> None:
    claims = made.claims_of(4)
    made.write_claims(tmp_path, claims, {claim.id: ["supported"] for claim in claims})
    folder = made.write_study(tmp_path)
    answers = [["supported"] * 4] * repeats
    made.write_run(folder, claims, answers, cached=lambda repeat: cached)
    done = voirdire("vary", "reports/s", cwd=tmp_path)
    assert done.returncode == 3
    assert words in done.stderr
    assert "voirdire run" in done.stderr
    assert not (tmp_path / "reports/s/results").exists()


def test_no_run_at_all(tmp_path: Path) -> None:
    claims = made.claims_of(4)
    made.write_claims(tmp_path, claims, {claim.id: ["supported"] for claim in claims})
    made.write_study(tmp_path)
    done = voirdire("vary", "reports/s", cwd=tmp_path)
    assert done.returncode == 3
    assert "no finished run over the claims as they are now" in done.stderr


def test_changed_verdicts_are_exit_code_4(tmp_path: Path) -> None:
    folder, _ = made.noisy_study(tmp_path)
    path = next(folder.glob("runs/*/verdicts.jsonl"))
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert voirdire("vary", "reports/s", cwd=tmp_path).returncode == 4


def test_an_unknown_judge_is_exit_code_2(tmp_path: Path) -> None:
    made.noisy_study(tmp_path)
    done = voirdire("vary", "reports/s", "--judge", "nosy", cwd=tmp_path)
    assert done.returncode == 2
    assert "did you mean 'noisy'?" in done.stderr


def test_a_real_run_with_repeats_of_a_deterministic_judge(tmp_path: Path) -> None:
    claims = made.claims_of(6)
    made.write_claims(tmp_path, claims, {claim.id: ["supported"] for claim in claims})
    made.write_study(tmp_path, "lexical", use="lexical", repeats=3)
    assert voirdire("run", "reports/s", cwd=tmp_path).returncode == 0
    done = voirdire("vary", "reports/s", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "No answer ever changed: the noise on these claims is exactly 0" in done.stdout
