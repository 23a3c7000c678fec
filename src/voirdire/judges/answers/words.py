"""Label words: a closed list for each language, matched whole."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Any, Final

from voirdire.records import LABELS, Label

__all__ = ["LANGUAGES", "LabelWords"]

LANGUAGES: Final = ("en", "it", "de", "fr")

_MARKS: Final = " \t\r\n*_`\"'“”‘’«».:;!#()[]{}<>-"
_LONGEST_WORD: Final = 60


class LabelWords:
    """The words of a language, and of English, which every model falls back to.

    Parameters
    ----------
    language : str
        One of `LANGUAGES`.

    Raises
    ------
    ValueError
        For another language.
    """

    def __init__(self, language: str = "en") -> None:
        if language not in LANGUAGES:
            raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
        self._labels: dict[str, Label] = {}
        self._ambiguous: set[str] = set()
        self._refusals: tuple[str, ...] = ()
        for code in dict.fromkeys(("en", language)):
            table = _table()[code]
            for label in LABELS:
                self._labels |= dict.fromkeys(map(_plain, table[label]), label)
            self._ambiguous |= set(map(_plain, table["ambiguous"]))
            self._refusals += tuple(word.casefold() for word in table["refusals"])

    def label(self, word: Any) -> Label | None:
        """The label a word stands for, the whole word; None for any other word."""
        return self._labels.get(_plain(word)) if isinstance(word, str) else None

    def why_not(self, word: Any) -> str:
        """Why a word is no label, the word shown."""
        shown = repr(word)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        if isinstance(word, str) and _plain(word) in self._ambiguous:
            return f"the answer {shown} may mean contradicted or unverifiable: it is neither's name"
        return f"the answer {shown} is not one of {', '.join(LABELS)}"

    def is_ambiguous(self, word: str) -> bool:
        """Whether a word says only that the claim is not supported."""
        return _plain(word) in self._ambiguous

    def is_refusal(self, text: str) -> bool:
        """Whether a text begins as models do when they decline."""
        start = text.lstrip(_MARKS).casefold().replace("’", "'")
        return start.startswith(self._refusals)


def _plain(word: str) -> str:
    """A word without case and the marks around it; blanks, hyphens and underscores alike."""
    if len(word) > _LONGEST_WORD * 2:
        return ""
    text = unicodedata.normalize("NFKC", word).casefold().strip(_MARKS)
    return re.sub(r"[\s_-]+", " ", text)


@cache
def _table() -> dict[str, Any]:
    source = files("voirdire.judges.answers").joinpath("aliases.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))
