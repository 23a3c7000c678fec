"""Agreement of more than two raters: Fleiss, Conger, Gwet, Brennan-Prediger, Light.

All take the (C, A) matrix of labels, allow missing labels, and give a family-jackknife interval.
The general form with missing labels and weights is Gwet (2014): an item agrees as much as
its pairs of labels, items with one label count in the shares of the classes only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.records import Estimate
from voirdire.stats.coding import Labels
from voirdire.stats.inference import Recipe, estimate
from voirdire.stats.panel_sums import Panel, Ratings, pair_sums, read_panel, share_sums
from voirdire.stats.reasons import ONE_LABEL
from voirdire.stats.registry import statistic
from voirdire.stats.tables import kappa, ratio
from voirdire.stats.weighting import Weights, agreement_weights

__all__ = [
    "conger_kappa",
    "fleiss_kappa",
    "fleiss_kappa_per_label",
    "light_kappa",
    "panel_ac1",
    "panel_ac2",
    "panel_agreement",
    "panel_brennan_prediger",
]

Array = NDArray[Any]
Chance = Callable[[Array, NDArray[np.float64]], Array]


def fleiss_chance(sums: Array, weights: NDArray[np.float64]) -> Array:
    """Expected agreement from the shares of the classes."""
    shares = _class_shares(sums, len(weights))
    return np.asarray(np.einsum("...i,ij,...j->...", shares, weights, shares))


def gwet_chance(sums: Array, weights: NDArray[np.float64]) -> Array:
    """Expected agreement among hard items."""
    size = len(weights)
    shares = _class_shares(sums, size)
    spread = (shares * (1 - shares)).sum(axis=-1)
    return ratio(weights.sum() * spread, np.full(spread.shape, float(size * (size - 1))))


def uniform_chance(sums: Array, weights: NDArray[np.float64]) -> Array:
    """Expected agreement from uniform guessing."""
    return np.full(sums.shape[:-1], weights.sum() / len(weights) ** 2)


def conger_chance(sums: Array, weights: NDArray[np.float64]) -> Array:
    """Expected agreement from each rater's own shares (Conger 1980, Gwet 2014 eq. 2.15)."""
    size = len(weights)
    given = sums[..., 2 + size :].reshape(*sums.shape[:-1], -1, size)
    shares = ratio(given, given.sum(axis=-1, keepdims=True))
    active = ~np.isnan(shares).any(axis=-1, keepdims=True)
    shares = np.where(active, shares, 0.0)
    raters = active.sum(axis=(-2, -1)).astype(float)
    summed = shares.sum(axis=-2)
    all_pairs = np.einsum("...i,ij,...j->...", summed, weights, summed)
    same = np.einsum("...gi,ij,...gj->...", shares, weights, shares)
    return ratio(all_pairs - same, raters * (raters - 1))


def _class_shares(sums: Array, size: int) -> Array:
    given = sums[..., 2 : 2 + size]
    return ratio(given, given.sum(axis=-1, keepdims=True))


def _corrected(
    panel: Panel, weights: NDArray[np.float64], chance: Chance, name: str, level: float
) -> Estimate:
    """Estimate of ``(observed - expected) / (1 - expected)`` on the sums of `share_sums`."""
    sums = share_sums(panel, weights)

    def value(total: Array) -> Array:
        observed, expected = ratio(total[..., 0], total[..., 1]), chance(total, weights)
        return ratio(observed - expected, 1 - expected)

    def bound(share: float) -> float:
        expected = float(chance(sums.total, weights))
        return (share - expected) / (1 - expected)

    recipe = Recipe(name=name, value=value, undefined=ONE_LABEL, at_one=bound)
    return estimate(sums, recipe, level=level, notes=panel.notes)


def _panel_weights(panel: Panel, weights: Weights) -> NDArray[np.float64]:
    return agreement_weights(weights, size=len(panel.labels))


def _name(name: str, weights: Weights) -> str:
    if isinstance(weights, str):
        return name if weights == "identity" else f"{name} ({weights} weights)"
    return f"{name} (given weights)"


