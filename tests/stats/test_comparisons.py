"""Comparisons of two judges: degenerate data, properties, and how often they err."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from voirdire import stats
from voirdire.stats.reasons import FEW_FAMILIES, NO_DISCORDANT, NO_ITEMS, ONE_LABEL

counts = st.integers(min_value=0, max_value=40)
small = st.lists(st.integers(min_value=-3, max_value=3), min_size=1, max_size=9)
LABELS = ["s", "c", "u"]


# --- McNemar and Tango ---------------------------------------------------------------------------


@given(both=counts, first=counts, second=counts, neither=counts)
@settings(deadline=None)
def test_mcnemar_is_antisymmetric(both: int, first: int, second: int, neither: int) -> None:
    one = stats.mcnemar([[both, first], [second, neither]])
    two = stats.mcnemar([[both, second], [first, neither]])
    assert (one.exact_p, one.mid_p, one.chi2) == (two.exact_p, two.mid_p, two.chi2)
    if one.difference.value is not None and two.difference.value is not None:
        assert one.difference.value == -two.difference.value
        assert one.difference.low == pytest.approx(-(two.difference.high or 0), abs=1e-9)


@given(both=counts, first=counts, second=counts, neither=counts)
@settings(deadline=None)
def test_mcnemar_stays_within_bounds(both: int, first: int, second: int, neither: int) -> None:
    found = stats.mcnemar([[both, first], [second, neither]])
    if both + first + second + neither == 0:
        assert found.difference.undefined == NO_ITEMS
        assert found.exact_p is None
        return
    difference = found.difference
    assert difference.value is not None
    assert difference.low is not None
    assert difference.high is not None
    assert -1 <= difference.low <= difference.value <= difference.high <= 1
    assert found.mid_p is not None
    assert found.exact_p is not None
    assert 0 < found.mid_p <= found.exact_p <= 1


@given(both=counts, first=counts, second=counts, neither=counts)
@settings(max_examples=50, deadline=None)
def test_tango_inverts_its_own_score_test(both: int, first: int, second: int, neither: int) -> None:
    """At d = 0 the score test is McNemar's: 0 is in the interval iff its chi-square is small."""
    found = stats.mcnemar([[both, first], [second, neither]])
    if found.chi2 is None or found.difference.low is None or found.difference.high is None:
        return
    critical = scipy_stats.chi2.ppf(0.95, 1)
    if abs(found.chi2 - critical) > 1e-6:
        inside = found.difference.low < 0 < found.difference.high
        assert inside == (found.chi2 < critical)


def test_no_discordant_pair_cannot_tell_judges_apart() -> None:
    found = stats.mcnemar([[30, 0], [0, 10]])
    assert found.difference.value == 0
    assert found.difference.notes == (NO_DISCORDANT,)
    assert (found.exact_p, found.mid_p, found.chi2, found.asymptotic_p) == (1.0, 1.0, None, None)
    z2 = scipy_stats.norm.ppf(0.975) ** 2
    assert found.difference.high == pytest.approx(z2 / (40 + z2), abs=1e-9)  # closed form


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1, 2, 3]], "table must have shape"),
        ([[1, -2], [3, 4]], "table must hold whole numbers >= 0"),
        ([[1, 0.5], [3, 4]], "table must hold whole numbers >= 0"),
    ],
)
def test_wrong_tables_are_refused(table: list[list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stats.mcnemar(table)
    with pytest.raises(ValueError, match=message):
        stats.tango_interval(table)


def test_wrong_level_and_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="level must be between 0 and 1, got 95"):
        stats.tango_interval([[1, 2], [3, 4]], level=95)
    with pytest.raises(ValueError, match="must be one-dimensional and of equal length"):
        stats.paired_table([1, 0], [1])


# --- sign flips ----------------------------------------------------------------------------------


def brute_force(differences: list[float]) -> float:
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((-1, 1), repeat=len(differences))
    ]
    return float(np.mean([x >= abs(sum(differences)) - 1e-9 for x in sums]))


