"""Every example in a docstring runs and gives what it says."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import voirdire

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(voirdire.__path__, prefix="voirdire.")
    if not module.name.startswith("voirdire.cli.")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    module = import_module(name)
    outcome = doctest.testmod(module, optionflags=OPTIONS)
    assert outcome.failed == 0


def test_the_statistics_are_documented_by_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = [name for name in MODULES if name.startswith("voirdire.stats.")]
    examples = sum(
        len(test.examples) for name in names for test in finder.find(import_module(name))
    )
    assert examples > 100
