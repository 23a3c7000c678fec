"""The noise of one evaluation when its calibration has sessions.

Five repeats in a row pass for five days, and a limit of 1 percent then fires at 3. So repeats are
split into sessions: the variance between sessions counts whole however many repeats a session
holds; and with a single session the calibration cannot tell that variance at all, so the history
of evaluations, each a session of its own, stands alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from voirdire.records.estimates import Record
from voirdire.stats.registry import formula
from voirdire.stats.scores import numbers

__all__ = [
    "SessionNoise",
    "fresh_items_noise",
    "item_variance_df",
    "session_noise",
    "successive_noise",
]

ONE_SESSION = "one session: the variance between sessions is not known"
_LEAST_DF = 12.0


class SessionNoise(Record):
    """Standard deviation of a single evaluation, from repeats in sessions.

    Attributes
    ----------
    sd, df : float or None
        Between and within sessions together; Satterthwaite. A df of None with an sd of 0: nothing
        ever moved.
    within_sd : float or None
        Of repeats within a session.
    between_sd : float or None
        Of sessions beyond that; 0 where the estimate is negative.
    mean_n : float or None
        Independent evaluations that the mean of the repeats is worth; repeats of one day are worth
        less than as many days.
    sessions, repeats : int
    undefined : str or None
        Why there is no sd: ``fewer than 2 runs``, or a single session that moved.
    """

    sd: float | None = None
    df: float | None = None
    within_sd: float | None = None
    between_sd: float | None = None
    mean_n: float | None = None
    sessions: int = 0
    repeats: int = 0
    undefined: str | None = None


@formula
def session_noise(values: Any, sessions: Sequence[Any], *, least: float = 0.0) -> SessionNoise:
    """Standard deviation that one evaluation on one more day would show.

    ``s^2 = MS_between / m + (1 - 1/m) MS_within``, m repeats a session (for unequal sizes the usual
    ``m_0``): unbiased for between plus within variance, never negative, no pre-test.

    Parameters
    ----------
    values : sequence, shape (R,)
        The signal at each repeat; missing ones drop out.
    sessions : sequence, shape (R,)
        Session of each.
    least : float
        What the sd cannot be below: ``sqrt(var_residual / I)``, the call noise of the items, known
        far better than the scatter of a few means, which by luck may come out next to nothing. It
        then counts for 12 degrees of freedom: its own are many more, but that no run effect is
        there is a guess.

    Returns
    -------
    SessionNoise
        With every repeat equal the sd is 0, in one session as in many.

    Raises
    ------
    ValueError
        If lengths differ or `least` is negative.

    Examples
    --------
    >>> noise = session_noise([0.80, 0.81, 0.86, 0.85], ["mon", "mon", "tue", "tue"])
    >>> round(noise.sd, 4), round(noise.df, 2), round(noise.within_sd, 4)
    (0.0357, 1.04, 0.0071)
    >>> session_noise([0.8, 0.9], ["mon", "mon"]).undefined
    'one session: the variance between sessions is not known'
    """
    x = numbers(list(values), name="values")
    names = [str(one) for one in sessions]
    if len(names) != len(x):
        raise ValueError(f"sessions must be as long as values ({len(x)}), got {len(names)}")
    if least < 0:
        raise ValueError(f"least must be >= 0, got {least!r}")
    known = ~np.isnan(x)
    x = x[known]
    kept = [name for name, keep in zip(names, known, strict=True) if keep]
    codes = np.unique(kept, return_inverse=True)[1].reshape(-1) if kept else np.zeros(0, int)
    groups, repeats = int(codes.max(initial=-1)) + 1, len(x)
    about: dict[str, Any] = {"sessions": groups, "repeats": repeats}
    if repeats < 2:
        return SessionNoise(undefined="fewer than 2 runs", **about)
    if float(np.ptp(x)) == 0.0 and least == 0:
        return SessionNoise(sd=0.0, within_sd=0.0, between_sd=0.0, **about)
    size = np.bincount(codes)
    mean = np.bincount(codes, weights=x) / size
    df_within = repeats - groups
    squares = float(((x - mean[codes]) ** 2).sum())
    within = squares / df_within if df_within else 0.0
    if groups < 2:
        return SessionNoise(within_sd=math.sqrt(within), undefined=ONE_SESSION, **about)
    between = float((size * (mean - x.mean()) ** 2).sum()) / (groups - 1)
    m = (repeats - float((size**2).sum()) / repeats) / (groups - 1)
    one, two = between / m, (1 - 1 / m) * within
    below = one**2 / (groups - 1) + (two**2 / df_within if df_within else 0.0)
    df = (one + two) ** 2 / below if below > 0 else 0.0
    if least**2 > one + two:
        df = max(df, _LEAST_DF)
    return SessionNoise(
        sd=max(math.sqrt(one + two), least),
        df=df,
        within_sd=math.sqrt(within) if df_within else None,
        between_sd=math.sqrt(max(one - within / m, 0.0)) if df_within else None,
        mean_n=_worth(one + two, between, repeats),
        **about,
    )


def _worth(variance: float, between: float, repeats: int) -> float:
    """``s^2 / Var(mean)``, with ``Var(mean) = MS_between / R``, at least one session's worth."""
    if between <= 0:
        return float(repeats)
    return min(max(variance * repeats / between, 1.0), float(repeats))