@given(differences=small)
@settings(deadline=None)
def test_exact_sign_flips_equal_full_enumeration(differences: list[int]) -> None:
    found = stats.sign_flip_test(differences)
    if any(differences):
        assert found.p == pytest.approx(brute_force([float(d) for d in differences]), abs=1e-12)
    else:
        assert found.p == 1.0
        assert found.note == NO_DISCORDANT


@given(differences=small)
@settings(max_examples=30, deadline=None)
def test_enumeration_of_fractions_equals_the_exact_one(differences: list[int]) -> None:
    halves = [d / 2 + 0.25 * np.sign(d) for d in differences]
    found = stats.sign_flip_test(halves)
    if any(differences):
        assert found.method in ("enumerated", "exact")
        assert found.p == pytest.approx(brute_force(halves), abs=1e-12)


def test_drawn_sign_flips_come_near_the_exact_ones_and_repeat() -> None:
    rng = np.random.default_rng(3)
    whole = rng.integers(-2, 4, size=40)
    exact = stats.sign_flip_test(whole)
    drawn = stats.sign_flip_test(whole * np.pi, rng=1)
    assert (exact.method, drawn.method, drawn.draws) == ("exact", "drawn", 9_999)
    assert exact.p is not None
    assert drawn.p == pytest.approx(exact.p, abs=0.012)
    assert drawn.p == stats.sign_flip_test(whole * np.pi, rng=1).p


def test_a_drawn_p_value_is_never_zero() -> None:
    found = stats.sign_flip_test(np.full(40, np.pi), draws=99)
    assert (found.method, found.p) == ("drawn", 0.01)


def test_exact_sign_flips_of_many_families() -> None:
    """Only ones: the p-value is the two-sided sign test."""
    differences = [1] * 700 + [-1] * 600
    found = stats.sign_flip_test(differences)
    expected = 2 * scipy_stats.binom.sf(699, 1300, 0.5)
    assert found.p == pytest.approx(expected, rel=1e-9)


def test_large_families_use_the_fast_convolution() -> None:
    rng = np.random.default_rng(5)
    differences = rng.integers(-300, 301, size=400)
    found = stats.sign_flip_test(differences)
    assert found.method == "exact"
    z = abs(differences.sum()) / np.sqrt((differences**2).sum())
    assert found.p == pytest.approx(2 * scipy_stats.norm.sf(z), abs=0.01)


def test_sign_flips_without_data_and_with_wrong_arguments() -> None:
    assert stats.sign_flip_test([]).p is None
    assert stats.sign_flip_test([np.nan, 0]).p == 1.0
    with pytest.raises(ValueError, match="draws must be >= 1, got 0"):
        stats.sign_flip_test([1], draws=0)
    with pytest.raises(ValueError, match="differences must be one-dimensional"):
        stats.sign_flip_test([[1]])


# --- paired family jackknife ---------------------------------------------------------------------


def test_kappa_difference_is_the_difference_of_kappas() -> None:
    rng = np.random.default_rng(0)
    human, one, two = (rng.integers(0, 3, 90) for _ in range(3))
    family = np.repeat(np.arange(30), 3)
    found = stats.compare_kappa(human, one, two, family=family)
    first, second = stats.kappa(human, one).value, stats.kappa(human, two).value
    assert first is not None
    assert second is not None
    assert found.difference.value == pytest.approx(first - second, abs=1e-12)
    replicates = []
    for g in range(30):
        keep = family != g
        a = stats.kappa(human[keep], one[keep]).value
        b = stats.kappa(human[keep], two[keep]).value
        replicates.append((a or 0) - (b or 0))
    spread = np.sqrt(29 / 30 * np.sum((np.array(replicates) - np.mean(replicates)) ** 2))
    assert found.se == pytest.approx(spread, rel=1e-9)
    assert found.p == pytest.approx(
        2 * scipy_stats.t.sf(abs(found.difference.value) / spread, 29), rel=1e-9
    )


