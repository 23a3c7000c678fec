"""``operate`` on a study: the file, the refusal, and that ``verify`` covers it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import voirdire
from voirdire.store import write_text

STUDY = """name = "s"
labels = ["../../labels/s"]
split = "{split}"
[[judges]]
name = "words"
use = "lexical"
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("operate")
    lines = ["family,claim,context,label"]
    for k in range(40):
        plan = f"The plan costs {k} euros monthly."
        other = plan if k % 2 else "Bicycles are rented by the day."
        lines.append(f"f{k},{plan},{other},{'supported' if k % 2 else 'unverifiable'}")
    write_text(root / "claims.csv", "\n".join(lines) + "\n")
    into = ("--into", "labels/s", "--language", "en")
    assert voirdire("import", "claims.csv", *into, cwd=root).returncode == 0
    write_text(root / "reports/s/study.toml", STUDY.format(split="all"))
    for step in ("run", "agree"):
        done = voirdire(step, "reports/s", cwd=root)
        assert done.returncode == 0, done.stderr
    return root


def test_it_is_written_told_and_verified(root: Path) -> None:
    done = voirdire("operate", "reports/s", "--judge", "words", cwd=root)
    assert done.returncode == 3, done.stderr  # eight families certify nothing
    assert "Call a claim supported from a score of" in done.stdout
    assert "No answers can be kept at 5% errors" in done.stdout
    path = root / "reports/s/results/operating-point.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    assert body["schema"] == "voirdire/operating-point"
    assert (body["n_cal"], body["n_test"]) == (8, 24)
    assert voirdire("verify", "reports/s", cwd=root).returncode == 0
    body["threshold"] += 0.1
    path.write_text(json.dumps(body), encoding="utf-8")
    done = voirdire("verify", "reports/s", "--json", cwd=root)
    assert done.returncode == 4
    assert [one["place"] for one in json.loads(done.stdout)["differences"]] == ["threshold"]


def test_one_split_alone_is_refused_and_a_wrong_name_too(root: Path) -> None:
    done = voirdire("operate", "reports/s", "--judge", "word", cwd=root)
    assert done.returncode == 2
    assert "did you mean 'words'?" in done.stderr
    write_text(root / "reports/s/study.toml", STUDY.format(split="test"))
    assert voirdire("run", "reports/s", cwd=root).returncode == 0
    done = voirdire("operate", "reports/s", "--judge", "words", cwd=root)
    assert done.returncode == 2
    assert "chosen on cal and reported on test" in done.stderr
