"""CORP: a reliability curve without bins, and the split of a score that follows from it.

The pool-adjacent-violators fit of the labels on the scores is the best monotone recalibration of
the very same data. Comparing a score before and after it splits the score into
``MCB - DSC + UNC``: miscalibration (what recalibration would win), discrimination (what the scores
are worth beyond the base rate) and uncertainty (of the labels themselves).

Source: Dimitriadis, Gneiting & Jordan (2021), PNAS 118:e2016191118.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import optimize

from voirdire.records.estimates import Estimate, Record

from .proper_scores import log_losses
from .registry import Sample, formula, statistic
from .scores import FloatArray, IntArray, ScoredLabels, check_level, scored_labels

__all__ = [
    "CorpDecomposition",
    "ReliabilityCurve",
    "corp_split",
    "monotone_fit",
    "reliability_curve",
]

Score = Literal["brier", "log"]


class CorpDecomposition(Record):
    """A mean score split as ``score = miscalibration - discrimination + uncertainty``.

    Attributes
    ----------
    score, miscalibration, discrimination, uncertainty : Estimate
        The parts, each with a family-bootstrap percentile interval where one was asked for.
    null_mean, null_95 : float or None
        Mean and 95 % quantile of the miscalibration of a perfectly calibrated judge with these
        very scores and this n: what "perfect" looks like here.
    p_value : float or None
        Share of such perfect judges that look at least as miscalibrated; None if undefined.
    """

    score: Estimate
    miscalibration: Estimate
    discrimination: Estimate
    uncertainty: Estimate
    null_mean: float | None
    null_95: float | None
    p_value: float | None


class ReliabilityCurve(Record):
    """The reliability diagram as numbers: one entry per distinct score, ascending.

    Attributes
    ----------
    score : tuple of float
        Distinct scores.
    n : tuple of int
        Items with that score.
    calibrated : tuple of float
        PAV estimate of the share of positives at that score.
    consistency_low, consistency_high : tuple of float
        Where the curve of a *calibrated* judge lies with probability `level`, pointwise.
    confidence_low, confidence_high : tuple of float
        Pointwise percentile band of the curve itself, families resampled; empty if there are
        fewer than two families.
    level : float
        Of both bands.
    undefined : str or None
        Why there is no curve; all tuples are then empty.
    """

    score: tuple[float, ...] = ()
    n: tuple[int, ...] = ()
    calibrated: tuple[float, ...] = ()
    consistency_low: tuple[float, ...] = ()
    consistency_high: tuple[float, ...] = ()
    confidence_low: tuple[float, ...] = ()
    confidence_high: tuple[float, ...] = ()
    level: float = 0.9
    undefined: str | None = None


def monotone_fit(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted least-squares non-decreasing fit (pool adjacent violators), rows are fits.

    Parameters
    ----------
    values, weights : ndarray, shape (u,) or (B, u)
        In the order of the scores; weights positive.

    Examples
    --------
    >>> monotone_fit(np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4))
    array([0. , 0.5, 0.5, 1. ])
    """
    if values.ndim == 1:
        fit = optimize.isotonic_regression(values, weights=weights).x
        return np.asarray(fit, dtype=np.float64)
    wide = np.broadcast_to(weights, values.shape)
    return np.array([monotone_fit(v, w) for v, w in zip(values, wide, strict=True)])


def _corp_split_on(s: Sample) -> Any:
    return corp_split(s.scores, s.outcomes, family=s.family, null_draws=0, resamples=0)


