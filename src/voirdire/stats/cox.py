"""Two old tests of calibration: Cox's recalibration line and Spiegelhalter's Z.

Cox (1958): regress the label on the logit of the score. Slope 1 and intercept 0 are calibration;
slope below 1 is over-confidence; the intercept at slope 1 ("in the large") says whether the judge
is too generous (negative) or too strict (positive) on the whole.
Spiegelhalter (1986): is the Brier score what the scores themselves promise?
"""

from __future__ import annotations

from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate, Record
from voirdire.stats import distributions

from .bounded import plain_interval
from .logistic import LogisticFit, clustered_covariance, fit_logistic, separated
from .outcomes import TestOutcome
from .registry import formula, statistic
from .scores import FloatArray, ScoredLabels, check_level, scored_labels

__all__ = ["CoxLine", "clipped_logit", "cox_line", "spiegelhalter_z"]


class CoxLine(Record):
    """Cox's recalibration line.

    Attributes
    ----------
    slope : Estimate
        Of the label's logit on the score's logit; 1 is calibrated, below 1 over-confident.
    intercept : Estimate
        Of the same line.
    in_the_large : Estimate
        Intercept with the slope held at 1: the shift on the logit scale that would make the mean
        score right.
    """

    slope: Estimate
    intercept: Estimate
    in_the_large: Estimate


def clipped_logit(p: FloatArray, clip: float) -> FloatArray:
    """Logit of `p` clipped to ``[clip, 1 - clip]``.

    Examples
    --------
    >>> clipped_logit(np.array([0.0, 0.5]), 0.1).round(4)
    array([-2.1972,  0.    ])
    """
    inside = np.clip(p, clip, 1.0 - clip)
    return np.asarray(np.log(inside) - np.log1p(-inside), dtype=np.float64)


@statistic(kind="scores", renaming="none", duplication=False)
def cox_line(p: Any, y: Any, *, family: Any | None = None, level: float = 0.95) -> CoxLine:
    """Cox's slope and intercepts, with family-clustered intervals.

    Parameters
    ----------
    p, y : sequence, shape (n,)
        Probability of the positive label (clipped to ``[1/(2n), 1 - 1/(2n)]``), and the label.
    family : sequence, shape (n,), optional
        Families; sandwich standard errors with t(F-1).
    level : float
        Of the intervals.

    Returns
    -------
    CoxLine
        Slope and intercept undefined: ``one label only``, ``constant score``, ``separation`` (the
        likelihood has no maximum), and the usual faults of the data. The intercept in the large is
        undefined for one label only.

    Raises
    ------
    ValueError
        If lengths differ or `level` is not in (0, 1).

    Examples
    --------
    >>> line = cox_line([0.1, 0.2, 0.8, 0.9, 0.6, 0.4], [0, 1, 1, 1, 0, 0])
    >>> round(line.slope.value, 2), line.slope.n
    (0.74, 6)
    >>> cox_line([0.2, 0.9], [1, 1]).slope.undefined
    'one label only'
    """
    check_level(level)
    data = scored_labels(p, y, family=family)
    method = "Cox recalibration, clustered sandwich t"
    reason = data.fault or ("one label only" if len(set(data.y.tolist())) < 2 else "")
    if reason:
        gone = data.undefined(method, level=level, reason=reason)
        return CoxLine(slope=gone, intercept=gone, in_the_large=gone)
    x = clipped_logit(data.p, 1.0 / (2 * data.n))
    ones = np.ones((data.n, 1))
    shift = fit_logistic(ones, data.y, offset=x)
    large = _coefficient(data, shift, ones, 0, method, level)
    reason = "constant score" if np.ptp(x) == 0 else "separation" if separated(x, data.y) else ""
    if reason:
        gone = data.undefined(method, level=level, reason=reason)
        return CoxLine(slope=gone, intercept=gone, in_the_large=large)
    design = np.column_stack([ones, x])
    fit = fit_logistic(design, data.y)
    if not fit.converged:
        gone = data.undefined(method, level=level, reason="separation")
        return CoxLine(slope=gone, intercept=gone, in_the_large=large)
    return CoxLine(
        slope=_coefficient(data, fit, design, 1, method, level),
        intercept=_coefficient(data, fit, design, 0, method, level),
        in_the_large=large,
    )


def _coefficient(
    data: ScoredLabels, fit: LogisticFit, design: FloatArray, at: int, method: str, level: float
) -> Estimate:
    value = float(fit.coefficients[at])
    if data.families < 2:
        return data.estimate(value, None, method=method, level=level)
    covariance = clustered_covariance(fit, design, data.y, data.family)
    se = float(np.sqrt(max(covariance[at, at], 0.0)))
    interval = plain_interval(value, se, df=data.families - 1, level=level)
    return data.estimate(value, interval, method=method, level=level)


@formula
def spiegelhalter_z(p: Any, y: Any) -> TestOutcome:
    """Spiegelhalter's test that the Brier score is what calibrated scores give, two-sided.

    ``Z = sum (y - p)(1 - 2p) / sqrt(sum (1 - 2p)^2 p (1 - p))``. Items count as independent; with
    families read the p-value of the miscalibration in `corp_split` as the safer one.

    Parameters
    ----------
    p, y : sequence, shape (n,)
        Probability of the positive label, and the label 0 or 1.

    Returns
    -------
    TestOutcome
        Undefined: the usual faults, and ``scores are all 0, 0.5 or 1`` (no variance to test).

    Raises
    ------
    ValueError
        If lengths differ.

    Examples
    --------
    >>> result = spiegelhalter_z([0.1, 0.2, 0.8, 0.9, 0.6, 0.4], [0, 1, 1, 1, 0, 0])
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (0.48, 0.631)
    """
    data = scored_labels(p, y)
    method = "Spiegelhalter Z, two-sided normal"
    variance = float(((1 - 2 * data.p) ** 2 * data.p * (1 - data.p)).sum())
    reason = data.fault or ("scores are all 0, 0.5 or 1" if variance <= 0 else "")
    if reason:
        return TestOutcome(statistic=None, p_value=None, n=data.n, method=method, undefined=reason)
    z = float(((data.y - data.p) * (1 - 2 * data.p)).sum()) / variance**0.5
    p_value = float(2 * distributions.norm_sf(abs(z)))
    return TestOutcome(statistic=z, p_value=p_value, n=data.n, method=method)
