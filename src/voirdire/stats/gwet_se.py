"""Gwet's standard errors of the coefficients for several raters, for independent items.

As in R's irrCAC: sampling of items only, all items weigh the same. They take the number of items
with two labels as fixed and ignore families, so no interval of this package uses them; they are
here to compare with other programs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from voirdire.stats import multirater
from voirdire.stats.jackknife import gradient
from voirdire.stats.panel_sums import Panel, Ratings, read_panel, share_sums
from voirdire.stats.registry import formula
from voirdire.stats.weighting import Weights, agreement_weights

__all__ = ["PanelCoefficient", "panel_se"]

PanelCoefficient = Literal["ac", "fleiss", "conger", "brennan_prediger", "alpha"]
Floats = NDArray[np.float64]

CHANCES: dict[str, Callable[[Any, Floats], Any]] = {
    "ac": multirater.gwet_chance,
    "fleiss": multirater.fleiss_chance,
    "conger": multirater.conger_chance,
    "brennan_prediger": multirater.uniform_chance,
}


@formula
def panel_se(
    ratings: Ratings,
    *,
    coefficient: PanelCoefficient,
    labels: Sequence[Any] | None = None,
    weights: Weights = "identity",
) -> float:
    """Gwet's standard error of a coefficient of several raters.

    Parameters
    ----------
    ratings : array_like or frame, shape (C, A)
        Labels; None is missing.
    coefficient : {"ac", "fleiss", "conger", "brennan_prediger", "alpha"}
        AC1 (AC2 with weights), or the coefficient of that name.
    labels : sequence of length L, optional
        The coding scheme.
    weights : {"identity", "linear", "quadratic"} or array, shape (L, L)
        Agreement weights.

    Returns
    -------
    float
        nan with fewer than two items with two labels, or where the coefficient is undefined.

    Raises
    ------
    ValueError
        When the coefficient is unknown.

    References
    ----------
    Gwet (2014), Handbook of Inter-Rater Reliability, chapters 2, 3 and 5; his R package irrCAC.

    Examples
    --------
    >>> ratings = [["y", "y"], ["y", "n"], ["n", "n"], ["n", "n"], ["y", "y"]]
    >>> round(panel_se(ratings, coefficient="fleiss"), 4)
    0.4
    """
    if coefficient not in (*CHANCES, "alpha"):
        raise ValueError(f"coefficient must be one of {[*CHANCES, 'alpha']}, got {coefficient!r}")
    panel = read_panel(ratings, family=None, labels=labels)
    matrix = agreement_weights(weights, size=len(panel.labels))
    if int((panel.votes.sum(axis=1) >= 2).sum()) < 2:
        return math.nan
    with np.errstate(all="ignore"):
        if coefficient == "alpha":
            return _standard_error(*_alpha_influence(panel, matrix))
        return _standard_error(*_influence(panel, matrix, CHANCES[coefficient]))


def _standard_error(influence: Floats, weight: Floats) -> float:
    n = float(weight.sum())
    centred = influence - weight @ influence / n
    return float(np.sqrt(weight @ centred**2 / (n * (n - 1))))


def _influence(
    panel: Panel, weights: Floats, chance: Callable[[Any, Floats], Any]
) -> tuple[Floats, Floats]:
    """``(n/n') (a_i - pe) / (1 - pe)`` less the part of the item in the expected agreement."""
    sums = share_sums(panel, weights)
    total, n = sums.total, sums.families
    expected = float(chance(total, weights))
    observed = float(total[0] / total[1])
    of_chance = gradient(total, lambda t: chance(t, weights))
    item = (sums.counts[:, 0] - expected * sums.counts[:, 1]) / total[1] / (1 - expected)
    value = (observed - expected) / (1 - expected)
    chance_part = (1 - value) * (sums.counts @ of_chance) / (1 - expected)
    return n * (item - chance_part), sums.weight


def _alpha_influence(panel: Panel, weights: Floats) -> tuple[Floats, Floats]:
    """Items with two labels; each agreement and class share relative to the mean number."""
    votes = panel.votes
    votes = votes[votes.sum(axis=1) >= 2].astype(float)
    m = votes.sum(axis=1)
    mean, epsilon = m.mean(), 1 / m.sum()
    shares = votes.sum(axis=0) / m.sum()
    weighted = (weights @ shares + weights.T @ shares) / 2
    pairs = ((votes * (votes @ weights.T)).sum(axis=1) - m) / (mean * (m - 1))
    expected = float(shares @ weights @ shares)
    observed = (1 - epsilon) * float(pairs.mean()) + epsilon
    uncorrected = (float(pairs.mean()) - expected) / (1 - expected)  # irrCAC, not alpha itself
    drift = (m - mean) / mean
    item = pairs - observed * drift
    chance = votes @ weighted / mean - expected * drift
    influence = item - expected - 2 * (1 - uncorrected) * (chance - expected)
    return influence / (1 - expected), np.ones(len(m))
