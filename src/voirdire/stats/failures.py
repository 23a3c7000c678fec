"""Claims the judge gave no judgment on: what they could hide, and whether they are special.

An agreement number over the judged claims only is that of a judge who may stay silent where it
would be wrong. So every number comes with its bounds: all silent claims right, or all wrong.
Whether silence goes with something is tested in `failure_tests`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.records import Estimate, Record
from voirdire.stats.agreement import kappa
from voirdire.stats.coding import Codes, Labels, code_families, code_labels, coding_scheme
from voirdire.stats.reasons import NO_FAILURES
from voirdire.stats.registry import Sample, statistic

__all__ = ["FailureBounds", "failure_bounds"]

#: Any two-rater statistic of this package: (human, judge, family=, labels=, level=) -> Estimate.
Agreement = Callable[..., Estimate]

MOST_FILLS = 64


class FailureBounds(Record):
    """Result of `failure_bounds`.

    Attributes
    ----------
    observed : Estimate
        Over the judged claims only.
    worst, best : Estimate
        With all claims without judgment counted wrong, and right. Their intervals are those of
        data so filled: ``worst.low`` and ``best.high`` hold whatever the silent claims were.
    failures, asked : int
        Claims with a human label and no judgment, and all with a human label.
    note : str or None
        'no failures' when the three are the same number.
    """

    observed: Estimate
    worst: Estimate
    best: Estimate
    failures: int
    asked: int
    note: str | None = None


def _bounds(sample: Sample) -> FailureBounds:
    return failure_bounds(
        list(sample.human), list(sample.judge), family=list(sample.family), labels=sample.labels
    )


@statistic(kind="two-rater", call=_bounds)
def failure_bounds(
    human: Labels,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    agreement: Agreement = kappa,
    level: float = 0.95,
) -> FailureBounds:
    """An agreement number with its bounds over the claims the judge gave no judgment on.

    Parameters
    ----------
    human : sequence of length C
        Human labels; claims without one are left out.
    judge : sequence of length C
        Verdicts; None where there is no judgment.
    family : sequence of length C, optional
        Family of each claim.
    labels : sequence of length L, optional
        The coding scheme.
    agreement : callable
        A two-rater statistic of `voirdire.stats`, called as
        ``agreement(human, judge, family=…, labels=…, level=…)``.
    level : float
        Two-sided level.

    Returns
    -------
    FailureBounds
        *Right* puts the human label in. *Wrong* puts, for each human label, that other label in
        which makes the number smallest, the same for all silent claims of a human label; for
        kappa this is the exact minimum, because with the agreement fixed kappa falls in the
        expected agreement, which is linear in the judge's margins.

    Raises
    ------
    ValueError
        If lengths differ or a label is not in the scheme.

    Examples
    --------
    >>> bounds = failure_bounds(["s", "c", "s", "c", "s"], ["s", "c", "s", "s", None])
    >>> [round(e.value, 3) for e in (bounds.worst, bounds.observed, bounds.best)]
    [0.167, 0.5, 0.545]
    """
    scheme = coding_scheme(labels, human, judge)
    people = code_labels(human, scheme, name="human")
    verdicts = code_labels(judge, scheme, name="judge")
    if people.size != verdicts.size:
        raise ValueError(f"judge must have one label per item ({people.size}), got {verdicts.size}")
    coded = code_families(family, people.size)
    groups = None if coded is None else coded[0]
    silent = (people >= 0) & (verdicts < 0)

    def value(filled: Codes) -> Estimate:
        return agreement(
            [scheme[c] if c >= 0 else None for c in people],
            [scheme[c] if c >= 0 else None for c in filled],
            family=groups,
            labels=scheme,
            level=level,
        )

    observed = value(verdicts)
    failures, asked = int(silent.sum()), int((people >= 0).sum())
    if failures == 0:
        return FailureBounds(
            observed=observed,
            worst=observed,
            best=observed,
            failures=0,
            asked=asked,
            note=NO_FAILURES,
        )
    best = value(np.where(silent, people, verdicts))
    worst = _worst(people, verdicts, silent, len(scheme), value)
    return FailureBounds(observed=observed, worst=worst, best=best, failures=failures, asked=asked)


def _worst(
    people: Codes,
    verdicts: Codes,
    silent: NDArray[np.bool_],
    size: int,
    value: Callable[[Codes], Estimate],
) -> Estimate:
    """The smallest value over fills that send all silent claims of a label to one other label."""
    if size < 2:
        reason = "no wrong label exists: the scheme has one label"
        return Estimate.not_defined(reason, method="all failures wrong")
    present = sorted(set(people[silent].tolist()))
    choices = [[k for k in range(size) if k != label] for label in present]
    found: list[Estimate] = []
    for number, fill in enumerate(product(*choices)):
        if number >= MOST_FILLS:  # six labels or more: the common fills have been tried
            break
        table = np.full(size, -1, dtype=np.int64)
        table[present] = fill
        found.append(value(np.where(silent, table[people], verdicts)))
    defined = [e for e in found if e.value is not None]
    return min(defined, key=lambda e: (e.value, e.low or 0.0)) if defined else found[0]
