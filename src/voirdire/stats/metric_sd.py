"""What the components say about the metric: its standard deviation under other designs."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from voirdire.stats import distributions

from .outcomes import TestOutcome
from .registry import formula
from .scores import numbers

__all__ = ["BinaryMetricSd", "binary_metric_sd", "metric_sd", "session_effect"]


class BinaryMetricSd(NamedTuple):
    """Mean of a 0/1 metric and its standard deviation on fixed and on fresh items.

    Examples
    --------
    >>> BinaryMetricSd(0.5, 0.1, 0.2).fresh_items
    0.2
    """

    mean: float
    fixed_items: float
    fresh_items: float


@formula
def binary_metric_sd(chances: Any) -> BinaryMetricSd:
    """Standard deviation of the share of positive verdicts, from each item's chance of one.

    Fixed items: ``sqrt(sum p (1 - p)) / I`` (calls independent). Items redrawn each time:
    ``sqrt(p̄ (1 - p̄) / I)``.

    Parameters
    ----------
    chances : sequence, shape (I,)
        In 0..1, none missing.

    Raises
    ------
    ValueError
        If there is no item, or a chance is missing or outside 0..1.

    Examples
    --------
    >>> result = binary_metric_sd([1.0, 0.8, 0.5, 0.2, 0.0, 0.9, 0.95, 0.6])
    >>> round(result.fixed_items, 4), round(result.fresh_items, 4)
    (0.1217, 0.1717)
    """
    p = numbers(chances, name="chances")
    if len(p) == 0 or not bool(((p >= 0) & (p <= 1)).all()):
        raise ValueError(f"chances must be numbers in 0..1, at least one, got {chances!r}")
    mean = float(p.mean())
    fixed = math.sqrt(float((p * (1 - p)).sum())) / len(p)
    return BinaryMetricSd(mean, fixed, math.sqrt(mean * (1 - mean) / len(p)))


@formula
def metric_sd(
    *,
    var_item: float,
    var_run: float,
    var_residual: float,
    items: int,
    calls: int = 1,
    fresh: bool = False,
) -> float:
    """Standard deviation of the metric for another number of items or of calls per item.

    ``sqrt(var_run + var_residual/(items calls) [+ var_item/items])``. Averaging calls divides only
    the residual; no number of calls or items removes the run effect.

    Parameters
    ----------
    var_item, var_run, var_residual : float
        Components, not negative. The residual is taken for call noise; where it is interaction of
        item and run, more calls help less.
    items, calls : int
        Items of an evaluation, calls averaged per item.
    fresh : bool
        Items redrawn each time.

    Raises
    ------
    ValueError
        On a negative component or a count below 1.

    Examples
    --------
    >>> round(metric_sd(var_item=0.1, var_run=0.0001, var_residual=0.047, items=100), 4)
    0.0239
    """
    if min(var_item, var_run, var_residual) < 0 or min(items, calls) < 1:
        raise ValueError(
            "components must be >= 0 and counts >= 1, got "
            f"{var_item}, {var_run}, {var_residual}, items={items}, calls={calls}"
        )
    variance = var_run + var_residual / (items * calls) + (var_item / items if fresh else 0.0)
    return math.sqrt(variance)


@formula
def session_effect(run_means: Any, sessions: Any) -> TestOutcome:
    """Do sessions (days, prompts, servers) differ by more than the runs within them?

    One-way analysis of variance of the run means. Without it, five runs in a row pass for five
    runs on five days, and a limit of 1 percent fires at 4.

    Parameters
    ----------
    run_means : sequence, shape (R,)
        Missing means drop out.
    sessions : sequence, shape (R,)
        Session of each run.

    Returns
    -------
    TestOutcome
        Undefined: ``fewer than 2 sessions``, ``one run in every session``, ``deterministic within
        sessions``.

    Raises
    ------
    ValueError
        If lengths differ.

    Examples
    --------
    >>> outcome = session_effect([0.80, 0.81, 0.86, 0.85], ["mon", "mon", "tue", "tue"])
    >>> round(outcome.statistic, 1), round(outcome.p_value, 3)
    (50.0, 0.019)
    """
    values = numbers(run_means, name="run_means")
    names = [str(s) for s in sessions]
    if len(names) != len(values):
        raise ValueError(f"sessions must be as long as run_means ({len(values)}), got {len(names)}")
    keep = ~np.isnan(values)
    x = values[keep]
    codes = np.unique([s for s, k in zip(names, keep, strict=True) if k], return_inverse=True)[1]
    groups = int(codes.max(initial=-1)) + 1
    df1, df2 = groups - 1, len(x) - groups
    within, between = 0.0, 0.0
    if df1 >= 1:
        size = np.bincount(codes)
        mean = np.bincount(codes, weights=x) / size
        between = float((size * (mean - x.mean()) ** 2).sum()) / df1
        within = float(((x - mean[codes]) ** 2).sum()) / df2 if df2 > 0 else 0.0
    reason = (
        "fewer than 2 sessions"
        if df1 < 1
        else "one run in every session"
        if df2 < 1
        else "deterministic within sessions"
        if within <= 0
        else None
    )
    method = "F test of a session effect"
    if reason:
        return TestOutcome(statistic=None, p_value=None, n=len(x), method=method, undefined=reason)
    f = between / within
    return TestOutcome(
        statistic=f,
        df=(df1, df2),
        p_value=float(distributions.f_sf(f, df1, df2)),
        n=len(x),
        method=method,
    )
