"""A judge whose model was fitted to the very set it is examined on: the page says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import voirdire
from tests.reports import more_factory as more
from tests.reports import report_factory as make
from voirdire.labels import claims_of_study, load_claim_set
from voirdire.labels.splits import families_digest
from voirdire.records import Fingerprint, Splits, StudyCircumstances
from voirdire.reports import make_report
from voirdire.reports.circumstances import learned_from
from voirdire.store import ClaimSetPaths, read_document, read_study, write_document, write_text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [
        f"f{k},The plan costs {k} euros.,The plan costs {k} euros.,supported" for k in range(20)
    ]
    write_text(tmp_path / "c.csv", "\n".join(["family,claim,context,label", *lines]) + "\n")
    done = voirdire("import", "c.csv", "--into", "labels/s", "--language", "en", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    write_text(
        tmp_path / "reports/s/study.toml",
        'name = "s"\nlabels = ["../../labels/s"]\n[[judges]]\nname = "mine"\nuse = "lexical"\n',
    )
    return tmp_path


def found(folder: Path, trained_on: object) -> dict[str, str]:
    study = folder / "reports/s"
    claims = claims_of_study(read_study(study / "study.toml"), study)
    judge = Fingerprint(judge="nli", version="1", parameters={"trained_on": trained_on})
    return learned_from(judge, claims)


def test_whether_the_split_is_still_the_same(folder: Path) -> None:
    paths = ClaimSetPaths(folder / "labels/s")
    then = families_digest(load_claim_set(paths.root).splits, "dev")
    trained = {"set": "s", "split": "dev", "families_sha256": then}
    assert found(folder, trained) == {"set": "s", "split": "dev", "families": "same"}
    splits = read_document(paths.splits, Splits)
    turned = {name: {"dev": "test", "test": "dev"}.get(w, w) for name, w in splits.families.items()}
    write_document(paths.splits, splits.model_copy(update={"families": turned}))
    assert found(folder, trained)["families"] == "changed"
    del trained["families_sha256"]
    assert found(folder, trained)["families"] == "unknown", "a model fitted by an older version"


@pytest.mark.parametrize("trained_on", [{}, None, "s", {"set": "another", "split": "dev"}])
def test_another_set_or_none_raises_nothing(folder: Path, trained_on: object) -> None:
    assert found(folder, trained_on) == {}


@pytest.mark.parametrize(
    ("language", "families", "text"),
    [
        ("en", "same", "fitted to the split dev of this very set (s): the split is still the one"),
        ("en", "changed", "claims it learned from may be counted"),
        ("en", "unknown", "was not recorded"),
        ("it", "changed", "addestrato sulla parte dev proprio di questa raccolta (s)"),
    ],
)
def test_the_flag_says_what_happened_and_what_to_do(
    language: str, families: str, text: str
) -> None:
    agreement, decision = make.ordinary()
    run = (
        more.troubled("lexical")
        .runs[0]
        .model_copy(update={"learned_from": {"set": "s", "split": "dev", "families": families}})
    )
    made = make_report(
        agreement, decision, circumstances=StudyCircumstances(runs=(run,)), language=language
    )
    (flag,) = [one for one in made.flags if one.code == "learned_from_this_set"]
    assert flag.judge == "lexical"
    assert text in flag.text
    assert 'split = "test"' in flag.todo
    clean = make_report(agreement, decision, language=language)
    assert "learned_from_this_set" not in {one.code for one in clean.flags}
