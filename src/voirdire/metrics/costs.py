"""What a pilot cost, and what all of it will cost: per answer, with an interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from voirdire.records import Estimate

__all__ = ["extrapolated", "growth_of"]


def extrapolated(values: Sequence[float | None], *, to: int, level: float = 0.95) -> Estimate:
    """A total over all answers from what each answer of a pilot took.

    Parameters
    ----------
    values : sequence of float or None
        Of each answer of the pilot, drawn at random; None is unknown.
    to : int
        Answers in all, those of the pilot among them.
    level : float
        Of the interval: t over answers, for the total of the answers still to come; not below
        what the pilot took already.

    Returns
    -------
    Estimate
        Undefined: ``no items``, ``unknown for n of m answers``. An unknown among them makes the
        total unknown: it is not taken for the mean of the others, for what is not billed is often
        what failed.

    Examples
    --------
    >>> found = extrapolated([4, 6, 5, 5], to=1000)
    >>> found.value, round(found.low), round(found.high)
    (5000.0, 3703, 6297)
    """
    method = "mean of the pilot times answers, t"
    unknown = sum(value is None for value in values)
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    if not len(values) or unknown:
        reason = f"unknown for {unknown} of {len(values)} answers" if unknown else "no items"
        return Estimate.not_defined(
            reason, method=method, n=len(known), n_asked=len(values), level=level
        )
    n, left = len(known), max(to - len(known), 0)
    spent = float(known.sum())
    total = spent + left * float(known.mean())
    if n < 2 or not left:
        reason = "one answer only" if left else "nothing is left to come"
        return Estimate(value=total, n=n, n_asked=n, method=method, no_interval=reason, level=level)
    # Of the mean of the answers to come, given the mean of the pilot's.
    error = float(known.std(ddof=1)) * math.sqrt(1 / n + 1 / left)
    half = float(stats.t.ppf((1 + level) / 2, n - 1)) * left * error
    return Estimate(
        value=total,
        low=max(total - half, spent),
        high=total + half,
        level=level,
        n=n,
        n_asked=n,
        method=method,
    )


def growth_of(metric: str, *, per_chunk: bool) -> str:
    """How the judge's calls of a metric grow, in words."""
    return {
        "splitting": "1 an answer, whatever its length",
        "faithfulness": "1 for each claim of the answer"
        + ("; and 1 for each claim and chunk (--per-chunk): chunks count twice over"
           if per_chunk else "; more chunks make each call longer, not more calls"),
        "context_precision": "claims of the reference times chunks: both count, and multiply",
        "context_recall": "1 for each claim of the reference",
        "answer_relevancy": "1 for each question made from the answer, whatever its claims",
    }.get(metric, "1 for each claim")  # fmt: skip
