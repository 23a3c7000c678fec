"""Kinds of slices: what a claim says of itself, and blind spots found by simple detectors.

The detectors are rough on purpose and are never used as labels: they only sort claims into parts
whose agreement is shown apart, so that a judge that is good on average and blind on some part is
seen to be. What each looks at stands in `KINDS`. Words are cut and counted as the lexical judge
does it; a language it does not know has no stop words and no negation cues, so the kinds that need
them leave such claims out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from voirdire.errors import InputError
from voirdire.judges.text import Language, cleaned, load_language, shipped_languages, tokens
from voirdire.records import Claim
from voirdire.store import nearest

__all__ = ["DEFAULT_SLICES", "KINDS", "claim_words", "slice_value"]

SHORT_BELOW: Final = 5
STEM: Final = 5
_FEW_WORDS: Final = 0.5
_FOUND: Final = 0.5

KINDS: Final[Mapping[str, str]] = {
    "variant": "the role in its family, as the claim set says it",
    "language": "the language, as the claim set says it",
    "topic": "the topic, as the claim set says it",
    "source": "the source, as the claim set says it",
    "length": "claims under five words, and the others",
    "numbers": "claims with and without a digit",
    "negation": "claims with and without a negation cue of their language",
    "implied": "claims most of whose words stand nowhere in the context, and the others",
    "chunks": "how many chunks the context has",
    "evidence": "where the chunk stands that holds most of the claim's words",
}
"""Kind to what it looks at; the kinds that ``slices`` of study.toml may name."""
DEFAULT_SLICES: Final[tuple[str, ...]] = tuple(kind for kind in KINDS if kind != "source")


def slice_value(claim: Claim, kind: str) -> str:
    """The part of a kind that a claim belongs to; empty if it belongs to none.

    Raises
    ------
    InputError
        If there is no such kind.
    """
    if kind in _DETECTORS:
        return _DETECTORS[kind](claim)
    if kind in KINDS:
        return str(getattr(claim, kind) or "")
    guess = nearest(kind, list(KINDS))
    raise InputError(
        f"no slices are called {kind!r}",
        where="study.toml, field slices",
        allowed=", ".join(KINDS),
        todo=f"did you mean {guess!r}?" if guess else "",
    )


def claim_words(claim: Claim) -> int:
    """Words of a claim: runs of letters and digits."""
    return len(_tokens(claim.claim, claim.language))


def _length(claim: Claim) -> str:
    return "under 5 words" if claim_words(claim) < SHORT_BELOW else "5 words or more"


def _numbers(claim: Claim) -> str:
    return "with a number" if any(mark.isdigit() for mark in claim.claim) else "without a number"


def _negation(claim: Claim) -> str:
    language = _language(claim.language)
    if language is None:
        return ""
    found = language.negations(_tokens(claim.claim, claim.language))
    return "with a negation" if found else "without a negation"


def _implied(claim: Claim) -> str:
    stems = _stems(claim.claim, claim.language)
    if not stems:
        return ""
    known = _stems(" ".join(claim.context), claim.language)
    share = len(stems & known) / len(stems)
    return "few words in the context" if share < _FEW_WORDS else "words in the context"


def _chunks(claim: Claim) -> str:
    count = len(claim.context)
    return "1 chunk" if count == 1 else "2 to 3 chunks" if count < 4 else "4 chunks or more"


def _evidence(claim: Claim) -> str:
    """Of several chunks the one with most of the claim's words; the first of equals."""
    stems = _stems(claim.claim, claim.language)
    if len(claim.context) < 2 or not stems:
        return ""
    hits = [len(stems & _stems(chunk, claim.language)) for chunk in claim.context]
    if max(hits) / len(stems) < _FOUND:
        return "nowhere plainly"
    place = hits.index(max(hits))
    if place == 0:
        return "first chunk"
    return "last chunk" if place == len(hits) - 1 else "middle chunk"


_DETECTORS: Final[Mapping[str, Callable[[Claim], str]]] = {
    "length": _length,
    "numbers": _numbers,
    "negation": _negation,
    "implied": _implied,
    "chunks": _chunks,
    "evidence": _evidence,
}


@lru_cache(maxsize=16)
def _language(tag: str) -> Language | None:
    code = tag.partition("-")[0]
    return load_language(code) if code in shipped_languages() else None


@lru_cache(maxsize=20_000)
def _tokens(text: str, tag: str) -> tuple[str, ...]:
    language = _language(tag)
    if language is None:
        return tuple(tokens(cleaned(text)))
    numbers = language.numbers
    return tuple(tokens(cleaned(text), decimal=numbers.decimal, group=numbers.group))


@lru_cache(maxsize=20_000)
def _stems(text: str, tag: str) -> frozenset[str]:
    language = _language(tag)
    stop = frozenset(language.stop_words) if language else frozenset()
    return frozenset(word[:STEM] for word in _tokens(text, tag) if word not in stop)
