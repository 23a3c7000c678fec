"""The README says what the code does: verbs, exit codes, judges, gates, the two commands."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT
from voirdire import errors
from voirdire.cli.main import VERBS
from voirdire.store import read_study
from voirdire.studies import GATE_NAMES, GateLimits, read_gates

README = (ROOT / "README.md").read_text(encoding="utf-8")


def table(header: str) -> dict[str, str]:
    """First and last cell of each row of the table that starts with a header cell."""
    rows = re.search(rf"^\| {header} \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", README, re.MULTILINE)
    assert rows, f"no table {header!r}"
    cells = [line.strip("| ").split(" | ") for line in rows.group(1).splitlines()]
    return {row[0].strip("`"): row[-1] for row in cells}


def test_every_verb_stands_in_the_readme_in_order() -> None:
    assert list(table("verb")) == list(VERBS)


def test_every_gate_stands_in_the_readme_with_its_limit() -> None:
    gates = table("gate")
    assert list(gates) == list(GATE_NAMES)
    limits = GateLimits()
    assert str(limits.min_families) in gates["data_adequacy"]
    assert f"{limits.kappa_floor:.2f}".lstrip("0") in gates["kappa"]
    assert f"{limits.human_alpha_floor:.2f}".lstrip("0") in gates["human_ceiling"]
    assert f"{limits.human_margin:.2f}".lstrip("0") in gates["human_comparison"]
    assert f"{100 * limits.contradicted_recall_floor:.0f} of 100" in gates["contradicted_recall"]
    assert f"{limits.paraphrase_margin:.2f}".lstrip("0") in gates["paraphrase_kept"]
    assert f"{100 * limits.negation_flip_floor:.0f} of 100" in gates["negation_flip"]
    assert f"{100 * limits.number_seen_floor:.0f} of 100" in gates["number_seen"]


def test_every_exit_code_stands_in_the_readme() -> None:
    codes = {getattr(errors, name).exit_code for name in errors.__all__ if name not in ("Fault",)}
    assert {str(code) for code in codes} <= set(table("exit code"))


def test_the_two_commands_stand_at_the_top() -> None:
    top = README[: README.index("## The picture")]
    assert "python -m pip install . && voirdire demo" in top
    assert "python -m pip install '.[test]' && python -m pytest" in top


def test_the_study_of_the_readme_is_valid(tmp_path) -> None:
    text = re.search(r"```toml\n(.*?)```", README, re.DOTALL)
    assert text
    path = tmp_path / "study.toml"
    path.write_text(text.group(1), encoding="utf-8")
    config = read_study(path)
    assert read_gates(config.gates).kappa_floor == 0.7


def test_the_library_example_runs() -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code
    names: dict[str, object] = {}
    exec(compile(code.group(1), "README", "exec"), names)
    assert 0 < names["found"].value < 1  # type: ignore[attr-defined]


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) < 300


@pytest.mark.parametrize("word", ["TODO", "lorem", "/tmp/", "/home/"])
def test_nothing_left_over(word: str) -> None:
    assert word not in README
