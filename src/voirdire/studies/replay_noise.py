"""What rewording does beyond what asking again does.

A judge that flickers changes its answer to a paraphrase for no reason of wording. With K askings
of each claim, the chance that original and variant differ is compared with the chance that each
differs from itself: ``excess = P(a != b) - (P(a != a') + P(b != b')) / 2``, each over all pairs of
askings. Its mean is zero if wording makes no difference, whatever the noise, and it needs no
threshold.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from voirdire import stats
from voirdire.records import Estimate, ReplayNoise
from voirdire.stats.family_mean import family_mean
from voirdire.studies.pairing import Pairs, repeat_labels
from voirdire.studies.variant_groups import STABLE_GROUPS

__all__ = ["SINGLE_RUN", "replay_noise", "usual_answer"]

SINGLE_RUN = "asked once: the judge's own noise is not known"
CACHED = "repeats came from a cache: they say nothing about the judge's noise"

Answers = list[str | None]


def replay_noise(pairs: Pairs, *, level: float = 0.95, fresh: bool = True) -> ReplayNoise:
    """The floor of a judge's own noise, and the excess of each stable group over it.

    Parameters
    ----------
    pairs : Pairs
    level : float
    fresh : bool
        Whether the repeats were asked anew; cached ones are no evidence.
    """
    aligned = pairs.aligned
    answers = repeat_labels(aligned)
    repeats = max((len(row) for row in answers), default=1)
    reason = SINGLE_RUN if repeats < 2 else "" if fresh else CACHED
    excess = {
        group: _excess(pairs.of(group), answers, reason, level)
        for group in STABLE_GROUPS
        if group in pairs.groups
    }
    rows = sorted({*pairs.original.tolist(), *pairs.variant.tolist()})
    method = "chance that two askings of one claim differ"
    if reason:
        floor = Estimate.not_defined(reason, method=method, n_asked=len(rows), level=level)
    else:
        floor = stats.flip_rates(
            [answers[row] + [None] * (repeats - len(answers[row])) for row in rows],
            family=aligned.family[rows].tolist(),
            labels=aligned.labels,
            level=level,
        ).pairwise_disagreement
    return ReplayNoise(repeats=max(repeats, 1), floor=floor, excess=excess)


def _excess(pairs: Pairs, answers: list[Answers], reason: str, level: float) -> Estimate:
    method = "changed by rewording beyond changed by asking again"
    alike = pairs.where(pairs.alike)
    if reason:
        return Estimate.not_defined(reason, method=method, n_asked=alike.size, level=level)
    values = np.array(
        [
            _beyond(answers[one], answers[two])
            for one, two in zip(alike.original, alike.variant, strict=True)
        ],
        dtype=float,
    )
    codes = np.unique(alike.family.astype(str), return_inverse=True)[1].reshape(-1)
    return family_mean(values, codes.astype(np.int64), method=method, level=level)


def _beyond(first: Answers, second: Answers) -> float:
    one = [label for label in first if label is not None]
    two = [label for label in second if label is not None]
    if len(one) < 2 or len(two) < 2:
        return float("nan")
    across = np.mean([a != b for a, b in product(one, two)])
    within = (_differ(one) + _differ(two)) / 2
    return float(across - within)


def _differ(answers: list[str]) -> float:
    return float(np.mean([a != b for a, b in combinations(answers, 2)]))


def usual_answer(answers: Answers) -> str | None:
    """The answer given most often; None where there is none, or two are given equally often."""
    known = [label for label in answers if label is not None]
    if not known:
        return None
    names, counts = np.unique(known, return_counts=True)
    best = names[counts == counts.max()]
    return str(best[0]) if best.size == 1 else None
