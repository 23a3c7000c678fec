"""Do claims without judgment differ from the judged ones?

It is tested whether silence goes with the human label, the variant, the language or the length of
the context: permutation of whole families of equal size and of the claims within a family, with
Holm's adjustment over the questions asked. Failures that merely cluster by family raise no alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from voirdire.records import Record
from voirdire.stats.coding import Codes, Labels, code_families, is_missing, values_of
from voirdire.stats.midranks import midranks
from voirdire.stats.multiplicity import holm
from voirdire.stats.reasons import ALL_FAILED, NO_FAILURES, NO_ITEMS, ONE_LEVEL
from voirdire.stats.registry import formula
from voirdire.stats.scores import numbers

__all__ = ["FailureTest", "failure_tests"]

Floats = NDArray[np.float64]

BLOCK = 4_000_000


class FailureTest(Record):
    """One question of `failure_tests`: do failures go with this attribute?

    Attributes
    ----------
    attribute : str
    kind : {'levels', 'number'}
    rates : dict of str to float
        Failure rate per level, or for a number ``median among judged`` and ``median among
        failures``.
    p, p_adjusted : float or None
        Permutation p-value, and Holm's over all questions.
    n, failures, families : int
        Claims with a known attribute, failures and families among them.
    undefined : str or None
        'no failures', 'every claim failed', 'one level only', 'no items'.
    """

    attribute: str
    kind: Literal["levels", "number"]
    rates: dict[str, float] = Field(default_factory=dict)
    p: float | None = None
    p_adjusted: float | None = None
    n: int = 0
    failures: int = 0
    families: int = 0
    undefined: str | None = None


@formula
def failure_tests(
    failed: Sequence[Any] | NDArray[Any],
    *,
    levels: Mapping[str, Labels] | None = None,
    numeric: Mapping[str, Labels] | None = None,
    family: Labels | None = None,
    rng: np.random.Generator | int = 0,
    draws: int = 9_999,
) -> tuple[FailureTest, ...]:
    """Whether claims without judgment differ from the judged ones.

    Under the null hypothesis the claims of a family fail with the same chance, and families of
    equal size are exchangeable. Failures are permuted accordingly: whole families among those of
    equal size, then the claims within each. The statistic is chi-square over levels, or the
    absolute difference of mean ranks for a number.

    Parameters
    ----------
    failed : sequence of bool, length C
        Whether the judge gave no judgment; a missing value drops the claim.
    levels : mapping of str to sequence of length C
        Attributes with levels: human label, variant, language. None is missing.
    numeric : mapping of str to sequence of length C
        Attributes that are numbers: context length.
    family : sequence of length C, optional
        Family of each claim.
    rng : Generator or int
        Source of the permutations; each attribute sees the same ones.
    draws : int
        Permutations; ``p = (1 + hits) / (1 + draws)``.

    Returns
    -------
    tuple of FailureTest
        Levels first, then numbers, in the order given.

    Raises
    ------
    ValueError
        If lengths differ, draws < 1, or an attribute is named twice.

    Examples
    --------
    >>> failed = [True] * 8 + [False] * 24
    >>> tests = failure_tests(failed, levels={"language": ["it"] * 10 + ["en"] * 22}, draws=999)
    >>> tests[0].rates, tests[0].p < 0.01
    ({'en': 0.0, 'it': 0.8}, True)
    """
    if draws < 1:
        raise ValueError(f"draws must be >= 1, got {draws}")
    levels, numeric = levels or {}, numeric or {}
    if set(levels) & set(numeric):
        raise ValueError(f"attributes must be named once, got {sorted(set(levels) & set(numeric))}")
    flags = numbers(failed, name="failed")
    coded = code_families(family, flags.size)
    groups = np.arange(flags.size, dtype=np.int64) if coded is None else coded[0]
    seed = int(np.random.default_rng(rng).integers(2**63))
    asked: list[tuple[str, Literal["levels", "number"], Labels]]
    asked = [(name, "levels", column) for name, column in levels.items()]
    asked += [(name, "number", column) for name, column in numeric.items()]
    tests = [
        _test(name, kind, column, flags, groups, np.random.default_rng(seed), draws)
        for name, kind, column in asked
    ]
    adjusted = holm([test.p for test in tests])
    return tuple(
        test.model_copy(update={"p_adjusted": p}) for test, p in zip(tests, adjusted, strict=True)
    )


class _Column(NamedTuple):
    """One attribute: numbers of the permutation statistic per item, and which items are known."""

    values: Floats
    names: list[str]
    known: NDArray[np.bool_]


def _test(
    name: str,
    kind: Literal["levels", "number"],
    given: Labels,
    flags: Floats,
    groups: Codes,
    rng: np.random.Generator,
    draws: int,
) -> FailureTest:
    column = _levels(given, name) if kind == "levels" else _number(given, name)
    if column.known.size != flags.size:
        raise ValueError(
            f"{name} must have one entry per item ({flags.size}), got {column.known.size}"
        )
    used = column.known & ~np.isnan(flags)
    fails, owner = flags[used] > 0, groups[used]
    occurring = column.values[used].any(axis=0) | (kind == "number")
    values = column.values[used][:, occurring]
    test = FailureTest(
        attribute=name,
        kind=kind,
        n=int(used.sum()),
        failures=int(fails.sum()),
        families=int(np.unique(owner).size),
        undefined=_why_undefined(fails, values, kind),
    )
    if test.undefined is not None:
        return test
    names = [n for n, some in zip(column.names, occurring, strict=True) if some]
    rates, score = (_level_rates if kind == "levels" else _medians)(fails, values, names)
    p = _permutation_p(fails.astype(float), owner, score, rng, draws)
    return test.model_copy(update={"p": p, "rates": rates})


def _level_rates(
    fails: NDArray[np.bool_], values: Floats, names: list[str]
) -> tuple[dict[str, float], Callable[[Floats], Floats]]:
    """Failure rate per level, and the chi-square of permuted failures."""
    size = values.sum(axis=0)
    expected = size * fails.mean()
    rates = dict(zip(names, ((fails @ values) / size).tolist(), strict=True))
    return rates, lambda drawn: np.asarray(
        ((drawn @ values - expected) ** 2 / expected).sum(axis=-1)
    )


def _medians(
    fails: NDArray[np.bool_], values: Floats, _: list[str]
) -> tuple[dict[str, float], Callable[[Floats], Floats]]:
    """Medians of both groups, and the rank sum of permuted failures."""
    ranks = midranks(values[:, 0])
    centred = ranks - ranks.mean()
    rates = {
        "median among judged": float(np.median(values[~fails, 0])),
        "median among failures": float(np.median(values[fails, 0])),
    }
    return rates, lambda drawn: np.abs(drawn @ centred)


def _why_undefined(fails: NDArray[np.bool_], values: Floats, kind: str) -> str | None:
    if fails.size == 0:
        return NO_ITEMS
    if not fails.any():
        return NO_FAILURES
    if fails.all():
        return ALL_FAILED
    single = values.shape[1] < 2 if kind == "levels" else np.ptp(values) == 0
    return ONE_LEVEL if single else None


def _levels(given: Labels, name: str) -> _Column:
    """One-hot levels in the order of their names."""
    values = list(values_of(given, name=name))
    known = np.array([not is_missing(v) for v in values], dtype=bool)
    names = sorted({str(v) for v in values if not is_missing(v)})
    place = {level: number for number, level in enumerate(names)}
    matrix = np.zeros((len(values), len(names)))
    for row in np.flatnonzero(known).tolist():
        matrix[row, place[str(values[row])]] = 1.0
    return _Column(matrix, names, known)


def _number(given: Labels, name: str) -> _Column:
    values = numbers(given, name=name)
    return _Column(np.nan_to_num(values)[:, None], [name], ~np.isnan(values))


def _permutation_p(
    fails: Floats,
    owner: Codes,
    score: Callable[[Floats], Floats],
    rng: np.random.Generator,
    draws: int,
) -> float:
    observed = float(score(fails))
    limit = observed - 1e-9 * max(1.0, abs(observed))
    strata = _strata(owner)
    hits, left = 0, draws
    while left > 0:
        rows = min(left, max(1, BLOCK // fails.size))
        hits += int((score(_permuted(fails, strata, rows, rng)) >= limit).sum())
        left -= rows
    return (1 + hits) / (1 + draws)


def _strata(owner: Codes) -> list[NDArray[np.intp]]:
    """Items of families of equal size, each as a matrix (families, size)."""
    order = np.argsort(owner, kind="stable")
    _, starts, sizes = np.unique(owner[order], return_index=True, return_counts=True)
    return [
        np.stack([order[s : s + size] for s in starts[sizes == size]])
        for size in np.unique(sizes).tolist()
    ]


def _permuted(
    fails: Floats, strata: list[NDArray[np.intp]], rows: int, rng: np.random.Generator
) -> Floats:
    """(rows, C) failures: families of equal size exchanged, claims within a family exchanged."""
    result = np.empty((rows, fails.size))
    for items in strata:
        families, size = items.shape
        chosen = rng.random((rows, families)).argsort(axis=1)
        block = fails[items][chosen]
        if size > 1:
            block = rng.permuted(block, axis=2)
        result[:, items.ravel()] = block.reshape(rows, -1)
    return result
