"""The four decisions, on data made to deserve each of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.studies.made import claims_of, laboratory
from voirdire.records import LABELS, Decision, Gate
from voirdire.studies import GateLimits, align, decide, decide_all, evaluate_gates
from voirdire.studies.decision import RULE
from voirdire.studies.wording_gates import WORDING_GATES

LIMITS = GateLimits()
PLAIN = GateLimits(waive=WORDING_GATES)
"""For what has nothing to do with rewording."""


def gate(decision: Decision, name: str) -> Gate:
    return next(gate for gate in decision.gates if gate.name == name)


def test_a_good_judge_on_enough_data_is_adopted() -> None:
    found = decide("j", laboratory(300, size=4, wrong=0.01), LIMITS, level=0.95)
    assert found.decision == "adopt", found.sentence
    assert all(gate.answer == "accept" for gate in found.gates)
    assert [gate.name for gate in found.gates] == [
        "data_adequacy",
        "human_ceiling",
        "human_comparison",
        "kappa",
        "contradicted_recall",
        *WORDING_GATES,
    ]
    assert found.rule == RULE
    assert found.sentence.startswith("Adopt j: of 100 claims people call contradicted it catches ")


def test_a_bad_judge_is_not_adopted_even_on_few_data() -> None:
    found = decide("j", laboratory(20, wrong=0.9), LIMITS, level=0.95)
    assert found.decision == "do_not_adopt"
    assert gate(found, "data_adequacy").answer == "inconclusive"
    assert gate(found, "kappa").answer == "reject"
    assert "kappa fails" in found.next_step or "fails" in found.next_step


def test_a_good_judge_on_few_data_is_open_and_says_how_many_are_missing() -> None:
    found = decide("j", laboratory(20, wrong=0.02), LIMITS, level=0.95)
    assert found.decision == "not_enough_evidence"
    assert gate(found, "data_adequacy").families_needed == 30
    assert found.families_missing is not None
    assert found.families_missing >= 30
    assert any("30 more families" in missing for missing in found.missing)


def test_labels_of_one_annotator_never_adopt() -> None:
    found = decide("j", laboratory(200, people=1), LIMITS, level=0.95)
    assert found.decision == "not_enough_evidence"
    assert gate(found, "human_ceiling").answer == "inconclusive"
    assert "one annotator" in gate(found, "human_ceiling").reason
    assert "second" in found.next_step
    nobody = decide("j", laboratory(200, people=0), LIMITS, level=0.95)
    assert nobody.decision == "not_enough_evidence"
    assert "no independent annotator" in gate(nobody, "human_ceiling").reason


def test_a_waived_gate_is_shown_flagged_and_does_not_count() -> None:
    limits = GateLimits(waive=("human_ceiling", *WORDING_GATES))
    found = decide("j", laboratory(200, people=1), limits, level=0.95)
    assert found.decision == "adopt"
    assert gate(found, "human_ceiling").waived
    assert found.flags[0] == "waived: human_ceiling"


def test_people_who_disagree_hold_every_judge_back_but_reject_none() -> None:
    found = decide("j", laboratory(150, people_wrong=0.45), LIMITS, level=0.95)
    ceiling = gate(found, "human_ceiling")
    assert ceiling.answer == "inconclusive"
    assert "guideline" in ceiling.reason
    assert found.decision == "not_enough_evidence"


def test_two_people_who_answer_at_random_do_not_agree_with_each_other() -> None:
    """Ties have no reference, but they are just where people disagree."""
    rng = np.random.default_rng(8)
    claims = claims_of(120)
    said = rng.choice(LABELS, size=(len(claims), 2))
    votes = {c.id: {"a": str(a), "b": str(b)} for c, (a, b) in zip(claims, said, strict=True)}
    reference = {c.id: str(a) for c, (a, b) in zip(claims, said, strict=True) if a == b}
    answers = {name: [("judged", label)] for name, label in reference.items()}
    aligned = align(claims, reference, answers, view="three_class", votes=votes)
    found = decide("j", aligned, LIMITS, level=0.95)
    ceiling = gate(found, "human_ceiling")
    assert ceiling.estimate is not None
    assert ceiling.estimate.value is not None
    assert abs(ceiling.estimate.value) < 0.15
    assert ceiling.answer == "inconclusive"
    ties = len(claims) - len(reference)
    assert f"{ties} claims on which people tie are left out" in gate(found, "data_adequacy").reason
    assert found.decision != "adopt"


def test_a_judge_that_fails_on_negation_is_adopted_for_the_rest_if_that_was_declared() -> None:
    aligned = laboratory(300, size=4, wrong_on="negation")
    plain = decide("j", aligned, LIMITS, level=0.95)
    assert plain.decision == "do_not_adopt"
    narrow = decide("j", aligned, LIMITS, level=0.95, parts=("variant!negation",))
    assert narrow.decision == "adopt_narrower"
    assert narrow.part == "variant!negation"
    assert narrow.left_out is not None
    assert "300 of 1200 claims" in narrow.left_out
    assert all(gate.answer == "accept" for gate in narrow.part_gates)
    assert any(gate.answer == "reject" for gate in narrow.gates)
    assert "Adopt j for claims whose variant is not negation only" in narrow.sentence


def test_a_part_that_does_not_pass_changes_nothing() -> None:
    aligned = laboratory(300, wrong_on="negation")
    found = decide("j", aligned, LIMITS, level=0.95, parts=("variant:negation", "language:it"))
    assert found.decision == "do_not_adopt"


def test_failures_count_against_acceptance_and_never_for_rejection() -> None:
    whole = decide("j", laboratory(100, size=4), LIMITS, level=0.95)
    half = decide("j", laboratory(100, size=4, failing=0.5), LIMITS, level=0.95)
    assert whole.decision == "adopt"
    assert half.decision == "not_enough_evidence"
    kappa = gate(half, "kappa")
    assert kappa.lower is not None
    assert kappa.upper is not None
    assert kappa.lower < LIMITS.kappa_floor < kappa.upper
    assert kappa.estimate is not None
    assert kappa.estimate.value == 1
    assert kappa.estimate.n < kappa.estimate.n_asked


def test_a_judge_that_never_answers_is_open_not_rejected_and_not_adopted() -> None:
    found = decide("j", laboratory(60, failing=1.0), LIMITS, level=0.95)
    assert found.decision == "not_enough_evidence"
    assert gate(found, "kappa").answer == "inconclusive"


def test_more_candidates_tighten_the_bounds() -> None:
    aligned = laboratory(70, wrong=0.1, seed=3)
    alone = gate(decide_all({"a": aligned}, LIMITS)[0], "kappa")
    among = gate(
        decide_all(
            {"a": aligned, **{f"b{k}": laboratory(70, wrong=0.5, seed=k) for k in range(4)}}, LIMITS
        )[0],
        "kappa",
    )
    assert alone.lower is not None
    assert among.lower is not None
    assert among.lower < alone.lower


def test_after_holm_the_next_candidate_gets_the_wider_share() -> None:
    """With two good judges the second is tested as if alone, once the first is adopted."""
    first, second = laboratory(120, wrong=0.0, seed=1), laboratory(120, wrong=0.12, seed=2)
    both = decide_all({"first": first, "second": second}, PLAIN)
    alone = decide("second", second, PLAIN, level=PLAIN.level)
    assert both[0].decision == "adopt"
    assert gate(both[1], "kappa").lower == gate(alone, "kappa").lower


def test_reference_lines_do_not_count_as_candidates() -> None:
    aligned, constant = laboratory(70, wrong=0.1, seed=3), laboratory(70, wrong=0.9)
    alone = decide_all({"a": aligned}, LIMITS)[0]
    beside = decide_all({"constant": constant, "a": aligned}, LIMITS, reference_lines=("constant",))
    assert [d.judge for d in beside] == ["constant", "a"]
    assert gate(beside[1], "kappa").lower == gate(alone, "kappa").lower


def test_no_claims_at_all_is_open_and_says_so() -> None:
    empty = laboratory(1).where([False] * 3)
    found = decide("j", empty, LIMITS, level=0.95)
    assert found.decision == "not_enough_evidence"
    assert "not known" in found.sentence


def test_families_needed_shrink_as_the_estimate_leaves_the_floor() -> None:
    needs: dict[float, int] = {}
    for seed in range(10):
        for gate in evaluate_gates(laboratory(15, wrong=0.18, seed=seed), LIMITS, level=0.95):
            if gate.name == "kappa" and gate.answer == "inconclusive":
                assert gate.estimate is not None
                assert gate.estimate.value is not None
                assert gate.families_needed is not None
                assert gate.families_needed > 15
                needs[abs(gate.estimate.value - LIMITS.kappa_floor)] = gate.families_needed
    assert len(needs) >= 3
    nearest, furthest = min(needs), max(needs)
    assert needs[nearest] > needs[furthest]


def _false_adoptions(runs: int, families: int) -> float:
    """Share of adoptions of a judge whose true kappa is exactly the floor.

    With a third of the claims under each label, a judge that errs at rate w on every label alike
    (supported and unverifiable are answered contradicted and supported, contradicted supported)
    has p_o = 1 - w. The floor is set to its kappa in 6,000 families (standard error .004), so
    adoption is an error.
    """
    wrong = 0.2
    truth = next(
        gate.estimate
        for gate in evaluate_gates(
            laboratory(6_000, wrong=wrong, people=2, seed=99), LIMITS, level=0.95
        )
        if gate.name == "kappa"
    )
    assert truth is not None
    assert truth.value is not None
    limits = GateLimits(
        kappa_floor=truth.value,
        contradicted_recall_floor=0.3,
        human_margin=0.9,
        min_families=10,
        waive=WORDING_GATES,
    )
    adopted = [
        decide(
            "j", laboratory(families, wrong=wrong, people=2, seed=seed), limits, level=0.95
        ).decision
        == "adopt"
        for seed in range(runs)
    ]
    return float(np.mean(adopted))


def test_a_judge_at_the_floor_is_adopted_at_most_at_the_nominal_rate() -> None:
    # 200 runs: three standard errors above .05 are .096
    assert _false_adoptions(200, 40) < 0.097


@pytest.mark.slow
def test_a_judge_at_the_floor_is_adopted_at_most_at_the_nominal_rate_long() -> None:
    # 3,000 runs: three standard errors above .05 are .062
    assert _false_adoptions(3000, 60) < 0.062
