"""Distribution functions and quantiles, straight from `scipy.special`.

`scipy.stats` gives the same numbers but costs more than a second to import, which every call of
the command line would pay. Names follow it: ``ppf`` is the quantile, ``sf`` the upper tail,
``isf`` the upper quantile. All take arrays and broadcast.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = [
    "binom_cdf",
    "binom_pmf",
    "binom_ppf",
    "chi2_isf",
    "chi2_ppf",
    "chi2_sf",
    "f_ppf",
    "f_sf",
    "norm_cdf",
    "norm_isf",
    "norm_ppf",
    "norm_sf",
    "t_isf",
    "t_ppf",
    "t_sf",
]

Floats = NDArray[np.float64]


def _floats(values: Any) -> Floats:
    return np.asarray(values, dtype=np.float64)


def norm_cdf(x: ArrayLike) -> Floats:
    """Standard normal, lower tail."""
    return _floats(special.ndtr(_floats(x)))


def norm_sf(x: ArrayLike) -> Floats:
    """Standard normal, upper tail."""
    return _floats(special.ndtr(-_floats(x)))


def norm_ppf(q: ArrayLike) -> Floats:
    """Standard normal quantile."""
    return _floats(special.ndtri(_floats(q)))


def norm_isf(q: ArrayLike) -> Floats:
    """Standard normal upper quantile."""
    return -_floats(special.ndtri(_floats(q)))


def t_sf(x: ArrayLike, df: ArrayLike) -> Floats:
    """Student's t, upper tail."""
    return _floats(special.stdtr(_floats(df), -_floats(x)))


def t_ppf(q: ArrayLike, df: ArrayLike) -> Floats:
    """Student's t quantile."""
    return _floats(special.stdtrit(_floats(df), _floats(q)))


def t_isf(q: ArrayLike, df: ArrayLike) -> Floats:
    """Student's t upper quantile."""
    return -_floats(special.stdtrit(_floats(df), _floats(q)))


def chi2_sf(x: ArrayLike, df: ArrayLike) -> Floats:
    """Chi-squared, upper tail."""
    return _floats(special.chdtrc(_floats(df), _floats(x)))


def chi2_ppf(q: ArrayLike, df: ArrayLike) -> Floats:
    """Chi-squared quantile."""
    return 2.0 * _floats(special.gammaincinv(_floats(df) / 2.0, _floats(q)))


def chi2_isf(q: ArrayLike, df: ArrayLike) -> Floats:
    """Chi-squared upper quantile."""
    return _floats(special.chdtri(_floats(df), _floats(q)))


def f_sf(x: ArrayLike, df1: ArrayLike, df2: ArrayLike) -> Floats:
    """F, upper tail."""
    return _floats(special.fdtrc(_floats(df1), _floats(df2), _floats(x)))


def f_ppf(q: ArrayLike, df1: ArrayLike, df2: ArrayLike) -> Floats:
    """F quantile."""
    return _floats(special.fdtri(_floats(df1), _floats(df2), _floats(q)))


def binom_cdf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Floats:
    """Binomial, P(X <= k)."""
    k, n = np.floor(_floats(k)), _floats(n)
    inside = special.betainc(np.maximum(n - k, 1e-300), np.maximum(k, -1) + 1, 1 - _floats(p))
    return _floats(np.where(k < 0, 0.0, np.where(k >= n, 1.0, inside)))


def binom_pmf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Floats:
    """Binomial, P(X = k) for whole k in 0..n."""
    k, n, p = _floats(k), _floats(n), _floats(p)
    if n.size and n.max() <= 60:  # the product is exact to the last bits, and cannot underflow
        return _floats(special.binom(n, k) * p**k * (1 - p) ** (n - k))
    ways = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return _floats(np.exp(ways + special.xlogy(k, p) + special.xlog1py(n - k, -p)))


def binom_ppf(q: ArrayLike, n: ArrayLike, p: ArrayLike) -> Floats:
    """Binomial quantile: the smallest k with P(X <= k) >= q."""
    q, n, p = np.broadcast_arrays(_floats(q), _floats(n), _floats(p))
    guess = np.clip(np.ceil(special.bdtrik(q, n, p)), 0, n)
    guess = np.where(np.isnan(guess), np.where(p > 0.5, n, 0.0), guess)
    below = np.maximum(guess - 1, 0)
    return _floats(np.where(binom_cdf(below, n, p) >= q, below, guess))
