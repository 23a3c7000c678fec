"""Agreement of a judge with the reference label: raw, chance-corrected, correlation.

All take the two columns of labels first and everything else by keyword, and return an `Estimate`
with a family-jackknife interval. In all of them ``human`` is the reference (rows of the table).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from voirdire.records import Estimate
from voirdire.stats import tables
from voirdire.stats.cautions import few_families_notes, prevalence_notes
from voirdire.stats.coding import Labels, coding_scheme
from voirdire.stats.coefficients import coefficient_recipe
from voirdire.stats.counts import FamilyCounts, family_counts
from voirdire.stats.inference import estimate
from voirdire.stats.rates import rate_of_counts
from voirdire.stats.registry import statistic
from voirdire.stats.weighting import Weights, agreement_weights, in_scale_order

__all__ = [
    "ac1",
    "ac2",
    "brennan_prediger",
    "kappa",
    "mcc",
    "raw_agreement",
    "scott",
    "weighted_kappa",
]


@statistic(kind="two-rater", symmetric=True)
def raw_agreement(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Share of items with the same label; interpretable, and inflated where one class dominates.

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
    Estimate
        ``k`` of ``n``; Wilson interval with the effective number of items, and the zero-error
        bound when all agree. Undefined: "no items".

    Examples
    --------
    >>> raw_agreement(["y", "n", "y"], ["y", "n", "n"], family=[1, 1, 2]).value
    0.6666666666666666
    """
    counts = family_counts(human, judge, labels=labels, family=family)
    size = len(counts.labels)
    hits = counts.counts[:, :: size + 1].sum(axis=1)
    return rate_of_counts(
        hits,
        counts.counts.sum(axis=1),
        weight=counts.weight,
        n_asked=counts.n_asked,
        level=level,
        grouped=counts.grouped,
    )


