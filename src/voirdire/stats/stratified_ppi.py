"""PPI++ within strata: for a judge that is good on one kind of claim and bad on another.

Source: Fisch, Maynez, Hofer, Dhingra, Globerson & Cohen (2024), stratified PPI.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate

from .bounded import rate_interval
from .ppi import LabelledSample, Ppi, PpiParts, labelled_sample, ppi_parts, standard_error
from .registry import Sample, statistic
from .sampling import NOT_RANDOM, SamplingDesign, check_design
from .scores import FloatArray, IntArray, check_level, numbers

__all__ = ["stratified_ppi_mean"]


def _stratified_ppi_mean_on(s: Sample) -> Any:
    return stratified_ppi_mean(
        s.outcomes,
        s.scores,
        s.scores,
        strata=s.variant,
        traffic_strata=s.variant,
        sampling_design="random",
    )


@statistic(kind="other", renaming="none", duplication=False, call=_stratified_ppi_mean_on)
def stratified_ppi_mean(
    human: Any,
    judge: Any,
    traffic: Any,
    *,
    strata: Any,
    traffic_strata: Any,
    sampling_design: SamplingDesign,
    level: float = 0.95,
) -> Ppi:
    """PPI++ in each stratum, put together with the strata's shares of the traffic.

    Helps when the judge is good in one stratum and bad in another, and repairs a labelled set that
    is random *within* strata but has other shares than the traffic.

    Parameters
    ----------
    human, judge, traffic, sampling_design, level
        As in `ppi_mean`; the design speaks of each stratum.
    strata : sequence, shape (n,)
    traffic_strata : sequence, shape (N,)

    Returns
    -------
    Ppi
        `lam` is the share-weighted mean. Undefined also with ``stratum with fewer than 2 labels:
        …``. The interval is on the logit scale with Satterthwaite degrees of freedom.

    Raises
    ------
    ValueError
        As `ppi_mean`; ``weighted`` is not supported here.

    Examples
    --------
    >>> y, f = [1, 0, 1, 1, 0, 0, 1, 0], [1, 0, 1, 0, 0, 1, 1, 0]
    >>> result = stratified_ppi_mean(y, f, [1, 1, 0, 0, 0, 1], strata=list("aaaabbbb"),
    ...     traffic_strata=list("aaaabb"), sampling_design="random")
    >>> round(result.mean.value, 3)
    0.583
    """
    check_level(level)
    check_design(sampling_design, None)
    clean = labelled_sample(human, judge, traffic, None, None, None)
    own, theirs = _strata_codes(strata, traffic_strata, human, judge, traffic)
    method = "PPI++ within strata, logit scale, Satterthwaite t"
    shares = np.bincount(
        theirs, minlength=int(max(own.max(initial=-1), theirs.max(initial=-1))) + 1
    )
    labels = np.bincount(own, minlength=len(shares))
    reason = NOT_RANDOM if sampling_design == "enriched" else clean.fault
    if not reason and len(theirs) == 0:
        reason = "no items"
    if not reason and bool((labels[shares > 0] < 2).any()):
        reason = f"stratum with fewer than 2 labels: {int((labels[shares > 0] < 2).sum())} of them"
    if reason:
        gone = clean.undefined(reason, method, level)
        return Ppi(mean=gone, labels_only=gone, judge_mean=clean.judge_mean)
    held = np.flatnonzero(shares)
    weight = shares[held] / shares.sum()
    parts = [
        ppi_parts(clean.human[own == k], clean.judge[own == k], clean.traffic[theirs == k])
        for k in held
    ]
    plain = [
        PpiParts(0.0, float(clean.human[own == k].mean()), standard_error(clean.human[own == k]))
        for k in held
    ]
    size = labels[held]
    return Ppi(
        mean=_combined(clean, parts, weight, size, method, level),
        lam=float(sum(w * p.lam for w, p in zip(weight, parts, strict=True))),
        se=math.sqrt(sum((w * p.se) ** 2 for w, p in zip(weight, parts, strict=True))),
        labels_only=_combined(clean, plain, weight, size, "labels only within strata", level),
        judge_mean=clean.judge_mean,
    )


def _strata_codes(
    strata: Any, traffic_strata: Any, human: Any, judge: Any, traffic: Any
) -> tuple[IntArray, IntArray]:
    """Common codes of both sides, for the rows that `_clean` keeps."""
    y, f, u = numbers(human), numbers(judge), numbers(traffic)
    a, b = [str(v) for v in strata], [str(v) for v in traffic_strata]
    if len(a) != len(y) or len(b) != len(u):
        raise ValueError(
            f"strata must have one entry per item ({len(y)} and {len(u)}), got {len(a)}, {len(b)}"
        )
    codes = np.unique(np.array(a + b, dtype=object).astype(str), return_inverse=True)[1]
    codes = codes.reshape(-1).astype(np.int64)
    return codes[: len(a)][~(np.isnan(y) | np.isnan(f))], codes[len(a) :][~np.isnan(u)]


def _width(own: IntArray, theirs: IntArray) -> int:
    return int(max(own.max(initial=-1), theirs.max(initial=-1))) + 1


def _combined(
    clean: LabelledSample,
    parts: list[PpiParts],
    weight: FloatArray,
    size: IntArray,
    method: str,
    level: float,
) -> Estimate:
    value = float(sum(w * p.value for w, p in zip(weight, parts, strict=True)))
    each = np.array([(w * p.se) ** 2 for w, p in zip(weight, parts, strict=True)])
    total = float(each.sum())
    df = total**2 / float((each**2 / (size - 1)).sum()) if total > 0 else float(size.sum() - 1)
    interval = rate_interval(value, math.sqrt(total), families=len(clean.human), df=df, level=level)
    low, high = interval if interval is not None else (None, None)
    return Estimate(
        value=min(max(value, 0.0), 1.0),
        low=low,
        high=high,
        level=level,
        n=len(clean.human),
        n_asked=clean.n_asked,
        families=len(clean.human),
        method=method,
        no_interval=None if interval is not None else "no variation between families",
    )
