"""The usual rule, "alarm at 5 % or 10 % below the mean of the last four", and what it really does.

With evaluations that vary with standard deviation s around mu and nothing changed,
``P(x < (1 - d) mean of the last k) = Phi(-d mu / (s sqrt(1 + (1 - d)^2 / k)))``: its false alarms
depend wholly on s, which the rule does not know.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from scipy import optimize

from voirdire.records.estimates import Record
from voirdire.stats import distributions

from .registry import formula
from .scores import check_level, numbers

__all__ = [
    "NaiveAlarm",
    "naive_alarm",
    "naive_drop_for",
    "naive_false_alarm",
    "naive_largest_sd",
]

State = Literal["ok", "warning", "critical"]


class NaiveAlarm(Record):
    """What the naive rule says of one evaluation.

    Attributes
    ----------
    state : {"ok", "warning", "critical"} or None
    base : float or None
        Mean of the last k.
    relative_drop : float or None
        ``1 - latest / base``.
    undefined : str or None
    """

    state: State | None = None
    base: float | None = None
    relative_drop: float | None = None
    undefined: str | None = None


def _check(mean: float, sd: float, k: int) -> None:
    if not mean > 0 or not sd > 0 or k < 1:
        raise ValueError(f"mean and sd must be > 0 and k >= 1, got {mean!r}, {sd!r}, {k!r}")


@formula
def naive_false_alarm(drop: float, *, mean: float, sd: float, k: int = 4) -> float:
    """Chance of a false alarm per evaluation.

    Parameters
    ----------
    drop : float
        Relative drop that fires, in (0, 1).
    mean, sd : float
        Of the evaluations while nothing changes.
    k : int
        Evaluations in the base.

    Raises
    ------
    ValueError
        If `drop` is not in (0, 1), or `mean`, `sd` or `k` is not positive.

    Examples
    --------
    >>> round(naive_false_alarm(0.05, mean=0.85, sd=0.03), 4)
    0.1003
    """
    check_level(drop, name="drop")
    _check(mean, sd, k)
    return float(distributions.norm_cdf(-drop * mean / (sd * math.sqrt(1 + (1 - drop) ** 2 / k))))


@formula
def naive_drop_for(alpha: float, *, mean: float, sd: float, k: int = 4) -> float | None:
    """Relative drop at which the naive rule has false-alarm chance `alpha`.

    Returns
    -------
    float or None
        None when even a fall to 0 would not be rare enough.

    Raises
    ------
    ValueError
        If `alpha` is not in (0, .5), or `mean`, `sd` or `k` is not positive.

    Examples
    --------
    >>> round(naive_drop_for(0.05, mean=0.85, sd=0.02), 4)
    0.0429
    """
    check_level(2 * alpha, name="alpha (doubled)")
    _check(mean, sd, k)

    def excess(drop: float) -> float:
        return naive_false_alarm(drop, mean=mean, sd=sd, k=k) - alpha

    if excess(1 - 1e-12) > 0:
        return None
    return float(optimize.brentq(excess, 1e-12, 1 - 1e-12, xtol=1e-14))


@formula
def naive_largest_sd(drop: float, *, mean: float, alpha: float, k: int = 4) -> float:
    """Largest standard deviation of the evaluations for which the rule keeps `alpha`.

    Raises
    ------
    ValueError
        If `drop` is not in (0, 1), `alpha` not in (0, .5), or `mean` or `k` not positive.

    Examples
    --------
    >>> round(naive_largest_sd(0.05, mean=0.85, alpha=0.05), 4)
    0.0233
    """
    check_level(drop, name="drop")
    check_level(2 * alpha, name="alpha (doubled)")
    _check(mean, 1.0, k)
    return drop * mean / (float(distributions.norm_isf(alpha)) * math.sqrt(1 + (1 - drop) ** 2 / k))


@formula
def naive_alarm(
    history: Sequence[float],
    latest: float,
    *,
    k: int = 4,
    warning: float = 0.05,
    critical: float = 0.10,
) -> NaiveAlarm:
    """Apply the naive rule to one evaluation.

    Parameters
    ----------
    history : sequence
        Earlier evaluations, oldest first; missing ones are gaps, not zeros. The last k count.
    latest : float
    k : int
    warning, critical : float
        Relative drops that fire.

    Returns
    -------
    NaiveAlarm
        Undefined: ``fewer than k earlier evaluations``, ``latest evaluation missing``, ``base not
        above 0``.

    Raises
    ------
    ValueError
        If ``0 < warning <= critical < 1`` does not hold or k < 1.

    Examples
    --------
    >>> scores = [0.88, 0.86, 0.89, 0.87, 0.85, 0.84, 0.82, 0.76]
    >>> [naive_alarm(scores[:t], scores[t]).state for t in range(4, 8)]
    ['ok', 'ok', 'ok', 'critical']
    """
    if not 0 < warning <= critical < 1 or k < 1:
        raise ValueError(
            f"0 < warning <= critical < 1 and k >= 1 must hold, got {warning}, {critical}, {k}"
        )
    known = [float(v) for v in numbers(list(history), name="history") if not math.isnan(v)]
    now = float(numbers([latest], name="latest")[0])
    if math.isnan(now):
        return NaiveAlarm(undefined="latest evaluation missing")
    if len(known) < k:
        return NaiveAlarm(undefined=f"fewer than {k} earlier evaluations")
    base = sum(known[-k:]) / k
    if base <= 0:
        return NaiveAlarm(base=base, undefined="base not above 0")
    drop = 1 - now / base
    state: State = "critical" if drop >= critical else "warning" if drop >= warning else "ok"
    return NaiveAlarm(state=state, base=base, relative_drop=drop)
