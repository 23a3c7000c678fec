"""Sample sizes: monotone, consistent with each other, and the gate's power as published."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire import stats
from voirdire.stats.gate_power import _centre, _draw, gate_bounds
from voirdire.stats.samplesize import shares_of

kappas = st.floats(0.1, 0.95)
prevalences = st.lists(st.floats(0.05, 1), min_size=2, max_size=4)
THREE = [0.5, 0.3, 0.2]
#: Section "sample size" of the method page: lower bound >= .60, families of three, .5/.3/.2.
TABLE = {
    0.60: (0.04, 0.03, 0.03, 0.04, 0.04, 0.05),
    0.70: (0.19, 0.28, 0.40, 0.70, 0.87, 0.98),
    0.80: (0.54, 0.78, 0.95, 1.00, 1.00, 1.00),
    0.90: (0.91, 0.99, 1.00, 1.00, 1.00, 1.00),
}
WIDTH = (0.42, 0.31, 0.25, 0.17, 0.13, 0.09)
FAMILIES = (20, 33, 50, 100, 167, 333)


@given(kappa=kappas, prevalence=prevalences)
@settings(deadline=None)
def test_joint_shares_have_the_kappa_and_the_margins(kappa: float, prevalence: list[float]) -> None:
    joint = stats.joint_shares(kappa, prevalence)
    pi = np.array(prevalence) / sum(prevalence)
    assert np.allclose(joint.sum(axis=0), pi)
    assert np.allclose(joint.sum(axis=1), pi)
    expected = (pi**2).sum()
    assert (np.trace(joint) - expected) / (1 - expected) == pytest.approx(kappa, abs=1e-9)


@given(kappa=kappas, prevalence=prevalences)
@settings(deadline=None)
def test_unit_variance_is_the_linearised_one(kappa: float, prevalence: list[float]) -> None:
    """The standard error of the table itself, times the root of n, is the same number."""
    joint = stats.joint_shares(kappa, prevalence)
    se = stats.kappa_se(joint * 1e6)
    assert stats.kappa_unit_variance(kappa, prevalence) == pytest.approx(se**2 * 1e6, rel=1e-6)


@given(low=kappas, step=st.floats(0.02, 0.2), prevalence=prevalences)
@settings(max_examples=50, deadline=None)
def test_closer_kappas_need_more_items(low: float, step: float, prevalence: list[float]) -> None:
    def size(gap: float, **options: Any) -> int:
        return stats.items_for_kappa(low, max(low - gap, 0.0), prevalence=prevalence, **options)

    assert size(step) >= size(step * 1.5) - 1
    assert size(step, power=0.9) >= size(step, power=0.8)
    assert size(step, sides=2) >= size(step, sides=1)
    assert size(step, design_effect=2.0) >= 2 * size(step) - 2


@given(kappa=kappas, half=st.floats(0.03, 0.3), effect=st.floats(1, 3))
@settings(max_examples=50, deadline=None)
def test_families_for_a_half_width(kappa: float, half: float, effect: float) -> None:
    options: dict[str, Any] = {"prevalence": THREE, "family_size": 3, "design_effect": effect}
    families = stats.families_for_half_width(kappa, half, **options)
    assert stats.families_for_half_width(kappa, half / 2, **options) > families
    items = stats.items_for_half_width(kappa, half, prevalence=THREE, design_effect=effect)
    assert 3 * families >= items - 3  # t needs more than z
    unit = stats.kappa_unit_variance(kappa, THREE) * effect / 3
    reach = stats.t_interval(0, np.sqrt(unit / families), families - 1).high
    assert reach <= half + 1e-12
    if families > 2:
        fewer = stats.t_interval(0, np.sqrt(unit / (families - 1)), families - 2).high
        assert fewer > half


def test_pairs_for_mcnemar_are_monotone() -> None:
    """Connor (1987): 10 % discordant and 5 points 312; 20 % and 10 points 155."""
    assert stats.pairs_for_mcnemar(0.1, 0.05) == 312
    assert stats.pairs_for_mcnemar(0.2, 0.1) == 155
    sizes = [stats.pairs_for_mcnemar(0.3, d) for d in (0.02, 0.05, 0.1, 0.2, 0.3)]
    assert sizes == sorted(sizes, reverse=True)
    assert stats.pairs_for_mcnemar(0.3, -0.05) == stats.pairs_for_mcnemar(0.3, 0.05)
    # evalaudit and truescore: 5 points at 30 % discordant need 940
    assert stats.pairs_for_mcnemar(0.3, 0.05) == pytest.approx(940, abs=3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.items_for_kappa(0.6, 0.6, prevalence=THREE), "kappa1 must differ"),
        (lambda: stats.items_for_kappa(0.6, 1.2, prevalence=THREE), r"kappa must be in \[0, 1\]"),
        (lambda: stats.items_for_kappa(0.6, 0.7, prevalence=[1, 0]), "prevalence must be numbers"),
        (lambda: stats.items_for_kappa(0.6, 0.7, prevalence=THREE, sides=3), "sides must be 1"),
        (lambda: stats.items_for_kappa(0.6, 0.7, prevalence=THREE, power=1), "power must be"),
        (
            lambda: stats.items_for_kappa(0.6, 0.7, prevalence=THREE, design_effect=0.5),
            "design_effect must be >= 1, got 0.5",
        ),
        (lambda: stats.items_for_half_width(0.6, 0, prevalence=THREE), "half_width must be > 0"),
        (lambda: stats.pairs_for_mcnemar(0, 0.1), r"discordant must be in \(0, 1\], got 0"),
        (lambda: stats.pairs_for_mcnemar(0.1, 0.2), "difference must not be 0 and at most 0.1"),
        (lambda: stats.gate_power(prevalence=THREE, families=[1]), "families must be >= 2"),
        (lambda: stats.gate_power(prevalence=THREE, kappas=[1.0]), r"kappas must be in \[0, 1\)"),
        (lambda: stats.gate_power(prevalence=THREE, same_label=2), "same_label must be"),
        (lambda: stats.gate_power(prevalence=THREE, simulations=0), "simulations must be >= 1"),
    ],
)
def test_wrong_arguments(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# --- the gate ------------------------------------------------------------------------------------


@pytest.mark.parametrize("true", [0.0, 0.3, 0.7, 0.95])
def test_the_model_has_the_true_kappa(true: float) -> None:
    """E k_g = kappa makes the joint shares ``k diag(pi) + (1-k) pi pi'`` (derived in the module).

    300,000 families of three; the standard error of kappa is below .002.
    """
    rng = np.random.default_rng(1)
    pi = shares_of(THREE)
    counts = _draw(true, pi, 3, 2.5, 0.5, 1, 300_000, rng)[0].sum(axis=0).reshape(3, 3)
    assert np.allclose(counts / counts.sum(), stats.joint_shares(true, THREE), atol=0.003)
    assert np.isneginf(_centre(0.0, 2.5))


def test_the_simulated_rule_is_the_gates_rule() -> None:
    """Bounds of `gate_bounds` equal those of `stats.kappa` at 0.90 on the same data, also at
    the corners: perfect agreement, a class in one family, a constant judge."""
    rng = np.random.default_rng(2)
    studies = [
        _draw(true, shares_of([0.85, 0.1, 0.05]), 3, 2.5, 0.7, 60, families, rng)
        for true, families in ((0.6, 8), (0.95, 6), (0.05, 4))
    ]
    checked = 0
    for counts in studies:
        bounds = gate_bounds(counts, 3)
        for study, ends in zip(counts, bounds, strict=True):
            families, cells = np.nonzero(study)
            times = study[families, cells].astype(int)
            family, cell = np.repeat(families, times), np.repeat(cells, times)
            found = stats.kappa(cell // 3, cell % 3, family=family, labels=[0, 1, 2], level=0.90)
            if found.low is None:
                assert np.isnan(ends[0])
                continue
            checked += 1
            assert (ends[0], ends[1]) == pytest.approx((found.low, found.high), abs=1e-9)
    assert checked > 120


def test_power_grows_with_families_and_with_kappa() -> None:
    found = stats.gate_power(prevalence=THREE, families=[20, 50, 100], simulations=400)
    power = {(c.kappa, c.families): c.accept for c in found.cells}
    for true in (0.7, 0.8, 0.9):
        row = [power[true, n] for n in (20, 50, 100)]
        assert row == sorted(row)
    for n in (20, 50, 100):
        column = [power[true, n] for true in (0.6, 0.7, 0.8, 0.9)]
        assert column == sorted(column)
    assert found.families_needed(0.9) == 20
    assert found.families_needed(0.6) is None
    assert stats.gate_power(prevalence=THREE, families=[20, 50, 100], simulations=400) == found, (
        "the same seed gives the same table"
    )


def compare_with_the_table(simulations: int, power: float, width: float) -> None:
    found = stats.gate_power(prevalence=THREE, families=FAMILIES, simulations=simulations, rng=4)
    for true, row in TABLE.items():
        cells = [c for c in found.cells if c.kappa == true]
        assert [c.accept for c in cells] == pytest.approx(list(row), abs=power), true
    widths = [c.width for c in found.cells if c.kappa == 0.7]
    assert widths == pytest.approx(list(WIDTH), abs=width)
    assert found.design_effect[1] == pytest.approx(1.5, abs=0.1)


def test_the_published_power_table_short() -> None:
    """Families of three, prevalence .5/.3/.2, our family effect with the same design effect 1.5.

    The published table was simulated with another family model (an effect on the logit of being
    right), so agreement is to a few points: .08 here, with 300 studies (standard error <= .029).
    """
    compare_with_the_table(300, 0.08, 0.02)


@pytest.mark.slow
def test_the_published_power_table_long() -> None:
    compare_with_the_table(4000, 0.065, 0.02)
