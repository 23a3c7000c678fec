"""Proper scores of probabilities: Brier, log loss, skill, and their multi-class forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate

from .bounded import clustered_ratio, plain_interval, why_no_interval
from .registry import Sample, statistic
from .scores import (
    NO_FAMILY_NOTE,
    FloatArray,
    ScoredLabels,
    check_level,
    family_codes,
    family_sums,
    number_matrix,
    numbers,
    scored_labels,
)

__all__ = [
    "brier_score",
    "brier_skill",
    "log_loss",
    "log_losses",
    "multiclass_brier",
    "multiclass_log_loss",
    "multiclass_pairs",
    "two_columns",
]

# probabilities written with four or more decimals still sum to 1 within this
_ROUNDING = 1e-4


@statistic(kind="scores", renaming="none")
def brier_score(p: Any, y: Any, *, family: Any | None = None, level: float = 0.95) -> Estimate:
    """Mean squared difference of probability and label (Brier 1950), lower is better.

    Parameters
    ----------
    p, y : sequence, shape (n,)
        Probability of the positive label, and the label 0 or 1.
    family : sequence, shape (n,), optional
        Families; the interval is t(F-1) with the clustered standard error.
    level : float
        Level of the interval.

    Returns
    -------
    Estimate
        Undefined: ``no items``, ``… outside 0..1``, ``… other than 0 and 1``.

    Raises
    ------
    ValueError
        If lengths differ or `level` is not in (0, 1).

    Examples
    --------
    >>> brier_score([0.1, 0.8, 0.6], [0, 1, 0]).value
    0.13666666666666666
    """
    check_level(level)
    data = scored_labels(p, y, family=family)
    if data.fault:
        return data.undefined("Brier score", level=level)
    return _mean_loss(data, (data.p - data.y) ** 2, "Brier score", level)


def log_losses(p: FloatArray, y: FloatArray) -> tuple[FloatArray, int]:
    """Per-item log loss, and how many impossible things happened.

    A label that was given probability exactly 0 has infinite loss; it is counted as probability
    ``1/(2n)``, and the count is returned so that the number can carry the note.

    Examples
    --------
    >>> losses, impossible = log_losses(np.array([0.0, 0.5]), np.array([1.0, 1.0]))
    >>> impossible, losses.round(4)
    (1, array([1.3863, 0.6931]))
    """
    given = np.where(y == 1, p, 1 - p)
    impossible = given <= 0
    floor = 1.0 / (2 * max(len(p), 1))
    return -np.log(np.where(impossible, floor, given)), int(impossible.sum())


@statistic(kind="scores", renaming="none")
def log_loss(p: Any, y: Any, *, family: Any | None = None, level: float = 0.95) -> Estimate:
    """Mean negative log probability of what happened (Good 1952), in nats, lower is better.

    Parameters, reasons and errors as `brier_score`. A label that was given probability exactly 0
    counts as ``1/(2n)`` and a note says how many did.

    Examples
    --------
    >>> round(log_loss([0.1, 0.8, 0.6], [0, 1, 0]).value, 4)
    0.4149
    """
    check_level(level)
    data = scored_labels(p, y, family=family)
    if data.fault:
        return data.undefined("log loss", level=level)
    losses, impossible = log_losses(data.p, data.y)
    return _mean_loss(data, losses, "log loss", level, _impossible_note(impossible))


@statistic(kind="scores", renaming="none")
def brier_skill(p: Any, y: Any, *, family: Any | None = None, level: float = 0.95) -> Estimate:
    """``1 - Brier / (ȳ(1 - ȳ))``: 0 is no better than always saying the base rate, 1 is perfect.

    The interval is a delete-one-family jackknife with t(F-1).

    Parameters, reasons and errors as `brier_score`, and undefined with ``one label only`` (the
    base rate is then perfect and skill has no scale).

    Examples
    --------
    >>> round(brier_skill([0.1, 0.8, 0.6, 0.7], [0, 1, 0, 1]).value, 4)
    0.5
    """
    check_level(level)
    data = scored_labels(p, y, family=family)
    method = "Brier skill, family jackknife t"
    if data.fault:
        return data.undefined(method, level=level)
    loss = family_sums((data.p - data.y) ** 2, data.family)
    ones = family_sums(data.y, data.family)
    size = family_sums(np.ones(data.n), data.family)
    if ones.sum() in (0.0, size.sum()):
        return data.undefined(method, level=level, reason="one label only")
    value = float(_skill(loss.sum(), ones.sum(), size.sum()))
    if data.families < 2:
        return data.estimate(value, None, method=method, level=level)
    n_left, ones_left = size.sum() - size, ones.sum() - ones
    if bool(((ones_left == 0) | (ones_left == n_left)).any()):
        why = "one family carries a label"
        return data.estimate(value, None, method=method, level=level, no_interval=why)
    replicates = np.asarray(_skill(loss.sum() - loss, ones_left, n_left))
    families = data.families
    spread = float(((replicates - replicates.mean()) ** 2).sum())
    se = float(np.sqrt((families - 1) / families * spread))
    interval = plain_interval(value, se, df=families - 1, level=level)
    return data.estimate(value, interval, method=method, level=level)


def _skill(loss: Any, ones: Any, n: Any) -> Any:
    rate = ones / n
    return 1.0 - (loss / n) / (rate * (1.0 - rate))


def _impossible_note(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (f"{count} label(s) given probability 0, counted as 1/(2n)",)


def _mean_loss(
    data: ScoredLabels,
    losses: FloatArray,
    name: str,
    level: float,
    notes: tuple[str, ...] = (),
) -> Estimate:
    mean, se, families = clustered_ratio(losses, np.ones(data.n), data.family)
    interval = None
    if families >= 2 and se > 1e-15:
        low, high = plain_interval(mean, se, df=families - 1, level=level)
        interval = (max(low, 0.0), high)
    method = f"{name}, family-clustered t"
    why = why_no_interval(families)
    return data.estimate(mean, interval, method=method, level=level, no_interval=why, notes=notes)


def two_columns(sample: Sample) -> tuple[FloatArray, FloatArray]:
    """A registry sample as a two-class probability table and label codes."""
    return np.column_stack([1 - sample.scores, sample.scores]), sample.outcomes


def multiclass_pairs(
    probabilities: Any, labels: Any, *, family: Any | None = None
) -> tuple[FloatArray, ScoredLabels]:
    """Complete rows of a probability table beside label codes 0..L-1.

    Returns
    -------
    table : ndarray, shape (n, L)
    pairs : ScoredLabels
        ``y`` holds the label code, ``p`` the probability of that label; ``fault`` says why
        nothing can be computed (rows that do not sum to 1 within 1e-4, codes outside 0..L-1).

    Raises
    ------
    ValueError
        If the lengths differ.
    """
    table, codes = (
        number_matrix(probabilities, name="probabilities"),
        numbers(labels, name="labels"),
    )
    if len(table) != len(codes):
        raise ValueError(
            f"labels must be as long as probabilities ({len(table)}), got {len(codes)}"
        )
    groups = family_codes(family, len(codes))
    keep = ~(np.isnan(table).any(axis=1) | np.isnan(codes))
    table, codes, groups = table[keep], codes[keep], groups[keep]
    fault = _table_fault(table, codes)
    chosen = np.zeros(len(codes))
    if not fault:
        chosen = table[np.arange(len(codes)), codes.astype(np.int64)]
    notes = (NO_FAMILY_NOTE,) if family is None else ()
    groups = np.unique(groups, return_inverse=True)[1].astype(np.int64)
    return table, ScoredLabels(chosen, codes, groups, len(keep), fault, notes)


def _table_fault(table: FloatArray, codes: FloatArray) -> str:
    if len(codes) == 0:
        return "no items"
    off = int((np.abs(table.sum(axis=1) - 1.0) > _ROUNDING).sum())
    if off or bool(((table < 0) | (table > 1)).any()):
        return f"{off} row(s) of probabilities do not sum to 1 or lie outside 0..1"
    strange = int((~np.isin(codes, np.arange(table.shape[1]))).sum())
    return f"{strange} label code(s) outside 0..{table.shape[1] - 1}" if strange else ""


def _multiclass_brier_on(s: Sample) -> Any:
    return multiclass_brier(*two_columns(s), family=s.family)


@statistic(kind="other", renaming="none", call=_multiclass_brier_on)
def multiclass_brier(
    probabilities: Any, labels: Any, *, family: Any | None = None, level: float = 0.95
) -> Estimate:
    """Mean over items of the sum over labels of (probability - indicator)^2, 0 to 2 (Brier 1950).

    Parameters
    ----------
    probabilities : table, shape (n, L)
        Rows sum to 1.
    labels : sequence of int, shape (n,)
        Codes 0..L-1.
    family, level
        As in `brier_score`; so are reasons and errors.

    Examples
    --------
    >>> round(multiclass_brier([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]], [0, 1]).value, 4)
    0.2
    """
    check_level(level)
    table, data = multiclass_pairs(probabilities, labels, family=family)
    if data.fault:
        return data.undefined("multi-class Brier score", level=level)
    losses = (table**2).sum(axis=1) - 2 * data.p + 1.0
    return _mean_loss(data, losses, "multi-class Brier score", level)


def _multiclass_log_loss_on(s: Sample) -> Any:
    return multiclass_log_loss(*two_columns(s), family=s.family)


@statistic(kind="other", renaming="none", call=_multiclass_log_loss_on)
def multiclass_log_loss(
    probabilities: Any, labels: Any, *, family: Any | None = None, level: float = 0.95
) -> Estimate:
    """Mean negative log probability of the label that was right, in nats.

    Parameters, reasons and errors as `multiclass_brier`.

    Examples
    --------
    >>> round(multiclass_log_loss([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]], [0, 1]).value, 4)
    0.4338
    """
    check_level(level)
    _, data = multiclass_pairs(probabilities, labels, family=family)
    if data.fault:
        return data.undefined("multi-class log loss", level=level)
    losses, impossible = log_losses(data.p, np.ones(data.n))
    return _mean_loss(data, losses, "multi-class log loss", level, _impossible_note(impossible))
