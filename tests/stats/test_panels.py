"""Panels of annotators: ceiling, leave-one-out, alternative annotator, aggregation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire import stats
from voirdire.stats.reasons import (
    FEW_FAMILIES,
    NO_ITEMS,
    NO_LABEL,
    TIE,
    TOO_FEW_ANNOTATORS,
    TOO_FEW_ITEMS,
    TOO_FEW_LABELS,
    reason_code,
)

LABELS = ("supported", "contradicted", "unverifiable")
panels = st.lists(
    st.lists(st.sampled_from([*LABELS, None]), min_size=3, max_size=3), min_size=1, max_size=25
)


def draw_panel(
    rng: np.random.Generator, *, families: int, people: int = 3, tau: float = 0.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratings, judge, families: all answer with the same chance of being right, by family."""
    ease = rng.normal(1.2, tau, families).repeat(3)
    truth = rng.integers(0, 3, ease.size)
    right = rng.random((ease.size, people + 1)) < (1 / (1 + np.exp(-ease)))[:, None]
    wrong = (truth[:, None] + rng.integers(1, 3, right.shape)) % 3
    answers = np.where(right, truth[:, None], wrong)
    return answers[:, :people], answers[:, people], np.repeat(np.arange(families), 3)


# --- human ceiling and leave-one-out -------------------------------------------------------------


def test_ceiling_of_a_single_annotator_is_undefined() -> None:
    found = stats.human_ceiling([["supported", None], ["contradicted", None]])
    assert reason_code(found.kappa.undefined or "") == TOO_FEW_ANNOTATORS
    assert found.alpha.undefined == found.kappa.undefined
    assert found.pairs == ()


def test_ceiling_names_the_pair_that_stands_apart() -> None:
    rng = np.random.default_rng(0)
    good = rng.integers(0, 3, 60)
    noisy = rng.integers(0, 3, 60)
    pairs = stats.human_ceiling(np.column_stack([good, good, noisy])).pairs
    by_pair = {(pair.first, pair.second): pair.kappa for pair in pairs}
    assert by_pair[0, 1] == 1.0
    assert max(by_pair[0, 2] or 0, by_pair[1, 2] or 0) < 0.5


def test_leave_one_out_against_a_plain_loop() -> None:
    rng = np.random.default_rng(1)
    ratings, judge, family = draw_panel(rng, families=12, tau=1.0)
    ratings = ratings.astype(object)
    ratings[rng.random(ratings.shape) < 0.2] = None
    found = stats.leave_one_out(ratings, judge, family=family)

    def delta(rows: np.ndarray) -> float:
        parts = []
        for a in range(3):
            human, machine = [], []
            for i in rows:
                others = [x for k, x in enumerate(ratings[i]) if k != a and x is not None]
                if ratings[i, a] is None or not others:
                    continue
                human.append(np.mean([x == ratings[i, a] for x in others]))
                machine.append(np.mean([x == judge[i] for x in others]))
            parts.append(np.mean(machine) - np.mean(human))
        return float(np.mean(parts))

    assert found.delta.value == pytest.approx(delta(np.arange(36)), abs=1e-12)
    left_out = np.array([delta(np.flatnonzero(family != g)) for g in range(12)])
    se = np.sqrt(11 / 12 * np.sum((left_out - left_out.mean()) ** 2))
    assert (found.delta.high or 0) - found.delta.value == pytest.approx(
        stats.t_interval(0, se, 11).high, abs=1e-9
    )


def test_a_judge_that_copies_the_majority_beats_each_person() -> None:
    rng = np.random.default_rng(2)
    ratings, _, family = draw_panel(rng, families=60, people=5)
    judge = [np.bincount(row, minlength=3).argmax() for row in ratings]
    for compare in (stats.leave_one_out, stats.leave_one_out_kappa):
        found = compare(ratings, judge, family=family)
        assert (found.delta.low or 0) > 0
        assert found.answer == "accept"


def test_a_random_judge_is_rejected() -> None:
    rng = np.random.default_rng(3)
    ratings, _, family = draw_panel(rng, families=60)
    found = stats.leave_one_out(ratings, rng.integers(0, 3, 180), family=family)
    assert found.answer == "reject"
    assert (found.upper or 0) < -found.margin


