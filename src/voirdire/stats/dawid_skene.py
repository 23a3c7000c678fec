"""Dawid and Skene's estimate of the true labels and of each annotator's confusions.

A diagnostic, not the reference: it shows who confuses what, and where a majority may be wrong. The
likelihood has several maxima, so EM starts from the vote shares and from random perturbations of
them, and the best log-likelihood is kept. On the 1979 data a start from hard majorities ends at
-191.81, the published solution (start from vote shares) at -190.73, and random starts reach
-189.41 with other class shares: the published optimum is not the highest, and the number of
starts that agree (``starts_at_best``) is part of the answer. Never let the judge's own labels in
as an annotator when the result is used to score that judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from voirdire.records import Record
from voirdire.stats.annotators import rating_codes
from voirdire.stats.reasons import NO_ITEMS, TOO_FEW_ANNOTATORS, TOO_FEW_ITEMS, TOO_FEW_LABELS
from voirdire.stats.registry import formula

__all__ = ["DawidSkene", "dawid_skene", "dawid_skene_counts"]

Floats = NDArray[np.float64]

FEW_IN_CLASS = 10.0
SMOOTH_DIAGONAL, SMOOTH_OFF = 2.0, 1.0


class DawidSkene(Record):
    """Result of `dawid_skene`.

    Attributes
    ----------
    classes : tuple, length L
    labels : tuple, length C
        Most probable class of each item, None for items without any label.
    posterior : tuple, length C
        Probabilities of the classes, or None for items without any label.
    shares : tuple of float, length L
        Estimated shares of the true classes.
    confusion : tuple, shape (A, L, L)
        Per annotator, row = true class, column = label given. Rows sum to 1.
    log_likelihood : float or None
    starts, starts_at_best : int
        EM runs made, and how many of them ended within 1e-6 of the best log-likelihood. Few: the
        surface is rugged, trust it less.
    smoothed : tuple
        Classes whose confusion rows were smoothed because fewer than 10 items belong to them.
    undefined : str or None
        'too few annotators', 'too few items' or 'too few labels', with the numbers. Then all
        other fields are empty.
    """

    classes: tuple[Any, ...] = ()
    labels: tuple[Any, ...] = ()
    posterior: tuple[tuple[float, ...] | None, ...] = ()
    shares: tuple[float, ...] = ()
    confusion: tuple[tuple[tuple[float, ...], ...], ...] = ()
    log_likelihood: float | None = None
    starts: int = 0
    starts_at_best: int = 0
    smoothed: tuple[Any, ...] = ()
    undefined: str | None = None


@dataclass(frozen=True)
class _Fit:
    posterior: Floats
    shares: Floats
    confusion: Floats
    log_likelihood: float
    objective: float  # the log-likelihood, with the log prior of smoothed rows


@formula
def dawid_skene(
    ratings: ArrayLike | Sequence[Sequence[Any]],
    *,
    labels: Sequence[Any] | None = None,
    rng: np.random.Generator | int = 0,
    restarts: int = 10,
    minimum_annotators: int = 3,
    minimum_items: int = 100,
    minimum_labels: int = 30,
    smooth: bool = True,
) -> DawidSkene:
    """Fit the Dawid-Skene model to a matrix of labels.

    Parameters
    ----------
    ratings : array_like, shape (C, A)
        Labels of A annotators; None is missing.
    labels : sequence of length L, optional
        The coding scheme.
    rng : Generator or int
        Source of the random restarts.
    restarts : int
        EM runs from perturbed vote shares, besides the one from the vote shares themselves.
    minimum_annotators, minimum_items, minimum_labels : int
        The model is refused on less: annotators, labelled items, labels of every annotator.
    smooth : bool
        Add 2 to the diagonal and 1 to the rest of the confusion rows of a class to which fewer
        than 10 items belong.

    Returns
    -------
    DawidSkene

    Raises
    ------
    ValueError
        If ratings are not a matrix, hold a label outside the scheme, or restarts < 0.

    References
    ----------
    Dawid & Skene (1979), JRSS C 28:20-28.

    Examples
    --------
    >>> ratings = [["s", "s", "s"], ["c", "c", "c"], ["s", "s", "c"]] * 40
    >>> fit = dawid_skene(ratings)
    >>> fit.labels[:3], [round(share, 2) for share in fit.shares]
    (('s', 'c', 's'), [0.33, 0.67])
    """
    codes, scheme = rating_codes(ratings, labels)
    items, people = np.nonzero(codes >= 0)
    columns = people * len(scheme) + codes[items, people]
    counts = sparse.csr_matrix(
        (np.ones(items.size), (items, columns)),
        shape=(codes.shape[0], codes.shape[1] * len(scheme)),
    )
    return _fit_checked(
        counts,
        scheme,
        rng=rng,
        restarts=restarts,
        minimum=(minimum_annotators, minimum_items, minimum_labels),
        smooth=smooth,
    )


@formula
def dawid_skene_counts(
    counts: ArrayLike,
    *,
    labels: Sequence[Any] | None = None,
    rng: np.random.Generator | int = 0,
    restarts: int = 10,
    minimum_annotators: int = 3,
    minimum_items: int = 100,
    minimum_labels: int = 30,
    smooth: bool = True,
) -> DawidSkene:
    """The same from counts, when an annotator labels an item more than once.

    Parameters
    ----------
    counts : array_like of int, shape (C, A, L)
        How often annotator a gave item i the label l.
    labels : sequence of length L, optional
        Names of the classes; default 0..L-1. The other parameters are those of `dawid_skene`.

    Returns
    -------
    DawidSkene

    Raises
    ------
    ValueError
        If counts are not of shape (C, A, L) or negative, or restarts < 0.

    Examples
    --------
    >>> dawid_skene_counts([[[1, 0], [1, 0], [0, 1]]]).undefined
    'too few items: 1 labelled, 100 needed'
    """
    array = np.asarray(counts, dtype=np.float64)
    if array.ndim != 3 or not np.all(np.isfinite(array)) or np.any(array < 0):
        raise ValueError(
            f"counts must be numbers >= 0 of shape (items, annotators, classes), got {array.shape}"
        )
    scheme = tuple(range(array.shape[2])) if labels is None else tuple(labels)
    if len(scheme) != array.shape[2]:
        raise ValueError(f"labels must name {array.shape[2]} classes, got {len(scheme)}")
    return _fit_checked(
        sparse.csr_matrix(array.reshape(array.shape[0], -1)),
        scheme,
        rng=rng,
        restarts=restarts,
        minimum=(minimum_annotators, minimum_items, minimum_labels),
        smooth=smooth,
    )


def _fit_checked(
    counts: sparse.csr_matrix,
    scheme: tuple[Any, ...],
    *,
    rng: np.random.Generator | int,
    restarts: int,
    minimum: tuple[int, int, int],
    smooth: bool,
) -> DawidSkene:
    if restarts < 0:
        raise ValueError(f"restarts must be >= 0, got {restarts}")
    labelled = np.flatnonzero(np.asarray(counts.sum(axis=1)).ravel() > 0)
    per_annotator = np.asarray(counts.sum(axis=0)).reshape(-1, len(scheme)).sum(axis=1)
    reason = _refusal(per_annotator[per_annotator > 0], labelled.size, minimum)
    if reason is not None:
        return DawidSkene(classes=scheme, undefined=reason)
    used = counts[labelled]
    generator = np.random.default_rng(rng)
    rows = np.zeros(len(scheme), dtype=bool)
    best, at_best = _best_fit(used, len(scheme), generator, restarts, rows)
    rare = best.posterior.sum(axis=0) < FEW_IN_CLASS
    if smooth and rare.any():
        # decided once from the unsmoothed fit: deciding in every step could make EM oscillate
        best, at_best = _best_fit(used, len(scheme), generator, restarts, rare)
        rows = rare
    return _as_result(best, scheme, labelled, counts.shape[0], restarts + 1, at_best, rows)


def _refusal(per_annotator: Floats, items: int, minimum: tuple[int, int, int]) -> str | None:
    annotators, needed_items, needed_labels = minimum
    if per_annotator.size < annotators:
        return f"{TOO_FEW_ANNOTATORS}: {per_annotator.size} with labels, {annotators} needed"
    if items < needed_items:
        return f"{TOO_FEW_ITEMS}: {items} labelled, {needed_items} needed"
    least = int(per_annotator.min(initial=np.inf)) if per_annotator.size else 0
    if least < needed_labels:
        return f"{TOO_FEW_LABELS}: an annotator gave {least}, {needed_labels} needed"
    return NO_ITEMS if items == 0 else None


def _best_fit(
    counts: sparse.csr_matrix,
    classes: int,
    rng: np.random.Generator,
    restarts: int,
    smooth_rows: NDArray[np.bool_],
) -> tuple[_Fit, int]:
    """Best of all starts, the first among equals, and how many starts reached it."""
    votes = _votes(counts, classes)
    shares = votes / votes.sum(axis=1, keepdims=True)
    starts = [shares]
    for _ in range(restarts):
        # half votes, half noise: wide enough to find other maxima, yet the classes keep their names
        starts.append((shares + rng.dirichlet(np.ones(classes), size=shares.shape[0])) / 2)
    fits = [_expectation_maximisation(counts, start, smooth_rows) for start in starts]
    top = max(fit.objective for fit in fits)
    near = [fit for fit in fits if fit.objective >= top - 1e-6]
    return near[0], len(near)


def _votes(counts: sparse.csr_matrix, classes: int) -> Floats:
    annotators = counts.shape[1] // classes
    fold = sparse.csr_matrix(np.tile(np.eye(classes), (annotators, 1)))
    return np.asarray((counts @ fold).toarray(), dtype=np.float64)


def _expectation_maximisation(
    counts: sparse.csr_matrix,
    start: Floats,
    smooth_rows: NDArray[np.bool_],
    *,
    tolerance: float = 1e-10,
    most: int = 1000,
) -> _Fit:
    """EM until the (penalised) log-likelihood gains less than ``tolerance`` per item."""
    posterior, last = start, -np.inf
    extra = _smoothing(smooth_rows)
    for _ in range(most):
        shares, confusion = _maximise(counts, posterior, extra)
        posterior, likelihood = _expect(counts, shares, confusion)
        penalised = likelihood + float((extra * np.log(np.maximum(confusion, 1e-300))).sum())
        if penalised - last < tolerance * start.shape[0]:
            break
        last = penalised
    return _Fit(posterior, shares, confusion, likelihood, penalised)


def _smoothing(rows: NDArray[np.bool_]) -> Floats:
    """Pseudo-counts per (true class, label given)."""
    size = rows.size
    table = np.full((size, size), SMOOTH_OFF) + (SMOOTH_DIAGONAL - SMOOTH_OFF) * np.eye(size)
    return np.where(rows[:, None], table, 0.0)


def _maximise(counts: sparse.csr_matrix, posterior: Floats, extra: Floats) -> tuple[Floats, Floats]:
    """Class shares (L,) and confusion matrices (A, L true, L given)."""
    classes = posterior.shape[1]
    table = np.asarray(counts.T @ posterior).reshape(-1, classes, classes).swapaxes(1, 2) + extra
    mass = table.sum(axis=2, keepdims=True)
    # an annotator who never met a class says nothing about it
    confusion = np.where(mass > 0, table / np.where(mass > 0, mass, 1.0), 1.0 / classes)
    return posterior.mean(axis=0), confusion


def _expect(counts: sparse.csr_matrix, shares: Floats, confusion: Floats) -> tuple[Floats, float]:
    classes = shares.size
    log_rows = np.log(np.maximum(confusion, 1e-300)).swapaxes(1, 2).reshape(-1, classes)
    joint = np.asarray(counts @ log_rows) + np.log(np.maximum(shares, 1e-300))
    top = joint.max(axis=1, keepdims=True)
    weight = np.exp(joint - top)
    total = weight.sum(axis=1, keepdims=True)
    return weight / total, float((np.log(total) + top).sum())


def _as_result(
    fit: _Fit,
    scheme: tuple[Any, ...],
    labelled: NDArray[np.intp],
    items: int,
    starts: int,
    at_best: int,
    rows: NDArray[np.bool_],
) -> DawidSkene:
    posterior: list[tuple[float, ...] | None] = [None] * items
    labels: list[Any] = [None] * items
    for row, item in enumerate(labelled.tolist()):
        posterior[item] = tuple(fit.posterior[row].tolist())
        labels[item] = scheme[int(fit.posterior[row].argmax())]
    return DawidSkene(
        classes=scheme,
        labels=tuple(labels),
        posterior=tuple(posterior),
        shares=tuple(fit.shares.tolist()),
        confusion=tuple(tuple(tuple(r) for r in person) for person in fit.confusion.tolist()),
        log_likelihood=fit.log_likelihood,
        starts=starts,
        starts_at_best=at_best,
        smoothed=tuple(name for name, few in zip(scheme, rows, strict=True) if few),
    )
