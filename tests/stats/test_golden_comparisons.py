"""Golden cases of comparisons, sample sizes, metamorphic tests, cascade and decision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from voirdire import stats

Golden = dict[str, dict[str, Any]]


def test_b01_multiplicity(golden: Golden) -> None:
    """Source: R p.adjust, statsmodels."""
    case = golden["B01_multiplicity_adjustment"]
    for function, key in (
        (stats.holm, "holm"),
        (stats.benjamini_yekutieli, "BY"),
        (stats.benjamini_hochberg, "BH"),
    ):
        found = function(case["input"]["p"])
        assert found == pytest.approx(case["expected"][key], abs=case["tolerance"]), key


@pytest.mark.parametrize(
    "name",
    [
        "airway_hyperresponsiveness",
        "complete_response",
        "agresti_approval",
        "no_discordant",
        "one_sided",
    ],
)
def test_b05_mcnemar(golden: Golden, name: str) -> None:
    """Source: Fagerland, Lydersen & Laake (2013); Agresti; statsmodels, R binom.test."""
    case = golden["B05_mcnemar"]
    found = stats.mcnemar(case["input"]["tables"][name])
    for field, value in case["expected"][name].items():
        got = getattr(found, field)
        assert got == (None if value is None else pytest.approx(value, abs=case["tolerance"]))
    # complete response: .05248 is exact, the publication prints .053
    for field, value in case["published"].get(name, {}).items():
        assert getattr(found, field) == pytest.approx(value, abs=0.00055), "as printed"


def test_b05_tango_interval_of_the_published_example() -> None:
    """Source: Fagerland, Lydersen & Laake (2014), Table of intervals: airway data, Tango
    -0.517 to -0.026 (quoted from memory of the publication)."""
    low, high = stats.tango_interval([[1, 1], [7, 12]])
    assert (low, high) == pytest.approx((-0.517, -0.026), abs=0.0005)


def test_b07_clustered_comparison(golden: Golden) -> None:
    """Source: R sandwich::vcovCL and full enumeration; Durkalski (2003), Yang (2010)."""
    case = golden["B07_clustered_paired_comparison"]
    given, expected, near = case["input"], case["expected"], {"abs": case["tolerance"]}
    human, first, second, family = [], [], [], []
    for number, (b, c, m) in enumerate(
        zip(given["b_per_family"], given["c_per_family"], given["items_per_family"], strict=True)
    ):
        right = [("s", "c")] * b + [("c", "s")] * c + [("s", "s")] * (m - b - c)
        human += ["s"] * m
        first += [one for one, _ in right]
        second += [two for _, two in right]
        family += [number] * m
    found = stats.compare_accuracy(human, first, second, family=family)
    assert found.difference.value == pytest.approx(expected["diff"], **near)
    assert found.se == pytest.approx(expected["se_cluster"], **near)
    ends = (found.difference.low, found.difference.high)
    assert ends == pytest.approx(expected["ci_t"], **near)
    assert found.p == pytest.approx(expected["perm_p"], **near)
    moved = np.subtract(given["b_per_family"], given["c_per_family"])
    durkalski, yang = stats.clustered_mcnemar_chi2(moved, given["items_per_family"])
    assert durkalski == pytest.approx(expected["chi2_durkalski"], **near)
    assert yang == pytest.approx(expected["chi2_yang"], **near)


def test_b10_kappa_sample_size(golden: Golden) -> None:
    """Source: Cantor (1996), R irr::N.cohen.kappa; kappaSize for the goodness of fit."""
    case = golden["B10_kappa_sample_size"]
    three, skewed = [0.5, 0.3, 0.2], [0.85, 0.10, 0.05]
    size, width = stats.items_for_kappa, stats.items_for_half_width
    found = {
        "n_one_sided_5050": size(0.6, 0.7, prevalence=[1, 1]),
        "n_two_sided_5050": size(0.6, 0.7, prevalence=[1, 1], sides=2),
        "n_one_sided_8020": size(0.6, 0.7, prevalence=[0.8, 0.2]),
        "n_85_vs_70": size(0.7, 0.85, prevalence=[1, 1]),
        "kappasize_powerbinary": stats.items_for_goodness_of_fit(0.6, 0.7, prevalence=[1, 1]),
        "kappasize_power3": stats.items_for_goodness_of_fit(0.6, 0.7, prevalence=three),
        "n_two_sided_3class_503020": size(0.6, 0.7, prevalence=three, sides=2),
        "n_one_sided_3class_503020": size(0.6, 0.7, prevalence=three),
        "n_one_sided_3class_851005": size(0.6, 0.7, prevalence=skewed),
        "n_ci_halfwidth_0.10_at_kappa_0.7_5050": width(0.7, 0.1, prevalence=[1, 1]),
        "n_ci_halfwidth_0.10_at_kappa_0.7_503020": width(0.7, 0.1, prevalence=three),
        "n_ci_halfwidth_0.10_at_kappa_0.7_851005": width(0.7, 0.1, prevalence=skewed),
    }
    assert found.keys() == case["expected"].keys()
    for name, value in case["expected"].items():
        assert found[name] == pytest.approx(value, abs=case["tolerance"]), name


def test_b11_unit_variance(golden: Golden) -> None:
    """Source: closed form 1 - kappa^2 at equal halves (Fleiss, Cohen & Everitt 1969)."""
    case = golden["B11_fce_variance_identity"]
    for key, prevalence in (
        ("unit_variance", case["input"]["pi"]),
        ("unit_variance_503020", [0.5, 0.3, 0.2]),
    ):
        found = [stats.kappa_unit_variance(k, prevalence) for k in case["input"]["kappa"]]
        assert found == pytest.approx(case["expected"][key], abs=case["tolerance"])


def test_b12_noninferiority_and_equivalence(golden: Golden) -> None:
    """Source: Schuirmann (1987); scipy and R."""
    case = golden["B12_noninferiority_tost"]
    given, expected, near = case["input"], case["expected"], {"abs": case["tolerance"]}
    found = stats.equivalence_test(
        given["diff"], se=given["se"], df=given["df"], margin=given["margin"]
    )
    assert found.noninferior_p == pytest.approx(expected["p_noninf"], **near)
    assert found.equivalent_p == pytest.approx(expected["p_tost"], **near)
    assert (found.low, found.high) == pytest.approx(expected["ci90"], **near)


def test_c01_paraphrase_discordant_pairs(golden: Golden) -> None:
    """Source: statsmodels, scipy, R. The case writes paraphrase minus original; we write harm."""
    case = golden["C01_paraphrase_discordant_pairs"]
    given, expected, near = case["input"], case["expected"], {"abs": case["tolerance"]}
    cells = [("s", "s"), ("s", "c"), ("c", "s"), ("c", "c")]
    sizes = [
        given[k] for k in ("both_correct", "orig_only_correct", "para_only_correct", "neither")
    ]
    pairs = [pair for pair, size in zip(cells, sizes, strict=True) for _ in range(size)]
    people = ["s"] * len(pairs)
    before, after = [a for a, _ in pairs], [b for _, b in pairs]
    harm = stats.paraphrase_harm(people, people, before, after)
    assert harm.original == pytest.approx(expected["accuracy_original"], **near)
    assert harm.paraphrase == pytest.approx(expected["accuracy_paraphrase"], **near)
    assert harm.difference.value == pytest.approx(-expected["difference"], **near)
    assert harm.mcnemar is not None
    assert harm.mcnemar.exact_p == pytest.approx(expected["mcnemar_exact_p"], **near)
    assert harm.p == pytest.approx(expected["mcnemar_mid_p"], **near)
    kept = stats.paraphrase_consistency(people, people, before, after)
    assert kept.value == pytest.approx(expected["correctness_consistency"], **near)
    wilson = stats.wilson(kept.k or 0, kept.n)
    assert wilson == pytest.approx(expected["consistency_wilson"], **near)
    assert kept.low is not None
    assert kept.low < wilson.low  # ours allows for 44 families only (t instead of z)


def test_c02_metamorphic_rates(golden: Golden) -> None:
    """Source: definitions; Wilson by scipy and R prop.test."""
    case = golden["C02_metamorphic_rates"]
    given, expected, near = case["input"], case["expected"], {"abs": case["tolerance"]}
    flip, people = given["flip"], given["human_original"]
    original, negation = given["judge_original"], given["judge_negation"]
    negated = [flip[label] for label in people]
    found = {
        "paraphrase_consistency": stats.paraphrase_consistency(
            people, people, original, given["judge_paraphrase"]
        ),
        "negation_flip_rate": stats.negation_flip_rate(
            people, negated, original, negation, flip=flip
        ),
        "negation_flip_given_original_correct": stats.negation_flip_rate(
            people, negated, original, negation, flip=flip, given_right=True
        ),
        "unverifiable_stays_rate": stats.unverifiable_stays_rate(
            people, negated, original, negation, unverifiable="u"
        ),
        "symmetric_negation_equivalence": stats.symmetric_negation(original, negation, flip=flip),
        "stuck_rate": stats.stuck_rate(people, negated, original, negation, flip=flip),
    }
    for name, rate in found.items():
        assert rate.value == pytest.approx(expected[name], **near), name
    assert found["negation_flip_rate"].n == expected["n_negation_eligible"]
    for name, key in (
        ("paraphrase_consistency", "ci_wilson_paraphrase"),
        ("symmetric_negation_equivalence", "ci_wilson_symmetric"),
        ("negation_flip_rate", "ci_wilson_flip"),
    ):
        rate = found[name]
        assert stats.wilson(rate.k or 0, rate.n) == pytest.approx(expected[key], **near), name


def test_i01_clopper_pearson_upper(golden: Golden) -> None:
    """Source: R binom.test; 0 of 59 certifies 5 % at 95 %, 0 of 58 does not."""
    case = golden["I01_clopper_pearson_upper"]
    found = [
        stats.clopper_pearson_upper(one["errors"], one["n"], delta=case["input"]["delta"])
        for one in case["input"]["cases"]
    ]
    assert found == pytest.approx(case["expected"]["upper"], abs=case["tolerance"])


def test_i02_hoeffding_bentkus(golden: Golden) -> None:
    """Source: mapie and R (Bates et al. 2021)."""
    case = golden["I02_hoeffding_bentkus_p"]
    found = [
        stats.hoeffding_bentkus_p(one["risk"], one["n"], alpha=one["alpha"])
        for one in case["input"]["cases"]
    ]
    assert found == pytest.approx(case["expected"]["p"], abs=case["tolerance"])


def test_i04_conformal_risk_control(golden: Golden) -> None:
    """Source: Angelopoulos et al. (2024); R."""
    case = golden["I04_conformal_risk_control"]
    given = case["input"]
    found = [
        stats.conformal_risk_threshold(given["confidence"], given["wrong"], alpha=alpha)
        for alpha in given["alpha"]
    ]
    assert found == pytest.approx(case["expected"]["threshold"], abs=case["tolerance"])


def test_i05_cost_threshold(golden: Golden) -> None:
    """Source: Chow (1970), Elkan (2001)."""
    case = golden["I05_cost_threshold"]
    given, expected = case["input"], case["expected"]
    near = {"abs": max(case["tolerance"], 5e-11)}  # the file holds ten digits of 5/6 and 10/11
    found = [
        stats.cost_threshold(false_accept=accept, false_reject=alarm, defer=defer)
        for accept, alarm, defer in zip(
            given["cost_false_accept"], given["cost_false_alarm"], given["cost_defer"], strict=True
        )
    ]
    accept_from = [point.accept_from for point in found]
    assert accept_from == pytest.approx(expected["accept_if_p_supported_at_least"], **near)
    assert [p.defer_low for p in found] == pytest.approx(expected["defer_band_low"], **near)
    assert [p.defer_high for p in found] == pytest.approx(expected["defer_band_high"], **near)


def test_j01_three_way_decision(golden: Golden) -> None:
    """Source: definition; no bound is inconclusive."""
    case = golden["J01_three_way_decision"]
    floor = case["input"]["floor"]
    found = [stats.three_way(one["lower"], one["upper"], floor) for one in case["input"]["cases"]]
    assert found == case["expected"]["decision"]
