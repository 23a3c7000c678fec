"""The lines of an answer put together as a reader sees them: paragraphs, list items, rows.

A line break ends a list item, a heading and a row of a table; within a paragraph it is white space
like any other. What is returned are offsets into the answer, so that every claim can be traced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

__all__ = ["Block", "BlockKind", "blocks"]

BlockKind = Literal["text", "item", "heading", "row", "code"]


class Block(NamedTuple):
    """A stretch of an answer; ``end`` is exclusive, markers of lists and headings are left out."""

    start: int
    end: int
    kind: BlockKind


_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+")
# "a) " is a marker, "A. Smith" is a name: letters need the bracket.
_ITEM = re.compile(
    r"\s*(?:[-*+\u2022\u2023\u25aa\u25cf\u25e6\u2013\u30fb]\s+|[\u2022\u25aa\u25cf\u30fb]"
    r"|\(?\d{1,3}[.)]\s+|\(?[A-Za-z]\)\s+|[\u2460-\u2473]\s*)(?:\[[ xX]\]\s+)?"
)
_QUOTE = re.compile(r"\s{0,3}(?:>\s?)+")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_LINE = re.compile(r"[^\r\n\u2028\u2029]*(?:\r\n|[\r\n\u2028\u2029])?")


def blocks(answer: str) -> Iterator[Block]:
    """The blocks of an answer, in their order; blank ones are passed over.

    Examples
    --------
    >>> text = "# Plans\\n\\n- Basic costs 12 euro\\n- Pro costs\\n  19 euro"
    >>> [(block.kind, text[block.start:block.end]) for block in blocks(text)]
    [('heading', 'Plans'), ('item', 'Basic costs 12 euro'), ('item', 'Pro costs\\n  19 euro')]
    """
    if "\n" not in answer and "\r" not in answer and not _begins_special(answer):
        if answer.strip():
            yield Block(0, len(answer), "text")
        return
    held: Block | None = None
    for new, line in _lines(answer):
        if held and new and new.kind == "text" and held.kind in ("text", "item"):
            held = held._replace(end=new.end)  # the paragraph or item goes on
            continue
        if held and new is None and held.kind == "row" and _TABLE_RULE.match(line):
            held = held._replace(kind="heading")  # the head of a table
        if held:
            yield held
        held = new
    if held:
        yield held


def _lines(answer: str) -> Iterator[tuple[Block | None, str]]:
    """Each line as a block, None for one that holds nothing; fences are such lines."""
    fenced = False
    for found in _LINE.finditer(answer):
        line = found.group()
        if not line:
            return
        start, end = found.start(), found.start() + len(line.rstrip("\r\n\u2028\u2029"))
        if _FENCE.match(line):
            fenced = not fenced
            yield None, ""
        elif fenced:
            yield Block(start, end, "code"), line
        else:
            yield _line(answer, start, end), line


def _begins_special(line: str) -> bool:
    return bool(_ITEM.match(line) or _HEADING.match(line) or _QUOTE.match(line) or "|" in line)


def _line(answer: str, start: int, end: int) -> Block | None:
    """What one line is; None for one that ends a paragraph and holds nothing."""
    quote = _QUOTE.match(answer, start, end)
    if quote:
        start = quote.end()
    line = answer[start:end]
    if not line.strip() or _RULE.match(line) or _TABLE_RULE.match(line):
        return None
    heading = _HEADING.match(line)
    if heading:
        return Block(start + heading.end(), end, "heading")
    if line.lstrip().startswith("|") and line.rstrip().endswith("|"):
        return Block(start, end, "row")
    item = _ITEM.match(line)
    if item and item.end() < len(line):
        return Block(start + item.end(), end, "item")
    return Block(start, end, "text")
