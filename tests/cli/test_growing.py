"""A set that changes: verdicts on claims that stand are kept, all others are asked anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import voirdire
from voirdire.store import file_digest, write_text

Edit = Callable[[list[dict[str, Any]]], object]

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
    assert "4 claims reused, 2 asked (0 changed, 2 new), 0 dropped" in done.stderr
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
    assert "1 asked (0 changed, 1 new)" in voirdire("run", "reports/s", cwd=root).stderr


EDITS: dict[str, tuple[Edit, str, set[str]]] = {
    "claim text under the same id": (
        lambda rows: rows[1].update(claim="The plan costs 1 euro."),
        "5 claims reused, 1 asked (1 changed, 0 new), 0 dropped",
        {"c1"},
    ),
    "context": (
        lambda rows: rows[1].update(context=["The plan costs 1 euro.", "And no more."]),
        "5 claims reused, 1 asked (1 changed, 0 new), 0 dropped",
        {"c1"},
    ),
    "order of the context": (
        lambda rows: rows[5]["context"].reverse(),
        "5 claims reused, 1 asked (1 changed, 0 new), 0 dropped",
        {"c5"},
    ),
    "removed": (
        lambda rows: rows.pop(1),
        "5 claims reused, 0 asked (0 changed, 0 new), 1 dropped",
        set(),
    ),
    "id": (
        lambda rows: rows[1].update(id="other"),
        "5 claims reused, 1 asked (0 changed, 1 new), 1 dropped",
        {"other"},
    ),
    "two ids swapped": (
        lambda rows: (rows[1].update(id="c2"), rows[2].update(id="c1")),
        "4 claims reused, 2 asked (2 changed, 0 new), 0 dropped",
        {"c1", "c2"},
    ),
    "order of claims": (
        lambda rows: rows.reverse(),
        "6 claims reused, 0 asked (0 changed, 0 new), 0 dropped",
        set(),
    ),
}


@pytest.mark.parametrize("what", sorted(EDITS))
def test_what_is_shown_otherwise_is_asked_anew(root: Path, what: str) -> None:
    rows = [json.loads(line(k)) for k in range(6)]
    rows[5]["context"].append("Offers end in May.")
    put(root, [json.dumps(row) for row in rows])
    assert voirdire("run", "reports/s", cwd=root).returncode == 0
    edit, told, asked = EDITS[what]
    edit(rows)
    put(root, [json.dumps(row) for row in rows])
    done = voirdire("run", "reports/s", "--dry-run", cwd=root)
    assert told in done.stderr
    done = voirdire("run", "reports/s", "--json", cwd=root)
    assert done.returncode == 0, done.stderr
    assert told in done.stderr
    (run,) = json.loads(done.stdout)
    assert run["n_claims"] == len(rows)
    text = (root / "reports/s/runs" / run["run_id"] / "verdicts.jsonl").read_text("utf-8")
    verdicts = [json.loads(one) for one in text.splitlines()]
    assert {v["claim_id"] for v in verdicts if "reused" not in v.get("flags", ())} == asked
    assert {v["claim_id"] for v in verdicts} == {row["id"] for row in rows}
    assert run["reuse"]["reused"] == len(rows) - len(asked)


def test_fresh_takes_nothing_over(root: Path) -> None:
    put(root, [line(k) for k in range(6)])
    done = voirdire("run", "reports/s", "--fresh", cwd=root)
    assert done.returncode == 0, done.stderr
    assert "taken over" not in done.stderr
    run, verdicts = latest(root)
    assert run["reuse"] is None
    assert not any("reused" in verdict.get("flags", ()) for verdict in verdicts)


@pytest.mark.parametrize("edited", [False, True])
def test_a_run_without_digests_stands_as_a_whole_or_not(root: Path, edited: bool) -> None:
    """As versions wrote it that had one digest for all claims."""
    (path,) = (root / "reports/s/runs").glob("*/verdicts.jsonl")
    lines = [json.loads(one) for one in path.read_text("utf-8").splitlines()]
    for one in lines:
        del one["shown"]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    document = path.with_name("run.json")
    run = json.loads(document.read_text("utf-8"))
    run["seal"]["sha256"] = file_digest(path)
    del run["reuse"]
    document.write_text(json.dumps(run), encoding="utf-8")
    rows = [line(k) for k in range(6)]
    if edited:
        rows[1] = line(1, claim="The plan costs 1 euro.")
    put(root, rows)
    done = voirdire("run", "reports/s", cwd=root)
    assert done.returncode == 0, done.stderr
    assert ("4 claims reused, 2 asked" in done.stderr) is not edited
    reused = [v for v in latest(root)[1] if "reused" in v.get("flags", ())]
    assert len(reused) == (0 if edited else 8)
    assert all(v["shown"] for v in reused)


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
