"""Every public statistic, in one list, so that one machine can examine them all.

How to register
---------------
A function that takes data and returns one or more `Estimate` is a *statistic*::

    @statistic(kind="two-rater", symmetric=True)
    def kappa(human, judge, *, family=None, labels=None, level=0.95) -> Estimate: ...

A function of plain numbers (a quantile, a sample size, a p-value adjustment, an interval for k of
n) is a *formula*; it is listed, and checked by golden values instead of by the machine::

    @formula
    def wilson(k, n, *, level=0.95) -> Interval: ...

If the signature is not the usual one of its kind (see `CALLS`), say how to call it::

    @statistic(kind="other", call=lambda sample: flips(sample.judge, sample.second_judge))

The machine (``tests/stats/test_invariance.py``) then checks for each statistic: the order of rows
does not matter; renaming labels does not (``renaming``); every row twice gives the same value
(``duplication``); the raters may be swapped (``symmetric``); and data with one label, no rows,
only missing labels or one family never raise and never give NaN. A second test fails when a public
function of `voirdire.stats` is in neither list.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from numpy.typing import NDArray
from pydantic import BaseModel

from voirdire.records import Estimate

__all__ = [
    "CALLS",
    "FORMULAS",
    "STATISTICS",
    "Kind",
    "Renaming",
    "Sample",
    "Statistic",
    "estimates_in",
    "formula",
    "statistic",
]

Kind = Literal["two-rater", "multi-rater", "rate", "scores", "judge-pair", "panel", "other"]
Renaming = Literal["any", "ordered", "none"]
Column = NDArray[Any]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Sample:
    """One data set in all shapes that a statistic may ask for; rows of all arrays go together.

    Attributes
    ----------
    human, judge, second_judge : ndarray of object, shape (C,)
        Labels; None is missing.
    ratings : ndarray of object, shape (C, A)
        Labels of A annotators; None is missing.
    repeats : ndarray of object, shape (C, K)
        Labels of one judge asked K times; None is missing.
    scores : ndarray of float, shape (C,)
        Probability of ``labels[-1]`` given by the judge; NaN is missing.
    outcomes : ndarray of float, shape (C,)
        1 if the human label is ``labels[-1]``, else 0; NaN is missing.
    family : ndarray, shape (C,)
        Family of each row.
    variant : ndarray of object, shape (C,)
        ``original``, ``paraphrase`` or ``negation``.
    labels : tuple
        The coding scheme, in scale order.
    """

    human: Column
    judge: Column
    second_judge: Column
    ratings: Column
    repeats: Column
    scores: Column
    outcomes: Column
    family: Column
    variant: Column
    labels: tuple[object, ...]

    def take(self, rows: Column) -> Sample:
        """The same sample with these rows, in this order (repetitions allowed)."""
        chosen = {
            field.name: getattr(self, field.name)[rows]
            for field in dataclasses.fields(self)
            if field.name != "labels"
        }
        return Sample(**chosen, labels=self.labels)


#: The usual call of each kind: the signature a statistic of that kind should have.
CALLS: dict[str, Callable[[Callable[..., Any], Sample], Any]] = {
    "two-rater": lambda f, s: f(s.human, s.judge, family=s.family, labels=s.labels),
    "multi-rater": lambda f, s: f(s.ratings, family=s.family, labels=s.labels),
    "rate": lambda f, s: f(s.outcomes, family=s.family),
    "scores": lambda f, s: f(s.scores, s.outcomes, family=s.family),
    "judge-pair": lambda f, s: f(
        s.human, s.judge, s.second_judge, family=s.family, labels=s.labels
    ),
    "panel": lambda f, s: f(s.ratings, s.judge, family=s.family, labels=s.labels),
}


@dataclass(frozen=True)
class Statistic:
    """One entry of the registry.

    Attributes
    ----------
    name : str
        Public name in `voirdire.stats`.
    function : callable
        The statistic.
    kind : str
        Which data it takes; see `CALLS`.
    symmetric : bool
        Swapping the two raters (or permuting the annotators) leaves the value alone.
    renaming : {"any", "ordered", "none"}
        Which renamings of the labels leave the value alone: any permutation of names, only those
        that keep the scale order, or none because the statistic speaks of named labels or numbers.
    duplication : bool
        Every row twice, in the same family, gives the same value. False for statistics with a
        small-sample correction.
    order : bool
        The order of rows does not matter.
    call : callable or None
        ``call(sample)`` for signatures that are not the usual one.
    """

    name: str
    function: Callable[..., Any]
    kind: Kind
    symmetric: bool = False
    renaming: Renaming = "any"
    duplication: bool = True
    order: bool = True
    call: Callable[[Sample], Any] | None = None

    def run(self, sample: Sample) -> Any:
        """The statistic's own result on a sample."""
        return self.call(sample) if self.call else CALLS[self.kind](self.function, sample)

    def on(self, sample: Sample) -> dict[str, Estimate]:
        """The estimates in the statistic's result on a sample, by path."""
        return estimates_in(self.run(sample))


#: All statistics by public name.
STATISTICS: dict[str, Statistic] = {}

#: All formulas by public name.
FORMULAS: dict[str, Callable[..., Any]] = {}


def statistic(
    *,
    kind: Kind,
    symmetric: bool = False,
    renaming: Renaming = "any",
    duplication: bool = True,
    order: bool = True,
    call: Callable[[Sample], Any] | None = None,
) -> Callable[[Function], Function]:
    """Register a function of data; parameters as in `Statistic`. The function is left unchanged.

    Raises
    ------
    ValueError
        When ``kind`` has no usual call and none is given, or the name is taken.
    """
    if call is None and kind not in CALLS:
        raise ValueError(f"kind must be one of {sorted(CALLS)} or come with call=, got {kind!r}")

    def register(function: Function) -> Function:
        name = function.__name__
        taken = STATISTICS.get(name)
        if taken is not None and taken.function.__module__ != function.__module__:
            raise ValueError(f"name must be new in the registry, got {name!r} twice")
        STATISTICS[name] = Statistic(
            name, function, kind, symmetric, renaming, duplication, order, call
        )
        return function

    return register


def formula(function: Function) -> Function:
    """Register a function of plain numbers. The function is left unchanged."""
    FORMULAS[function.__name__] = function
    return function


def estimates_in(result: object, path: str = "") -> dict[str, Estimate]:
    """All estimates inside a result, by path.

    Parameters
    ----------
    result : object
        An `Estimate`, or a mapping, sequence, dataclass or record holding some at any depth.
    path : str
        Prefix of the paths.

    Returns
    -------
    dict of str to Estimate
        Empty when there is none.

    Examples
    --------
    >>> from voirdire.records import Estimate
    >>> one = Estimate.not_defined("no items", method="example")
    >>> list(estimates_in({"recall": (one, one)}))
    ['recall.0', 'recall.1']
    """
    if isinstance(result, Estimate):
        return {path: result}
    found: dict[str, Estimate] = {}
    for key, part in _parts(result):
        found |= estimates_in(part, f"{path}.{key}" if path else str(key))
    return found


def _parts(result: object) -> list[tuple[object, object]]:
    """Named parts of a container; nothing for a leaf."""
    if isinstance(result, BaseModel):
        return [(name, getattr(result, name)) for name in type(result).model_fields]
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return [(f.name, getattr(result, f.name)) for f in dataclasses.fields(result)]
    if isinstance(result, Mapping):
        return list(result.items())
    if isinstance(result, Sequence) and not isinstance(result, str | bytes):
        return list(enumerate(result))
    return []
