"""From the labels of several people to one reference label, or to shares that keep the doubt.

Ties are never broken, neither by order nor by chance: they are undefined with the reason 'tie' and
go to adjudication. Soft labels keep what a majority throws away.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.records import Estimate, Record
from voirdire.stats.coding import Codes, Labels, code_families, code_labels, coding_scheme
from voirdire.stats.family_mean import family_mean
from voirdire.stats.reasons import NO_LABEL, SINGLE_ANNOTATOR, TIE
from voirdire.stats.registry import Sample, formula, statistic

__all__ = [
    "MajorityLabels",
    "SoftLabels",
    "majority_labels",
    "soft_label_scores",
    "soft_labels",
]

Floats = NDArray[np.float64]


class MajorityLabels(Record):
    """Reference labels by strict majority.

    Attributes
    ----------
    labels : tuple, length C
        The majority label, None where there is none.
    reasons : tuple, length C
        None, or 'tie', 'single annotator' (there is a label, but one person's), 'no label'.
    tie_share : Estimate
        Share of ties among items with at least two labels; no interval (it is a description of
        the set, not a sample of anything).
    """

    labels: tuple[Any, ...]
    reasons: tuple[str | None, ...]
    tie_share: Estimate


class SoftLabels(Record):
    """Shares of the votes.

    Attributes
    ----------
    classes : tuple, length L
    shares : tuple, length C
        L shares that sum to 1, or None where nobody gave a label.
    entropy : tuple, length C
        Entropy of the shares in nats, 0 when all agree, or None.
    ambiguous : tuple of bool, length C
        No strict majority, or entropy above log 2. Keep these items and report with and without:
        dropping them flatters every judge.
    """

    classes: tuple[Any, ...]
    shares: tuple[tuple[float, ...] | None, ...]
    entropy: tuple[float | None, ...]
    ambiguous: tuple[bool, ...]


def rating_codes(
    ratings: ArrayLike | Sequence[Sequence[Any]],
    labels: Sequence[Any] | None,
    *columns: Labels,
) -> tuple[Codes, tuple[Any, ...]]:
    """Code a (C, A) matrix of labels, missing -1; ``columns`` help to find the scheme."""
    matrix = np.asarray(ratings, dtype=object)
    if matrix.size == 0 and matrix.ndim != 2:
        matrix = matrix.reshape(0, 0)
    if matrix.ndim != 2:
        raise ValueError(
            f"ratings must have shape (items, annotators), got {matrix.ndim} dimension(s)"
        )
    people = [matrix[:, a].tolist() for a in range(matrix.shape[1])]
    scheme = coding_scheme(labels, *people, *columns)
    codes = np.full(matrix.shape, -1, dtype=np.int64)
    for a, person in enumerate(people):
        codes[:, a] = code_labels(person, scheme, name="ratings")
    return codes, scheme


def vote_counts(codes: Codes, classes: int) -> NDArray[np.int64]:
    """Votes per item and class, shape (C, L), from a matrix of codes (C, A)."""
    items = codes.shape[0]
    rows, people = np.nonzero(codes >= 0)
    cell = rows * classes + codes[rows, people]
    return np.bincount(cell, minlength=items * classes).reshape(items, classes)


@formula
def majority_labels(
    ratings: ArrayLike | Sequence[Sequence[Any]], *, labels: Sequence[Any] | None = None
) -> MajorityLabels:
    """Reference label by strict majority; ties stay undefined.

    Parameters
    ----------
    ratings : array_like, shape (C, A)
        Labels of A annotators; None (NaN, NA, "") is missing.
    labels : sequence of length L, optional
        The coding scheme.

    Returns
    -------
    MajorityLabels
        A label needs strictly more votes than every other label.

    Raises
    ------
    ValueError
        If ratings are not a matrix, or hold a label that is not in the scheme.

    Examples
    --------
    >>> result = majority_labels([["s", "s", "c"], ["s", "c", "u"], ["c", None, None]])
    >>> result.labels, result.reasons
    (('s', None, 'c'), (None, 'tie', 'single annotator'))
    """
    codes, scheme = rating_codes(ratings, labels)
    votes = vote_counts(codes, len(scheme))
    if not scheme:  # no label anywhere: no class to count
        votes = np.zeros((codes.shape[0], 1), dtype=np.int64)
    total = votes.sum(axis=1)
    best = votes.max(axis=1, initial=0)
    tied = (votes == best[:, None]).sum(axis=1) > 1
    winner = votes.argmax(axis=1)
    chosen: list[Any] = []
    reasons: list[str | None] = []
    for item in range(codes.shape[0]):
        reason = _why_no_majority(int(total[item]), bool(tied[item]))
        reasons.append(reason)
        chosen.append(None if reason in (TIE, NO_LABEL) else scheme[winner[item]])
    return MajorityLabels(
        labels=tuple(chosen),
        reasons=tuple(reasons),
        tie_share=_tie_share(int((total >= 2).sum()), reasons.count(TIE), len(reasons)),
    )


def _why_no_majority(votes: int, tied: bool) -> str | None:
    if votes == 0:
        return NO_LABEL
    if votes == 1:
        return SINGLE_ANNOTATOR
    return TIE if tied else None


def _tie_share(n: int, ties: int, asked: int) -> Estimate:
    method = "share of ties among items with two labels or more"
    if n == 0:
        reason = "no items: none has two labels"
        return Estimate.not_defined(reason, method=method, n_asked=asked)
    return Estimate(
        value=ties / n,
        n=n,
        n_asked=asked,
        k=ties,
        method=method,
        no_interval="describes this set of labels",
    )


@formula
def soft_labels(
    ratings: ArrayLike | Sequence[Sequence[Any]], *, labels: Sequence[Any] | None = None
) -> SoftLabels:
    """Vote shares per item, their entropy, and which items are ambiguous.

    Parameters
    ----------
    ratings : array_like, shape (C, A)
        Labels of A annotators; None is missing.
    labels : sequence of length L, optional
        The coding scheme; gives the order of the shares.

    Returns
    -------
    SoftLabels

    Raises
    ------
    ValueError
        If ratings are not a matrix, or hold a label that is not in the scheme.

    Examples
    --------
    >>> soft = soft_labels([["s", "c"], [None, None]], labels=["s", "c", "u"])
    >>> soft.shares, soft.ambiguous
    (((0.5, 0.5, 0.0), None), (True, True))
    """
    codes, scheme = rating_codes(ratings, labels)
    votes = vote_counts(codes, len(scheme))
    shares: list[tuple[float, ...] | None] = []
    entropies: list[float | None] = []
    ambiguous: list[bool] = []
    for counts in votes:
        total = int(counts.sum())
        if total == 0:
            shares.append(None)
            entropies.append(None)
            ambiguous.append(True)
            continue
        share = counts / total
        entropy = float(-(share[share > 0] * np.log(share[share > 0])).sum()) + 0.0
        shares.append(tuple(share.tolist()))
        entropies.append(entropy)
        tie = int((counts == counts.max()).sum()) > 1
        ambiguous.append(tie or entropy > math.log(2) + 1e-12)
    return SoftLabels(
        classes=scheme,
        shares=tuple(shares),
        entropy=tuple(entropies),
        ambiguous=tuple(ambiguous),
    )


def _on_sample(sample: Sample) -> dict[str, Estimate]:
    soft = soft_labels(sample.ratings, labels=sample.labels)
    return soft_label_scores(soft, list(sample.judge), family=list(sample.family))


@statistic(kind="panel", call=_on_sample)
def soft_label_scores(
    soft: SoftLabels,
    judge: Labels,
    *,
    probabilities: ArrayLike | None = None,
    family: Labels | None = None,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Score a judge against the spread of human labels instead of their majority.

    Parameters
    ----------
    soft : SoftLabels
        Vote shares of C items, from `soft_labels`.
    judge : sequence of length C
        The judge's labels; None is missing.
    probabilities : array_like, shape (C, L), optional
        The judge's probabilities in the order of ``soft.classes``; rows with NaN are missing.
    family : sequence of length C, optional
        Family of each item.
    level : float
        Confidence level.

    Returns
    -------
    dict of str to Estimate
        ``expected_accuracy``: mean of ``p_i[judge_i]``, the chance that the judge agrees with a
        person drawn at random; ``ceiling``: mean of ``max_k p_ik`` over the same items, which no
        judge can pass. With probabilities also ``cross_entropy`` (nats), ``brier`` (sum over
        classes) and ``total_variation``. Undefined: 'no items'.

    Raises
    ------
    ValueError
        If lengths differ, or a label is not among ``soft.classes``.

    Examples
    --------
    >>> soft = soft_labels([["s", "s"], ["s", "c"]], labels=["s", "c"])
    >>> scores = soft_label_scores(soft, ["s", "c"])
    >>> scores["expected_accuracy"].value, scores["ceiling"].value
    (0.75, 0.75)
    """
    size, classes = len(soft.shares), len(soft.classes)
    nothing = (float("nan"),) * classes
    shares = np.array([s or nothing for s in soft.shares], dtype=np.float64).reshape(size, classes)
    codes = code_labels(judge, soft.classes, name="judge")
    if codes.size != size:
        raise ValueError(f"judge must have one label per item ({size}), got {codes.size}")
    coded = code_families(family, size)
    groups = np.arange(size, dtype=np.int64) if coded is None else coded[0]
    known = (codes >= 0) & ~np.isnan(shares).any(axis=1)
    hit = np.where(known, shares[np.arange(size), codes], np.nan)
    top = np.where(known, shares.max(axis=1, initial=0), np.nan)
    columns = {"expected_accuracy": hit, "ceiling": top}
    if probabilities is not None:
        columns |= _distances(shares, probabilities)
    return {
        name: family_mean(values, groups, method=name.replace("_", " "), level=level)
        for name, values in columns.items()
    }


def _distances(shares: Floats, probabilities: ArrayLike) -> dict[str, Floats]:
    forecast = np.asarray(probabilities, dtype=np.float64)
    if forecast.shape != shares.shape:
        raise ValueError(f"probabilities must have shape {shares.shape}, got {forecast.shape}")
    safe = np.clip(forecast, 1e-15, None)  # as scikit-learn: a certain error costs 34.5 nats
    return {
        "cross_entropy": -(shares * np.log(safe)).sum(axis=1) + 0.0,
        "brier": ((shares - forecast) ** 2).sum(axis=1),
        "total_variation": np.abs(shares - forecast).sum(axis=1) / 2,
    }
