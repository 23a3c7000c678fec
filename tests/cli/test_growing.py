"""A set that grows: old verdicts stand, new claims are asked, an edited claim voids the proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import voirdire
from voirdire.store import write_text

STUDY = """name = "s"
labels = ["../../labels/s"]
repeats = 2
[[judges]]
name = "words"
use = "lexical"
"""


def line(k: int, *, claim: str = "") -> str:
    return json.dumps(
        {
            "id": f"c{k}",
            "family": f"f{k}",
            "variant": "original",
            "claim": claim or f"The plan costs {k} euros.",
            "context": [f"The plan costs {k + k % 2} euros."],
            "language": "en",
        }
    )


def put(root: Path, lines: list[str]) -> None:
    write_text(root / "labels/s/claims.jsonl", "\n".join(lines) + "\n")


def latest(root: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    folders = [path.parent for path in (root / "reports/s/runs").glob("*/run.json")]
    runs = {folder: json.loads((folder / "run.json").read_text("utf-8")) for folder in folders}
    folder = max(folders, key=lambda one: (runs[one]["n_claims"], runs[one]["started_at"]))
    text = (folder / "verdicts.jsonl").read_text("utf-8")
    return runs[folder], [json.loads(one) for one in text.splitlines()]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path, [line(k) for k in range(4)])
    write_text(
        tmp_path / "labels/s/set.toml",
        'schema = "voirdire/claim-set"\nschema_version = "1.0"\nname = "s"\n',
    )
    write_text(tmp_path / "reports/s/study.toml", STUDY)
    done = voirdire("run", "reports/s", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_only_what_is_new_is_asked(root: Path) -> None:
    before = {(v["claim_id"], v["repeat"]): v for v in latest(root)[1]}
    put(root, [line(k) for k in range(6)])
    done = voirdire("run", "reports/s", cwd=root)
    assert done.returncode == 0, done.stderr
    assert "8 verdicts of words-" in done.stderr
    assert "2 new claims are asked" in done.stderr
    run, verdicts = latest(root)
    assert run["seal"]["verdicts"] == 12
    assert len({(v["claim_id"], v["repeat"]) for v in verdicts}) == 12
    assert {v["run_id"] for v in verdicts} == {run["run_id"]}
    reused = [v for v in verdicts if "reused" in v.get("flags", ())]
    assert {v["claim_id"] for v in reused} == {"c0", "c1", "c2", "c3"}
    for verdict in reused:
        old = before[verdict["claim_id"], verdict["repeat"]]
        assert verdict["at"] == old["at"]
        assert verdict["label"] == old["label"]


def test_a_new_claim_in_front_is_as_good_as_one_behind(root: Path) -> None:
    put(root, [line(9), *(line(k) for k in range(4))])
    assert "1 new claims are asked" in voirdire("run", "reports/s", cwd=root).stderr


@pytest.mark.parametrize("how", ["edited", "removed", "fresh"])
def test_without_the_proof_everything_is_asked(root: Path, how: str) -> None:
    lines = [line(k) for k in range(6)]
    if how == "edited":
        lines[1] = line(1, claim="The plan costs 1 euro.")
    if how == "removed":
        del lines[1]
    put(root, lines)
    done = voirdire("run", "reports/s", *(["--fresh"] if how == "fresh" else []), cwd=root)
    assert done.returncode == 0, done.stderr
    assert "taken over" not in done.stderr
    assert not any("reused" in verdict.get("flags", ()) for verdict in latest(root)[1])


def test_the_plan_counts_them(root: Path) -> None:
    put(root, [line(k) for k in range(6)])
    done = voirdire("run", "reports/s", "--dry-run", "--json", cwd=root)
    assert done.returncode == 0, done.stderr
    (plan,) = json.loads(done.stdout)
    assert (plan["verdicts"], plan["standing"]) == (4, 8)


def test_a_changed_run_is_not_taken_over(root: Path) -> None:
    (path,) = (root / "reports/s/runs").glob("*/verdicts.jsonl")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("supported", "unverifiable", 1), encoding="utf-8")
    put(root, [line(k) for k in range(6)])
    done = voirdire("run", "reports/s", cwd=root)
    assert done.returncode == 4
    assert "changed since the run was sealed" in done.stderr
