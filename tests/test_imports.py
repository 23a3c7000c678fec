"""Start-up stays light: a look at what is loaded, not at the clock."""

from __future__ import annotations

import subprocess
import sys

import pytest

import voirdire

HEAVY = (
    "numpy",
    "scipy",
    "sklearn",
    "pandas",
    "matplotlib",
    "jinja2",
    "pydantic",
    "rich",
    "label_studio_sdk",
    "onnxruntime",
    "tokenizers",
    "openai",
    "torch",
    "httpx",
)


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in done.stderr.splitlines()}


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom voirdire.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as end:\n    assert end.code == 0, end.code"
    )
    assert not loaded_after(code) & set(HEAVY)


def test_import_loads_nothing_heavy() -> None:
    assert not loaded_after("import voirdire") & set(HEAVY)


def test_statistics_load_without_page_or_server() -> None:
    found = loaded_after("from voirdire import stats; stats.kappa")
    assert not found & {"matplotlib", "jinja2", "label_studio_sdk", "onnxruntime", "rich", "click"}


def test_public_rooms_are_pinned() -> None:
    assert sorted(voirdire.__all__) == [
        "__version__",
        "errors",
        "judges",
        "labels",
        "metrics",
        "records",
        "reports",
        "stats",
        "store",
        "studies",
    ]
    assert dir(voirdire) == sorted(voirdire.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        voirdire.nonsense
