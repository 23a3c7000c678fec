"""Claims without judgment: bounds hold whatever they were, tests keep their level."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire import stats
from voirdire.stats.reasons import ALL_FAILED, NO_FAILURES, NO_ITEMS, ONE_LEVEL

LABELS = ("s", "c", "u")
item = st.tuples(st.sampled_from(LABELS), st.sampled_from([*LABELS, None]))


@given(rows=st.lists(item, min_size=4, max_size=12))
@settings(max_examples=60, deadline=None)
def test_kappa_bounds_hold_for_every_all_wrong_fill(
    rows: list[tuple[str, str | None]],
) -> None:
    """`worst` is the minimum over *all* fills with wrong labels, not only the uniform ones."""
    human, judge = [h for h, _ in rows], [j for _, j in rows]
    silent = [i for i, j in enumerate(judge) if j is None]
    if not silent or len(silent) > 5:
        return
    found = stats.failure_bounds(human, judge, labels=LABELS)
    values = []
    for fill in product(*[[x for x in LABELS if x != human[i]] for i in silent]):
        filled = list(judge)
        for i, verdict in zip(silent, fill, strict=True):
            filled[i] = verdict
        values.append(stats.kappa(human, filled, labels=LABELS).value)
    defined = [v for v in values if v is not None]
    if defined:
        assert found.worst.value == pytest.approx(min(defined), abs=1e-12)


@given(rows=st.lists(item, min_size=4, max_size=25))
@settings(max_examples=60, deadline=None)
def test_raw_agreement_lies_between_its_bounds(rows: list[tuple[str, str | None]]) -> None:
    human, judge = [h for h, _ in rows], [j for _, j in rows]
    found = stats.failure_bounds(human, judge, labels=LABELS, agreement=stats.raw_agreement)
    right = sum(h == j for h, j in rows)
    silent = judge.count(None)
    assert (found.failures, found.asked) == (silent, len(rows))
    assert found.worst.value == pytest.approx(right / len(rows))
    assert found.best.value == pytest.approx((right + silent) / len(rows))
    if found.observed.value is not None:
        assert found.worst.value <= found.observed.value + 1e-12
        assert found.observed.value <= found.best.value + 1e-12


@pytest.mark.parametrize(
    "agreement", [stats.kappa, stats.ac1, stats.mcc, stats.raw_agreement, stats.balanced_accuracy]
)
def test_every_agreement_number_has_bounds(agreement: object) -> None:
    assert callable(agreement)
    rng = np.random.default_rng(0)
    human = rng.choice(LABELS, 60)
    judge = np.where(rng.random(60) < 0.7, human, rng.choice(LABELS, 60)).astype(object)
    judge[rng.random(60) < 0.2] = None
    found = stats.failure_bounds(
        human, judge, family=np.repeat(np.arange(20), 3), agreement=agreement
    )
    values = [e.value for e in (found.worst, found.observed, found.best)]
    assert None not in values
    assert values == sorted(values)  # type: ignore[type-var]
    assert found.worst.n == found.best.n == 60 > found.observed.n
    assert found.worst.families == 20


def test_no_failures_is_said_and_changes_nothing() -> None:
    found = stats.failure_bounds(["s", "c", "s"], ["s", "c", "c"])
    assert found.note == NO_FAILURES
    assert found.worst == found.observed == found.best
    nothing = stats.failure_bounds([None], ["s"])
    assert (nothing.asked, nothing.failures) == (0, 0)
    assert nothing.observed.undefined == NO_ITEMS


def test_a_judge_that_never_answers_has_only_bounds() -> None:
    found = stats.failure_bounds(["s", "c"] * 5, [None] * 10)
    assert found.observed.undefined == NO_ITEMS
    assert found.worst.value == -1
    assert found.best.value == 1


def test_wrong_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="judge must have one label per item"):
        stats.failure_bounds(["s"], ["s", "c"])
    with pytest.raises(ValueError, match="language must have one entry per item"):
        stats.failure_tests([True], levels={"language": ["it", "en"]})
    with pytest.raises(ValueError, match="draws must be >= 1, got 0"):
        stats.failure_tests([True], draws=0)
    with pytest.raises(ValueError, match="attributes must be named once"):
        stats.failure_tests([True], levels={"x": [1]}, numeric={"x": [1]})


# --- do failures go with something? --------------------------------------------------------------


def test_failures_of_one_language_and_of_long_contexts_are_found() -> None:
    rng = np.random.default_rng(1)
    families = 60
    language = np.where(np.arange(families) < 20, "it", "en").repeat(3)
    length = rng.integers(100, 4000, families).repeat(3)
    chance = np.where(language == "it", 0.5, 0.05) + 0.3 * (length > 2500)
    failed = rng.random(180) < chance
    variant = np.array(["original", "paraphrase", "negation"] * families)
    tests = stats.failure_tests(
        failed,
        levels={"language": language, "variant": variant},
        numeric={"context length": length},
        family=np.repeat(np.arange(families), 3),
        draws=999,
    )
    by_name = {test.attribute: test for test in tests}
    assert [test.attribute for test in tests] == ["language", "variant", "context length"]
    assert (by_name["language"].p_adjusted or 1) <= 0.01
    assert (by_name["variant"].p or 0) > 0.05
    assert by_name["language"].rates["it"] > 2 * by_name["language"].rates["en"]
    assert (by_name["context length"].p or 1) <= 0.05
    assert all(t.p_adjusted is not None and t.p_adjusted >= (t.p or 0) for t in tests)


def test_failures_on_negations_are_found_within_families() -> None:
    """Every family has the same variants, so only exchanging within families can show this."""
    variant = np.array(["original", "paraphrase", "negation"] * 30)
    rng = np.random.default_rng(2)
    failed = (variant == "negation") & (rng.random(90) < 0.5)
    (test,) = stats.failure_tests(
        failed, levels={"variant": variant}, family=np.repeat(np.arange(30), 3), draws=999
    )
    assert test.p is not None
    assert test.p <= 0.005


@pytest.mark.parametrize(
    ("failed", "level", "reason"),
    [
        ([False, False], ["a", "b"], NO_FAILURES),
        ([True, True], ["a", "b"], ALL_FAILED),
        ([True, False], ["a", "a"], ONE_LEVEL),
        ([True, False], [None, None], NO_ITEMS),
        ([], [], NO_ITEMS),
    ],
)
def test_undefined_tests_say_why(failed: list[bool], level: list[str | None], reason: str) -> None:
    (test,) = stats.failure_tests(failed, levels={"language": level})
    assert test.undefined == reason
    assert (test.p, test.p_adjusted) == (None, None)


def test_the_result_repeats_and_ignores_row_order() -> None:
    rng = np.random.default_rng(3)
    failed, language = rng.random(40) < 0.3, rng.choice(["it", "en"], 40)
    one = stats.failure_tests(failed, levels={"language": language}, rng=7, draws=499)
    assert one == stats.failure_tests(failed, levels={"language": language}, rng=7, draws=499)
    order = rng.permutation(40)
    other = stats.failure_tests(
        failed[order], levels={"language": language[order]}, rng=7, draws=499
    )
    assert other[0].rates == one[0].rates
    assert other[0].p == pytest.approx(one[0].p, abs=0.06)


def false_alarms(studies: int, seed: int) -> float:
    """Failures cluster strongly by family and have nothing to do with the language."""
    rng = np.random.default_rng(seed)
    family = np.repeat(np.arange(24), 3)
    hits = 0
    for _ in range(studies):
        failed = rng.random(72) < (rng.random(24) < 0.3).repeat(3) * 0.9
        language = rng.choice(["it", "en"], 24).repeat(3)
        (test,) = stats.failure_tests(
            failed, levels={"language": language}, family=family, rng=rng, draws=199
        )
        hits += test.p is not None and test.p <= 0.05
    return hits / studies


def test_clustered_failures_are_no_false_alarm_short() -> None:
    """True value: independence of failures and language, so p <= .05 in 5 % of studies."""
    assert false_alarms(300, 5) <= 0.085


@pytest.mark.slow
def test_clustered_failures_are_no_false_alarm_long() -> None:
    """Counts are discrete, ties count against rejection: 3 % rather than 5 %, never more."""
    assert 0.02 <= false_alarms(4000, 6) <= 0.055
