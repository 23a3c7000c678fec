"""What the report says, one file a language; see `load_words`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final

__all__ = ["LANGUAGES", "Words", "load_words"]

LANGUAGES: Final[tuple[str, ...]] = ("en", "it")


class Words:
    """The texts of one language, by dotted key.

    A key's text may hold ``{name}`` fields. A key with the ending ``.one`` has a twin ``.other``
    and is looked up by `plural`.
    """

    def __init__(self, language: str, texts: dict[str, str]) -> None:
        self.language = language
        self._texts = texts

    def __call__(self, key: str, **values: object) -> str:
        """A text with its fields filled in; KeyError if there is no such key."""
        return self._texts[key].format_map(values)

    def maybe(self, key: str, **values: object) -> str | None:
        """The text, or None where this language has none and the record's own words stand."""
        return self(key, **values) if key in self._texts else None

    def plural(self, key: str, number: int, **values: object) -> str:
        """The text for one or for several."""
        ending = "one" if number == 1 else "other"
        return self(f"{key}.{ending}", **values)

    def label(self, label: str) -> str:
        """A label, outcome, rule or variant as the language says it; unknown ones as they are."""
        known = self._texts.get(f"label.{label.replace(' ', '_')}")
        return known if known is not None else label.replace("_", " ")

    @property
    def keys(self) -> frozenset[str]:
        """Every key there is."""
        return frozenset(self._texts)


@cache
def load_words(language: str) -> Words:
    """The texts of a language.

    Raises
    ------
    ValueError
        If there is no such language.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
    source = files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return Words(language, dict(_flat(tomllib.loads(source))))


def _flat(table: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{key}.")
        else:
            found.append((prefix + key, str(value)))
    return found
