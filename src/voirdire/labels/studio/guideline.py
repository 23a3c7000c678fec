"""What annotators are told, and its hash, which stands on every label they give."""

from __future__ import annotations

import hashlib
from html import escape
from pathlib import Path
from typing import Final

from voirdire.errors import UsageError
from voirdire.labels.studio.screen import verdict_words
from voirdire.records import LabelSpace
from voirdire.store import ClaimSetPaths, read_text

__all__ = ["GUIDELINE_FILE", "as_html", "guideline_digest", "guideline_text", "shipped_guideline"]

GUIDELINE_FILE: Final = "guideline.md"

_RULES: Final = {
    "supported": "supported (key 1): the context states the claim, or it follows from the context "
    "without further knowledge.",
    "contradicted": "contradicted (key 2): the context states the opposite, or the opposite "
    "follows from it. A wrong number, name or date is a contradiction.",
    "unverifiable": "unverifiable (key 3): the context does not settle it, be the claim true in "
    "the world or not.",
    "not_supported": "not_supported (key 2): the context states the opposite, or does not settle "
    "it.",
}


def shipped_guideline(space: LabelSpace = "three_class") -> str:
    """The guideline that is used where a set has none of its own."""
    lines = [
        "Read the claim, then the context. Judge by the context alone, not by what you know.",
        "",
        *(f"- {_RULES[word]}" for word in verdict_words(space)),
        "",
        "All parts of the claim count: if one part is contradicted, the claim is.",
        "Mark the words of the context that decide it (key 4, then select them).",
        "Say how sure you are (q, w, e). Write a comment where the claim can be read in two ways.",
        "Skip a task that you cannot judge at all, for instance in a language you do not read.",
        "Work alone, and do not look at what others chose.",
    ]
    return "\n".join(lines) + "\n"


def guideline_text(
    paths: ClaimSetPaths, *, named: str | None, given: Path | None, space: LabelSpace
) -> str:
    """The guideline of a set.

    In this order: the file given; the file that set.toml names; ``guideline.md`` in the set's
    folder; the one that ships.

    Raises
    ------
    UsageError
        If a named file is not there, or is empty.
    InputError
        If it is not UTF-8.
    """
    path = given or (paths.root / named if named else paths.root / GUIDELINE_FILE)
    if given is None and not path.is_file():
        return shipped_guideline(space)
    text = read_text(path)
    if not text.strip():
        raise UsageError("the guideline is empty", where=str(path), todo="write it, or remove it")
    return text


def guideline_digest(text: str) -> str:
    """SHA-256 (hex) of a guideline."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def as_html(text: str) -> str:
    """A guideline as the server shows it: escaped; paragraphs and lines stay."""
    parts = [part.strip() for part in text.replace("\r\n", "\n").split("\n\n") if part.strip()]
    return "".join(f"<p>{escape(part).replace(chr(10), '<br>')}</p>" for part in parts)
