"""What the makers of variants must be told of a language: one TOML file, no code."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from voirdire.records import Record
from voirdire.store import checked, read_toml

__all__ = ["VariantLanguage", "variant_language", "variant_languages"]


def _split(value: Any) -> Any:
    return frozenset(value.split()) if isinstance(value, str) else value


Words = Annotated[frozenset[str], BeforeValidator(_split)]


class _Numbers(Record):
    decimal: Literal[".", ","]
    words: dict[str, int] = Field(default_factory=dict)
    beside: Words = frozenset()
    decade: Words = frozenset()
    percent: tuple[str, ...] = ()
    ordinals: tuple[tuple[str, ...], ...] = ()
    before_ordinal: Words = frozenset()
    after_ordinal: Words = frozenset()
    no_place: Words = frozenset()


class _Dates(Record):
    months: tuple[str, ...] = ()
    before_year: tuple[str, ...] = ()
    single: Words = frozenset()


class _Units(Record):
    groups: tuple[tuple[str, ...], ...] = ()


class _Negation(Record):
    verbs: tuple[str, ...] = ()
    particle: str = ""
    place: Literal["before", "after"] = "after"
    not_after: Words = frozenset()
    joined: dict[str, str] = Field(default_factory=dict)
    denial: str = ""
    finite: str = ""


class _Reported(Record):
    frames: tuple[str, ...] = ()


class VariantLanguage(Record):
    """A language as the rules and prompts know it; ``en.toml`` says what each part means."""

    code: str = Field(pattern=r"^[a-z]{2,3}$")
    name: str
    small: Words = frozenset()
    title: Words = frozenset()
    bounds: Words = frozenset()
    scope: Words = frozenset()
    numbers: _Numbers
    dates: _Dates = _Dates()
    units: _Units = _Units()
    negation: _Negation = _Negation()
    reported: _Reported = _Reported()
    wording: dict[str, str] = Field(default_factory=dict)


def variant_languages() -> tuple[str, ...]:
    """Codes of the languages that variants can be made in, sorted."""
    return tuple(sorted(path.stem for path in _folder().glob("*.toml")))


@cache
def variant_language(tag: str) -> VariantLanguage | None:
    """The language of a tag (``en-GB`` is ``en``); None where there is no file for it.

    Raises
    ------
    InputError
        If the file has an unknown key or a value that is not allowed.
    """
    code = tag.partition("-")[0].lower()
    if code not in variant_languages():
        return None
    path = _folder() / f"{code}.toml"
    return checked(VariantLanguage, read_toml(path), where=str(path))


def _folder() -> Path:
    return Path(str(files("voirdire.labels.variants")))
