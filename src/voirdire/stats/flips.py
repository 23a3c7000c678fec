"""How often a judge changes its mind: the same claims, asked several times.

Pairwise disagreement is the chance that two runs differ on a claim; the share that ever flips
grows with the number of runs, so it is only comparable at equal numbers of runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate, Record

from .bounded import clustered_ratio, rate_interval, why_no_interval
from .coding import code_labels, coding_scheme
from .registry import Sample, statistic
from .scores import FloatArray, IntArray, check_level, family_codes

__all__ = ["FlipRates", "flip_rates"]


class FlipRates(Record):
    """Stability of verdicts over runs.

    Attributes
    ----------
    pairwise_disagreement : Estimate
        Chance that two runs differ on an item.
    ever_flip : Estimate
        Share of items with more than one answer; ``k`` counts them.
    minority_share : Estimate
        Mean share of the runs that did not give the item's commonest answer.
    kappa : Estimate
        Fleiss' kappa over runs: intra-judge reliability, chance-corrected.
    run_agreement : tuple of float or None
        Agreement of each pair of runs, in the order (1,2), (1,3), …; None without common items.
    unstable : tuple of int
        Rows (from 0) of the items that flipped, worst first.
    runs : int
    """

    pairwise_disagreement: Estimate
    ever_flip: Estimate
    minority_share: Estimate
    kappa: Estimate
    run_agreement: tuple[float | None, ...] = ()
    unstable: tuple[int, ...] = ()
    runs: int = 0


def _flip_rates_on(s: Sample) -> Any:
    return flip_rates(s.repeats, family=s.family, labels=s.labels)


@statistic(kind="other", call=_flip_rates_on)
def flip_rates(
    verdicts: Any,
    *,
    family: Any | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> FlipRates:
    """Flip rates of a table of verdicts.

    Parameters
    ----------
    verdicts : table, shape (I, R)
        Labels; None is a run without judgment. Items with fewer than two verdicts drop out and
        show in ``n_asked - n``.
    family : sequence, shape (I,), optional
        Families; intervals are clustered, on the logit scale, with t(F-1).
    labels : sequence, optional
        The coding scheme.
    level : float

    Returns
    -------
    FlipRates
        Undefined: ``no items``, ``fewer than 2 runs``, ``no item judged twice``; kappa also with
        ``one label only``. A judge that never flips has rate 0 with the zero-error bound.

    Raises
    ------
    ValueError
        If rows are of unequal length, or a label is not in the scheme.

    Examples
    --------
    >>> rates = flip_rates([["s", "s", "s"], ["s", "c", "s"], ["u", "u", "c"], ["s", "s", "s"]])
    >>> round(rates.pairwise_disagreement.value, 4), rates.ever_flip.value, rates.unstable
    (0.3333, 0.5, (1, 2))
    """
    check_level(level)
    rows = [list(row) for row in verdicts]
    widths = sorted({len(row) for row in rows})
    if len(widths) > 1:
        raise ValueError(f"verdicts must be a table of equally long rows, got widths {widths}")
    runs = widths[0] if widths else 0
    counts, codes = _counts(rows, runs, labels)
    judged = counts.sum(axis=1)
    keep = judged >= 2
    reason = (
        "no items"
        if not rows
        else "fewer than 2 runs"
        if runs < 2
        else "no item judged twice"
        if not keep.any()
        else ""
    )
    if reason:
        gone = Estimate.not_defined(reason, method="flip rate", n=0, n_asked=len(rows), level=level)
        return FlipRates(
            pairwise_disagreement=gone,
            ever_flip=gone,
            minority_share=gone,
            kappa=gone,
            runs=runs,
        )
    family_of = family_codes(family, len(rows))[keep]
    family_of = np.unique(family_of, return_inverse=True)[1].reshape(-1).astype(np.int64)
    kept, m = counts[keep], judged[keep]
    differ = 1.0 - (kept * (kept - 1)).sum(axis=1) / (m * (m - 1))
    minority = 1.0 - kept.max(axis=1) / m
    flipped = (kept > 0).sum(axis=1) > 1
    order = np.flatnonzero(flipped)[np.argsort(-differ[flipped], kind="stable")]

    def mean(values: FloatArray, name: str, k: int | None = None) -> Estimate:
        return _mean(values, family_of, len(rows), name, level, k)

    return FlipRates(
        pairwise_disagreement=mean(differ, "pairwise disagreement"),
        ever_flip=mean(flipped.astype(np.float64), "share that ever flips", int(flipped.sum())),
        minority_share=mean(minority, "mean minority share"),
        kappa=_kappa(kept, m, differ, len(rows), level),
        run_agreement=_run_agreement(codes),
        unstable=tuple(int(np.flatnonzero(keep)[i]) for i in order),
        runs=runs,
    )


def _counts(
    rows: list[list[Any]], runs: int, labels: Sequence[Any] | None
) -> tuple[FloatArray, IntArray]:
    """Answers per item and label, shape (I, L), and the codes, shape (I, R)."""
    columns = [[row[r] for row in rows] for r in range(runs)]
    scheme = coding_scheme(labels, *columns)
    coded = [code_labels(column, scheme, name="verdicts") for column in columns]
    codes = np.array(coded, dtype=np.int64).reshape(runs, len(rows)).T
    width = max(len(scheme), 1)
    counts = np.zeros((len(rows), width))
    for r in range(runs):
        known = codes[:, r] >= 0
        counts[np.flatnonzero(known), codes[known, r]] += 1
    return counts, codes


def _mean(
    values: FloatArray, codes: IntArray, asked: int, name: str, level: float, k: int | None
) -> Estimate:
    value, se, families = clustered_ratio(values, np.ones(len(values)), codes)
    value = min(max(value, 0.0), 1.0)
    interval = rate_interval(value, se, families=families, df=families - 1, level=level)
    low, high = interval if interval is not None else (None, None)
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        n=len(values),
        n_asked=asked,
        families=families,
        k=k,
        method=f"{name}, family-clustered, logit scale, t",
        no_interval=None if interval is not None else why_no_interval(families),
    )


def _kappa(
    counts: FloatArray, judged: FloatArray, differ: FloatArray, asked: int, level: float
) -> Estimate:
    """Fleiss' kappa; with unequal numbers of runs each item's agreement counts once."""
    share = (counts / judged[:, None]).mean(axis=0)
    if judged.min() == judged.max():
        share = counts.sum(axis=0) / counts.sum()
    expected = 1.0 - float((share**2).sum())
    about: dict[str, Any] = {
        "method": "Fleiss kappa over runs",
        "n": len(counts),
        "n_asked": asked,
        "level": level,
    }
    if expected < 1e-12:
        return Estimate.not_defined("one label only", **about)
    value = 1.0 - float(differ.mean()) / expected
    return Estimate(value=value, no_interval="descriptive: see the disagreement", **about)


def _run_agreement(codes: IntArray) -> tuple[float | None, ...]:
    out: list[float | None] = []
    for a, b in combinations(range(codes.shape[1]), 2):
        both = (codes[:, a] >= 0) & (codes[:, b] >= 0)
        out.append(float((codes[both, a] == codes[both, b]).mean()) if both.any() else None)
    return tuple(out)
