"""Plans: monotone, told from the labels at hand, and true to the gates they simulate."""

from __future__ import annotations

import numpy as np
import pytest

from voirdire import stats
from voirdire.records import Claim, LabelRecord
from voirdire.stats.share_power import kept_power, share_power
from voirdire.studies import GateLimits
from voirdire.studies.plan_sources import from_claims
from voirdire.studies.planning import GRID, PlanInputs, plan

SHARES = {"supported": 0.5, "contradicted": 0.3, "unverifiable": 0.2}
LIMITS = GateLimits()


def inputs(**more: object) -> PlanInputs:
    return PlanInputs(**{"prevalence": SHARES, "simulations": 100, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(("true", "floor", "families"), [(0.95, 0.8, 40), (0.8, 0.8, 30)])
def test_share_power_is_what_the_gate_does(true: float, floor: float, families: int) -> None:
    rng = np.random.default_rng(5)
    accepted = []
    for _ in range(1500):
        found = stats.rate(
            (rng.random(families) < true).astype(float), family=list(range(families)), level=0.9
        )
        accepted.append(found.low is not None and found.low >= floor)
    # three standard errors of 1,500 draws
    assert share_power(true, floor, families) == pytest.approx(np.mean(accepted), abs=0.04)


def test_a_judge_at_the_floor_is_seldom_accepted() -> None:
    assert max(share_power(0.8, 0.8, n) for n in range(15, 200, 5)) < 0.07


def test_kept_power_grows_with_families_and_falls_with_discordance() -> None:
    assert kept_power(0.05, 60) < kept_power(0.05, 150) < kept_power(0.05, 400)
    assert kept_power(0.05, 150, discordant=0.2) < kept_power(0.05, 150, discordant=0.02)


def test_the_number_is_the_first_from_which_all_are_adequate() -> None:
    made = plan(inputs(), LIMITS)
    assert made.families is not None
    assert made.families % 10 == 0
    assert {chance.families for chance in made.chances} == {*GRID, made.families}
    for chance in made.chances:
        if chance.families >= made.families:
            assert chance.together >= LIMITS.power
    for gate in made.chances[0].gates:
        shown = [chance.gates[gate] for chance in made.chances]
        assert shown == sorted(shown), gate
    before = [c for c in made.chances if c.families < made.families]
    assert before[-1].together < LIMITS.power
    assert made.claims == made.families * 4
    assert made.hours == pytest.approx(made.claims * 2 * 45 / 3600)
    assert str(made.families) in made.sentence
    assert "2 people" in made.sentence


def test_ten_families_fewer_are_not_enough() -> None:
    made = plan(inputs(), LIMITS)
    assert made.families is not None
    fewer = plan(inputs(families_at_hand=made.families - 10), LIMITS)
    row = next(one for one in fewer.chances if one.families == made.families - 10)
    assert row.together < LIMITS.power
    assert fewer.families == made.families


def test_a_better_judge_and_a_lower_floor_need_no_more_families() -> None:
    limits = GateLimits(waive=("paraphrase_kept", "negation_flip", "number_seen"))
    needs = [plan(inputs(kappa=k, recall=0.95), limits).families or 9999 for k in (0.7, 0.8, 0.9)]
    assert needs == sorted(needs, reverse=True)
    assert needs[0] > needs[2]
    low = GateLimits(waive=limits.waive, kappa_floor=0.4)
    assert (plan(inputs(kappa=0.7), low).families or 9999) <= needs[0]


def test_more_power_needs_no_fewer_families() -> None:
    needs = [plan(inputs(), GateLimits(power=p)).families or 9999 for p in (0.6, 0.8, 0.95)]
    assert needs == sorted(needs)


def test_what_cannot_be_reached_is_said() -> None:
    made = plan(inputs(kappa=0.6), LIMITS)
    assert made.families is None
    assert made.hours is None
    assert made.sentence.startswith("Not even 1,000 families settle it")
    assert made.holds_back == "kappa"


def test_at_hand_says_what_the_labels_can_show() -> None:
    found = plan(inputs(families_at_hand=25), LIMITS).at_hand
    assert list(found) == ["0.60", "0.70", "0.80", "0.90"]
    assert found["0.60"] < 0.2 < found["0.90"]
    assert list(found.values()) == sorted(found.values())


def test_repeats_and_false_alarms() -> None:
    quiet = plan(inputs(run_sd=0.015), LIMITS).repeats
    loud = plan(inputs(run_sd=0.03), LIMITS)
    assert quiet.needed is not None
    assert quiet.needed >= 2
    assert loud.repeats.needed is None
    assert loud.repeats.smallest_drop > 0.1
    assert any("no number of repeats" in note for note in loud.notes)
    assert quiet.false_warnings == pytest.approx(2.6)  # statistics: 5 % of 52
    assert quiet.false_alerts == pytest.approx(0.52)


def test_one_person_is_warned_of() -> None:
    assert any("nothing can be adopted" in note for note in plan(inputs(people=1), LIMITS).notes)


def test_labels_at_hand_give_shares_times_and_people() -> None:
    claims, labels = [], []
    for n in range(10):
        for variant in ("original", "negation"):
            claim = Claim(
                id=f"{n}{variant}",
                family=str(n),
                variant=variant,
                claim="x",
                context=("y",),
                language="en",
            )
            claims.append(claim)
            label = "supported" if variant == "original" else "contradicted"
            for who in ("a", "b", "c"):
                labels.append(
                    LabelRecord(
                        id=f"{claim.id}{who}",
                        claim_id=claim.id,
                        annotator=who,
                        label=label,  # type: ignore[arg-type]
                        lead_seconds=20.0 + n,
                    )
                )
    known = from_claims(claims, labels)
    assert known["prevalence"] == {"supported": 0.5, "contradicted": 0.5}
    assert known["people"] == 3
    assert known["seconds"] == 24.5
    assert known["seconds_measured"] is True
    assert known["family_size"] == 2
    assert known["families_at_hand"] == 10
    assert known["with_negation"] == 1
    assert "with_number" not in known
    PlanInputs(**known)


def test_no_labels_leave_the_defaults() -> None:
    claim = Claim(id="1", family="1", variant="original", claim="x", context=("y",), language="en")
    known = from_claims([claim], [])
    assert known["prevalence"] == SHARES
    assert known["families_at_hand"] == 0
    assert "seconds" not in known


def test_one_person_is_not_warned_of_where_that_gate_is_waived() -> None:
    waived = GateLimits(waive=("human_ceiling",))
    assert not any(
        "nothing can be adopted" in note for note in plan(inputs(people=1), waived).notes
    )
