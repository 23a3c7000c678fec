"""Takes out of a text what must not leave the machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from voirdire.errors import UsageError

__all__ = ["REPLACEMENT", "Redacted", "Redaction", "trace"]

REPLACEMENT: Final = "[redacted]"

Step = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]


class Redaction:
    """Patterns, each match of which is replaced; applied in the order given.

    Parameters
    ----------
    patterns : iterable of str
        Regular expressions.
    replacement : str
        Taken literally.

    Raises
    ------
    UsageError
        If a pattern is no regular expression, or matches the empty text (and so everywhere).

    Examples
    --------
    >>> Redaction([r"\\b\\d{6,}\\b"]).apply("customer 1234567 called")
    'customer [redacted] called'
    """

    def __init__(self, patterns: Iterable[str] = (), *, replacement: str = REPLACEMENT) -> None:
        self.patterns = tuple(patterns)
        self._replacement = replacement
        self._compiled = [_compiled(pattern) for pattern in self.patterns]

    def __bool__(self) -> bool:
        """Whether there is anything to take out."""
        return bool(self._compiled)

    def apply(self, text: str) -> str:
        """The text without what the patterns match."""
        for pattern in self._compiled:
            text = pattern.sub(lambda _: self._replacement, text)
        return text

    def traced(self, text: str) -> Redacted:
        """The same text as `apply` gives, with the way back to the places in the original."""
        return trace(text, ((pattern, lambda _: self._replacement) for pattern in self._compiled))


@dataclass(frozen=True, slots=True)
class Redacted:
    """A redacted text and where each of its characters came from.

    Attributes
    ----------
    text : str
    count : int
        Matches that were replaced.
    places : tuple of (start, end)
        For each character of `text`: the span of the original it stands for.
    """

    text: str
    count: int
    places: tuple[tuple[int, int], ...]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """A span of the redacted text as a span of the original; code points, end exclusive.

        Raises
        ------
        ValueError
            If the span is empty or reaches out of the text.
        """
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"must be a span of the text, got {start} to {end}")
        covered = self.places[start:end]
        return min(one for one, _ in covered), max(two for _, two in covered)

    def redacted_span(self, start: int, end: int) -> tuple[int, int] | None:
        """The least span of the redacted text that stands for all of a span of the original.

        None where it stands for none of it: the span is empty or reaches out of the original.
        """
        held = [
            number for number, (one, two) in enumerate(self.places) if one < end and two > start
        ]
        return (held[0], held[-1] + 1) if held else None


def trace(text: str, steps: Iterable[Step]) -> Redacted:
    """Replace what patterns match, one pattern after the other, and keep the way back.

    Parameters
    ----------
    text : str
    steps : iterable of (pattern, function)
        The function gives the replacement for a match; the match itself if it is to stay.
    """
    places = [(place, place + 1) for place in range(len(text))]
    count = 0
    for pattern, replacement in steps:
        pieces: list[str] = []
        kept: list[tuple[int, int]] = []
        done = 0
        for match in pattern.finditer(text):
            new = replacement(match)
            if new == match.group():
                continue
            count += 1
            hidden = _hidden(places, match.start(), match.end())
            pieces += [text[done : match.start()], new]
            kept += places[done : match.start()] + [hidden] * len(new)
            done = match.end()
        text = "".join([*pieces, text[done:]])
        places = kept + places[done:]
    return Redacted(text, count, tuple(places))


def _hidden(places: list[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """Where in the original a match lies; a look-around may match between two characters."""
    if start < end:
        return places[start][0], places[end - 1][1]
    before = places[start - 1][1] if start else 0
    return before, before


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        found = re.compile(pattern)
    except re.error as error:
        raise UsageError(
            f"{pattern!r} is not a regular expression: {error}",
            where="redact",
            todo="mend the pattern; a backslash is written twice in a TOML string, or once in "
            "'single quotes'",
        ) from error
    if found.search(""):
        raise UsageError(
            f"{pattern!r} matches the empty text, so it would match everywhere",
            where="redact",
            todo="make the pattern ask for at least one character",
        )
    return found
