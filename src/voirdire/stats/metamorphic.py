"""Does a change of wording that must (or must not) change the answer do so?

Every rate is conditional on the human labels of *both* variants: that a paraphrase kept its label,
or a negation turned it, is never assumed. The unit is the family; intervals are Wilson's with the
effective number of pairs. A judge that always answers the same has paraphrase consistency 1: show
it beside the negation flip rate only. Number edits are in `number_edits`, costs in accuracy in
`wording_effects`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from voirdire.records import Estimate
from voirdire.stats.coding import Labels
from voirdire.stats.registry import Sample, statistic
from voirdire.stats.variant_pairs import FLIP, CodedPairs, code_pairs, pair_columns

__all__ = [
    "negation_flip_rate",
    "paraphrase_consistency",
    "stuck_rate",
    "symmetric_negation",
    "unverifiable_stays_rate",
]


def _flip_of(sample: Sample) -> dict[Any, Any]:
    """First and last label of the scheme change places, the others stay."""
    names = list(sample.labels)
    return dict(zip(names, [names[-1], *names[1:-1], names[0]], strict=True))


def _consistency(sample: Sample) -> Estimate:
    return paraphrase_consistency(
        *pair_columns(sample), family=list(sample.family), labels=sample.labels
    )


@statistic(kind="other", call=_consistency)
def paraphrase_consistency(
    human_original: Labels,
    human_variant: Labels,
    judge_original: Labels,
    judge_variant: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Share of paraphrase pairs with equal human labels in which the judge answers the same.

    Parameters
    ----------
    human_original, human_variant, judge_original, judge_variant : sequence of length P
        Labels of P pairs; None is missing. Only pairs with two equal human labels are eligible.
    family : sequence of length P, optional
        Family of each pair; an original with three paraphrases is three pairs of one family.
    labels : sequence of length L, optional
        The coding scheme.
    level : float
        Two-sided level.

    Returns
    -------
    Estimate
        ``n_asked`` eligible pairs, ``n`` those with both answers. Undefined: 'no eligible pairs'.

    Raises
    ------
    ValueError
        If lengths differ or a label is not in the scheme.

    Examples
    --------
    >>> people = ["supported"] * 4
    >>> judge = ["supported", "supported", "unverifiable", "supported"]
    >>> paraphrase_consistency(people, people, people, judge).value
    0.75
    """
    pairs = code_pairs(
        human_original, human_variant, judge_original, judge_variant, family=family, labels=labels
    )
    eligible = (pairs.human_original >= 0) & (pairs.human_original == pairs.human_variant)
    return pairs.rate(
        pairs.judge_original == pairs.judge_variant,
        eligible=eligible,
        judged=_both_judged(pairs),
        name="paraphrase consistency",
        level=level,
    )


def _flip_rate(sample: Sample) -> list[Estimate]:
    keep: dict[str, Any] = {
        "family": list(sample.family),
        "labels": sample.labels,
        "flip": _flip_of(sample),
    }
    return [
        negation_flip_rate(*pair_columns(sample), **keep, given_right=only)
        for only in (False, True)
    ]


@statistic(kind="other", renaming="none", call=_flip_rate)
def negation_flip_rate(
    human_original: Labels,
    human_variant: Labels,
    judge_original: Labels,
    judge_variant: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    flip: Mapping[Any, Any] = FLIP,
    given_right: bool = False,
    level: float = 0.95,
) -> Estimate:
    """Share of negated pairs, turned by people, that the judge turns too.

    Eligible: people call the original supported or contradicted and its negation the opposite.
    Success: the judge's answer to the negation is the opposite of its answer to the original.

    Parameters
    ----------
    human_original, human_variant, judge_original, judge_variant : sequence of length P
    family, labels, level
        As in `paraphrase_consistency`.
    flip : mapping
        What negation does to each label. Labels it leaves alone are not eligible.
    given_right : bool
        Only pairs whose original the judge got right.

    Returns
    -------
    Estimate
        Undefined: 'no eligible pairs'.

    Raises
    ------
    ValueError
        If lengths differ or a label is not in the scheme.

    Examples
    --------
    >>> s, c = "supported", "contradicted"
    >>> negation_flip_rate([s, s, c, c], [c, c, s, s], [s, s, c, s], [c, s, s, c]).value
    0.75
    >>> round(negation_flip_rate([s, s, c, c], [c, c, s, s], [s, s, c, s], [c, s, s, c],
    ...                          given_right=True).value, 4)
    0.6667
    """
    pairs = code_pairs(
        human_original, human_variant, judge_original, judge_variant, family=family, labels=labels
    )
    turned = pairs.flips(flip)
    eligible = _turned_by_people(pairs, turned)
    if given_right:
        eligible &= pairs.judge_original == pairs.human_original
    return pairs.rate(
        (pairs.judge_variant == turned[pairs.judge_original]) & (pairs.judge_original >= 0),
        eligible=eligible,
        judged=_both_judged(pairs),
        name="negation flip rate" + (", original right" if given_right else ""),
        level=level,
    )


