"""A threshold chosen on one part and told on another; what cannot be certified is refused."""

from __future__ import annotations

import numpy as np
import pytest

from voirdire.records import Provenance
from voirdire.records.operating import OperatingPoint
from voirdire.stats.risk_bounds import clopper_pearson_upper
from voirdire.studies.operating_point import ScoredPart, families_to_certify, operating_point

ORIGIN = Provenance(tool_version="0", python="3", packages={}, seed=0, made_at="now")


def part(n: int, *, seed: int, scored: bool = True) -> ScoredPart:
    """Calibrated probabilities: a claim with score p is supported with chance p."""
    rng = np.random.default_rng(seed)
    score = rng.random(n)
    supported = rng.random(n) < score
    confidence = np.maximum(score, 1 - score)
    family = np.empty(n, dtype=object)
    family[:] = [f"f{k}" for k in range(n)]
    return ScoredPart(
        score=score,
        supported=supported,
        confidence=confidence if scored else np.full(n, np.nan),
        wrong=(score >= 0.5) != supported,
        family=family,
    )


def found(
    cal: ScoredPart,
    test: ScoredPart,
    *,
    costs: tuple[float, float] = (5.0, 1.0),
    target: float = 0.05,
) -> OperatingPoint:
    return operating_point(
        cal,
        test,
        study="s",
        judge="j",
        run_id="r",
        score="probability",
        costs=costs,
        promise=(target, 0.05),
        provenance=ORIGIN,
    )


def test_calibrated_scores_give_the_textbook_threshold() -> None:
    one = found(part(20_000, seed=1), part(20_000, seed=2))
    assert one.textbook == pytest.approx(5 / 6)
    assert one.threshold == pytest.approx(5 / 6, abs=0.05)
    assert one.cost_on_test.value is not None
    assert one.cost_on_test.value < min(one.always_supported, one.never_supported)
    least = min(point.cost for point in one.curve)
    assert one.cost_on_test.value == pytest.approx(least, abs=0.01)
    assert len(one.curve) <= 50


def test_the_dearer_a_false_accept_the_higher_the_threshold() -> None:
    cal, test = part(3000, seed=3), part(3000, seed=4)
    thresholds = [found(cal, test, costs=(cost, 1.0)).threshold for cost in (0.2, 1, 5, 50)]
    assert thresholds == sorted(thresholds)
    assert thresholds[0] < thresholds[-1]


def test_the_cost_it_was_chosen_by_is_optimistic_and_the_reported_one_is_not() -> None:
    gaps = []
    for seed in range(40):
        one = found(part(40, seed=seed), part(400, seed=1000 + seed))
        assert one.cost_on_test.value is not None
        gaps.append(one.cost_on_test.value - one.cost_on_cal)
    assert np.mean(gaps) > 0.03


def test_costs_are_counted_by_hand() -> None:
    family = np.array(["a", "b", "c", "d"], dtype=object)
    one = ScoredPart(
        score=np.array([0.1, 0.4, 0.6, 0.9]),
        supported=np.array([False, True, False, True]),
        confidence=np.array([0.9, 0.6, 0.6, 0.9]),
        wrong=np.array([False, True, True, False]),
        family=family,
    )
    result = found(one, one, costs=(5.0, 1.0))
    assert result.threshold == 0.9
    assert result.cost_on_cal == 0.25
    assert result.always_supported == 2.5
    assert result.never_supported == 0.5
    by_threshold = {point.threshold: point for point in result.curve}
    assert by_threshold[0.4].cost == 1.25
    assert (by_threshold[0.9].false_accepts, by_threshold[0.9].false_rejects) == (0, 1)


def test_too_few_families_certify_nothing_and_the_number_is_said() -> None:
    kept = found(part(58, seed=1), part(200, seed=2)).kept
    assert kept.threshold is None
    assert kept.families_at_least == 59
    assert kept.refused == (
        "cannot certify: n too small: 58 families, at least 59 are needed if none errs"
    )
    assert kept.kept_on_test.k == 0
    assert kept.error_on_test.undefined


def test_without_probabilities_it_says_so() -> None:
    kept = found(part(200, seed=1, scored=False), part(200, seed=2, scored=False)).kept
    assert kept.threshold is None
    assert "no probabilities" in kept.refused


def test_the_promise_on_kept_answers_holds() -> None:
    """Over 200 studies the true error among kept answers exceeds the target in at most 5 %."""
    broken = certified = 0
    for seed in range(200):
        kept = found(part(300, seed=seed), part(10, seed=5000 + seed), target=0.1).kept
        if kept.threshold is None:
            continue
        certified += 1
        assert clopper_pearson_upper(kept.wrong_on_cal, kept.kept_on_cal, delta=0.05) <= 0.1
        # Confidence is uniform on (1/2, 1): the true error above a threshold is (1 - t) / 2.
        broken += (1 - kept.threshold) / 2 > 0.1
    assert certified > 20
    assert broken <= 200 * 0.05 + 3 * (200 * 0.05 * 0.95) ** 0.5


def test_families_to_certify() -> None:
    assert families_to_certify(0.05) == 59
    assert (
        clopper_pearson_upper(0, 59, delta=0.05) <= 0.05 < clopper_pearson_upper(0, 58, delta=0.05)
    )
    with pytest.raises(ValueError, match=r"must be in \(0, 1\)"):
        families_to_certify(0.0)