@statistic(kind="multi-rater", symmetric=True)
def fleiss_kappa(
    ratings: Ratings,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    weights: Weights = "identity",
    level: float = 0.95,
) -> Estimate:
    """Fleiss' kappa, also for unequal numbers of labels per item and with weights.

    Parameters
    ----------
    ratings : array_like or frame, shape (C, A)
        Labels of A raters; None is missing.
    family : sequence of length C, optional
        Family of each item, the unit of resampling; without it each item is its own.
    labels : sequence of length L, optional
        The coding scheme; see `coding_scheme`.
    weights : {"identity", "linear", "quadratic"} or array, shape (L, L)
        Partial credit, in scale order.
    level : float
        Two-sided level.

    Returns
    -------
    Estimate
        ``n`` counts items with at least two labels. Fisher-z family-jackknife interval.
        Undefined: "no items", "one label only".

    References
    ----------
    Fleiss (1971), Psychological Bulletin 76:378; Gwet (2014), Handbook of Inter-Rater Reliability,
    chapter 2 for missing labels.

    Examples
    --------
    >>> fleiss_kappa([["y", "y", "y"], ["y", "n", "n"], ["n", "n", "n"]]).value
    0.55
    """
    panel = read_panel(ratings, family=family, labels=labels)
    matrix = _panel_weights(panel, weights)
    return _corrected(panel, matrix, fleiss_chance, _name("Fleiss' kappa", weights), level)


@statistic(kind="multi-rater", symmetric=True)
def conger_kappa(
    ratings: Ratings,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    weights: Weights = "identity",
    level: float = 0.95,
) -> Estimate:
    """Conger's kappa: Cohen's for more than two raters, with each rater's own class shares.

    Parameters
    ----------
    ratings, family, labels, weights, level
        As for `fleiss_kappa`.

    Returns
    -------
    Estimate
        As for `fleiss_kappa`. A rater without any label is left out.

    References
    ----------
    Conger (1980), Psychological Bulletin 88:322.

    Examples
    --------
    >>> round(conger_kappa([["y", "y", "y"], ["y", "n", "n"], ["n", "n", "n"]]).value, 4)
    0.5714
    """
    panel = read_panel(ratings, family=family, labels=labels)
    matrix = _panel_weights(panel, weights)
    return _corrected(panel, matrix, conger_chance, _name("Conger's kappa", weights), level)


