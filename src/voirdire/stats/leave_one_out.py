"""Is the judge as good as one more person? The leave-one-out human baseline.

Each annotator in turn is held out, and both the annotator and the judge are compared with the
remaining people on the same items. ``delta`` is the judge's agreement with them less the held-out
person's, averaged over annotators; its uncertainty comes from leaving out one family at a time.
The annotators are taken as they are: inference to "people like these" needs eight or more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.records import Estimate, GateAnswer, Record
from voirdire.stats.coding import Labels
from voirdire.stats.counts import FamilySums
from voirdire.stats.decision_rule import three_way
from voirdire.stats.difference import family_difference
from voirdire.stats.equivalence import equivalence_test
from voirdire.stats.judged_panel import JudgedPanel, pair_cells, panel_of
from voirdire.stats.panel_sums import Ratings
from voirdire.stats.reasons import NO_ITEMS, ONE_LABEL, TOO_FEW_ANNOTATORS
from voirdire.stats.registry import statistic
from voirdire.stats.tables import kappa, ratio

__all__ = ["HumanBaseline", "leave_one_out", "leave_one_out_kappa"]

#: Two-sided level whose ends are the one-sided 95 % bounds of a gate.
GATE_LEVEL = 0.90


class HumanBaseline(Record):
    """The judge beside held-out people.

    Attributes
    ----------
    human, judge : tuple, length A
        Per held-out annotator: agreement of the person, and of the judge, with the remaining
        people on the same items. None where there is nothing to compare.
    delta : Estimate
        Mean over annotators of judge minus human, with its two-sided interval.
    lower, upper : float or None
        One-sided 95 % bounds of delta.
    margin : float
        How much worse than a person would still do.
    p : float or None
        Against "the judge is worse by the margin or more".
    answer : {'accept', 'reject', 'inconclusive'}
        Non-inferiority: accept if lower >= -margin, reject if upper < -margin.
    """

    human: tuple[float | None, ...]
    judge: tuple[float | None, ...]
    delta: Estimate
    lower: float | None
    upper: float | None
    margin: float
    p: float | None
    answer: GateAnswer


@statistic(kind="panel")
def leave_one_out(
    ratings: Ratings,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    margin: float = 0.05,
    level: float = 0.95,
) -> HumanBaseline:
    """Leave-one-out human baseline on raw agreement.

    For annotator j, over items that j, the judge and at least one other labelled: the mean share
    of the others who agree with j, and with the judge.

    Parameters
    ----------
    ratings : array_like, shape (C, A)
        Labels of A >= 2 annotators; None is missing.
    judge : sequence of length C
        The judge's labels; None is missing.
    family : sequence of length C, optional
        Family of each item.
    labels : sequence of length L, optional
        The coding scheme.
    margin : float
        Non-inferiority margin, > 0, fixed beforehand.
    level : float
        Level of the two-sided interval of delta.

    Returns
    -------
    HumanBaseline
        Delta undefined: 'too few annotators', 'no items'. When all families show the same (every
        difference 0) the interval is Tango's with F families and no discordant one.

    Raises
    ------
    ValueError
        If shapes differ, a label is not in the scheme, or margin <= 0.

    Examples
    --------
    >>> ratings = [["s", "s", "c"], ["c", "c", "c"], ["s", "s", "s"], ["c", "s", "s"]]
    >>> result = leave_one_out(ratings, ["s", "c", "s", "s"])
    >>> [round(a, 3) for a in result.human], round(result.delta.value, 4)
    ([0.625, 0.75, 0.625], 0.1667)
    """
    panel = panel_of(ratings, judge, family=family, labels=labels)
    people = panel.annotators
    columns = np.zeros((panel.items, 3 * people))
    for a in range(people):
        columns[:, 3 * a : 3 * a + 3] = _agreement_columns(panel, a)
    used = np.asarray(columns[:, 2::3].any(axis=1))
    sums = panel.sums(columns, used)

    def shares(totals: NDArray[Any]) -> NDArray[Any]:
        parts = totals.reshape(*totals.shape[:-1], people, 3)
        return np.stack([ratio(parts[..., 0], parts[..., 2]), ratio(parts[..., 1], parts[..., 2])])

    return _baseline(sums, shares, "agreement", people, margin, level)


@statistic(kind="panel")
def leave_one_out_kappa(
    ratings: Ratings,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    margin: float = 0.10,
    level: float = 0.95,
) -> HumanBaseline:
    """Leave-one-out human baseline on Cohen's kappa.

    For annotator j, over the other annotators o: the mean kappa of j with o, and of the judge
    with o on the same items.

    Parameters, returned value and errors are those of `leave_one_out`; delta is also undefined
    with 'one label only'.

    Examples
    --------
    >>> ratings = [["s", "s", "c"], ["c", "c", "c"], ["s", "s", "s"], ["c", "s", "s"]]
    >>> round(leave_one_out_kappa(ratings, ["s", "c", "s", "s"]).delta.value, 4)
    0.3333
    """
    panel = panel_of(ratings, judge, family=family, labels=labels)
    people, size = panel.annotators, len(panel.scheme)
    pairs = [(a, b) for a in range(people) for b in range(people) if a != b]
    tables = [_kappa_columns(panel, a, b) for a, b in pairs]
    columns = np.hstack(tables) if tables else np.zeros((panel.items, 0))
    used = np.asarray(columns.any(axis=1))
    sums = panel.sums(columns, used)

    def per_pair(totals: NDArray[Any]) -> NDArray[Any]:
        return kappa(totals.reshape(*totals.shape[:-1], len(pairs), 2, size, size))

    single = per_pair(sums.total) if used.any() else np.full((len(pairs), 2), np.nan)
    defined = ~np.isnan(single).any(axis=-1)
    held_out = np.array([a for a, _ in pairs])

    def means(totals: NDArray[Any]) -> NDArray[Any]:
        values = per_pair(totals)
        nothing = np.full(values.shape[:-2], np.nan)
        both = []
        for who in (0, 1):
            rows = [np.flatnonzero(defined & (held_out == a)) for a in range(people)]
            both.append([values[..., r, who].mean(axis=-1) if r.size else nothing for r in rows])
        return np.moveaxis(np.array(both), 1, -1)

    return _baseline(sums, means, "Cohen kappa", people, margin, level)


def _agreement_columns(panel: JudgedPanel, annotator: int) -> NDArray[np.float64]:
    """Per item: share of the others agreeing with the person, with the judge, and 1; or zeros."""
    votes = panel.votes_of_others(annotator)
    person, total = panel.people[:, annotator], votes.sum(axis=1)
    used = (person >= 0) & (panel.judge >= 0) & (total > 0)
    rows = np.flatnonzero(used)
    columns = np.zeros((panel.items, 3))
    columns[rows, 0] = votes[rows, person[rows]] / total[rows]
    columns[rows, 1] = votes[rows, panel.judge[rows]] / total[rows]
    columns[rows, 2] = 1.0
    return columns


def _kappa_columns(panel: JudgedPanel, annotator: int, other: int) -> NDArray[np.float64]:
    person, reference = panel.people[:, annotator], panel.people[:, other]
    both = (person >= 0) & (panel.judge >= 0)
    reference = np.where(both, reference, -1)
    size = len(panel.scheme)
    return np.hstack(
        [pair_cells(person, reference, size), pair_cells(panel.judge, reference, size)]
    )


def _baseline(
    sums: FamilySums,
    shares: Callable[[NDArray[Any]], NDArray[Any]],
    name: str,
    people: int,
    margin: float,
    level: float,
) -> HumanBaseline:
    """From (2, ..., A) values of people and judge to the record."""
    if not margin > 0:
        raise ValueError(f"margin must be > 0, got {margin}")
    method = f"leave-one-out difference of {name}"
    families = sums.families
    if people < 2 or sums.n == 0:
        few = f"{TOO_FEW_ANNOTATORS}: {people}, 2 needed"
        reason = few if people < 2 else NO_ITEMS
        return _undefined(sums, reason, method, people, margin, level)
    human, judge = shares(sums.total)
    known = ~np.isnan(human) & ~np.isnan(judge)
    if not known.any():
        return _undefined(sums, ONE_LABEL, method, people, margin, level)

    def delta(totals: NDArray[Any]) -> NDArray[Any]:
        person, machine = shares(totals)
        return np.asarray((machine - person)[..., known].mean(axis=-1))

    alike = name == "agreement" and _all_alike(sums)
    found = family_difference(sums, delta, no_difference=alike)
    ends = found.interval(GATE_LEVEL)
    lower, upper = ends or (None, None)
    test = equivalence_test(found.value, se=found.se, df=families - 1, margin=margin)
    return HumanBaseline(
        human=_listed(human),
        judge=_listed(judge),
        delta=found.estimate(sums, method, level=level),
        lower=lower,
        upper=upper,
        margin=margin,
        p=test.noninferior_p,
        answer=three_way(lower, upper, -margin),
    )


def _all_alike(sums: FamilySums) -> bool:
    """Whether in every family the judge agrees with people exactly as each person does."""
    return bool(np.allclose(sums.counts[:, 0::3], sums.counts[:, 1::3]))


def _undefined(
    sums: FamilySums, reason: str, method: str, people: int, margin: float, level: float
) -> HumanBaseline:
    nothing: tuple[float | None, ...] = (None,) * people
    return HumanBaseline(
        human=nothing,
        judge=nothing,
        delta=Estimate.not_defined(
            reason,
            method=method,
            n=sums.n,
            n_asked=sums.n_asked,
            families=sums.families,
            level=level,
        ),
        lower=None,
        upper=None,
        margin=margin,
        p=None,
        answer="inconclusive",
    )


def _listed(values: NDArray[Any]) -> tuple[float | None, ...]:
    return tuple(None if np.isnan(v) else float(v) for v in values)
