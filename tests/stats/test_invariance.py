"""All registered statistics through one machine; none unregistered; and the machine itself."""

from __future__ import annotations

import inspect
import math
import pkgutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from invariance_machine import CHECKS, examine, make_sample

from voirdire import stats
from voirdire.records import Estimate
from voirdire.stats.registry import (
    FORMULAS,
    STATISTICS,
    Statistic,
    estimates_in,
    formula,
    statistic,
)

MODULES = [
    import_module(f"voirdire.stats.{module.name}")
    for module in pkgutil.iter_modules(stats.__path__)
]
SAMPLE = make_sample()


@pytest.mark.parametrize("check", sorted(CHECKS))
@pytest.mark.parametrize("name", sorted(STATISTICS))
def test_statistic_passes(name: str, check: str) -> None:
    assert CHECKS[check](STATISTICS[name], SAMPLE) == []


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_invariance_does_not_depend_on_the_sample(seed: int) -> None:
    """Two-rater statistics again on few families, where fallbacks are taken."""
    sample = make_sample(seed=seed, families=6, missing=0.2)
    for one in STATISTICS.values():
        if one.kind in ("two-rater", "multi-rater", "rate"):
            assert {k: v for k, v in examine(one, sample).items() if k != "sound"} == {}, one.name


def public_functions() -> dict[str, Any]:
    found = {name: getattr(stats, name) for name in stats.__all__}
    return {name: thing for name, thing in found.items() if inspect.isfunction(thing)}


def test_every_public_function_is_registered_or_a_named_tool() -> None:
    unregistered = set(public_functions()) - set(STATISTICS) - set(FORMULAS) - set(stats.TOOLS)
    assert sorted(unregistered) == []


def test_every_function_that_returns_estimates_is_registered() -> None:
    """Whatever a module offers (its ``__all__``) and that speaks of Estimate is in the registry."""
    missing = []
    for module in MODULES:
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if not inspect.isfunction(thing) or thing.__module__ != module.__name__:
                continue
            returns = str(thing.__annotations__.get("return", ""))
            if "Estimate" in returns and name not in STATISTICS and name not in FORMULAS:
                missing.append(f"{module.__name__}.{name}")
    # the registry's own walker and the last step of all statistics take no labels
    assert [x for x in missing if not x.endswith(ROOM_TOOLS)] == []


ROOM_TOOLS = (
    "registry.estimates_in",
    "inference.estimate",
    "family_mean.family_mean",
    "bounded.clustered_ratio",
)


def test_everything_registered_is_public() -> None:
    assert sorted((set(STATISTICS) | set(FORMULAS)) - set(stats.__all__)) == []


def test_public_names_exist_and_are_sorted_out() -> None:
    assert len(stats.__all__) == len(set(stats.__all__))
    assert all(hasattr(stats, name) for name in stats.__all__)
    assert set(stats.TOOLS) <= set(stats.__all__)


# --- the tests of the tests: each planted fault must be caught by the check made for it ----------


def _estimate(value: float, n: int = 1) -> Estimate:
    return Estimate(value=value, n=n, n_asked=n, method="planted", no_interval="planted")


def _two_rater(function: Any, **flags: Any) -> Statistic:
    return Statistic(function.__name__, function, "two-rater", **flags)


def first_row_decides(human: Any, judge: Any, *, family: Any, labels: Any) -> Estimate:
    if len(human) == 0:
        return Estimate.not_defined("no items", method="planted")
    return _estimate(float(sum(map(ord, str(human[0]) + str(judge[1 % len(judge)])))))


def name_matters(human: Any, judge: Any, *, family: Any, labels: Any) -> Estimate:
    return _estimate(float(sum(x == "supported" for x in judge)))


def count_of_agreements(human: Any, judge: Any, *, family: Any, labels: Any) -> Estimate:
    return _estimate(float(sum(x == y for x, y in zip(human, judge, strict=True))))


def reference_matters(human: Any, judge: Any, *, family: Any, labels: Any) -> Estimate:
    found = [y == x for x, y in zip(human, judge, strict=True) if x == labels[0]]
    return _estimate(sum(found) / max(1, len(found)))


def raises_on_nothing(human: Any, judge: Any, *, family: Any, labels: Any) -> Estimate:
    hits = [x == y for x, y in zip(human, judge, strict=True)]
    return _estimate(sum(hits) / len(hits))


def not_a_number(human: Any, judge: Any, *, family: Any, labels: Any) -> dict[str, Any]:
    return {"one": _estimate(0.5), "p_value": math.nan if set(judge) == {None} else 0.1}


def no_estimate(human: Any, judge: Any, *, family: Any, labels: Any) -> float:
    return 0.5


def value_outside(human: Any, judge: Any, *, family: Any, labels: Any) -> Estimate:
    return Estimate(value=0.9, low=0.1, high=0.2, n=1, n_asked=1, method="planted")


def never_defined(human: Any, judge: Any, *, family: Any, labels: Any) -> Estimate:
    return Estimate.not_defined("planted", method="planted")


@pytest.mark.parametrize(
    ("function", "check"),
    [
        (first_row_decides, "order"),
        (name_matters, "renaming"),
        (count_of_agreements, "duplication"),
        (reference_matters, "swap"),
        (raises_on_nothing, "degenerate"),
        (not_a_number, "degenerate"),
        (no_estimate, "sound"),
        (value_outside, "sound"),
        (never_defined, "sound"),
    ],
)
def test_a_planted_fault_is_caught(function: Any, check: str) -> None:
    assert check in examine(_two_rater(function, symmetric=True), SAMPLE)


def test_the_machine_passes_a_good_statistic_and_respects_its_declarations() -> None:
    assert examine(STATISTICS["kappa"], SAMPLE) == {}
    asymmetric = _two_rater(reference_matters, symmetric=False, renaming="none")
    assert "swap" not in examine(asymmetric, SAMPLE)
    assert "renaming" not in examine(asymmetric, SAMPLE)


def test_an_unregistered_statistic_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats, "__all__", [*stats.__all__, "planted"])
    monkeypatch.setattr(stats, "planted", no_estimate, raising=False)
    with pytest.raises(AssertionError):
        test_every_public_function_is_registered_or_a_named_tool()


def test_estimates_are_found_at_any_depth() -> None:
    one = _estimate(0.5)
    found = estimates_in({"a": [one, {"b": (one,)}], "c": "text", "d": 3.0})
    assert list(found) == ["a.0", "a.1.b.0"]


def test_registering_checks_the_kind_and_the_name() -> None:
    with pytest.raises(ValueError, match=r"kind must be one of .* or come with call=, got 'other'"):
        statistic(kind="other")
    with pytest.raises(ValueError, match="name must be new in the registry, got 'kappa' twice"):

        @statistic(kind="two-rater")
        def kappa() -> None:
            """A second statistic of that name."""

    assert STATISTICS["kappa"].function is stats.kappa


def test_decorators_leave_functions_alone() -> None:
    def planted_formula(x: float) -> float:
        return x

    assert formula(planted_formula) is planted_formula
    del FORMULAS["planted_formula"]
    assert stats.kappa.__doc__
    assert np.isclose(stats.kappa([0, 1], [0, 1]).value or 0, 1.0)
