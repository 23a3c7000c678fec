"""How well people agree among themselves: the ceiling a judge is held against.

Like is compared with like: a majority of three is less noisy than one person, so a judge's kappa
*with single annotators* is compared with the mean pairwise kappa *of annotators*. The z of the
"Judge's Verdict" is given as a description only: with three annotators its standard deviation has
two degrees of freedom. The question "is the judge as good as a person?" is answered by
`leave_one_out`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.records import Estimate, Record
from voirdire.stats.coding import Labels
from voirdire.stats.judged_panel import JudgedPanel, pair_cells, panel_of
from voirdire.stats.krippendorff import krippendorff_alpha
from voirdire.stats.multirater import light_kappa
from voirdire.stats.panel_sums import Ratings
from voirdire.stats.reasons import NO_ITEMS, ONE_LABEL, TOO_FEW_ANNOTATORS
from voirdire.stats.registry import statistic
from voirdire.stats.tables import kappa

__all__ = ["AnnotatorPair", "HumanCeiling", "VerdictZ", "human_ceiling", "judge_verdict_z"]

Floats = NDArray[np.float64]

DESCRIPTION = "description only: the spread of so few annotators carries no inference"


class AnnotatorPair(Record):
    """Cohen's kappa of two annotators (columns), on the items both labelled; None: undefined."""

    first: int
    second: int
    items: int
    kappa: float | None


class HumanCeiling(Record):
    """Result of `human_ceiling`.

    Attributes
    ----------
    kappa : Estimate
        Mean pairwise Cohen kappa (Light), to be compared with a judge's kappa with single people.
    alpha : Estimate
        Krippendorff's alpha, nominal.
    pairs : tuple of AnnotatorPair
        All pairs of annotators who gave labels: who stands apart?
    """

    kappa: Estimate
    alpha: Estimate
    pairs: tuple[AnnotatorPair, ...]


class VerdictZ(Record):
    """Result of `judge_verdict_z`.

    Attributes
    ----------
    judge_vs_human : tuple, length A
        Kappa of the judge with each annotator, None where undefined.
    human_vs_others : tuple, length A
        Mean kappa of each annotator with the others, None where undefined.
    mean_human, sd_human : float or None
        Mean and sample standard deviation (A - 1) of the latter.
    z : Estimate
        (mean of judge_vs_human - mean_human) / sd_human; never with an interval.
    """

    judge_vs_human: tuple[float | None, ...]
    human_vs_others: tuple[float | None, ...]
    mean_human: float | None
    sd_human: float | None
    z: Estimate


