"""How scores lie, beside their mean: spread, the low end, and who stands there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["BINS", "Spread", "spread"]

BINS = 10


class Spread(NamedTuple):
    """Of the scores that are there.

    Attributes
    ----------
    n : int
    mean, p10, share_below_half : float or None
        None without scores; p10 is interpolated linearly between order statistics.
    sd : float or None
        With n - 1; None below two scores.
    histogram : tuple of int
        Ten bins over 0..1, each with its lower end; the last holds 1 too.
    """

    n: int
    mean: float | None
    sd: float | None
    p10: float | None
    share_below_half: float | None
    histogram: tuple[int, ...]


def spread(scores: Any) -> Spread:
    """Mean, sd, 10th percentile, share below .5 and histogram.

    Parameters
    ----------
    scores : sequence of float, shape (n,)
        None and NaN are left out.

    Examples
    --------
    >>> found = spread([1, 1, 0.75, 1, 0, 0.5, 1, 1])
    >>> [round(x, 3) for x in (found.mean, found.sd, found.p10, found.share_below_half)]
    [0.781, 0.364, 0.35, 0.125]
    """
    values = np.array([np.nan if x is None else x for x in scores], dtype=np.float64)
    values = values[~np.isnan(values)]
    if not values.size:
        return Spread(0, None, None, None, None, (0,) * BINS)
    bins = np.clip((values * BINS + 1e-9).astype(np.int64), 0, BINS - 1)
    return Spread(
        n=int(values.size),
        mean=float(values.mean()),
        sd=float(values.std(ddof=1)) if values.size > 1 else None,
        p10=float(np.percentile(values, 10)),
        share_below_half=float((values < 0.5).mean()),
        histogram=tuple(np.bincount(bins, minlength=BINS).tolist()),
    )
