"""Claims of a set as pairs to train an NLI model on, read as the judge would read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from voirdire.judges.nli.windows import windows
from voirdire.judges.text import cleaned
from voirdire.models.training import Pair
from voirdire.records import LABELS, Claim, Label

__all__ = ["pairs_from"]

# A word of English or Italian has about 1.3 tokens; the marks and some reserve go off as well.
_TOKENS_A_WORD = 1.4
_RESERVE = 8


def pairs_from(
    claims: Iterable[Claim],
    labels: Mapping[str, str],
    *,
    sentences: int = 3,
    max_length: int = 128,
) -> list[Pair]:
    """One pair for each claim with one of the three labels.

    The premise is the whole context where it fits; else the window, of those a judge would make,
    that holds most of the claim's words: people's label is about the whole context, and this is
    the best guess at what they looked at.

    Parameters
    ----------
    claims : iterable of Claim
    labels : mapping of str to str
        Claim id to reference label; ``not_supported`` is left out, for it may be either.
    sentences : int
        Of a window at most.
    max_length : int
        Tokens that the model is to read.
    """
    pairs = []
    for claim in claims:
        label = labels.get(claim.id)
        if label in LABELS:
            premise = _premise(claim, sentences=sentences, max_length=max_length)
            if premise:
                pairs.append(
                    Pair(premise, cleaned(claim.claim), _one_of(label), "claims", claim.family)
                )
    return pairs


def _one_of(label: str) -> Label:
    return next(known for known in LABELS if known == label)


def _premise(claim: Claim, *, sentences: int, max_length: int) -> str:
    room = int((max_length - _RESERVE) / _TOKENS_A_WORD) - len(claim.claim.split())
    whole = " ".join(filter(None, map(cleaned, claim.context)))
    if len(whole.split()) <= room:
        return whole
    found = windows(
        claim.context,
        sentences_each=sentences,
        overlap=min(1, sentences - 1),
        room=max(1, room),
        lengths=lambda texts: [len(text.split()) for text in texts],
    )
    words = _words(claim.claim)
    return max(
        (window.text for window in found), key=lambda text: len(words & _words(text)), default=""
    )


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
