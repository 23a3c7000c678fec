"""The gate's exit codes, and that a changed number, label, limit or judge is noticed."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as Tree

import pytest

from tests.cli.calling import voirdire
from voirdire.store import write_text

ROWS = 150


@pytest.fixture(scope="module")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set the lexical judge reads perfectly, with three people who agree."""
    root = tmp_path_factory.mktemp("gate")
    lines = ["family,claim,context,a1,a2,a3"]
    for k in range(ROWS):
        claim, context, label = [
            (
                f"The plan costs {k} euros monthly.",
                f"The plan costs {k} euros monthly.",
                "supported",
            ),
            (
                f"The plan costs {k} euros monthly.",
                f"The plan costs {k + 1} euros monthly.",
                "contradicted",
            ),
            (f"Phone support opens at {k}.", "Bicycles are rented by the day.", "unverifiable"),
        ][k % 3]
        lines.append(f"f{k},{claim},{context},{label},{label},{label}")
    write_text(root / "claims.csv", "\n".join(lines) + "\n")
    columns = [x for a in ("a1", "a2", "a3") for x in ("--annotator-column", f"{a}={a}")]
    done = voirdire(
        "import", "claims.csv", "--into", "labels/s", "--language", "en", *columns, cwd=root
    )
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture
def root(_template: Path, tmp_path: Path) -> Path:
    import shutil

    shutil.copytree(_template, tmp_path / "root")
    return tmp_path / "root"


REWORDING = "paraphrase_kept", "negation_flip", "number_seen"
"""Waived here unless a test says otherwise: this set has originals only."""


def make(
    root: Path,
    *,
    judges: tuple[str, ...] = ("lexical",),
    gates: str = "",
    parts: str = "[]",
    waive: tuple[str, ...] = REWORDING,
) -> None:
    gates += f"\nwaive = {json.dumps(waive)}"
    tables = "".join(
        f'[[judges]]\nname = "{use.replace(":", "-")}"\nuse = "{use}"\n' for use in judges
    )
    write_text(
        root / "reports/s/study.toml",
        f'name = "s"\nlabels = ["../../labels/s"]\nparts = {parts}\n{tables}[gates]\n{gates}\n',
    )
    done = voirdire("examine", "reports/s", cwd=root)
    assert "Traceback" not in done.stderr
    assert (root / "reports/s/results/decision.json").is_file(), done.stderr


def gate(root: Path, *args: str) -> tuple[int, str, str]:
    done = voirdire("gate", "reports/s", *args, cwd=root)
    return done.returncode, done.stdout, done.stderr


def test_adopt_passes(root: Path) -> None:
    make(root)
    code, out, err = gate(root, "--junit", "out/gate.xml")
    assert code == 0, out + err
    assert "Adopt lexical" in out
    suite = Tree.parse(root / "out/gate.xml").getroot()[0]
    assert suite.attrib["failures"] == suite.attrib["errors"] == "0"
    assert suite.attrib["tests"] == "8"
    assert suite.attrib["skipped"] == "3"


def test_do_not_adopt_fails(root: Path) -> None:
    make(root, judges=("constant",))
    code, out, _ = gate(root, "--junit", "gate.xml", "--markdown", "gate.md")
    assert code == 1
    assert "Do not adopt constant" in out
    summary = (root / "gate.md").read_text(encoding="utf-8")
    assert "### Do not adopt constant" in summary
    assert "| `kappa` | ❌ reject |" in summary
    assert "| `number_seen` | waived (" in summary
    assert int(Tree.parse(root / "gate.xml").getroot()[0].attrib["failures"]) >= 2


def test_not_enough_evidence_is_three(root: Path) -> None:
    make(root, gates="min_families = 500")
    code, out, _ = gate(root, "--junit", "gate.xml")
    assert code == 3
    assert "Missing: about 350 more families" in out
    assert Tree.parse(root / "gate.xml").getroot()[0].attrib["errors"] == "1"


def test_a_waived_gate_is_skipped(root: Path) -> None:
    make(root, gates="min_families = 500", waive=("data_adequacy", *REWORDING))
    code, out, _ = gate(root, "--junit", "gate.xml")
    assert code == 0
    assert "waived" in out
    assert Tree.parse(root / "gate.xml").getroot()[0].attrib["skipped"] == "4"


