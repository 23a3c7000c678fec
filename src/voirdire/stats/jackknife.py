"""Standard errors by leaving out one family at a time, and by linearisation.

Both take the collapsed sums of `voirdire.stats.counts`: a row stands for ``weight`` families, so a
replicate is computed once for each distinct row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.stats.counts import FamilySums
from voirdire.stats.registry import formula

__all__ = [
    "Jackknife",
    "acceleration",
    "gradient",
    "jackknife_replicates",
    "jackknife_se",
    "linearised_se",
]

Floats = NDArray[np.float64]
SumFunction = Callable[[NDArray[Any]], NDArray[Any]]

#: Imaginary step for exact derivatives: small enough that its square vanishes.
STEP = 1e-30


@dataclass(frozen=True)
class Jackknife:
    """Delete-one-family replicates of a statistic.

    Attributes
    ----------
    value : float
        The statistic on all families; nan where undefined.
    replicates : ndarray, shape (D,)
        The statistic without one family of each distinct row; nan where undefined.
    weight : ndarray, shape (D,)
        Families with that row.
    """

    value: float
    replicates: Floats
    weight: Floats

    @property
    def complete(self) -> bool:
        """Whether no replicate is undefined."""
        return not bool(np.isnan(self.replicates).any())

    @property
    def se(self) -> float:
        """Standard error; nan when a replicate is undefined."""
        return jackknife_se(self.replicates, self.weight)


def jackknife_replicates(sums: FamilySums, statistic: SumFunction) -> Jackknife:
    """Delete-one-family replicates: ``f(T - C)`` for all distinct families at once.

    Parameters
    ----------
    sums : FamilySums
        Sums per family, S columns.
    statistic : callable
        From sums of shape (..., S) to values of shape (...).

    Returns
    -------
    Jackknife

    Examples
    --------
    >>> from voirdire.stats import family_counts
    >>> counts = family_counts([1, 0, 1, 0], [1, 0, 1, 1], family=[1, 1, 2, 2])
    >>> accuracy = lambda T: (T[..., 0] + T[..., 3]) / T.sum(-1)
    >>> jackknife_replicates(counts, accuracy).replicates.tolist()
    [1.0, 0.5]
    """
    total = sums.total
    with np.errstate(all="ignore"):
        value = float(statistic(total))
        replicates = np.asarray(statistic(total - sums.counts), dtype=float)
    return Jackknife(value, replicates, sums.weight)


#: Short name inside the room; the public name leaves `voirdire.stats.jackknife` to the module.
jackknife = jackknife_replicates


@formula
def jackknife_se(replicates: ArrayLike, weight: ArrayLike | None = None) -> float:
    """``sqrt((G-1)/G * sum (f(-g) - mean)^2)`` (Efron & Tibshirani 1993, chapter 11).

    Parameters
    ----------
    replicates : array, shape (D,)
        Delete-one replicates.
    weight : array, shape (D,), optional
        How often each occurs; default once. G is their sum.

    Returns
    -------
    float
        nan when a replicate is.

    Examples
    --------
    >>> round(jackknife_se([0.5, 0.6, 0.7]), 6)
    0.11547
    """
    values, weights, mean = _centred(replicates, weight)
    families = weights.sum()
    return float(np.sqrt((families - 1) / families * (weights @ (values - mean) ** 2)))


@formula
def acceleration(replicates: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Acceleration of the BCa interval from delete-one replicates (Efron 1987).

    Parameters
    ----------
    replicates : array, shape (D,)
        Delete-one replicates.
    weight : array, shape (D,), optional
        How often each occurs; default once.

    Returns
    -------
    float
        0 when all replicates are equal.

    Examples
    --------
    >>> round(acceleration([0.5, 0.6, 0.8]), 4)
    -0.0367
    """
    values, weights, mean = _centred(replicates, weight)
    squares = float(weights @ (mean - values) ** 2)
    if squares == 0:
        return 0.0
    return float(weights @ (mean - values) ** 3) / (6.0 * float(squares**1.5))


def _centred(replicates: ArrayLike, weight: ArrayLike | None) -> tuple[Floats, Floats, float]:
    values = np.asarray(replicates, dtype=float)
    weights = np.ones_like(values) if weight is None else np.asarray(weight, dtype=float)
    if values.size == 0 or values.shape != weights.shape:
        raise ValueError(
            f"replicates and weight must have one length > 0, got {values.shape}, {weights.shape}"
        )
    return values, weights, float(weights @ values / weights.sum())


def gradient(total: Floats, statistic: SumFunction) -> Floats:
    """Derivative of the statistic by each sum, exact to rounding (complex step).

    Parameters
    ----------
    total : ndarray, shape (S,)
        Where.
    statistic : callable
        Analytic, from (..., S) to (...), accepting complex numbers.

    Returns
    -------
    ndarray, shape (S,)
        Source: Squire & Trapp (1998), SIAM Review 40:110.
    """
    steps = total + 1j * STEP * np.eye(total.size)
    with np.errstate(all="ignore"):
        slopes: Floats = np.imag(statistic(steps)) / STEP
    return slopes


def linearised_se(sums: FamilySums, statistic: SumFunction, *, small_sample: bool = True) -> float:
    """Standard error by linearisation: the influence of the items, summed by family.

    For Cohen's kappa with each item its own family this is (up to ``small_sample``) the standard
    error of Fleiss, Cohen & Everitt (1969); with families it is the infinitesimal jackknife.

    Parameters
    ----------
    sums : FamilySums
        Sums per family.
    statistic : callable
        Analytic, and (all but) unchanged when all sums are multiplied by one number.
    small_sample : bool
        Multiply by ``sqrt(G / (G - 1))``; False is the 1/n form of Fleiss, Cohen & Everitt.

    Returns
    -------
    float
        nan where the derivative is undefined.

    Examples
    --------
    >>> from voirdire.stats import family_counts
    >>> counts = family_counts([1, 0, 1, 0], [1, 0, 1, 1])
    >>> accuracy = lambda T: (T[..., 0] + T[..., 3]) / T.sum(-1)
    >>> round(linearised_se(counts, accuracy), 6)
    0.25
    """
    influence = sums.counts @ gradient(sums.total, statistic)
    influence -= sums.weight @ influence / max(1.0, float(sums.weight.sum()))
    variance = float(sums.weight @ influence**2)
    families = sums.families
    if small_sample and families > 1:
        variance *= families / (families - 1)
    return float(np.sqrt(variance))
