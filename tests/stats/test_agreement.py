"""Coefficients against other implementations, against each other, and where formulas end."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from voirdire import stats
from voirdire.records import Estimate

SEEDS = range(6)


def columns(seed: int, rows: int = 120, labels: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    human = rng.choice(labels, rows, p=rng.dirichlet(np.full(labels, 2.0)))
    judge = np.where(rng.random(rows) < 0.6, human, rng.integers(0, labels, rows))
    return human, judge


def value(found: Estimate) -> float:
    assert found.value is not None
    return found.value


@pytest.mark.parametrize("seed", SEEDS)
def test_against_scikit_learn(seed: int) -> None:
    human, judge = columns(seed, labels=2 + seed % 3)
    names = sorted(set(human.tolist()) | set(judge.tolist()))
    pairs = [
        (stats.kappa(human, judge), metrics.cohen_kappa_score(human, judge)),
        (stats.mcc(human, judge), metrics.matthews_corrcoef(human, judge)),
        (stats.balanced_accuracy(human, judge), metrics.balanced_accuracy_score(human, judge)),
        (stats.raw_agreement(human, judge), metrics.accuracy_score(human, judge)),
    ]
    for weights in ("linear", "quadratic"):
        theirs = metrics.cohen_kappa_score(human, judge, weights=weights)
        pairs.append((stats.weighted_kappa(human, judge, weights=weights, labels=names), theirs))
    for ours, theirs in pairs:
        assert value(ours) == pytest.approx(theirs, abs=1e-12)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(
        human, judge, labels=names, zero_division=np.nan
    )
    for function, theirs in ((stats.precision, precision), (stats.recall, recall), (stats.f1, f1)):
        assert [value(x) for x in function(human, judge).values()] == pytest.approx(theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_against_statsmodels(seed: int) -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    human, judge = columns(seed)
    table = stats.family_counts(human, judge).table
    theirs = inter_rater.cohens_kappa(table)
    assert stats.kappa_se(table) ** 2 == pytest.approx(theirs.var_kappa, rel=1e-9)
    assert stats.kappa_se0(table) ** 2 == pytest.approx(theirs.var_kappa0, rel=1e-9)
    for weights in ("linear", "quadratic"):
        weighted = inter_rater.cohens_kappa(table, wt=weights)
        assert stats.kappa_se(table, weights=weights) ** 2 == pytest.approx(
            weighted.var_kappa, rel=1e-9
        )
    third = np.where(np.random.default_rng(seed).random(human.size) < 0.5, human, judge)
    ratings = np.column_stack([human, judge, third])
    votes, _ = inter_rater.aggregate_raters(ratings)
    assert value(stats.fleiss_kappa(ratings)) == pytest.approx(inter_rater.fleiss_kappa(votes))


@pytest.mark.parametrize("seed", SEEDS)
def test_proportions_against_statsmodels(seed: int) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 200))
    k, level = int(rng.integers(1, n)), float(rng.choice([0.8, 0.9, 0.95, 0.99]))
    names = {
        "wilson": stats.wilson,
        "beta": stats.clopper_pearson,
        "jeffreys": stats.jeffreys,
        "agresti_coull": stats.agresti_coull,
    }
    for method, ours in names.items():
        theirs = proportion.proportion_confint(k, n, alpha=1 - level, method=method)
        assert ours(k, n, level=level) == pytest.approx(theirs, abs=1e-9), method


@given(st.integers(0, 10_000), st.integers(2, 5))
@settings(max_examples=30, deadline=None)
def test_two_raters_are_a_special_case_of_many(seed: int, labels: int) -> None:
    human, judge = columns(seed, rows=40, labels=labels)
    both, scheme = np.column_stack([human, judge]), list(range(labels))
    scott = value(stats.scott(human, judge, labels=scheme))
    assert value(stats.fleiss_kappa(both, labels=scheme)) == pytest.approx(scott)
    alpha = 1 - (1 - scott) * (1 - 1 / 80)  # Krippendorff's small-sample correction, 2n labels
    assert value(stats.krippendorff_alpha(both, labels=scheme)) == pytest.approx(alpha)
    for many, two in (
        (stats.conger_kappa, stats.kappa),
        (stats.light_kappa, stats.kappa),
        (stats.panel_ac1, stats.ac1),
        (stats.panel_ac2, stats.ac2),
        (stats.panel_brennan_prediger, stats.brennan_prediger),
    ):
        a, b = many(both, labels=scheme), two(human, judge, labels=scheme)
        assert value(a) == pytest.approx(value(b))
        assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=1e-8)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 9)), max_size=50),
    st.sampled_from([0.8, 0.9, 0.95]),
)
@settings(max_examples=80, deadline=None)
def test_interval_holds_the_value_and_grows_with_the_level(
    rows: list[tuple[int, int, int]], level: float
) -> None:
    human, judge, family = ([row[k] for row in rows] for k in range(3))
    for function in (stats.kappa, stats.ac1, stats.mcc, stats.macro_f1, stats.raw_agreement):
        found = function(human, judge, family=family, labels=[0, 1, 2], level=level)
        wide = function(human, judge, family=family, labels=[0, 1, 2], level=0.99)
        assert found.value == wide.value
        if found.low is None or found.high is None or found.value is None:
            assert found.no_interval or found.undefined
            continue
        assert -1 <= found.low <= found.value + 1e-12
        assert found.value - 1e-12 <= found.high <= 1
        assert wide.low is not None
        assert wide.high is not None
        assert wide.low <= found.low + 1e-12
        assert wide.high >= found.high - 1e-12


def test_one_family_that_carries_a_class_is_said() -> None:
    """Without family 9 the judge is constant and MCC is undefined: linearised SE and a note."""
    human = ["a", "b"] * 9 + ["b", "b"]
    judge = ["a", "a"] * 9 + ["b", "b"]
    found = stats.mcc(human, judge, family=np.repeat(np.arange(10), 2))
    assert "one family carries a class" in found.notes
    assert "linearised" in found.method
    assert found.low is not None


def test_few_families_are_warned_of() -> None:
    human = ["a", "b"] * 5 + ["a"] * 20
    found = stats.kappa(human, human[::-1], family=np.repeat(np.arange(15), 2))
    assert any("class 'b' lives in 5 families (fewer than 8)" in note for note in found.notes)
    assert not any("class 'a'" in note for note in found.notes)


def test_perfect_agreement_has_a_lower_bound() -> None:
    labels = ["a", "b"] * 30
    found = stats.kappa(labels, labels, family=np.repeat(np.arange(20), 3), level=0.90)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx((0.05 ** (1 / 20) - 0.5) / 0.5)
    assert "zero-error bound" in found.method
    for function in (stats.ac1, stats.mcc, stats.scott, stats.weighted_kappa):
        bound = function(labels, labels, family=np.repeat(np.arange(20), 3), level=0.90)
        assert bound.low == pytest.approx(found.low)
    panel = np.column_stack([labels] * 3)
    for many in (stats.fleiss_kappa, stats.conger_kappa, stats.light_kappa, stats.panel_ac1):
        bound = many(panel, family=np.repeat(np.arange(20), 3), level=0.90)
        assert bound.low == pytest.approx(found.low)
    alpha = stats.krippendorff_alpha(panel, family=np.repeat(np.arange(20), 3), level=0.90)
    assert alpha.low == pytest.approx(found.low, abs=0.01)


def test_perfect_macro_scores_are_bound_by_the_rarest_class() -> None:
    human = ["a"] * 24 + ["b"] * 6
    family = np.repeat(np.arange(10), 3)
    assert stats.balanced_accuracy(human, human, family=family).low == pytest.approx(0.025**0.5)


def test_a_constant_judge_can_be_rejected() -> None:
    """Kappa 0 without any spread: the bound says how far other answers could have helped."""
    human = (["a"] * 50 + ["b"] * 30 + ["c"] * 20) * 3
    found = stats.kappa(human, ["a"] * 300, level=0.90)
    assert found.value == 0
    assert found.low is not None
    assert found.high is not None
    assert -0.05 < found.low < 0 < found.high < 0.05
    few = stats.kappa(human[:60], ["a"] * 60, family=np.repeat(np.arange(2), 30), level=0.90)
    assert few.high is not None
    assert few.high > 0.6


def test_no_spread_is_no_certainty() -> None:
    """Ten equal families do not prove kappa to the last digit."""
    found = stats.kappa(
        ["a", "b", "a", "b"] * 10, ["a", "b", "b", "b"] * 10, family=np.repeat(np.arange(10), 4)
    )
    assert found.value == 0.5
    assert found.no_interval == "no variation between families"
    reference = stats.kappa(["a"] * 4, ["a", "b", "a", "a"])
    assert (reference.value, reference.no_interval) == (0.0, "reference constant")
    opposite = stats.kappa(["a", "b"] * 10, ["b", "a"] * 10)
    assert opposite.value == -1
    assert opposite.high is not None
    assert -1 < opposite.high < 0


def test_items_without_family_are_said_to_be_independent() -> None:
    human, judge = columns(1)
    assert "items taken as independent" in stats.kappa(human, judge).method
    assert "independent" not in stats.kappa(human, judge, family=np.arange(120)).method


def test_number_of_labels_of_the_scheme_matters_where_it_should() -> None:
    human, judge = ["supported", "contradicted"] * 20, ["supported", "supported"] * 20
    named = stats.ac1(human, judge)
    two = stats.ac1(human, judge, labels=["supported", "contradicted"])
    assert value(named) != pytest.approx(value(two))
    assert value(stats.kappa(human, judge)) == pytest.approx(
        value(stats.kappa(human, judge, labels=["supported", "contradicted"]))
    )


def test_scale_of_the_built_in_labels_does_not_depend_on_their_order() -> None:
    rng = np.random.default_rng(2)
    names = np.array(["supported", "contradicted", "unverifiable"], dtype=object)
    human, judge = names[rng.integers(0, 3, 60)], names[rng.integers(0, 3, 60)]
    plain = stats.weighted_kappa(human, judge)
    assert stats.weighted_kappa(human, judge, labels=names.tolist()).value == plain.value
    other = stats.weighted_kappa(human, judge, scale=names.tolist())
    assert other.value != pytest.approx(plain.value)


def test_recall_counts_what_was_asked() -> None:
    human = ["y"] * 6 + ["n"] * 4 + [None]
    judge = ["y", "y", "n", None, None, "y", "n", "n", "y", None, "y"]
    recall = stats.recall(human, judge)
    assert (recall["y"].k, recall["y"].n, recall["y"].n_asked) == (3, 4, 6)
    precision = stats.precision(human, judge)
    assert (precision["y"].k, precision["y"].n, precision["y"].n_asked) == (3, 4, 5)
    f1 = stats.f1(human, judge)["y"]
    assert f1.value == pytest.approx(0.75)
    assert (f1.n, f1.n_asked) == (5, 8)


def test_macro_scores_say_over_how_many_classes() -> None:
    found = stats.balanced_accuracy(["supported", "contradicted"], ["supported"] * 2)
    assert found.value == 0.5
    assert any(note.startswith("mean over 2 of 3 classes") for note in found.notes)


def test_unknown_classes_do_not_break_f1() -> None:
    found = stats.f1(["a", "a", "b"], ["b", "b", "a"], labels=["a", "b", "c"])
    assert found["a"].value == 0
    assert found["a"].high is not None
    assert found["c"].undefined is not None


def test_rates() -> None:
    found = stats.rate([True] * 30, family=np.repeat(np.arange(10), 3), level=0.90)
    assert (found.value, found.high, found.k) == (1.0, 1.0, 30)
    assert found.low == pytest.approx(0.05 ** (1 / 10))
    none = stats.rate(pd.Series([0] * 5))
    assert (none.value, none.low) == (0.0, 0.0)
    assert stats.rate([]).undefined == "no items"
    assert stats.rate([1, 0], family=[1, 1]).no_interval == "fewer than 2 families"
    clustered = stats.rate([1, 1, 1, 0, 0, 0] * 5, family=np.repeat(np.arange(10), 3))
    alone = stats.rate([1, 1, 1, 0, 0, 0] * 5)
    assert clustered.low is not None
    assert alone.low is not None
    assert clustered.low < alone.low
    exact = stats.rate([1, 1, 1, 0, 1, 0] * 5, interval="korn-graubard")
    score = stats.rate([1, 1, 1, 0, 1, 0] * 5)
    assert exact.low is not None
    assert score.low is not None
    assert exact.low < score.low


def test_rate_messages() -> None:
    with pytest.raises(ValueError, match="successes must be 0, 1 or missing, got 2"):
        stats.rate([0, 2])
    with pytest.raises(ValueError, match="successes must be true or false or missing, got a str"):
        stats.rate(["yes"])
    with pytest.raises(ValueError, match="interval must be 'wilson' or 'korn-graubard', got 'x'"):
        stats.rate([1], interval="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="k and n must be 0 <= k <= n with n > 0, got k=3, n=2"):
        stats.wilson(3, 2)
    with pytest.raises(ValueError, match="value must be strictly between -1 and 1, got 1"):
        stats.fisher_z_interval(1, 0.1, 3)
    with pytest.raises(ValueError, match="df must be > 0, got 0"):
        stats.t_interval(0.5, 0.1, 0)
    with pytest.raises(ValueError, match="units must be > 0, got 0"):
        stats.zero_error_bound(0)
    with pytest.raises(ValueError, match="families must be >= 2"):
        stats.effective_size([1], [1])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("cubic", "weights must be 'identity', 'linear', 'quadratic' or a matrix, got 'cubic'"),
        (np.eye(2), r"weights must be a finite 3 x 3 matrix, got \(2, 2\)"),
        (np.full((3, 3), 0.5), "weights must be 1 on the diagonal and within 0..1"),
    ],
)
def test_weight_messages(weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stats.weighted_kappa([0, 1, 2], [0, 1, 1], weights=weights)


def test_cost_and_scale_messages() -> None:
    with pytest.raises(ValueError, match="disagreement must be 0 on the diagonal"):
        stats.weighted_kappa([0, 1], [0, 1], disagreement=[[1, 0], [0, 1]])
    with pytest.raises(ValueError, match=r"scale must order the labels \(0, 1\), got \(0, 2\)"):
        stats.weighted_kappa([0, 1], [0, 1], labels=[0, 1], scale=[0, 2])


def test_panels_with_holes() -> None:
    ratings = [["y", "y", None], ["y", None, None], [None, None, None], ["n", "y", "n"]]
    for function in (stats.krippendorff_alpha, stats.fleiss_kappa, stats.panel_ac1):
        found = function(ratings)
        assert (found.n, found.n_asked) == (2, 4)
        assert found.defined
    light = stats.light_kappa([["y", "y", None], ["n", "n", None], ["y", "n", "y"]])
    assert any("of 3 pairs of raters" in note for note in light.notes)
    frame = pd.DataFrame(ratings, columns=["one", "two", "three"])
    assert stats.fleiss_kappa(frame) == stats.fleiss_kappa(ratings)


def test_panel_of_one_or_none_has_no_items() -> None:
    for ratings in ([["y"], ["n"]], [["y", None], [None, "n"]], []):
        for function in (stats.krippendorff_alpha, stats.fleiss_kappa, stats.light_kappa):
            assert function(ratings).undefined == "no items"


def test_panel_messages() -> None:
    with pytest.raises(ValueError, match="metric must be one of .*, got 'ordinary'"):
        stats.krippendorff_alpha([[1, 2]], metric="ordinary")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="labels must be >= 0 on the ratio scale, got -1"):
        stats.krippendorff_alpha([[-1, 2]], metric="ratio")
    with pytest.raises(ValueError, match="coefficient must be one of .*, got 'pi'"):
        stats.panel_se([["y", "n"]], coefficient="pi")  # type: ignore[arg-type]
    assert np.isnan(stats.panel_se([["y", "n"]], coefficient="ac"))
    with pytest.raises(ValueError, match="table must be square with counts >= 0"):
        stats.kappa_se([[1, 2, 3]])
    assert np.isnan(stats.kappa_se0([[5, 0], [0, 0]]))
    assert np.isnan(stats.kappa_se0([[0, 0], [0, 0]]))


def test_nothing_warns() -> None:
    """0/0 inside the formulas is expected there and must not reach the user."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for human, judge in ((["a"] * 4, ["a"] * 4), (["a", "b"], ["a", "a"]), ([], [])):
            for function in (stats.kappa, stats.mcc, stats.f1, stats.balanced_accuracy, stats.ac1):
                function(human, judge)
            for many in (stats.krippendorff_alpha, stats.light_kappa, stats.conger_kappa):
                many(np.array([human, judge], dtype=object).T.tolist())
