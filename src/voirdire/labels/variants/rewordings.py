"""Rules that change the form of a claim, its context, or its whole polarity.

Formatting, order and dilution leave the label where it is. A negation of the whole claim turns
supported into contradicted and back; a double one turns it twice. Reported speech moves the claim
to a speaker that the context does not know.
"""

from __future__ import annotations

import re
from typing import Final

from voirdire.labels.variants.languages import VariantLanguage
from voirdire.records import Label

__all__ = [
    "FORMATS",
    "TURNED",
    "denied",
    "diluted",
    "doubly_negated",
    "formatted",
    "negated",
    "reordered",
    "reported",
]

TURNED: Final[dict[Label, Label]] = {
    "supported": "contradicted",
    "contradicted": "supported",
    "unverifiable": "unverifiable",
}
FORMATS: Final = ("spaces", "markdown", "capitals")


def formatted(claim: str, how: str) -> str:
    """The same words with two spaces, in bold, or in capitals.

    Raises
    ------
    ValueError
        If ``how`` is not one of `FORMATS`.
    """
    words = claim.split(" ")
    if how == "spaces":
        middle = max(1, len(words) // 2)
        return " ".join(words[:middle]) + "  " + " ".join(words[middle:])
    if how == "markdown":
        middle = max(1, len(words) // 2)
        return f"**{' '.join(words[:middle])}** {' '.join(words[middle:])}".rstrip()
    if how == "capitals":
        return claim.upper()
    raise ValueError(f"how must be one of {', '.join(FORMATS)}, got {how!r}")


def reordered(context: tuple[str, ...]) -> tuple[str, ...] | None:
    """The chunks in reverse order; None where there is one, or nothing changes."""
    turned = context[::-1]
    return turned if turned != context else None


def diluted(context: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """Unrelated chunks put before and after the context, alternating."""
    before, after = others[::2], others[1::2]
    return (*before, *context, *after)


def negated(claim: str, language: VariantLanguage) -> str | None:
    """The claim with *not* at its only verb; None where that may not deny all of it.

    Safe: one sentence, one verb of the closed list, no comma, no word of ``scope`` (quantifiers,
    connectives, negations, *only*, *always* …).
    """
    negation = language.negation
    words = re.findall(r"[\w']+", claim)
    low = [word.lower() for word in words]
    if not negation.particle or set(low) & language.scope or not _single(claim):
        return None
    if any(re.search(rf"\b{re.escape(word)}\b", claim, re.I) for word in ("n't", "’t")):
        return None
    names = sorted(negation.verbs, key=len, reverse=True)
    found = list(re.finditer(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", claim))
    if len(found) != 1 or found[0].start() == 0:
        return None
    verb = found[0]
    before = re.findall(r"\w+", claim[: verb.start()].lower())
    if set(before[-1:]) & negation.not_after and (negation.place == "before" or len(before) > 1):
        return None
    if negation.place == "before":
        return f"{claim[: verb.start()]}{negation.particle} {claim[verb.start() :]}"
    first = verb[0].split()[0]
    after = verb.start() + len(first)
    if first in negation.joined:
        return claim[: verb.start()] + negation.joined[first] + claim[after:]
    return f"{claim[:after]} {negation.particle}{claim[after:]}"


def denied(claim: str, language: VariantLanguage) -> str | None:
    """The whole claim behind *it is not true that*; None where it would not read well."""
    frame = language.negation.denial
    if not frame or not _one_sentence(claim) or not claim.rstrip().endswith("."):
        return None
    if not re.match(r"[^a-z]", claim.strip()) or not _has_a_verb(claim, language):
        return None
    inside = _lowered(claim, language)
    return frame.replace("{claim}", inside) if inside else None


def doubly_negated(claim: str, language: VariantLanguage) -> str | None:
    """A safe negation of the claim, denied again."""
    once = negated(claim, language)
    return denied(once, language) if once else None


def reported(claim: str, language: VariantLanguage, *, number: int = 0) -> str | None:
    """The claim in the mouth of someone the context does not know."""
    frames = language.reported.frames
    if not frames or not _one_sentence(claim):
        return None
    return frames[number % len(frames)].replace("{claim}", claim.strip())


def _single(claim: str) -> bool:
    return _one_sentence(claim) and not re.search(r"[,;:()\"«»“”—]|\s-\s|\s–\s", claim)


def _has_a_verb(claim: str, language: VariantLanguage) -> bool:
    """Whether a finite verb is sure to stand there; a fragment cannot be denied."""
    pattern = language.negation.finite
    return not pattern or re.search(pattern, claim) is not None


def _one_sentence(claim: str) -> bool:
    text = claim.strip()
    inner = re.sub(r"\d[.,]\d", "00", text)[:-1]
    return bool(text) and "?" not in text and "\n" not in text and not re.search(r"[.!]\s", inner)


def _lowered(claim: str, language: VariantLanguage) -> str | None:
    """Fit to stand inside a sentence; None where it cannot be told whether a name begins it."""
    text = claim.strip()
    words = re.findall(r"\w+", text)
    if not words:
        return None
    if words[0].lower() in language.small:
        title = words[0].lower() in language.title
        if title and len(words) > 1 and words[1][0].isupper():  # One Flew Over ..., A Clash of ...
            return None
        return text[0].lower() + text[1:]
    named = len(words) > 1 and (words[1][0].isupper() or words[0][1:] != words[0][1:].lower())
    apart = text[len(words[0]) :].startswith(",")
    return text if (named or words[0][0].isdigit()) and not apart else None
