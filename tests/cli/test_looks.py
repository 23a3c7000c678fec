"""A study that looks again: counted once for each thing seen, and the same for ``verify``."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import voirdire
from voirdire.store import write_text

STUDY = """name = "s"
labels = ["../../labels/s"]
split = "{split}"
[[judges]]
name = "words"
use = "lexical"
[judges.parameters]
threshold = {threshold}
"""


def claims(changed: bool = False) -> str:
    lines = ["family,claim,context,label"]
    for k in range(30):
        plan = f"The plan costs {k} euros monthly."
        other = plan if k % 2 else f"The plan costs {k + 1} euros monthly."
        if k % 3 == 0:  # only a careful judge asks for every word
            other = other.replace("monthly", "weekly")
        label = "supported" if k % 2 else "contradicted"
        if changed and k % 10 == 4:
            label = "unverifiable"
        lines.append(f"f{k},{plan},{other},{label}")
    return "\n".join(lines) + "\n"


def put(root: Path, *, split: str = "test", threshold: float = 0.75) -> None:
    write_text(root / "reports/s/study.toml", STUDY.format(split=split, threshold=threshold))


def step(root: Path, *arguments: str, code: int = 0) -> str:
    done = voirdire(*arguments, cwd=root)
    assert done.returncode == code, done.stderr
    return str(done.stdout)


def look(root: Path) -> dict[str, Any] | None:
    body = json.loads((root / "reports/s/results/decision.json").read_text("utf-8"))
    found: dict[str, Any] | None = body["look"]
    return found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_text(tmp_path / "claims.csv", claims())
    step(tmp_path, "import", "claims.csv", "--into", "labels/s", "--language", "en")
    put(tmp_path)
    step(tmp_path, "run", "reports/s")
    step(tmp_path, "agree", "reports/s")
    return tmp_path


def test_looks_are_counted_by_what_is_seen(root: Path) -> None:
    first = look(root)
    assert first is not None
    assert (first["number"], first["level"], first["total_alpha"]) == (1, 0.95, pytest.approx(0.05))

    # asked anew with the same answers, compared anew: nothing new is seen
    step(root, "run", "reports/s", "--fresh")
    assert "Look" not in step(root, "agree", "reports/s")
    assert look(root) == first

    # another judge: the second look
    put(root, threshold=1.0)
    step(root, "run", "reports/s")
    said = step(root, "agree", "reports/s")
    second = look(root)
    assert second is not None
    assert (second["number"], second["level"]) == (2, pytest.approx(0.9875))
    assert "Look 2 at the test split: bounds at 98.75 % instead of 95 %" in said
    step(root, "verify", "reports/s")

    # the page says it
    step(root, "report", "reports/s")
    page = (root / "reports/s/report.html").read_text("utf-8")
    assert (
        "This is look 2 at the test split: bounds are at 98.8\u00a0% instead of 95\u00a0%" in page
    )
    body = json.loads((root / "reports/s/report.json").read_text("utf-8"))
    assert body["circumstances"]["test_looks"] == 2

    # back to the first judge: what it showed was paid for at the first look
    put(root)
    step(root, "run", "reports/s", "--fresh")
    step(root, "agree", "reports/s")
    assert look(root) == first
    assert len(ledger(root)) == 2


def ledger(root: Path) -> list[dict[str, str]]:
    body = json.loads((root / "reports/s/results/looks.json").read_text("utf-8"))
    found: list[dict[str, str]] = body["looks"]
    return found


def test_changed_labels_are_another_look(root: Path) -> None:
    path = root / "labels/s/labels.jsonl"
    text = path.read_text("utf-8")
    lines = [json.loads(one) for one in text.splitlines()]
    names = [json.loads(one) for one in (root / "labels/s/claims.jsonl").read_text().splitlines()]
    splits = json.loads((root / "labels/s/splits.json").read_text("utf-8"))["families"]
    tested = {one["id"] for one in names if splits[one["family"]] == "test"}
    place = next(k for k, one in enumerate(lines) if one["claim_id"] in tested)
    lines[place]["label"] = "unverifiable"
    write_text(path, "\n".join(map(json.dumps, lines)) + "\n")
    step(root, "agree", "reports/s")
    found = look(root)
    assert found is not None
    assert found["number"] == 2


def test_a_ledger_that_was_thinned_out_does_not_verify(root: Path) -> None:
    put(root, threshold=1.0)
    step(root, "run", "reports/s")
    step(root, "agree", "reports/s")
    path = root / "reports/s/results/looks.json"
    body = json.loads(path.read_text("utf-8"))
    body["looks"] = body["looks"][1:]
    path.write_text(json.dumps(body), encoding="utf-8")
    said = json.loads(step(root, "verify", "reports/s", "--json", code=4))
    assert "look.number" in {one["place"] for one in said["differences"]}


def test_tuning_on_dev_costs_no_look(root: Path) -> None:
    put(root, split="dev")
    step(root, "run", "reports/s")
    step(root, "agree", "reports/s")
    assert look(root) is None
    assert len(ledger(root)) == 1
    put(root, split="all")  # the test split is among them
    step(root, "run", "reports/s")
    step(root, "agree", "reports/s")
    found = look(root)
    assert found is not None
    assert found["number"] == 2


def test_a_bundle_carries_its_looks(root: Path) -> None:
    put(root, threshold=1.0)
    step(root, "run", "reports/s")
    step(root, "agree", "reports/s")
    step(root, "report", "reports/s")
    step(root, "bundle", "reports/s", "--into", "s.zip")
    step(root, "verify", "s.zip")


def test_redaction_changes_the_digest_and_not_the_number(tmp_path: Path) -> None:
    """A family named by an address gets another name in the bundle, so what is seen has one too."""
    write_text(tmp_path / "claims.csv", claims().replace("f3,", "anna.rossi@example.org,"))
    step(tmp_path, "import", "claims.csv", "--into", "labels/s", "--language", "en")
    for threshold in (0.75, 1.0):
        put(tmp_path, threshold=threshold, split="all")
        step(tmp_path, "run", "reports/s")
        step(tmp_path, "agree", "reports/s")
    step(tmp_path, "bundle", "reports/s", "--into", "s.zip")
    with zipfile.ZipFile(tmp_path / "s.zip") as packed:
        texts = {name: packed.read(name).decode("utf-8") for name in packed.namelist()}
    assert not any("anna.rossi" in text for text in texts.values())
    (decided,) = (json.loads(t) for name, t in texts.items() if name.endswith("decision.json"))
    (seen,) = (json.loads(t) for name, t in texts.items() if name.endswith("looks.json"))
    mine = look(tmp_path)
    assert mine is not None
    assert decided["look"]["number"] == mine["number"] == 2
    assert decided["look"]["digest"] == seen["looks"][1]["digest"] != mine["digest"]
    step(tmp_path, "verify", "s.zip")
