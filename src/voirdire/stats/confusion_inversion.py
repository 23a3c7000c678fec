"""Shares of several classes behind a judge that confuses them: the confusion matrix inverted.

``q = M' pi`` with ``M[k, j] = P(judge says j | people say k)``, hence ``pi = solve(M', q)``. Where
the solution leaves the simplex, the maximum-likelihood solution inside it (EM) is given instead.

Source: Buonaccorsi (2010); the EM form of Saerens, Latinne & Decaestecker (2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate, Record

from .bounded import plain_interval
from .registry import formula
from .scores import FloatArray, check_level, number_matrix, numbers

__all__ = ["InvertedShares", "invert_confusion"]

NEARLY_SINGULAR = "confusion matrix nearly singular"
_STEPS = 200_000


class InvertedShares(Record):
    """Corrected shares of all classes.

    Attributes
    ----------
    labels : tuple of str
    shares : tuple of Estimate
        One per class, together summing to 1.
    raw : tuple of float
        Solution of the linear system; may leave 0..1. Empty when undefined.
    condition : float or None
        Condition number of the confusion matrix.
    em_used : bool
        Whether the shares are the maximum-likelihood ones because `raw` left 0..1.
    """

    labels: tuple[str, ...]
    shares: tuple[Estimate, ...]
    raw: tuple[float, ...] = ()
    condition: float | None = None
    em_used: bool = False


@formula
def invert_confusion(
    confusion: Any,
    judged: Any,
    *,
    labels: Sequence[str] | None = None,
    level: float = 0.95,
    max_condition: float = 10.0,
) -> InvertedShares:
    """Corrected shares of L classes.

    Parameters
    ----------
    confusion : table, shape (L, L)
        Labelled items: rows what people say, columns what the judge says. Counts, so that the
        interval knows how many; rows of probabilities give the shares but no interval.
    judged : sequence, shape (L,)
        How often the judge says each class on the traffic: counts, or shares (no interval).
    labels : sequence of str, length L, optional
        Names; codes if absent.
    level : float
        Of the delta-method intervals (normal quantile, cut to 0..1), whose variances use
        ``(count + 2/L)/(n + 2)`` so that a class without errors is not taken for perfect.
    max_condition : float
        Refuse above this condition number: the errors of M would be magnified as much.

    Returns
    -------
    InvertedShares
        Undefined: ``no items``, ``class absent: …``, ``confusion matrix nearly singular``,
        ``missing or negative counts``.

    Raises
    ------
    ValueError
        If the shapes do not fit, or on a bad `level` or `max_condition`.

    Examples
    --------
    >>> table = [[90, 4, 6], [10, 80, 10], [25, 5, 70]]
    >>> result = invert_confusion(table, [720, 130, 150])
    >>> [round(one.value, 4) for one in result.shares]
    [0.75, 0.1167, 0.1333]
    """
    check_level(level)
    if max_condition < 1:
        raise ValueError(f"max_condition must be >= 1, got {max_condition!r}")
    table, traffic = number_matrix(confusion, name="confusion"), numbers(judged, name="judged")
    width = len(traffic)
    if table.shape != (width, width):
        raise ValueError(f"confusion must have shape ({width}, {width}), got {table.shape}")
    names = tuple(str(v) for v in (labels if labels is not None else range(width)))
    if len(names) != width:
        raise ValueError(f"labels must have one entry per class ({width}), got {len(names)}")
    reason = _refusal(table, traffic, names)
    condition = None
    if not reason:
        rows = table / table.sum(axis=1, keepdims=True)
        condition = float(np.linalg.cond(rows))
        if not condition <= max_condition:
            reason = NEARLY_SINGULAR
            condition = condition if np.isfinite(condition) else None
    counted = not reason and bool((table.sum(axis=1) >= 2).all()) and traffic.sum() >= 2
    labelled = round(float(table.sum())) if counted else 0
    about: dict[str, Any] = {
        "method": "confusion matrix inverted, delta-method interval",
        "n": labelled,
        "n_asked": labelled,
        "level": level,
    }
    if reason:
        gone = Estimate.not_defined(reason, **about)
        return InvertedShares(labels=names, shares=(gone,) * width, condition=condition)
    q = traffic / traffic.sum()
    raw = np.linalg.solve(rows.T, q)
    outside = bool(((raw < -1e-12) | (raw > 1 + 1e-12)).any())
    shares = _em(rows, q) if outside else np.clip(raw, 0.0, 1.0)
    se = _delta_errors(table, traffic, shares) if counted else None
    notes = ("solution outside 0..1: maximum likelihood (EM) instead",) if outside else ()
    return InvertedShares(
        labels=names,
        shares=tuple(
            _share(float(v), None if se is None else float(se[i]), level, about, notes)
            for i, v in enumerate(shares)
        ),
        raw=tuple(float(v) for v in raw),
        condition=condition,
        em_used=outside,
    )


def _refusal(table: FloatArray, traffic: FloatArray, names: Sequence[str]) -> str:
    both = np.concatenate([table.ravel(), traffic])
    if bool((np.isnan(both) | (both < 0)).any()):
        return "missing or negative counts"
    if len(traffic) == 0 or traffic.sum() == 0 or table.sum() == 0:
        return "no items"
    absent = [name for name, total in zip(names, table.sum(axis=1), strict=True) if total == 0]
    return f"class absent: people call no item {', '.join(absent)}" if absent else ""


def _em(rows: FloatArray, q: FloatArray) -> FloatArray:
    """Maximum-likelihood shares: pi_k <- sum_j q_j rows_kj pi_k / sum_i rows_ij pi_i."""
    pi = np.full(len(q), 1.0 / len(q))
    for _ in range(_STEPS):
        mixed = pi @ rows
        weight = np.divide(q, mixed, out=np.zeros_like(q), where=mixed > 0)
        new = pi * (rows @ weight)
        new /= new.sum()
        if float(np.abs(new - pi).max()) < 1e-13:
            return np.asarray(new, dtype=np.float64)
        pi = new
    return pi


def _delta_errors(table: FloatArray, traffic: FloatArray, pi: FloatArray) -> FloatArray:
    """Standard errors of the shares, from the multinomial covariances of counts and traffic."""
    width, n, size = len(pi), table.sum(axis=1), traffic.sum()
    smooth = (table + 2.0 / width) / (n + 2.0)[:, None]
    inverse = np.linalg.inv(smooth.T)
    q = traffic / size
    middle = (np.diag(q) - np.outer(q, q)) / size
    for k in range(width):
        row = smooth[k]
        middle += pi[k] ** 2 * (np.diag(row) - np.outer(row, row)) / (n[k] + 2.0)
    covariance = inverse @ middle @ inverse.T
    return np.asarray(np.sqrt(np.maximum(np.diag(covariance), 0.0)), dtype=np.float64)


def _share(
    value: float, se: float | None, level: float, about: dict[str, Any], notes: tuple[str, ...]
) -> Estimate:
    if se is None:
        why = "shares given instead of counts"
        return Estimate(value=value, no_interval=why, notes=notes, **about)
    low, high = plain_interval(value, se, df=float("inf"), level=level)
    ends = {"low": max(low, 0.0), "high": min(high, 1.0)}
    return Estimate(value=value, notes=notes, **ends, **about)
