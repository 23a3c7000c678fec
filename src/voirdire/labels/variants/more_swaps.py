"""Swaps of percentages and of places in an order; they keep away as the other swaps do."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Final

from voirdire.labels.variants.languages import VariantLanguage
from voirdire.labels.variants.places import (
    bounded,
    chosen,
    hedged,
    holds,
    once,
    part_of_a_name,
    seed,
)

__all__ = ["MORE_SWAPS", "ordinal_swap", "percentage_swap"]


def percentage_swap(claim: str, context: str, language: VariantLanguage) -> str | None:
    """A percentage of at most 90 becomes one that is larger by a quarter or more."""
    if not language.numbers.percent:
        return None
    signs = "|".join(["%", *map(re.escape, language.numbers.percent)])
    pattern = re.compile(
        rf"(?<![\w.,/:€$£'’-])(\d{{1,2}})(?:([.,])(\d))?(\s?(?:{signs}))(?!\w)", re.I
    )
    for found in chosen(claim, pattern.finditer(claim)):
        old = int(found[1])
        if found[2] and found[2] != language.numbers.decimal:
            continue
        if _elided(old) or hedged(_around(claim, found), language):
            continue
        number = found[0][: found.start(4) - found.start()]
        told = rf"(?<![\w.,]){re.escape(number)}\s?(?:{signs})"
        if not 1 < old <= 80 or not once(claim, number) or not re.search(told, context, re.I):
            continue
        if bounded(context, number, language):
            continue
        new = min(96, old + max(2, round(old * (0.3 + seed(claim) % 40 / 100))))
        new += 10 * (new // 10 == 8) + (new in (8, 11, 18))
        if not holds(context, str(new)):
            fraction = f"{found[2]}{found[3]}" if found[2] else ""
            return f"{claim[: found.start()]}{new}{fraction}{claim[found.start(4) :]}"
    return None


def ordinal_swap(claim: str, context: str, language: VariantLanguage) -> str | None:
    """A place in an order becomes the one behind it: third becomes fourth."""
    ranks = language.numbers.ordinals
    if not ranks:
        return None
    following = {old: new for series in ranks for old, new in pairwise(series)}
    every = {rank for series in ranks for rank in series}
    if sum(word in every for word in re.findall(r"\w+", claim.lower())) != 1:
        return None  # an enumeration: the first ..., the second ...
    pattern = re.compile(rf"(?<![\w'’-])(?:{'|'.join(following)})(?![\w-])")
    for found in chosen(claim, pattern.finditer(claim)):
        old, new = found[0], following[found[0]]
        if not _one_place(claim, found, language) or part_of_a_name(claim, found, language):
            continue
        if not holds(context, old) or holds(context, new) or bounded(context, old, language):
            continue
        return claim[: found.start()] + new + claim[found.end() :]
    return None


def _one_place(claim: str, found: re.Match[str], language: VariantLanguage) -> bool:
    """Whether only one thing can hold that place.

    *The third section lists names*, *in the third year*: so may the fourth. *It is the third
    novel* is safe.
    """
    words = language.numbers
    before, after = claim[: found.start()].split(), claim[found.end() :].split()
    if len(before) < 2 or not after or hedged(_around(claim, found), language):
        return False
    if before[-1].lower() not in words.before_ordinal or after[0][0].isupper():
        return False
    if after[0].strip(".,;").lower() in words.after_ordinal:
        return False
    return not set(re.findall(r"\w+", " ".join(before[-3:-1]).lower())) & words.no_place


def _around(claim: str, found: re.Match[str]) -> str:
    """The three words before a place and the three behind it."""
    before, after = claim[: found.start()].split(), claim[found.end() :].split()
    return " ".join((*before[-3:], "…", *after[:3]))


def _elided(number: int) -> bool:
    """Numbers that begin with a vowel: *an 8 %*, *l'8 %* need another article."""
    return number in (8, 11, 18) or number // 10 == 8


MORE_SWAPS: Final[dict[str, Callable[[str, str, VariantLanguage], str | None]]] = {
    "percentage_swap": percentage_swap,
    "ordinal_swap": ordinal_swap,
}
