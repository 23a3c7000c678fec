"""What all tests share: where the public data lie, and the golden cases."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


def shared_folder() -> Path:
    """The folder with public data: beside the checkout, or where VOIRDIRE_SHARED says."""
    return Path(os.environ.get("VOIRDIRE_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = shared_folder()
    if not folder.is_dir():
        pytest.skip(f"PUBLIC DATA ABSENT: no folder {folder}; set VOIRDIRE_SHARED to run this test")
    return folder


@pytest.fixture(scope="session")
def golden(shared: Path) -> dict[str, dict[str, Any]]:
    with (shared / "golden.json").open(encoding="utf-8") as handle:
        return {case["id"]: case for case in json.load(handle)}
