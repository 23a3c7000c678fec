"""Upper bounds of an error rate: exact for 0/1 losses, Hoeffding-Bentkus for losses in [0, 1]."""

from __future__ import annotations

import math

from scipy import special

from voirdire.stats import distributions
from voirdire.stats.registry import formula

__all__ = ["clopper_pearson_upper", "hoeffding_bentkus_p"]


@formula
def clopper_pearson_upper(errors: int, n: int, *, delta: float = 0.05) -> float:
    """One-sided exact upper bound of an error rate.

    Parameters
    ----------
    errors, n : int
        ``errors`` of ``n`` independent claims were wrong.
    delta : float
        Chance that the bound is too low.

    Returns
    -------
    float
        1.0 when n is 0: no claims, no bound.

    Raises
    ------
    ValueError
        If not 0 <= errors <= n or not 0 < delta < 1.

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26:404-413.

    Examples
    --------
    >>> round(clopper_pearson_upper(0, 59), 5), round(clopper_pearson_upper(0, 58), 5)
    (0.04951, 0.05034)
    """
    if not 0 <= errors <= n:
        raise ValueError(f"errors must be between 0 and n, got errors={errors}, n={n}")
    require_share("delta", delta)
    if errors == n:
        return 1.0
    return float(special.betaincinv(errors + 1, n - errors, 1 - delta))


@formula
def hoeffding_bentkus_p(risk: float, n: int, *, alpha: float) -> float:
    """p-value against "the mean loss exceeds alpha", for n independent losses in [0, 1].

    For 0/1 losses of independent claims the exact binomial tail is sharper; this one is for
    losses between 0 and 1, such as the share of wrong answers within a family.

    Parameters
    ----------
    risk : float
        Mean loss seen, in [0, 1].
    n : int
        Number of independent units (families). With n = 0 the p-value is 1.
    alpha : float
        Risk that must not be exceeded.

    Raises
    ------
    ValueError
        If risk is outside [0, 1], n negative, or alpha outside (0, 1).

    References
    ----------
    Bates et al. (2021), JACM 68(6); Angelopoulos et al. (2021), Learn then Test.

    Examples
    --------
    >>> round(hoeffding_bentkus_p(0.02, 100, alpha=0.05), 6)
    0.296919
    """
    if not 0 <= risk <= 1:
        raise ValueError(f"risk must be in [0, 1], got {risk}")
    if n < 0:
        raise ValueError(f"n must be >= 0, got {n}")
    require_share("alpha", alpha)
    if n == 0:
        return 1.0
    seen = min(risk, alpha)
    divergence = float(special.rel_entr(seen, alpha) + special.rel_entr(1 - seen, 1 - alpha))
    # rounding first: 0.05 * 200 is 10.000000000000002 in floating point, and its ceiling 11
    bentkus = math.e * float(distributions.binom_cdf(math.ceil(round(n * risk, 9)), n, alpha))
    return min(1.0, math.exp(-n * divergence), bentkus)


def require_share(name: str, value: float) -> None:
    """Raise unless the value lies strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must be between 0 and 1, got {value}")
