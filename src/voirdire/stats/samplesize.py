"""How many claims must be labelled: closed formulas, before any label exists.

All numbers are for *independent* items; multiply by the design effect of the claim families
(1.5 to 2.2 is typical of an original with a paraphrase and a negation), which every function takes
as an argument. What a gate on a lower bound really does is simulated in `gate_power`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from voirdire.stats import distributions
from voirdire.stats.registry import formula

__all__ = [
    "families_for_half_width",
    "items_for_goodness_of_fit",
    "items_for_half_width",
    "items_for_kappa",
    "joint_shares",
    "kappa_unit_variance",
    "pairs_for_mcnemar",
]

Floats = NDArray[np.float64]


@formula
def joint_shares(kappa: float, prevalence: ArrayLike) -> Floats:
    """Joint shares of people and judge with equal margins: ``k diag(pi) + (1 - k) pi pi'``.

    Parameters
    ----------
    kappa : float
        In [0, 1].
    prevalence : array_like, shape (L,)
        Shares of the labels; normalised to sum to 1.

    Returns
    -------
    ndarray, shape (L, L)

    Raises
    ------
    ValueError
        If kappa is outside [0, 1], or fewer than two labels have a share.

    Examples
    --------
    >>> joint_shares(0.6, [0.5, 0.5]).tolist()
    [[0.4, 0.1], [0.1, 0.4]]
    """
    if not 0 <= kappa <= 1:
        raise ValueError(f"kappa must be in [0, 1], got {kappa}")
    pi = shares_of(prevalence)
    return np.asarray(kappa * np.diag(pi) + (1 - kappa) * np.outer(pi, pi))


def shares_of(prevalence: ArrayLike) -> Floats:
    """Shares that sum to 1, of at least two labels."""
    pi = np.asarray(prevalence, dtype=np.float64)
    if pi.ndim != 1 or not np.all(np.isfinite(pi)) or np.any(pi < 0) or (pi > 0).sum() < 2:
        raise ValueError(
            "prevalence must be numbers >= 0 with at least two of them > 0, got "
            f"{np.asarray(prevalence).tolist()}"
        )
    return np.asarray(pi / pi.sum())


@formula
def kappa_unit_variance(kappa: float, prevalence: ArrayLike) -> float:
    """n times the large-sample variance of Cohen's kappa under `joint_shares`.

    Parameters
    ----------
    kappa : float
    prevalence : array_like, shape (L,)

    Returns
    -------
    float
        ``mean(IF^2)`` of the influence function, equal to Fleiss, Cohen & Everitt's formula;
        ``1 - kappa^2`` when two labels have equal shares.

    Raises
    ------
    ValueError
        As `joint_shares`.

    References
    ----------
    Fleiss, Cohen & Everitt (1969), Psychological Bulletin 72:323-327.

    Examples
    --------
    >>> round(kappa_unit_variance(0.6, [0.5, 0.5]), 4)
    0.64
    """
    joint = joint_shares(kappa, prevalence)
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    observed, expected = float(np.trace(joint)), float(rows @ columns)
    reach = columns[:, None] + rows[None, :] - 2 * expected
    influence = (np.eye(rows.size) - observed - (1 - kappa) * reach) / (1 - expected)
    return float((joint * influence**2).sum())


@formula
def items_for_kappa(
    kappa0: float,
    kappa1: float,
    *,
    prevalence: ArrayLike,
    alpha: float = 0.05,
    power: float = 0.80,
    sides: int = 1,
    design_effect: float = 1.0,
) -> int:
    """Items needed to tell a kappa from a floor.

    Parameters
    ----------
    kappa0 : float
        The floor.
    kappa1 : float
        The true kappa hoped for; must differ from the floor.
    prevalence : array_like, shape (L,)
        Expected shares of the labels.
    alpha, power : float
        Level of the test, and chance to pass it when kappa1 is true.
    sides : {1, 2}
    design_effect : float
        >= 1.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If kappas are equal or outside [0, 1], or another argument is out of range.

    References
    ----------
    Cantor (1996), Psychological Methods 1:150-153.

    Examples
    --------
    >>> items_for_kappa(0.6, 0.7, prevalence=[0.5, 0.5])
    368
    >>> items_for_kappa(0.6, 0.7, prevalence=[0.85, 0.10, 0.05])
    701
    """
    if kappa0 == kappa1:
        raise ValueError(f"kappa1 must differ from kappa0, got {kappa1} for both")
    z_alpha, z_power = _quantiles(alpha, power, sides)
    under_null = math.sqrt(kappa_unit_variance(kappa0, prevalence))
    under_hope = math.sqrt(kappa_unit_variance(kappa1, prevalence))
    n = ((z_alpha * under_null + z_power * under_hope) / (kappa1 - kappa0)) ** 2
    return _times_design_effect(n, design_effect)


@formula
def items_for_half_width(
    kappa: float,
    half_width: float,
    *,
    prevalence: ArrayLike,
    level: float = 0.95,
    design_effect: float = 1.0,
) -> int:
    """Items needed for a confidence interval of kappa of a given half-width.

    Parameters
    ----------
    kappa : float
        Expected kappa.
    half_width : float
        > 0.
    prevalence : array_like, shape (L,)
    level : float
        Two-sided level.
    design_effect : float
        >= 1.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> items_for_half_width(0.7, 0.10, prevalence=[0.5, 0.5])
    196
    """
    if not half_width > 0:
        raise ValueError(f"half_width must be > 0, got {half_width}")
    z = _quantiles(1 - level, 0.5, 2)[0]
    n = z**2 * kappa_unit_variance(kappa, prevalence) / half_width**2
    return _times_design_effect(n, design_effect)


@formula
def families_for_half_width(
    kappa: float,
    half_width: float,
    *,
    prevalence: ArrayLike,
    family_size: float,
    design_effect: float,
    level: float = 0.95,
) -> int:
    """Families needed for the family-jackknife interval of kappa of a given half-width.

    Like `items_for_half_width`, with Student's t for few families instead of the normal, so that
    at 20 families the answer is not too small.

    Parameters
    ----------
    kappa, half_width : float
    prevalence : array_like, shape (L,)
    family_size : float
        Mean number of variants, >= 1.
    design_effect : float
        >= 1; between 1 (variants independent) and family_size (variants all alike).
    level : float
        Two-sided level.

    Returns
    -------
    int
        At least 2.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> families_for_half_width(0.7, 0.10, prevalence=[0.5, 0.3, 0.2], family_size=3,
    ...                         design_effect=1.5)
    78
    """
    if not family_size >= 1:
        raise ValueError(f"family_size must be >= 1, got {family_size}")
    if not half_width > 0:
        raise ValueError(f"half_width must be > 0, got {half_width}")
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}")
    _times_design_effect(1.0, design_effect)
    unit = kappa_unit_variance(kappa, prevalence) * design_effect / family_size

    def fits(families: int) -> bool:
        t = float(special.stdtrit(families - 1, (1 + level) / 2))
        return t**2 * unit / families <= half_width**2

    high = 2
    while not fits(high):
        high *= 2
    low = max(high // 2, 1)
    while high - low > 1:  # smallest that fits lies in (low, high]
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


@formula
def pairs_for_mcnemar(
    discordant: float,
    difference: float,
    *,
    alpha: float = 0.05,
    power: float = 0.80,
    sides: int = 2,
    design_effect: float = 1.0,
) -> int:
    """Claims needed to see a difference of accuracy between two judges.

    Parameters
    ----------
    discordant : float
        Expected share of claims that exactly one of the judges gets right, in (0, 1].
    difference : float
        Difference of accuracy to be seen, not 0 and at most ``discordant``.
    alpha, power : float
    sides : {1, 2}
    design_effect : float
        >= 1.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Connor (1987), Biometrics 43:207-211.

    Examples
    --------
    >>> pairs_for_mcnemar(0.10, 0.05), pairs_for_mcnemar(0.20, 0.10)
    (312, 155)
    """
    if not 0 < discordant <= 1:
        raise ValueError(f"discordant must be in (0, 1], got {discordant}")
    if not 0 < abs(difference) <= discordant:
        raise ValueError(
            f"difference must not be 0 and at most {discordant} in size, got {difference}"
        )
    z_alpha, z_power = _quantiles(alpha, power, sides)
    spread = z_alpha * math.sqrt(discordant) + z_power * math.sqrt(discordant - difference**2)
    return _times_design_effect((spread / difference) ** 2, design_effect)


@formula
def items_for_goodness_of_fit(
    kappa0: float,
    kappa1: float,
    *,
    prevalence: ArrayLike,
    alpha: float = 0.05,
    power: float = 0.80,
) -> float:
    """Items for the goodness-of-fit test of Donner & Eliasziw, which the R package kappaSize uses.

    A second opinion for `items_for_kappa`: two-sided chi-square with one degree of freedom, not
    rounded.

    Parameters
    ----------
    kappa0, kappa1, prevalence, alpha, power
        As in `items_for_kappa`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Donner & Eliasziw (1992), Statistics in Medicine 11:1511-1519.

    Examples
    --------
    >>> round(items_for_goodness_of_fit(0.6, 0.7, prevalence=[0.5, 0.5]), 1)
    502.3
    """
    if kappa0 == kappa1:
        raise ValueError(f"kappa1 must differ from kappa0, got {kappa1} for both")
    _quantiles(alpha, power, 2)
    null, hope = (_unordered(joint_shares(k, prevalence)) for k in (kappa0, kappa1))
    effect = float(((hope - null) ** 2 / null).sum())
    critical = float(distributions.chi2_isf(alpha, 1))
    needed = optimize.brentq(lambda x: (1.0 - special.chndtr(critical, 1, x)) - power, 1e-9, 1e4)
    return float(needed) / effect


def _unordered(joint: Floats) -> Floats:
    """Shares of agreement on each label and of each unordered pair of labels; > 0 only."""
    size = joint.shape[0]
    apart = [2 * joint[a, b] for a in range(size) for b in range(a + 1, size)]
    cells = np.array([*np.diag(joint), *apart])
    return np.asarray(np.maximum(cells, 1e-12))


def _quantiles(alpha: float, power: float, sides: int) -> tuple[float, float]:
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")
    if not 0 < power < 1:
        raise ValueError(f"power must be between 0 and 1, got {power}")
    if sides not in (1, 2):
        raise ValueError(f"sides must be 1 or 2, got {sides}")
    return float(-special.ndtri(alpha / sides)), float(special.ndtri(power))


def _times_design_effect(n: float, design_effect: float) -> int:
    if not design_effect >= 1:
        raise ValueError(f"design_effect must be >= 1, got {design_effect}")
    return max(1, math.ceil(n * design_effect - 1e-9))
