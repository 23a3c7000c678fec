"""Small claim sets that tests spoil in one place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def claim_row(number: int = 1, **change: Any) -> dict[str, Any]:
    row = {
        "id": f"c{number}",
        "family": f"f{number}",
        "variant": "original",
        "claim": f"Plan {number} costs 12 euros a month.",
        "context": [f"Plan {number} is 12 euros a month.", "Two seats are included."],
        "language": "en",
    }
    row.update(change)
    return {key: value for key, value in row.items() if value is not ...}


def label_row(number: int = 1, annotator: str = "a1", **change: Any) -> dict[str, Any]:
    row = {
        "id": f"c{number}-{annotator}",
        "claim_id": f"c{number}",
        "annotator": annotator,
        "label": "supported",
    }
    row.update(change)
    return {key: value for key, value in row.items() if value is not ...}


def write_lines(path: Path, rows: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


@pytest.fixture
def make_set(tmp_path: Path) -> Callable[..., Path]:
    """A set of three claims and their labels, or of the rows given."""

    def make(
        claims: list[Any] | None = None, labels: list[Any] | None = None, name: str = "set"
    ) -> Path:
        folder = tmp_path / "labels" / name
        write_lines(
            folder / "claims.jsonl",
            claims if claims is not None else [claim_row(n) for n in (1, 2, 3)],
        )
        if labels is None and claims is None:
            labels = [label_row(n) for n in (1, 2, 3)]
        if labels is not None:
            write_lines(folder / "labels.jsonl", labels)
        (folder / "set.toml").write_text(
            f'schema = "voirdire/claim-set"\nschema_version = "1.0"\nname = "{name}"\n',
            encoding="utf-8",
        )
        return folder

    return make


@pytest.fixture
def claim() -> Callable[..., dict[str, Any]]:
    return claim_row


@pytest.fixture
def label() -> Callable[..., dict[str, Any]]:
    return label_row


@pytest.fixture
def lines() -> Callable[[Path, list[Any]], Path]:
    return write_lines
