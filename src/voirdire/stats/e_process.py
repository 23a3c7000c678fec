"""Is the mean still at least m0? Evidence that may be looked at any time.

``E_t = prod (1 + lambda_i (m0 - x_i))`` is a bet against "the mean is at least m0": fair or losing
if that is true, whatever the distribution on 0..1, so by Ville's inequality it ever reaches
``1/alpha`` with chance at most alpha, at any stopping time. Weaker than an EWMA over the first 20
evaluations; for service levels, not for pagers.

Source: Waudby-Smith & Ramdas (2024).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voirdire.records.estimates import Record

from .registry import formula
from .scores import check_level, numbers

__all__ = ["BettingProcess", "betting_process"]


class BettingProcess(Record):
    """The wealth of the bet after each evaluation.

    Attributes
    ----------
    e : tuple of float or None
        None at a gap, where no bet is made.
    bets : tuple of float or None
        The stakes lambda.
    threshold : float
        ``1/alpha``.
    first_alarm : int or None
    undefined : str or None
        ``values outside 0..1``.
    """

    e: tuple[float | None, ...] = ()
    bets: tuple[float | None, ...] = ()
    threshold: float
    first_alarm: int | None = None
    undefined: str | None = None


@formula
def betting_process(
    values: Sequence[float], *, m0: float, bet: float | None = None, alpha: float = 0.05
) -> BettingProcess:
    """Run the bet.

    Parameters
    ----------
    values : sequence
        Evaluations in 0..1, oldest first; missing ones are gaps.
    m0 : float
        The level to be held, in (0, 1).
    bet : float, optional
        A fixed stake in ``[0, 1/(1 - m0)]``. By default the predictable plug-in: from the mean and
        variance of what was seen before, so that a metric of small variance gets a large stake.
    alpha : float

    Returns
    -------
    BettingProcess

    Raises
    ------
    ValueError
        If `m0` or `alpha` is not in (0, 1), or the stake is out of range.

    Examples
    --------
    >>> process = betting_process([0.83, 0.79, 0.86], m0=0.85, bet=1.5)
    >>> [round(e, 4) for e in process.e], process.threshold
    ([1.03, 1.1227, 1.1059], 20.0)
    """
    check_level(m0, name="m0")
    check_level(alpha, name="alpha")
    most = 1.0 / (1.0 - m0)
    if bet is not None and not 0 <= bet <= most:
        raise ValueError(f"bet must be in 0..{most:.4g} for m0 = {m0}, got {bet!r}")
    x = numbers(list(values), name="values")
    threshold = 1.0 / alpha
    if bool(((x < 0) | (x > 1)).any()):
        return BettingProcess(threshold=threshold, undefined="values outside 0..1")
    wealth, seen = 1.0, [m0]
    # before anything is seen the variance is that of a uniform value: a cautious first stake
    squares = 1.0 / 12.0
    e: list[float | None] = []
    bets: list[float | None] = []
    for value in x:
        if np.isnan(value):
            e.append(None)
            bets.append(None)
            continue
        mean = sum(seen) / len(seen)
        variance = squares / len(seen)
        gap = m0 - mean
        stake = bet if bet is not None else min(max(gap / (variance + gap**2), 0.0), most / 2)
        wealth *= 1.0 + stake * (m0 - float(value))
        e.append(wealth)
        bets.append(stake)
        squares += (float(value) - mean) ** 2
        seen.append(float(value))
    alarms = [i for i, w in enumerate(e) if w is not None and w >= threshold]
    return BettingProcess(
        e=tuple(e),
        bets=tuple(bets),
        threshold=threshold,
        first_alarm=alarms[0] if alarms else None,
    )
