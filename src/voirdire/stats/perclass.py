"""Agreement class by class: recall, precision, F1, specific agreement, and their means.

A rate per class has its own items and its own families: only families in which the class occurs
count, so a rare class has an honestly wide interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from voirdire.records import Estimate
from voirdire.stats import tables
from voirdire.stats.cautions import few_families_notes
from voirdire.stats.coding import Labels
from voirdire.stats.coefficients import constant_judge_interval, of_sums, why_constant
from voirdire.stats.counts import FamilyCounts, FamilySums, collapse_weighted, family_counts
from voirdire.stats.inference import Recipe, estimate
from voirdire.stats.intervals import Interval
from voirdire.stats.rates import rate_of_counts
from voirdire.stats.reasons import CLASS_ABSENT, CLASS_NEVER_ANSWERED, NO_VARIATION
from voirdire.stats.registry import statistic
from voirdire.stats.tables import Array, TableFunction

__all__ = [
    "balanced_accuracy",
    "f1",
    "macro_f1",
    "precision",
    "recall",
    "specific_agreement",
]


@statistic(kind="two-rater")
def recall(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> dict[Any, Estimate]:
    """Of the items people give a label, the share to which the judge gives it too; per label.

    Parameters
    ----------
    human, judge : sequence of length C
        Labels; None is missing.
    family : sequence of length C, optional
        Family of each item, the unit of resampling; without it each item is its own.
    labels : sequence of length L, optional
        The coding scheme; see `coding_scheme`.
    level : float
        Two-sided level.

    Returns
    -------
    dict of label to Estimate
        ``k`` of ``n`` items with that human label, ``n_asked`` with those the judge left
        unanswered; Wilson interval with the effective number of items. Undefined: "class absent".

    Examples
    --------
    >>> found = recall(["y", "y", "n", "y"], ["y", "n", "n", None])
    >>> found["y"].value, found["y"].k, found["y"].n, found["y"].n_asked
    (0.5, 1, 2, 3)
    """
    counts = family_counts(human, judge, labels=labels, family=family)
    return {
        label: _hit_rate(counts, code, level, axis=2, asked=counts.asked_of_human[code])
        for code, label in enumerate(counts.labels)
    }


@statistic(kind="two-rater")
def precision(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> dict[Any, Estimate]:
    """Of the items the judge gives a label, the share to which people give it too; per label.

    It depends on how often the class occurs in the set, so it does not carry over to a stream
    with other shares.

    Parameters
    ----------
    human, judge, family, labels, level
        As for `recall`.

    Returns
    -------
    dict of label to Estimate
        As for `recall`. Undefined: "class never answered".

    Examples
    --------
    >>> precision(["y", "y", "n"], ["y", "n", "n"])["n"].value
    0.5
    """
    counts = family_counts(human, judge, labels=labels, family=family)
    return {
        label: _hit_rate(counts, code, level, axis=1, asked=counts.asked_of_judge[code])
        for code, label in enumerate(counts.labels)
    }


def _hit_rate(counts: FamilyCounts, code: int, level: float, *, axis: int, asked: int) -> Estimate:
    """Diagonal cell over its row (axis 2: recall) or its column (axis 1: precision)."""
    size, label = len(counts.labels), counts.labels[code]
    square = counts.counts.reshape(-1, size, size)
    items = square.sum(axis=axis)[:, code]
    if axis == 2:
        missing = f"{CLASS_ABSENT}: no judged item has the human label {label!r}"
    else:
        missing = f"{CLASS_NEVER_ANSWERED}: the judge answers {label!r} to no labelled item"
    return rate_of_counts(
        square[:, code, code],
        items,
        weight=counts.weight,
        n_asked=asked,
        level=level,
        grouped=counts.grouped,
        missing=missing,
    )


@statistic(kind="two-rater", symmetric=True)
def f1(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> dict[Any, Estimate]:
    """F1 per label: harmonic mean of precision and recall.

    Parameters
    ----------
    human, judge, family, labels, level
        As for `recall`.

    Returns
    -------
    dict of label to Estimate
        Fisher-z family-jackknife interval over the families in which either uses the label; ``n``
        counts these items. Undefined: "class absent".

    Examples
    --------
    >>> round(f1(["y", "y", "n"], ["y", "n", "n"])["y"].value, 4)
    0.6667
    """
    return _class_scores(human, judge, family, labels, level, "F1")


@statistic(kind="two-rater", symmetric=True)
def specific_agreement(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> dict[Any, Estimate]:
    """Agreement on each label: with two labels, positive and negative agreement.

    When one rater uses the label, how often the other does too. To be shown beside kappa where one
    class dominates. The number is F1 by another name.

    Parameters
    ----------
    human, judge, family, labels, level
        As for `recall`.

    Returns
    -------
    dict of label to Estimate
        As for `f1`.

    References
    ----------
    Cicchetti & Feinstein (1990), Journal of Clinical Epidemiology 43:551.

    Examples
    --------
    >>> found = specific_agreement([1, 1, 1, 0], [1, 1, 0, 0])
    >>> round(found[1].value, 4), round(found[0].value, 4)
    (0.8, 0.6667)
    """
    return _class_scores(human, judge, family, labels, level, "specific agreement")


def _class_scores(
    human: Labels,
    judge: Labels,
    family: Labels | None,
    labels: Sequence[Any] | None,
    level: float,
    name: str,
) -> dict[Any, Estimate]:
    counts = family_counts(human, judge, labels=labels, family=family)
    return {label: _dice(counts, code, name, level) for code, label in enumerate(counts.labels)}


def _dice(counts: FamilyCounts, code: int, name: str, level: float) -> Estimate:
    """``2 both / (one + other)`` of a label, over the families in which it occurs."""
    size, label = len(counts.labels), counts.labels[code]
    square = counts.counts.reshape(-1, size, size)
    both = square[:, code, code]
    uses = square[:, code, :].sum(axis=1) + square[:, :, code].sum(axis=1)
    rows, weight = collapse_weighted(np.stack([2 * both, uses], axis=1), counts.weight)
    n = round(float(counts.weight @ (uses - both)))
    asked = n + _unpaired(counts, code)
    sums = FamilySums(rows, weight, n, asked, counts.grouped)
    if n == 0:
        return Estimate.not_defined(
            f"{CLASS_ABSENT}: neither rater uses {label!r}",
            method=f"{name} of a class",
            n_asked=asked,
            families=0,
            level=level,
        )
    recipe = Recipe(
        name=f"{name} of a class",
        value=lambda sums: tables.ratio(sums[..., 0], sums[..., 1]),
        undefined=CLASS_ABSENT,
        lowest=0.0,
        # a share J of the items is agreed on; F1 is 2J/(1+J)
        at_one=lambda share: 2 * share / (1 + share),
        when_flat=lambda share: (
            Interval(0.0, 2 * (1 - share) / (2 - share)) if not both.any() else None
        ),
    )
    return estimate(sums, recipe, level=level)


def _unpaired(counts: FamilyCounts, code: int) -> int:
    """Items that one rater gave the label and the other did not answer."""
    table = counts.table
    asked = counts.asked_of_human[code] + counts.asked_of_judge[code]
    return round(asked - float(table[code].sum() + table[:, code].sum()))


@statistic(kind="two-rater")
def balanced_accuracy(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Mean recall over the classes that people use.

    Parameters
    ----------
    human, judge, family, labels, level
        As for `recall`.

    Returns
    -------
    Estimate
        Fisher-z family-jackknife interval, cut at 0. A note says over how many classes the mean is.
        Undefined: "no items".

    References
    ----------
    Brodersen et al. (2010), ICPR, for the name.

    Examples
    --------
    >>> balanced_accuracy([1, 1, 1, 0], [1, 1, 0, 0]).value
    0.8333333333333333
    """
    return _macro(
        human, judge, family, labels, level, "balanced accuracy", tables.balanced_accuracy
    )


