"""Which calibrator, and is any of them better than the raw score? Judged on unseen families.

Every item is predicted by a map fitted without its family (5 folds). The candidates are compared
on those predictions; the simplest map within one standard error of the best map is chosen and
refitted on all data, unless it does no better than the raw score. The standard error is that of
the *paired* difference to the best, by family: the losses of two maps on the same item go
together, and their own standard errors would drown the difference.

Source of the rule: Breiman, Friedman, Olshen & Stone (1984), section 3.4.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate, Record

from .bounded import clustered_ratio, plain_interval
from .calibration_map import CalibrationMap
from .calibrators import CALIBRATORS, default_candidates, fit_calibrator
from .proper_scores import log_losses
from .registry import Sample, formula, statistic
from .scores import FloatArray, IntArray, ScoredLabels, check_level, numbers, scored_labels

__all__ = ["CandidateMap", "CrossFit", "cross_fit", "map_band"]


class CandidateMap(Record):
    """How one calibrator did on unseen families.

    Attributes
    ----------
    method : str
    log_loss : Estimate
        Mean out-of-fold log loss; 0 and 1 count as ``1/(2n)`` away from them.
    gain : Estimate
        Raw log loss minus this one, paired, clustered by family: above 0 it helped.
    made_worse : bool
        Whether the point estimate of the gain is below 0.
    """

    method: str
    log_loss: Estimate
    gain: Estimate
    made_worse: bool


class CrossFit(Record):
    """The comparison of calibrators and its outcome.

    Attributes
    ----------
    candidates : tuple of CandidateMap
        Simplest first; empty if nothing could be compared.
    chosen : str or None
        The method chosen; ``identity`` means: leave the score as it is.
    calibrator : dict or None
        The chosen map refitted on everything, as `calibrator_from_dict` reads it.
    out_of_fold : tuple of float or None
        Predictions of the chosen method for each row given, None where a side is missing; every
        reported calibration number should come from these.
    fold : tuple of int or None
        The fold of each row.
    sentence : str
        The outcome in words.
    undefined : str or None
        Why there is no comparison.
    """

    candidates: tuple[CandidateMap, ...] = ()
    chosen: str | None = None
    calibrator: dict[str, Any] | None = None
    out_of_fold: tuple[float | None, ...] = ()
    fold: tuple[int | None, ...] = ()
    sentence: str
    undefined: str | None = None


def _cross_fit_on(s: Sample) -> Any:
    # families of one row each, so that duplicated rows stay in one fold is not asked here
    return cross_fit(s.scores, s.outcomes, family=s.family, folds=2)


@statistic(kind="other", renaming="none", duplication=False, order=False, call=_cross_fit_on)
def cross_fit(
    scores: Any,
    y: Any,
    *,
    family: Any | None = None,
    methods: Sequence[str] | None = None,
    folds: int = 5,
    seed: int = 0,
    level: float = 0.95,
) -> CrossFit:
    """Compare calibrators on unseen families and choose one.

    Parameters
    ----------
    scores, y : sequence, shape (n,)
        Probability of the positive label, and the label 0 or 1.
    family : sequence, shape (n,), optional
        A family is never split between folds.
    methods : sequence of str, optional
        Keys of `CALIBRATORS`; by default those that deserve a try at this n. The raw score
        (``identity``) always takes part.
    folds : int
        At least 2; as many as there are families if these are fewer.
    seed : int
        Of the assignment of families to folds.
    level : float
        Of the intervals.

    Returns
    -------
    CrossFit
        Undefined: the faults of the data, and ``fewer than 2 families``.

    Raises
    ------
    ValueError
        On an unknown method, fewer than 2 folds, differing lengths or a bad `level`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.random(200)
    >>> y = rng.random(200) < truth
    >>> over_confident = truth**3 / (truth**3 + (1 - truth) ** 3)
    >>> result = cross_fit(over_confident, y)
    >>> result.chosen
    'platt'
    """
    check_level(level)
    if folds < 2:
        raise ValueError(f"folds must be >= 2, got {folds}")
    unknown = [m for m in methods or () if m not in CALIBRATORS]
    if unknown:
        raise ValueError(f"methods must be among {sorted(CALIBRATORS)}, got {unknown}")
    data = scored_labels(scores, y, family=family)
    reason = data.fault or ("fewer than 2 families" if data.families < 2 else "")
    if reason:
        return CrossFit(sentence=f"No calibrator was chosen: {reason}.", undefined=reason)
    wanted = set(methods if methods is not None else default_candidates(data.n)) | {"identity"}
    names = [name for name in CALIBRATORS if name in wanted]
    fold = _folds(data, folds, seed)
    predicted = {name: _out_of_fold(data, fold, name) for name in names}
    losses = {name: _clipped_losses(p, data.y) for name, p in predicted.items()}
    candidates = tuple(_candidate(data, name, losses, level) for name in names)
    chosen = _one_standard_error(data, losses)
    keep = ~(np.isnan(numbers(scores)) | np.isnan(numbers(y)))
    return CrossFit(
        candidates=candidates,
        chosen=chosen,
        calibrator=fit_calibrator(data.p, data.y, method=chosen).to_dict(),
        out_of_fold=_spread(predicted[chosen], keep),
        fold=tuple(None if v is None else int(v) for v in _spread(fold.astype(float), keep)),
        sentence=_sentence(candidates, chosen, data.n),
    )


def _spread(values: FloatArray, keep: Any) -> tuple[float | None, ...]:
    out: list[float | None] = [None] * len(keep)
    for at, value in zip(np.flatnonzero(keep), values, strict=True):
        out[int(at)] = float(value)
    return tuple(out)


def _folds(data: ScoredLabels, folds: int, seed: int) -> IntArray:
    """A fold for each row; families shuffled, then dealt out one by one."""
    order = np.random.default_rng(seed).permutation(data.families)
    of_family = np.empty(data.families, dtype=np.int64)
    of_family[order] = np.arange(data.families) % min(folds, data.families)
    return of_family[data.family]


def _out_of_fold(data: ScoredLabels, fold: IntArray, method: str) -> FloatArray:
    out = np.empty(data.n)
    for held in np.unique(fold):
        inside, outside = fold != held, fold == held
        fitted = fit_calibrator(data.p[inside], data.y[inside], method=method)
        out[outside] = fitted.predict(data.p[outside])
    return out


def _clipped_losses(p: FloatArray, y: FloatArray) -> FloatArray:
    half = 1.0 / (2 * max(len(p), 1))
    return log_losses(np.clip(p, half, 1 - half), y)[0]


def _mean(data: ScoredLabels, values: FloatArray, method: str, level: float) -> Estimate:
    mean, se, families = clustered_ratio(values, np.ones(data.n), data.family)
    interval = plain_interval(mean, se, df=families - 1, level=level)
    return data.estimate(mean, interval, method=method, level=level)


def _candidate(
    data: ScoredLabels, name: str, losses: dict[str, FloatArray], level: float
) -> CandidateMap:
    gain = _mean(data, losses["identity"] - losses[name], "paired gain, clustered t", level)
    return CandidateMap(
        method=name,
        log_loss=_mean(data, losses[name], "out-of-fold log loss, clustered t", level),
        gain=gain,
        made_worse=gain.value is not None and gain.value < -1e-12,
    )


def _one_standard_error(data: ScoredLabels, losses: dict[str, FloatArray]) -> str:
    """The simplest map within one standard error of the best map, if it beats the raw score."""
    maps = {name: loss for name, loss in losses.items() if name != "identity"}
    if not maps:
        return "identity"
    best = min(maps, key=lambda name: float(maps[name].mean()))
    chosen = best
    for name, loss in maps.items():  # simplest first
        excess, se, _ = clustered_ratio(loss - maps[best], np.ones(data.n), data.family)
        if excess <= se:
            chosen = name
            break
    raw = float(losses["identity"].mean())
    return chosen if float(maps[chosen].mean()) < raw - 1e-12 else "identity"


def _sentence(candidates: tuple[CandidateMap, ...], chosen: str, n: int) -> str:
    by_name = {one.method: one for one in candidates}
    worse = [one.method for one in candidates if one.made_worse]
    raw = by_name["identity"].log_loss.value
    if chosen == "identity":
        head = (
            f"Leave the score as it is: on unseen families the map to prefer does not beat its "
            f"log loss of {raw:.3f} (n = {n})."
        )
    else:
        head = (
            f"Use {chosen}: on unseen families it changes the log loss from {raw:.3f} to "
            f"{by_name[chosen].log_loss.value:.3f} (n = {n})."
        )
    return head + (f" Recalibration made it worse with: {', '.join(worse)}." if worse else "")


@formula
def map_band(
    scores: Any,
    y: Any,
    *,
    at: Any,
    method: str = "platt",
    family: Any | None = None,
    level: float = 0.95,
    resamples: int = 499,
    seed: int = 0,
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Pointwise percentile band of a fitted map: refitted in a family bootstrap.

    Parameters
    ----------
    scores, y, family
        As in `cross_fit`.
    at : sequence, shape (m,)
        Scores at which the band is wanted, none missing.
    method : str
        A key of `CALIBRATORS`.
    level, resamples, seed
        Of the band.

    Returns
    -------
    low, high : tuple of float, shape (m,)
        Empty when there is no band (faulty data, fewer than two families).

    Raises
    ------
    ValueError
        On an unknown method, missing values in `at`, no resamples or a bad `level`.

    Examples
    --------
    >>> low, high = map_band([0.1, 0.3, 0.6, 0.9] * 9, [0, 1, 0, 1] * 9, at=[0.5], resamples=99)
    >>> low[0] < 0.5 < high[0]
    True
    """
    check_level(level)
    if resamples < 1:
        raise ValueError(f"resamples must be >= 1, got {resamples}")
    grid = numbers(at, name="at")
    if bool(np.isnan(grid).any()):
        raise ValueError(f"at must hold no missing values, got {at!r}")
    data = scored_labels(scores, y, family=family)
    fit_calibrator(data.p[:0], data.y[:0], method=method)  # refuses an unknown method
    if data.fault or data.families < 2:
        return (), ()
    rng = np.random.default_rng(seed)
    members = [np.flatnonzero(data.family == f) for f in range(data.families)]
    curves: list[FloatArray] = []
    for _ in range(resamples):
        drawn = rng.integers(data.families, size=data.families)
        rows = np.concatenate([members[f] for f in drawn])
        fitted: CalibrationMap = fit_calibrator(data.p[rows], data.y[rows], method=method)
        curves.append(fitted.predict(grid))
    low, high = np.quantile(np.array(curves), [(1 - level) / 2, (1 + level) / 2], axis=0)
    return tuple(float(v) for v in low), tuple(float(v) for v in high)
