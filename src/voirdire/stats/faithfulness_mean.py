"""Mean faithfulness of answers: macro and micro, which answer different questions.

Macro: the mean over answers of the share of their claims that are supported ("how good is an
answer?"). Micro: supported claims over all claims ("how good is a claim?"; long answers weigh
more). An answer without claims has no share; it is left out and counted, never 0 or 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate, Record

from .bounded import clustered_ratio, rate_interval, why_no_interval
from .registry import Sample, formula, statistic
from .scores import FloatArray, IntArray, check_level, family_codes, numbers

__all__ = ["Faithfulness", "claims_per_answer", "mean_faithfulness"]


class Faithfulness(Record):
    """Macro and micro faithfulness side by side.

    Attributes
    ----------
    macro : Estimate
        `n` counts answers with claims, `n_asked` all answers.
    micro : Estimate
        `n` counts claims, `k` the supported ones.
    without_claims : int
        Answers that have no claims.
    """

    macro: Estimate
    micro: Estimate
    without_claims: int


def _mean_faithfulness_on(s: Sample) -> Any:
    return mean_faithfulness(s.outcomes, np.ones(len(s.outcomes)), family=s.family)


@statistic(kind="other", renaming="none", call=_mean_faithfulness_on)
def mean_faithfulness(
    supported: Any, claims: Any, *, family: Any | None = None, level: float = 0.95
) -> Faithfulness:
    """Macro and micro faithfulness from counts per answer.

    Parameters
    ----------
    supported, claims : sequence, shape (n,)
        Supported claims and all claims of each answer; an answer with a missing count drops out.
    family : sequence, shape (n,), optional
        What answers belong together (one question asked several times).
    level : float
        Of the intervals: clustered, logit scale, t(F-1).

    Returns
    -------
    Faithfulness
        Undefined: ``no items``, ``no answer has claims``, ``supported claims above all claims``
        (also for negative counts).

    Raises
    ------
    ValueError
        If lengths differ, or on a bad `level`.

    Examples
    --------
    >>> result = mean_faithfulness([2, 0, 8, 0], [2, 1, 10, 0])
    >>> round(result.macro.value, 4), round(result.micro.value, 4), result.without_claims
    (0.6, 0.7692, 1)
    """
    check_level(level)
    x, m = numbers(supported, name="supported"), numbers(claims, name="claims")
    if len(x) != len(m):
        raise ValueError(f"claims must be as long as supported ({len(x)}), got {len(m)}")
    codes = family_codes(family, len(x))
    known = ~(np.isnan(x) | np.isnan(m))
    x, m, codes = x[known], m[known], codes[known]
    with_claims = m > 0
    without = int((m == 0).sum())
    reason = (
        "no items"
        if len(x) == 0
        else "supported claims above all claims"
        if bool(((x < 0) | (x > m)).any())
        else "no answer has claims"
        if not with_claims.any()
        else ""
    )
    if reason:
        macro = Estimate.not_defined(
            reason, method="macro faithfulness", n_asked=len(known), level=level
        )
        micro = Estimate.not_defined(reason, method="micro faithfulness", level=level)
        return Faithfulness(macro=macro, micro=micro, without_claims=without)
    x, m, codes = x[with_claims], m[with_claims], codes[with_claims]
    return Faithfulness(
        macro=_ratio(x / m, np.ones(len(x)), codes, "macro", level, len(known)),
        micro=_ratio(x, m, codes, "micro", level, None),
        without_claims=without,
    )


def _ratio(
    x: FloatArray, m: FloatArray, codes: IntArray, name: str, level: float, asked: int | None
) -> Estimate:
    codes = np.unique(codes, return_inverse=True)[1].reshape(-1).astype(np.int64)
    value, se, families = clustered_ratio(x, m, codes)
    value = min(max(value, 0.0), 1.0)
    interval = rate_interval(value, se, families=families, df=families - 1, level=level)
    low, high = interval if interval is not None else (None, None)
    n = int(m.sum())
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        n=n,
        n_asked=n if asked is None else asked,
        families=families,
        k=int(x.sum()) if asked is None else None,
        method=f"{name} faithfulness, clustered, logit scale, t",
        no_interval=None if interval is not None else why_no_interval(families),
    )


@formula
def claims_per_answer(
    answers: Sequence[Any], supported: Any
) -> tuple[tuple[Any, ...], tuple[int, ...], tuple[int, ...]]:
    """Count supported and judged claims of each answer.

    Parameters
    ----------
    answers : sequence, shape (C,)
        The answer each claim belongs to.
    supported : sequence, shape (C,)
        1 supported, 0 not; a claim without judgment (None, NaN) is not counted.

    Returns
    -------
    answers, supported, claims : tuple
        In order of first appearance; an answer whose claims all lack a judgment has 0 claims.

    Raises
    ------
    ValueError
        If lengths differ.

    Examples
    --------
    >>> claims_per_answer(["a", "b", "a", "c"], [1, 0, 0, None])
    (('a', 'b', 'c'), (1, 0, 0), (2, 1, 0))
    """
    truth = numbers(supported, name="supported")
    if len(truth) != len(answers):
        raise ValueError(f"supported must be as long as answers ({len(answers)}), got {len(truth)}")
    counts: dict[Any, list[int]] = {}
    for name, value in zip(answers, truth, strict=True):
        entry = counts.setdefault(name, [0, 0])
        if not np.isnan(value):
            entry[0] += int(value > 0)
            entry[1] += 1
    return (
        tuple(counts),
        tuple(entry[0] for entry in counts.values()),
        tuple(entry[1] for entry in counts.values()),
    )