def test_full_agreement_needs_families_to_prove_anything() -> None:
    few = stats.leave_one_out([["s"] * 3, ["c"] * 3] * 3, ["s", "c"] * 3)
    many = stats.leave_one_out([["s"] * 3, ["c"] * 3] * 100, ["s", "c"] * 100)
    assert (few.delta.value, many.delta.value) == (0, 0)
    assert few.answer == "inconclusive"
    assert many.answer == "accept"
    assert "Tango" in many.delta.method


@pytest.mark.parametrize("function", [stats.leave_one_out, stats.leave_one_out_kappa])
def test_leave_one_out_on_poor_data(function: Any) -> None:
    assert function([], []).delta.undefined is not None
    alone = function([["s"], ["c"]], ["s", "c"])
    assert reason_code(alone.delta.undefined) == TOO_FEW_ANNOTATORS
    silent = function([["s", "s"], ["c", "c"]], [None, None])
    assert silent.delta.undefined == NO_ITEMS
    assert silent.answer == "inconclusive"
    one = function([["s", "c"], ["c", "c"], ["s", "s"]], ["s", "c", "s"], family=[1, 1, 1])
    assert one.delta.no_interval == FEW_FAMILIES
    with pytest.raises(ValueError, match="margin must be > 0, got 0"):
        function([["s", "c"]], ["s"], margin=0)
    with pytest.raises(ValueError, match="judge must have one label per item"):
        function([["s", "c"]], ["s", "c"])


def test_verdict_z_is_a_description_only() -> None:
    few = stats.judge_verdict_z([["s", "c"], ["c", "c"]], ["s", "c"])
    assert reason_code(few.z.undefined or "") == TOO_FEW_ANNOTATORS
    same = stats.judge_verdict_z([["s"] * 3, ["c"] * 3] * 4, ["s", "c"] * 4)
    assert same.z.undefined == "no variation between annotators"
    one = stats.judge_verdict_z([["s"] * 3] * 4, ["s"] * 4)
    assert one.z.undefined == "one label only"


# --- alternative annotator test ------------------------------------------------------------------


def test_the_epsilon_table() -> None:
    assert stats.EPSILON == {"expert": 0.2, "skilled": 0.15, "crowd": 0.1}
    ratings, judge, _ = draw_panel(np.random.default_rng(4), families=20)
    for name, epsilon in stats.EPSILON.items():
        by_name = stats.alternative_annotator_test(ratings, judge, epsilon=name)
        assert by_name == stats.alternative_annotator_test(ratings, judge, epsilon=epsilon)


def test_annotators_with_few_items_are_left_out_and_named() -> None:
    ratings, judge, _ = draw_panel(np.random.default_rng(5), families=20, people=4)
    ratings = ratings.astype(object)
    ratings[29:, 3] = None
    found = stats.alternative_annotator_test(ratings, judge)
    assert [row.undefined is None for row in found.annotators] == [True, True, True, False]
    assert reason_code(found.annotators[3].undefined or "") == TOO_FEW_ITEMS
    assert (found.winning_rate.n, found.winning_rate.n_asked) == (3, 4)
    ratings[29:, 2] = None
    fewer = stats.alternative_annotator_test(ratings, judge)
    assert reason_code(fewer.winning_rate.undefined or "") == TOO_FEW_ANNOTATORS
    assert (fewer.passed, fewer.passed_clustered) == (None, None)
    assert fewer.advantage.undefined == fewer.winning_rate.undefined


def test_one_family_has_no_clustered_test() -> None:
    ratings, judge, _ = draw_panel(np.random.default_rng(6), families=20)
    found = stats.alternative_annotator_test(ratings, judge, family=[1] * 60)
    assert found.passed is not None
    assert found.winning_rate_clustered.undefined == FEW_FAMILIES
    assert found.passed_clustered is None


def test_class_weighting_shows_what_the_frequent_class_hides() -> None:
    """A judge that always says the frequent label: the plain advantage hides its blindness."""
    rng = np.random.default_rng(7)
    truth = np.where(rng.random(300) < 0.9, 0, 1)
    ratings = np.where(rng.random((300, 3)) < 0.95, truth[:, None], 1 - truth[:, None])
    found = stats.alternative_annotator_test(ratings, np.zeros(300, dtype=int), epsilon=0.2)
    assert (found.advantage.value or 0) > 0.85
    assert (found.advantage_by_class.value or 1) < 0.75  # .5 but for items where people differ


