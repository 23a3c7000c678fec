"""Does rewording change a judge's answer where it should not, and turn it where it should?

Everything is conditional on people's labels of *both* variants: that a paraphrase kept its label,
or a negation turned it, is looked up and never assumed; pairs that people labelled otherwise than
the variant's name suggests are counted and set aside. A judge that always says the same keeps
every paraphrase, so each number stands beside that judge's. Families are the unit of every
interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np

from voirdire import stats
from voirdire.records import (
    DilutionPoint,
    Estimate,
    JudgeInvariance,
    VariantEffect,
    WordingTest,
)
from voirdire.studies.alignment import Aligned, Column
from voirdire.studies.broken_families import broken_families
from voirdire.studies.invariance_words import certificate_words
from voirdire.studies.pairing import Pairs, equivalent_negations, pair_up
from voirdire.studies.replay_noise import replay_noise
from voirdire.studies.slicing import claim_words
from voirdire.studies.variant_groups import group_of

__all__ = ["SHORT_CLAIM_WORDS", "families_with", "flip_map", "invariance", "refuted"]

LEVEL: Final = 0.95
MAX_BROKEN: Final = 12
"""Families shown on the page; all are counted."""
SHORT_CLAIM_WORDS: Final = 5
"""Claims with fewer words are short; fixed before any data are seen."""

Better = Literal["high", "low", "zero"]
Test = Callable[[Column], Estimate]


def invariance(
    aligned: Aligned, *, judge: str = "judge", run_id: str = "", fresh_repeats: bool = True
) -> JudgeInvariance:
    """The invariance certificate of one judge.

    Parameters
    ----------
    aligned : Aligned
        Reference and answers on the claims of a study, every repeat among them.
    judge, run_id : str
        Named on the certificate.
    fresh_repeats : bool
        Whether the repeats were asked anew; cached ones say nothing about the judge's noise.

    Returns
    -------
    JudgeInvariance
        Quantities without eligible pairs are undefined and say so.
    """
    pairs = pair_up(aligned)
    tests = _tests(pairs)
    broken = broken_families(pairs)
    variants = _variants(pairs)
    replay = replay_noise(pairs, level=LEVEL, fresh=fresh_repeats)
    return JudgeInvariance(
        judge=judge,
        run_id=run_id,
        tests=tests,
        variants=variants,
        dilution=_dilution(pairs),
        replay=replay,
        broken=broken[:MAX_BROKEN],
        families_broken=len(broken),
        families_paired=len(set(pairs.family)),
        set_aside=_set_aside(pairs),
        sentences=certificate_words(judge, tests, variants, replay),
    )


def families_with(aligned: Aligned) -> dict[str, int]:
    """Families that hold a variant of each group, with a reference label; sorted by group."""
    found: dict[str, set[str]] = {}
    for claim in aligned.claims:
        found.setdefault(group_of(claim.variant), set()).add(claim.family)
    return {group: len(families) for group, families in sorted(found.items())}


def flip_map(aligned: Aligned) -> dict[str, str]:
    """The labels that negation turns, under the view.

    *Unverifiable* is not among them: else a judge that says so of a claim and of its denial would
    count as turning, and one that always says so would turn in every pair.
    """
    return {"supported": refuted(aligned), refuted(aligned): "supported"}


def refuted(aligned: Aligned) -> str:
    """The label of a claim the context speaks against, under the view."""
    return "contradicted" if aligned.view == "three_class" else "not_supported"


def _tests(pairs: Pairs) -> tuple[WordingTest, ...]:
    aligned = pairs.aligned
    constant = _constant(aligned)
    made = [
        *_same_answer_tests(pairs),
        *_negation_tests(pairs),
        *_number_tests(pairs),
        *_length_tests(aligned),
    ]
    return tuple(
        WordingTest(
            name=name,
            estimate=test(aligned.judge),
            constant=test(constant).value if constant is not None else None,
            better=better,
        )
        for name, better, test in made
    )


def _constant(aligned: Aligned) -> Column | None:
    if not len(aligned.human):
        return None
    names, counts = np.unique(aligned.human.astype(str), return_counts=True)
    column = np.empty(len(aligned.human), dtype=object)
    column[:] = str(names[int(np.argmax(counts))])
    return column


def _common(pairs: Pairs) -> dict[str, Any]:
    return {"family": pairs.family, "labels": pairs.aligned.labels, "level": LEVEL}


def _same_answer_tests(pairs: Pairs) -> list[tuple[str, Better, Test]]:
    found: list[tuple[str, Better, Test]] = []
    for group, name in (
        ("paraphrase", "paraphrase"),
        ("formatting", "formatting"),
        ("order", "order"),
        ("translation", "language_parity"),
    ):
        part = pairs.of(group)  # type: ignore[arg-type]
        found.append((f"{name}_stability", "high", _stability(part)))
        if group in ("paraphrase", "translation"):
            found.append((f"{name}_harm", "zero", _harm(part)))
    return found


def _stability(part: Pairs) -> Test:
    return lambda judge: stats.paraphrase_consistency(
        *part.human, *part.judge(judge), **_common(part)
    )


def _harm(part: Pairs) -> Test:
    return lambda judge: (
        stats.paraphrase_harm(*part.human, *part.judge(judge), **_common(part)).difference
    )


def _negation_tests(pairs: Pairs) -> list[tuple[str, Better, Test]]:
    part, alike = pairs.of("negation"), equivalent_negations(pairs.aligned)
    flip = flip_map(pairs.aligned)

    def turned(judge: Column, *, given_right: bool = False) -> Estimate:
        return stats.negation_flip_rate(
            *part.human,
            *part.judge(judge),
            **_common(part),
            flip=flip,
            given_right=given_right,
        )

    return [
        ("negation_flip", "high", turned),
        ("negation_flip_given_right", "high", lambda judge: turned(judge, given_right=True)),
        (
            "negation_stuck",
            "low",
            lambda judge: stats.stuck_rate(
                *part.human, *part.judge(judge), **_common(part), flip=flip
            ),
        ),
        (
            "unverifiable_stays",
            "high",
            lambda judge: stats.unverifiable_stays_rate(
                *part.human, *part.judge(judge), **_common(part)
            ),
        ),
        ("equivalent_negation", "high", _stability(alike)),
    ]


def _number_tests(pairs: Pairs) -> list[tuple[str, Better, Test]]:
    part, no = pairs.of("number"), refuted(pairs.aligned)

    def detected(judge: Column) -> Estimate:
        return stats.number_detection_rate(
            part.human[1], part.judge(judge)[1], **_common(part), contradicted=no
        )

    def blind(judge: Column) -> Estimate:
        return stats.blind_rate(*part.human, *part.judge(judge), **_common(part), contradicted=no)

    return [("number_detection", "high", detected), ("number_blind", "low", blind)]


def _length_tests(aligned: Aligned) -> list[tuple[str, Better, Test]]:
    words = np.array([claim_words(claim) for claim in aligned.claims], dtype=float)
    family = aligned.family.tolist()

    def right(judge: Column) -> list[float]:
        pairs = zip(judge, aligned.human, strict=True)
        return [np.nan if said is None else float(said == label) for said, label in pairs]

    def difference(judge: Column) -> Estimate:
        return stats.short_claim_difference(
            right(judge), words, cut=SHORT_CLAIM_WORDS, family=family, level=LEVEL
        )

    def slope(judge: Column) -> Estimate:
        return stats.short_claim_slope(right(judge), words, family=family, level=LEVEL)

    return [("short_claim_difference", "zero", difference), ("short_claim_slope", "zero", slope)]


def _variants(pairs: Pairs) -> tuple[VariantEffect, ...]:
    aligned = pairs.aligned
    constant = _constant(aligned)
    names = sorted({claim.variant for claim in aligned.claims})
    found = []
    for name in names:
        rows = np.array([claim.variant == name for claim in aligned.claims], dtype=bool)
        part, claims = pairs.named(name), aligned.where(rows)
        changed = part.where(~part.alike)
        found.append(
            VariantEffect(
                variant=name,
                group=group_of(name),
                claims=int(rows.sum()),
                pairs=part.size,
                stability=_stability(part)(aligned.judge),
                follows=_follows(changed),
                stuck=_stays(changed),
                accuracy=_accuracy(claims),
                constant_accuracy=(
                    float(np.mean(claims.human == constant[rows])) if constant is not None else None
                ),
            )
        )
    return tuple(found)


def _follows(changed: Pairs) -> Estimate:
    """Right on both, where people's label changed."""
    (human_one, human_two), (one, two) = changed.human, changed.judge()
    return _rate(changed, (one == human_one) & (two == human_two))


