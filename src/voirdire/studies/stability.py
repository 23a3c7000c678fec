"""Which claims change their answer, from what to what; and claims that stand there twice."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any, Final

import numpy as np

from voirdire import stats
from voirdire.records import DuplicateClaims, UnstableClaim
from voirdire.studies.repeats import Repeats

__all__ = ["duplicates", "flip_table", "unstable_claims"]

MAX_EXAMPLES: Final = 20


def flip_table(answers: Any) -> dict[str, dict[str, int]]:
    """Ordered pairs of repeats by their answers, counted over claims."""
    names, codes = np.unique(answers.astype(str), return_inverse=True)
    codes = codes.reshape(answers.shape)
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    for row in codes:
        found = np.bincount(row, minlength=len(names))
        counts += np.outer(found, found) - np.diag(found)
    return {
        str(one): {str(two): int(counts[i, j]) for j, two in enumerate(names) if counts[i, j]}
        for i, one in enumerate(names)
    }


def unstable_claims(repeats: Repeats) -> list[UnstableClaim]:
    """Claims with more than one answer, worst first."""
    found = []
    for row, claim in enumerate(repeats.claims):
        answers = tuple(str(one) for one in repeats.answers[row])
        k = len(answers)
        same = sum(n * (n - 1) for n in Counter(answers).values())
        if same < k * (k - 1):
            found.append(
                UnstableClaim(
                    claim_id=claim.id,
                    family=claim.family,
                    claim=claim.claim,
                    answers=answers,
                    disagreement=1 - same / (k * (k - 1)),
                )
            )
    return sorted(found, key=lambda one: (-one.disagreement, one.claim_id))


def duplicates(repeats: Repeats) -> DuplicateClaims:
    """Claims equal word for word (spaces apart), compared within each repeat."""
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, claim in enumerate(repeats.claims):
        key = (" ".join(claim.claim.split()), *(" ".join(c.split()) for c in claim.context))
        groups[key].append(row)
    twins = [rows for rows in groups.values() if len(rows) > 1]
    differ: list[bool] = []
    group_of: list[int] = []
    examples = []
    for number, rows in enumerate(twins):
        found = [
            bool(repeats.answers[one, k] != repeats.answers[two, k])
            for k in range(len(repeats.sessions))
            for one, two in pairwise(rows)
        ]
        differ += found
        group_of += [number] * len(found)
        if any(found):
            examples.append(tuple(repeats.claims[row].id for row in rows))
    return DuplicateClaims(
        groups=len(twins),
        differing=stats.rate(differ, family=group_of),
        examples=tuple(examples[:MAX_EXAMPLES]),
    )
