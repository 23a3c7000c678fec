"""A judge from a package of its own: listed, made, certified, run."""

from __future__ import annotations

from pathlib import Path

import pytest

from voirdire.errors import UsageError
from voirdire.judges import check_judge, describe, load, names, run_judge
from voirdire.store import JudgeConfig, StudyPaths

from .conftest import make_claims

SAMPLE = Path(__file__).resolve().parents[1] / "plugin_sample"

if "sample" not in names():
    pytest.skip(
        f"NOT TESTED: the sample plug-in is not installed; run pip install {SAMPLE}",
        allow_module_level=True,
    )


def test_it_is_listed_with_its_package() -> None:
    found = describe("sample")
    assert found.distribution == "voirdire-sample-judge"
    assert found.description.startswith("Counts the words")
    assert (found.lacks, list(found.presets)) == ("", ["strict"])


def test_it_is_certified() -> None:
    assert [result for result in check_judge("sample") if not result.passed] == []


def test_its_strict_preset_keeps_its_duties_and_misses_a_skill() -> None:
    assert [r.name for r in check_judge("sample:strict") if not r.passed] == ["sees_a_negation"]


def test_its_parameters_are_checked_before_it_is_made() -> None:
    with pytest.raises(UsageError, match="did you mean 'share'"):
        load("sample", parameters={"shar": 0.5})
    with pytest.raises(UsageError, match="share must be above 0"):
        load("sample", parameters={"share": 7})


def test_it_runs(paths: StudyPaths) -> None:
    config = JudgeConfig(name="mine", use="sample")
    run = run_judge(load("sample"), make_claims(9), paths=paths, config=config, repeats=2, seed=1)
    assert run.seal is not None
    assert run.seal.verdicts == 18
