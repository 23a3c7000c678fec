"""``pytest --voirdire-study``: what passes, what fails and what a failure says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.cli.calling import voirdire
from voirdire.store import write_text

pytest_plugins = ["pytester"]

INSTALLED = any(one.value == "voirdire.pytest_plugin" for one in entry_points(group="pytest11"))
PLUGIN = [] if INSTALLED else ["-p", "voirdire.pytest_plugin"]
STUDY = """name = "s"
labels = ["../../labels/s"]
[[judges]]
name = "words"
use = "lexical"
[[judges]]
name = "always"
use = "constant"
[gates]
waive = ["paraphrase_kept", "negation_flip", "number_seen"]
"""


@pytest.fixture(scope="module")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set the lexical judge reads perfectly; three people who agree; both judges examined."""
    root = tmp_path_factory.mktemp("plugin")
    lines = ["family,claim,context,a1,a2,a3"]
    for k in range(90):
        plan = f"The plan costs {k} euros monthly."
        claim, context, label = [
            (plan, plan, "supported"),
            (plan, f"The plan costs {k + 1} euros monthly.", "contradicted"),
            (f"Phone support opens at {k}.", "Bicycles are rented by the day.", "unverifiable"),
        ][k % 3]
        lines.append(f"f{k},{claim},{context},{label},{label},{label}")
    write_text(root / "claims.csv", "\n".join(lines) + "\n")
    columns = [x for a in ("a1", "a2", "a3") for x in ("--annotator-column", f"{a}={a}")]
    into = ("--into", "labels/s", "--language", "en")
    assert voirdire("import", "claims.csv", *into, *columns, cwd=root).returncode == 0
    write_text(root / "reports/s/study.toml", STUDY)
    for step in ("run", "agree"):
        done = voirdire(step, "reports/s", cwd=root)
        assert done.returncode == 0, done.stderr
    return root


@pytest.fixture
def root(_template: Path, pytester: pytest.Pytester) -> Path:
    for name in ("labels", "reports"):
        shutil.copytree(_template / name, pytester.path / name)
    return pytester.path


def run(pytester: pytest.Pytester, *args: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider", *args)


def test_a_judge_to_be_adopted_passes_beside_the_suites_own_tests(
    root: Path, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile("def test_own(): pass")
    result = run(pytester, "--voirdire-study", "reports/s", "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*voirdire?s? PASSED*"])


def test_it_runs_without_tests_and_takes_the_file_itself(
    root: Path, pytester: pytest.Pytester
) -> None:
    result = run(pytester, "--voirdire-study", "reports/s/study.toml")
    result.assert_outcomes(passed=1)


def test_a_judge_not_to_be_adopted_fails_with_the_sentence_and_no_trace(
    root: Path, pytester: pytest.Pytester
) -> None:
    result = run(pytester, "--voirdire-study", "reports/s", "--voirdire-judge", "always")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert "Do not adopt always: of 100 claims people call contradicted it catches 0" in text
    assert "next: look at the families it got wrong" in text
    assert "reject        kappa" in text
    assert "Traceback" not in text
    assert "pytest_plugin.py" not in text


@pytest.mark.parametrize(
    ("what", "outcome"), [("fail", "failed"), ("skip", "skipped"), ("pass", "passed")]
)
def test_not_enough_evidence_does_what_was_asked(
    root: Path, pytester: pytest.Pytester, what: str, outcome: str
) -> None:
    study = root / "reports/s/study.toml"
    study.write_text(STUDY + "min_families = 500\n", encoding="utf-8")
    assert voirdire("agree", "reports/s", cwd=root).returncode == 0
    result = run(pytester, "--voirdire-study", "reports/s", "--voirdire-inconclusive", what, "-rs")
    result.assert_outcomes(**{outcome: 1})
    if what != "pass":
        result.stdout.fnmatch_lines(["*There is not enough evidence to adopt words*"])


def test_not_enough_evidence_fails_unless_said_otherwise(
    root: Path, pytester: pytest.Pytester
) -> None:
    study = root / "reports/s/study.toml"
    study.write_text(STUDY + "min_families = 500\n", encoding="utf-8")
    assert voirdire("agree", "reports/s", cwd=root).returncode == 0
    run(pytester, "--voirdire-study", "reports/s").assert_outcomes(failed=1)


def test_changed_labels_fail(root: Path, pytester: pytest.Pytester) -> None:
    labels = root / "labels/s/labels.jsonl"
    text = labels.read_text(encoding="utf-8")
    labels.write_text(text.replace('"supported"', '"unverifiable"', 2), encoding="utf-8")
    result = run(pytester, "--voirdire-study", "reports/s")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*numbers differ from the stored results*"])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("reports/nowhere",), "*study.toml*"),
        (("reports/s", "--voirdire-judge", "word"), "*did you mean 'words'?*"),
    ],
)
def test_a_wrong_call_fails_and_says_why(
    root: Path, pytester: pytest.Pytester, args: tuple[str, ...], message: str
) -> None:
    result = run(pytester, "--voirdire-study", *args)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([message])


def test_k_and_collect_only_treat_it_as_any_test(root: Path, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_own(): pass")
    run(pytester, "--voirdire-study", "reports/s", "-k", "own").assert_outcomes(
        passed=1, deselected=1
    )


def test_without_the_option_nothing_is_added_or_loaded(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import sys\n"
        "def test_own():\n"
        "    assert not {'numpy', 'pydantic', 'click'} & set(sys.modules)\n"
    )
    args = ["-p", "no:cacheprovider", "-p", "no:benchmark", "-p", "no:hypothesispytest"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *PLUGIN, *args, "-q"],
        cwd=pytester.path,
        capture_output=True,
        text=True,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_the_entry_point_is_declared() -> None:
    import tomllib

    table = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    assert table["project"]["entry-points"]["pytest11"] == {"voirdire": "voirdire.pytest_plugin"}
