"""The share of true positives behind a judge that errs at known rates (Rogan-Gladen).

``theta = (q + Sp - 1) / (Se + Sp - 1)``, q the share the judge calls positive, Se and Sp its
sensitivity and specificity against people. It survives an enriched labelled set and a moved
prevalence, as long as Se and Sp carry over; it pays with a wide interval.

Source: Rogan & Gladen (1978); interval of Lang & Reiczigel (2014), which is that of Lee et al.
(2025, arXiv 2511.21140).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate, Record
from voirdire.stats import distributions

from .registry import Sample, formula, statistic
from .scores import FloatArray, IntArray, check_level, family_codes, numbers

__all__ = [
    "RoganGladen",
    "check_count",
    "cut_ends",
    "outside_note",
    "rogan_gladen",
    "rogan_gladen_rows",
]

UNINFORMATIVE = "judge uninformative"
# one-sided 5 %: below this many standard errors the judge is not shown to be better than a coin
_LEAST_T = 1.6448536269514722


class RoganGladen(Record):
    """A corrected share with what it rests on.

    Attributes
    ----------
    share : Estimate
        Corrected share of positives, cut to 0..1 (a note says so), Lang-Reiczigel interval.
    raw : float or None
        The same before cutting; may lie outside 0..1.
    delta_se : float or None
        Standard error by the delta method, for comparison with other tools.
    youden, youden_se : float or None
        ``Se + Sp - 1`` and its standard error.
    sensitivity, specificity : float or None
    judged_share : float or None
        The uncorrected share of positives in the traffic.
    """

    share: Estimate
    raw: float | None = None
    delta_se: float | None = None
    youden: float | None = None
    youden_se: float | None = None
    sensitivity: float | None = None
    specificity: float | None = None
    judged_share: float | None = None


def check_count(part: float, whole: float, names: str) -> None:
    """Refuse an impossible pair of counts.

    Raises
    ------
    ValueError
        Unless ``0 <= part <= whole``.

    Examples
    --------
    >>> check_count(3, 5, "hits of items")
    """
    if not 0 <= part <= whole:
        raise ValueError(f"{names} must satisfy 0 <= part <= whole, got {part} of {whole}")


@formula
def rogan_gladen(
    *,
    judge_positive: float,
    traffic_n: float,
    true_positive: float,
    human_positive: float,
    true_negative: float,
    human_negative: float,
    level: float = 0.95,
    families: int | None = None,
) -> RoganGladen:
    """Corrected share of positives from counts.

    Parameters
    ----------
    judge_positive, traffic_n : float
        Items the judge calls positive, of those it judged.
    true_positive, human_positive : float
        Items it calls positive, of those people call positive.
    true_negative, human_negative : float
        Items it calls negative, of those people call negative. Effective (fractional) counts are
        welcome where items come in families.
    level : float
        Of the interval.
    families : int, optional
        Families among the labelled items, to be carried on the estimate.

    Returns
    -------
    RoganGladen
        Undefined: ``no items``; ``class absent: …``; ``judge uninformative`` when Youden's J is
        not above 0 by 1.645 standard errors. J, its standard error and the raw value are given
        even then.

    Raises
    ------
    ValueError
        On counts that are negative or larger than their whole, or a bad `level`.

    Examples
    --------
    >>> result = rogan_gladen(judge_positive=400, traffic_n=1000, true_positive=180,
    ...     human_positive=200, true_negative=140, human_negative=200)
    >>> round(result.share.value, 4), round(result.share.low, 4), round(result.share.high, 4)
    (0.1667, 0.0564, 0.2627)
    """
    check_level(level)
    check_count(judge_positive, traffic_n, "judge_positive of traffic_n")
    check_count(true_positive, human_positive, "true_positive of human_positive")
    check_count(true_negative, human_negative, "true_negative of human_negative")
    labelled = int(human_positive + human_negative)
    about: dict[str, Any] = {
        "method": "Rogan-Gladen, Lang-Reiczigel interval",
        "n": labelled,
        "n_asked": labelled,
        "families": families,
        "level": level,
    }
    reason = (
        "no items"
        if traffic_n == 0 or labelled == 0
        else "class absent: people call no item positive"
        if human_positive == 0
        else "class absent: people call no item negative"
        if human_negative == 0
        else ""
    )
    if reason:
        return RoganGladen(share=Estimate.not_defined(reason, **about))
    q = judge_positive / traffic_n
    se, sp = true_positive / human_positive, true_negative / human_negative
    youden = se + sp - 1.0
    spread = math.sqrt(se * (1 - se) / human_positive + sp * (1 - sp) / human_negative)
    raw = (q + sp - 1.0) / youden if youden != 0 else None
    known: dict[str, Any] = {
        "raw": raw,
        "youden": youden,
        "youden_se": spread,
        "sensitivity": se,
        "specificity": sp,
        "judged_share": q,
    }
    if raw is None or youden <= 0 or (spread > 0 and youden / spread < _LEAST_T):
        return RoganGladen(share=Estimate.not_defined(UNINFORMATIVE, **about), **known)
    variance = (
        q * (1 - q) / traffic_n
        + raw**2 * se * (1 - se) / human_positive
        + (1 - raw) ** 2 * sp * (1 - sp) / human_negative
    )
    low, high = _lang_reiczigel(
        judge_positive,
        traffic_n,
        true_positive,
        human_positive,
        true_negative,
        human_negative,
        level,
    )
    share = Estimate(
        value=min(max(raw, 0.0), 1.0),
        **cut_ends(raw, low, high),
        notes=outside_note(raw),
        **about,
    )
    return RoganGladen(share=share, delta_se=math.sqrt(variance) / youden, **known)


def cut_ends(raw: float, low: float, high: float) -> dict[str, float]:
    """The interval cut to 0..1, wide enough to hold the value whatever the shrinking did.

    Examples
    --------
    >>> cut_ends(1.07, 1.01, 1.2)
    {'low': 1.0, 'high': 1.0}
    """
    value = min(max(raw, 0.0), 1.0)
    return {
        "low": min(min(max(low, 0.0), 1.0), value),
        "high": max(max(min(high, 1.0), 0.0), value),
    }


def outside_note(raw: float) -> tuple[str, ...]:
    """The note that goes with a raw value outside 0..1.

    Examples
    --------
    >>> outside_note(0.4)
    ()
    """
    if 0.0 <= raw <= 1.0:
        return ()
    return (f"raw value {raw:.4f} lies outside 0..1 and was cut",)


def _lang_reiczigel(
    x: float, n: float, tp: float, n1: float, tn: float, n0: float, level: float
) -> tuple[float, float]:
    """Shrunken counts, a shift, and a normal interval; not cut to 0..1."""
    z = float(distributions.norm_ppf((1 + level) / 2))
    size = n + z * z
    q = (x + z * z / 2) / size
    se, sp = (tp + 1) / (n1 + 2), (tn + 1) / (n0 + 2)
    youden = se + sp - 1
    theta = (q + sp - 1) / youden
    v1, v0 = se * (1 - se) / (n1 + 2), sp * (1 - sp) / (n0 + 2)
    centre = theta + 2 * z * z * (theta * v1 - (1 - theta) * v0)
    spread = math.sqrt(q * (1 - q) / size + theta**2 * v1 + (1 - theta) ** 2 * v0) / abs(youden)
    return centre - z * spread, centre + z * spread


def _rogan_gladen_rows_on(s: Sample) -> Any:
    called = np.where(np.isnan(s.scores), np.nan, s.scores > 0.5)
    return rogan_gladen_rows(s.outcomes, called, called, family=s.family)


@statistic(kind="other", renaming="none", call=_rogan_gladen_rows_on)
def rogan_gladen_rows(
    human: Any, judge: Any, traffic: Any, *, family: Any | None = None, level: float = 0.95
) -> RoganGladen:
    """Corrected share from rows, error rates counted with their effective number of items.

    Variants of one claim are not independent labels: the counts behind Se and Sp are divided by
    their design effect (at a rate of 0 or 1, by the mean family size).

    Parameters
    ----------
    human, judge : sequence, shape (n,)
        1 positive, 0 negative, missing None or NaN; the labelled items.
    traffic : sequence, shape (N,)
        The judge's calls on the traffic whose share is wanted.
    family : sequence, shape (n,), optional
        Families of the labelled items.
    level : float

    Returns
    -------
    RoganGladen
        Reasons as in `rogan_gladen`, and ``labels other than 0 and 1``.

    Raises
    ------
    ValueError
        If `human` and `judge` differ in length, or on a bad `level`.

    Examples
    --------
    >>> human, judge = [1] * 20 + [0] * 20, [1] * 18 + [0] * 2 + [0] * 17 + [1] * 3
    >>> result = rogan_gladen_rows(human, judge, [1] * 60 + [0] * 40)
    >>> round(result.share.value, 3), result.share.n
    (0.6, 40)
    """
    check_level(level)
    h, j, u = numbers(human, name="human"), numbers(judge, name="judge"), numbers(traffic)
    if len(h) != len(j):
        raise ValueError(f"judge must be as long as human ({len(h)}), got {len(j)}")
    codes = family_codes(family, len(h))
    keep = ~(np.isnan(h) | np.isnan(j))
    h, j, codes, u = h[keep], j[keep], codes[keep], u[~np.isnan(u)]
    families = len(np.unique(codes))
    strange = [v for v in (h, j, u) if not np.isin(v, (0.0, 1.0)).all()]
    if strange:
        gone = Estimate.not_defined(
            "labels other than 0 and 1",
            method="Rogan-Gladen, Lang-Reiczigel interval",
            n=len(h),
            n_asked=len(keep),
            families=families,
            level=level,
        )
        return RoganGladen(share=gone)
    tp, n1 = _effective(j, codes, h == 1)
    tn, n0 = _effective(1 - j, codes, h == 0)
    result = rogan_gladen(
        judge_positive=float(u.sum()),
        traffic_n=len(u),
        true_positive=tp,
        human_positive=n1,
        true_negative=tn,
        human_negative=n0,
        level=level,
        families=families,
    )
    share = result.share.model_copy(update={"n": len(h), "n_asked": len(keep)})
    return result.model_copy(update={"share": share})


def _effective(right: FloatArray, codes: IntArray, rows: Any) -> tuple[float, float]:
    """Effective hits and items of a rate whose items come in families."""
    x, group = right[rows], codes[rows]
    if len(x) == 0:
        return 0.0, 0.0
    p, n = float(x.mean()), len(x)
    _, group = np.unique(group, return_inverse=True)
    hits, size = np.bincount(group, weights=x), np.bincount(group)
    deff = 1.0 if len(size) == n else n / len(size)  # at p of 0 or 1: the mean family size
    if 0 < p < 1 and len(size) > 1:
        g = len(size)
        variance = g / (g - 1) * float(((hits - p * size) ** 2).sum()) / n**2
        deff = max(1.0, variance / (p * (1 - p) / n)) if g < n else 1.0
    return p * n / deff, n / deff
