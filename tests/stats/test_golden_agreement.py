"""Golden cases of agreement: published tables and values on which two implementations agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from voirdire import stats
from voirdire.records import Estimate

Case = dict[str, Any]


def value(found: Estimate) -> float:
    assert found.value is not None, found.undefined
    return found.value


def rows_of(table: Any) -> tuple[list[int], list[int]]:
    """Two columns of labels that have this joint table."""
    counts = np.asarray(table)
    human, judge = np.nonzero(counts)
    times = counts[human, judge]
    return np.repeat(human, times).tolist(), np.repeat(judge, times).tolist()


def ratings_of(votes: Any) -> list[list[int | None]]:
    """A matrix of labels with these votes; which rater gave which label does not matter."""
    rows = [np.repeat(np.arange(len(row)), row).tolist() for row in votes]
    width = max(map(len, rows))
    return [row + [None] * (width - len(row)) for row in rows]


def transposed(matrix: Any) -> list[list[Any]]:
    return [list(column) for column in zip(*matrix, strict=True)]


def test_a01_krippendorff_canonical(golden: dict[str, Case]) -> None:
    # source: Krippendorff (2011), 4 observers x 12 units: .743 .815 .849 .797
    case = golden["A01_krippendorff_canonical"]
    ratings = transposed(case["input"]["ratings_raters_by_units"])
    for metric, expected in case["expected"].items():
        found = value(stats.krippendorff_alpha(ratings, metric=metric))
        assert found == pytest.approx(expected, abs=case["tolerance"])
        assert round(found, 3) == case["published"][metric]


@pytest.mark.parametrize("weights", ["identity", "quadratic"])
def test_a02_gwet_raw4raters(golden: dict[str, Case], weights: str) -> None:
    # source: Gwet, Handbook of Inter-Rater Reliability, cac.raw4raters; R irrCAC
    case = golden[f"A02_gwet_raw4raters_{weights}"]
    ratings = transposed(case["input"]["ratings_raters_by_units"])
    labels, expected, near = case["input"]["categories"], case["expected"], case["tolerance"]
    metric = {"identity": "nominal", "quadratic": "interval"}[weights]
    found = {
        "ac": stats.panel_ac2(ratings, labels=labels, weights=weights),
        "fleiss": stats.fleiss_kappa(ratings, labels=labels, weights=weights),
        "conger": stats.conger_kappa(ratings, labels=labels, weights=weights),
        "alpha": stats.krippendorff_alpha(ratings, labels=labels, metric=metric),
        "brennan_prediger": stats.panel_brennan_prediger(ratings, labels=labels, weights=weights),
    }
    for name, one in found.items():
        assert value(one) == pytest.approx(expected[name], abs=near), name
        se = stats.panel_se(ratings, coefficient=name, labels=labels, weights=weights)
        assert se == pytest.approx(expected[f"{name}_se"], abs=near), name
    if weights == "identity":
        ac1 = stats.panel_ac1(ratings, labels=labels)
        assert value(ac1) == pytest.approx(expected["ac"], abs=near)


def test_a03_fleiss_1971(golden: dict[str, Case]) -> None:
    # source: Fleiss (1971), 30 patients x 6 raters x 5 categories: .430
    case = golden["A03_fleiss_1971_psychiatric"]
    ratings = ratings_of(case["input"]["counts_units_by_category"])
    near = case["tolerance"]
    found = value(stats.fleiss_kappa(ratings, labels=range(5)))
    assert found == pytest.approx(case["expected"]["fleiss_kappa"], abs=near)
    each = stats.fleiss_kappa_per_label(ratings, labels=range(5))
    assert [value(each[k]) for k in range(5)] == pytest.approx(
        case["expected"]["per_category_kappa"], abs=near
    )


def test_a04_light_and_conger(golden: dict[str, Case]) -> None:
    # source: Light (1971), Conger (1980) on the data of Fleiss; R irr: .459 and .442
    case = golden["A04_light_and_conger_on_fleiss_1971"]
    ratings = case["input"]["ratings_units_by_raters"]
    near = case["tolerance"]
    light, conger = stats.light_kappa(ratings), stats.conger_kappa(ratings)
    assert value(light) == pytest.approx(case["expected"]["light_kappa"], abs=near)
    assert value(conger) == pytest.approx(case["expected"]["conger_kappa"], abs=near)


def test_a05_fleiss_ten_subjects(golden: dict[str, Case]) -> None:
    # source: worked example of Fleiss' kappa, 14 raters: kappa .210, P .378, Pe .213
    case = golden["A05_fleiss_wikipedia_10x5x14"]
    ratings = ratings_of(case["input"]["counts_units_by_category"])
    expected, near = case["expected"], case["tolerance"]
    kappa, raw = value(stats.fleiss_kappa(ratings)), value(stats.panel_agreement(ratings))
    assert kappa == pytest.approx(expected["fleiss_kappa"], abs=near)
    assert raw == pytest.approx(expected["P_bar"], abs=near)
    assert (raw - kappa) / (1 - kappa) == pytest.approx(expected["P_e"], abs=near)


TABLES = [
    "A06_fleiss_levin_paik_psych",  # Fleiss, Levin & Paik (2003) chapter 18: kappa .68
    "A07_gwet_cont3x3abstractors",  # Gwet irrCAC: kappa .7964, AC1 .8493 SE .0432
    "A09_paradox_balanced",  # Feinstein & Cicchetti (1990): po .85, kappa .70
    "A11_paradox2_bias_a",  # Feinstein & Cicchetti (1990): po .60, kappa .13
    "A13_judge_3class_example",  # sklearn, statsmodels, R vcd and irrCAC agree
]


@pytest.mark.parametrize("name", TABLES)
def test_a06_to_a13_two_rater_tables(golden: dict[str, Case], name: str) -> None:
    case = golden[name]
    table = case["input"]["confusion_rows_first_rater"]
    human, judge = rows_of(table)
    found: dict[str, Any] = {
        "po": value(stats.raw_agreement(human, judge)),
        "kappa": value(stats.kappa(human, judge)),
        "kappa_se": stats.kappa_se(table),
        "kappa_se0": stats.kappa_se0(table),
        "mcc": value(stats.mcc(human, judge)),
        "balanced_accuracy": value(stats.balanced_accuracy(human, judge)),
        "ac1": value(stats.ac1(human, judge)),
        "ac1_se": stats.ac1_se(table),
        "kappa_linear": value(stats.weighted_kappa(human, judge, weights="linear")),
        "kappa_quadratic": value(stats.weighted_kappa(human, judge, weights="quadratic")),
        "kappa_linear_se": stats.kappa_se(table, weights="linear"),
        "kappa_quadratic_se": stats.kappa_se(table, weights="quadratic"),
        "per_class_precision": [value(x) for x in stats.precision(human, judge).values()],
        "per_class_recall": [value(x) for x in stats.recall(human, judge).values()],
        "macro_f1": value(stats.macro_f1(human, judge)),
        "pabak": value(stats.brennan_prediger(human, judge)),
    }
    specific = stats.specific_agreement(human, judge)
    found["p_pos"], found["p_neg"] = value(specific[0]), value(specific[1])
    assert set(case["expected"]) <= set(found)
    for key, expected in case["expected"].items():
        assert found[key] == pytest.approx(expected, abs=case["tolerance"]), key


def test_a10_the_paradox_has_its_note() -> None:
    # source: Feinstein & Cicchetti (1990): same po .85, kappa .70 and .32, AC1 .70 and .81
    balanced = stats.kappa(*rows_of([[40, 9], [6, 45]]))
    skewed = stats.kappa(*rows_of([[80, 10], [5, 5]]))
    ac1 = stats.ac1(*rows_of([[80, 10], [5, 5]]))
    assert value(skewed) == pytest.approx(0.3182, abs=5e-5)
    assert value(ac1) == pytest.approx(0.8080, abs=5e-5)
    assert not any(note.startswith("prevalence") for note in balanced.notes)
    for one in (skewed, ac1):
        (note,) = [note for note in one.notes if note.startswith("prevalence")]
        assert "kappa 0.32 and AC1 0.81" in note
        assert "0 0.91, on 1 0.40" in note


def test_a14_degenerate(golden: dict[str, Case]) -> None:
    # source: definition
    case = golden["A14_degenerate_agreement"]
    functions = {
        "kappa": stats.kappa,
        "raw": stats.raw_agreement,
        "mcc": stats.mcc,
        "balanced_accuracy": stats.balanced_accuracy,
    }
    for name, function in functions.items():
        for data, expected in zip(case["input"]["cases"], case["expected"][name], strict=True):
            found = function(data["human"], data["judge"], labels=["s", "c", "u"])
            assert found.value == (
                None if expected is None else pytest.approx(expected, abs=case["tolerance"])
            )
            assert (found.undefined is None) == (expected is not None)


def test_a14_reasons() -> None:
    """The closed list of section 1.4, said in words that pages may print."""
    same = ["s"] * 5
    assert stats.kappa(same, same).undefined == "one label only"
    assert stats.mcc(same, same).undefined == "one label only"
    assert stats.kappa([], []).undefined == "no items"
    constant = (["s", "s", "c", "u"], ["s"] * 4)
    assert stats.kappa(*constant).value == 0
    assert stats.mcc(*constant).undefined == "judge constant"
    assert stats.mcc(constant[1], constant[0]).undefined == "reference constant"
    recall = stats.recall(["s", "c"], ["s", "s"], labels=["s", "c", "u"])
    assert recall["u"].undefined is not None
    assert recall["u"].undefined.startswith("class absent: ")
    assert stats.kappa(["s", "c"], ["s", "s"], family=[1, 1]).no_interval == "fewer than 2 families"


def test_a21_cohen_1968_weighted(golden: dict[str, Case]) -> None:
    # source: Cohen (1968) table 1: kappa .492, weighted kappa .348
    case = golden["A21_cohen_1968_weighted"]
    table = np.rint(100 * np.array(case["input"]["joint_proportions"])).astype(int)
    human, judge = rows_of(table)
    expected, near = case["expected"], case["tolerance"]
    costs = case["input"]["disagreement_weights"]
    weighted = stats.weighted_kappa(human, judge, disagreement=costs)
    assert value(weighted) == pytest.approx(expected["weighted_kappa"], abs=near)
    kappa, raw = value(stats.kappa(human, judge)), value(stats.raw_agreement(human, judge))
    assert kappa == pytest.approx(expected["kappa"], abs=near)
    assert raw == pytest.approx(expected["po"], abs=near)
    assert (raw - kappa) / (1 - kappa) == pytest.approx(expected["pe"], abs=near)


def test_b11_unit_variance_of_kappa_with_even_margins(golden: dict[str, Case]) -> None:
    # source: closed form, n Var(kappa) = 1 - kappa^2 (Fleiss, Cohen & Everitt 1969)
    case = golden["B11_fce_variance_identity"]
    for shares, key in (([0.5, 0.5], "unit_variance"), ([0.5, 0.3, 0.2], "unit_variance_503020")):
        pi = np.array(shares)
        for kappa, expected in zip(case["input"]["kappa"], case["expected"][key], strict=True):
            joint = kappa * np.diag(pi) + (1 - kappa) * np.outer(pi, pi)
            assert stats.kappa_se(joint) ** 2 == pytest.approx(expected, abs=case["tolerance"])
