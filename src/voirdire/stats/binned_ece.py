"""Binned expected calibration error, with the value that a perfect judge would show.

Kept as a legacy number. At 60 items a *perfectly calibrated* judge has ECE-10 of .109 on average
(95 % quantile .156), so the bare number says nothing; it is always given beside its null.

Source: Naeini, Cooper & Hauskrecht (2015); Guo et al. (2017); null after Broecker & Smith (2007).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from voirdire.records.estimates import Estimate, Record
from voirdire.stats import distributions

from .registry import Sample, formula, statistic
from .scores import FloatArray, IntArray, ScoredLabels, check_level, scored_labels

__all__ = ["BinnedCalibration", "binned_calibration", "consistency_limits"]

Binning = Literal["width", "mass"]
# how many simulated labels are held at once; 2e6 float64 are 16 MB
_CELLS_AT_ONCE = 2_000_000


class BinnedCalibration(Record):
    """Calibration errors over bins, and what they would be if the judge were calibrated.

    Attributes
    ----------
    ece : Estimate
        Mean over items of the absolute gap of their bin.
    mce : Estimate
        Largest gap of a bin.
    ace : Estimate
        Unweighted mean of the gaps of the bins that hold items.
    null_mean, null_95 : float or None
        Mean and 95 % quantile of the ECE of a calibrated judge with these scores.
    p_value : float or None
        Share of calibrated judges with at least this ECE.
    bins : int
        Bins that hold items.
    """

    ece: Estimate
    mce: Estimate
    ace: Estimate
    null_mean: float | None
    null_95: float | None
    p_value: float | None
    bins: int


def _binned_calibration_on(s: Sample) -> Any:
    return binned_calibration(s.scores, s.outcomes, family=s.family, null_draws=0)


@statistic(kind="other", renaming="none", call=_binned_calibration_on)
def binned_calibration(
    p: Any,
    y: Any,
    *,
    bins: int = 10,
    binning: Binning = "width",
    family: Any | None = None,
    null_draws: int = 999,
    seed: int = 0,
) -> BinnedCalibration:
    """ECE, MCE and ACE over equally wide or equally full bins.

    Parameters
    ----------
    p, y : sequence, shape (n,)
        Probability of the positive label, and the label 0 or 1.
    bins : int
        Number of bins, at least 1.
    binning : {"width", "mass"}
        ``[0, 1/bins), [1/bins, …), …, […, 1]``, or sorted scores cut into `bins` parts whose sizes
        differ by at most one (tied scores may be cut apart, as is usual; ties are then ordered by
        their label share so that the order of rows does not matter).
    family : sequence, optional
        Only counted; the errors have no interval (their sampling distribution is not centred on
        them; the null values take its place).
    null_draws : int
        Draws for the null; 0 for none.
    seed : int
        Of the draws.

    Notes
    -----
    The edges are those of ``numpy.linspace``, as in netcal and most published figures, because the
    number is kept for comparison with them. In floating point such an edge may lie an ulp above
    the decimal (0.6000000000000001 for the third of five), so a score written as 0.6 then falls
    into the bin below; with few and round scores this moves the ECE (.0935 against .0865 in the
    golden case of 20 scores).

    Returns
    -------
    BinnedCalibration
        Undefined: ``no items``, ``… outside 0..1``, ``… other than 0 and 1``.

    Raises
    ------
    ValueError
        If `bins` < 1, `binning` is unknown, `null_draws` < 0 or lengths differ.

    Examples
    --------
    >>> result = binned_calibration([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], bins=2)
    >>> round(result.ece.value, 3), round(result.null_mean, 1)
    (0.15, 0.2)
    """
    if bins < 1:
        raise ValueError(f"bins must be >= 1, got {bins}")
    if binning not in ("width", "mass"):
        raise ValueError(f"binning must be 'width' or 'mass', got {binning!r}")
    if null_draws < 0:
        raise ValueError(f"null_draws must be >= 0, got {null_draws}")
    data = scored_labels(p, y, family=family)
    method = f"{bins} bins of equal {binning}"
    if data.fault:
        gone = data.undefined(method)
        return BinnedCalibration(
            ece=gone, mce=gone, ace=gone, null_mean=None, null_95=None, p_value=None, bins=0
        )
    p_sorted, y_sorted = _tie_averaged(data)
    code = _bin_codes(p_sorted, bins, binning)
    size = np.bincount(code, minlength=bins).astype(np.float64)
    gap = np.abs(np.bincount(code, weights=y_sorted - p_sorted, minlength=bins))
    held = size > 0
    gaps = gap[held] / size[held]
    ece = float(gap.sum() / data.n)
    null = _null_ece(p_sorted, code, bins, null_draws, np.random.default_rng(seed))
    why = "a calibration error is read against its null, not by an interval"

    def number(value: float) -> Estimate:
        return data.estimate(value, None, method=method, no_interval=why)

    has_null = null.size > 0
    return BinnedCalibration(
        ece=number(ece),
        mce=number(float(gaps.max())),
        ace=number(float(gaps.mean())),
        null_mean=float(null.mean()) if has_null else None,
        null_95=float(np.quantile(null, 0.95)) if has_null else None,
        p_value=float((1 + (null >= ece - 1e-12).sum()) / (1 + null.size)) if has_null else None,
        bins=int(held.sum()),
    )


def _tie_averaged(data: ScoredLabels) -> tuple[FloatArray, FloatArray]:
    """Sorted scores, and labels averaged over tied scores (order of rows must not matter)."""
    distinct, where, count = np.unique(data.p, return_inverse=True, return_counts=True)
    share = np.bincount(where, weights=data.y) / count
    return np.repeat(distinct, count), np.repeat(share, count)


def _bin_codes(p_sorted: FloatArray, bins: int, binning: Binning) -> IntArray:
    if binning == "width":
        edges = np.linspace(0.0, 1.0, bins + 1)[1:-1]
        return np.searchsorted(edges, p_sorted, side="right").astype(np.int64)
    n = len(p_sorted)
    sizes = np.full(bins, n // bins) + (np.arange(bins) < n % bins)
    return np.repeat(np.arange(bins, dtype=np.int64), sizes)


def _null_ece(
    p: FloatArray, code: IntArray, bins: int, draws: int, rng: np.random.Generator
) -> FloatArray:
    if draws == 0:
        return np.empty(0)
    # items are sorted by score, hence by bin: bin sums are differences of running sums
    starts = np.flatnonzero(np.r_[True, np.diff(code) > 0])
    out: list[FloatArray] = []
    rows = max(1, _CELLS_AT_ONCE // len(p))
    for first in range(0, draws, rows):
        y = rng.random((min(rows, draws - first), len(p))) < p
        out.append(np.abs(np.add.reduceat(y - p, starts, axis=1)).sum(axis=1) / len(p))
    return np.concatenate(out)


@formula
def consistency_limits(
    n: Any, p: Any, *, level: float = 0.9
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Where the observed share of a bin lies with probability `level` if it is calibrated.

    Parameters
    ----------
    n : sequence of int, shape (b,)
        Items in each bin, at least 1.
    p : sequence of float, shape (b,)
        Mean score of each bin.
    level : float
        Central probability.

    Returns
    -------
    low, high : tuple of float, shape (b,)
        Binomial quantiles over n (Broecker & Smith 2007).

    Raises
    ------
    ValueError
        If a count is < 1, a score lies outside 0..1, or `level` is not in (0, 1).

    Examples
    --------
    >>> consistency_limits([20], [0.2], level=0.9)
    ((0.05,), (0.35,))
    """
    check_level(level)
    count, mean = np.asarray(n, dtype=np.int64), np.asarray(p, dtype=np.float64)
    if bool((count < 1).any()) or not bool(((mean >= 0) & (mean <= 1)).all()):
        raise ValueError(f"n must be >= 1 and p in 0..1, got n={n!r}, p={p!r}")
    low = distributions.binom_ppf((1 - level) / 2, count, mean) / count
    high = distributions.binom_ppf((1 + level) / 2, count, mean) / count
    return tuple(float(v) for v in low), tuple(float(v) for v in high)
