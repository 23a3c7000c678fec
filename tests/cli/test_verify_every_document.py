"""One digit changed in any document of a study is named by ``verify``, and refused in a bundle."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import voirdire
from voirdire.store import write_text

ROWS = 60
DOCUMENTS = ("agreement", "invariance", "decision", "people", "contest", "operating-point",
             "variance", "policy")  # fmt: skip


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with every document there is; one claim carries an e-mail address."""
    root = tmp_path_factory.mktemp("verify")
    lines = ["family,claim,context,a1,a2"]
    for k in range(ROWS):
        text = f"The plan costs {k} euros; ask ann.bell@example.org about it."
        said = ["supported", "contradicted", "unverifiable"][k % 3]
        other = [text, text.replace(str(k), str(k + 1)), "Bicycles are rented by the day."][k % 3]
        lines.append(f"f{k},{text},{other},{said},{said if k % 7 else 'unverifiable'}")
    write_text(root / "claims.csv", "\n".join(lines) + "\n")
    columns = [x for a in ("a1", "a2") for x in ("--annotator-column", f"{a}={a}")]
    done = voirdire("import", "claims.csv", "--into", "labels/s", "--language", "en", *columns,
                    cwd=root)  # fmt: skip
    assert done.returncode == 0, done.stderr
    write_text(
        root / "reports/s/study.toml",
        'name = "s"\nlabels = ["../../labels/s"]\nincumbent = "constant"\nrepeats = 3\n'
        '[[judges]]\nname = "lexical"\nuse = "lexical"\n'
        '[[judges]]\nname = "constant"\nuse = "constant"\n',
    )
    for verb in (
        ("run", "reports/s"),
        ("agree", "reports/s"),
        ("vary", "reports/s"),
        ("limits", "reports/s"),
    ):
        done = voirdire(*verb, cwd=root)
        assert done.returncode == 0, (verb, done.stderr)
    voirdire("operate", "reports/s", "--judge", "lexical", cwd=root)
    return root


@pytest.fixture
def root(template: Path, tmp_path: Path) -> Path:
    shutil.copytree(template, tmp_path / "root")
    return tmp_path / "root"


def numbers(value: Any) -> Iterator[tuple[Any, Any, float]]:
    """Every number of a document: what holds it, under which key, and the number."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in pairs:
        if isinstance(one, (dict, list)):
            yield from numbers(one)
        elif isinstance(one, (int, float)) and not isinstance(one, bool):
            yield value, key, one


@pytest.mark.parametrize("name", DOCUMENTS)
def test_one_changed_digit_is_named(root: Path, name: str) -> None:
    path = root / f"reports/s/results/{name}.json"
    assert path.exists(), f"the study of this test must have a {name}.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    found = [item for item in numbers(body) if isinstance(item[2], float) and 0 < item[2] < 0.99]
    holder, key, value = found[len(found) // 2]
    holder[key] = value + 0.001
    path.write_text(json.dumps(body), encoding="utf-8")
    done = voirdire("verify", "reports/s", "--json", cwd=root)
    assert done.returncode == 4, done.stdout + done.stderr
    differences = json.loads(done.stdout)["differences"]
    assert {one["file"] for one in differences} == {path.name}
    assert any(one["stored"] == repr(holder[key]) for one in differences)


def test_untouched_it_is_confirmed_whole_and_packed(root: Path) -> None:
    done = voirdire("verify", "reports/s", cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    for extra in ((), ("--no-redaction",)):
        done = voirdire("bundle", "reports/s", "--into", "s.zip", *extra, cwd=root)
        assert done.returncode == 0, done.stdout + done.stderr
        done = voirdire("verify", "s.zip", cwd=root)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_policy_stands_after_newer_runs_were_read(root: Path) -> None:
    for verb in (("run", "reports/s", "--fresh"), ("vary", "reports/s")):
        assert voirdire(*verb, cwd=root).returncode == 0
    done = voirdire("verify", "reports/s", cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_run_that_the_noise_rests_on_is_missed(root: Path) -> None:
    path = root / "reports/s/results/variance.json"
    text = path.read_text(encoding="utf-8")
    run_id = json.loads(text)["judges"][0]["runs"][0]
    path.write_text(text.replace(run_id, run_id + "x"), encoding="utf-8")
    done = voirdire("verify", "reports/s", cwd=root)
    assert done.returncode == 4
    assert f"rests on run '{run_id}x', which is not there" in done.stderr


def test_a_reader_that_leaves_early_does_not_change_the_exit_code(root: Path) -> None:
    path = root / "reports/s/results/variance.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    body["judges"][0]["claims"] += 1
    path.write_text(json.dumps(body), encoding="utf-8")
    for verb, code in ((("verify", "reports/s"), 4), (("judges",), 0)):
        running = subprocess.Popen(
            [sys.executable, "-c", "from voirdire.cli.main import main; main()", *verb],
            cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert running.stdout is not None
        running.stdout.close()
        assert running.stderr is not None
        said = running.stderr.read()
        assert running.wait() == code, said
        assert "Broken" not in said
