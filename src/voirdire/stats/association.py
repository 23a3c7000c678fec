"""Correlation of a score with human labels, within groups that would otherwise explain it.

Systems differ in quality and in style; a score that only tells systems apart correlates with human
labels over all of them. The partial correlation compares claims of the same system only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.records import Estimate
from voirdire.stats.coding import Labels, code_families
from voirdire.stats.counts import FamilySums, collapse
from voirdire.stats.inference import Recipe, estimate
from voirdire.stats.reasons import NO_VARIATION
from voirdire.stats.registry import Sample, statistic
from voirdire.stats.scores import numbers
from voirdire.stats.tables import ratio

__all__ = ["partial_correlation"]


def _on_sample(sample: Sample) -> Estimate:
    group, family = list(sample.variant), list(sample.family)
    return partial_correlation(sample.scores, sample.outcomes, group=group, family=family)


@statistic(kind="other", call=_on_sample)
def partial_correlation(
    score: ArrayLike,
    human: ArrayLike,
    *,
    group: Labels | None = None,
    family: Labels | None = None,
    level: float = 0.95,
) -> Estimate:
    """Pearson correlation of two columns after the mean of each group is taken out.

    Parameters
    ----------
    score, human : array_like, shape (C,)
        Numbers; NaN is missing.
    group : sequence of length C, optional
        What is held constant (the system that wrote the text); None: nothing.
    family : sequence of length C, optional
        Family of each item (the source document).
    level : float
        Two-sided level.

    Returns
    -------
    Estimate
        Fisher-z family-jackknife interval, group means recomputed without each family. Undefined:
        'no items', 'no variation between families' (a column is constant within groups).

    Raises
    ------
    ValueError
        If lengths differ.

    Examples
    --------
    >>> score = [0.1, 0.2, 0.3, 0.8, 0.9, 1.0]
    >>> human = [0.0, 0.5, 0.5, 0.0, 0.5, 0.5]
    >>> round(partial_correlation(score, human, group=["a"] * 3 + ["b"] * 3).value, 4)
    0.866
    """
    x, y = numbers(score, name="score"), numbers(human, name="human")
    if x.shape != y.shape:
        raise ValueError(f"score and human must have one length, got {x.shape} and {y.shape}")
    groups = code_families(group, x.size)
    kind = np.zeros(x.size, dtype=np.int64) if groups is None else groups[0]
    coded = code_families(family, x.size)
    owner = np.arange(x.size, dtype=np.int64) if coded is None else coded[0]
    known = np.isfinite(x) & np.isfinite(y)
    sums = _moment_sums(x[known], y[known], kind[known], owner[known], x.size, coded is not None)
    recipe = Recipe(
        name="partial correlation" if group is not None else "Pearson correlation",
        value=_within_correlation,
        undefined=NO_VARIATION,
    )
    return estimate(sums, recipe, level=level)


def _moment_sums(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    kind: NDArray[np.int64],
    owner: NDArray[np.int64],
    asked: int,
    grouped: bool,
) -> FamilySums:
    """Per family and group: n, sums, squares and products, about the group means."""
    if x.size == 0:
        return FamilySums(np.zeros((0, 6)), np.zeros(0), 0, asked, grouped)
    kinds, place = np.unique(kind, return_inverse=True)
    families, number = np.unique(owner, return_inverse=True)
    place, number = place.reshape(-1), number.reshape(-1)
    size = np.bincount(place)
    # about the group means, so that squares do not cancel when the numbers are large
    x = x - (np.bincount(place, weights=x) / size)[place]
    y = y - (np.bincount(place, weights=y) / size)[place]
    moments = np.column_stack([np.ones(x.size), x, y, x * x, y * y, x * y])
    table = np.zeros((families.size, kinds.size, 6))
    np.add.at(table, (number, place), moments)
    counts, weight = collapse(table.reshape(families.size, -1), drop_empty=False)
    return FamilySums(counts, weight, x.size, asked, grouped)


def _within_correlation(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    parts = totals.reshape(*totals.shape[:-1], -1, 6)
    n = parts[..., 0]
    inverse = np.where(np.abs(n) < 0.5, 0.0, 1 / np.where(np.abs(n) < 0.5, 1.0, n))
    mean_x, mean_y = parts[..., 1] * inverse, parts[..., 2] * inverse
    xx = (parts[..., 3] - n * mean_x**2).sum(axis=-1)
    yy = (parts[..., 4] - n * mean_y**2).sum(axis=-1)
    xy = (parts[..., 5] - n * mean_x * mean_y).sum(axis=-1)
    return np.asarray(ratio(xy, np.sqrt(np.where(np.abs(xx * yy) < 1e-24, 0.0, xx * yy))))
