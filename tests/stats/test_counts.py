"""The reduction: what is a label, what is missing, what is a family."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire import stats
from voirdire.stats.coding import SCALE, code_families, code_labels, coding_scheme, values_of
from voirdire.stats.counts import collapse, collapse_weighted

HUMAN = ["supported", "contradicted", None, "supported", "unverifiable"]
JUDGE = ["supported", "supported", "supported", None, "unverifiable"]
FAMILY = ["a", "a", "b", "b", "c"]


@pytest.mark.parametrize(
    "wrap",
    [
        list,
        tuple,
        lambda x: np.array(x, dtype=object),
        pd.Series,
        lambda x: pd.Series(x, dtype="string"),
        lambda x: pd.Series(x, dtype="category"),
        iter,
    ],
    ids=["list", "tuple", "array", "series", "string series", "category", "iterator"],
)
def test_all_containers_give_the_same(wrap: Any) -> None:
    counts = stats.family_counts(wrap(HUMAN), wrap(JUDGE), family=wrap(FAMILY))
    assert counts.labels == SCALE
    assert counts.table.tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 1]]
    assert (counts.n, counts.n_asked, counts.families) == (3, 5, 2)
    assert (counts.missing_human, counts.missing_judge) == (1, 1)
    assert counts.asked_of_human == (1, 1, 2)
    assert counts.asked_of_judge == (0, 1, 3)


@pytest.mark.parametrize("nothing", [None, float("nan"), np.nan, pd.NA, pd.NaT, "", "  "])
def test_missing_is_never_a_label(nothing: Any) -> None:
    counts = stats.family_counts(["y", nothing, "n"], ["y", "y", nothing])
    assert counts.labels == ("n", "y")
    assert (counts.n, counts.missing_human, counts.missing_judge) == (1, 1, 1)
    assert code_labels([nothing, "y"], ("y",), name="x").tolist() == [-1, 0]


def test_integers_and_floats_with_nan() -> None:
    whole = stats.family_counts(np.array([0, 2, 2]), np.array([0, 2, 0]))
    holes = stats.family_counts(np.array([0.0, 2.0, np.nan, 2.0]), pd.Series([0, 2, 0, 0]))
    assert whole.labels == (0, 2)
    assert holes.table.tolist() == whole.table.tolist() == [[1, 0], [1, 1]]


def test_large_and_negative_integers_as_families() -> None:
    codes = code_families(np.array([10**15, -3, 10**15, 7]), 4)
    assert codes is not None
    number, size = codes
    assert size == 3
    assert number[0] == number[2]
    assert len(set(number.tolist())) == 3


def test_a_row_without_family_is_its_own() -> None:
    counts = stats.family_counts([0, 1, 1, 0], [0, 1, 0, 0], family=["a", None, None, "a"])
    assert counts.families == 3


def test_a_family_without_any_pair_does_not_count() -> None:
    counts = stats.family_counts([0, 1, None], [0, 1, 1], family=[1, 2, 3])
    assert counts.families == 2


def test_scheme() -> None:
    assert coding_scheme(None, []) == SCALE
    assert coding_scheme(None, ["supported"]) == SCALE
    assert coding_scheme(None, ["yes", "no"]) == ("no", "yes")
    assert coding_scheme(None, ["b", 1, None]) == (1, "b")
    assert coding_scheme(("z", "a"), ["a"]) == ("z", "a")


def test_messages() -> None:
    with pytest.raises(
        ValueError, match=r"judge must hold labels of the scheme .*, got 'maybe' in row 1"
    ):
        stats.kappa(["y", "n"], ["y", "maybe"], labels=["y", "n"])
    with pytest.raises(ValueError, match="human must hold labels of the scheme .*, got 7 in row 2"):
        stats.kappa(np.array([0, 1, 7]), np.array([0, 1, 1]), labels=[0, 1])
    with pytest.raises(ValueError, match=r"judge must have one label per item \(2\), got 1"):
        stats.kappa(["y", "n"], ["y"])
    with pytest.raises(ValueError, match=r"family must have one entry per item \(1\), got 2"):
        stats.kappa(["y"], ["y"], family=[1, 2])
    with pytest.raises(TypeError, match="human must be a sequence of labels, got str"):
        stats.kappa("yes", ["y"])
    with pytest.raises(ValueError, match=r"judge must be one-dimensional, got shape \(1, 1\)"):
        stats.kappa(["y"], np.array([["y"]]))
    with pytest.raises(ValueError, match="labels must be distinct and none missing"):
        stats.kappa(["y"], ["y"], labels=["y", "y"])
    with pytest.raises(ValueError, match="level must be between 0 and 1, got 95"):
        stats.kappa(["y", "n"], ["y", "n"], level=95)
    with pytest.raises(ValueError, match="weights must be 2 finite numbers >= 0"):
        stats.family_counts(["y", "n"], ["y", "n"], weights=[1, -1])
    with pytest.raises(TypeError, match="family must be a sequence of labels, got int"):
        values_of(3, name="family")  # type: ignore[arg-type]


def test_weights_count_items_more_than_once() -> None:
    weighted = stats.family_counts([0, 1, 1], [0, 1, 0], weights=[2, 1, 0.5])
    assert weighted.table.tolist() == [[2, 0], [0.5, 1]]
    assert weighted.n == 3


ROWS = st.lists(
    st.tuples(
        st.sampled_from([0, 1, 2, None]), st.sampled_from([0, 1, 2, None]), st.integers(0, 6)
    ),
    max_size=40,
)


@given(ROWS)
def test_counts_are_what_counting_by_hand_gives(rows: list[tuple[Any, Any, int]]) -> None:
    human, judge, family = ([row[k] for row in rows] for k in range(3))
    counts = stats.family_counts(human, judge, family=family, labels=[0, 1, 2])
    by_hand: dict[int, list[int]] = {}
    for h, j, f in rows:
        if h is not None and j is not None:
            by_hand.setdefault(f, [0] * 9)[h * 3 + j] += 1
    expected = sorted(by_hand.values())
    found = np.repeat(counts.counts, counts.weight.astype(int), axis=0).astype(int)
    assert sorted(found.tolist()) == expected
    assert len(np.unique(counts.counts, axis=0)) == len(counts.counts)
    assert counts.n == sum(map(sum, expected))
    assert counts.families == len(expected)


@given(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=1, max_size=30))
def test_collapse_keeps_every_family(rows: list[list[int]]) -> None:
    sums = np.array(rows)
    counts, weight = collapse(sums)
    assert weight @ counts == pytest.approx(sums.sum(axis=0))
    assert weight.sum() == sums.any(axis=1).sum()
    again, heavier = collapse_weighted(counts, weight)
    assert heavier @ again == pytest.approx(weight @ counts)


def test_collapse_is_exact_when_packed_rows_overflow() -> None:
    """Counts so large and rows so long that one 64-bit number cannot hold a row."""
    rng = np.random.default_rng(5)
    sums = rng.integers(0, 2**40, size=(6, 25))[rng.integers(0, 6, 200)]
    counts, weight = collapse(sums)
    assert weight.sum() == 200
    assert sorted(map(tuple, counts.tolist())) == sorted(
        set(map(tuple, sums.astype(float).tolist()))
    )


def test_a_million_items_have_few_distinct_families() -> None:
    rng = np.random.default_rng(1)
    human = rng.integers(0, 3, 30_000)
    counts = stats.family_counts(human, rng.integers(0, 3, 30_000), family=np.arange(30_000) // 3)
    assert counts.families == 10_000
    assert len(counts.weight) <= 165  # multisets of three of nine cells
