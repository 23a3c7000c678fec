"""Intraclass correlations: what share of the variance is between items.

Six of them, because there are two questions (do runs have effects of their own? are they counted
as error?) and one may speak of a single run or of the mean of all. For a judge asked repeatedly
ICC2 (A,1) is the one to read: agreement, runs as a sample of runs.

Source: Shrout & Fleiss (1979); intervals of McGraw & Wong (1996).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate, Record
from voirdire.stats import distributions

from .registry import Sample, statistic
from .scores import FloatArray, check_level, number_matrix

__all__ = ["IntraclassCorrelations", "intraclass_correlations"]


class IntraclassCorrelations(Record):
    """The six coefficients of Shrout and Fleiss.

    Attributes
    ----------
    icc1, icc2, icc3 : Estimate
        One run: one-way, two-way random (agreement), two-way mixed (consistency).
    icc1k, icc2k, icc3k : Estimate
        The mean of all k runs.
    """

    icc1: Estimate
    icc2: Estimate
    icc3: Estimate
    icc1k: Estimate
    icc2k: Estimate
    icc3k: Estimate


def _intraclass_correlations_on(s: Sample) -> Any:
    hits = [[None if v is None else float(v == s.labels[-1]) for v in row] for row in s.repeats]
    return intraclass_correlations(np.array(hits, dtype=object).reshape(s.repeats.shape))


@statistic(kind="other", renaming="none", duplication=False, call=_intraclass_correlations_on)
def intraclass_correlations(scores: Any, *, level: float = 0.95) -> IntraclassCorrelations:
    """All six coefficients with their F-based intervals.

    Parameters
    ----------
    scores : table, shape (I, R)
        Items in rows, runs (or raters) in columns. Items with a missing cell drop out and show in
        ``n_asked - n``.
    level : float

    Returns
    -------
    IntraclassCorrelations
        Undefined: ``no items``, ``fewer than 2 items``, ``fewer than 2 runs``, ``no variation``
        (all cells equal). A perfect coefficient has no interval.

    Raises
    ------
    ValueError
        If `scores` is not a table or `level` is not in (0, 1).

    Examples
    --------
    >>> published = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9],
    ...     [6, 2, 4, 7]]
    >>> icc = intraclass_correlations(published)
    >>> [round(one.value, 2) for one in (icc.icc1, icc.icc2, icc.icc3)]
    [0.17, 0.29, 0.71]
    """
    check_level(level)
    table = number_matrix(scores, name="scores")
    asked = table.shape[0]
    table = table[~np.isnan(table).any(axis=1)]
    items, runs = table.shape
    reason = (
        "no items"
        if table.size == 0
        else "fewer than 2 runs"
        if runs < 2
        else "fewer than 2 items"
        if items < 2
        else "no variation"
        if bool((table == table[0, 0]).all())
        else ""
    )
    about: dict[str, Any] = {"n": items, "n_asked": asked, "level": level}
    if reason:
        gone = Estimate.not_defined(reason, method="intraclass correlation", **about)
        return IntraclassCorrelations(
            icc1=gone, icc2=gone, icc3=gone, icc1k=gone, icc2k=gone, icc3k=gone
        )
    ms = _mean_squares(table)
    one = {
        "icc1": _one_way(ms, items, runs, level),
        "icc2": _agreement(ms, items, runs, level),
        "icc3": _consistency(ms, items, runs, level),
    }
    out = {}
    for name, (value, low, high) in one.items():
        out[name] = _estimate(value, low, high, name, about)
        mean, mean_low, mean_high = (_spearman_brown(v, runs) for v in (value, low, high))
        out[f"{name}k"] = _estimate(mean, mean_low, mean_high, f"{name}k", about)
    return IntraclassCorrelations(**out)


def _mean_squares(table: FloatArray) -> tuple[float, float, float, float]:
    """Between items, within items, between runs, residual."""
    items, runs = table.shape
    between = runs * float(table.mean(axis=1).var(ddof=1))
    within = float(table.var(axis=1, ddof=1).mean())
    columns = items * float(table.mean(axis=0).var(ddof=1))
    total_within = within * items * (runs - 1)
    residual = (total_within - columns * (runs - 1)) / ((items - 1) * (runs - 1))
    return between, within, columns, max(residual, 0.0)


_Triple = tuple[float, float | None, float | None]


def _f_ends(f: float, df1: float, df2: float, level: float) -> tuple[float, float]:
    upper = (1 + level) / 2
    return f / float(distributions.f_ppf(upper, df1, df2)), f * float(
        distributions.f_ppf(upper, df2, df1)
    )


def _one_way(ms: tuple[float, ...], items: int, runs: int, level: float) -> _Triple:
    between, within, _, _ = ms
    value = (between - within) / (between + (runs - 1) * within)
    if within <= 0:
        return value, None, None
    low, high = _f_ends(between / within, items - 1, items * (runs - 1), level)
    return value, (low - 1) / (low + runs - 1), (high - 1) / (high + runs - 1)


def _consistency(ms: tuple[float, ...], items: int, runs: int, level: float) -> _Triple:
    between, _, _, residual = ms
    below = between + (runs - 1) * residual
    if below <= 0:  # all items alike and runs that only shift: nothing between items
        return 0.0, None, None
    value = (between - residual) / below
    if residual <= 0:
        return value, None, None
    low, high = _f_ends(between / residual, items - 1, (items - 1) * (runs - 1), level)
    return value, (low - 1) / (low + runs - 1), (high - 1) / (high + runs - 1)


def _agreement(ms: tuple[float, ...], items: int, runs: int, level: float) -> _Triple:
    between, _, columns, residual = ms
    error = runs * (columns - residual) / items
    value = (between - residual) / (between + (runs - 1) * residual + error)
    a = runs * value / (items * (1 - value)) if value < 1 else 0.0
    b = 1 + runs * value * (items - 1) / (items * (1 - value)) if value < 1 else 0.0
    below = (a * columns) ** 2 / (runs - 1) + (b * residual) ** 2 / ((items - 1) * (runs - 1))
    if value >= 1 or below <= 0:
        return value, None, None
    df = (a * columns + b * residual) ** 2 / below
    upper = (1 + level) / 2
    shape = runs * columns + (runs * items - runs - items) * residual
    f_low = float(distributions.f_ppf(upper, items - 1, df))
    f_high = float(distributions.f_ppf(upper, df, items - 1))
    low = items * (between - f_low * residual) / (f_low * shape + items * between)
    high = items * (f_high * between - residual) / (shape + items * f_high * between)
    return value, min(low, value), max(high, value)


def _spearman_brown(value: float | None, runs: int) -> float | None:
    if value is None:
        return None
    below = 1 + (runs - 1) * value
    return runs * value / below if below > 1e-12 else None


def _estimate(
    value: float | None, low: float | None, high: float | None, name: str, about: dict[str, Any]
) -> Estimate:
    method = f"{name.upper()} (Shrout-Fleiss), F interval"
    if value is None or not np.isfinite(value):
        return Estimate.not_defined("mean of runs has no variation", method=method, **about)
    if low is None or high is None or not (np.isfinite(low) and np.isfinite(high)):
        why = "no residual variation"
        return Estimate(value=value, method=method, no_interval=why, **about)
    return Estimate(value=value, low=min(low, high), high=max(low, high), method=method, **about)
