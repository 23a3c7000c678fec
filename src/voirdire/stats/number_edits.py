"""Claims whose number was changed: does the judge see it, and how often is it blind?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from voirdire.records import Estimate
from voirdire.stats.coding import Labels
from voirdire.stats.registry import Sample, statistic
from voirdire.stats.variant_pairs import code_pairs, pair_columns

__all__ = ["blind_rate", "number_detection_rate"]


def _detection(sample: Sample) -> Estimate:
    return number_detection_rate(
        list(sample.human),
        list(sample.judge),
        family=list(sample.family),
        labels=sample.labels,
        contradicted=sample.labels[0],
    )


@statistic(kind="other", renaming="none", call=_detection)
def number_detection_rate(
    human_variant: Labels,
    judge_variant: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    contradicted: Any = "contradicted",
    level: float = 0.95,
) -> Estimate:
    """Share of number-edited claims, contradicted for people, that the judge calls contradicted.

    Parameters
    ----------
    human_variant, judge_variant : sequence of length P
        Labels of the number-edited claims.
    family, labels, level
        As in `paraphrase_consistency`.
    contradicted : label
        The label that means so.

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
    >>> number_detection_rate([c, c, c, s], [c, s, c, s]).n
    3
    """
    pairs = code_pairs(
        None, human_variant, judge_variant, judge_variant, family=family, labels=labels
    )
    code = pairs.code_of(contradicted)
    return pairs.rate(
        pairs.judge_variant == code,
        eligible=pairs.human_variant == code,
        judged=pairs.judge_variant >= 0,
        name="number edits detected",
        level=level,
    )


def _blind(sample: Sample) -> Estimate:
    return blind_rate(
        *pair_columns(sample),
        family=list(sample.family),
        labels=sample.labels,
        supported=sample.labels[-1],
        contradicted=sample.labels[0],
    )


@statistic(kind="other", renaming="none", call=_blind)
def blind_rate(
    human_original: Labels,
    human_variant: Labels,
    judge_original: Labels,
    judge_variant: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    supported: Any = "supported",
    contradicted: Any = "contradicted",
    level: float = 0.90,
) -> Estimate:
    """Share of number edits that the judge does not see: it still calls the claim supported.

    Eligible: people call the original supported and the edited claim contradicted, and the judge
    called the original supported, too. The upper bound is the safety number; at the default
    level of 0.90 it is the one-sided 95 % bound, with zero of n ``1 - .05^(1/families)``.

    Parameters
    ----------
    human_original, human_variant, judge_original, judge_variant : sequence of length P
    family, labels
        As in `paraphrase_consistency`.
    supported, contradicted : label
        The labels that mean so.
    level : float
        Two-sided level.

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
    >>> blind = blind_rate([s] * 20, [c] * 20, [s] * 20, [c] * 20)
    >>> blind.value, round(blind.high, 4)
    (0.0, 0.1391)
    """
    pairs = code_pairs(
        human_original, human_variant, judge_original, judge_variant, family=family, labels=labels
    )
    yes, no = pairs.code_of(supported), pairs.code_of(contradicted)
    seen = (pairs.human_original == yes) & (pairs.human_variant == no)
    return pairs.rate(
        pairs.judge_variant == yes,
        eligible=seen & (pairs.judge_original == yes),
        judged=pairs.judge_variant >= 0,
        name="number edits not seen",
        level=level,
    )