@statistic(kind="other", renaming="none", call=_corp_split_on)
def corp_split(
    p: Any,
    y: Any,
    *,
    score: Score = "brier",
    family: Any | None = None,
    level: float = 0.95,
    null_draws: int = 999,
    resamples: int = 499,
    seed: int = 0,
) -> CorpDecomposition:
    """Split the Brier score or the log loss by CORP.

    Parameters
    ----------
    p, y : sequence, shape (n,)
        Probability of the positive label, and the label 0 or 1.
    score : {"brier", "log"}
        What to split. With ``"log"``, a label given probability 0 counts as ``1/(2n)``.
    family : sequence, shape (n,), optional
        Families, resampled as a whole.
    level : float
        Of the intervals.
    null_draws : int
        Draws ``y* ~ Bernoulli(p)`` for the null values of the miscalibration; 0 for none.
    resamples : int
        Family-bootstrap resamples for the intervals; 0 for none.
    seed : int
        Of both; the same seed gives the same numbers.

    Returns
    -------
    CorpDecomposition
        Undefined parts say ``no items``, ``… outside 0..1`` or ``… other than 0 and 1``.

    Raises
    ------
    ValueError
        On an unknown `score`, differing lengths, a bad `level` or negative counts.

    Notes
    -----
    Miscalibration in the sample is positive even for a perfect judge (.027 at n = 60); read it
    beside `null_mean`, never alone. Its bootstrap interval is shifted upwards for the same reason.

    Examples
    --------
    >>> split = corp_split([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], null_draws=0, resamples=0)
    >>> split.discrimination.value, split.uncertainty.value
    (0.125, 0.25)
    """
    check_level(level)
    if score not in ("brier", "log"):
        raise ValueError(f"score must be 'brier' or 'log', got {score!r}")
    if null_draws < 0 or resamples < 0:
        raise ValueError(f"counts must be >= 0, got {null_draws} draws, {resamples} resamples")
    data = scored_labels(p, y, family=family)
    name = f"CORP of the {'Brier score' if score == 'brier' else 'log loss'}"
    if data.fault:
        gone = data.undefined(name, level=level)
        return CorpDecomposition(
            score=gone,
            miscalibration=gone,
            discrimination=gone,
            uncertainty=gone,
            null_mean=None,
            null_95=None,
            p_value=None,
        )
    parts = _split(data.p, data.y, np.ones(data.n), score)
    rng = np.random.default_rng(seed)
    null = _null_miscalibration(data, score, null_draws, rng)
    intervals = _bootstrap_intervals(data, score, resamples, level, rng)
    return _decomposition(data, name, level, parts, intervals, null)


def _decomposition(
    data: ScoredLabels,
    name: str,
    level: float,
    parts: FloatArray,
    intervals: list[tuple[float, float] | None],
    null: FloatArray,
) -> CorpDecomposition:
    why = "fewer than 2 families" if data.families < 2 else "no resamples asked for"
    score, miscalibration, discrimination, uncertainty = (
        data.estimate(
            float(value),
            interval,
            method=name if interval is None else f"{name}, family bootstrap percentile",
            level=level,
            no_interval=why,
        )
        for value, interval in zip(parts, intervals, strict=True)
    )
    has_null = null.size > 0
    return CorpDecomposition(
        score=score,
        miscalibration=miscalibration,
        discrimination=discrimination,
        uncertainty=uncertainty,
        null_mean=float(null.mean()) if has_null else None,
        null_95=float(np.quantile(null, 0.95)) if has_null else None,
        p_value=float((1 + (null >= parts[1] - 1e-12).sum()) / (1 + null.size))
        if has_null
        else None,
    )


def _weighted_score(p: FloatArray, y: FloatArray, w: FloatArray, score: Score) -> float:
    losses = (p - y) ** 2 if score == "brier" else log_losses(p, y)[0]
    return float(np.average(losses, weights=w))


def _split(p: FloatArray, y: FloatArray, w: FloatArray, score: Score) -> FloatArray:
    """Score, MCB, DSC, UNC of weighted items."""
    calibrated = _pav_at_items(p, y, w)
    total = _weighted_score(p, y, w, score)
    best = _weighted_score(calibrated, y, w, score)
    base = float(np.average(y, weights=w))
    reference = _weighted_score(np.full_like(p, base), y, w, score)
    return np.array([total, total - best, reference - best, reference])


def _pav_at_items(p: FloatArray, y: FloatArray, w: FloatArray) -> FloatArray:
    where = np.unique(p, return_inverse=True)[1]
    weight: FloatArray = np.bincount(where, weights=w).astype(np.float64)
    share = np.bincount(where, weights=w * y) / weight
    return monotone_fit(share, weight)[where]


