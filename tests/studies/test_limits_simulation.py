"""The promise of the limits, held against claims, runs and days that are simulated."""

from __future__ import annotations

import math

import pytest

from tests.simulations.alarms import DESIGNS, HEADER, Design, simulate, table

# nominal .05 and .01; allowed 1.6 times that in every design, plus three Monte Carlo errors
ALLOWED = (0.08, 0.016)


def within(share: float, limit: float, n: int) -> bool:
    return share <= limit + 3 * math.sqrt(limit * (1 - limit) / n)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_false_alarms_keep_their_promise(design: Design) -> None:
    n = 300
    found = simulate(design, n, seed=11)
    assert within(found.warning, ALLOWED[0], n)
    assert within(found.critical, ALLOWED[1], n)
    assert math.isnan(found.drift) or within(found.drift, 1.6 * 0.014, n)


def test_the_usual_rule_does_not() -> None:
    """Method page: .208 / .061 on 60 fresh claims."""
    fresh = next(design for design in DESIGNS if design.name == "60 fresh claims")
    found = simulate(fresh, 400, seed=3)
    assert found.naive_warning > 0.14
    assert found.naive_critical > 0.03
    assert found.warning < found.naive_warning / 2


def test_power_grows_with_the_drop() -> None:
    found = simulate(DESIGNS[1], 200, seed=5, drops=(0.05, 0.10, 0.20))
    seen = list(found.seen.values())
    assert seen == sorted(seen)
    assert seen[-1] > 0.95


def test_the_table_has_a_row_for_each_design() -> None:
    lines: list[str] = []
    table(5, say=lines.append)
    assert lines[0] == HEADER
    assert len(lines) == len(DESIGNS) + 1
    assert all(line.count("|") == HEADER.splitlines()[0].count("|") for line in lines[1:])


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_false_alarms_long(design: Design) -> None:
    n = 10_000
    found = simulate(design, n, seed=21)
    assert found.warning <= ALLOWED[0]
    assert found.critical <= ALLOWED[1]
    assert found.warning >= 0.02  # a limit that never fires would keep any promise
