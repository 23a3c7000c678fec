"""``voirdire limits`` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import Done, voirdire
from tests.studies import repeating as made


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("limits")
    made.noisy_study(root)
    assert voirdire("vary", "reports/s", cwd=root).returncode == 0
    return root


def limits(root: Path, *args: str) -> Done:
    return voirdire("limits", "reports/s", *args, cwd=root)


def test_limits_of_every_signal(root: Path) -> None:
    done = limits(root)
    assert done.returncode == 0, done.stderr
    for signal in ("faithfulness", "agreement", "kappa", "contradicted", "unverifiable"):
        assert f"noisy\t{signal}" in done.stdout
    assert "noisy\tfailures\t0.0000\t0.0000\tcounts, 5 %\tcounts, 1 %" in done.stdout
    assert "This design cannot see a 5 % drop" in done.stdout


def test_explain_shows_the_derivation(root: Path) -> None:
    done = limits(root, "--signal", "faithfulness", "--explain")
    assert "1. signal: share of judged claims that are supported" in done.stdout
    assert "noise limit = t √(1+1/k) s" in done.stdout


def test_options_reach_the_policy(root: Path) -> None:
    done = limits(
        root, "--signal", "faithfulness", "--fresh", "--items", "300", "--strict", "--base", "6",
        "--warning-rate", "0.1", "--critical-rate", "0.02", "--warning-margin", "0.02",
        "--critical-margin", "0.2", "--per-year", "365", "--drop", "0.1", "--json",
    )  # fmt: skip
    policy = json.loads(done.stdout)["policies"][0]
    assert (policy["claims"], policy["items"], policy["k"]) == ("fresh", 300, 6)
    assert (policy["strict"], policy["per_year"], policy["wanted_drop"]) == (True, 365, 0.1)
    assert (policy["warning"]["promised_rate"], policy["critical"]["margin"]) == (0.1, 0.2)


def test_exports(root: Path) -> None:
    done = limits(root, "--prometheus", "alerts", "--note", "limits.md")
    assert done.returncode == 0, done.stderr
    assert "voirdire_policy_drop{" in (root / "alerts/voirdire_policy.prom").read_text("utf-8")
    assert json.loads((root / "alerts/voirdire_alerts.yml").read_text("utf-8"))["groups"]
    assert (root / "limits.md").read_text("utf-8").startswith("# Alert limits of s")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--warning-rate", "0.01", "--critical-rate", "0.05"), "critical rate 0.05 is milder"),
        (("--warning-margin", "0.2"), "critical margin 0.1 is milder"),
        (("--items", "0"), "Invalid value for '--items'"),
        (("--signal", "truth"), "Invalid value for '--signal'"),
        (("--history", "none.csv"), "no such file"),
    ],
)
def test_wrong_options_are_exit_code_2(root: Path, args: tuple[str, ...], words: str) -> None:
    done = limits(root, *args)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_history_re_bases(root: Path) -> None:
    rows = "".join(f"2026-03-0{day},0.{80 + day}\n" for day in range(1, 7))
    (root / "h.csv").write_text("time,score\n" + rows, encoding="utf-8")
    done = limits(root, "--signal", "faithfulness", "--history", "h.csv", "--json")
    policy = json.loads(done.stdout)["policies"][0]
    assert (policy["centre"], policy["centre_n"]) == (pytest.approx(0.835), 6)
    assert limits(root, "--history", "h.csv").returncode == 2


def test_without_repeats_there_are_no_limits(tmp_path: Path) -> None:
    made.noisy_study(tmp_path)
    done = voirdire("limits", "reports/s", cwd=tmp_path)
    assert done.returncode == 3
    assert "voirdire vary" in done.stderr
    assert limits(tmp_path, "--judge", "x").returncode == 3


def test_a_newer_variance_file_is_refused(root: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(root, tmp_path / "r")
    path = tmp_path / "r/reports/s/results/variance.json"
    path.write_text(path.read_text("utf-8").replace('"1.0"', '"2.0"', 1), encoding="utf-8")
    done = limits(tmp_path / "r")
    assert done.returncode == 2
    assert "upgrade voirdire" in done.stderr
