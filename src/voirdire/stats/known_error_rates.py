"""Sensitivity and specificity that are known, and whether they carry over at all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate
from voirdire.stats import distributions

from .outcomes import TestOutcome
from .registry import formula
from .rogan_gladen import UNINFORMATIVE, RoganGladen, check_count, cut_ends, outside_note
from .scores import check_level

__all__ = ["rogan_gladen_known", "same_error_rates"]


@formula
def rogan_gladen_known(
    judge_positive: int,
    traffic_n: int,
    *,
    sensitivity: float,
    specificity: float,
    level: float = 0.95,
) -> RoganGladen:
    """Corrected share when sensitivity and specificity are known without error.

    The Wilson limits of the judged share, transformed (R ``epiR::epi.prev``).

    Parameters
    ----------
    judge_positive, traffic_n : int
        Items the judge calls positive, of those it judged.
    sensitivity, specificity : float
        In 0..1.
    level : float

    Returns
    -------
    RoganGladen
        Undefined: ``no items``, ``judge uninformative`` (sensitivity + specificity <= 1).

    Raises
    ------
    ValueError
        On impossible counts, rates outside 0..1 or a bad `level`.

    Examples
    --------
    >>> result = rogan_gladen_known(4, 80, sensitivity=0.9, specificity=0.99)
    >>> round(result.share.value, 4), round(result.share.low, 4), round(result.share.high, 4)
    (0.0449, 0.0108, 0.1254)
    """
    check_level(level)
    check_count(judge_positive, traffic_n, "judge_positive of traffic_n")
    if not (0 <= sensitivity <= 1 and 0 <= specificity <= 1):
        raise ValueError(f"rates must be in 0..1, got {sensitivity!r} and {specificity!r}")
    about: dict[str, Any] = {
        "method": "Rogan-Gladen with known error rates, Wilson limits",
        "n": int(traffic_n),
        "n_asked": int(traffic_n),
        "level": level,
    }
    youden = sensitivity + specificity - 1.0
    known: dict[str, Any] = {
        "youden": youden,
        "sensitivity": sensitivity,
        "specificity": specificity,
    }
    if traffic_n == 0 or youden <= 0:
        reason = "no items" if traffic_n == 0 else UNINFORMATIVE
        return RoganGladen(share=Estimate.not_defined(reason, **about), **known)
    q = judge_positive / traffic_n
    z = float(distributions.norm_ppf((1 + level) / 2))
    centre = (q + z * z / (2 * traffic_n)) / (1 + z * z / traffic_n)
    half = (
        z
        / (1 + z * z / traffic_n)
        * math.sqrt(q * (1 - q) / traffic_n + (z / (2 * traffic_n)) ** 2)
    )
    raw, low, high = ((v + specificity - 1) / youden for v in (q, centre - half, centre + half))
    share = Estimate(
        value=min(max(raw, 0.0), 1.0),
        **cut_ends(raw, low, high),
        notes=outside_note(raw),
        **about,
    )
    return RoganGladen(share=share, raw=raw, judged_share=q, **known)


@formula
def same_error_rates(
    *,
    first: tuple[int, int, int, int],
    second: tuple[int, int, int, int],
) -> tuple[TestOutcome, TestOutcome]:
    """Do sensitivity and specificity carry over from one labelled set to another?

    The assumption under Rogan-Gladen. Run it on the first hundred random labels of production.

    Parameters
    ----------
    first, second : tuple of int
        ``(true_positive, human_positive, true_negative, human_negative)`` of each set.

    Returns
    -------
    sensitivity, specificity : TestOutcome
        Fisher's exact test, two-sided; undefined when a set has no item of that class.

    Raises
    ------
    ValueError
        On impossible counts.

    Examples
    --------
    >>> sensitivity, _ = same_error_rates(first=(27, 30, 25, 30), second=(35, 50, 40, 50))
    >>> round(sensitivity.p_value, 3)
    0.053
    """
    from scipy import stats  # slow to import

    out = []
    for at, name in ((0, "sensitivity"), (2, "specificity")):
        method = f"Fisher exact test of equal {name}, two-sided"
        (a, n), (b, m) = first[at : at + 2], second[at : at + 2]
        check_count(a, n, f"{name} counts of the first set")
        check_count(b, m, f"{name} counts of the second set")
        if n == 0 or m == 0:
            reason = "class absent in one of the sets"
            out.append(
                TestOutcome(statistic=None, p_value=None, n=n + m, method=method, undefined=reason)
            )
            continue
        p_value = float(stats.fisher_exact(np.array([[a, n - a], [b, m - b]]))[1])
        gap = a / n - b / m
        out.append(TestOutcome(statistic=gap, p_value=min(p_value, 1.0), n=n + m, method=method))
    return out[0], out[1]
