"""Rules that change one value of a claim so that the context speaks against it.

Each keeps away where a changed value need not contradict: beside *at least*, *up to*, *within* and
the like (``bounds`` of the language), where the value does not stand in the context, and where the
new one does. Applied to claims that people called supported, the prediction is *contradicted*.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from voirdire.labels.variants.languages import VariantLanguage
from voirdire.labels.variants.more_swaps import MORE_SWAPS
from voirdire.labels.variants.places import (
    anywhere,
    bounded,
    chosen,
    hedged,
    holds,
    once,
    part_of_a_name,
    seed,
)

__all__ = ["SWAPS", "Swap"]

Swap = Callable[[str, str, VariantLanguage], str | None]
"""Claim, context as one text, language → the changed claim, or None where the rule keeps away."""

_NUMBER = re.compile(r"(?<![\w.,:/€$£#'’-])\d{1,4}(?![\w:/-]|[.,]\d|\s?%)")
_YEAR = re.compile(r"(?:1\d|20)\d\d")


def number_swap(claim: str, context: str, language: VariantLanguage) -> str | None:
    """One number, in digits or as a word, becomes a larger one."""
    if hedged(claim, language):
        return None
    months = "|".join(map(re.escape, language.dates.months))
    for found in chosen(claim, _NUMBER.finditer(claim)):
        old = found[0]
        around = claim[max(0, found.start() - 12) : found.end() + 12]
        if _YEAR.fullmatch(old) or (months and re.search(rf"\b(?:{months})\b", around, re.I)):
            continue
        if not once(claim, old) or not holds(context, old) or int(old) < 2:
            continue
        if part_of_a_name(claim, found, language) or bounded(context, old, language):
            continue
        new = _other_number(int(old), claim)
        if not anywhere(context, new, language):
            return claim[: found.start()] + str(new) + claim[found.end() :]
    return _word_swap(claim, context, language)


def _word_swap(claim: str, context: str, language: VariantLanguage) -> str | None:
    words = language.numbers.words
    if not words:
        return None
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])", re.I)
    for found in chosen(claim, pattern.finditer(claim)):
        old = found[0].lower()
        same = holds(context.lower(), old) or holds(context, str(words[old]))
        if not once(claim.lower(), old) or not same or part_of_a_name(claim, found, language):
            continue
        others = [
            word
            for word, number in words.items()
            if words[old] < number <= 5 * words[old] and not anywhere(context, number, language)
        ]
        if others:
            new = others[seed(claim) % len(others)]
            new = new.capitalize() if found[0][0].isupper() else new
            return claim[: found.start()] + new + claim[found.end() :]
    return None


def date_swap(claim: str, context: str, language: VariantLanguage) -> str | None:
    """Another month beside a day, or another year of what happens once (born, founded, ends)."""
    if "?" in claim or not language.dates.months:
        return None
    if hedged(claim, language, but=("until", "by", "from", "to")):
        return None
    return _month_swap(claim, context, language) or _year_swap(claim, context, language)


def _month_swap(claim: str, context: str, language: VariantLanguage) -> str | None:
    months = language.dates.months
    names = "|".join(map(re.escape, months))
    # English writes 14 March and March 14; both hold the day that makes the word a month.
    pattern = re.compile(rf"\b(\d{{1,2}}(?:st|nd|rd|th)? )({names})\b|\b({names})( \d{{1,2}})\b")
    for found in chosen(claim, pattern.finditer(claim)):
        if found[0] not in context or int(re.sub(r"\D", "", found[0])) > 28:
            continue
        place = 2 if found[2] else 3
        index = months.index(found[place])
        new = months[(index + 2 + seed(claim) % 8) % 12]
        if new not in context:
            return claim[: found.start(place)] + new + claim[found.end(place) :]
    return None


def _year_swap(claim: str, context: str, language: VariantLanguage) -> str | None:
    if not language.dates.single & set(re.findall(r"\w+", claim.lower())):
        return None  # what happens every year happened in another year, too
    words = "|".join(map(re.escape, language.dates.before_year))
    months = "|".join(map(re.escape, language.dates.months))
    pattern = re.compile(rf"\b(?:{words}|{months})\s((?:1[89]|20)\d\d)(?![\w/-])", re.I)
    for found in chosen(claim, pattern.finditer(claim)):
        if not holds(context, found[1]) or not once(claim, found[1]):
            continue
        new = str(int(found[1]) - 3 - seed(claim) % 6)
        if new not in context:
            return claim[: found.start(1)] + new + claim[found.end(1) :]
    return None


def unit_swap(claim: str, context: str, language: VariantLanguage) -> str | None:
    """The unit behind a number becomes another of its kind."""
    if hedged(claim, language):
        return None
    for group in language.units.groups:
        names = "|".join(map(re.escape, group))
        counts = "|".join(["\\d[\\d.,]*", *map(re.escape, language.numbers.words)])
        pattern = re.compile(rf"(?<![\w-])({counts})(\s)({names})(?![\w-])", re.I)
        for found in chosen(claim, pattern.finditer(claim)):
            unit = next((one for one in group if one.lower() == found[3].lower()), None)
            if unit is None or not holds(context.lower(), unit.lower()) or found[1] == "1":
                continue
            if found[3][0].isupper() and unit[0].islower():
                continue  # a title: 21 Grams
            rest = claim[: found.start()] + claim[found.end() :]
            if any(_stem_in(one, rest) for one in group):
                continue  # 2 hours, 57 minutes, 15 seconds
            others = [one for one in group if one != unit and not _stem_in(one, context)]
            if others:
                new = others[seed(claim) % len(others)]
                return claim[: found.start(3)] + new + claim[found.end(3) :]
    return None


SWAPS: Final[dict[str, Swap]] = {
    "number_swap": number_swap,
    "date_swap": date_swap,
    "unit_swap": unit_swap,
    **MORE_SWAPS,
}


def _stem_in(unit: str, context: str) -> bool:
    """Whether a unit stands there in either number."""
    stem = unit[:-1] if len(unit) > 3 else unit
    return re.search(rf"\b{re.escape(stem.lower())}", context.lower()) is not None


def _other_number(old: int, claim: str) -> int:
    """A larger number: of more things it is said that they are there than there are."""
    return old + max(2, round(old * (0.25 + seed(claim) % 50 / 100)))
