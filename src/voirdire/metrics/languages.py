"""Which language an answer is in, and the few words that must be known of it."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

__all__ = ["Words", "language_of", "question_kind", "words_of"]

DEFAULT: Final = "en"

# A script that few languages share names the language well enough to cut sentences. Kana goes
# first: Japanese uses Chinese characters too.
_SCRIPTS: Final = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\u1100-\u11ff\uac00-\ud7af]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)


@dataclass(frozen=True)
class Words:
    """What `words.toml` says of a language; all empty for one it does not hold."""

    greetings: frozenset[str] = frozenset()
    first_words: frozenset[str] = frozenset()
    refusals: tuple[re.Pattern[str], ...] = ()
    hints: tuple[str, ...] = ()
    but: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    questions: tuple[tuple[str, frozenset[str]], ...] = ()


def language_of(text: str, *, told: str | None = None, default: str = DEFAULT) -> str:
    """The language of a text: as told, else by its script, else the default.

    Parameters
    ----------
    text : str
    told : str or None
        A BCP 47 tag.
    default : str
        For text in Latin letters, whose language the script does not tell.

    Examples
    --------
    >>> language_of("東京は首都です。"), language_of("Rom."), language_of("Rom.", told="de-CH")
    ('ja', 'en', 'de')
    """
    if told:
        return told.split("-")[0].lower()
    if text.isascii():
        return default
    for code, letters in _SCRIPTS:
        if letters.search(text):
            return code
    return default


@cache
def words_of(language: str) -> Words:
    """The words of a language, by its code."""
    table = _table().get(language)
    if table is None:
        return Words()
    asked = [("yes or no", table["yes_no"]), *table.get("open", {}).items()]
    return Words(
        greetings=frozenset(table["greetings"]),
        first_words=frozenset(one.split(" ")[0] for one in table["greetings"]),
        refusals=tuple(re.compile(pattern) for pattern in table["refusals"]),
        hints=tuple(table["hints"]),
        but=frozenset(table["but"]),
        pronouns=frozenset(table["pronouns"]),
        questions=tuple((kind, frozenset(words)) for kind, words in asked),
    )


def question_kind(question: str, *, language: str) -> str:
    """What a question asks for, by its words: ``who``, ``when``, ``yes or no`` … or ``other``.

    Examples
    --------
    >>> question_kind("How much is the plan?", language="en")
    'how'
    """
    lowered = question.lower()
    first = next(iter(re.findall(r"[^\W_]+(?:'[^\W_]+)?", lowered)), "")
    spaceless = language in ("ja", "zh")
    for kind, words in words_of(language).questions:
        if first in words or (spaceless and any(word in lowered for word in words)):
            return kind
    return "other"


@cache
def _table() -> dict[str, Any]:
    text = files("voirdire.metrics").joinpath("words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
