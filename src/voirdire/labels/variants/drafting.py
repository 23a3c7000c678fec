"""Proposals by rule: one pass over a claim set, each draft with its rule and its prediction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from voirdire.labels.variants.languages import VariantLanguage, variant_language
from voirdire.labels.variants.rewordings import (
    FORMATS,
    TURNED,
    denied,
    diluted,
    doubly_negated,
    formatted,
    negated,
    reordered,
    reported,
)
from voirdire.labels.variants.swaps import SWAPS
from voirdire.records import Claim, Draft, Label, ReferenceLabel

__all__ = ["DILUTIONS", "RULES", "Proposals", "propose_by_rule"]

DILUTIONS: Final = (1, 3, 6)
"""Unrelated chunks added."""
_RELATED = 0.15
"""A chunk that holds more of the claim's long words is not unrelated."""

RULES: Final[dict[str, str]] = {
    "number_swap": "a larger number, in digits or as a word",
    "date_swap": "another month beside a day; another year of what happens once",
    "unit_swap": "another unit of the same kind",
    "percentage_swap": "a larger percentage",
    "ordinal_swap": "the next place in an order",
    "negation": "not at the only verb",
    "equivalent_negation": "it is not true that",
    "double_negation": "it is not true that ... not",
    "formatting_noise": "two spaces, bold, capitals",
    "context_order": "the chunks in reverse order",
    "dilution": "1, 3 and 6 unrelated chunks",
    "reported_speech": "somebody the context does not know says it",
}


@dataclass
class Proposals:
    """What the rules made of a set, and why they made nothing where they did not.

    Attributes
    ----------
    drafts : list of Draft
    skipped : dict of str to int
        Originals or rules passed over, by reason.
    """

    drafts: list[Draft] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


def propose_by_rule(
    claims: Sequence[Claim],
    labels: dict[str, ReferenceLabel],
    *,
    rules: Sequence[str] = (),
) -> Proposals:
    """Drafts for every original, in the order of the set.

    Parameters
    ----------
    claims : sequence of Claim
    labels : dict
        Reference labels of claims; the prediction follows from the original's.
    rules : sequence of str
        Names of `RULES`; empty: all.

    Returns
    -------
    Proposals
        A swap is proposed only for originals that people called supported: what another number
        makes of any other claim cannot be said. The rest is proposed for every original; without
        a label there is no prediction.
    """
    found = Proposals()
    chosen = rules or tuple(RULES)
    originals = [claim for claim in claims if claim.variant == "original"]
    bare = {claim.family for claim in claims} - {claim.family for claim in originals}
    if bare:
        found.skipped["family without original"] = len(bare)
    pool = _pool(originals)
    for claim in originals:
        language = variant_language(claim.language)
        if language is None:
            found.skipped[f"no rules for the language {claim.language}"] += 1
            continue
        label = labels.get(claim.id)
        known = label if label in TURNED else None
        for draft in _drafts(claim, language, known, pool, chosen, found.skipped):
            found.drafts.append(draft)
    found.skipped = +found.skipped  # only what was passed over
    return found


_UNSAFE = "{rule}: no place in the claim where it is safe"

Maker = Callable[[Claim, VariantLanguage], str | None]


def _drafts(
    claim: Claim,
    language: VariantLanguage,
    label: Label | None,
    pool: Sequence[tuple[str, str]],
    rules: Sequence[str],
    skipped: Counter[str],
) -> Iterator[Draft]:
    for rule in rules:
        if rule in SWAPS:
            yield from _swapped(claim, language, label, rule, skipped)
        elif rule == "dilution":
            yield from _dilutions(claim, label, pool, skipped)
        elif rule == "context_order":
            turned = reordered(claim.context)
            if turned:
                yield _draft(claim, rule, claim.claim, label, context=turned)
            else:
                skipped[f"{rule}: one chunk only"] += 1
        elif rule == "formatting_noise":
            for how in FORMATS:
                text = formatted(claim.claim, how)
                yield from _one(claim, rule, text, label, name=f"formatting_{how}")
        else:
            made = list(_said_otherwise(claim, language, label, rule))
            skipped[_UNSAFE.format(rule=rule)] += not made
            yield from made


def _swapped(
    claim: Claim,
    language: VariantLanguage,
    label: Label | None,
    rule: str,
    skipped: Counter[str],
) -> Iterator[Draft]:
    if label != "supported":
        skipped[f"{rule}: the original is not called supported"] += 1
        return
    text = SWAPS[rule](claim.claim, " ".join(claim.context), language)
    skipped[_UNSAFE.format(rule=rule)] += text is None
    yield from _one(claim, rule, text, "contradicted")


def _said_otherwise(
    claim: Claim, language: VariantLanguage, label: Label | None, rule: str
) -> Iterator[Draft]:
    if rule == "reported_speech":
        text = reported(claim.claim, language, number=len(claim.claim))
        yield from _one(claim, rule, text, "unverifiable")
        return
    turned = TURNED[label] if label else None
    predicted = label if rule == "double_negation" else turned
    yield from _one(claim, rule, _POLARITY[rule](claim.claim, language), predicted)


_POLARITY: Final[dict[str, Callable[[str, VariantLanguage], str | None]]] = {
    "negation": negated,
    "equivalent_negation": denied,
    "double_negation": doubly_negated,
}


def _one(
    claim: Claim, rule: str, text: str | None, predicted: Label | None, *, name: str = ""
) -> Iterator[Draft]:
    if text is not None and text != claim.claim:
        yield _draft(claim, rule, text, predicted, name=name)


def _draft(
    claim: Claim,
    rule: str,
    text: str,
    predicted: Label | None,
    *,
    name: str = "",
    context: tuple[str, ...] = (),
) -> Draft:
    variant = name or rule
    return Draft(
        id=f"{claim.id}+{variant}",
        family=claim.family,
        variant=variant,
        claim=text,
        context=context or claim.context,
        language=claim.language,
        of=claim.id,
        maker="rule",
        rule=rule,
        predicted=predicted,
    )


def _pool(originals: Sequence[Claim]) -> list[tuple[str, str]]:
    """Every chunk once, with its language."""
    seen: dict[tuple[str, str], None] = {}
    for claim in originals:
        for chunk in claim.context:
            if chunk.strip():
                seen.setdefault((claim.language, chunk))
    return list(seen)


def _dilutions(
    claim: Claim, label: Label | None, pool: Sequence[tuple[str, str]], skipped: Counter[str]
) -> Iterator[Draft]:
    words = _long_words(claim.claim)
    numbers = set(re.findall(r"\d+", claim.claim))
    start = sum(map(ord, claim.id))
    unrelated = []
    for step in range(len(pool)):
        language, chunk = pool[(start + 7 * step) % len(pool)]
        if language != claim.language or chunk in claim.context or chunk in unrelated:
            continue
        if len(words & _long_words(chunk)) <= _RELATED * len(words) and not numbers & set(
            re.findall(r"\d+", chunk)
        ):
            unrelated.append(chunk)
        if len(unrelated) == DILUTIONS[-1]:
            break
    for k in DILUTIONS:
        if len(unrelated) < k:
            skipped["dilution: the set has too few unrelated chunks"] += 1
            return
        context = diluted(claim.context, tuple(unrelated[:k]))
        yield _draft(
            claim, "dilution", claim.claim, label, name=f"context_dilution_{k}", context=context
        )


def _long_words(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"\w+", text.lower()) if len(word) > 3}
