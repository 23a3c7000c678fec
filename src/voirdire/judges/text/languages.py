"""What the lexical judge must be told of a language: one TOML file, no code.

A file names ``code``, ``name``, ``stop_words``, ``abbreviations``, ``not_claims`` and the tables
``[numbers]`` (``decimal``, ``group``) and ``[negation]`` (``words``, ``concord``, ``pairs``); the
comments of ``en.toml`` say what each means. Files in this folder are found by their name; any
other is named with the judge's parameter ``language_file``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from voirdire.errors import UsageError
from voirdire.records import Record
from voirdire.store import checked, json_digest, nearest, read_toml

__all__ = ["Language", "Negation", "Numbers", "Words", "load_language", "shipped_languages"]


def _split(value: Any) -> Any:
    return tuple(value.split()) if isinstance(value, str) else value


Words = Annotated[tuple[str, ...], BeforeValidator(_split)]
"""Words as a list, or as one text between white space."""


class Numbers(Record):
    """How numbers are written: the decimal mark and the marks between thousands."""

    decimal: Literal[".", ","]
    group: tuple[Literal[".", ",", "'", "\u2019"], ...] = ()


class Negation(Record):
    """Cues of a negation; see `Language.negations`."""

    words: Words = ()
    concord: Words = ()
    pairs: tuple[str, ...] = ()


class Language(Record):
    """A language as the lexical judge knows it.

    Attributes
    ----------
    code, name : str
        BCP 47 tag and English name.
    stop_words : tuple of str
        Tokens without content, lower-case.
    abbreviations : tuple of str
        Words whose full stop ends no sentence.
    not_claims : tuple of str
        Whole claims that assert nothing, as tokens between single spaces.
    numbers : Numbers
    negation : Negation
    """

    code: str = Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    name: str
    stop_words: Words = ()
    abbreviations: Words = ()
    not_claims: tuple[str, ...] = ()
    numbers: Numbers
    negation: Negation = Field(default_factory=Negation)

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of everything the file says."""
        return json_digest(self.model_dump(mode="json"))

    @cached_property
    def negation_cues(self) -> tuple[frozenset[str], ...]:
        """Words, pairs and concord of `negation` as sets, and every word that any begins with."""
        words, pairs, concord = (
            frozenset(kind)
            for kind in (self.negation.words, self.negation.pairs, self.negation.concord)
        )
        return words, pairs, concord, words | concord | {pair.split(" ")[0] for pair in pairs}

    def negations(self, found: Sequence[str]) -> int:
        """How many negations a sentence holds, by its cue words.

        Parameters
        ----------
        found : sequence of str
            Tokens of the sentence, stop words included.

        Returns
        -------
        int
            One for each cue of ``words`` and ``pairs``; if there is none, one if any of
            ``concord`` stands there.
        """
        words, pairs, concord, any_cue = self.negation_cues
        if any_cue.isdisjoint(found):  # most sentences: one look, and done
            return 0
        count = sum(token in words for token in found)
        if pairs:
            following = pairwise(found)
            count += sum(f"{first} {second}" in pairs for first, second in following)
        if count == 0 and not concord.isdisjoint(found):
            return 1
        return count


def shipped_languages() -> tuple[str, ...]:
    """Codes of the languages that come with the package, sorted."""
    return tuple(sorted(path.stem for path in _folder().glob("*.toml")))


@lru_cache(maxsize=32)
def load_language(code: str, *, file: str | None = None) -> Language:
    """A language by its code, or from a file of one's own.

    Raises
    ------
    UsageError
        If no such language comes with the package; the known ones are listed.
    InputError
        If the file has an unknown key or a value that is not allowed.
    """
    if file is not None:
        return checked(Language, read_toml(Path(file)), where=file)
    known = list(shipped_languages())
    if code not in known:
        guess = nearest(code, known)
        raise UsageError(
            f"the lexical judge does not know the language {code!r}",
            allowed=", ".join([*known, "auto"]),
            todo=f"did you mean {guess!r}?"
            if guess
            else "write one file like judges/text/en.toml and name it with language_file",
        )
    path = _folder() / f"{code}.toml"
    return checked(Language, read_toml(path), where=str(path))


def _folder() -> Path:
    return Path(str(files("voirdire.judges.text")))
