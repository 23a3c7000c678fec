"""What a gate on a share, or on lost accuracy, really does: the chance that it accepts.

One item a family, so the number of items is the number of families. The rule is the one the gate
applies (`voirdire.stats.rate` and `tango_interval` at level 0.90), evaluated at every count that
can occur; nothing is approximated but the independence of families.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from voirdire.stats.mcnemar import tango_interval
from voirdire.stats.rates import rate_of_counts
from voirdire.stats.registry import formula

__all__ = ["kept_power", "share_power"]


@formula
def share_power(true: float, floor: float, families: int, *, level: float = 0.90) -> float:
    """Chance that the lower bound of a share reaches a floor.

    Parameters
    ----------
    true : float
        The judge's true share, in [0, 1].
    floor : float
        What the lower bound must reach.
    families : int
        Families with one item each; below 2 nothing is accepted.
    level : float
        Two-sided level of the interval.

    Returns
    -------
    float
        Exact: the binomial probability of all counts that are accepted.

    Examples
    --------
    >>> round(share_power(0.95, 0.80, 13), 3), round(share_power(0.95, 0.80, 60), 3)
    (0.0, 0.97)
    """
    if families < 2:
        return 0.0
    first = _first_accepted(families, floor, level)
    if first > families:
        return 0.0
    k = np.arange(first, families + 1)
    log = (
        gammaln(families + 1)
        - gammaln(k + 1)
        - gammaln(families - k + 1)
        + xlogy(k, true)
        + xlog1py(families - k, -true)
    )
    return float(min(np.exp(log).sum(), 1.0))


def _first_accepted(families: int, floor: float, level: float) -> int:
    """Smallest count whose lower bound reaches the floor; the bound rises with the count."""
    low, high = 0, families + 1
    while low < high:
        middle = (low + high) // 2
        hits = np.zeros(families)
        hits[:middle] = 1
        bound = rate_of_counts(hits, np.ones(families), level=level).low
        if bound is not None and bound >= floor:
            high = middle
        else:
            low = middle + 1
    return low


@formula
def kept_power(
    margin: float,
    families: int,
    *,
    discordant: float = 0.06,
    simulations: int = 400,
    level: float = 0.90,
    rng: np.random.Generator | int = 0,
) -> float:
    """Chance of showing that rewording costs at most a margin, for a judge that loses nothing.

    Parameters
    ----------
    margin : float
        Accuracy that may be lost, > 0.
    families : int
        Families with one pair each; below 2 nothing is accepted.
    discordant : float
        Share of pairs on which the judge is right about one member only, either way alike.
    simulations : int
    level : float
        Two-sided level of Tango's interval.
    rng : Generator or int

    Examples
    --------
    >>> kept_power(0.05, 40) < 0.5, kept_power(0.05, 400) > 0.9
    (True, True)
    """
    if families < 2:
        return 0.0
    draws = np.random.default_rng(rng).multinomial(
        families, [discordant / 2, discordant / 2, 1 - discordant], size=simulations
    )
    tables, counts = np.unique(draws, axis=0, return_counts=True)
    fine = [
        tango_interval([[int(both), int(lost)], [int(won), 0]], level=level)[1] <= margin
        for lost, won, both in tables
    ]
    return float(counts[np.array(fine)].sum() / simulations)
