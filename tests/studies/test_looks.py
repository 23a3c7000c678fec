"""Repeated looks at the test split: numbered by what is seen, and paid for by wider bounds."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.studies.made import laboratory
from voirdire.studies import Aligned, GateLimits, decide, decide_all
from voirdire.studies.looks import MOST_ALPHAS, look_at, look_digest, look_level, spent_alpha

ALPHA = 0.05
WAIVED = (
    "human_ceiling",
    "human_comparison",
    "kappa",
    "paraphrase_kept",
    "negation_flip",
    "number_seen",
)
LIMITS = GateLimits(min_families=30, waive=WAIVED)


def test_the_first_look_is_at_the_level_asked_for_to_the_last_bit() -> None:
    for level in (0.9, 0.95, 0.99, 0.9696):
        assert look_level(level, 1) == level
        assert look_at(1, level=level, digest="x").first_level == level


def test_later_looks_are_wider_and_their_alphas_stay_below_the_total() -> None:
    levels = [look_level(1 - ALPHA, k) for k in range(1, 2000)]
    assert all(one < two for one, two in pairwise(levels))
    spent = spent_alpha(1 - ALPHA, 1999)
    assert spent == pytest.approx(ALPHA * MOST_ALPHAS, abs=1e-4)
    assert spent < ALPHA * MOST_ALPHAS
    assert pytest.approx(math.pi**2 / 6) == MOST_ALPHAS
    # a study that wants 5 % over all looks, as the docstring says
    assert spent_alpha(0.9696, 1999) == pytest.approx(0.05, abs=1e-4)
    look = look_at(3, level=0.95, digest="x")
    assert look.level == pytest.approx(1 - 0.05 / 9)
    assert look.total_alpha == pytest.approx(0.05 * (1 + 1 / 4 + 1 / 9))


@pytest.mark.parametrize(("level", "number"), [(0.95, 0), (1.0, 1), (0.0, 2)])
def test_what_is_no_look_is_refused(level: float, number: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        look_level(level, number)


def test_the_same_verdicts_and_labels_are_the_same_look() -> None:
    one, two = laboratory(40, wrong=0.1), laboratory(40, wrong=0.2, seed=3)
    two = replace(one, judge=two.judge)
    digest = look_digest({"a": one, "b": two})
    assert look_digest({"a": one, "b": two}) == digest
    assert look_digest({"b": two, "a": one}) == digest, "the order of judges is nothing seen"
    assert look_digest({"renamed": one, "b": two}) == digest
    backwards = list(range(len(one.claims)))[::-1]
    turned = replace(
        one,
        claims=tuple(one.claims[k] for k in backwards),
        human=one.human[backwards],
        judge=one.judge[backwards],
        family=one.family[backwards],
    )
    assert look_digest({"a": turned, "b": replace(turned, judge=two.judge[backwards])}) == digest


def changed(base: Aligned, what: str) -> Aligned:
    """One thing that a look sees, changed in one place."""
    if what == "verdict":
        judge = base.judge.copy()
        judge[5] = None
        return replace(base, judge=judge)
    if what == "label":
        human = base.human.copy()
        human[5] = "supported" if human[5] != "supported" else "unverifiable"
        return replace(base, human=human)
    if what == "vote":
        people = base.panel.people.copy()
        people[5, 0] = "supported" if people[5, 0] != "supported" else "unverifiable"
        return replace(base, panel=replace(base.panel, people=people))
    claims = list(base.claims)
    claims[5] = claims[5].model_copy(update={"family": "another"})
    return replace(base, claims=tuple(claims))


@pytest.mark.parametrize("what", ["verdict", "label", "vote", "family"])
def test_any_change_of_what_is_seen_is_another_look(what: str) -> None:
    base = laboratory(20, wrong=0.1)
    assert look_digest({"a": changed(base, what)}) != look_digest({"a": base})


def test_another_judge_is_another_look() -> None:
    base = laboratory(20, wrong=0.1)
    assert look_digest({"a": base, "b": base}) != look_digest({"a": base})


def test_a_later_look_decides_at_its_own_level() -> None:
    study = laboratory(200, size=4, wrong=0.02)
    (first,) = decide_all({"a": study}, LIMITS)
    assert first == decide("a", study, LIMITS, level=LIMITS.level)
    (third,) = decide_all({"a": study}, LIMITS, look=3)
    assert third == decide("a", study, LIMITS, level=1 - ALPHA / 9)
    for early, late in zip(first.gates, third.gates, strict=True):
        if early.lower is not None and late.lower is not None:
            assert late.lower <= early.lower
    both = decide_all({"a": study, "line": study}, LIMITS, reference_lines=("line",), look=3)
    assert both[1].gates == both[0].gates, "reference lines are held to the same level"
    # Holm on top: two candidates share the alpha of the look
    bad = laboratory(200, size=4, wrong=0.9, seed=1)
    pair = decide_all({"bad": replace(study, judge=bad.judge), "a": study}, LIMITS, look=2)
    alone = decide("a", study, LIMITS, level=1 - ALPHA / 4 / 2)
    assert pair[1] == alone


def at_the_floor(families: int, rng: np.random.Generator, base: Aligned) -> Aligned:
    """A judge whose true recall of contradicted claims is the floor itself."""
    judge = base.human.copy()
    missed = (base.human == "contradicted") & (
        rng.random(len(base.human)) >= LIMITS.contradicted_recall_floor
    )
    judge[missed] = "unverifiable"
    return replace(base, judge=judge)


def ever_adopted(studies: int, looks: int, *, corrected: bool, seed: int) -> int:
    """Studies that adopt a judge at the floor at any of their looks, each at a fresh judge."""
    rng = np.random.default_rng(seed)
    base = laboratory(60, people_wrong=0.0, people=2)
    adopted = 0
    for _ in range(studies):
        for look in range(1, looks + 1):
            judge = at_the_floor(60, rng, base)
            (found,) = decide_all({"j": judge}, LIMITS, look=look if corrected else 1)
            if found.decision == "adopt":
                adopted += 1
                break
    return adopted


def test_three_looks_adopt_a_judge_at_the_floor_at_most_at_the_total_promised() -> None:
    studies, looks = 80, 3
    promised = spent_alpha(1 - ALPHA, looks)
    spread = math.sqrt(studies * promised * (1 - promised))
    assert ever_adopted(studies, looks, corrected=True, seed=1) <= studies * promised + 3 * spread


@pytest.mark.slow
def test_the_total_in_two_thousand_studies_and_that_it_is_needed() -> None:
    studies, looks = 2000, 6
    promised = spent_alpha(1 - ALPHA, looks)
    spread = math.sqrt(studies * promised * (1 - promised))
    assert ever_adopted(studies, looks, corrected=True, seed=2) <= studies * promised + 3 * spread
    bare = ever_adopted(400, looks, corrected=False, seed=3)
    assert bare > 400 * promised + 3 * math.sqrt(400 * promised), "else nothing had to be corrected"


def test_exact_bounds_spend_just_the_total_promised() -> None:
    """With p-values that are exactly uniform the promise is met and not by far undercut."""
    rng = np.random.default_rng(4)
    looks, studies = 8, 200_000
    p = rng.random((studies, looks))
    alphas = np.array([1 - look_level(1 - ALPHA, k) for k in range(1, looks + 1)])
    ever = float((p <= alphas).any(axis=1).mean())
    promised = spent_alpha(1 - ALPHA, looks)
    assert ever <= promised + 3 * math.sqrt(promised / studies)
    assert ever >= 0.95 * promised
