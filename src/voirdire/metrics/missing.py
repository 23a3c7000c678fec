"""No score is not a low score: why there is none, what mends it, and what the gap could hide.

Four origins are told apart. Where the judge, its server or the splitter failed, a score is
*missing*: it would have been somewhere between 0 and 1, so the mean is shown with all missing as
0 and as 1. Where there is nothing to divide by, the metric does *not apply*: the answer is in no
mean and counted apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from voirdire.records import Estimate, Metric, NotAScore, NotAScoreCount, Origin
from voirdire.stats import MissingBounds, missing_bounds

__all__ = ["REASONS", "Reason", "bounds_with_partial", "counted", "gap_sentence"]


class Reason(NamedTuple):
    """One way of having no score.

    Attributes
    ----------
    origin : Origin
    missing : bool
        Whether there should have been one: it then counts as missing, and in the bounds.
    what, remedy : str
    """

    origin: Origin
    missing: bool
    what: str
    remedy: str


REASONS: Final[Mapping[NotAScore, Reason]] = {
    "judge_failed": Reason(
        "judge or service failed",
        True,
        "no claim of the answer got a judgment",
        "look at 'error' of its claims in claims.jsonl; mend the service, raise the timeout or "
        "max_tokens of the judge, and run the same command with --retry-failed",
    ),
    "splitter_failed": Reason(
        "judge or service failed",
        True,
        "the model that takes answers apart failed",
        "look at 'error' in splits.jsonl; raise --split-max-tokens or mend the service, and run "
        "the same command with --retry-failed; or split by sentences: --split sentences",
    ),
    "no_claims": Reason(
        "no claims extracted",
        True,
        "the answer says something and no claim came out of it",
        "read the answer; split by sentences (--split sentences) or with a stronger model",
    ),
    "no_question": Reason(
        "no usable question",
        True,
        "no question could be made from the answer, or the recorded question is empty",
        "record the question; raise the max_tokens of the model that makes questions",
    ),
    "empty_answer": Reason(
        "nothing to divide by",
        False,
        "the answer is empty",
        "see why the system answered nothing; count such answers there",
    ),
    "nothing_to_check": Reason(
        "nothing to divide by",
        False,
        "the answer greets, asks or declines and asserts nothing",
        "nothing to mend; mark questions that should be declined with should_refuse",
    ),
    "no_reference": Reason(
        "nothing to divide by",
        False,
        "there is no reference answer, or none with a claim",
        "give the column 'reference', or leave the metric out",
    ),
    "no_contexts": Reason(
        "nothing to divide by",
        False,
        "no context was retrieved",
        "see why retrieval found nothing; count such answers there",
    ),
}
"""Every reason with its origin and its remedy."""


def counted(metric: Metric, counts: Mapping[NotAScore, int]) -> tuple[NotAScoreCount, ...]:
    """Counts of reasons as records, in the order of `REASONS`."""
    return tuple(
        NotAScoreCount(
            metric=metric,
            reason=code,
            origin=reason.origin,
            count=counts[code],
            counts_as_missing=reason.missing,
            remedy=reason.remedy,
        )
        for code, reason in REASONS.items()
        if counts.get(code)
    )


def bounds_with_partial(
    scores: Any, low: Any, high: Any, *, family: Any | None = None, most_missing: float = 0.10
) -> MissingBounds:
    """`missing_bounds` where some scores rest on a part of their claims.

    Parameters
    ----------
    scores, low, high : sequence of float, shape (n,)
        NaN where there is no score; low and high are then 0 and 1. For a partial score they are
        its two ends, else equal to it.
    family : sequence, optional
        Answers to one question.
    most_missing : float
        As in `missing_bounds`.

    Returns
    -------
    MissingBounds
        Equal to `missing_bounds` where nothing is partial.
    """
    plain = missing_bounds(scores, family=family, most_missing=most_missing)
    values = np.asarray(scores, dtype=np.float64)
    lowest, highest = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    known = ~np.isnan(values)
    partial = known & ((lowest != values) | (highest != values))
    if not partial.any() or plain.missing_as_0.value is None:
        return plain
    from voirdire.stats.missing_scores import imbens_manski
    from voirdire.stats.scores import family_codes

    ends = [missing_bounds(end, family=family).mean_valid for end in (lowest, highest)]
    critical, bottom, top = imbens_manski(
        lowest, highest, family_codes(family, len(values)), level=plain.missing_as_0.level
    )
    return plain.model_copy(
        update={
            "missing_as_0": ends[0].model_copy(update={"method": plain.missing_as_0.method}),
            "missing_as_1": ends[1].model_copy(update={"method": plain.missing_as_1.method}),
            "critical": critical,
            "low": bottom,
            "high": top,
        }
    )


def gap_sentence(bounds: MissingBounds, *, difference: float) -> str:
    """What the missing scores mean for a difference somebody wants to claim.

    Parameters
    ----------
    bounds : MissingBounds
    difference : float
        The smallest difference of means that is going to be called one.

    Examples
    --------
    >>> scores = [1, 1, 1, 1, 1, 0.8, 0.8, None, None, None]
    >>> print(gap_sentence(missing_bounds(scores), difference=0.05))
    3 of 10 scores are missing: the mean is .943 over the valid ones, and anywhere from .660 to \
.960 over all. That is wider than a difference of .050: such a difference cannot be claimed until \
fewer are missing.
    """
    valid, least, most = bounds.mean_valid, bounds.missing_as_0, bounds.missing_as_1
    if least.value is None or most.value is None:
        return f"There is no mean: {least.undefined}."
    gone = bounds.missing_rate.k or 0
    width = most.value - least.value
    if not gone and width <= 0:
        return ""
    mean = _short(valid)
    said = (
        f"{gone} of {bounds.missing_rate.n} scores are missing"
        if gone
        else "Some scores rest on a part of their claims"
    )
    said += f": the mean is {mean} over the valid ones, and anywhere from {_short(least)} to "
    said += f"{_short(most)} over all."
    if width >= difference:
        return (
            f"{said} That is wider than a difference of {_number(difference)}: such a difference "
            "cannot be claimed until fewer are missing."
        )
    return f"{said} That is narrower than a difference of {_number(difference)}."


def _short(estimate: Estimate) -> str:
    return "undefined" if estimate.value is None else _number(estimate.value)


def _number(value: float) -> str:
    text = f"{value:.3f}"
    return text[1:] if text.startswith("0.") else text
