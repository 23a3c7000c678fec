"""``voirdire run`` as it is typed; in processes of its own where signals come in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voirdire.cli.main import main

Call = Callable[..., tuple[int, str, str]]

SLOW = '''
"""Sleeps before it answers."""
import os, time
from voirdire.judges.constant import ConstantJudge
class Slow(ConstantJudge):
    def __call__(self, inputs, *, repeat):
        for item in inputs:
            with open(os.environ["ASKED"], "a") as log:
                log.write(f"{repeat} {item.id}\\n")
            time.sleep(0.01)
            yield item.id, self._answer
def make(parameters, preset):
    return Slow("supported")
'''


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*args: Any) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


@pytest.fixture
def study(tmp_path: Path, call: Call) -> Path:
    source = tmp_path / "s.jsonl"
    rows = [
        {
            "id": f"c{n}", "family": f"f{n // 2}", "claim": f"Plan {n} costs {n} euro.",
            "context": f"Plan {n} costs {n} euro a month.", "label": "supported",
            "variant": "paraphrase" if n % 2 else "original",
        }
        for n in range(40)
    ]  # fmt: skip
    for row in rows:
        row["context"] = f"Plan {row['family']} costs 3 euro a month."
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert call("import", source, "--into", tmp_path / "labels" / "set", "--language", "en")[0] == 0
    folder = tmp_path / "reports" / "st"
    folder.mkdir(parents=True)
    (folder / "study.toml").write_text(
        'name = "st"\nlabels = ["../../labels/set"]\nseed = 3\n'
        '[[judges]]\nname = "lex"\nuse = "lexical"\n[[judges]]\nname = "always"\nuse = "constant"\n'
    )
    return folder


def table(out: str) -> dict[str, list[str]]:
    return {line.split("\t")[0]: line.split("\t") for line in out.splitlines()[1:]}


def test_run_then_again_then_fresh(study: Path, call: Call) -> None:
    code, out, err = call("run", study)
    assert code == 0
    assert set(table(out)) == {"lex", "always"}
    assert table(out)["always"][2:] == ["40", "judged 40"]
    assert "lex: 40 of 40 verdicts" in err
    again = call("run", study / "study.toml")
    assert table(again[1]) == table(out)
    assert "used as it is" in again[2]
    fresh = call("run", study, "--fresh", "--judge", "lex")
    assert set(table(fresh[1])) == {"lex"}
    assert table(fresh[1])["lex"][1] != table(out)["lex"][1]


def test_repeats_and_json(study: Path, call: Call) -> None:
    code, out, _ = call("run", study, "--judge", "always", "--repeats", 3, "--json")
    (run,) = json.loads(out)
    assert code == 0
    assert run["repeats"] == 3
    assert run["seal"]["verdicts"] == 120


def test_usage(study: Path, call: Call, tmp_path: Path) -> None:
    assert "did you mean 'lex'" in call("run", study, "--judge", "lexx")[2]
    assert call("run", study, "--judge", "lexx")[0] == 2
    assert call("run", tmp_path / "nowhere")[0] == 2
    assert call("run", study, "--repeats", 0)[0] == 2


def test_one_unavailable_judge_does_not_stop_the_others(study: Path, call: Call) -> None:
    config = study / "study.toml"
    config.write_text(config.read_text() + '[[judges]]\nname = "bad"\nuse = "unavailable"\n')
    slow_package(study.parent, "unavailable", "import no_such_module_anywhere")
    done = voirdire(study.parent, "run", str(study))
    assert done.returncode == 5
    assert set(table(done.stdout)) == {"lex", "always"}
    assert "pip install" in done.stderr


def slow_package(folder: Path, name: str, source: str) -> None:
    (folder / f"{name}_judge.py").write_text(source)
    info = folder / f"{name}_judge-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-judge\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[voirdire.judges]\n{name} = {name}_judge:make\n")


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder), "ASKED": str(folder / "asked")}


COMMAND = [sys.executable, "-c", "from voirdire.cli.main import main; main()"]


def voirdire(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *args], capture_output=True, text=True, env=environment(folder), check=False
    )


def started(folder: Path, study: Path, asked: int) -> subprocess.Popen[str]:
    """A run in a process of its own, once it has asked some claims."""
    process = subprocess.Popen(
        [*COMMAND, "run", str(study), "--judge", "slow"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(folder),
    )  # fmt: skip
    log, deadline = folder / "asked", time.monotonic() + 60
    while not log.exists() or log.read_text().count("\n") < asked:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return process


def test_ctrl_c_then_kill_then_the_rest(study: Path) -> None:
    folder = study.parent
    config = study / "study.toml"
    config.write_text(config.read_text() + '[[judges]]\nname = "slow"\nuse = "slow"\n')
    slow_package(folder, "slow", SLOW)
    process = started(folder, study, 5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; what was written is kept" in err
    assert "Traceback" not in err
    process = started(folder, study, 15)
    process.kill()
    process.communicate(timeout=60)
    done = voirdire(folder, "run", str(study), "--judge", "slow")
    assert done.returncode == 0, done.stderr
    assert table(done.stdout)["slow"][2] == "40"
    assert "verdicts stand" in done.stderr
    asked = (folder / "asked").read_text().split("\n")[:-1]
    assert len(set(asked)) == 40
    assert len(asked) <= 42, "one claim in flight for each stop"
    assert len(list((study / "runs").iterdir())) == 1


def test_two_at_once_are_kept_apart(study: Path) -> None:
    folder = study.parent
    config = study / "study.toml"
    config.write_text(config.read_text() + '[[judges]]\nname = "slow"\nuse = "slow"\n')
    slow_package(folder, "slow", SLOW)
    process = started(folder, study, 1)
    second = voirdire(folder, "run", str(study), "--judge", "slow")
    process.communicate(timeout=60)
    assert second.returncode in (0, 5)  # 0 only if the first had ended by then
    if second.returncode == 5:
        assert "another voirdire process" in second.stderr
    assert len((folder / "asked").read_text().splitlines()) == 40
