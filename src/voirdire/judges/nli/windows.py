"""Cuts a context into pieces that fit an NLI model: some sentences of one chunk, overlapping."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from voirdire.judges.text import cleaned, load_language, sentences, shipped_languages

__all__ = ["Window", "chunk_sentences", "windows"]

_PARAGRAPH = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbouring sentences of one chunk, as one premise.

    Attributes
    ----------
    chunk : int
        Place of the chunk in the context.
    text : str
        The sentences between single spaces.
    """

    chunk: int
    text: str


def windows(
    context: Sequence[str],
    *,
    sentences_each: int,
    overlap: int,
    room: int,
    lengths: Callable[[Sequence[str]], Sequence[int]],
) -> list[Window]:
    """The windows of a context, chunk by chunk.

    A window holds at most `sentences_each` sentences and, if they are more than one, at most
    `room` tokens; the next one begins `overlap` sentences before the end of it. No window holds
    sentences of two chunks, so the order of the chunks cannot change what a model reads.

    Parameters
    ----------
    context : sequence of str
    sentences_each, overlap : int
        At least 1; at least 0 and below it.
    room : int
        Tokens that fit beside the claim. A single longer sentence stays whole here; the model's
        tokenizer cuts it and says so.
    lengths : callable
        Tokens of each of several texts.

    Examples
    --------
    >>> found = windows(["One. Two. Three."], sentences_each=2, overlap=1, room=9,
    ...                 lengths=lambda texts: [2] * len(texts))
    >>> [window.text for window in found]
    ['One. Two.', 'Two. Three.']
    """
    found: list[Window] = []
    for place, chunk in enumerate(context):
        parts = chunk_sentences(chunk)
        sizes = list(lengths(parts)) if parts else []
        for start, end in _spans(sizes, sentences_each, overlap, room):
            found.append(Window(place, " ".join(parts[start:end])))
    return found


def chunk_sentences(chunk: str) -> list[str]:
    """Sentences of a chunk without markup; a blank line ends one too."""
    return [
        sentence
        for paragraph in _PARAGRAPH.split(chunk)
        for sentence in sentences(cleaned(paragraph), abbreviations=_abbreviations())
    ]


def _spans(sizes: Sequence[int], most: int, overlap: int, room: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(sizes):
        end, total = start + 1, sizes[start]
        while end < len(sizes) and end - start < most and total + sizes[end] <= room:
            total += sizes[end]
            end += 1
        yield start, end
        if end == len(sizes):
            return
        start = max(start + 1, end - overlap)


@lru_cache(maxsize=1)
def _abbreviations() -> frozenset[str]:
    """Of all languages together: a judge of this kind is not told which one it reads."""
    return frozenset(
        word for code in shipped_languages() for word in load_language(code).abbreviations
    )