@statistic(kind="two-rater", symmetric=True)
def kappa(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Cohen's kappa, unweighted: the primary coefficient of judge against reference.

    Parameters
    ----------
    human, judge : sequence of length C
        Labels; None is missing.
    family : sequence of length C, optional
        Family of each item, the unit of resampling; without it each item is its own.
    labels : sequence of length L, optional
        The coding scheme; see `coding_scheme`.
    level : float
        Two-sided level; 0.90 makes each end a one-sided 95 % bound, as gates use.

    Returns
    -------
    Estimate
        Fisher-z family-jackknife interval. Undefined: "no items", "one label only". A constant
        judge has kappa 0, with the interval of `constant_judge_interval`. No interval: "fewer
        than 2 families", "reference constant", "no variation between families". Notes warn of
        classes in fewer than 8 families and of prevalence.

    References
    ----------
    Cohen (1960), Educational and Psychological Measurement 20:37. Interval: Efron & Tibshirani
    (1993), chapter 11, with t(G-1) after MacKinnon, Nielsen & Webb (arXiv 2301.04527).

    Examples
    --------
    >>> human = ["y", "y", "n", "n", "y", "n", "y", "n"]
    >>> judge = ["y", "y", "n", "y", "y", "n", "n", "n"]
    >>> found = kappa(human, judge, family=[1, 1, 2, 2, 3, 3, 4, 4])
    >>> found.value, round(found.low, 3), round(found.high, 3), found.families
    (0.5, -0.689, 0.96, 4)
    """
    counts = family_counts(human, judge, labels=labels, family=family)
    recipe = coefficient_recipe(counts, "Cohen's kappa", tables.cohen_chance)
    notes = few_families_notes(counts) + prevalence_notes(counts)
    return estimate(counts, recipe, level=level, notes=notes)


@statistic(kind="two-rater", symmetric=True)
def ac1(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Gwet's AC1: stable where one class dominates; to be read beside kappa.

    Parameters
    ----------
    human, judge : sequence of length C
        Labels; None is missing.
    family : sequence of length C, optional
        Family of each item, the unit of resampling; without it each item is its own.
    labels : sequence of length L, optional
        The coding scheme. AC1 depends on how many labels it has, used or not.
    level : float
        Two-sided level.

    Returns
    -------
    Estimate
        As for `kappa`. Undefined: "no items"; "one label only" when the scheme has one label.

    References
    ----------
    Gwet (2008), British Journal of Mathematical and Statistical Psychology 61:29.

    Examples
    --------
    >>> round(ac1([1, 1, 1, 0], [1, 1, 0, 0]).value, 4)
    0.5294
    """
    counts = family_counts(human, judge, labels=labels, family=family)
    recipe = coefficient_recipe(counts, "Gwet's AC1", tables.gwet_chance)
    notes = few_families_notes(counts) + prevalence_notes(counts)
    return estimate(counts, recipe, level=level, notes=notes)


@statistic(kind="two-rater", symmetric=True)
def scott(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Scott's pi: expected agreement from the mean of both margins.

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
    Estimate
        As for `kappa`. Undefined: "no items", "one label only".

    References
    ----------
    Scott (1955), Public Opinion Quarterly 19:321.

    Examples
    --------
    >>> round(scott([1, 1, 1, 0], [1, 1, 0, 0]).value, 4)
    0.4667
    """
    counts = family_counts(human, judge, labels=labels, family=family)
    recipe = coefficient_recipe(counts, "Scott's pi", tables.scott_chance)
    return estimate(counts, recipe, level=level, notes=few_families_notes(counts))


@statistic(kind="two-rater", symmetric=True)
def brennan_prediger(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Brennan-Prediger: expected agreement 1/L; with two labels PABAK.

    Parameters
    ----------
    human, judge : sequence of length C
        Labels; None is missing.
    family : sequence of length C, optional
        Family of each item, the unit of resampling; without it each item is its own.
    labels : sequence of length L, optional
        The coding scheme; the coefficient depends on how many labels it has, used or not.
    level : float
        Two-sided level.

    Returns
    -------
    Estimate
        As for `kappa`. Undefined: "no items"; "one label only" when the scheme has one label.

    References
    ----------
    Brennan & Prediger (1981), Educational and Psychological Measurement 41:687; Byrt, Bishop &
    Carlin (1993), Journal of Clinical Epidemiology 46:423.

    Examples
    --------
    >>> brennan_prediger([1, 1, 1, 0], [1, 1, 0, 0]).value
    0.5
    """
    counts = family_counts(human, judge, labels=labels, family=family)
    recipe = coefficient_recipe(counts, "Brennan-Prediger", tables.uniform_chance)
    return estimate(counts, recipe, level=level, notes=few_families_notes(counts))


@statistic(kind="two-rater", symmetric=True)
def mcc(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Matthews correlation for L classes (R_K); equals kappa when the margins agree.

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
    Estimate
        As for `kappa`. Undefined: "no items", "one label only", "judge constant", "reference
        constant" (0/0; scikit-learn returns 0 there).

    References
    ----------
    Gorodkin (2004), Computational Biology and Chemistry 28:367.

    Examples
    --------
    >>> round(mcc([1, 1, 1, 0], [1, 1, 0, 0]).value, 4)
    0.5774
    >>> mcc([1, 1, 0], [1, 1, 1]).undefined
    'judge constant'
    """
    counts = family_counts(human, judge, labels=labels, family=family)
    recipe = coefficient_recipe(counts, "MCC", tables.cohen_chance, value=tables.mcc)
    return estimate(counts, recipe, level=level, notes=few_families_notes(counts))


@statistic(kind="two-rater", symmetric=True, renaming="ordered")
def weighted_kappa(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    weights: Weights = "linear",
    disagreement: ArrayLike | None = None,
    scale: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Cohen's kappa with partial credit for near misses.

    Parameters
    ----------
    human, judge : sequence of length C
        Labels; None is missing.
    family : sequence of length C, optional
        Family of each item, the unit of resampling; without it each item is its own.
    labels : sequence of length L, optional
        The coding scheme; see `coding_scheme`.
    weights : {"linear", "quadratic", "identity"} or array, shape (L, L)
        Agreement weights, rows and columns in the order of ``scale``.
    disagreement : array, shape (L, L), optional
        Costs instead of weights: 0 on the diagonal, any unit.
    scale : sequence of length L, optional
        The labels from one end to the other. Default: contradicted, unverifiable, supported for
        these labels; the order of ``labels`` for others.
    level : float
        Two-sided level.

    Returns
    -------
    Estimate
        As for `kappa`. Undefined: "no items", "one label only".

    Raises
    ------
    ValueError
        When weights, costs or scale do not fit the labels.

    References
    ----------
    Cohen (1968), Psychological Bulletin 70:213.

    Examples
    --------
    >>> round(weighted_kappa([0, 1, 2, 2], [0, 1, 1, 2]).value, 4)
    0.7143
    """
    counts = _scaled_counts(human, judge, family, labels, scale)
    matrix = agreement_weights(weights, size=len(counts.labels), disagreement=disagreement)
    name = f"weighted kappa ({_weights_name(weights, disagreement)})"
    recipe = coefficient_recipe(counts, name, tables.cohen_chance, weights=matrix)
    return estimate(counts, recipe, level=level, notes=few_families_notes(counts))


@statistic(kind="two-rater", symmetric=True, renaming="ordered")
def ac2(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    weights: Weights = "linear",
    disagreement: ArrayLike | None = None,
    scale: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Gwet's AC2: AC1 with partial credit for near misses.

    Parameters
    ----------
    human, judge, family, labels, weights, disagreement, scale, level
        As for `weighted_kappa`.

    Returns
    -------
    Estimate
        As for `kappa`. Undefined: "no items"; "one label only" when the scheme has one label.

    References
    ----------
    Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, chapter 5.

    Examples
    --------
    >>> round(ac2([0, 1, 2, 2], [0, 1, 1, 2]).value, 4)
    0.7241
    """
    counts = _scaled_counts(human, judge, family, labels, scale)
    matrix = agreement_weights(weights, size=len(counts.labels), disagreement=disagreement)
    name = f"Gwet's AC2 ({_weights_name(weights, disagreement)})"
    recipe = coefficient_recipe(counts, name, tables.gwet_chance, weights=matrix)
    return estimate(counts, recipe, level=level, notes=few_families_notes(counts))


def _scaled_counts(
    human: Labels,
    judge: Labels,
    family: Labels | None,
    labels: Sequence[Any] | None,
    scale: Sequence[Any] | None,
) -> FamilyCounts:
    scheme = coding_scheme(labels if labels is not None else scale, human, judge)
    ordered = in_scale_order(scheme, scale)
    return family_counts(human, judge, labels=ordered, family=family)


def _weights_name(weights: Weights, disagreement: ArrayLike | None) -> str:
    if disagreement is not None:
        return "given costs"
    return weights if isinstance(weights, str) else "given weights"