@formula
def item_variance_df(scores: Any) -> float:
    """Degrees of freedom with which the variance between items is known.

    ``2 I / (kurtosis - 1)``, at most I - 1. The I - 1 of normal values is too many for shares near
    0 or 1: 60 verdicts at a rate of .86 know their variance as 28 normal values would.

    Parameters
    ----------
    scores : sequence, shape (I,)
        Mean score of each item; missing ones drop out.

    Raises
    ------
    ValueError
        With fewer than 2 items.

    Examples
    --------
    >>> round(item_variance_df([1] * 52 + [0] * 8), 1)
    25.8
    >>> item_variance_df([1] * 30 + [0] * 30)
    59.0
    """
    x = numbers(list(scores), name="scores")
    x = x[~np.isnan(x)]
    if len(x) < 2:
        raise ValueError(f"scores must have at least 2 items, got {len(x)}")
    centred = x - x.mean()
    second = float((centred**2).mean())
    if second <= 0:
        return len(x) - 1.0
    excess = float((centred**4).mean()) / second**2 - 1.0
    most = len(x) - 1.0
    return min(2 * len(x) / excess, most) if excess > 1e-12 else most


@formula
def fresh_items_noise(
    sd: float,
    df: float | None,
    *,
    var_item: float,
    items: int,
    item_df: float | None = None,
) -> tuple[float, float | None]:
    """Add what freshly drawn items add: ``s^2 + var_item / I``, degrees after Satterthwaite.

    `fresh_items_sd` for a standard deviation whose degrees of freedom are not R - 1.

    Parameters
    ----------
    sd, df : float, float or None
        Of an evaluation on fixed items; None with an sd of 0.
    var_item : float
        Variance between items, >= 0.
    items : int
        Of an evaluation, at least 2.
    item_df : float, optional
        With how many degrees of freedom `var_item` is known; default ``items - 1``.

    Raises
    ------
    ValueError
        On negative variances, or fewer than 2 items.

    Examples
    --------
    >>> sd, df = fresh_items_noise(0.018, 4, var_item=0.09, items=120)
    >>> round(sd, 4), round(df, 1)
    (0.0328, 37.2)
    """
    if sd < 0 or var_item < 0 or items < 2:
        raise ValueError(
            f"sd and var_item must be >= 0 and items >= 2, got {sd!r}, {var_item!r}, {items!r}"
        )
    run, item = sd**2, var_item / items
    below = item**2 / (item_df or items - 1) + (run**2 / df if df else 0.0)
    return math.sqrt(run + item), (run + item) ** 2 / below if below > 0 else None


@formula
def successive_noise(values: Any) -> tuple[float, float] | None:
    """Standard deviation of a history from the squares of its successive differences.

    ``s^2 = sum (x_i - x_{i-1})^2 / (2 (n - 1))``: an old shift of level touches one difference only
    (von Neumann 1941). Degrees of freedom by its variance, ``2 (n - 1)^2 / (3 n - 4)``.

    Parameters
    ----------
    values : sequence, shape (n,)
        Oldest first; missing ones drop out.

    Returns
    -------
    sd, df : float, or None with fewer than 3 values

    Examples
    --------
    >>> sd, df = successive_noise([0.85, 0.86, 0.84, 0.85, 0.83, 0.85])
    >>> round(sd, 4), round(df, 2)
    (0.0118, 3.57)
    """
    x = numbers(list(values), name="values")
    x = x[~np.isnan(x)]
    n = len(x)
    if n < 3:
        return None
    variance = float((np.diff(x) ** 2).sum()) / (2 * (n - 1))
    return math.sqrt(variance), 2 * (n - 1) ** 2 / (3 * n - 4)
