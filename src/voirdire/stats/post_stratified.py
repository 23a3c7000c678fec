"""The share of positives, post-stratified by the judge's verdict.

People label some items of each verdict; the traffic says how common each verdict is:
``sum_k share_k P(positive | judge says k)``. Prediction-powered inference with the verdicts as
strata; valid for labels drawn at random within each verdict.

Source: Cochran (1977), section 5A.9.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from voirdire.records.estimates import Estimate

from .bounded import rate_interval
from .registry import formula
from .sampling import NOT_RANDOM, SamplingDesign
from .scores import check_level

__all__ = ["post_stratified"]


@formula
def post_stratified(
    traffic: Mapping[str, int],
    labelled: Mapping[str, tuple[int, int]],
    *,
    sampling_design: SamplingDesign,
    level: float = 0.95,
) -> Estimate:
    """Share of positives in the traffic.

    Parameters
    ----------
    traffic : mapping
        Verdict to its number of items in the traffic.
    labelled : mapping
        Verdict to ``(positives, items)`` among the labelled.
    sampling_design : {"random", "weighted", "enriched"}
        ``weighted`` means: at random within each verdict with chances that differ by verdict,
        which this estimator absorbs. ``enriched`` is refused.
    level : float
        Of the interval: logit scale, t(n - strata).

    Returns
    -------
    Estimate
        Undefined: ``not a random sample``, ``no items``, ``verdict with fewer than 2 labels: …``
        (merge verdicts or label more).

    Raises
    ------
    ValueError
        On negative counts, positives above items, an unknown design or a bad `level`.

    Examples
    --------
    >>> estimate = post_stratified({"s": 700, "c": 180, "u": 120},
    ...     {"s": (27, 30), "c": (2, 12), "u": (3, 8)}, sampling_design="random")
    >>> round(estimate.value, 3), round(estimate.low, 3), round(estimate.high, 3)
    (0.705, 0.596, 0.795)
    """
    check_level(level)
    if sampling_design not in ("random", "weighted", "enriched"):
        raise ValueError(
            f"sampling_design must be 'random', 'weighted' or 'enriched', got {sampling_design!r}"
        )
    for name, (positive, items) in labelled.items():
        if not 0 <= positive <= items:
            raise ValueError(
                f"positives must be 0 to items, got {positive} of {items} for {name!r}"
            )
    if any(count < 0 for count in traffic.values()):
        raise ValueError(f"traffic counts must be >= 0, got {dict(traffic)!r}")
    seen = {name: count for name, count in traffic.items() if count > 0}
    n = sum(items for name, (_, items) in labelled.items() if name in seen)
    about: dict[str, Any] = {
        "method": "post-stratified by verdict, logit scale, t",
        "n": n,
        "n_asked": sum(items for _, items in labelled.values()),
        "level": level,
    }
    thin = [name for name in seen if labelled.get(name, (0, 0))[1] < 2]
    reason = (
        NOT_RANDOM
        if sampling_design == "enriched"
        else "no items"
        if not seen or n == 0
        else f"verdict with fewer than 2 labels: {', '.join(thin)}"
        if thin
        else ""
    )
    if reason:
        return Estimate.not_defined(reason, **about)
    value, se = _value_and_error(seen, labelled)
    df = n - len(seen)
    interval = rate_interval(value, se, families=n, df=df, level=level)
    low, high = interval if interval is not None else (None, None)
    why = None if interval is not None else "no variation between families"
    return Estimate(value=value, low=low, high=high, no_interval=why, **about)


def _value_and_error(
    traffic: Mapping[str, int], labelled: Mapping[str, tuple[int, int]]
) -> tuple[float, float]:
    total = sum(traffic.values())
    share = {name: count / total for name, count in traffic.items()}
    rate = {name: labelled[name][0] / labelled[name][1] for name in traffic}
    value = sum(share[name] * rate[name] for name in traffic)
    within = sum(
        share[name] ** 2 * rate[name] * (1 - rate[name]) / (labelled[name][1] - 1)
        for name in traffic
    )
    # the traffic's verdict shares are themselves a sample
    between = sum(share[name] * (rate[name] - value) ** 2 for name in traffic) / total
    return min(max(value, 0.0), 1.0), math.sqrt(within + between)
