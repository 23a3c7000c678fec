"""study.toml: unknown keys are refused, the nearest is suggested, and it comes back as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from voirdire.errors import InputError, SchemaError, UsageError
from voirdire.store import JudgeConfig, StudyConfig, StudyPaths, dump_study, read_study
from voirdire.studies.gates import GateLimits, read_gates

GOOD = """
schema = "voirdire/study"
schema_version = "1.0"
name = "mine"
labels = ["../../labels/mine"]
repeats = 3
seed = 7
parts = ["language:en"]

[[judges]]
name = "words"
use = "lexical:en"
[judges.parameters]
threshold = 0.8

[[judges]]
name = "always"
use = "constant"

[gates]
kappa_floor = 0.7
waive = ["human_ceiling"]
"""


def study(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_study_is_read(tmp_path: Path) -> None:
    config = read_study(study(tmp_path, GOOD))
    assert (config.name, config.repeats, config.seed) == ("mine", 3, 7)
    assert config.judges[0] == JudgeConfig(
        name="words", use="lexical:en", parameters={"threshold": 0.8}
    )
    assert read_gates(config.gates).kappa_floor == 0.7


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    config = read_study(study(tmp_path, GOOD))
    assert read_study(study(tmp_path, dump_study(config))) == config


def test_odd_strings_survive_writing(tmp_path: Path) -> None:
    odd = 'a"b\\c\nè\u2028\x7f'
    config = StudyConfig(
        name="x",
        labels=(odd,),
        judges=(
            JudgeConfig(name="j", use="lexical", parameters={"p": odd, "d": {"k": [1, True]}}),
        ),
    )
    assert read_study(study(tmp_path, dump_study(config))) == config


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("repeats = 3", "repeets = 3", r"unknown key 'repeets'.*did you mean 'repeats'\?"),
        ("repeats = 3", "repeats = 0", "field repeats"),
        ("repeats = 3", 'repeats = "x"', "field repeats"),
        ("repeats = 3", "repeats = = 3", "not TOML.*line 6"),
        (
            'use = "lexical:en"',
            'used = "lexical:en"',
            r"\[\[judges\]\] 1: unknown key 'used'.*'use'",
        ),
        ('name = "always"', 'name = "words"', "two judges are called 'words'"),
        ('name = "mine"', 'name = "../x"', "field name"),
        ('labels = ["../../labels/mine"]', "labels = []", "field labels"),
    ],
)
def test_faults_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = study(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(InputError, match=message) as caught:
        read_study(path)
    assert "study.toml" in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_newer_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="upgrade voirdire"):
        read_study(study(tmp_path, GOOD.replace('"1.0"', '"2.0"')))


def test_judges_must_be_tables(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"judges must be a list of tables"):
        read_study(study(tmp_path, 'name = "x"\nlabels = ["a"]\njudges = "lexical"\n'))
    with pytest.raises(InputError, match="must be a table, got 'lexical'"):
        read_study(study(tmp_path, 'name = "x"\nlabels = ["a"]\njudges = ["lexical"]\n'))


def test_no_study_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read_study(tmp_path / "study.toml")


def test_gates_refuse_unknown_keys_and_waivers() -> None:
    with pytest.raises(InputError, match=r"unknown key 'kapa_floor'.*'kappa_floor'"):
        read_gates({"kapa_floor": 0.5})
    with pytest.raises(InputError, match=r"no gate is called 'human'.*did you mean 'human_c"):
        read_gates({"waive": ["human"]})
    with pytest.raises(InputError, match="field kappa_floor"):
        read_gates({"kappa_floor": 2})
    assert read_gates({}) == GateLimits()


def test_paths_of_a_study() -> None:
    paths = StudyPaths(Path("reports/x"))
    assert paths.verdicts("r1") == Path("reports/x/runs/r1/verdicts.jsonl")
    assert paths.result("agreement") == Path("reports/x/results/agreement.json")
    assert {paths.page.name, paths.report_document.name, paths.rows.name} == {
        "report.html",
        "report.json",
        "rows.csv",
    }
