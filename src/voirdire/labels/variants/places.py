"""Where in a claim a value stands, and whether it may be changed there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from voirdire.labels.variants.languages import VariantLanguage

__all__ = [
    "anywhere",
    "bounded",
    "chosen",
    "hedged",
    "holds",
    "once",
    "part_of_a_name",
    "seed",
]


def hedged(claim: str, language: VariantLanguage, *, but: Sequence[str] = ()) -> bool:
    """Whether a word stands there beside which another value need not contradict."""
    return any(
        word in language.bounds and word not in but for word in re.findall(r"\w+", claim.lower())
    )


def part_of_a_name(claim: str, found: re.Match[str], language: VariantLanguage) -> bool:
    """Whether a number belongs to a name or is no count of its own.

    A capital before it inside the claim (*Model 2*), a capital after it (*Fifty Shades*), itself
    with a capital inside the claim (*Fantastic Four*), or beside *of* and *or*.
    """
    before, after = claim[: found.start()].split(), claim[found.end() :].split()
    if before and before[-1][0].isupper() and before[-1].lower() not in language.small:
        return True
    if found[0][0].isupper() and (before or (after and after[0][0].isupper())):
        return True
    if before and (before[-1].isdigit() or before[-1].lower() in language.numbers.decade):
        return True  # 2013 14, "gli anni 90"
    if found[0].isdigit() and after and after[0].isdigit():
        return True  # 53 879
    beside = {word.strip(".,;:").lower() for word in (*before[-1:], *after[:3])}
    return bool(beside & language.numbers.beside)


def bounded(context: str, number: str, language: VariantLanguage) -> bool:
    """Whether the context itself only says *more than*, *at least*, *about* that number."""
    before = re.search(rf"((?:\S+\s+){{0,3}})(?<![\w.,]){re.escape(number)}(?!\w)", context)
    return bool(before and language.bounds & set(re.findall(r"\w+", before[1].lower())))


def seed(text: str) -> int:
    """The same for the same text, on every machine."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def chosen(claim: str, found: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """All places, beginning at one that the claim decides."""
    places = list(found)
    if places:
        start = seed(claim) % len(places)
        yield from places[start:] + places[:start]


def once(text: str, word: str) -> bool:
    """Whether a word stands there exactly once."""
    return len(re.findall(rf"(?<!\w){re.escape(word)}(?!\w)", text)) == 1


def holds(text: str, word: str) -> bool:
    """Whether a word stands there and is no part of a longer word or number."""
    return re.search(rf"(?<![\w.,]){re.escape(word)}(?!\w|[.,]\d)", text) is not None


def anywhere(context: str, number: int, language: VariantLanguage) -> bool:
    """Whether a number stands in the context, in digits or as a word."""
    words = [word for word, value in language.numbers.words.items() if value == number]
    return holds(context, str(number)) or any(holds(context.lower(), word) for word in words)