def test_a_set_of_originals_cannot_show_that_a_judge_survives_rewording(root: Path) -> None:
    make(root, waive=())
    code, out, _ = gate(root)
    assert code == 3
    assert "it is open whether it sees negations" in out
    assert "0 families hold a negation that turns supported into contradicted or back" in out
    assert "'voirdire variants' proposes them" in out


def test_several_judges_need_a_name(root: Path) -> None:
    make(root, judges=("lexical", "lexical:it", "constant"))
    code, _, err = gate(root)
    assert code == 2
    assert "several judges" in err
    assert gate(root, "--judge", "lexical")[0] in (0, 3)
    assert gate(root, "--judge", "constant")[0] == 1
    code, _, err = gate(root, "--judge", "nobody")
    assert code == 2
    assert "no judge 'nobody'" in err


def test_json_is_the_decision(root: Path) -> None:
    make(root)
    found = json.loads(gate(root, "--json")[1])
    assert found["decision"] == "adopt"
    assert len(found["gates"]) == 8


def test_verify_confirms_and_then_finds_one_changed_number(root: Path) -> None:
    make(root)
    done = voirdire("verify", "reports/s", cwd=root)
    assert done.returncode == 0
    assert "Every number is confirmed" in done.stdout
    path = root / "reports/s/results/agreement.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    body["judges"][0]["kappa"]["low"] -= 0.001
    path.write_text(json.dumps(body), encoding="utf-8")
    done = voirdire("verify", "reports/s", "--json", cwd=root)
    assert done.returncode == 4
    assert [d["place"] for d in json.loads(done.stdout)["differences"]] == ["judges[0].kappa.low"]
    assert gate(root)[0] == 4


def test_verify_covers_the_invariance_certificate(root: Path) -> None:
    make(root)
    path = root / "reports/s/results/invariance.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    assert body["families_with"] == {"original": ROWS}
    body["judges"][0]["variants"][0]["accuracy"]["k"] -= 1
    path.write_text(json.dumps(body), encoding="utf-8")
    done = voirdire("verify", "reports/s", "--json", cwd=root)
    assert done.returncode == 4
    places = [d["place"] for d in json.loads(done.stdout)["differences"]]
    assert places == ["judges[0].variants[0].accuracy.k"]


def test_changed_labels_are_noticed(root: Path) -> None:
    make(root)
    labels = root / "labels/s/labels.jsonl"
    labels.write_text(
        labels.read_text(encoding="utf-8").replace('"supported"', '"unverifiable"', 2),
        encoding="utf-8",
    )
    code, _, err = gate(root)
    assert code == 4
    assert "inputs, limits or the results themselves changed" in err


def test_changed_claims_are_noticed(root: Path) -> None:
    make(root)
    claims = root / "labels/s/claims.jsonl"
    claims.write_text(
        claims.read_text(encoding="utf-8").replace("Bicycles", "Tandems"), encoding="utf-8"
    )
    assert gate(root)[0] == 4


def test_changed_limits_are_noticed(root: Path) -> None:
    make(root)
    study = root / "reports/s/study.toml"
    study.write_text(study.read_text(encoding="utf-8") + "kappa_floor = 0.1\n", encoding="utf-8")
    assert gate(root)[0] == 4


def test_another_judge_under_the_same_name_is_noticed(root: Path) -> None:
    make(root)
    study = root / "reports/s/study.toml"
    study.write_text(
        study.read_text(encoding="utf-8").replace('use = "lexical"', 'use = "lexical:it"'),
        encoding="utf-8",
    )
    code, _, err = gate(root)
    assert code == 4
    assert "is another one now" in err


def test_no_results_yet(root: Path) -> None:
    write_text(
        root / "reports/s/study.toml",
        'name = "s"\nlabels = ["../../labels/s"]\n[[judges]]\nname = "c"\nuse = "constant"\n',
    )
    done = voirdire("run", "reports/s", cwd=root)
    assert done.returncode == 0, done.stderr
    code, _, err = gate(root)
    assert code == 2
    assert "no results yet" in err