def _null_miscalibration(
    data: ScoredLabels, score: Score, draws: int, rng: np.random.Generator
) -> FloatArray:
    ones = np.ones(data.n)
    out = np.empty(draws)
    for b in range(draws):
        y = (rng.random(data.n) < data.p).astype(np.float64)
        out[b] = _split(data.p, y, ones, score)[1]
    return out


def _bootstrap_intervals(
    data: ScoredLabels, score: Score, resamples: int, level: float, rng: np.random.Generator
) -> list[tuple[float, float] | None]:
    if resamples == 0 or data.families < 2:
        return [None] * 4
    replicates = np.empty((resamples, 4))
    for b in range(resamples):
        rows, w = _resampled_rows(data, rng)
        replicates[b] = _split(data.p[rows], data.y[rows], w, score)
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]


def _resampled_rows(data: ScoredLabels, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
    drawn = rng.integers(data.families, size=data.families)
    weights = np.bincount(drawn, minlength=data.families)[data.family].astype(np.float64)
    rows = np.flatnonzero(weights)
    return rows, weights[rows]


@formula
def reliability_curve(
    p: Any,
    y: Any,
    *,
    family: Any | None = None,
    level: float = 0.9,
    resamples: int = 499,
    seed: int = 0,
) -> ReliabilityCurve:
    """The CORP reliability diagram with its consistency and its confidence band.

    The *consistency* band answers "could a calibrated judge look like this?" (draw labels from the
    scores, refit, take pointwise quantiles). The *confidence* band answers "where may the curve
    be?" (resample families, refit, take pointwise quantiles).

    Parameters
    ----------
    p, y, family
        As in `corp_split`.
    level : float
        Of both bands, pointwise.
    resamples : int
        Draws for each band, at least 1.
    seed : int
        Of the draws.

    Raises
    ------
    ValueError
        On differing lengths, a bad `level` or no resamples.

    Examples
    --------
    >>> curve = reliability_curve([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1])
    >>> curve.calibrated
    (0.0, 0.5, 1.0)
    """
    check_level(level)
    if resamples < 1:
        raise ValueError(f"resamples must be >= 1, got {resamples}")
    data = scored_labels(p, y, family=family)
    if data.fault:
        return ReliabilityCurve(level=level, undefined=data.fault)
    rng = np.random.default_rng(seed)
    distinct, where = np.unique(data.p, return_inverse=True)
    count: FloatArray = np.bincount(where).astype(np.float64)
    share = np.bincount(where, weights=data.y) / count
    size = (resamples, len(distinct))
    draws = rng.binomial(count.astype(np.int64), distinct, size=size).astype(np.float64)
    ends = [(1 - level) / 2, (1 + level) / 2]
    consistency = np.quantile(monotone_fit(draws / count, count), ends, axis=0)
    confidence: FloatArray = np.empty((2, 0))
    if data.families >= 2:
        curves = np.array([_resampled_curve(data, distinct, rng) for _ in range(resamples)])
        confidence = np.quantile(curves, ends, axis=0)
    return ReliabilityCurve(
        score=_floats(distinct),
        n=tuple(int(c) for c in count),
        calibrated=_floats(monotone_fit(share, count)),
        consistency_low=_floats(consistency[0]),
        consistency_high=_floats(consistency[1]),
        confidence_low=_floats(confidence[0]),
        confidence_high=_floats(confidence[1]),
        level=level,
    )


def _resampled_curve(data: ScoredLabels, grid: FloatArray, rng: np.random.Generator) -> FloatArray:
    rows, w = _resampled_rows(data, rng)
    fitted = _pav_at_items(data.p[rows], data.y[rows], w)
    order = np.argsort(data.p[rows], kind="stable")
    return np.interp(grid, data.p[rows][order], fitted[order])


def _floats(values: FloatArray) -> tuple[float, ...]:
    return tuple(float(v) for v in values)
