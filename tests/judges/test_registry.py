"""Judges by name: built-in and from other packages."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import JudgeUnavailable, UsageError
from voirdire.judges import Judge, check_judge, describe, load, names
from voirdire.records import JudgeInput


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lays a package with entry points on the path."""

    def lay(source: str, points: dict[str, str], package: str = "thirdparty_judges") -> None:
        (tmp_path / f"{package}.py").write_text(textwrap.dedent(source), encoding="utf-8")
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = "".join(f"{name} = {target}\n" for name, target in points.items())
        (info / "entry_points.txt").write_text(f"[voirdire.judges]\n{lines}")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, package, raising=False)

    return lay


SOURCE = '''
"""A judge from elsewhere."""
from voirdire.judges.constant import ConstantJudge
PARAMETERS = {"strictness": "how strict"}
PRESETS = {"lenient": "not strict"}
PATH_PARAMETERS = ("weights",)
seen = {}
def make(parameters, preset):
    seen.update(parameters=parameters, preset=preset)
    if parameters.get("strictness") == "bad":
        raise ValueError("strictness must be a number")
    return ConstantJudge("unverifiable")
'''


def test_names_import_nothing() -> None:
    code = (
        "import sys; from voirdire.judges.registry import names; n = names(); "
        "loaded = [m for m in sys.modules if m.endswith(('lexical', '.constant'))]; "
        "print({'constant', 'lexical', 'replay'} <= set(n), loaded, 'numpy' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "True [] False"


def test_built_in() -> None:
    assert list(names()) == sorted(names())
    for name in ("constant", "lexical", "replay"):
        described = describe(name)
        assert described.description
        assert described.lacks == ""
        assert described.distribution == "voirdire"
    for use in ("constant", "lexical", "lexical:didactic-it"):
        assert isinstance(load(use), Judge)


@pytest.mark.parametrize(
    ("use", "parameters", "message"),
    [
        ("lexcal", {}, "no judge is called 'lexcal'.*did you mean 'lexical'"),
        ("lexical:didatic", {}, "unknown preset 'didatic'.*did you mean 'didactic-it'"),
        ("lexical:", {}, "unknown preset ''"),
        ("constant", {"lable": "supported"}, "did you mean 'label'"),
        ("constant", {"label": "maybe"}, "supported.*got 'maybe'"),
        ("replay:x", {}, "unknown preset 'x'. allowed: no preset at all"),
        ("replay", {}, "needs the parameter 'path'"),
    ],
)
def test_refusals(use: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load(use, parameters=parameters)


def test_third_party_works_like_built_in(plugin: Any, tmp_path: Path) -> None:
    plugin(SOURCE, {"elsewhere": "thirdparty_judges:make"})
    assert "elsewhere" in names()
    described = describe("elsewhere")
    assert described.description == "A judge from elsewhere."
    assert described.distribution == "thirdparty_judges"
    judge = load("elsewhere:lenient", parameters={"strictness": 1}, folder=tmp_path)
    answer = dict(judge([JudgeInput(id="a", claim="b", context=())], repeat=0))["a"]
    assert answer.label == "unverifiable"
    assert all(result.passed for result in check_judge("elsewhere") if result.kind == "duty")
    with pytest.raises(UsageError, match="did you mean 'strictness'"):
        load("elsewhere", parameters={"strictnes": 1})
    with pytest.raises(UsageError, match="did you mean 'lenient'"):
        load("elsewhere:lenent")
    with pytest.raises(UsageError, match="refuses its parameters: strictness must be a number"):
        load("elsewhere", parameters={"strictness": "bad"})


def test_paths_start_at_the_study(plugin: Any, tmp_path: Path) -> None:
    plugin(SOURCE.replace('{"strictness": "how strict"}', '{"weights": ""}'),
           {"elsewhere": "thirdparty_judges:make"})  # fmt: skip
    load("elsewhere", parameters={"weights": "w.bin"}, folder=tmp_path)
    import thirdparty_judges  # type: ignore[import-not-found]

    assert thirdparty_judges.seen["parameters"] == {"weights": str(tmp_path / "w.bin")}


def test_one_that_cannot_be_imported_is_listed_with_its_cure(plugin: Any) -> None:
    target = "thirdparty_judges:make"
    plugin("import no_such_module_anywhere\n", {"broken": target, "extra": f"{target} [nli]"})
    assert describe("broken").lacks.startswith("ModuleNotFoundError: No module named")
    assert describe("extra").mend == "python -m pip install 'thirdparty_judges[nli]'"
    with pytest.raises(JudgeUnavailable, match="run: python -m pip install"):
        load("extra")


def test_one_that_lacks_something(plugin: Any) -> None:
    plugin(SOURCE + 'lacks = lambda: ("the model", "voirdire fetch model")\n',
           {"elsewhere": "thirdparty_judges:make"})  # fmt: skip
    assert describe("elsewhere").lacks == "the model"
    with pytest.raises(JudgeUnavailable, match="lacks the model. run: voirdire fetch model"):
        load("elsewhere")


def test_two_packages_with_one_name(plugin: Any) -> None:
    plugin(SOURCE, {"lexical": "thirdparty_judges:make"})
    with pytest.raises(UsageError, match="two installed packages offer"):
        load("lexical")
