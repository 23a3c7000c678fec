"""Judges behind libraries that need an environment of their own.

``VOIRDIRE_RAGAS_PYTHON`` and ``VOIRDIRE_DEEPEVAL_PYTHON`` name the Python of an environment with
``voirdire[ragas]`` or ``voirdire[deepeval]``; without it the tests skip loudly.
"""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.llama import LlamaServer, absent
from voirdire.judges import describe

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    """Address of the real server; empty where the extra ``local-llm`` is absent."""
    if absent():
        yield ""
        return
    server = LlamaServer(slots=1, context=4096)
    server.start()
    yield server.base_url
    server.kill()


@pytest.mark.parametrize("library", ["ragas", "deepeval"])
def test_in_its_own_environment(library: str, llama: str, tmp_path: Path) -> None:
    variable = f"VOIRDIRE_{library.upper()}_PYTHON"
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"NOT TESTED: {library}; set {variable} to the Python of its environment")
    done = subprocess.run(
        [python, HERE / f"{library}_checks.py"],
        cwd=tmp_path,
        env={**os.environ, "VOIRDIRE_TEST_LLAMA": llama, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULTS ")]
    assert lines, done.stdout + done.stderr
    results = json.loads(lines[0].removeprefix("RESULTS "))
    assert len(results) >= 12
    failed = {name: said for name, said in results.items() if said != "ok"}
    assert not failed, "\n".join(f"{name}: {said}" for name, said in failed.items())


@pytest.mark.parametrize("library", ["ragas", "deepeval"])
def test_where_it_is_absent_the_list_says_what_mends_it(library: str) -> None:
    found = describe(library)
    if not found.lacks:
        pytest.skip(f"{library} is installed here")
    assert f"the package {library}" in found.lacks
    assert found.mend == f"python -m pip install 'voirdire[{library}]'"
    assert found.description


def test_what_the_libraries_need_is_pinned() -> None:
    """Without the pins, pip resolves to versions with which `import ragas` fails.

    The environments above are made from these very extras, so that the pins are tried too.
    """
    project = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    assert "ragas==0.4.3" in extras["ragas"], "the seam is one of this very version"
    assert "langchain-community<0.4" in extras["ragas"]
    assert "instructor>=1.11" in extras["ragas"]
    assert "deepeval>=4.3,<5" in extras["deepeval"]
    assert not [name for name in extras["test"] if name.startswith(("ragas", "deepeval"))]