@statistic(kind="multi-rater", symmetric=True, duplication=False)
def human_ceiling(
    ratings: Ratings,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> HumanCeiling:
    """Agreement among people, on the scales a judge is measured on.

    Parameters
    ----------
    ratings : array_like, shape (C, A)
        Labels of A annotators; None is missing.
    family : sequence of length C, optional
        Family of each item.
    labels : sequence of length L, optional
        The coding scheme.
    level : float
        Two-sided level.

    Returns
    -------
    HumanCeiling
        Both undefined with 'too few annotators' when fewer than two people gave labels: labels of
        a single annotator have no ceiling.

    Raises
    ------
    ValueError
        If ratings are not a matrix or a label is not in the scheme.

    References
    ----------
    Light (1971), Psychological Bulletin 76:365-377; Krippendorff (2011).

    Examples
    --------
    >>> ratings = [["s", "s", "s"], ["c", "c", "c"], ["s", "s", "c"], ["c", "c", "c"]]
    >>> ceiling = human_ceiling(ratings)
    >>> round(ceiling.kappa.value, 4), round(ceiling.alpha.value, 4), ceiling.pairs[0].kappa
    (0.6667, 0.6857, 1.0)
    """
    panel = panel_of(ratings, None, family=family, labels=labels)
    people = [a for a in range(panel.annotators) if (panel.people[:, a] >= 0).any()]
    if len(people) < 2:
        reason = f"{TOO_FEW_ANNOTATORS}: {len(people)} with labels, 2 needed"
        gone = Estimate.not_defined(
            reason, method="human ceiling", n_asked=panel.items, level=level
        )
        return HumanCeiling(kappa=gone, alpha=gone, pairs=())
    return HumanCeiling(
        kappa=light_kappa(ratings, family=family, labels=labels, level=level),
        alpha=krippendorff_alpha(ratings, family=family, labels=labels, level=level),
        pairs=tuple(_pair(panel, a, b) for a, b in combinations(people, 2)),
    )


def _pair(panel: JudgedPanel, first: int, second: int) -> AnnotatorPair:
    one, two = panel.people[:, first], panel.people[:, second]
    value = _kappa(one, two, len(panel.scheme))
    return AnnotatorPair(
        first=first,
        second=second,
        items=int(((one >= 0) & (two >= 0)).sum()),
        kappa=None if np.isnan(value) else value,
    )


@statistic(kind="panel")
def judge_verdict_z(
    ratings: Ratings,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
) -> VerdictZ:
    """Where the judge's kappa with people lies among the annotators' kappas with each other.

    Parameters
    ----------
    ratings : array_like, shape (C, A)
    judge : sequence of length C
    family : sequence of length C, optional
        Only counted: a description has no interval.
    labels : sequence of length L, optional

    Returns
    -------
    VerdictZ
        |z| < 1 is called human-like and z > 1 super-consistent by the source; no gate uses it.
        Undefined: 'no items', 'too few annotators', 'no variation between annotators'.

    Raises
    ------
    ValueError
        If shapes differ or a label is not in the scheme.

    References
    ----------
    Judge's Verdict (2025), arXiv 2510.09738. The convention for the standard deviation (A - 1)
    is fixed here.

    Examples
    --------
    >>> ratings = [[0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0]]
    >>> result = judge_verdict_z(ratings, [0, 1, 0, 1, 0])
    >>> round(result.mean_human, 4), round(result.z.value, 4)
    (0.4658, 2.1444)
    """
    panel = panel_of(ratings, judge, family=family, labels=labels)
    size, people = len(panel.scheme), panel.annotators
    between = np.full((people, people), np.nan)
    for a, b in combinations(range(people), 2):
        between[a, b] = between[b, a] = _kappa(panel.people[:, a], panel.people[:, b], size)
    with_judge = np.array([_kappa(panel.judge, panel.people[:, a], size) for a in range(people)])
    others = np.array([_mean_known(row) for row in between])
    centre = _mean_known(others)
    known = others[~np.isnan(others)]
    spread = float(known.std(ddof=1)) if known.size > 1 else float("nan")
    return VerdictZ(
        judge_vs_human=_listed(with_judge),
        human_vs_others=_listed(others),
        mean_human=None if np.isnan(centre) else centre,
        sd_human=None if np.isnan(spread) else spread,
        z=_z(panel, _mean_known(with_judge), centre, spread),
    )


def _z(panel: JudgedPanel, judge: float, centre: float, spread: float) -> Estimate:
    method = "Judge's Verdict z of Cohen kappas"
    used = (panel.judge >= 0) & (panel.people >= 0).any(axis=1)
    n, families = int(used.sum()), int(np.unique(panel.family[used]).size)
    reason = None
    if panel.annotators < 3:
        reason = f"{TOO_FEW_ANNOTATORS}: {panel.annotators}, 3 needed"
    elif np.isnan(judge) or np.isnan(spread):
        reason = ONE_LABEL if n else NO_ITEMS
    elif spread < 1e-12:
        reason = "no variation between annotators"
    return Estimate(
        value=None if reason else (judge - centre) / spread,
        n=n,
        n_asked=panel.items,
        families=families,
        method=method,
        undefined=reason,
        no_interval=None if reason else DESCRIPTION,
    )


def _kappa(first: NDArray[np.int64], second: NDArray[np.int64], size: int) -> float:
    table = pair_cells(first, second, size).sum(axis=0).reshape(size, size)
    return float(kappa(table)) if table.any() else float("nan")


def _mean_known(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def _listed(values: Floats) -> tuple[float | None, ...]:
    return tuple(None if np.isnan(v) else float(v) for v in values)
