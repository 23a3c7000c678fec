"""Golden cases of panels, annotators and aggregation; the source is named beside each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from voirdire import stats

Golden = dict[str, dict[str, Any]]


@pytest.mark.parametrize("epsilon", ["0.0", "0.1", "0.15", "0.2"])
def test_a16_alternative_annotator_test(golden: Golden, epsilon: str) -> None:
    """Source: the authors' AltTest code, R t.test (Calderon, Reichart & Dror, ACL 2025)."""
    case = golden["A16_alt_test_synthetic"]
    given, expected = case["input"], case["expected"][epsilon]
    found = stats.alternative_annotator_test(
        given["humans_items_by_annotators"],
        given["judge"],
        family=given["cluster"],
        epsilon=float(epsilon),
        q=given["q"],
        minimum_items=given["min_instances_per_human"],
    )
    near = {"abs": case["tolerance"]}
    assert found.winning_rate.value == pytest.approx(expected["winning_rate"], **near)
    assert found.winning_rate_clustered.value == pytest.approx(
        expected["cluster_winning_rate"], **near
    )
    assert found.advantage.value == pytest.approx(expected["advantage_probability"], **near)
    for name, key in (
        ("advantage", "rho_per_annotator"),
        ("p", "p_values"),
        ("difference", "mean_diff"),
        ("p_clustered", "cluster_p_values"),
    ):
        got = [getattr(row, name) for row in found.annotators]
        assert got == pytest.approx(expected[key], **near), name


def test_a18_alternative_annotator_test_without_variance(golden: Golden) -> None:
    """Source: limit of the one-sided t-test; scipy gives p = 0 or nan there."""
    case = golden["A18_alt_test_zero_variance"]
    expected, epsilon = case["expected"], case["input"]["epsilon"]
    ratings = [["s"] * 3, ["c"] * 3] * 15
    judge = ["s", "c"] * 15
    found = stats.alternative_annotator_test(ratings, judge, epsilon=epsilon)
    assert found.annotators[0].difference == expected["mean_diff"]
    assert [row.p for row in found.annotators] == [expected["p_value"]] * 3
    assert found.advantage.value == expected["advantage_probability"]
    assert found.winning_rate.value == expected["winning_rate"]
    at_zero = stats.alternative_annotator_test(ratings, judge, epsilon=0.0)
    assert [row.p for row in at_zero.annotators] == [expected["p_value_at_epsilon_0"]] * 3
    assert at_zero.passed is False


def test_a19_human_ceiling_and_verdict_z(golden: Golden) -> None:
    """Source: sklearn and R irr::kappa2; sd convention (A - 1) fixed in the case."""
    case = golden["A19_human_ceiling_and_verdict_z"]
    ratings, judge = case["input"]["humans_items_by_annotators"], case["input"]["judge"]
    expected, near = case["expected"], {"abs": case["tolerance"]}
    ceiling = stats.human_ceiling(ratings)
    assert [pair.kappa for pair in ceiling.pairs] == pytest.approx(
        expected["pairwise_human"], **near
    )
    assert ceiling.kappa.value == pytest.approx(np.mean(expected["pairwise_human"]), **near)
    z = stats.judge_verdict_z(ratings, judge)
    assert z.human_vs_others == pytest.approx(expected["human_vs_others"], **near)
    assert z.judge_vs_human == pytest.approx(expected["judge_vs_human"], **near)
    assert z.mean_human == pytest.approx(expected["mean_human"], **near)
    assert z.sd_human == pytest.approx(expected["sd_human"], **near)
    assert z.z.value == pytest.approx(expected["z"], **near)
    assert z.z.low is None
    assert z.z.no_interval
    delta = stats.leave_one_out_kappa(ratings, judge).delta
    assert delta.value == pytest.approx(expected["delta"], **near)


def test_a20_leave_one_out_baseline(golden: Golden) -> None:
    """Source: numpy and R, by definition."""
    case = golden["A20_leave_one_out_human_baseline"]
    found = stats.leave_one_out(case["input"]["humans_items_by_annotators"], case["input"]["judge"])
    near = {"abs": case["tolerance"]}
    assert found.human == pytest.approx(case["expected"]["human"], **near)
    assert found.judge == pytest.approx(case["expected"]["judge"], **near)
    assert found.delta.value == pytest.approx(case["expected"]["delta"], **near)


def test_d01_dawid_skene_on_the_1979_data(golden: Golden) -> None:
    """Source: Dawid & Skene (1979) Table 1, class marginals .40 .42 .11 .07; crowd-kit, R EM.

    The published solution is where EM goes from the vote shares, so no restarts here.
    """
    case = golden["D01_dawid_skene_1979_anaesthetic"]
    given, expected, near = case["input"], case["expected"], {"abs": case["tolerance"]}
    counts = given["counts_item_by_observer_by_class"]
    options: dict[str, Any] = {"labels": given["classes"], "minimum_items": 45, "smooth": False}
    found = stats.dawid_skene_counts(counts, restarts=0, **options)
    assert found.shares == pytest.approx(expected["class_marginals"], **near)
    assert found.shares == pytest.approx(case["published"]["class_marginals"], abs=0.005)
    assert found.log_likelihood == pytest.approx(expected["loglik"], **near)
    assert list(found.labels) == expected["map_class"]
    assert np.allclose(
        found.confusion[0], expected["observer1_error_rates"], atol=case["tolerance"]
    )
    assert found.posterior[2] == pytest.approx(expected["posterior_item_3"], **near)
    assert found.posterior[35] == pytest.approx(expected["posterior_item_36"], **near)
    many = stats.dawid_skene_counts(counts, restarts=10, **options)
    assert many.log_likelihood is not None
    assert many.log_likelihood > found.log_likelihood + 1  # -189.41: not the highest maximum
    assert many.starts_at_best < many.starts


def test_d02_majority_ties_and_soft_labels(golden: Golden) -> None:
    """Source: definition; ties are never broken silently."""
    case = golden["D02_majority_ties_soft"]
    labels, classes = case["input"]["labels"], case["input"]["classes"]
    expected, near = case["expected"], {"abs": case["tolerance"]}
    majority = stats.majority_labels(labels, labels=classes)
    assert list(majority.labels) == expected["majority"]
    assert [r or None for r in majority.reasons] == [r or None for r in expected["reason"]]
    assert majority.tie_share.value == pytest.approx(2 / 4)
    soft = stats.soft_labels(labels, labels=classes)
    for got, shares in zip(soft.shares, expected["soft"], strict=True):
        if shares[0] is None:
            assert got is None
        else:
            assert got == pytest.approx(shares, **near)
    for got_entropy, entropy in zip(soft.entropy, expected["entropy_nats"], strict=True):
        assert got_entropy == (None if entropy is None else pytest.approx(entropy, **near))
    assert soft.ambiguous == (False, True, False, True, False, True)


def test_d04_soft_label_scores(golden: Golden) -> None:
    """Source: scipy and R, by definition."""
    case = golden["D04_soft_label_scores"]
    given = case["input"]
    soft = stats.SoftLabels(
        classes=(0, 1, 2),
        shares=tuple(tuple(row) for row in given["soft_labels"]),
        entropy=(None,) * 4,
        ambiguous=(False,) * 4,
    )
    found = stats.soft_label_scores(soft, given["judge"], probabilities=given["judge_proba"])
    for name, value in case["expected"].items():
        assert found[name].value == pytest.approx(value, abs=case["tolerance"]), name
