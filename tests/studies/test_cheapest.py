"""The cheapest judges that pass: chosen on cal, confirmed on families that took no part in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from tests.studies.made import laboratory
from voirdire.records.contest import CheapestSet, JudgeSet
from voirdire.studies import Aligned, GateLimits, evaluate_gates
from voirdire.studies.cheapest import JudgePrice, cheapest_set, together

LIMITS = GateLimits(min_families=30)
BASE = laboratory(240, size=4, people_wrong=0.02)
SPLITS = {family: "cal" if k % 2 else "test" for k, family in enumerate(dict.fromkeys(BASE.family))}
FREE, CHEAP, DEAR = JudgePrice(0.0, 0.1), JudgePrice(0.001, 0.2), JudgePrice(0.01, 2.0)


def erring(share: float, *, seed: int, split: str = "") -> Aligned:
    """A judge that errs on a share of the claims, of one split or of all."""
    rng = np.random.default_rng(seed)
    judge, said = BASE.human.copy(), {}
    for row, claim in enumerate(BASE.claims):
        if rng.random() < share and split in ("", SPLITS[claim.family]):
            judge[row] = "unverifiable" if judge[row] != "unverifiable" else "supported"
        said[claim.id] = judge[row]
    panel = BASE.panel.judge.copy()
    for row, claim in enumerate(BASE.panel.claims):
        panel[row] = said.get(claim.id, panel[row])
    return replace(BASE, judge=judge, panel=replace(BASE.panel, judge=panel))


def hold(
    judges: Mapping[str, Aligned],
    prices: Mapping[str, JudgePrice],
    *,
    sure: Mapping[str, Mapping[str, float]] | None = None,
    splits: Mapping[str, str] = SPLITS,
    limits: GateLimits = LIMITS,
) -> CheapestSet:
    return cheapest_set(judges, limits, splits=splits, sure=sure or {}, prices=prices)


BAD, GOOD = erring(0.6, seed=1), erring(0.0, seed=2)


def test_the_cheapest_of_those_that_pass_is_chosen_and_confirmed() -> None:
    found = hold(
        {"dear": GOOD, "bad": BAD, "cheap": GOOD}, {"dear": DEAR, "bad": FREE, "cheap": CHEAP}
    )
    assert found.answer == "confirmed", found.sentence
    assert found.chosen is not None
    assert found.chosen.judges == ("cheap",)
    assert found.chosen.cost_per_1000 == pytest.approx(1.0)
    assert found.ranked_by == "cost"
    assert found.tried == 2
    assert {gate.answer for gate in (*found.cal_gates, *found.test_gates)} == {"accept"}
    assert found.cal_families == found.test_families == 120


def test_an_unknown_cost_stays_unknown_and_calls_rank() -> None:
    found = hold({"a": BAD, "b": GOOD}, {"a": JudgePrice(None, None), "b": DEAR})
    assert found.ranked_by == "calls"
    assert found.chosen is not None
    assert found.chosen.judges == ("b",)


def test_what_passes_on_cal_only_is_not_confirmed() -> None:
    found = hold({"a": erring(0.6, seed=3, split="test")}, {"a": CHEAP})
    assert found.answer == "not_confirmed", found.sentence
    assert "kappa" in found.sentence


def test_what_fails_on_cal_is_never_shown_test() -> None:
    found = hold({"a": erring(0.6, seed=3, split="cal")}, {"a": CHEAP})
    assert found.answer == "none_passes"
    assert found.test_gates == ()
    assert found.chosen is None


def test_a_cascade_asks_the_dear_judge_only_where_the_cheap_one_is_unsure() -> None:
    weak = erring(0.09, seed=5)
    right = weak.judge == weak.human
    sure = {
        claim.id: 0.9 + 0.0001 * (row % 7) if good else 0.5 + 0.001 * (row % 5)
        for row, (claim, good) in enumerate(zip(weak.claims, right, strict=True))
    }
    limits = LIMITS.model_copy(update={"kappa_floor": 0.9})
    found = hold(
        {"weak": weak, "dear": GOOD},
        {"weak": FREE, "dear": DEAR},
        sure={"weak": sure},
        limits=limits,
    )
    assert found.answer == "confirmed", found.sentence
    assert found.chosen is not None
    assert (found.chosen.kind, found.chosen.judges) == ("cascade", ("weak", "dear"))
    assert 1 < found.chosen.calls_per_claim < 1.3
    assert found.chosen.cost_per_1000 == pytest.approx(10 * (found.chosen.calls_per_claim - 1))
    assert found.test_calls_per_claim != found.chosen.calls_per_claim


def test_a_panel_is_found_where_no_judge_passes_alone() -> None:
    judges = {name: erring(0.12, seed=10 + k) for k, name in enumerate("abc")}
    limits = LIMITS.model_copy(
        update={
            "kappa_floor": 0.87,
            "waive": ("paraphrase_kept", "negation_flip", "number_seen", "human_comparison"),
        }
    )
    found = hold(judges, dict.fromkeys("abc", CHEAP), limits=limits)
    assert found.chosen is not None, found.sentence
    assert (found.chosen.kind, found.chosen.calls_per_claim) == ("panel", 3)


def test_a_tie_is_no_judgment_on_rows_and_panel() -> None:
    pair = JudgeSet(
        kind="panel",
        judges=("a", "b"),
        calls_per_claim=2,
        cost_per_1000=None,
        seconds_per_1000=None,
    )
    one = together(pair, {"a": GOOD, "b": BAD}, {})
    differ = GOOD.judge != BAD.judge
    assert differ.any()
    assert all(label is None for label in one.judge[differ])
    assert (one.judge[~differ] == GOOD.judge[~differ]).all()
    assert sum(label is None for label in one.panel.judge) >= differ.sum()
    assert evaluate_gates(one, LIMITS, level=0.95)


def test_a_small_cal_split_says_how_small_it_is() -> None:
    few = {family: "cal" if k < 9 else "test" for k, family in enumerate(SPLITS)}
    found = hold({"a": GOOD}, {"a": CHEAP}, splits=few)
    assert found.answer == "cal_too_small"
    assert found.cal_families == 9
    assert "9 families" in found.sentence
    assert hold({"a": GOOD}, {"a": CHEAP}, splits={}).answer == "cal_too_small"


def test_a_small_test_split_is_not_enough_evidence() -> None:
    few = {family: "test" if k < 9 else "cal" for k, family in enumerate(SPLITS)}
    found = hold({"a": GOOD}, {"a": CHEAP}, splits=few)
    assert found.answer == "not_enough_evidence"
    assert found.chosen is not None
    assert "data_adequacy" in found.sentence
