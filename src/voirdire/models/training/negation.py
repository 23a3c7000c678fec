"""English sentences with the opposite meaning, by rules that refuse what they cannot do surely."""

from __future__ import annotations

import re
from typing import Final, Literal

__all__ = ["NegationForm", "negated", "number_swapped"]

NegationForm = Literal["not", "contracted", "sentence", "no"]

_CUES: Final = re.compile(
    r"\b(not|no|never|nobody|none|nothing|nowhere|neither|nor|without|hardly|barely|rarely|few|"
    r"little|unless|if|or|because|although|except|only|cannot|deny|denies|denied|refuses?|fails?)\b"
    r"|n't|[?;:]",
    re.IGNORECASE,
)
_BREAKS: Final = re.compile(r"\b(who|that|which|whose|whom|where|when|and|but|while|as)\b|,")
_QUANTIFIED: Final = frozenset({
    "all", "every", "each", "everyone", "everybody", "some", "someone", "somebody", "most",
    "many", "several", "both", "any", "at", "half", "nearly", "almost", "about", "everything",
    "something",
})  # fmt: skip
_AUXILIARIES: Final = frozenset(["is", "are", "was", "were", "will", "does", "did", "can", "could"])
_PERFECT: Final = frozenset(["has", "have", "had"])
_CONTRACTED: Final = {
    "is": "isn't", "are": "aren't", "was": "wasn't", "were": "weren't", "will": "won't",
    "does": "doesn't", "do": "don't", "did": "didn't", "can": "can't", "could": "couldn't",
    "has": "hasn't", "have": "haven't", "had": "hadn't",
}  # fmt: skip
_SMALL_STARTS: Final = frozenset({
    "a", "an", "the", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "there", "this", "these", "those", "his", "her", "their", "its", "he", "she", "they", "it",
    "we", "people", "men", "women", "children", "kids", "one",
})  # fmt: skip
_SENTENCE_HEADS: Final = (
    "It is not true that",
    "It is not the case that",
    "It is false that",
    "It isn't true that",
)
_EXISTS: Final = re.compile(r"\b([Tt]here (?:is|are|was|were)) (?:a|an|some|two|three|four|five)\b")
_NUMBERS: Final = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "twenty", "thirty",
)  # fmt: skip
_DIGITS: Final = re.compile(r"(?<![\w.,-])(\d{1,4})(?![\w%-]|[.,]\d)")


def negated(sentence: str, form: NegationForm, *, choice: int = 0) -> str | None:
    """The sentence denied, or None where no rule surely denies it.

    Refused are sentences with a negation, condition or question in them, with more than one
    clause before the verb, and, but for ``sentence``, with a quantified subject ("all dogs are
    not …" can be read two ways).

    Parameters
    ----------
    sentence : str
        One English sentence.
    form : {"not", "contracted", "sentence", "no"}
        "is not", "isn't", "It is not true that …", "There is no …".
    choice : int
        Which of the openings for ``sentence``; taken modulo their number.

    Examples
    --------
    >>> negated("A man is playing a guitar.", "not")
    'A man is not playing a guitar.'
    >>> negated("A man is playing a guitar.", "sentence")
    'It is not true that a man is playing a guitar.'
    >>> negated("There are two dogs in the park.", "no")
    'There are no dogs in the park.'
    >>> negated("All dogs are outside.", "not") is None
    True
    """
    words = sentence.split()
    if not 3 <= len(words) <= 30 or _CUES.search(sentence) or "." in sentence.rstrip(". ")[:-1]:
        return None
    place = _verb(words)
    if place is None:
        return None
    if form == "no":
        found, count = _EXISTS.subn(r"\1 no", sentence, count=1)
        return found if count else None
    if form == "sentence":
        if words[0].lower() not in _SMALL_STARTS:
            return None
        head = _SENTENCE_HEADS[choice % len(_SENTENCE_HEADS)]
        return f"{head} {words[0].lower()} {' '.join(words[1:])}"
    if words[0].lower() in _QUANTIFIED or _EXISTS.search(sentence):
        return None
    verb = words[place]
    changed = f"{verb} not" if form == "not" else _CONTRACTED[verb]
    return " ".join([*words[:place], changed, *words[place + 1 :]])


def number_swapped(sentence: str, *, step: int = 1) -> str | None:
    """The sentence with its only number another one, or None if it has none or several.

    Examples
    --------
    >>> number_swapped("Two dogs run.")
    'Three dogs run.'
    >>> number_swapped("It rained on 12 days.", step=3)
    'It rained on 15 days.'
    """
    words = sentence.split()
    spelled = [i for i, word in enumerate(words) if word.lower().strip(".,") in _NUMBERS]
    digits = list(_DIGITS.finditer(sentence))
    if len(spelled) + len(digits) != 1 or re.search(r"\b(at least|least|about|over)\b", sentence):
        return None
    if digits:
        found = digits[0]
        return sentence[: found.start()] + str(int(found[1]) + step) + sentence[found.end() :]
    word = words[spelled[0]]
    bare = word.lower().strip(".,")
    other = _NUMBERS[(_NUMBERS.index(bare) + step) % len(_NUMBERS)]
    if other == bare:
        return None
    if word[0].isupper():
        other = other.capitalize()
    words[spelled[0]] = other + word[len(bare) :]
    return " ".join(words)


def _verb(words: list[str]) -> int | None:
    """Where the finite auxiliary of the main clause stands, if that is plain."""
    for place, word in enumerate(words[:14]):
        if word in _AUXILIARIES and place:
            return place
        if word in _PERFECT and place and place + 1 < len(words):
            return place if re.search(r"(ed|en|een)$", words[place + 1]) else None
        if _BREAKS.search(word):
            return None
    return None