def test_wrong_arguments_of_the_alternative_annotator_test() -> None:
    with pytest.raises(ValueError, match="epsilon must be a number or one of"):
        stats.alternative_annotator_test([["s"] * 3], ["s"], epsilon="novice")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"epsilon must be in \[0, 1\], got 2"):
        stats.alternative_annotator_test([["s"] * 3], ["s"], epsilon=2)
    with pytest.raises(ValueError, match="q must be between 0 and 1, got 0"):
        stats.alternative_annotator_test([["s"] * 3], ["s"], q=0)


def boundary_rejections(studies: int, epsilon: float, seed: int) -> tuple[float, float]:
    """Share of studies in which annotator 0 is called beaten (raw p <= .05): original, clustered.

    The null hypothesis "E d >= epsilon" holds with equality (`_boundary_study` derives it), so a
    test of size 5 % rejects in 5 % of studies.
    """
    rng = np.random.default_rng(seed)
    plain = clustered = 0
    for _ in range(studies):
        ratings, judge, family = _boundary_study(rng, families=20, epsilon=epsilon)
        row = stats.alternative_annotator_test(
            ratings, judge, family=family, epsilon=epsilon
        ).annotators[0]
        assert row.p is not None
        assert row.p_clustered is not None
        plain += row.p <= 0.05
        clustered += row.p_clustered <= 0.05
    return plain / studies, clustered / studies


