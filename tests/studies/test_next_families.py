"""What to label next follows from what the open gates lack."""

from __future__ import annotations

from tests.studies.made import laboratory
from voirdire.records import AgreementResult
from voirdire.studies import GateLimits, decide
from voirdire.studies.next_families import next_families


def agreement(**families: int) -> AgreementResult:
    return AgreementResult.model_construct(families_per_label=families, judges=())


def test_an_open_gate_asks_for_its_variant() -> None:
    """The laboratory's families of three hold no changed number."""
    decision = decide("j", laboratory(200, size=3, wrong=0.01), GateLimits(), level=0.95)
    assert decision.decision == "not_enough_evidence"
    found = next_families(
        agreement(supported=80, contradicted=70, unverifiable=50), [decision], families=20
    )
    assert found.variants["number"] == 20
    assert "negation" not in found.variants
    assert any("number_seen is open: 0 families" in why for why in found.why)
    assert "20 with a changed number, date or unit" in found.sentence


def test_a_label_that_is_rare_comes_first() -> None:
    decision = decide("j", laboratory(20, size=4), GateLimits(), level=0.95)
    found = next_families(
        agreement(supported=15, contradicted=3, unverifiable=8), [decision], families=12
    )
    assert sum(found.labels.values()) == 12
    assert found.labels["contradicted"] >= 5
    assert any("only 3 families hold a claim people call contradicted" in w for w in found.why)


def test_nothing_open_keeps_the_set_fresh() -> None:
    decision = decide("j", laboratory(60, wrong=0.9), GateLimits(), level=0.95)
    assert decision.decision == "do_not_adopt"
    found = next_families(agreement(supported=30, contradicted=30), [decision])
    assert found.variants == {"paraphrase": 20, "negation": 20}
    left = {gate.name for gate in decision.gates if gate.answer == "inconclusive"}
    assert left
    assert "no gate waits" not in found.why[0]
    assert all(name in found.why[0] for name in left)
    answered = decision.model_copy(
        update={"gates": tuple(one for one in decision.gates if one.answer != "inconclusive")}
    )
    found = next_families(agreement(supported=30, contradicted=30), [answered])
    assert "no gate waits" in found.why[0]


def test_one_family_holds_and_two_hold() -> None:
    found = next_families(agreement(supported=1, contradicted=2, unverifiable=0), [])
    assert "only 1 family holds a claim people call supported" in found.why
    assert "only 2 families hold a claim people call contradicted" in found.why
    assert "no family holds a claim people call unverifiable" in found.why
