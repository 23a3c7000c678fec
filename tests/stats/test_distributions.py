"""Each distribution function against `scipy.stats`, tails and edges included."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from voirdire.stats import distributions as ours
from voirdire.stats.midranks import midranks

Q = np.array([1e-12, 1e-6, 0.001, 0.025, 0.1, 0.5, 0.9, 0.975, 0.999, 1 - 1e-9])
DF = [0.5, 1, 2, 4, 7, 19, 333.3, 1e5]


@pytest.mark.parametrize("name", ["cdf", "sf"])
def test_normal_tails(name: str) -> None:
    x = np.linspace(-12, 12, 97)
    np.testing.assert_allclose(
        getattr(ours, f"norm_{name}")(x), getattr(stats.norm, name)(x), rtol=1e-12
    )


@pytest.mark.parametrize("name", ["ppf", "isf"])
def test_normal_quantiles(name: str) -> None:
    np.testing.assert_allclose(
        getattr(ours, f"norm_{name}")(Q), getattr(stats.norm, name)(Q), rtol=1e-12
    )


@pytest.mark.parametrize("df", DF)
def test_student(df: float) -> None:
    x = np.linspace(-9, 9, 37)
    np.testing.assert_allclose(ours.t_sf(x, df), stats.t.sf(x, df), rtol=1e-9)
    q = Q[2:-1]
    np.testing.assert_allclose(ours.t_ppf(q, df), stats.t.ppf(q, df), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(ours.t_isf(q, df), stats.t.isf(q, df), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("df", DF)
def test_chi_squared(df: float) -> None:
    x = np.geomspace(1e-3, 3 * df + 50, 40)
    np.testing.assert_allclose(ours.chi2_sf(x, df), stats.chi2.sf(x, df), rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(ours.chi2_ppf(Q, df), stats.chi2.ppf(Q, df), rtol=1e-9)
    np.testing.assert_allclose(ours.chi2_isf(Q, df), stats.chi2.isf(Q, df), rtol=1e-7)


@pytest.mark.parametrize("df1", [1, 3, 9.5, 200])
@pytest.mark.parametrize("df2", [1, 4, 36.25, 1e5])
def test_fisher(df1: float, df2: float) -> None:
    x = np.geomspace(1e-3, 50, 30)
    np.testing.assert_allclose(
        ours.f_sf(x, df1, df2), stats.f.sf(x, df1, df2), rtol=1e-8, atol=1e-300
    )
    q = Q[2:-1]
    np.testing.assert_allclose(ours.f_ppf(q, df1, df2), stats.f.ppf(q, df1, df2), rtol=1e-7)


@pytest.mark.parametrize("n", [0, 1, 2, 17, 400, 3000])
@pytest.mark.parametrize("p", [0.0, 1e-4, 0.2, 0.5, 0.93, 1.0])
def test_binomial(n: int, p: float) -> None:
    k = np.arange(-1, n + 2)
    np.testing.assert_allclose(
        ours.binom_cdf(k, n, p), stats.binom.cdf(k, n, p), rtol=1e-9, atol=1e-14
    )
    inside = np.arange(n + 1)
    np.testing.assert_allclose(
        ours.binom_pmf(inside, n, p), stats.binom.pmf(inside, n, p), rtol=1e-9, atol=1e-300
    )
    q = Q[2:-1]
    np.testing.assert_array_equal(ours.binom_ppf(q, n, p), stats.binom.ppf(q, n, p))


@pytest.mark.parametrize("values", [[], [1.0], [2, 2, 2], [3, 1, 2], [0.3, 0.1, 0.3, 0.9, 0.1]])
def test_midranks(values: list[float]) -> None:
    np.testing.assert_array_equal(midranks(values), stats.rankdata(values))
