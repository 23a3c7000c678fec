"""No gate passes that its bound does not support: the bounds come from an oracle of their own."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.studies.made import laboratory
from tests.studies.oracle import enough_data, lower_bound
from voirdire.studies import Aligned, GateLimits, decide, evaluate_gates

LIMITS = GateLimits(min_families=30)
LEVEL = LIMITS.level
FLOORS = {
    "human_ceiling": LIMITS.human_alpha_floor,
    "human_comparison": -LIMITS.human_margin,
    "kappa": LIMITS.kappa_floor,
    "contradicted_recall": LIMITS.contradicted_recall_floor,
    "paraphrase_kept": -LIMITS.paraphrase_margin,
    "negation_flip": LIMITS.negation_flip_floor,
    "number_seen": LIMITS.number_seen_floor,
}
CLOSE = 1e-6


def generated(seed: int) -> Aligned:
    """A study of any kind: small and large, good and bad judges, careful and careless people."""
    rng = np.random.default_rng(seed)
    return laboratory(
        int(rng.choice([31, 45, 110])),
        size=int(rng.choice([3, 4, 4])),
        wrong=float(rng.choice([0.0, 0.0, 0.01, 0.05, 0.12, 0.3])),
        wrong_on=str(rng.choice(["", "", "", "", "paraphrase", "negation"])),
        people=int(rng.choice([1, 2, 2, 3])),
        people_wrong=float(rng.choice([0.0, 0.05, 0.1, 0.2])),
        failing=float(rng.choice([0.0, 0.0, 0.02, 0.1])),
        seed=seed,
    )


def audit(seeds: range) -> Counter[str]:
    """Hold every acceptance against the oracle; count what was met."""
    met: Counter[str] = Counter()
    for seed in seeds:
        study = generated(seed)
        decision = decide("j", study, LIMITS, level=LEVEL)
        met[decision.decision] += 1
        for gate in decision.gates:
            met[f"{gate.name} {gate.answer}"] += 1
            if gate.answer != "accept":
                continue
            if gate.name == "data_adequacy":
                assert enough_data(study, LIMITS), seed
                continue
            bound = lower_bound(study, gate.name, LEVEL)
            assert bound is not None, (seed, gate)
            assert bound >= FLOORS[gate.name] - CLOSE, (seed, gate, bound)
        if decision.decision == "adopt":
            assert all(gate.answer == "accept" for gate in decision.gates), seed
            assert {gate.name for gate in decision.gates} == {*FLOORS, "data_adequacy"}, seed
    return met


def test_no_pass_without_its_bound_and_every_answer_met() -> None:
    met = audit(range(300))
    assert met["adopt"] >= 5
    assert met["do_not_adopt"] >= 100
    assert met["not_enough_evidence"] >= 20
    for name in FLOORS:
        assert met[f"{name} accept"] >= 10, (name, met)


@pytest.mark.slow
def test_ten_thousand_studies() -> None:
    audit(range(1000, 11_000))


@pytest.mark.parametrize("seed", range(6))
def test_the_bounds_are_the_same_by_both_routes(seed: int) -> None:
    """Not only on the same side of the floor: the same number, where no Holm share enters."""
    study = laboratory(36 + 5 * seed, wrong=0.04 * seed, failing=0.03 * (seed % 2), seed=seed)
    gates = {gate.name: gate for gate in evaluate_gates(study, LIMITS, level=LEVEL)}
    for name in ("human_ceiling", "human_comparison", "kappa", "contradicted_recall"):
        assert gates[name].lower == pytest.approx(lower_bound(study, name, LEVEL), abs=CLOSE), name


def passes_at_the_floor(studies: int, *, first_seed: int) -> int:
    """Judges whose true recall of contradicted claims is the floor itself: how many pass."""
    passed = 0
    for seed in range(first_seed, first_seed + studies):
        rng = np.random.default_rng(seed)
        study = laboratory(60, wrong=0.0, people_wrong=0.0, people=2, seed=seed)
        missed = (study.human == "contradicted") & (
            rng.random(len(study.human)) >= LIMITS.contradicted_recall_floor
        )
        study.judge[missed] = "unverifiable"
        gates = {gate.name: gate for gate in evaluate_gates(study, LIMITS, level=LEVEL)}
        passed += gates["contradicted_recall"].answer == "accept"
    return passed


def test_a_judge_at_the_floor_passes_at_most_at_the_nominal_rate() -> None:
    # 150 studies at a rate of .05: more than 16 has a chance below .001.
    assert passes_at_the_floor(150, first_seed=0) <= 16


@pytest.mark.slow
def test_a_judge_at_the_floor_in_four_thousand_studies() -> None:
    assert passes_at_the_floor(4000, first_seed=10_000) <= 4000 * 0.05 + 3 * (190**0.5)