def _boundary_study(
    rng: np.random.Generator, *, families: int, epsilon: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A study in which E d of annotator 0 is exactly epsilon, with clustered errors.

    Annotators 1 and 2 always give the truth, so for annotator 0 the score of an answer is 1 if
    it is true, else 0: d = 1 where only the annotator is right, -1 where only the judge is, else
    0. A family has one of three states: only the annotator right (chance .3 + epsilon/2), only
    the judge right (.3 - epsilon/2), both right (.4). E d is the difference of the first two,
    epsilon. A fifth of the variants draw a state of their own from the same chances: the
    clustering is strong, not total.
    """
    chances = [0.3 + epsilon / 2, 0.3 - epsilon / 2, 0.4]
    states = rng.choice(3, size=families, p=chances).repeat(3)
    own = rng.random(states.size) < 0.2
    states = np.where(own, rng.choice(3, size=states.size, p=chances), states)
    truth = rng.integers(0, 3, states.size)
    other = (truth + 1) % 3
    person = np.where(states == 1, other, truth)
    judge = np.where(states == 0, other, truth)
    return np.column_stack([person, truth, truth]), judge, np.repeat(np.arange(families), 3)


def test_size_of_the_alternative_annotator_test_short() -> None:
    """True value: E d = epsilon by construction (`_boundary_study`); nominal size 5 %."""
    plain, clustered = boundary_rejections(500, 0.0, 21)
    assert 0.025 <= clustered <= 0.08
    assert plain >= 0.10
    assert plain > clustered + 0.03


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "low", "high"),
    [
        (0.0, 0.041, 0.060),  # d symmetric: the t-test has its nominal size
        (0.2, 0.033, 0.050),  # d skewed to the left: 4.1 % at 20 families, on the safe side
    ],
)
def test_size_of_the_alternative_annotator_test_long(
    epsilon: float, low: float, high: float
) -> None:
    """As the short one. The original test rejects in 13 to 14 % here."""
    plain, clustered = boundary_rejections(4000, epsilon, 22)
    assert low <= clustered <= high
    assert 0.11 <= plain <= 0.16


def unclustered_rejections(studies: int, seed: int) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    counts = np.zeros(2)
    for _ in range(studies):
        ratings, judge, _ = _boundary_study(rng, families=60, epsilon=0.2)
        rows = slice(0, None, 3)  # one variant per family: no clustering is left
        row = stats.alternative_annotator_test(ratings[rows], judge[rows], epsilon=0.2).annotators[
            0
        ]
        counts += [(row.p or 0) <= 0.05, (row.p_clustered or 0) <= 0.05]
    return counts[0] / studies, counts[1] / studies


def test_without_clusters_both_versions_agree() -> None:
    """One variant a family: both are the same t-test, of size 5 %."""
    plain, clustered = unclustered_rejections(400, 23)
    assert plain == clustered
    assert plain <= 0.08


# --- majority, soft labels -----------------------------------------------------------------------


@given(ratings=panels)
@settings(deadline=None)
def test_majority_is_a_strict_one_or_has_a_reason(ratings: list[list[str | None]]) -> None:
    found = stats.majority_labels(ratings, labels=LABELS)
    for row, label, reason in zip(ratings, found.labels, found.reasons, strict=True):
        votes = {x: row.count(x) for x in LABELS}
        if label is None:
            assert reason in (TIE, NO_LABEL)
        else:
            assert all(votes[label] > n for other, n in votes.items() if other != label)


@given(ratings=panels, seed=st.integers(0, 50))
@settings(max_examples=40, deadline=None)
def test_the_order_of_annotators_is_irrelevant(ratings: list[list[str | None]], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(3)
    turned = [[row[k] for k in order] for row in ratings]
    assert stats.majority_labels(ratings, labels=LABELS) == stats.majority_labels(
        turned, labels=LABELS
    )
    assert stats.soft_labels(ratings, labels=LABELS) == stats.soft_labels(turned, labels=LABELS)


@given(ratings=panels)
@settings(deadline=None)
def test_no_judge_passes_the_soft_ceiling(ratings: list[list[str | None]]) -> None:
    soft = stats.soft_labels(ratings, labels=LABELS)
    judge = [row[0] or "supported" for row in ratings]
    found = stats.soft_label_scores(soft, judge)
    if found["ceiling"].value is not None:
        assert (found["expected_accuracy"].value or 0) <= found["ceiling"].value + 1e-12


def test_soft_scores_refuse_wrong_shapes() -> None:
    soft = stats.soft_labels([["s", "c"]], labels=["s", "c"])
    with pytest.raises(ValueError, match="judge must have one label per item"):
        stats.soft_label_scores(soft, ["s", "c"])
    with pytest.raises(ValueError, match="probabilities must have shape"):
        stats.soft_label_scores(soft, ["s"], probabilities=[[0.2, 0.3, 0.5]])
    with pytest.raises(ValueError, match="ratings must have shape"):
        stats.majority_labels(["s", "c"])  # type: ignore[list-item]


def test_certain_errors_have_a_finite_price() -> None:
    soft = stats.soft_labels([["s", "s"]], labels=["s", "c"])
    found = stats.soft_label_scores(soft, ["c"], probabilities=[[0.0, 1.0]])
    assert found["cross_entropy"].value == pytest.approx(15 * np.log(10), abs=0.01)


# --- Dawid and Skene -----------------------------------------------------------------------------


def test_dawid_skene_finds_the_confusions_it_was_made_from() -> None:
    """True values: shares (.5, .3, .2), and the matrices below; 4,000 items, standard errors
    about .01."""
    rng = np.random.default_rng(8)
    truth = rng.choice(3, size=4000, p=[0.5, 0.3, 0.2])
    matrices = np.array(
        [np.full((3, 3), (1 - a) / 2) + np.eye(3) * (a - (1 - a) / 2) for a in (0.9, 0.8, 0.7)]
    )
    ratings = np.column_stack(
        [(rng.random((4000, 1)) > m[truth].cumsum(axis=1)).sum(axis=1) for m in matrices]
    )
    found = stats.dawid_skene(ratings)
    assert found.shares == pytest.approx((0.5, 0.3, 0.2), abs=0.03)
    assert np.allclose(np.array(found.confusion), matrices, atol=0.06)
    assert np.allclose(np.array(found.confusion).sum(axis=2), 1)
    majority = stats.majority_labels(ratings).labels
    better = np.mean(np.array(found.labels) == truth)
    assert better > np.mean([x == t for x, t in zip(majority, truth, strict=True)])


def test_dawid_skene_repeats_itself_and_takes_missing_labels() -> None:
    ratings, _, _ = draw_panel(np.random.default_rng(9), families=60)
    ratings = ratings.astype(object)
    ratings[np.random.default_rng(1).random(ratings.shape) < 0.3] = None
    ratings[0] = None
    one, two = stats.dawid_skene(ratings, rng=5), stats.dawid_skene(ratings, rng=5)
    assert one == two
    assert one.labels[0] is None
    assert one.posterior[0] is None
    assert len(one.labels) == 180


def test_dawid_skene_smooths_rare_classes_only() -> None:
    rng = np.random.default_rng(10)
    truth = np.where(np.arange(200) < 4, 2, rng.integers(0, 2, 200))
    ratings = np.column_stack([truth, truth, truth])
    smooth = stats.dawid_skene(ratings)
    assert smooth.smoothed == (2,)
    assert min(smooth.confusion[0][2]) > 0
    assert stats.dawid_skene(ratings, smooth=False).confusion[0][2] == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("ratings", "code"),
    [
        ([["s", "c"]] * 100, TOO_FEW_ANNOTATORS),
        ([["s", "c", "s"]] * 99, TOO_FEW_ITEMS),
        ([["s", "c", "s"]] * 29 + [["s", "c", None]] * 71, TOO_FEW_LABELS),
        ([], TOO_FEW_ANNOTATORS),
    ],
)
def test_dawid_skene_refuses_little_data(ratings: list[Any], code: str) -> None:
    found = stats.dawid_skene(ratings)
    assert reason_code(found.undefined or "") == code
    assert found.labels == ()


def test_dawid_skene_refuses_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="restarts must be >= 0, got -1"):
        stats.dawid_skene([["s"]], restarts=-1)
    with pytest.raises(ValueError, match="counts must be numbers >= 0"):
        stats.dawid_skene_counts([[1, 2]])
    with pytest.raises(ValueError, match="labels must name 2 classes, got 1"):
        stats.dawid_skene_counts([[[1, 0]]], labels=["s"])


# --- reference noise -----------------------------------------------------------------------------


@given(accuracy=st.floats(0.55, 0.99), error=st.floats(0.01, 0.3))
@settings(deadline=None)
def test_binary_noise_is_undone_exactly(accuracy: float, error: float) -> None:
    """a_obs = a (1 - e) + (1 - a) e: a judge right in .9 shows .82 at 10 % wrong labels."""
    seen = accuracy * (1 - error) + (1 - accuracy) * error
    table = np.array([[seen, 1 - seen], [1 - seen, seen]]) * 500
    (line,) = stats.reference_noise_sensitivity(table, error=error, factors=(1.0,))
    assert line.accuracy.value == pytest.approx(accuracy, abs=1e-9)


def test_noise_of_three_classes_with_a_given_confusion() -> None:
    truth = np.array([[300.0, 20, 30], [10, 150, 20], [30, 20, 100]])
    errors = 0.9 * np.eye(3) + 0.1 * np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    (line,) = stats.reference_noise_sensitivity(
        errors.T @ truth, error=0.1, confusion=[[0, 1, 0], [0, 0, 1], [1, 0, 0]], factors=(1.0,)
    )
    assert line.accuracy.value == pytest.approx(550 / 680, abs=1e-9)
    assert line.accuracy.no_interval
    assert "not identified" in line.accuracy.notes[0]


def test_more_noise_than_the_data_allow_is_said() -> None:
    lines = stats.reference_noise_sensitivity([[49, 1], [1, 49]], error=0.05)
    assert [line.error for line in lines] == pytest.approx([0.025, 0.05, 0.075])
    assert lines[1].accuracy.undefined is not None
    assert "negative counts" in lines[1].accuracy.undefined
    half = stats.reference_noise_sensitivity([[5, 5], [5, 5]], error=0.5, factors=(1.0,))
    assert reason_code(half[0].kappa.undefined or "") == "reference uninformative"
    empty = stats.reference_noise_sensitivity([[0, 0], [0, 0]], error=0.1)
    assert empty[0].accuracy.undefined == NO_ITEMS


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        ([[1, 2]], 0.1, "table must be square"),
        ([[1, -2], [3, 4]], 0.1, "table must hold numbers >= 0"),
        ([[1, 2], [3, 4]], 1.0, r"error must be in \[0, 1\), got 1.0"),
    ],
)
def test_wrong_noise_arguments(table: list[list[int]], error: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stats.reference_noise_sensitivity(table, error=error)