def _stays(changed: Pairs) -> Estimate:
    one, two = changed.judge()
    return _rate(changed, one == two)


def _rate(pairs: Pairs, success: Any) -> Estimate:
    one, two = pairs.judge()
    hits = [
        None if a is None or b is None else bool(hit)
        for a, b, hit in zip(one, two, success, strict=True)
    ]
    if not hits:
        return Estimate.not_defined("no eligible pairs", method="rate", level=LEVEL)
    return stats.rate(hits, family=pairs.family, level=LEVEL)


def _accuracy(aligned: Aligned) -> Estimate:
    return stats.raw_agreement(
        aligned.human, aligned.judge, family=aligned.family, labels=aligned.labels, level=LEVEL
    )


def _dilution(pairs: Pairs) -> tuple[DilutionPoint, ...]:
    part = pairs.of("dilution")
    claims = part.aligned.claims
    added = np.array(
        [
            len(claims[two].context) - len(claims[one].context)
            for one, two in zip(part.original, part.variant, strict=True)
        ],
        dtype=int,
    )
    points = []
    for extra in sorted(set(added[added > 0].tolist())):
        here = part.where(added == extra)
        rows = np.zeros(len(claims), dtype=bool)
        rows[here.variant] = True
        points.append(
            DilutionPoint(
                added=extra,
                stability=_stability(here)(part.aligned.judge),
                accuracy=_accuracy(part.aligned.where(rows)),
            )
        )
    return tuple(points)


def _set_aside(pairs: Pairs) -> dict[str, int]:
    """Variants that a test was meant for and could not use, by reason."""
    aligned, found = pairs.aligned, Counter[str]()
    for row in pairs.alone:
        found[f"{group_of(aligned.claims[row].variant)} without a labelled original"] += 1
    flip = flip_map(aligned)
    for group, first, second in zip(pairs.groups, *pairs.human, strict=True):
        if group in ("paraphrase", "formatting", "translation") and first != second:
            found[f"{group} that people labelled differently"] += 1
        if group == "negation" and first != "unverifiable" and flip.get(first) != second:
            found["negation that people did not turn"] += 1
        if group == "number" and (first, second) != ("supported", refuted(aligned)):
            found["number edit not from supported to " + refuted(aligned)] += 1
    return dict(sorted(found.items()))