@statistic(kind="two-rater")
def macro_f1(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Mean F1 over the classes that people use.

    Parameters
    ----------
    human, judge, family, labels, level
        As for `recall`.

    Returns
    -------
    Estimate
        As for `balanced_accuracy`. The interval is by analogy: it was not simulated for macro F1.

    Examples
    --------
    >>> round(macro_f1([1, 1, 1, 0], [1, 1, 0, 0]).value, 4)
    0.7333
    """
    return _macro(human, judge, family, labels, level, "macro F1", tables.macro_f1)


def _macro(
    human: Labels,
    judge: Labels,
    family: Labels | None,
    labels: Sequence[Any] | None,
    level: float,
    name: str,
    function: TableFunction,
) -> Estimate:
    counts = family_counts(human, judge, labels=labels, family=family)
    table = counts.table
    present = [number for number in counts.families_per_label if number > 0]
    recipe = Recipe(
        name=name,
        value=of_sums(function, len(counts.labels)),
        undefined=CLASS_ABSENT,
        lowest=0.0,
        at_one=lambda share: share,
        when_flat=lambda share: _flat(table, function, share),
        flat_reason=why_constant(table) or NO_VARIATION,
        bound_families=float(min(present, default=0)) or None,
    )
    notes = few_families_notes(counts) + _absent_note(counts)
    return estimate(counts, recipe, level=level, notes=notes)


def _flat(table: Array, function: TableFunction, share: float) -> Interval | None:
    if float(np.trace(table)) == 0:
        return Interval(0.0, 1 - share)
    return constant_judge_interval(table, function, share)


def _absent_note(counts: FamilyCounts) -> tuple[str, ...]:
    absent = [
        label
        for label, number in zip(counts.labels, counts.families_per_label, strict=True)
        if number == 0
    ]
    if not absent or counts.n == 0:
        return ()
    used, size = len(counts.labels) - len(absent), len(counts.labels)
    names = ", ".join(map(repr, absent))
    return (f"mean over {used} of {size} classes: no judged item has the human label {names}",)
