"""An answer cut into sentences, each with its place, in any language.

The cutting itself is sentencex's (see pyproject for why): it knows abbreviations, decimals and
quotation marks of some 300 languages and needs no full stop of ASCII. Around it stand the blocks
of `voirdire.metrics.blocks`, and three joins of what it cuts too finely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from voirdire.metrics.blocks import BlockKind, blocks

__all__ = ["Sentence", "sentences"]


class Sentence(NamedTuple):
    """A sentence of an answer, at ``answer[start:end]``."""

    start: int
    end: int
    kind: BlockKind


_INITIAL = re.compile(r"\W*[^\W\d_]\.\s*$")
_NO_WORD = re.compile(r"[\W_]*$")
# Japanese: 「…。」と彼は言った goes on after the bracket.
_GOES_ON = re.compile("(?:と|って|という|とか)")
_BREAK = re.compile(r"[\r\n\u2028\u2029\t]")
# What could end a sentence at all; a block without any is one sentence.
_STOP = re.compile(r"[^\w\s,;:'\"()\[\]*_`/$€%&#@+<>=|~^{}\\-]")


def sentences(answer: str, *, language: str) -> Iterator[Sentence]:
    """The sentences of an answer, in their order.

    Parameters
    ----------
    answer : str
    language : str
        Code; what sentencex does not know it cuts as a language near it, at last as English.

    Examples
    --------
    >>> text = "Dr. Rossi pays 3.50 euro. It is due. 東京です。はい。"
    >>> [text[one.start:one.end] for one in sentences(text, language="en")]
    ['Dr. Rossi pays 3.50 euro.', 'It is due.', '東京です。', 'はい。']
    """
    for block in blocks(answer):
        if block.kind in ("code", "row", "heading"):
            yield _trimmed(answer, block.start, block.end, block.kind)
            continue
        for start, end in _cut(answer, block.start, block.end, language):
            yield _trimmed(answer, start, end, block.kind)


def _cut(answer: str, start: int, end: int, language: str) -> Iterator[tuple[int, int]]:
    """Places of the sentences of a block; together they are the block."""
    text = answer[start:end]
    if not _STOP.search(text.rstrip(" .")):
        yield start, end
        return
    from sentencex import segment

    # A line break within a block is a blank: one letter for one, so that places stay.
    plain = text if text.isprintable() else _BREAK.sub(" ", text)
    first = place = start
    pieces = segment(language, plain)
    for number, piece in enumerate(pieces):
        place += len(piece)
        if number + 1 == len(pieces) or not _joins(piece, pieces[number + 1]):
            yield first, place
            first = place


def _joins(piece: str, following: str) -> bool:
    """Whether two pieces are one sentence after all."""
    if len(piece) < 12 and _INITIAL.match(piece):
        return True
    head = following.lstrip()[:1]
    if not head.isalnum() and _NO_WORD.match(following):
        return True
    said = piece.rstrip()
    if said.endswith(("」", "』")):
        return _GOES_ON.match(following) is not None
    return head.islower() and said.endswith(".") and not said.endswith("..")


def _trimmed(answer: str, start: int, end: int, kind: BlockKind) -> Sentence:
    text = answer[start:end].lstrip()
    start = end - len(text)
    return Sentence(start, start + len(text.rstrip()), kind)