def _stuck(sample: Sample) -> Estimate:
    return stuck_rate(
        *pair_columns(sample),
        family=list(sample.family),
        labels=sample.labels,
        flip=_flip_of(sample),
    )


@statistic(kind="other", renaming="none", call=_stuck)
def stuck_rate(
    human_original: Labels,
    human_variant: Labels,
    judge_original: Labels,
    judge_variant: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    flip: Mapping[Any, Any] = FLIP,
    level: float = 0.95,
) -> Estimate:
    """Share of negated pairs, turned by people, where the judge's answer stays: lexical overlap.

    Eligible pairs, parameters, reasons and errors are those of `negation_flip_rate`.

    Examples
    --------
    >>> s, c, u = "supported", "contradicted", "unverifiable"
    >>> stuck_rate([s, s, c, c], [c, c, s, s], [s, s, c, c], [c, s, u, s]).value
    0.25
    """
    pairs = code_pairs(
        human_original, human_variant, judge_original, judge_variant, family=family, labels=labels
    )
    return pairs.rate(
        pairs.judge_original == pairs.judge_variant,
        eligible=_turned_by_people(pairs, pairs.flips(flip)),
        judged=_both_judged(pairs),
        name="stuck rate",
        level=level,
    )


def _stays(sample: Sample) -> Estimate:
    return unverifiable_stays_rate(
        *pair_columns(sample),
        family=list(sample.family),
        labels=sample.labels,
        unverifiable=sample.labels[len(sample.labels) // 2],
    )


@statistic(kind="other", renaming="none", call=_stays)
def unverifiable_stays_rate(
    human_original: Labels,
    human_variant: Labels,
    judge_original: Labels,
    judge_variant: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    unverifiable: Any = "unverifiable",
    level: float = 0.95,
) -> Estimate:
    """Share of negations, unverifiable in both forms for people, that the judge calls so.

    Only the judge's answer to the negation counts. Expect few pairs; report it separately.
    Parameters, reasons and errors are those of `negation_flip_rate`; ``unverifiable`` names the
    label.

    Examples
    --------
    >>> u, s = "unverifiable", "supported"
    >>> unverifiable_stays_rate([u, u], [u, u], [u, u], [u, s]).value
    0.5
    """
    pairs = code_pairs(
        human_original, human_variant, judge_original, judge_variant, family=family, labels=labels
    )
    code = pairs.code_of(unverifiable)
    return pairs.rate(
        pairs.judge_variant == code,
        eligible=(pairs.human_original == code) & (pairs.human_variant == code),
        judged=pairs.judge_variant >= 0,
        name="unverifiable stays",
        level=level,
    )


def _symmetric(sample: Sample) -> Estimate:
    return symmetric_negation(
        list(sample.judge),
        list(sample.second_judge),
        family=list(sample.family),
        labels=sample.labels,
        flip=_flip_of(sample),
    )


@statistic(kind="other", renaming="none", call=_symmetric)
def symmetric_negation(
    judge_original: Labels,
    judge_negation: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    flip: Mapping[Any, Any] = FLIP,
    level: float = 0.95,
) -> Estimate:
    """Share of all pairs in which the answer to the negation is the turned answer to the claim.

    Needs no human label: a judge with logic must satisfy it. Scores: `symmetric_scores`.

    Parameters
    ----------
    judge_original, judge_negation : sequence of length P
    family, labels, flip, level
        As in `negation_flip_rate`. Answers the map is silent about are not eligible.

    Returns
    -------
    Estimate
        Undefined: 'no eligible pairs'.

    Raises
    ------
    ValueError
        If lengths differ or a label is not in the scheme.

    Examples
    --------
    >>> s, c, u = "supported", "contradicted", "unverifiable"
    >>> symmetric_negation([s, c, u, s], [c, s, u, s]).value
    0.75
    """
    pairs = code_pairs(None, None, judge_original, judge_negation, family=family, labels=labels)
    turned = pairs.flips(flip)
    answered = pairs.judge_original >= 0
    expected = np.where(answered, turned[pairs.judge_original], -1)
    return pairs.rate(
        pairs.judge_variant == expected,
        eligible=~answered | (expected >= 0),
        judged=_both_judged(pairs),
        name="symmetric negation",
        level=level,
    )


def _both_judged(pairs: CodedPairs) -> Any:
    return (pairs.judge_original >= 0) & (pairs.judge_variant >= 0)


def _turned_by_people(pairs: CodedPairs, turned: Any) -> Any:
    """People call the original a label that negation turns, and the negation the other one."""
    moved = np.append((turned >= 0) & (turned != np.arange(turned.size)), False)
    goal = np.append(turned, -2)
    return moved[pairs.human_original] & (pairs.human_variant == goal[pairs.human_original])
