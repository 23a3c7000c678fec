"""An alarm for counts: failures, unverifiable claims, a share near 0 or 1.

Near 0 or 1 a normal limit is wrong; the newest count is compared with the pooled history exactly
(conditional on the total: hypergeometric, Fisher's test), and by a beta-binomial prediction when
the history itself varies more than counts can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from voirdire.records.estimates import Record
from voirdire.stats import distributions

from .registry import formula
from .scores import FloatArray, numbers

__all__ = ["CountAlarm", "count_alarm"]

State = Literal["ok", "warning", "critical"]


class CountAlarm(Record):
    """What the count says.

    Attributes
    ----------
    state : {"ok", "warning", "critical"} or None
    rate, previous_rate : float or None
    p_value : float or None
        Chance of at least this many events if nothing changed.
    warning_count, critical_count : int or None
        Smallest counts that fire; None if no count out of n can.
    overdispersed : bool
        Whether the beta-binomial was used.
    method : str
    undefined : str or None
    """

    state: State | None = None
    rate: float | None = None
    previous_rate: float | None = None
    p_value: float | None = None
    warning_count: int | None = None
    critical_count: int | None = None
    overdispersed: bool = False
    method: str = "exact conditional test of counts, one-sided"
    undefined: str | None = None


@formula
def count_alarm(
    previous_events: Sequence[int],
    previous_n: Sequence[int],
    events: int,
    n: int,
    *,
    alpha_warning: float = 0.05,
    alpha_critical: float = 0.01,
) -> CountAlarm:
    """Is this count of bad events too high, given the earlier ones?

    Parameters
    ----------
    previous_events, previous_n : sequence of int
        Events and items of each earlier evaluation.
    events, n : int
        Of the newest.
    alpha_warning, alpha_critical : float
        False alarms per evaluation (at most; counts are discrete).

    Returns
    -------
    CountAlarm
        Undefined: ``no history``, ``no items``, ``counts missing or impossible``.

    Raises
    ------
    ValueError
        If the two histories differ in length or the rates are out of range.

    Examples
    --------
    >>> alarm = count_alarm([2, 1, 3, 2], [100, 100, 100, 100], 9, 100)
    >>> alarm.state, alarm.warning_count, alarm.critical_count
    ('critical', 6, 8)
    """
    if not 0 < alpha_critical <= alpha_warning < 1:
        raise ValueError(
            "0 < alpha_critical <= alpha_warning < 1 must hold, "
            f"got {alpha_critical}, {alpha_warning}"
        )
    x, m = numbers(list(previous_events)), numbers(list(previous_n))
    if len(x) != len(m):
        raise ValueError(f"previous_n must be as long as previous_events ({len(x)}), got {len(m)}")
    known = ~(np.isnan(x) | np.isnan(m)) & (m != 0)
    x, m = x[known], m[known]
    now = numbers([events, n])
    reason = (
        "counts missing or impossible"
        if bool(np.isnan(now).any() or (x < 0).any() or (x > m).any()) or not 0 <= now[0] <= now[1]
        else "no history"
        if len(x) == 0
        else "no items"
        if now[1] == 0
        else ""
    )
    if reason:
        return CountAlarm(undefined=reason)
    total, size, count, items = int(x.sum()), int(m.sum()), int(now[0]), int(now[1])
    rho = _overdispersion(x, m)
    tail = _tail(total, size, items, rho)
    p_value = float(min(max(tail[count], 0.0), 1.0))
    warning, critical = (_first(tail, alpha) for alpha in (alpha_warning, alpha_critical))
    return CountAlarm(
        state="critical"
        if p_value <= alpha_critical
        else "warning"
        if p_value <= alpha_warning
        else "ok",
        rate=count / items,
        previous_rate=total / size,
        p_value=p_value,
        warning_count=warning,
        critical_count=critical,
        overdispersed=rho > 0,
        method="beta-binomial prediction, one-sided"
        if rho > 0
        else "exact conditional test of counts, one-sided",
    )


def _first(tail: FloatArray, alpha: float) -> int | None:
    firing = np.flatnonzero(np.asarray(tail) <= alpha)
    return int(firing[0]) if firing.size else None


def _tail(total: int, size: int, items: int, rho: float) -> NDArray[np.float64]:
    """P(at least c events of ``items``) for c = 0..items, given ``total`` of ``size`` before."""
    from scipy import stats  # slow to import

    possible = np.arange(items + 1)
    if rho > 0:
        p = (total + 0.5) / (size + 1.0)
        tail = stats.betabinom.sf(possible - 1, items, p * (1 / rho - 1), (1 - p) * (1 / rho - 1))
    else:
        # given all events, those of the newest are a draw without replacement
        tail = stats.hypergeom.sf(possible - 1, size + items, total + possible, items)
    return np.asarray(tail, dtype=np.float64)


def _overdispersion(x: FloatArray, m: FloatArray) -> float:
    """Intraclass correlation of the history if its Pearson chi-square is significant, else 0."""
    k, p = len(x), float(x.sum() / m.sum())
    if k < 3 or p in (0.0, 1.0):
        return 0.0
    chi2 = float(((x - m * p) ** 2 / (m * p * (1 - p))).sum())
    if chi2 <= float(distributions.chi2_isf(0.05, k - 1)):
        return 0.0
    mean_size = float(m.sum() / k)
    rho = (chi2 / (k - 1) - 1) / max(mean_size - 1, 1.0)
    return float(min(max(rho, 1e-6), 0.5))
