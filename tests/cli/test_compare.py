"""``compare`` as a stranger uses it: the alert policy, runs of other sets, files that were hurt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import voirdire
from voirdire.store import write_text

STUDY = """name = "s"
labels = ["../../labels/s"]
repeats = 2
[[judges]]
name = "words"
use = "lexical"
[[judges]]
name = "always"
use = "constant"
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("compare")
    lines = ["family,claim,context,label"]
    for k in range(12):
        plan, other = (f"The plan costs {k + more} euros." for more in (0, 1 - k % 2))
        lines.append(f"f{k},{plan},{other},{'supported' if k % 2 else 'contradicted'}")
    write_text(root / "claims.csv", "\n".join(lines) + "\n")
    into = ("--into", "labels/s", "--language", "en")
    assert voirdire("import", "claims.csv", *into, cwd=root).returncode == 0
    write_text(root / "reports/s/study.toml", STUDY)
    for step in ("run", "vary", "limits"):
        done = voirdire(step, "reports/s", cwd=root)
        assert done.returncode == 0, done.stderr
    return root


def runs_of(root: Path) -> dict[str, Path]:
    return {path.name.split("-")[0]: path for path in (root / "reports/s/runs").iterdir()}


def test_the_policy_is_held_against_the_new_judge(root: Path) -> None:
    runs = runs_of(root)
    policy = root / "reports/s/results/policy.json"
    one = ("--policy", policy, "--signal", "faithfulness")
    done = voirdire("compare", runs["words"], runs["always"], *one, "--json", cwd=root)
    body = json.loads(done.stdout)
    assert body["policy"] == "derive_again"
    (check,) = body["policies"]
    assert (check["centre"], check["level"]["value"], check["noise"]["value"]) == (0.5, 1.0, 0.0)
    done = voirdire("compare", runs["words"], runs["always"], cwd=root)
    assert "The alert policy does not hold for the new judge" in done.stdout
    assert "derive again  policy on faithfulness" in done.stdout
    done = voirdire("compare", runs["words"], runs["words"], cwd=root)
    assert "The alert policy holds for the new judge" in done.stdout


def test_a_file_that_is_no_policy_of_the_judge_is_refused(root: Path) -> None:
    runs = runs_of(root)
    results = root / "reports/s/results"
    pair = ("compare", runs["always"], runs["words"])
    done = voirdire(*pair, "--policy", results / "policy.json", cwd=root)
    assert done.returncode == 2
    assert "no alert policy of the judge in use" in done.stderr
    done = voirdire(*pair, "--policy", results / "variance.json", cwd=root)
    assert done.returncode == 2
    assert "voirdire/policy" in done.stderr


def test_a_verdict_file_that_was_hurt_is_refused(root: Path) -> None:
    runs = runs_of(root)
    path = runs["words"] / "verdicts.jsonl"
    whole = path.read_bytes()
    for data in (whole[:-40], whole.replace(b'"supported"', b'"contradicted"', 1), None):
        path.unlink() if data is None else path.write_bytes(data)
        done = voirdire("compare", runs["words"], runs["always"], cwd=root)
        path.write_bytes(whole)
        assert done.returncode == 4
        assert "sealed" in done.stderr
        assert "Traceback" not in done.stderr
