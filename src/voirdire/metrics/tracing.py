"""Where in an answer a model's claim comes from."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final

__all__ = ["added_numbers", "place_of"]

_NUMBER: Final = re.compile(r"\d+(?:[.,\u2019']\d+)*")
# Of a quote that is not verbatim, at least this share must stand in one piece in the answer.
_LEAST_SHARE: Final = 0.6
_LONGEST: Final = 20_000


def place_of(quote: str, answer: str, *, after: int = 0) -> tuple[int, int] | None:
    """The place of a quote in an answer: verbatim, else with other blanks and letter case.

    Parameters
    ----------
    quote, answer : str
    after : int
        Tried from here on first, so that a quote that stands twice is found in order.

    Returns
    -------
    tuple of int or None
        Start and end; None where less than 60 % of the quote stands there in one piece.

    Examples
    --------
    >>> place_of("costs  12 EURO", "Basic costs 12 euro.")
    (6, 19)
    """
    quote = quote.strip()
    if not quote:
        return None
    for start in (answer.find(quote, after), answer.find(quote)):
        if start >= 0:
            return start, start + len(quote)
    loose = re.compile(r"\s+".join(map(re.escape, quote.split())), re.IGNORECASE)
    found = loose.search(answer, after) or loose.search(answer)
    if found:
        return found.span()
    if len(answer) > _LONGEST or len(quote) > _LONGEST:
        return None
    lowered = answer.lower()
    if len(lowered) != len(answer):  # a letter whose small form is two: places would move
        lowered = answer
    match = SequenceMatcher(None, lowered, quote.lower(), autojunk=False).find_longest_match()
    if match.size < _LEAST_SHARE * len(quote):
        return None
    return match.a, match.a + match.size


def added_numbers(claim: str, source: str) -> tuple[str, ...]:
    """Numbers of a claim that do not stand in the text it was made from.

    Examples
    --------
    >>> added_numbers("Basic costs 15 euro.", "Basic costs 12 euro.")
    ('15',)
    """
    there = set(_NUMBER.findall(source))
    return tuple(number for number in _NUMBER.findall(claim) if number not in there)
