"""``push``, ``pull``, ``status`` and ``adjudicate`` as they are typed, without a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import voirdire
from tests.labels.conftest import claim_row, label_row, write_lines


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LABEL_STUDIO_URL", "LABEL_STUDIO_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "labels" / "set"
    write_lines(path / "claims.jsonl", [claim_row(n) for n in range(1, 21)])
    labels = [label_row(1, "a1"), label_row(1, "a2", label="contradicted"), label_row(2, "a1")]
    write_lines(path / "labels.jsonl", labels)
    (path / "set.toml").write_text(
        'schema = "voirdire/claim-set"\nschema_version = "1.0"\nname = "set"\n'
        "redact = ['\\d+ euros']\n",
        encoding="utf-8",
    )
    return path


def test_a_dry_run_shows_what_goes_up_and_asks_nobody(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    done = voirdire("push", folder, "--duplicates", "5%", "--dry-run", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "fields that go up\titem_id, claim, context" in done.stdout
    assert "never sent\tid, family, variant, labels, judge output" in done.stdout
    assert "planted repeats among them\t1" in done.stdout
    assert "pieces of text taken out\t42" in done.stdout
    assert "[redacted] a month" in done.stderr
    assert "12 euros" not in done.stderr
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["push", "--duplicates", "half"], "must be a share such as 5%"),
        (["push", "--duplicates", "500%"], "must be a share such as 5%"),
        (["push", "--overlap", "3", "--per-annotator", "2", "--dry-run"], "does not go with"),
        (["push", "--screen", "nowhere.xml", "--dry-run"], "no such file"),
        (["push"], "set LABEL_STUDIO_URL"),
        (["push", "--url", "nonsense"], "is no address of a server"),
        (["push", "--url", "http://localhost:1"], "no token for the labelling server"),
        (["pull"], "set LABEL_STUDIO_URL"),
        (["adjudicate", "--second-look", "x", "--review", "y"], "exclude each other"),
    ],
)
def test_a_wrong_call_is_a_sentence(folder: Path, arguments: list[str], message: str) -> None:
    done = voirdire(arguments[0], folder, *arguments[1:], cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_disagreements_can_be_listed_without_a_server(folder: Path) -> None:
    done = voirdire("adjudicate", folder, "--dry-run", "--json", cwd=folder)
    assert [one["claim_id"] for one in json.loads(done.stdout)] == ["c1"]
    done = voirdire("adjudicate", folder, "--dry-run", cwd=folder)
    assert "c1\tcontradicted, supported" in done.stdout


def test_two_label_spaces_cannot_be_on_one_screen(folder: Path) -> None:
    rows = [claim_row(1), claim_row(2, label_space="two_class")]
    write_lines(folder / "claims.jsonl", rows)
    write_lines(folder / "labels.jsonl", [])
    done = voirdire("push", folder, "--dry-run", cwd=folder)
    assert done.returncode == 2
    assert "cannot be labelled on one screen" in done.stderr


def test_help_does_not_load_the_client(tmp_path: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; from voirdire.cli.main import run; run(['push', '--help'])\n"
        "assert not [m for m in sys.modules if m.startswith('label_studio_sdk')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=tmp_path)


def test_status_without_a_server_counts_what_lies_here(folder: Path) -> None:
    done = voirdire("status", folder, cwd=folder)
    assert done.returncode == 0, done.stderr
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert lines[0][:2] == ["annotator", "labelled"]
    told = {code: int(labelled) for code, labelled, *_ in lines[1:]}
    assert told
    assert f"{sum(told.values())} labels by {len(told)}" in done.stderr
    assert "Nothing of this set was sent to a labelling server; 'voirdire push' does" in done.stderr
    found = json.loads(voirdire("status", folder, "--json", cwd=folder).stdout)
    assert {one["annotator"]: one["labelled"] for one in found["annotators"]} == told
    assert found["labelled"] <= found["claims"]


def test_status_of_a_pushed_set_without_a_server_says_which_variable(folder: Path) -> None:
    (folder / "studio").mkdir()
    (folder / "studio" / "push.json").write_text("{}")
    done = voirdire("status", folder, cwd=folder, env={"LABEL_STUDIO_URL": ""})
    assert done.returncode == 0
    assert "set LABEL_STUDIO_URL to its address" in done.stderr
    named = voirdire("status", folder, "--url", "http://localhost:1", cwd=folder)
    assert named.returncode == 2, "a server that is named is asked"