def test_identical_judges_cannot_be_told_apart() -> None:
    human = ["s", "c", "u", "s", "c", "u"]
    judge = ["s", "c", "s", "s", "c", "u"]
    for compare in (stats.compare_kappa, stats.compare_accuracy):
        found = compare(human, judge, judge, family=[1, 1, 2, 2, 3, 3])
        assert found.difference.value == 0
        assert found.p == 1.0
        assert NO_DISCORDANT in found.difference.notes
    assert stats.compare_kappa(human, judge, judge).difference.no_interval == NO_DISCORDANT
    assert stats.compare_accuracy(human, judge, judge).difference.low is not None


@pytest.mark.parametrize("compare", [stats.compare_kappa, stats.compare_accuracy])
def test_comparisons_on_poor_data(compare: object) -> None:
    assert callable(compare)
    assert compare([], [], []).difference.undefined == NO_ITEMS
    assert compare([None, "s"], ["s", None], ["s", "s"]).difference.undefined == NO_ITEMS
    one_family = compare(LABELS, ["s", "c", "c"], ["s", "s", "u"], family=[1, 1, 1])
    assert one_family.difference.no_interval == FEW_FAMILIES
    with pytest.raises(ValueError, match="one label per item"):
        compare(["s"], ["s", "c"], ["s"])


def test_one_label_only_has_no_kappa_difference() -> None:
    found = stats.compare_kappa(["s"] * 6, ["s"] * 6, ["s"] * 6)
    assert found.difference.undefined == ONE_LABEL
    assert found.p is None


def simulate_two_judges(
    rng: np.random.Generator, families: int, tau: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    ease = rng.normal(0.8, tau, families).repeat(3)
    human = rng.integers(0, 3, 3 * families)
    wrong = (human + rng.integers(1, 3, human.size)) % 3

    def judge() -> np.ndarray:
        right = rng.random(human.size) < 1 / (1 + np.exp(-ease))
        return np.where(right, human, wrong)

    return human, judge(), judge(), np.repeat(np.arange(families), 3)


def level_and_coverage(studies: int, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    covered, rejected = 0, 0
    for _ in range(studies):
        human, one, two, family = simulate_two_judges(rng, 20, 1.5)
        kappas = stats.compare_kappa(human, one, two, family=family)
        assert kappas.difference.low is not None
        assert kappas.difference.high is not None
        covered += kappas.difference.low <= 0 <= kappas.difference.high
        p = stats.compare_accuracy(human, one, two, family=family).p
        rejected += p is not None and p <= 0.05
    return {"coverage": covered / studies, "level": rejected / studies}


def test_level_and_coverage_of_the_paired_family_methods_short() -> None:
    """Both judges have the same chance of being right on every claim (ease of the family plus
    noise), and the same wrong labels, so the true difference of kappa and of accuracy is 0 by
    symmetry. Nominal: coverage .95, level .05 (below it, because sign flips are discrete)."""
    found = level_and_coverage(400, 11)
    assert 0.92 <= found["coverage"] <= 0.98
    assert found["level"] <= 0.075


@pytest.mark.slow
def test_level_and_coverage_of_the_paired_family_methods_long() -> None:
    """As the short one; .945 to .954 was measured over several designs."""
    found = level_and_coverage(4000, 12)
    assert 0.938 <= found["coverage"] <= 0.965
    assert 0.025 <= found["level"] <= 0.056


# --- non-inferiority -----------------------------------------------------------------------------


@given(
    difference=st.floats(-0.5, 0.5),
    se=st.floats(0.001, 0.5),
    df=st.integers(1, 200),
    margin=st.floats(0.01, 0.5),
)
@settings(deadline=None)
def test_p_values_and_interval_tell_the_same(
    difference: float, se: float, df: int, margin: float
) -> None:
    found = stats.equivalence_test(difference, se=se, df=df, margin=margin)
    assert found.low is not None
    assert found.high is not None
    if abs(found.low + margin) > 1e-9:
        assert found.noninferior == (found.low > -margin)
        if abs(found.high - margin) > 1e-9:
            assert found.equivalent == (found.low > -margin and found.high < margin)


def test_no_variation_proves_no_equivalence() -> None:
    found = stats.equivalence_test(0.0, se=0.0, df=10, margin=0.1)
    assert (found.noninferior, found.equivalent) == (False, False)
    assert found.undefined == "no variation between families"
    assert stats.equivalence_test(0.0, se=0.1, df=0, margin=0.1).undefined == FEW_FAMILIES


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"margin": 0}, "margin must be > 0, got 0"),
        ({"se": -1.0}, "se must be >= 0, got -1.0"),
        ({"alpha": 0.6}, "alpha must be between 0 and 0.5, got 0.6"),
    ],
)
def test_wrong_equivalence_arguments(change: dict[str, float], message: str) -> None:
    arguments: dict[str, float] = {"se": 0.1, "df": 10, "margin": 0.1} | change
    with pytest.raises(ValueError, match=message):
        stats.equivalence_test(0.0, **arguments)


