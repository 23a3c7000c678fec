"""Aligned claims made to order: the tests' own small laboratory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voirdire.records import LABELS, Claim
from voirdire.studies import Aligned, align

FLIP = {"supported": "contradicted", "contradicted": "supported", "unverifiable": "supported"}


def claims_of(families: int, *, size: int = 3, language: str = "en") -> list[Claim]:
    """Families of an original, a paraphrase, a negation, a changed number, then paraphrases."""
    named = ["original", "paraphrase", "negation", "number_swap"]
    variants = [*named, *["paraphrase"] * max(size - 4, 0)][:size]
    return [
        Claim(
            id=f"{language}{f}-{v}",
            family=f"{language}{f}",
            variant=variant,
            claim=f"claim {f} {v}",
            context=(f"context {f}",),
            language=language,
        )
        for f in range(families)
        for v, variant in enumerate(variants)
    ]


def labels_of(claims: Sequence[Claim]) -> dict[str, str]:
    """A third of the families each; negations turn round, changed numbers contradict."""
    turned = {
        "supported": "contradicted",
        "contradicted": "supported",
        "unverifiable": "unverifiable",
    }
    labels: dict[str, str] = {}
    for claim in claims:
        number = int(claim.family.lstrip("abcdefghijklmnopqrstuvwxyz"))
        label = LABELS[number % 3]
        if claim.variant == "number_swap" and label == "supported":
            label = "contradicted"
        labels[claim.id] = turned[label] if claim.variant == "negation" else label
    return labels


def laboratory(
    families: int = 60,
    *,
    size: int = 3,
    wrong: float = 0.0,
    wrong_on: str = "",
    people: int = 3,
    people_wrong: float = 0.05,
    failing: float = 0.0,
    seed: int = 0,
    languages: Sequence[str] = ("en",),
) -> Aligned:
    """A judge that errs at a rate (or on every claim of a variant), people who err at theirs."""
    rng = np.random.default_rng(seed)
    claims = [
        claim
        for language in languages
        for claim in claims_of(families, size=size, language=language)
    ]
    labels = labels_of(claims)
    answers: dict[str, list[tuple[str, str | None]]] = {}
    votes: dict[str, dict[str, str]] = {}
    for claim in claims:
        label = labels[claim.id]
        if rng.random() < failing:
            answers[claim.id] = [("timed_out", None)]
        else:
            err = claim.variant == wrong_on or rng.random() < wrong
            answers[claim.id] = [("judged", FLIP[label] if err else label)]
        votes[claim.id] = {
            f"a{k}": FLIP[label] if rng.random() < people_wrong else label for k in range(people)
        }
    return align(claims, labels, answers, view="three_class", votes=votes)  # type: ignore[arg-type]
