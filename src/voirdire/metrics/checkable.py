"""Which sentences assert something a context could support, and what makes others hard to judge."""

from __future__ import annotations

import re
from typing import Final, Literal

from voirdire.metrics.blocks import BlockKind
from voirdire.metrics.languages import Words, words_of

__all__ = ["NotAClaim", "claim_flags", "not_a_claim", "tidy"]

NotAClaim = Literal["greeting", "refusal", "question", "heading", "lead_in", "code", "no_word"]
"""Why a sentence is no claim."""

_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_CITATION: Final = re.compile(
    r"\s?(?:\[\^?(?:doc\w*|source\w*|ref\w*|chunk\w*|context\w*)?\s?#?[1-9]\d{0,2}"
    r"(?:\s?[,;\u2013-]\s?\d{1,3})*\]|\u3010[^\u3010\u3011]{1,40}\u3011)",
    re.IGNORECASE,
)
_EMPHASIS: Final = re.compile(r"(?<![\w*])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\w*])|~~|`")
_MARKED: Final = re.compile(r"[\[*_~`\u3010]")
_WORD: Final = re.compile(r"[^\W_]")
_TOKEN: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_QUESTION_MARKS: Final = ("?", "？", "؟")
_EDGES: Final = ".,;:!?…\"'*_()[]\u201c\u201d\u00ab\u00bb¡¿。！、「」"
_CLOSING: Final = " \"'\u2019\u201d\u00bb)]*_」』"
_LONGEST_NO_CLAIM: Final = 300


def tidy(text: str) -> str:
    """A sentence as a judge is shown it: without markup and citation marks, single spaces.

    Citation marks go because they are not part of what is asserted: the 1 of ``[1]`` would count
    as a number that the context lacks.

    Examples
    --------
    >>> tidy("The **Basic** plan\\ncosts [12 euro](https://a.example) [1].")
    'The Basic plan costs 12 euro.'
    """
    if _MARKED.search(text):
        text = _EMPHASIS.sub("", _CITATION.sub("", _LINK.sub(r"\1", text)))
    if "  " not in text and text.isprintable():  # single blanks already, as most sentences
        return text.strip()
    return " ".join(text.split())


def not_a_claim(text: str, *, kind: BlockKind = "text", language: str = "en") -> NotAClaim | None:
    """Why a sentence asserts nothing a context could support; None for a claim.

    Parameters
    ----------
    text : str
        From `tidy`.
    kind : BlockKind
    language : str

    Examples
    --------
    >>> not_a_claim("Hello!"), not_a_claim("I cannot answer that."), not_a_claim("Paris")
    ('greeting', 'refusal', None)
    >>> not_a_claim("I don't know the fee, but the plan costs 12 euro.") is None
    True
    """
    if kind in ("heading", "code"):
        return kind
    if not _WORD.search(text):
        return "no_word"
    end = text.rstrip(_CLOSING)
    if end.endswith(_QUESTION_MARKS):
        return "question"
    if end.endswith((":", "：")):
        return "lead_in"
    if len(text) > _LONGEST_NO_CLAIM:
        return None
    return _declines(text.lower().replace("\u2019", "'"), words_of(language))


def claim_flags(text: str, *, kind: BlockKind = "text", language: str = "en") -> tuple[str, ...]:
    """What a person should know before trusting a verdict on this claim.

    ``pronoun``: it stands for something named elsewhere. ``list_item``, ``table_row``: what it is
    about may stand in the line above the list, or in the head of the table.
    """
    flags = [{"item": "list_item", "row": "table_row"}[kind]] if kind in ("item", "row") else []
    pronouns = words_of(language).pronouns
    if pronouns and _has_pronoun(text.lower(), pronouns, language):
        flags.append("pronoun")
    return tuple(flags)


def _has_pronoun(lowered: str, pronouns: frozenset[str], language: str) -> bool:
    if language in ("ja", "zh"):  # no blanks between words: only the first word can be seen
        return lowered.startswith(tuple(pronouns))
    return not pronouns.isdisjoint(lowered.translate(_PLAIN).split())


_PLAIN: Final = {
    ord(mark): " " for mark in ".,;:!?()[]'\"\u2019\u201c\u201d\u00ab\u00bb\u2026\u2013\u2014-/"
}


def _declines(lowered: str, words: Words) -> NotAClaim | None:
    if not words.greetings:
        return None
    if len(lowered) <= 80 and lowered.split(" ", 1)[0].strip(_EDGES) in words.first_words:
        plain = " ".join(_TOKEN.findall(lowered))
        if plain in words.greetings:
            return "greeting"
    for hint in words.hints:  # a plain loop: this is asked of every claim
        if hint in lowered:
            break
    else:
        return None
    said = lowered.rstrip(" .!。")
    if any(pattern.search(said) for pattern in words.refusals):
        goes_on = any(token in words.but for token in _TOKEN.findall(lowered))
        return None if goes_on else "refusal"
    return None
