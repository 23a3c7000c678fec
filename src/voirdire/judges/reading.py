"""Claims and chunks as the lexical rule reads them: sets of roots and numbers, kept for reuse."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from voirdire.judges.text import Language, cleaned, sentences, tokens, tokens_of_each

__all__ = ["ChunkRead", "ClaimRead", "Reader", "has_digit"]

# Claims of a family share their chunks and stand near each other in no particular order. A chunk
# as it was read takes a dozen bytes a letter, so this is some 200 MB at most.
_LETTERS_KEPT = 16_000_000
_COUNTS_KEPT = 16_384
_TOKENS_KEPT = 100_000
_LONGEST_KEPT = 20_000
_LONGEST_NO_CLAIM = 100
# Bits of one machine word, so that a long chunk costs no more for each of its sentences.
_SENTENCES_A_PART = 60
_DIGIT = re.compile(r"\d")
_NO_NUMBERS: Final = frozenset[str]()


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


class _Kept:
    """What was read of chunks, the last used kept, by letters: chunks are short and long."""

    def __init__(self, read: Callable[[str, str], tuple[ChunkRead, ...]]) -> None:
        self._read = read
        self._found = OrderedDict[tuple[str, str], tuple[ChunkRead, ...]]()
        self._letters = 0

    def __call__(self, chunk: str, code: str) -> tuple[ChunkRead, ...]:
        key = (chunk, code)
        found = self._found.get(key)
        if found is not None:
            self._found.move_to_end(key)
            return found
        found = self._found[key] = self._read(chunk, code)
        self._letters += len(chunk)
        while self._letters > _LETTERS_KEPT:
            (oldest, _), _ = self._found.popitem(last=False)
            self._letters -= len(oldest)
        return found

    def clear(self) -> None:
        self._found.clear()
        self._letters = 0


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
        self._kept = _Kept(self._read)
        self._last: tuple[Sequence[str], str, list[ChunkRead]] = ((), "", [])
        self._kept_counts = lru_cache(maxsize=_COUNTS_KEPT)(self._stop_word_counts)

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
        digits = _DIGIT.search(clean) is not None
        if self._normalise and digits:  # numbers in their one spelling
            items = self._items_of(clean, language) - {""}
        else:
            items = frozenset(map(self._items[language.code].__getitem__, found)) - {""}
        numbers = frozenset(filter(has_digit, items)) if digits else _NO_NUMBERS
        return ClaimRead(clean, found, items, numbers)

    def context(self, chunks: Sequence[str], language: Language) -> list[ChunkRead]:
        """The sentences of all chunks that hold any token, in their order, in parts."""
        last, code, parts = self._last
        if last is chunks and code == language.code:  # the claims of an answer share their chunks
            return parts
        parts = [part for chunk in chunks for part in self._chunk(chunk, language.code)]
        self._last = (chunks, language.code, parts)
        return parts

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
        self._kept.clear()
        self._last = ((), "", [])
        self._kept_counts.cache_clear()
        for items in self._items.values():
            items.clear()

    def _chunk(self, chunk: str, code: str) -> tuple[ChunkRead, ...]:
        read = self._kept if len(chunk) <= _LONGEST_KEPT else self._read
        return read(chunk, code)

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
    bit = 1
    for _, found in held:
        new = dict.fromkeys(map(item, found), bit)
        for one in places.keys() & new.keys():
            new[one] |= places[one]
        places |= new
        bit <<= 1
    places.pop("", None)  # stop words
    return ChunkRead(tuple(text for text, _ in held), places)


def has_digit(token: str) -> bool:
    """Whether a token is a number by the rule: it holds a digit."""
    return not token.isalpha() and any(map(str.isdecimal, token))