@statistic(kind="multi-rater", symmetric=True)
def panel_ac1(
    ratings: Ratings,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Gwet's AC1 for more than two raters.

    Parameters
    ----------
    ratings, family, labels, level
        As for `fleiss_kappa`. AC1 depends on how many labels the scheme has, used or not.

    Returns
    -------
    Estimate
        As for `fleiss_kappa`; "one label only" when the scheme has one label.

    References
    ----------
    Gwet (2008), British Journal of Mathematical and Statistical Psychology 61:29.

    Examples
    --------
    >>> round(panel_ac1([["y", "y", "y"], ["y", "n", "n"], ["n", "n", "n"]]).value, 4)
    0.561
    """
    panel = read_panel(ratings, family=family, labels=labels)
    matrix = _panel_weights(panel, "identity")
    return _corrected(panel, matrix, gwet_chance, "Gwet's AC1", level)


@statistic(kind="multi-rater", symmetric=True, renaming="ordered")
def panel_ac2(
    ratings: Ratings,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    weights: Weights = "linear",
    level: float = 0.95,
) -> Estimate:
    """Gwet's AC2 for more than two raters: AC1 with partial credit.

    Parameters
    ----------
    ratings, family, labels, weights, level
        As for `fleiss_kappa`.

    Returns
    -------
    Estimate
        As for `panel_ac1`.

    References
    ----------
    Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, chapter 3.

    Examples
    --------
    >>> round(panel_ac2([[0, 1, 0], [2, 2, 1], [0, 0, 0]], weights="quadratic").value, 4)
    0.7273
    """
    panel = read_panel(ratings, family=family, labels=labels)
    matrix = _panel_weights(panel, weights)
    return _corrected(panel, matrix, gwet_chance, _name("Gwet's AC2", weights), level)


@statistic(kind="multi-rater", symmetric=True)
def panel_brennan_prediger(
    ratings: Ratings,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    weights: Weights = "identity",
    level: float = 0.95,
) -> Estimate:
    """Brennan-Prediger coefficient for more than two raters.

    Parameters
    ----------
    ratings, family, labels, weights, level
        As for `fleiss_kappa`.

    Returns
    -------
    Estimate
        As for `panel_ac1`.

    References
    ----------
    Brennan & Prediger (1981), Educational and Psychological Measurement 41:687.

    Examples
    --------
    >>> round(panel_brennan_prediger([["y", "y"], ["y", "n"], ["n", "n"]]).value, 4)
    0.3333
    """
    panel = read_panel(ratings, family=family, labels=labels)
    matrix = _panel_weights(panel, weights)
    return _corrected(panel, matrix, uniform_chance, _name("Brennan-Prediger", weights), level)


@statistic(kind="multi-rater", symmetric=True)
def panel_agreement(
    ratings: Ratings,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Raw agreement of more than two raters: share of agreeing pairs, averaged over items.

    Parameters
    ----------
    ratings, family, labels, level
        As for `fleiss_kappa`.

    Returns
    -------
    Estimate
        Undefined: "no items".

    Examples
    --------
    >>> round(panel_agreement([["y", "y", "y"], ["y", "n", "n"], ["n", "n", "n"]]).value, 4)
    0.7778
    """
    panel = read_panel(ratings, family=family, labels=labels)
    sums = share_sums(panel, np.eye(len(panel.labels)))
    recipe = Recipe(
        name="raw pairwise agreement",
        value=lambda total: ratio(total[..., 0], total[..., 1]),
        undefined=ONE_LABEL,
        lowest=0.0,
        at_one=lambda share: share,
    )
    return estimate(sums, recipe, level=level, notes=panel.notes)


@statistic(kind="multi-rater", symmetric=True)
def fleiss_kappa_per_label(
    ratings: Ratings,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> dict[Any, Estimate]:
    """Fleiss' kappa of each label against all others: which class people do not share.

    Parameters
    ----------
    ratings, family, labels, level
        As for `fleiss_kappa`.

    Returns
    -------
    dict of label to Estimate
        Undefined: "no items"; "one label only" for a label that nobody or everybody uses.

    References
    ----------
    Fleiss (1971), Psychological Bulletin 76:378.

    Examples
    --------
    >>> fleiss_kappa_per_label([["y", "y", "y"], ["y", "n", "n"], ["n", "n", "n"]])["y"].value
    0.55
    """
    panel = read_panel(ratings, family=family, labels=labels)
    return {
        label: _corrected(
            panel.one_against_others(code), np.eye(2), fleiss_chance, "Fleiss' kappa", level
        )
        for code, label in enumerate(panel.labels)
    }


@statistic(kind="multi-rater", symmetric=True)
def light_kappa(
    ratings: Ratings,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Light's kappa: mean of Cohen's kappa over all pairs of raters.

    The human ceiling on the scale of a judge's kappa against one person. Not to be compared with
    the kappa against a majority vote, which is less noisy than one person.

    Parameters
    ----------
    ratings, family, labels, level
        As for `fleiss_kappa`.

    Returns
    -------
    Estimate
        Pairs whose kappa is undefined are left out, and a note says how many. Undefined: "no
        items", "one label only".

    References
    ----------
    Light (1971), Psychological Bulletin 76:365.

    Examples
    --------
    >>> round(light_kappa([["y", "y", "y"], ["y", "n", "n"], ["n", "n", "n"]]).value, 4)
    0.6
    """
    panel = read_panel(ratings, family=family, labels=labels)
    sums = pair_sums(panel)
    size = len(panel.labels)
    pairs = len(list(combinations(range(panel.codes.shape[1]), 2)))

    def each(total: Array) -> Array:
        return kappa(total.reshape(*total.shape[:-1], pairs, size, size))

    with np.errstate(all="ignore"):
        known = np.flatnonzero(~np.isnan(each(sums.total))) if sums.n else np.arange(0)
    notes = panel.notes
    if sums.n and known.size < pairs:
        notes += (f"mean over {known.size} of {pairs} pairs of raters: the others have no kappa",)

    def value(total: Array) -> Array:
        used = each(total)[..., known]
        return ratio(used.sum(axis=-1), np.full(used.shape[:-1], float(known.size)))

    def bound(share: float) -> float:
        tables = sums.total.reshape(pairs, size, size)[known]
        margins = tables.sum(axis=1) * tables.sum(axis=2)
        expected = margins.sum(axis=1) / tables.sum(axis=(1, 2)) ** 2
        return float(np.mean((share - expected) / (1 - expected)))

    recipe = Recipe(name="Light's kappa", value=value, undefined=ONE_LABEL, at_one=bound)
    return estimate(sums, recipe, level=level, notes=notes)