# --- multiplicity and three-way ------------------------------------------------------------------

p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(p=p_lists)
@settings(deadline=None)
def test_adjusted_p_values_are_ordered_and_not_smaller(p: list[float]) -> None:
    holm = stats.holm(p)
    fdr = stats.benjamini_hochberg(p)
    dependent = stats.benjamini_yekutieli(p)
    order = np.argsort(p, kind="stable")
    for adjusted in (holm, fdr, dependent):
        values = np.array(adjusted, dtype=float)
        assert np.all(values >= np.array(p) - 1e-12)
        assert np.all(values <= 1)
        assert np.all(np.diff(values[order]) >= -1e-12)
    assert all(a <= b + 1e-12 for a, b in zip(np.array(fdr), np.array(holm), strict=True))
    assert all(a <= b + 1e-12 for a, b in zip(np.array(fdr), np.array(dependent), strict=True))


@given(p=p_lists, seed=st.integers(0, 100))
@settings(max_examples=30, deadline=None)
def test_adjustment_does_not_depend_on_the_order(p: list[float], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(p))
    before = np.array(stats.holm(p), dtype=float)[order]
    after = np.array(stats.holm([p[i] for i in order]), dtype=float)
    assert np.allclose(before, after, atol=1e-12)


def test_missing_p_values_stay_missing_and_uncounted() -> None:
    assert stats.holm([0.02, None, float("nan"), 0.03]) == (0.04, None, None, 0.04)
    assert stats.benjamini_yekutieli([None]) == (None,)
    with pytest.raises(ValueError, match=r"p_values must be in \[0, 1\], got 1.5 at position 0"):
        stats.holm([1.5])


def test_three_way_at_its_edges() -> None:
    assert stats.three_way(0.6, 0.7, 0.6) == "accept"
    assert stats.three_way(0.5, 0.6, 0.6) == "inconclusive"
    assert stats.three_way(0.2, 0.5, 0.1, direction="at most") == "reject"
    assert stats.three_way(None, 0.05, 0.1, direction="at most") == "accept"
    assert stats.three_way(float("nan"), 0.5, 0.6) == "reject"
    with pytest.raises(ValueError, match="lower must be <= upper, got 0.7 > 0.6"):
        stats.three_way(0.7, 0.6, 0.5)
    with pytest.raises(ValueError, match="floor must be a finite number, got nan"):
        stats.three_way(0.1, 0.2, float("nan"))
    with pytest.raises(ValueError, match="direction must be"):
        stats.three_way(0.1, 0.2, 0.1, direction="up")  # type: ignore[arg-type]
