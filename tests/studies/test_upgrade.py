"""An upgrade: what changed, how much of it is noise, and whether the new judge will do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.studies.made import laboratory
from voirdire.studies import Aligned
from voirdire.studies.upgrade import upgrade

BASE = laboratory(80)


def asked(
    base: Aligned, noise: float, repeats: int, *, seed: int, wrong: tuple[int, ...] = ()
) -> Aligned:
    """A judge that is right but for some rows, and slips at a rate in each repeat by itself."""
    rng = np.random.default_rng(seed)
    answers = []
    for row, label in enumerate(base.human):
        other = "unverifiable" if label != "unverifiable" else "supported"
        usual = other if row in wrong else label
        slip = label if row in wrong else other
        answers.append(tuple(slip if rng.random() < noise else usual for _ in range(repeats)))
    judge = base.judge.copy()
    judge[:] = [row[0] for row in answers]
    return replace(base, judge=judge, answers=tuple(answers))


def test_the_same_verdicts_are_not_worse_and_nothing_changed() -> None:
    one = asked(BASE, 0.0, 3, seed=1)
    found = upgrade(one, one, old="a", new="b", same_judge=True)
    assert found.answer == "not_worse"
    assert found.changed == ()
    assert found.beyond_noise.value == 0
    assert "its alert limits hold" in found.sentences[-1]


def test_noise_alone_is_called_noise() -> None:
    """Two askings of one noisy judge differ on many claims, and on none beyond its noise."""
    calls = 0
    for seed in range(20):
        old, new = asked(BASE, 0.1, 4, seed=seed), asked(BASE, 0.1, 4, seed=100 + seed)
        found = upgrade(old, new, old="a", new="b")
        assert len(found.changed) > 20
        assert found.own_noise.value == pytest.approx(0.18, abs=0.06)
        calls += "beyond the judges' own noise" in found.sentences[2]
    assert calls <= 3  # 2.5 % each


def test_a_real_change_is_seen_through_the_noise() -> None:
    wrong = tuple(range(0, 240, 8))
    found = upgrade(
        asked(BASE, 0.1, 4, seed=1), asked(BASE, 0.1, 4, seed=2, wrong=wrong), old="a", new="b"
    )
    assert found.beyond_noise.low is not None
    assert found.beyond_noise.low > 0
    assert found.answer == "worse"
    assert found.gates[0].answer == "reject"
    assert "derive its alert limits again" in found.sentences[-1]


def test_mended_and_broken_are_told_apart() -> None:
    old = asked(BASE, 0.0, 1, seed=1, wrong=(0, 1, 2))
    new = asked(BASE, 0.0, 1, seed=1, wrong=(2, 3))
    found = upgrade(old, new, old="a", new="b")
    assert (found.mended, found.broken) == (2, 1)
    assert [one.effect for one in found.changed] == ["mended", "mended", "broken"]
    assert found.accuracy.value == pytest.approx(1 / 240)
    assert found.answer == "not_worse"
    assert (
        found.beyond_noise.undefined == "asked once: a judge's own noise needs repeats in both runs"
    )


def test_silence_of_the_new_judge_is_held_against_it() -> None:
    new = asked(BASE, 0.0, 1, seed=1)
    judge, outcome = new.judge.copy(), new.outcome.copy()
    judge[:60], outcome[:60] = None, "timed_out"
    found = upgrade(
        asked(BASE, 0.0, 1, seed=1), replace(new, judge=judge, outcome=outcome), old="a", new="b"
    )
    assert found.answer == "worse"
    assert {one.new for one in found.changed} == {"timed_out"}


def test_few_claims_settle_nothing() -> None:
    small = laboratory(5)
    found = upgrade(
        asked(small, 0.0, 1, seed=1, wrong=(0,)),
        asked(small, 0.0, 1, seed=1, wrong=(1,)),
        old="a",
        new="b",
    )
    assert found.answer == "open"


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="same claims"):
        upgrade(BASE, laboratory(3), old="a", new="b")
    with pytest.raises(ValueError, match="margins must be > 0"):
        upgrade(BASE, BASE, old="a", new="b", margins=(0.0, 0.1))
