"""Which answers of a cheap judge to keep, and which to pass on to a dear one.

Two different promises, never to be mixed up: `keep_threshold` bounds the error rate *among the
answers kept* with high probability (fixed-sequence Learn-then-Test); `conformal_risk_threshold`
bounds the share of *all* claims that are kept and wrong, in expectation only.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.records import Record
from voirdire.stats.coding import Labels, code_families
from voirdire.stats.reasons import CANNOT_CERTIFY, NO_ITEMS
from voirdire.stats.registry import formula
from voirdire.stats.risk_bounds import (
    clopper_pearson_upper,
    hoeffding_bentkus_p,
    require_share,
)
from voirdire.stats.scores import numbers

__all__ = [
    "CostThreshold",
    "KeepThreshold",
    "RiskPoint",
    "conformal_risk_threshold",
    "cost_threshold",
    "keep_threshold",
    "selective_risk_curve",
]


class KeepThreshold(Record):
    """Answers with a confidence of at least ``threshold`` may be kept.

    Attributes
    ----------
    threshold : float or None
        None: nothing can be certified, defer everything; ``undefined`` says why.
    kept, wrong, families : int
        Labelled claims kept at that threshold, the wrong ones, the families they come from.
    kept_share : float
        Share of the labelled claims that are kept.
    target, delta : float
        Promise: with probability 1 - delta the error rate among kept answers is <= target.
    method : str
        Test used at each step.
    undefined : str or None
        Reason when there is no threshold.
    """

    threshold: float | None
    kept: int
    wrong: int
    families: int
    kept_share: float
    target: float
    delta: float
    method: str
    undefined: str | None = None


class RiskPoint(Record):
    """One point of the selective-risk curve: what is kept at a confidence threshold.

    ``risk`` is wrong / kept, ``upper`` its one-sided pointwise Clopper-Pearson bound.
    """

    threshold: float
    kept: int
    wrong: int
    coverage: float
    risk: float
    upper: float


class CostThreshold(Record):
    """Where the expected costs of accepting, rejecting and deferring cross.

    ``accept_from`` holds when nothing can be deferred; with deferral accept from ``defer_high``
    up, reject up to ``defer_low``. ``never_defer`` if deferring is dearer than the better guess.
    """

    accept_from: float
    defer_low: float
    defer_high: float
    never_defer: bool


@formula
def conformal_risk_threshold(
    confidence: ArrayLike, wrong: ArrayLike, *, alpha: float
) -> float | None:
    """Smallest confidence from which answers may be kept under conformal risk control.

    The promise is ``P(kept and wrong) <= alpha`` on average over calibration sets: a marginal
    risk, weaker than an error rate among kept answers, but usable with 60 labels. Do not print
    it as "error among accepted".

    Parameters
    ----------
    confidence : array_like, shape (C,)
        Confidence of each labelled answer; the answer is kept if it is >= the threshold.
    wrong : array_like of bool, shape (C,)
        Whether the answer was wrong. Pairs with a missing confidence are left out.
    alpha : float
        Marginal risk allowed.

    Returns
    -------
    float or None
        None when no threshold among the confidences seen keeps the promise.

    Raises
    ------
    ValueError
        If the arrays differ in length or alpha is outside (0, 1).

    References
    ----------
    Angelopoulos et al. (2024), Conformal risk control, ICLR.

    Examples
    --------
    >>> conformal_risk_threshold([.9, .8, .7, .6], [0, 0, 0, 1], alpha=0.25)
    0.7
    """
    require_share("alpha", alpha)
    levels, kept, errors = _by_threshold(*_confidence_and_wrong(confidence, wrong))
    if levels.size == 0:
        return None
    n = int(kept[-1])
    fine = np.flatnonzero((errors + 1) / (n + 1) <= alpha + 1e-12)
    return float(levels[fine[-1]]) if fine.size else None


@formula
def keep_threshold(
    confidence: ArrayLike,
    wrong: ArrayLike,
    *,
    family: Labels | None = None,
    target: float = 0.05,
    delta: float = 0.05,
) -> KeepThreshold:
    """Fixed-sequence Learn-then-Test: lowest threshold whose kept answers are certified.

    Thresholds are tested from the most careful downwards and testing stops at the first that
    fails, so no correction for multiplicity is needed. It starts where enough families are kept
    to certify ``target`` in spite of two errors (124 for 5 % at 95 %); with fewer, where
    one error is allowed, then none. When every claim is its own family the test is the exact
    binomial; otherwise the loss is the share of wrong answers within a family and the test is
    Hoeffding-Bentkus, because variants of a claim are not independent labels.

    Parameters
    ----------
    confidence : array_like, shape (C,)
    wrong : array_like of bool, shape (C,)
    family : sequence, shape (C,), optional
        Family of each claim; None: every claim is its own.
    target : float
        Error rate promised among kept answers.
    delta : float
        Chance that the promise fails.

    Returns
    -------
    KeepThreshold
        Undefined with 'no items' or 'cannot certify: n too small' (or the error rate too high).

    Raises
    ------
    ValueError
        If lengths differ, or target or delta are outside (0, 1).

    References
    ----------
    Angelopoulos et al. (2021), Learn then Test, section on fixed-sequence testing.

    Examples
    --------
    >>> import numpy as np
    >>> confidence = np.linspace(1, 0, 200)
    >>> found = keep_threshold(confidence, confidence < 0.3, target=0.05)
    >>> found.kept, found.wrong, round(found.threshold, 3)
    (142, 2, 0.291)
    """
    require_share("target", target)
    require_share("delta", delta)
    score, errors, groups = _certifiable_rows(confidence, wrong, family)
    method = "exact binomial" if _all_distinct(groups) else "Hoeffding-Bentkus on family means"
    found, reason = _walk_down(score, errors, groups, target, delta)
    mask = np.zeros(score.size, bool) if found is None else score >= found
    return KeepThreshold(
        threshold=found,
        kept=int(mask.sum()),
        wrong=int(errors[mask].sum()),
        families=int(np.unique(groups[mask]).size),
        kept_share=float(mask.mean()) if mask.size else 0.0,
        target=target,
        delta=delta,
        method=f"fixed-sequence Learn-then-Test, {method}",
        undefined=reason,
    )


@formula
def selective_risk_curve(
    confidence: ArrayLike, wrong: ArrayLike, *, delta: float = 0.05
) -> tuple[RiskPoint, ...]:
    """Risk among kept answers at every threshold, with a pointwise one-sided bound.

    Parameters
    ----------
    confidence : array_like, shape (C,)
    wrong : array_like of bool, shape (C,)
    delta : float
        Chance that one bound, looked at by itself, is too low.

    Returns
    -------
    tuple of RiskPoint
        From the highest threshold to the lowest; empty if there are no items.

    Raises
    ------
    ValueError
        If lengths differ or delta is outside (0, 1).

    Examples
    --------
    >>> [(p.threshold, p.kept, p.wrong) for p in selective_risk_curve([.9, .8, .8], [0, 1, 0])]
    [(0.9, 1, 0), (0.8, 3, 1)]
    """
    require_share("delta", delta)
    levels, kept, errors = _by_threshold(*_confidence_and_wrong(confidence, wrong))
    return tuple(
        RiskPoint(
            threshold=float(level),
            kept=int(n),
            wrong=int(x),
            coverage=float(n / kept[-1]),
            risk=float(x / n),
            upper=clopper_pearson_upper(int(x), int(n), delta=delta),
        )
        for level, n, x in zip(levels, kept, errors, strict=True)
    )


@formula
def cost_threshold(
    *, false_accept: float, false_reject: float, defer: float | None = None
) -> CostThreshold:
    """Operating points of a calibrated probability of "supported".

    Accept if ``(1-p) false_accept <= p false_reject``; with a price for deferring, accept if
    ``(1-p) false_accept <= defer``, reject if ``p false_reject <= defer``, otherwise defer.

    Parameters
    ----------
    false_accept, false_reject : float
        Cost of calling an unsupported claim supported, and the reverse.
    defer : float, optional
        Cost of asking the next judge; None: there is none.

    Raises
    ------
    ValueError
        If a cost is not positive (defer: negative).

    References
    ----------
    Chow (1970), IEEE Trans. Inf. Theory 16:41-46; Elkan (2001), IJCAI.

    Examples
    --------
    >>> point = cost_threshold(false_accept=5, false_reject=1, defer=0.1)
    >>> round(point.accept_from, 4), point.defer_low, point.defer_high
    (0.8333, 0.1, 0.98)
    """
    for name, cost in (("false_accept", false_accept), ("false_reject", false_reject)):
        if not 0 < cost < math.inf:
            raise ValueError(f"{name} must be a positive number, got {cost}")
    if defer is not None and not 0 <= defer < math.inf:
        raise ValueError(f"defer must be a number >= 0, got {defer}")
    accept_from = false_accept / (false_accept + false_reject)
    if defer is None:
        return CostThreshold(
            accept_from=accept_from,
            defer_low=accept_from,
            defer_high=accept_from,
            never_defer=True,
        )
    low = min(1.0, defer / false_reject)
    high = max(0.0, 1 - defer / false_accept)
    if low >= high:
        low = high = accept_from
    return CostThreshold(
        accept_from=accept_from, defer_low=low, defer_high=high, never_defer=low >= high
    )


def _walk_down(
    score: NDArray[np.float64],
    errors: NDArray[np.bool_],
    groups: NDArray[np.int64],
    target: float,
    delta: float,
) -> tuple[float | None, str | None]:
    if score.size == 0:
        return None, NO_ITEMS
    families = int(np.unique(groups).size)
    start = _families_to_start(families, target, delta)
    if start is None:
        return None, f"{CANNOT_CERTIFY}: n too small"
    found = None
    for level in np.unique(score)[::-1]:
        mask = score >= level
        if np.unique(groups[mask]).size < start:
            continue
        if not _certified(errors[mask], groups[mask], target, delta):
            break
        found = float(level)
    if found is None:
        return None, f"{CANNOT_CERTIFY}: too many errors among the surest answers"
    return found, None


def _families_to_start(families: int, target: float, delta: float) -> int | None:
    """Least number kept that can carry 2, 1 or 0 errors, the first of them that we have."""
    for allowed in (2, 1, 0):
        need = allowed + 1
        while clopper_pearson_upper(allowed, need, delta=delta) > target:
            need += 1
        if need <= families:
            return need
    return None


def _certified(
    errors: NDArray[np.bool_], groups: NDArray[np.int64], target: float, delta: float
) -> bool:
    if _all_distinct(groups):
        bound = clopper_pearson_upper(int(errors.sum()), errors.size, delta=delta)
        return bound <= target
    _, position, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    means = np.bincount(position, weights=errors) / sizes
    return hoeffding_bentkus_p(float(means.mean()), means.size, alpha=target) <= delta


def _all_distinct(groups: NDArray[np.int64]) -> bool:
    return np.unique(groups).size == groups.size


def _confidence_and_wrong(
    confidence: ArrayLike, wrong: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    score, errors, _ = _certifiable_rows(confidence, wrong, None)
    return score, errors


def _certifiable_rows(
    confidence: ArrayLike, wrong: ArrayLike, family: Labels | None
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]]:
    score = numbers(confidence, name="confidence")
    errors = numbers(wrong, name="wrong")
    if score.shape != errors.shape:
        raise ValueError(
            "confidence and wrong must be one-dimensional and of equal length, "
            f"got shapes {score.shape} and {errors.shape}"
        )
    coded = code_families(family, score.size)
    groups = np.arange(score.size, dtype=np.int64) if coded is None else coded[0]
    known = ~(np.isnan(score) | np.isnan(errors))
    return score[known], errors[known] > 0, groups[known]


def _by_threshold(
    score: NDArray[np.float64], errors: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Distinct confidences downwards, with the number kept and wrong at each."""
    levels, position = np.unique(-score, return_inverse=True)
    kept = np.cumsum(np.bincount(position, minlength=levels.size))
    wrong = np.cumsum(np.bincount(position, weights=errors, minlength=levels.size))
    return -levels, kept.astype(np.int64), wrong.astype(np.int64)
