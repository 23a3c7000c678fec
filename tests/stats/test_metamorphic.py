"""Metamorphic tests: who is eligible, what counts, what is said when there is nothing to count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire import stats
from voirdire.stats.reasons import (
    FEW_FAMILIES,
    NO_DISCORDANT,
    NO_ELIGIBLE,
    NO_ITEMS,
    ONE_LABEL,
    ONE_LEVEL,
    SEPARATION,
)

S, C, U = "supported", "contradicted", "unverifiable"
LABELS = [S, C, U, None]
label = st.sampled_from(LABELS)
pairs = st.lists(st.tuples(label, label, label, label), min_size=1, max_size=30)
FOUR_COLUMNS = [
    stats.paraphrase_consistency,
    stats.negation_flip_rate,
    stats.stuck_rate,
    stats.unverifiable_stays_rate,
    stats.blind_rate,
]


def columns(rows: list[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


@given(rows=pairs)
@settings(deadline=None)
def test_a_constant_judge_is_consistent_and_never_turns(rows: list[tuple[Any, ...]]) -> None:
    before, after, _, _ = columns(rows)
    judge = [S] * len(rows)
    kept = stats.paraphrase_consistency(before, after, judge, judge)
    turned = stats.negation_flip_rate(before, after, judge, judge)
    stuck = stats.stuck_rate(before, after, judge, judge)
    assert kept.value in (1.0, None)
    assert turned.value in (0.0, None)
    assert stuck.value in (1.0, None)
    assert turned.n == stuck.n


@given(rows=pairs)
@settings(deadline=None)
def test_a_perfect_judge_passes_everything(rows: list[tuple[Any, ...]]) -> None:
    before, after, _, _ = columns(rows)
    good = [before, after, before, after]
    assert stats.paraphrase_consistency(*good).value in (1.0, None)
    assert stats.negation_flip_rate(*good).value in (1.0, None)
    assert stats.stuck_rate(*good).value in (0.0, None)
    assert stats.unverifiable_stays_rate(*good).value in (1.0, None)
    assert stats.blind_rate(*good).value in (0.0, None)
    assert stats.number_detection_rate(after, after).value in (1.0, None)
    harm = stats.paraphrase_harm(*good)
    assert harm.difference.value in (0.0, None)
    assert harm.p in (1.0, None)


@given(rows=pairs)
@settings(max_examples=60, deadline=None)
def test_rates_against_a_plain_loop(rows: list[tuple[Any, ...]]) -> None:
    flip = {S: C, C: S}
    turned = [r for r in rows if r[0] in flip and r[1] == flip[r[0]]]
    judged = [r for r in turned if r[2] and r[3]]
    found = stats.negation_flip_rate(*columns(rows))
    assert (found.n_asked, found.n) == (len(turned), len(judged))
    if judged:
        hits = [r[3] == {**flip, U: U}[r[2]] for r in judged]
        assert found.value == pytest.approx(np.mean(hits))
        stuck = stats.stuck_rate(*columns(rows))
        assert stuck.value == pytest.approx(np.mean([r[2] == r[3] for r in judged]))
    right = [r for r in judged if r[2] == r[0]]
    only = stats.negation_flip_rate(*columns(rows), given_right=True)
    assert only.n == len(right)
    seen = [r for r in rows if r[0] == S and r[1] == C and r[2] == S and r[3]]
    blind = stats.blind_rate(*columns(rows))
    assert blind.n == len(seen)
    if seen:
        assert blind.value == pytest.approx(np.mean([r[3] == S for r in seen]))


def test_a_paraphrase_that_changed_its_human_label_is_not_eligible() -> None:
    found = stats.paraphrase_consistency([S, S, None], [S, C, S], [S, S, S], [S, S, S])
    assert (found.n, found.n_asked) == (1, 1)


def test_a_silent_judge_is_asked_and_not_counted() -> None:
    found = stats.negation_flip_rate([S, S], [C, C], [S, None], [C, C])
    assert (found.n, found.n_asked, found.k) == (1, 2, 1)


@pytest.mark.parametrize("function", FOUR_COLUMNS)
def test_nothing_eligible_is_said(function: Any) -> None:
    assert function([], [], [], []).undefined == NO_ELIGIBLE
    assert function([None], [None], [S], [S]).undefined == NO_ELIGIBLE
    with pytest.raises(ValueError, match="all columns must have one length"):
        function([S], [S, S], [S], [S])
    with pytest.raises(ValueError, match="judge_variant must hold labels of the scheme"):
        function([S], [S], [S], ["maybe"], labels=[S, C, U])


def test_eligible_but_unjudged_is_no_items() -> None:
    found = stats.negation_flip_rate([S], [C], [None], [None])
    assert found.undefined == NO_ITEMS
    assert found.n_asked == 1


def test_zero_blind_pairs_get_the_one_sided_bound() -> None:
    """0 of n in F families: upper bound 1 - .05^(1/F), however many pairs a family has."""
    many = stats.blind_rate([S] * 60, [C] * 60, [S] * 60, [C] * 60, family=np.arange(60) // 3)
    assert many.value == 0
    assert many.high == pytest.approx(1 - 0.05 ** (1 / 20), abs=1e-12)


def test_families_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    by_family = rng.random(40) < 0.7
    judge = [S if x else U for x in by_family.repeat(3)]
    people = [S] * 120
    alone = stats.paraphrase_consistency(people, people, people, judge)
    together = stats.paraphrase_consistency(
        people, people, people, judge, family=np.repeat(np.arange(40), 3)
    )
    assert alone.value == together.value
    assert (together.high or 0) - (together.low or 0) > 1.4 * ((alone.high or 0) - (alone.low or 0))


def test_symmetric_negation_of_labels_outside_the_map() -> None:
    found = stats.symmetric_negation(
        ["yes", "no", "?"], ["no", "no", "?"], flip={"yes": "no", "no": "yes"}
    )
    assert (found.k, found.n, found.n_asked) == (1, 2, 2)


# --- paraphrase harm -----------------------------------------------------------------------------


def test_harm_with_several_paraphrases_of_a_family() -> None:
    people = [S] * 9
    before, after = [S] * 9, [S, C, C, S, S, S, S, S, C]
    family = np.repeat([1, 2, 3], 3)
    found = stats.paraphrase_harm(people, people, before, after, family=family)
    assert found.difference.value == pytest.approx(1 / 3)
    assert found.difference.families == 3
    assert found.mcnemar is None
    assert found.p == stats.sign_flip_test([2, 0, 1]).p


def test_harm_without_discordant_pairs() -> None:
    people = [S] * 6
    for family in (None, [1, 1, 2, 2, 3, 3]):
        found = stats.paraphrase_harm(people, people, people, people, family=family)
        assert (found.difference.value, found.p) == (0, 1.0)
        assert NO_DISCORDANT in found.difference.notes
        assert (found.difference.high or 0) > 0.2
    empty = stats.paraphrase_harm([S], [S], [None], [S])
    assert empty.difference.undefined == NO_ITEMS
    assert (empty.difference.n_asked, empty.p) == (1, None)


# --- scores and short claims ---------------------------------------------------------------------


def test_scores_symmetric_under_negation() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(50)
    same = stats.symmetric_scores(p, p)
    assert same["absolute"].value == 0
    assert same["signed"].no_interval
    shifted = stats.symmetric_scores(p, p - 0.1 + rng.normal(0, 0.01, 50))
    assert shifted["signed"].value == pytest.approx(0.1, abs=0.01)
    assert (shifted["signed"].low or 0) > 0.09
    gaps = stats.symmetric_scores([0.5, np.nan], [0.4, 0.3])
    assert (gaps["signed"].n, gaps["signed"].n_asked) == (1, 2)
    with pytest.raises(ValueError, match="must have one length"):
        stats.symmetric_scores([0.1], [0.1, 0.2])


def test_short_claim_slope_finds_the_slope_it_was_made_from() -> None:
    """True slope .6 per doubling; 3,000 claims in families of three that share their ease."""
    rng = np.random.default_rng(2)
    tokens = rng.integers(3, 60, 3000)
    ease = rng.normal(0, 0.3, 1000).repeat(3)
    right = rng.random(3000) < 1 / (1 + np.exp(-(-1.5 + 0.6 * np.log2(tokens) + ease)))
    found = stats.short_claim_slope(right, tokens, family=np.repeat(np.arange(1000), 3))
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.6 < found.high
    assert found.high - found.low < 0.4


def test_short_claim_slope_says_what_is_missing() -> None:
    slope = stats.short_claim_slope
    assert slope([], []).undefined == NO_ITEMS
    assert slope([1, 1, 1], [2, 3, 4]).undefined == ONE_LABEL
    assert slope([1, 0, 1], [4, 4, 4]).undefined == ONE_LEVEL
    assert slope([0, 0, 1, 1], [2, 3, 8, 9]).undefined == SEPARATION
    assert slope([0, 1, 0, 1], [2, 2, 9, 9], family=[1] * 4).no_interval == FEW_FAMILIES
    with_gaps = slope([0, 1, 0, 1, np.nan], [2, 2, 9, 9, 0])
    assert (with_gaps.n, with_gaps.n_asked) == (4, 5)
    with pytest.raises(ValueError, match="right and tokens must have one length"):
        slope([1], [1, 2])


def test_short_claim_difference() -> None:
    found = stats.short_claim_difference([0, 1, 1, 1], [2, 3, 9, 9], cut=5)
    assert found.value == 0.5
    difference = stats.short_claim_difference
    assert difference([], [], cut=5).undefined == NO_ITEMS
    assert difference([1, 0], [9, 9], cut=5).undefined == ONE_LEVEL
    with pytest.raises(ValueError, match="cut must be > 0, got 0"):
        difference([1], [1], cut=0)


# --- partial correlation -------------------------------------------------------------------------


def test_partial_correlation_is_that_of_the_residuals() -> None:
    rng = np.random.default_rng(3)
    group = rng.integers(0, 4, 200)
    x = group + rng.normal(size=200)
    y = -2 * group + 0.5 * x + rng.normal(size=200)
    means = [np.array([v[group == g].mean() for g in range(4)])[group] for v in (x, y)]
    expected = np.corrcoef(x - means[0], y - means[1])[0, 1]
    found = stats.partial_correlation(x, y, group=group)
    assert found.value == pytest.approx(expected, abs=1e-12)
    plain = stats.partial_correlation(x, y)
    assert plain.value == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-12)
    assert plain.value < 0 < found.value
    moved = stats.partial_correlation(1e6 + 1e-3 * x, y - 1e5, group=group)
    assert moved.value == pytest.approx(expected, abs=1e-6)


def test_partial_correlation_of_constants_is_undefined() -> None:
    assert stats.partial_correlation([1, 1, 1], [1, 2, 3]).undefined
    assert stats.partial_correlation([], []).undefined == NO_ITEMS
    assert stats.partial_correlation([np.nan], [1.0]).undefined == NO_ITEMS
    with pytest.raises(ValueError, match="score and human must have one length"):
        stats.partial_correlation([1], [1, 2])


def test_text_and_na_among_numbers_are_missing() -> None:
    """What a CSV may hold; nothing is raised and nothing is invented."""
    found = stats.partial_correlation(["0.1", None, "n/a", 0.4, 0.2], [1, 2, 3, pd.NA, 2.5])
    assert (found.n, found.n_asked) == (2, 5)
    slope = stats.short_claim_slope([True, None, False, True], ["3", 4, "many", 5])
    assert (slope.n, slope.undefined) == (2, ONE_LABEL)
    assert stats.paired_table([True, None, "x"], [False, True, True]).tolist() == [[0, 1], [0, 0]]
    assert stats.sign_flip_test([1, None, "x", 1]).families == 2
    kept = stats.keep_threshold(pd.Series([0.9, None, 0.8]), [True, False, None])
    assert kept.threshold is None


@pytest.mark.parametrize("kind", ["frame", "rows", "array"])
def test_frames_rows_and_arrays_give_the_same(kind: str) -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.choice([S, C, U, None], size=(40, 4)), columns=list("abcd"))
    shapes: dict[str, Any] = {
        "frame": frame,
        "rows": frame.to_numpy(object).tolist(),
        "array": frame.to_numpy(object),
    }
    judge, family = frame["d"], pd.Series(np.arange(40) // 2)
    one = stats.leave_one_out(shapes[kind], judge, family=family)
    assert one == stats.leave_one_out(frame.to_numpy(object), list(judge), family=list(family))
    assert stats.majority_labels(shapes[kind]) == stats.majority_labels(frame)
