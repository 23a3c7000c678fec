"""The numbers that gates and page share, at whatever level they are asked for."""

from __future__ import annotations

import numpy as np

from voirdire import stats
from voirdire.records import Estimate
from voirdire.studies.alignment import Aligned, Column

__all__ = [
    "constant_agreement",
    "dangerous_label",
    "dangerous_share",
    "filled",
    "kappa",
    "recall_bounds",
]

_FURTHEST = {
    "supported": "contradicted",
    "contradicted": "supported",
    "unverifiable": "supported",
    "not_supported": "supported",
}
"""What a missing judgment becomes when it is counted as wrong: the worse of the other answers."""


def dangerous_label(aligned: Aligned) -> str:
    """The label whose confusion with *supported* does harm, under the view."""
    return "contradicted" if aligned.view == "three_class" else "not_supported"


def filled(aligned: Aligned, *, right: bool) -> Column:
    """The judge's labels with every missing judgment counted as right, or as wrong."""
    judge = aligned.judge.copy()
    for row in np.flatnonzero(aligned.judge == None):  # noqa: E711 - elementwise
        human = str(aligned.human[row])
        judge[row] = human if right else _FURTHEST[human]
    if not right and aligned.view == "supported_or_not":
        missing = aligned.judge == None  # noqa: E711 - elementwise
        judge[missing & (aligned.human == "supported")] = "not_supported"
    return judge


def kappa(aligned: Aligned, *, level: float, judge: Column | None = None) -> Estimate:
    """Cohen's kappa against the reference; ``judge`` replaces the judge's own column."""
    column = aligned.judge if judge is None else judge
    return stats.kappa(
        aligned.human, column, family=aligned.family, labels=aligned.labels, level=level
    )


def recall_bounds(aligned: Aligned, label: str, *, level: float) -> tuple[Estimate, Estimate]:
    """Recall of a label with missing judgments counted as missed, and as caught."""
    rows = aligned.human == label
    family = aligned.family[rows]
    return (
        stats.rate(filled(aligned, right=False)[rows] == label, family=family, level=level),
        stats.rate(filled(aligned, right=True)[rows] == label, family=family, level=level),
    )


def dangerous_share(aligned: Aligned, *, level: float) -> Estimate:
    """Of the claims people call contradicted, the share that the judge calls supported."""
    rows = aligned.human == dangerous_label(aligned)
    hits = [None if answer is None else answer == "supported" for answer in aligned.judge[rows]]
    return stats.rate(hits, family=aligned.family[rows], level=level)


def constant_agreement(aligned: Aligned, *, level: float) -> Estimate:
    """Raw agreement of a judge that always gives the commonest reference label."""
    if not len(aligned.human):
        return Estimate.not_defined("no items", method="share of the commonest label", level=level)
    names, counts = np.unique(aligned.human.astype(str), return_counts=True)
    commonest = names[int(np.argmax(counts))]
    return stats.rate(aligned.human == commonest, family=aligned.family, level=level)
