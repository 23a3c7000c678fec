"""A contest and an operating point that were really computed, for the page."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tests.studies.made import laboratory
from tests.studies.test_contest import erring, hold
from tests.studies.test_operating_point import found, part
from voirdire.records import DecisionResult
from voirdire.records.contest import ContestResult
from voirdire.records.operating import OperatingPoint
from voirdire.studies import Aligned, GateLimits
from voirdire.studies.cheapest import JudgePrice, cheapest_set
from voirdire.studies.looks import look_at

BASE = laboratory(240, size=4, people_wrong=0.02)
LIMITS = GateLimits(min_families=30)
SPLITS = {family: "cal" if k % 2 else "test" for k, family in enumerate(dict.fromkeys(BASE.family))}
OLD_WRONG = list(range(0, 960, 6))


def judges(*names: str) -> dict[str, Aligned]:
    """One that errs on every sixth claim, one nearly always right, and as many more as asked."""
    old = erring(BASE, OLD_WRONG)
    more = [erring(BASE, list(range(k, 960, 50 + k))) for k in range(1, len(names))]
    return dict(zip(names, [old, *more], strict=True))


def sureness(wrong: list[int]) -> dict[str, float]:
    """Less sure where it errs, and different everywhere."""
    rng = np.random.default_rng(1)
    return {
        claim.id: (0.5 if row in wrong else 0.8) + 0.1 * rng.random()
        for row, claim in enumerate(BASE.claims)
    }


def contest_of(
    *names: str,
    incumbent: str = "",
    prices: Mapping[str, JudgePrice] | None = None,
    level: float = 0.95,
) -> ContestResult:
    """A contest of the study ``trial`` with its cheapest set."""
    aligned = judges(*names)
    sure = {names[0]: sureness(OLD_WRONG)}
    cheapest = cheapest_set(
        aligned,
        LIMITS,
        splits=SPLITS,
        sure=sure,
        prices=prices or {name: JudgePrice(0.001 * k, 0.1) for k, name in enumerate(names, 1)},
        test_level=level,
    )
    made = hold(aligned, incumbent=incumbent, sure=sure)
    return made.model_copy(update={"study": "trial", "cheapest": cheapest})


def point_of(judge: str, *, families: int = 6000) -> OperatingPoint:
    """An operating point on calibrated probabilities, of the study ``trial``."""
    made = found(part(families, seed=1), part(families, seed=2))
    return made.model_copy(update={"study": "trial", "judge": judge})


def at_look(decision: DecisionResult, number: int) -> DecisionResult:
    """The same decisions, made at a later look."""
    return decision.model_copy(update={"look": look_at(number, level=0.95, digest="00")})
