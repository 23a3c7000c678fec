"""``agree`` writes the contest where there are several candidates, and ``verify`` covers it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import voirdire
from voirdire.store import write_text

STUDY = """name = "s"
labels = ["../../labels/s"]
{incumbent}
[[judges]]
name = "words"
use = "lexical"
[[judges]]
name = "italian"
use = "lexical:it"
[[judges]]
name = "always"
use = "constant"
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("contest")
    lines = ["family,claim,context,label"]
    for k in range(24):
        plan = f"The plan costs {k} euros monthly."
        other = plan if k % 2 else f"The plan costs {k + 1} euros monthly."
        lines.append(f"f{k},{plan},{other},{'supported' if k % 2 else 'contradicted'}")
    write_text(root / "claims.csv", "\n".join(lines) + "\n")
    into = ("--into", "labels/s", "--language", "en")
    done = voirdire("import", "claims.csv", *into, cwd=root)
    assert done.returncode == 0, done.stderr
    write_text(root / "reports/s/study.toml", STUDY.format(incumbent='incumbent = "words"'))
    for step in ("run", "agree"):
        done = voirdire(step, "reports/s", cwd=root)
        assert done.returncode == 0, done.stderr
    return root


def test_the_contest_is_written_verified_and_taken_away(root: Path) -> None:
    path = root / "reports/s/results/contest.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    assert body["schema"] == "voirdire/contest"
    assert [one["judge"] for one in body["table"]] == ["words", "italian"]
    assert [one["judge"] for one in body["differences"]] == ["italian"]
    assert body["cheapest"]["answer"] == "cal_too_small"
    assert body["cheapest"]["sentence"] in voirdire("agree", "reports/s", cwd=root).stdout
    assert voirdire("verify", "reports/s", cwd=root).returncode == 0
    body["panel"]["oracle_gain"] += 0.01
    path.write_text(json.dumps(body), encoding="utf-8")
    done = voirdire("verify", "reports/s", "--json", cwd=root)
    assert done.returncode == 4
    assert json.loads(done.stdout)["differences"][0]["place"] == "panel.oracle_gain"
    one = STUDY.format(incumbent="").replace('[[judges]]\nname = "italian"\nuse = "lexical:it"', "")
    write_text(root / "reports/s/study.toml", one)
    assert voirdire("agree", "reports/s", cwd=root).returncode == 0
    assert not path.exists()


def test_an_unknown_incumbent_is_refused(root: Path) -> None:
    write_text(root / "reports/s/study.toml", STUDY.format(incumbent='incumbent = "word"'))
    done = voirdire("agree", "reports/s", cwd=root)
    assert done.returncode == 2
    assert "did you mean 'words'?" in done.stderr


def test_compare_two_runs(root: Path) -> None:
    runs = {path.name.split("-")[0]: path for path in (root / "reports/s/runs").iterdir()}
    write_text(root / "reports/s/study.toml", STUDY.format(incumbent=""))
    done = voirdire("compare", runs["words"], runs["words"], cwd=root)
    assert done.returncode == 3, done.stderr  # 24 families cannot rule out .05
    assert "0 verdicts changed" in done.stdout
    done = voirdire("compare", runs["words"], runs["always"], "--json", cwd=root)
    assert done.returncode == 1, done.stderr
    body = json.loads(done.stdout)
    assert body["answer"] == "worse"
    assert body["broken"] == 12
    assert body["same_judge"] is False
    done = voirdire("compare", runs["words"], root / "labels/s", cwd=root)
    assert done.returncode == 2
    assert "no run there" in done.stderr
