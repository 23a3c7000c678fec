"""Where a sentence ends: a small, stated rule, the same for every language.

A sentence ends at ``.``, ``!``, ``?`` or ``…`` (with closing quotes and brackets after it) where
white space or the end of the text follows; at ``。``, ``！``, ``？`` wherever they stand; and at a
bullet. A full stop does not end a sentence after a single letter ("J. Smith", "e.g.") or after
an abbreviation of the language; inside a number it never does, for no white space follows. What
has no such end is one sentence.
"""

from __future__ import annotations

import re

__all__ = ["sentences"]

_BULLETS = "\u2022\u2023\u25aa\u25cf\u25e6"
_STOPS = r".!?\u2026"
_WIDE_STOPS = "\u3002\uff01\uff1f\uff61"
# One class of first characters, then the cases: the search for it is fast. Looking back for a
# stop before the stop, and never giving back, keep a text of nothing but full stops linear.
_END = re.compile(
    rf"[{_STOPS}{_WIDE_STOPS}{_BULLETS}*](?:"
    rf"(?<=[{_STOPS}])(?<![{_STOPS}].)[{_STOPS}]*+[\"'\u2019\u201d\u00bb)\]]*+(?= |$)"
    rf"|(?<=[{_WIDE_STOPS}])[{_WIDE_STOPS}]*+[\u300d\u300f\uff09\u201d]*+"
    rf"|(?<=[{_BULLETS}])"
    r"|(?<= \*)(?= ))"
)
# The same ends where a text holds neither wide stops nor bullets, as most do: found at the stops
# themselves, without a look at every letter.
_PLAIN_END = re.compile(
    rf"[{_STOPS}](?<![{_STOPS}].)[{_STOPS}]*+[\"'\u2019\u201d\u00bb)\]]*+(?= |$)"
)
_NOT_PLAIN = re.compile(rf"[{_WIDE_STOPS}{_BULLETS}]| \* ")
_OPENING = "\"'\u2018\u201c\u00ab(["
_AROUND = f" *{_BULLETS}"
# A longer word is no abbreviation; the bound keeps a text without spaces linear.
_LONGEST = 40


def sentences(text: str, *, abbreviations: frozenset[str] = frozenset()) -> list[str]:
    """The sentences of a cleaned text, in their order, as they stand there.

    Parameters
    ----------
    text : str
        From `cleaned`: single spaces.
    abbreviations : frozenset of str
        Lower-case words whose full stop ends no sentence.

    Returns
    -------
    list of str
        Not empty strings; joined they hold every character of the text but spaces and bullets.

    Examples
    --------
    >>> sentences("It costs 3.50 euro. Ask Dr. Rossi.", abbreviations=frozenset({"dr"}))
    ['It costs 3.50 euro.', 'Ask Dr. Rossi.']
    """
    found: list[str] = []
    start = 0
    plain = " * " not in text if text.isascii() else not _NOT_PLAIN.search(text)
    for end in (_PLAIN_END if plain else _END).finditer(text):
        first, after = end.span()
        if after - first == 1 and text[first] == "." and after < len(text):
            floor = max(start, first - _LONGEST)
            before = text[max(floor, text.rfind(" ", floor, first) + 1) : first]
            if _is_abbreviation(before, abbreviations):
                continue
        sentence = text[start:after].strip(_AROUND)
        if sentence:
            found.append(sentence)
        start = after
    rest = text[start:].strip(_AROUND)
    if rest:
        found.append(rest)
    return found


def _is_abbreviation(before: str, abbreviations: frozenset[str]) -> bool:
    """Whether the full stop after this word belongs to it."""
    word = before.lower()
    if not word.isalnum():  # 'e.g' of "(e.g."
        word = word.lstrip(_OPENING).rpartition(".")[2]
    return word in abbreviations or (len(word) == 1 and word.isalpha())
