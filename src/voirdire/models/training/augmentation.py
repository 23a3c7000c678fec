"""More pairs from labelled ones, only where logic settles the label.

Written ``not x`` for a sentence denied as a whole. From ``p`` supports ``c`` follow: ``p``
contradicts ``not c``; ``not c`` contradicts ``p``; ``not c`` supports ``not p``. From ``p``
contradicts ``c``: ``p`` supports ``not c``. From ``p`` leaves ``c`` open: it leaves ``not c``
open. A sentence supports itself and contradicts its denial. Another number in the same sentence
contradicts it. A sentence of another family leaves a claim open when they share no word that
counts. Sentences of other families around a premise change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from voirdire.models.training.negation import NegationForm, negated, number_swapped
from voirdire.models.training.pairs import Pair, normalised
from voirdire.records import LABELS, Label

__all__ = ["DEFAULT_AMOUNTS", "augmented"]

DEFAULT_AMOUNTS: Final[Mapping[str, int]] = {
    "negation": 6500,
    "identity": 1200,
    "number": 1400,
    "unrelated": 2200,
    "surrounded": 2600,
}
"""How many pairs of each kind are made at most."""

_LABEL_LEAD: Final = 300
_FORMS: Final[tuple[NegationForm, ...]] = ("not", "not", "contracted", "sentence", "no")
_FUNCTION_WORDS: Final = frozenset({
    "a", "an", "the", "is", "are", "was", "were", "be", "been", "being", "of", "in", "on", "at",
    "to", "and", "or", "with", "for", "from", "by", "as", "it", "its", "this", "that", "there",
    "his", "her", "their", "he", "she", "they", "two", "three", "some", "one", "i", "you", "we",
    "has", "have", "had", "not", "no", "do", "does", "did", "will", "would", "can", "could",
    "while",
})  # fmt: skip
_PLURAL: Final = re.compile(r"(es|s|ing|ed)$")


def augmented(
    pairs: Sequence[Pair], *, seed: int, amounts: Mapping[str, int] = DEFAULT_AMOUNTS
) -> list[Pair]:
    """Pairs made from `pairs`, in random order; the source says by which rule.

    Parameters
    ----------
    pairs : sequence of Pair
        Their families keep a distractor from coming out of the pair's own family.
    seed : int
    amounts : mapping of str to int
        Kind to the most pairs made of it; see `DEFAULT_AMOUNTS`.

    Raises
    ------
    ValueError
        For an unknown kind.
    """
    makers: dict[str, Callable[[Sequence[Pair], np.random.Generator], Iterator[Pair]]] = {
        "negation": _negations,
        "identity": _identities,
        "number": _numbers,
        "unrelated": _unrelated,
        "surrounded": _surrounded,
    }
    unknown = sorted(set(amounts) - set(makers))
    if unknown:
        raise ValueError(f"amounts must be of {', '.join(makers)}, got {unknown[0]!r}")
    made: list[Pair] = []
    for kind in sorted(amounts):
        rng = np.random.default_rng([seed, sorted(makers).index(kind)])
        order = rng.permutation(len(pairs))
        source = makers[kind]([pairs[i] for i in order], rng)
        for _, pair in zip(range(amounts[kind]), source, strict=False):
            made.append(replace(pair, source=f"rule:{kind}"))
    return made


def _negations(pairs: Sequence[Pair], rng: np.random.Generator) -> Iterator[Pair]:
    """At most one consequence of a pair, so chosen that a negation gives no label away."""
    counts = dict.fromkeys(LABELS, 0)
    for pair in pairs:
        options = list(_consequences(pair, rng))
        rarest = min((counts[one.label] for one in options), default=0)
        if not options or rarest > min(counts.values()) + _LABEL_LEAD:
            continue
        options = [one for one in options if counts[one.label] == rarest]
        chosen = options[int(rng.integers(len(options)))]
        counts[chosen.label] += 1
        yield chosen


def _consequences(pair: Pair, rng: np.random.Generator) -> Iterator[Pair]:
    p, c = pair.context, pair.claim
    not_c = _denied(c, rng)
    not_p = _denied(p, rng)
    make = _maker(pair)
    if not_p is not None:
        yield make(p, not_p, "contradicted")
        yield make(not_p, p, "contradicted")
        yield make(not_p, not_p, "supported")
        if pair.label == "supported" and _generalises(c, p):
            yield make(not_p, c, "unverifiable")
    if not_c is None:
        return
    if pair.label == "supported":
        yield make(p, not_c, "contradicted")
        yield make(not_c, p, "contradicted")
        if not_p is not None:
            yield make(not_c, not_p, "supported")
    elif pair.label == "contradicted":
        if _shared(p, c) >= 0.5:  # the same event: else the denial may be left open
            yield make(p, not_c, "supported")
            yield make(c, p, "contradicted")
    else:
        yield make(p, not_c, "unverifiable")


def _maker(pair: Pair) -> Callable[..., Pair]:
    def make(context: str, claim: str, label: Label) -> Pair:
        return replace(pair, context=context, claim=claim, label=label)

    return make


def _identities(pairs: Sequence[Pair], rng: np.random.Generator) -> Iterator[Pair]:
    for pair in pairs:
        text = (pair.context, pair.claim)[int(rng.integers(2))]
        yield replace(pair, context=text, claim=text, label="supported")


def _numbers(pairs: Sequence[Pair], rng: np.random.Generator) -> Iterator[Pair]:
    for pair in pairs:
        step = int(rng.integers(1, 5))
        if pair.label == "supported":
            other = number_swapped(pair.claim, step=step)
            if other is not None and number_swapped(pair.context) is not None:
                yield replace(pair, claim=other, label="contradicted")
                continue
        other = number_swapped(pair.context, step=step)
        if other is not None:
            yield replace(pair, claim=other, label="contradicted")


def _unrelated(pairs: Sequence[Pair], rng: np.random.Generator) -> Iterator[Pair]:
    for pair in pairs:
        other = pairs[int(rng.integers(len(pairs)))]
        if other.family != pair.family and not _words(pair.claim) & _words(other.context):
            yield replace(pair, context=other.context, label="unverifiable")


def _surrounded(pairs: Sequence[Pair], rng: np.random.Generator) -> Iterator[Pair]:
    """The premise between one or two sentences of other families that do not touch the claim."""
    for pair in pairs:
        others = [pairs[int(i)] for i in rng.integers(len(pairs), size=int(rng.integers(1, 3)))]
        words = _words(pair.claim)
        if any(o.family == pair.family or words & _words(o.context) for o in others):
            continue
        sentences = [_ended(other.context) for other in others]
        sentences.insert(int(rng.integers(len(sentences) + 1)), _ended(pair.context))
        yield replace(pair, context=" ".join(sentences))


def _denied(text: str, rng: np.random.Generator) -> str | None:
    for i in rng.permutation(len(_FORMS)):
        found = negated(text, _FORMS[i], choice=int(rng.integers(4)))
        if found is not None:
            return found
    return None


def _words(text: str) -> frozenset[str]:
    """Words that count, without their commonest endings."""
    return frozenset(
        _PLURAL.sub("", word) for word in normalised(text).split() if word not in _FUNCTION_WORDS
    )


def _shared(context: str, claim: str) -> float:
    words = _words(claim)
    return len(words & _words(context)) / len(words) if words else 0.0


def _generalises(claim: str, context: str) -> bool:
    """Whether the claim only leaves out words of the context."""
    return len(_words(claim)) + 2 <= len(_words(context)) and _shared(context, claim) == 1.0


def _ended(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."
