"""What a gate "lower bound of kappa >= floor" really does, simulated for the user's own study.

The model. Each family has a chance ``k_g = expit(m + t z_g)`` that the judge *knows* the answer to
a variant (z_g standard normal, t the family effect); otherwise the judge guesses from the
prevalence. ``m`` is solved so that the mean of ``k_g`` is the true kappa. People's labels of a
variant are the family's label with chance ``same_label`` and a fresh draw otherwise. Whatever t
and ``same_label``, the joint shares of people and judge are ``k diag(pi) + (1 - k) pi pi'``, so the
true kappa is exactly the one asked for.

The rule simulated is the one the gate applies: the family-jackknife Fisher-z bound of
`voirdire.stats.kappa` at level 0.90, whose lower end is the one-sided 95 % bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from voirdire.records import Record
from voirdire.stats.coefficients import coefficient_recipe
from voirdire.stats.counts import FamilyCounts, collapse
from voirdire.stats.inference import estimate
from voirdire.stats.registry import formula
from voirdire.stats.samplesize import kappa_unit_variance, shares_of
from voirdire.stats.tables import cohen_chance, kappa

__all__ = ["GatePower", "PowerCell", "gate_power"]

Floats = NDArray[np.float64]

LEVEL = 0.90
TINY = 1e-10
BLOCK_CELLS = 4_000_000


class PowerCell(Record):
    """The gate at one true kappa and one number of families.

    Attributes
    ----------
    kappa : float
        True kappa.
    families, items : int
    accept, reject : float
        Share of simulated studies that the gate accepts (lower bound >= floor) and rejects (upper
        bound < floor); the rest is inconclusive.
    monte_carlo_se : float
        Standard error of ``accept`` from the number of simulations.
    width : float or None
        Median width of the two-sided 95 % interval.
    """

    kappa: float
    families: int
    items: int
    accept: float
    reject: float
    monte_carlo_se: float
    width: float | None


class GatePower(Record):
    """Result of `gate_power`; ``cells`` by kappa, then by families.

    ``design_effect`` holds, for each kappa, the variance of the estimate over that of as many
    independent items, at the largest number of families.
    """

    floor: float
    prevalence: tuple[float, ...]
    family_size: int
    family_effect: float
    same_label: float
    simulations: int
    kappas: tuple[float, ...]
    families: tuple[int, ...]
    design_effect: tuple[float, ...]
    cells: tuple[PowerCell, ...]

    def families_needed(self, kappa: float, *, power: float = 0.80) -> int | None:
        """Smallest number of families simulated that accepts a judge of that kappa often enough.

        None when none of them does.
        """
        fine = [c.families for c in self.cells if c.kappa == kappa and c.accept >= power]
        return min(fine, default=None)


@formula
def gate_power(
    *,
    prevalence: ArrayLike,
    floor: float = 0.60,
    family_size: int = 3,
    family_effect: float = 2.5,
    same_label: float = 0.5,
    kappas: Sequence[float] = (0.60, 0.70, 0.80, 0.90),
    families: Sequence[int] = (20, 33, 50, 100, 167, 333),
    simulations: int = 1000,
    rng: np.random.Generator | int = 0,
) -> GatePower:
    """Chance that the kappa gate accepts a judge, by true kappa and number of families.

    Parameters
    ----------
    prevalence : array_like, shape (L,)
        Expected shares of the labels; normalised.
    floor : float
        What the lower bound must reach.
    family_size : int
        Variants per family, with the original.
    family_effect : float
        Standard deviation of the family's ease on the logit scale, >= 0; 0: variants err
        independently; 2.5: design effect about 1.5 at three variants, which is typical.
    same_label : float
        Chance that a variant has its family's label for certain, in [0, 1]: near 1 for
        paraphrases, lower with negations.
    kappas : sequence of float
        True kappas, each in [0, 1).
    families : sequence of int
        Each >= 2.
    simulations : int
        Studies simulated per kappa; smaller numbers of families are parts of the larger study,
        which makes the row smooth.
    rng : Generator or int
        Source of randomness.

    Returns
    -------
    GatePower

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> table = gate_power(prevalence=[0.5, 0.3, 0.2], kappas=[0.9], families=[20, 100],
    ...                    simulations=200)
    >>> [cell.accept > 0.8 for cell in table.cells], table.families_needed(0.9)
    ([True, True], 20)
    """
    pi = shares_of(prevalence)
    _check(family_size, family_effect, same_label, kappas, families, simulations)
    generator = np.random.default_rng(rng)
    cells: list[PowerCell] = []
    effects: list[float] = []
    for true in kappas:
        bounds = _simulate(
            true, pi, family_size, family_effect, same_label, families, simulations, generator
        )
        cells += [
            _cell(true, n, family_size, bounds[place], floor) for place, n in enumerate(families)
        ]
        largest = int(np.argmax(families))
        single = kappa_unit_variance(true, pi) / (max(families) * family_size)
        effects.append(float(np.nanmean(bounds[largest][:, 3] ** 2) / single))
    return GatePower(
        floor=floor,
        prevalence=tuple(pi.tolist()),
        family_size=family_size,
        family_effect=family_effect,
        same_label=same_label,
        simulations=simulations,
        kappas=tuple(kappas),
        families=tuple(families),
        design_effect=tuple(effects),
        cells=tuple(cells),
    )


def _check(
    family_size: int,
    family_effect: float,
    same_label: float,
    kappas: Sequence[float],
    families: Sequence[int],
    simulations: int,
) -> None:
    for name, fine, rule, got in (
        ("family_size", family_size >= 1, ">= 1", family_size),
        ("family_effect", family_effect >= 0, ">= 0", family_effect),
        ("same_label", 0 <= same_label <= 1, "in [0, 1]", same_label),
        ("kappas", len(kappas) > 0 and all(0 <= k < 1 for k in kappas), "in [0, 1)", kappas),
        ("families", len(families) > 0 and all(n >= 2 for n in families), ">= 2", families),
        ("simulations", simulations >= 1, ">= 1", simulations),
    ):
        if not fine:
            raise ValueError(f"{name} must be {rule}, got {got}")


def _cell(true: float, families: int, size: int, bounds: Floats, floor: float) -> PowerCell:
    accept = float(np.mean(bounds[:, 0] >= floor))
    widths = bounds[:, 2][~np.isnan(bounds[:, 2])]
    return PowerCell(
        kappa=true,
        families=families,
        items=families * size,
        accept=accept,
        reject=float(np.mean(bounds[:, 1] < floor)),
        monte_carlo_se=float(np.sqrt(accept * (1 - accept) / bounds.shape[0])),
        width=float(np.median(widths)) if widths.size else None,
    )


def _simulate(
    true: float,
    pi: Floats,
    size: int,
    effect: float,
    same_label: float,
    families: Sequence[int],
    simulations: int,
    rng: np.random.Generator,
) -> list[Floats]:
    """Per number of families: (simulations, 4) of lower, upper, 95 % width, standard error."""
    largest, cells = max(families), pi.size**2
    rows = max(1, BLOCK_CELLS // (largest * cells))
    parts: list[list[Floats]] = [[] for _ in families]
    for start in range(0, simulations, rows):
        studies = min(rows, simulations - start)
        counts = _draw(true, pi, size, effect, same_label, studies, largest, rng)
        for place, n in enumerate(families):
            parts[place].append(gate_bounds(counts[:, :n], pi.size))
    return [np.vstack(part) for part in parts]


def _draw(
    true: float,
    pi: Floats,
    size: int,
    effect: float,
    same_label: float,
    studies: int,
    families: int,
    rng: np.random.Generator,
) -> Floats:
    """Counts per study and family, shape (R, F, L*L)."""
    shape = (studies, families, size)
    knows = special.expit(_centre(true, effect) + effect * rng.standard_normal(shape[:2]))
    labels, cut = pi.size, np.cumsum(pi)[:-1]

    def from_prevalence(count: tuple[int, ...]) -> NDArray[np.int64]:
        return np.searchsorted(cut, rng.random(count), side="right")

    shared = from_prevalence((studies, families, 1))
    human = np.where(rng.random(shape) < same_label, shared, from_prevalence(shape))
    judge = np.where(rng.random(shape) < knows[..., None], human, from_prevalence(shape))
    place = np.arange(studies * families).reshape(studies, families, 1) * labels**2
    cell = (place + human * labels + judge).ravel()
    counts = np.bincount(cell, minlength=studies * families * labels**2)
    return counts.reshape(studies, families, labels**2).astype(float)


def _centre(true: float, effect: float) -> float:
    """m with ``E expit(m + effect z) = true``, by Gauss-Hermite quadrature."""
    if true == 0:
        return -np.inf
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()

    def gap(m: float) -> float:
        return float(weights @ special.expit(m + effect * nodes)) - true

    return float(optimize.brentq(gap, -60.0, 60.0))


def gate_bounds(counts: Floats, labels: int) -> Floats:
    """Bounds of many studies at once: lower and upper at 0.90, width at 0.95, standard error.

    Parameters
    ----------
    counts : ndarray, shape (R, F, L*L)
    labels : int
        L.

    Returns
    -------
    ndarray, shape (R, 4)
        NaN where there is no interval. Equal to `voirdire.stats.kappa` on each study; a test holds
        the two together.
    """
    studies, families, _ = counts.shape
    total = counts.sum(axis=1)
    with np.errstate(all="ignore"):
        value = kappa(total.reshape(studies, labels, labels))
        left_out = kappa((total[:, None] - counts).reshape(studies, families, labels, labels))
        centred = left_out - left_out.mean(axis=1, keepdims=True)
        se = np.sqrt((families - 1) / families * (centred**2).sum(axis=1))
        half = se / (1 - value**2)
        z = np.arctanh(value)
    bounds = np.full((studies, 4), np.nan)
    usual = np.isfinite(se) & (se >= TINY) & (np.abs(value) < 1 - TINY)
    for column, sign in ((0, -1), (1, 1)):
        ends = np.tanh(z[usual] + sign * _t(LEVEL, families) * half[usual])
        bounds[usual, column] = ends
    reach = _t(0.95, families) * half[usual]
    bounds[usual, 2] = np.tanh(z[usual] + reach) - np.tanh(z[usual] - reach)
    bounds[usual, 3] = se[usual]
    for study in np.flatnonzero(~usual & ~np.isnan(value)):
        bounds[study, :3] = _unusual(counts[study], labels)
    return bounds


def _t(level: float, families: int) -> float:
    return float(special.stdtrit(families - 1, (1 + level) / 2))


def _unusual(counts: Floats, labels: int) -> tuple[float, float, float]:
    """The general machinery, for perfect agreement and other corners."""
    distinct, weight = collapse(counts.astype(np.int64))
    n = int(counts.sum())
    sums = FamilyCounts(distinct, weight, n, n, True, labels=tuple(range(labels)))
    recipe = coefficient_recipe(sums, "kappa", cohen_chance)
    gate: Any = estimate(sums, recipe, level=LEVEL)
    wide: Any = estimate(sums, recipe, level=0.95)
    if gate.low is None or wide.low is None:
        return np.nan, np.nan, np.nan
    return gate.low, gate.high, wide.high - wide.low
