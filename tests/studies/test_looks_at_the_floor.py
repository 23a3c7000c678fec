"""Teams that change a judge until it passes: five looks with corrected bounds, and without."""

from __future__ import annotations

import numpy as np

from tests.studies.made import laboratory
from voirdire.studies import GateLimits
from voirdire.studies.looks import look_level, spent_alpha
from voirdire.studies.measures import recall_bounds

LIMITS = GateLimits(min_families=30)
LOOKS, TEAMS = 5, 150


def passed(*, corrected: bool) -> int:
    """How many teams see a judge whose true recall is the floor itself pass at some look."""
    count = 0
    for seed in range(TEAMS):
        rng = np.random.default_rng(seed)
        study = laboratory(60, wrong=0.0, people_wrong=0.0, people=2, seed=seed)
        for look in range(1, LOOKS + 1):
            level = look_level(LIMITS.level, look if corrected else 1)
            study.judge[:] = study.human
            missed = (study.human == "contradicted") & (
                rng.random(len(study.human)) >= LIMITS.contradicted_recall_floor
            )
            study.judge[missed] = "unverifiable"
            worst, _ = recall_bounds(study, "contradicted", level=2 * level - 1)
            if worst.low is not None and worst.low >= LIMITS.contradicted_recall_floor:
                count += 1
                break
    return count


def test_five_looks_at_the_floor_spend_no_more_than_is_promised() -> None:
    # The promise is .0732: more than 22 of 150 has a chance below .001.
    assert 0.05 < spent_alpha(LIMITS.level, LOOKS) < 0.0732
    with_correction = passed(corrected=True)
    assert with_correction <= 22
    assert passed(corrected=False) > with_correction
