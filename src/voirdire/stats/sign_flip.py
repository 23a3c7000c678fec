"""Sign-flip permutation of whole families: is a paired difference more than chance?

If two judges are equally good, each family's difference could as well have had the other sign. The
distribution of the sum over all sign patterns is the null distribution. For whole-number
differences (counts of items) it is a convolution of a few binomials and is computed *exactly for
any number of families*, so that the p-value depends on no seed; other differences are enumerated
up to 20 families and drawn at random beyond.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.records import Record
from voirdire.stats import distributions
from voirdire.stats.reasons import NO_DISCORDANT, NO_ITEMS
from voirdire.stats.registry import formula
from voirdire.stats.scores import numbers

__all__ = ["SignFlip", "sign_flip_test"]

Floats = NDArray[np.float64]

MOST_ENUMERATED = 20
MOST_CONVOLVED = 2_000_000
BLOCK = 2_000_000


class SignFlip(Record):
    """Result of `sign_flip_test`.

    Attributes
    ----------
    p : float or None
        Two-sided p-value; 1.0 when no family differs, None without families.
    families, discordant : int
        Families given, and those whose difference is not zero.
    method : {'exact', 'enumerated', 'drawn'}
    draws : int or None
        Random patterns drawn, None for the other methods.
    note : str or None
        What to say beside the number.
    """

    p: float | None
    families: int
    discordant: int
    method: Literal["exact", "enumerated", "drawn"]
    draws: int | None = None
    note: str | None = None


@formula
def sign_flip_test(
    differences: ArrayLike, *, rng: np.random.Generator | int = 0, draws: int = 9_999
) -> SignFlip:
    """Two-sided sign-flip permutation test of family differences.

    Parameters
    ----------
    differences : array_like, shape (F,)
        Per family, the summed difference between two judges (items only the first got right minus
        items only the second got right). NaN is missing.
    rng : Generator or int
        Used only when the differences are not whole numbers and more than 20 families differ.
    draws : int
        Random sign patterns in that case; ``p = (1 + hits) / (1 + draws)``.

    Returns
    -------
    SignFlip

    Raises
    ------
    ValueError
        If differences are not one-dimensional, or draws < 1.

    References
    ----------
    Winkler et al. (2014), NeuroImage 92:381-397, for whole-block sign flips.

    Examples
    --------
    >>> test = sign_flip_test([2, -1, 1, 0, 3, -1, 1, 2, 0, -1, 1, 0])
    >>> round(test.p, 8), test.discordant, test.method
    (0.22265625, 9, 'exact')
    """
    values = numbers(differences, name="differences")
    if draws < 1:
        raise ValueError(f"draws must be >= 1, got {draws}")
    values = values[np.isfinite(values)]
    moved = values[values != 0]
    counts = {"families": values.size, "discordant": moved.size}
    if values.size == 0:
        return SignFlip(p=None, method="exact", note=NO_ITEMS, **counts)
    if moved.size == 0:
        return SignFlip(p=1.0, method="exact", note=NO_DISCORDANT, **counts)
    if not np.any(moved % 1) and np.abs(moved).sum() <= MOST_CONVOLVED:
        return SignFlip(p=_convolved(moved), method="exact", **counts)
    if moved.size <= MOST_ENUMERATED:
        return SignFlip(p=_enumerated(moved), method="enumerated", **counts)
    p = _drawn(moved, np.random.default_rng(rng), draws)
    return SignFlip(p=p, method="drawn", draws=draws, **counts)


def _convolved(moved: Floats) -> float:
    """P(|sum of +-d| >= |observed|) from one binomial per distinct |d|."""
    sizes, repeats = np.unique(np.abs(moved).astype(np.int64), return_counts=True)
    distribution: Floats = np.ones(1)
    for size, m in zip(sizes.tolist(), repeats.tolist(), strict=True):
        steps = np.zeros(2 * size * m + 1)
        steps[:: 2 * size] = distributions.binom_pmf(np.arange(m + 1), m, 0.5)
        distribution = _convolve(distribution, steps)
    reach = (distribution.size - 1) // 2
    sums = np.arange(-reach, reach + 1)
    return min(1.0, float(distribution[np.abs(sums) >= abs(moved.sum())].sum()))


def _convolve(a: Floats, b: Floats) -> Floats:
    if a.size * b.size <= 4_000_000:
        return np.asarray(np.convolve(a, b), dtype=np.float64)
    from scipy import signal  # slow to import, and needed for very many families only

    return np.asarray(np.maximum(signal.fftconvolve(a, b), 0.0), dtype=np.float64)


def _enumerated(moved: Floats) -> float:
    sums: Floats = np.zeros(1)
    for difference in moved:
        sums = np.concatenate([sums + difference, sums - difference])
    return float(np.mean(np.abs(sums) >= _threshold(moved)))


def _drawn(moved: Floats, rng: np.random.Generator, draws: int) -> float:
    hits, left = 0, draws
    while left > 0:
        rows = min(left, max(1, BLOCK // moved.size))
        signs = rng.integers(0, 2, size=(rows, moved.size), dtype=np.int8) * 2.0 - 1.0
        hits += int(np.sum(np.abs(signs @ moved) >= _threshold(moved)))
        left -= rows
    return (1 + hits) / (1 + draws)


def _threshold(moved: Floats) -> float:
    """The observed sum, less a rounding error of floating-point sums."""
    return abs(float(moved.sum())) - 1e-9 * float(np.abs(moved).sum())
