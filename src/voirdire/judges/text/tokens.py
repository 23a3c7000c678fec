"""Tokens: runs of letters, digits and slashes, lower-case.

Everything else ends a run, the apostrophe too (``l'utente`` is ``l``, ``utente``), so currency
signs, percent signs and punctuation never stick to a word. A run of slashes alone says nothing
and is no token. Scripts written without spaces (Chinese, Japanese) have no runs that could be
compared, so each of their characters is a token.
"""

from __future__ import annotations

import re
from functools import lru_cache

from voirdire.judges.text.numbers import canonical_number

__all__ = ["tokens", "tokens_of_each"]

_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_HAS_IDEOGRAPHS = re.compile(f"[{_IDEOGRAPHS}]")
_ANY_DIGIT = re.compile(r"\d")
# The underscore is free (no token holds one): it stands for the decimal point while runs are cut.
_POINT = "_"
_RUN = re.compile(r"[\w/]+")
_RUN_BESIDE_IDEOGRAPHS = re.compile(rf"[{_IDEOGRAPHS}]|(?:[^\W{_IDEOGRAPHS}]|/)+")
_ASCII = str.maketrans(
    {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "/_\n")}
)


def tokens(text: str, *, decimal: str | None = None, group: tuple[str, ...] = (",",)) -> list[str]:
    """The tokens of a cleaned text, in their order.

    Parameters
    ----------
    text : str
        From `cleaned`.
    decimal : str or None
        The language's decimal mark: numbers then come in their one spelling, with a point
        (``canonical_number``). None: digits are cut at every mark, as the bare rule says.
    group : tuple of str
        The language's marks between thousands.

    Examples
    --------
    >>> tokens("L'utente paga 1.000,50 euro/mese, 24/7.")
    ['l', 'utente', 'paga', '1', '000', '50', 'euro/mese', '24/7']
    >>> tokens("L'utente paga 1.000,50 euro/mese.", decimal=",", group=(".",))
    ['l', 'utente', 'paga', '1000.5', 'euro/mese']
    """
    if decimal is None and text.isascii() and "/" not in text:
        return text.lower().replace(_POINT, " ").translate(_ASCII).split()
    return tokens_of_each([text], decimal=decimal, group=group)[0]


def tokens_of_each(
    texts: list[str], *, decimal: str | None = None, group: tuple[str, ...] = (",",)
) -> list[list[str]]:
    """The tokens of each of several cleaned texts; as `tokens`, but in one sweep."""
    # Cleaned texts hold no line end, so one can stand between them.
    lowered = "\n".join(texts).lower().replace(_POINT, " ")
    if decimal is not None and _ANY_DIGIT.search(lowered):
        lowered = _with_one_spelling(lowered, decimal, group)
    if lowered.isascii():  # the same runs as the patterns find, three times as fast
        found = [line.split() for line in lowered.translate(_ASCII).split("\n")]
    else:
        found = [_runs(line) for line in lowered.split("\n")]
    if "/" in lowered:
        found = [[run for run in runs if run.strip("/")] for runs in found]
    if _POINT in lowered:
        found = [[run.replace(_POINT, ".") for run in runs] for runs in found]
    return found


def _runs(lowered: str) -> list[str]:
    if lowered.isascii():
        return lowered.translate(_ASCII).split()
    if _HAS_IDEOGRAPHS.search(lowered):
        return _RUN_BESIDE_IDEOGRAPHS.findall(lowered)
    return _RUN.findall(lowered)


def _with_one_spelling(lowered: str, decimal: str, group: tuple[str, ...]) -> str:
    def spelled(found: re.Match[str]) -> str:
        return canonical_number(found[0], decimal=decimal, group=group).replace(".", _POINT)

    return _numbers(group).sub(spelled, lowered)


@lru_cache(maxsize=64)
def _numbers(group: tuple[str, ...]) -> re.Pattern[str]:
    marks = "".join(re.escape(mark) for mark in sorted({*group, ".", ","}))
    return re.compile(rf"\d+(?:[{marks}]\d+)*")
