"""How many families would settle a gate that is open."""

from __future__ import annotations

import math

from voirdire.records import Estimate, GateAnswer
from voirdire.stats.intervals import normal_quantile
from voirdire.studies.gates import GateLimits

__all__ = ["families_needed"]


def families_needed(
    estimate: Estimate, floor: float, limits: GateLimits, answer: GateAnswer
) -> int | None:
    """Families that settle an open gate with the study's power, if the estimate is the truth.

    The half-width shrinks with the square root of the families; the estimate's distance from the
    floor must cover it and the quantile of the power.
    """
    value, families = estimate.value, estimate.families
    if answer != "inconclusive" or value is None or estimate.low is None or not families:
        return None
    half = (value - estimate.low) if value >= floor else ((estimate.high or value) - value)
    distance = abs(value - floor)
    if distance < 1e-9 or half <= 0:
        return None
    z_level = normal_quantile(estimate.level)
    z_power = normal_quantile(2 * limits.power - 1)  # one-sided at the power
    factor = half * (1 + z_power / z_level) / distance
    return max(families + 1, math.ceil(families * factor**2))
