"""Does the score rank? Areas under the ROC and under the risk-coverage curve.

Source: DeLong, DeLong & Clarke-Pearson (1988); clusters after Obuchowski (1997).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate
from voirdire.stats.midranks import midranks

from .bounded import rate_interval, why_no_interval
from .platt import real_scored_labels
from .registry import statistic
from .scores import FloatArray, ScoredLabels, check_level, family_sums

__all__ = ["aurc", "auroc"]


@statistic(kind="scores", renaming="none")
def auroc(scores: Any, y: Any, *, family: Any | None = None, level: float = 0.95) -> Estimate:
    """Probability that a positive item scores above a negative one, ties counting one half.

    Parameters
    ----------
    scores : sequence, shape (n,)
        Any real numbers, higher meaning more positive.
    y : sequence, shape (n,)
        Labels 0 or 1.
    family : sequence, shape (n,), optional
        Families; interval on the logit scale with t(F-1).
    level : float

    Returns
    -------
    Estimate
        Undefined: ``no items``, ``one label only``, ``… other than 0 and 1``.

    Raises
    ------
    ValueError
        If lengths differ or `level` is not in (0, 1).

    Examples
    --------
    >>> auroc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]).value
    0.75
    """
    check_level(level)
    data = real_scored_labels(scores, y, family=family)
    method = "AUROC, clustered DeLong, logit scale, t"
    ones = int((data.y == 1).sum())
    reason = data.fault or ("one label only" if ones in (0, data.n) else "")
    if reason:
        return data.undefined(method, level=level, reason=reason)
    value, se = _area(data)
    interval = rate_interval(value, se, families=data.families, df=data.families - 1, level=level)
    why = why_no_interval(data.families)
    return data.estimate(value, interval, method=method, level=level, no_interval=why)


def _area(data: ScoredLabels) -> tuple[float, float]:
    """The area, and its standard error from each item's share of wins (placement values)."""
    up, down = data.y == 1, data.y == 0
    n1, n0 = int(up.sum()), int(down.sum())
    place: FloatArray = np.empty(data.n)
    ranks = midranks(data.p)
    place[up] = (ranks[up] - midranks(data.p[up])) / n0
    place[down] = 1.0 - (ranks[down] - midranks(data.p[down])) / n1
    area = float(place[up].mean())
    # influence of one item; families add up, which brings in the covariance of the two sides
    influence = np.where(up, (place - area) / n1, (place - area) / n0)
    by_family = family_sums(influence, data.family)
    families = len(by_family)
    if families < 2:
        return area, float("nan")
    return area, float(np.sqrt(families / (families - 1) * (by_family**2).sum()))


@statistic(kind="scores", renaming="none", duplication=False)
def aurc(confidence: Any, right: Any, *, family: Any | None = None) -> Estimate:
    """Area under the risk-coverage curve: mean error of the most confident k items, over all k.

    Parameters
    ----------
    confidence : sequence, shape (n,)
        Any real numbers, higher meaning more confident. Items of equal confidence enter in a
        random order, of which the expectation is taken.
    right : sequence, shape (n,)
        1 where the judge was right, 0 where it erred.
    family : sequence, optional
        Only counted.

    Returns
    -------
    Estimate
        Without an interval (the curve's points are nested samples). Undefined: ``no items``,
        ``… other than 0 and 1``.

    Raises
    ------
    ValueError
        If lengths differ.

    Notes
    -----
    Source: Geifman, Uziel & El-Yaniv (2019).

    Examples
    --------
    >>> round(aurc([0.9, 0.8, 0.7, 0.6], [1, 1, 0, 1]).value, 4)
    0.1458
    """
    data = real_scored_labels(confidence, right, family=family)
    method = "area under the risk-coverage curve"
    if data.fault:
        return data.undefined(method)
    _, where, count = np.unique(-data.p, return_inverse=True, return_counts=True)
    share = np.bincount(where, weights=1.0 - data.y) / count
    wrong = np.cumsum(np.repeat(share, count))
    value = float((wrong / np.arange(1, data.n + 1)).mean())
    why = "points of the curve are nested samples"
    return data.estimate(value, None, method=method, no_interval=why)
