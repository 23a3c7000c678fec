"""The whole way on the command line: a study from nothing, its exit codes, its refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import Done, voirdire
from voirdire.records import AgreementResult, DecisionResult
from voirdire.store import read_document, write_text


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    folder = tmp_path_factory.mktemp("demo")
    return folder, voirdire("demo", cwd=folder)


def test_the_demo_ends_with_decisions_and_the_page(demo) -> None:
    folder, done = demo
    assert done.returncode == 0, done.stderr
    assert "Do not adopt lexical" in done.stdout
    assert done.stdout.rstrip().endswith(str(Path("reports/demo/report.html")))
    assert (folder / "reports/demo/report.html").stat().st_size > 10_000


def test_the_demo_leaves_results_that_can_be_read_back(demo) -> None:
    root = demo[0] / "reports/demo"
    agreement = read_document(root / "results/agreement.json", AgreementResult)
    decision = read_document(root / "results/decision.json", DecisionResult)
    assert [judge.judge for judge in agreement.judges][:2] == ["constant", "lexical"]
    assert agreement.n_families == 112
    for judge in agreement.judges:
        assert sum(judge.outcomes.values()) == judge.n_asked == agreement.n_claims
        assert sum(map(sum, judge.confusion.counts)) == judge.n_asked
    assert {d.decision for d in decision.decisions} <= {"do_not_adopt", "not_enough_evidence"}


def test_a_second_demo_asks_nothing_again(demo) -> None:
    folder, _ = demo
    before = sorted((folder / "reports/demo/runs").iterdir())
    again = voirdire("demo", cwd=folder)
    assert again.returncode == 0
    assert "is finished and is used as it is" in again.stderr
    assert sorted((folder / "reports/demo/runs").iterdir()) == before


def test_the_constant_judge_is_what_theory_says(demo) -> None:
    agreement = read_document(demo[0] / "reports/demo/results/agreement.json", AgreementResult)
    constant = agreement.judges[0]
    assert constant.kappa.value == pytest.approx(0, abs=1e-12)
    assert constant.recall["contradicted"].value == 0
    assert constant.recall["supported"].value == 1
    assert constant.dangerous.value == 1
    assert constant.raw.k == agreement.reference_counts["supported"]


def csv_of(rows: list[tuple[str, ...]], path: Path) -> Path:
    lines = ["family,variant,claim,context,a1,a2", *(",".join(row) for row in rows)]
    write_text(path, "\n".join(lines) + "\n")
    return path


@pytest.fixture
def own_set(tmp_path: Path) -> Path:
    rows = [
        (
            f"f{k}",
            "original",
            f"The plan costs {k} euros.",
            f"The plan costs {k if k % 2 else k + 1} euros.",
            *(["supported"] * 2 if k % 2 else ["contradicted"] * 2),
        )
        for k in range(1, 61)
    ]
    csv_of(rows, tmp_path / "claims.csv")
    done = voirdire(
        "import",
        "claims.csv",
        "--into",
        "labels/own",
        "--language",
        "en",
        "--annotator-column",
        "a1=a1",
        "--annotator-column",
        "a2=a2",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_own_claims_from_csv_to_decision(own_set: Path) -> None:
    done = voirdire(
        "examine",
        "labels/own",
        "--judge",
        "lexical",
        "--judge",
        "constant",
        "--into",
        "reports/own",
        "--json",
        cwd=own_set,
    )
    found = {d["judge"]: d for d in json.loads(done.stdout)["decisions"]}
    assert found["lexical"]["decision"] == "not_enough_evidence"
    open_gates = [g["name"] for g in found["lexical"]["gates"] if g["answer"] == "inconclusive"]
    # nobody called anything unverifiable, and there is no variant of any claim
    assert open_gates == ["data_adequacy", "paraphrase_kept", "negation_flip", "number_seen"]
    assert found["constant"]["decision"] == "do_not_adopt"
    assert done.returncode == 3


def test_a_study_is_found_by_folder_or_file_and_keeps_its_settings(own_set: Path) -> None:
    voirdire("examine", "labels/own", "--judge", "constant", "--into", "reports/own", cwd=own_set)
    by_file = voirdire("agree", "reports/own/study.toml", cwd=own_set)
    by_folder = voirdire("agree", "reports/own", "--json", cwd=own_set)
    assert by_file.returncode == by_folder.returncode == 0
    assert json.loads(by_folder.stdout)["agreement"]["n_claims"] == 60
    refused = voirdire("examine", "reports/own", "--judge", "lexical", cwd=own_set)
    assert refused.returncode == 2
    assert "go with a claim set" in refused.stderr
    other = voirdire(
        "examine", "labels/own", "--judge", "lexical", "--into", "reports/own", cwd=own_set
    )
    assert other.returncode == 2
    assert "another study stands there" in other.stderr


def test_all_rejected_ends_with_one(own_set: Path) -> None:
    done = voirdire(
        "examine", "labels/own", "--judge", "constant", "--into", "reports/own", cwd=own_set
    )
    assert done.returncode == 1
    assert "Do not adopt constant" in done.stdout


def test_options_read_the_environment(own_set: Path) -> None:
    done = voirdire(
        "examine",
        "labels/own",
        cwd=own_set,
        env={"VOIRDIRE_JUDGE": "constant", "VOIRDIRE_INTO": "reports/env", "VOIRDIRE_JSON": "1"},
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["decisions"][0]["judge"] == "constant"
    assert (own_set / "reports/env/report.html").is_file()


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["examine", "nowhere", "--judge", "constant"], 2, "neither a claim set nor a study"),
        (["examine", "nowhere"], 2, "no study.toml there"),
        (["examine", "labels/own"], 2, "no judge is named"),
        (["examine", "labels/own", "--judge", "lexicle"], 2, "did you mean 'lexical'"),
        (["agree", "reports/none"], 2, "no study.toml there"),
        (["examin", "x"], 2, "Did you mean 'examine'?"),
    ],
)
def test_refusals(own_set: Path, args: list[str], code: int, message: str) -> None:
    done = voirdire(*args, cwd=own_set)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_agree_before_run_is_not_enough_evidence(own_set: Path) -> None:
    write_text(
        own_set / "reports/s/study.toml",
        'name = "s"\nlabels = ["../../labels/own"]\n'
        '[[judges]]\nname = "constant"\nuse = "constant"\n',
    )
    done = voirdire("agree", "reports/s", cwd=own_set)
    assert done.returncode == 3
    assert "has no finished run" in done.stderr
    assert "voirdire run" in done.stderr


def test_a_study_naming_a_set_that_is_not_there(own_set: Path) -> None:
    write_text(
        own_set / "reports/s/study.toml",
        'name = "s"\nlabels = ["../../labels/owm"]\n[[judges]]\nname = "c"\nuse = "constant"\n',
    )
    done = voirdire("examine", "reports/s", cwd=own_set)
    assert done.returncode == 2
    assert "no claim set" in done.stderr
    assert "own" in done.stderr


def test_tampered_verdicts_break_the_seal(own_set: Path) -> None:
    voirdire("examine", "labels/own", "--judge", "constant", "--into", "reports/own", cwd=own_set)
    verdicts = next((own_set / "reports/own/runs").glob("*/verdicts.jsonl"))
    verdicts.write_text(
        verdicts.read_text(encoding="utf-8").replace('"supported"', '"contradicted"', 1),
        encoding="utf-8",
    )
    done = voirdire("agree", "reports/own", cwd=own_set)
    assert done.returncode == 4
    assert "changed since the run was sealed" in done.stderr


def test_changed_claims_need_a_new_run(own_set: Path) -> None:
    voirdire("examine", "labels/own", "--judge", "constant", "--into", "reports/own", cwd=own_set)
    claims = own_set / "labels/own/claims.jsonl"
    text = claims.read_text(encoding="utf-8")
    claims.write_text(text.replace("costs 1 euros", "costs one euro", 1), encoding="utf-8")
    assert voirdire("agree", "reports/own", cwd=own_set).returncode == 3
    assert voirdire("examine", "reports/own", cwd=own_set).returncode == 1
    assert len(list((own_set / "reports/own/runs").iterdir())) == 2


def test_the_installed_command_runs_as_a_process(tmp_path: Path) -> None:
    command = Path(sys.executable).parent / "voirdire"
    done = subprocess.run(
        [command, "--version"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0
    assert done.stdout.startswith("voirdire 0.")
    done = subprocess.run(
        [command, "examine", "x"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 2
    assert "no study.toml there" in done.stderr


def test_a_mistyped_judge_or_set_leaves_nothing_behind(own_set: Path) -> None:
    done = voirdire(
        "examine", "labels/own", "--judge", "lexicall", "--into", "reports/x", cwd=own_set
    )
    assert done.returncode == 2
    assert "did you mean 'lexical'?" in done.stderr
    assert not (own_set / "reports/x").exists()
    done = voirdire(
        "examine", "labels/own", "--judge", "lexical:eng", "--into", "reports/x", cwd=own_set
    )
    assert done.returncode == 2
    assert "no preset 'eng'" in done.stderr
    done = voirdire(
        "examine",
        "labels/own",
        "--judge",
        "constant",
        "--judge",
        "constant",
        "--into",
        "reports/x",
        cwd=own_set,
    )
    assert "named twice" in done.stderr
    assert not (own_set / "reports/x").exists()
    done = voirdire("examine", "labels/owm", "--judge", "lexical", cwd=own_set)
    assert done.returncode == 2
    assert "did you mean 'labels/own'?" in done.stderr


def test_claims_left_out_are_said(own_set: Path) -> None:
    labels = own_set / "labels/own/labels.jsonl"
    lines = labels.read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1].replace('"supported"', '"unverifiable"')
    labels.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = voirdire(
        "examine", "labels/own", "--judge", "constant", "--into", "reports/t", cwd=own_set
    )
    assert "Claims left out: no reference: tie: 1." in done.stdout


def test_a_newer_run_is_named_and_breaks_nothing(own_set: Path) -> None:
    voirdire("examine", "labels/own", "--judge", "constant", "--into", "reports/own", cwd=own_set)
    assert voirdire("run", "reports/own", "--repeats", "3", cwd=own_set).returncode == 0
    done = voirdire("verify", "reports/own", cwd=own_set)
    assert done.returncode == 0, done.stdout
    assert "has a newer finished run" in done.stderr
    done = voirdire("gate", "reports/own", cwd=own_set)
    assert done.returncode == 1
    assert "has a newer finished run" in done.stderr
    voirdire("agree", "reports/own", cwd=own_set)
    assert "newer" not in voirdire("verify", "reports/own", cwd=own_set).stderr
