"""An EWMA against a centre that was itself estimated.

The textbook limit takes centre and standard deviation as known. A centre of five repeats is off by
.45 sd on average, which an EWMA takes for a drift of that size: it fires ten times as often as
promised. Here the limit is a prediction limit for the average: its own spread, the centre's, and
the t quantile of the standard deviation's degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from voirdire.records.estimates import Record
from voirdire.stats.drift_charts import ewma_chart
from voirdire.stats.prediction_limit import prediction_factor
from voirdire.stats.registry import formula

__all__ = ["DriftChart", "drift_chart"]


class DriftChart(Record):
    """One entry per evaluation; None at a gap.

    Attributes
    ----------
    average : tuple of float or None
        The EWMA.
    limit : tuple of float or None
        On the bad side of the centre.
    drifted : tuple of bool
    """

    average: tuple[float | None, ...]
    limit: tuple[float | None, ...]
    drifted: tuple[bool, ...]


@formula
def drift_chart(
    values: Sequence[float],
    *,
    centre: float,
    centre_n: int,
    sd: float,
    df: float | None,
    weight: float = 0.2,
    rate: float = 0.014,
    bad: Literal["low", "high"] = "low",
) -> DriftChart:
    """EWMA with ``t_{df, 1-rate} s sqrt(w/(2-w) (1 - (1-w)^(2t)) + (1 - (1-w)^t)^2 / n)``.

    Around the centre, on the bad side. The average starts at the centre, so the centre's own error
    enters only as far as evaluations have replaced it: ``1 - (1-w)^t``.

    Parameters
    ----------
    values : sequence
        Evaluations after the baseline, oldest first; missing ones are gaps.
    centre : float
        Frozen.
    centre_n : int
        Evaluations it is the mean of, >= 1.
    sd, df : float, float or None
        Noise of one evaluation; a df of None is known for certain.
    weight : float
    rate : float
        Chance that an in-control average stands beyond the limit; .014 is a width of 2.2.
    bad : {"low", "high"}

    Raises
    ------
    ValueError
        If `sd` is not positive, `centre_n` < 1, or `weight` or `rate` is out of range.

    Examples
    --------
    >>> scores = [0.84, 0.86, 0.85, 0.83, 0.80, 0.81, 0.79]
    >>> chart = drift_chart(scores, centre=0.85, centre_n=100, sd=0.02, df=None)
    >>> chart.drifted.index(True)
    5
    >>> any(drift_chart(scores, centre=0.85, centre_n=5, sd=0.02, df=4).drifted)
    False
    """
    if centre_n < 1:
        raise ValueError(f"centre_n must be >= 1, got {centre_n!r}")
    if bad not in ("low", "high"):
        raise ValueError(f"bad must be 'low' or 'high', got {bad!r}")
    centre, sd = float(centre), float(sd)
    chart = ewma_chart(values, mu=centre, sigma=sd, weight=weight, width=1.0)
    # sqrt(1 + 1/k) belongs to a single value: the spread of the average replaces it
    quantile = prediction_factor(math.inf if df is None else df, k=1, alpha=rate) / math.sqrt(2)
    sign = -1.0 if bad == "low" else 1.0
    limits: list[float | None] = []
    drifted: list[bool] = []
    kept = 1.0
    for average, lower in zip(chart.z, chart.lower_limit, strict=True):
        if average is None or lower is None:
            limits.append(None)
            drifted.append(False)
            continue
        kept *= 1 - weight
        spread = math.sqrt((centre - lower) ** 2 + ((1 - kept) * sd) ** 2 / centre_n)
        limits.append(centre + sign * quantile * spread)
        drifted.append(bool(sign * (average - centre) > quantile * spread))
    return DriftChart(average=chart.z, limit=tuple(limits), drifted=tuple(drifted))
