"""Claims and chunks as the lexical rule reads them: sets of roots and numbers, kept for reuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from voirdire.judges.text import Language, cleaned, sentences, tokens, tokens_of_each

__all__ = ["ChunkRead", "ClaimRead", "Reader", "has_digit"]

# Claims of a family share their chunks and stand near each other in no particular order.
_CHUNKS_KEPT = 16_384
_TOKENS_KEPT = 100_000
_LONGEST_KEPT = 20_000
_LONGEST_NO_CLAIM = 100
# Bits of one machine word, so that a long chunk costs no more for each of its sentences.
_SENTENCES_A_PART = 60


class ChunkRead(NamedTuple):
    """Some 60 sentences of a chunk, those that hold any token, and where each item stands.

    Attributes
    ----------
    texts : tuple of str
        The sentences as they stand, markup off.
    places : dict of str to int
        Root or number to the sentences it stands in: bit n for sentence n.
    """

    texts: tuple[str, ...]
    places: dict[str, int]


class ClaimRead(NamedTuple):
    """A claim (markup off), its tokens, its roots and numbers, and the numbers among them."""

    text: str
    tokens: list[str]
    items: frozenset[str]
    numbers: frozenset[str]


class _Items(dict[str, str]):
    """Token to root or number, or to nothing for a stop word; worked out once per token."""

    def __init__(self, stop_words: frozenset[str], stem_length: int) -> None:
        super().__init__()
        self._stop_words = stop_words
        self._stem_length = stem_length

    def __missing__(self, token: str) -> str:
        if token in self._stop_words:
            item = ""
        elif has_digit(token):
            item = token
        else:
            item = token[: self._stem_length]
        if len(self) >= _TOKENS_KEPT:
            self.clear()
        self[token] = item
        return item


class Reader:
    """Reads texts for one setting of the rule.

    Parameters
    ----------
    languages : sequence of Language
        At least one; where there are several, each claim is read in the one whose stop words
        it and its context hold most of, in a tie the first.
    stem_length : int
        Letters of a token that count.
    stop_words : sequence of str or None
        Instead of the language's.
    normalise_numbers : bool
        Whether numbers come in their one spelling.
    """

    def __init__(
        self,
        languages: Sequence[Language],
        *,
        stem_length: int,
        stop_words: Sequence[str] | None,
        normalise_numbers: bool,
    ) -> None:
        self._languages = {language.code: language for language in languages}
        self._normalise = normalise_numbers
        self._items: dict[str, _Items] = {}
        self._abbreviations: dict[str, frozenset[str]] = {}
        self._stop_words: dict[str, frozenset[str]] = {}
        for language in languages:
            own = language.stop_words if stop_words is None else stop_words
            self._items[language.code] = _Items(frozenset(own), stem_length)
            self._abbreviations[language.code] = frozenset(language.abbreviations)
            self._stop_words[language.code] = frozenset(language.stop_words)
        self._kept = lru_cache(maxsize=_CHUNKS_KEPT)(self._read)
        self._kept_counts = lru_cache(maxsize=_CHUNKS_KEPT)(self._stop_word_counts)

    def language_of(self, texts: Sequence[str]) -> Language:
        """The language that a claim and its context are read in."""
        if len(self._languages) == 1:
            return next(iter(self._languages.values()))
        counts = [self._kept_counts(text) for text in texts]
        totals = [sum(column) for column in zip(*counts, strict=True)]
        return list(self._languages.values())[totals.index(max(totals))]

    def claim(self, text: str, language: Language) -> ClaimRead:
        """A claim, whole: it is not cut into sentences."""
        clean = cleaned(text)
        found = tokens(clean)
        if self._normalise and any(map(has_digit, found)):  # numbers in their one spelling
            items = self._items_of(clean, language) - {""}
            return ClaimRead(clean, found, items, frozenset(filter(has_digit, items)))
        items = frozenset(map(self._items[language.code].__getitem__, found)) - {""}
        return ClaimRead(clean, found, items, frozenset(filter(has_digit, items)))

    def chunk(self, chunk: str, language: Language) -> tuple[ChunkRead, ...]:
        """The sentences of a chunk that hold any token, in their order, in parts."""
        read = self._kept if len(chunk) <= _LONGEST_KEPT else self._read
        return read(chunk, language.code)

    def negations(self, text: str, language: Language) -> int:
        """How many negations a sentence holds."""
        return language.negations(tokens(text))

    def is_no_claim(self, claim: ClaimRead, language: Language) -> bool:
        """Whether a claim greets or declines, by the language's list of whole claims."""
        return (
            len(claim.text) <= _LONGEST_NO_CLAIM and " ".join(claim.tokens) in language.not_claims
        )

    def forget(self) -> None:
        """Empty what is kept for reuse."""
        self._kept.cache_clear()
        self._kept_counts.cache_clear()
        for items in self._items.values():
            items.clear()

    def _read(self, chunk: str, code: str) -> tuple[ChunkRead, ...]:
        texts = sentences(cleaned(chunk), abbreviations=self._abbreviations[code])
        if not texts:
            return ()
        found = self._tokens_of(texts, self._languages[code])
        held = [(text, tokens) for text, tokens in zip(texts, found, strict=True) if tokens]
        item = self._items[code].__getitem__
        return tuple(
            _part(held[start : start + _SENTENCES_A_PART], item)
            for start in range(0, len(held), _SENTENCES_A_PART)
        )

    def _items_of(self, text: str, language: Language) -> frozenset[str]:
        (found,) = self._tokens_of([text], language)
        return frozenset(map(self._items[language.code].__getitem__, found))

    def _tokens_of(self, texts: list[str], language: Language) -> list[list[str]]:
        numbers = language.numbers
        decimal = numbers.decimal if self._normalise else None
        return tokens_of_each(texts, decimal=decimal, group=numbers.group)

    def _stop_word_counts(self, text: str) -> tuple[int, ...]:
        found = tokens(cleaned(text))
        return tuple(sum(token in stop for token in found) for stop in self._stop_words.values())


def _part(held: Sequence[tuple[str, list[str]]], item: Callable[[str], str]) -> ChunkRead:
    places: dict[str, int] = {}
    before = places.get
    bit = 1
    for _, found in held:
        for one in map(item, found):
            places[one] = before(one, 0) | bit
        bit <<= 1
    places.pop("", None)  # stop words
    return ChunkRead(tuple(text for text, _ in held), places)


def has_digit(token: str) -> bool:
    """Whether a token is a number by the rule: it holds a digit."""
    return not token.isalpha() and any(map(str.isdecimal, token))
