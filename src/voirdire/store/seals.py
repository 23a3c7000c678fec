"""Seals: SHA-256 digests that freeze what a number was made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from voirdire.records import Claim
from voirdire.store.files import reported

__all__ = ["claims_digest", "file_digest", "json_digest", "shown_digest"]


def file_digest(path: Path) -> str:
    """SHA-256 (hex) of a file's bytes.

    Raises
    ------
    StoreError
        If it cannot be read.
    """
    with reported(path, "read the file"), path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def json_digest(value: Any) -> str:
    """SHA-256 (hex) of canonical JSON: keys sorted, no spaces, UTF-8."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def claims_digest(claims: Iterable[Claim]) -> str:
    """SHA-256 (hex) over what a judge is shown of the claims, in their order."""
    digest = hashlib.sha256()
    for claim in claims:
        line = json.dumps([claim.id, claim.claim, list(claim.context)], ensure_ascii=False)
        digest.update(line.encode("utf-8", "backslashreplace") + b"\n")
    return digest.hexdigest()


def shown_digest(claim: str, context: Sequence[str]) -> str:
    """32 hex digits over what a judge is shown of one claim: its text and context, in order.

    Not the id, the language or the label: no judge sees them, so no answer rests on them.
    """
    return json_digest([claim, list(context)])[:32]
