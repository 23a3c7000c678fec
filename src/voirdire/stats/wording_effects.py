"""How much a wording costs: accuracy lost by paraphrase, by brevity, and asymmetry of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.records import Estimate, Record
from voirdire.stats.bounded import plain_interval
from voirdire.stats.coding import Labels, code_families
from voirdire.stats.counts import FamilySums, collapse
from voirdire.stats.difference import family_difference
from voirdire.stats.family_mean import family_mean
from voirdire.stats.intervals import Interval
from voirdire.stats.logistic import clustered_covariance, fit_logistic, separated
from voirdire.stats.mcnemar import McNemar, mcnemar, paired_table, tango_interval
from voirdire.stats.reasons import (
    FEW_FAMILIES,
    NO_DISCORDANT,
    NO_ITEMS,
    NO_VARIATION,
    ONE_LABEL,
    ONE_LEVEL,
    SEPARATION,
)
from voirdire.stats.registry import Sample, statistic
from voirdire.stats.scores import numbers
from voirdire.stats.sign_flip import sign_flip_test
from voirdire.stats.tables import ratio
from voirdire.stats.variant_pairs import code_pairs, pair_columns

__all__ = [
    "ParaphraseHarm",
    "paraphrase_harm",
    "short_claim_difference",
    "short_claim_slope",
    "symmetric_scores",
]

Floats = NDArray[np.float64]


class ParaphraseHarm(Record):
    """Result of `paraphrase_harm`.

    Attributes
    ----------
    difference : Estimate
        Accuracy on originals minus accuracy on their paraphrases; positive is harm.
    original, paraphrase : float or None
        The two accuracies, over the same pairs.
    p : float or None
        Two-sided: mid-p of McNemar when every family has one pair, else family sign flips.
    mcnemar : McNemar or None
        The full paired table when every family has one pair.
    """

    difference: Estimate
    original: float | None
    paraphrase: float | None
    p: float | None
    mcnemar: McNemar | None


def _harm(sample: Sample) -> ParaphraseHarm:
    return paraphrase_harm(*pair_columns(sample), family=list(sample.family), labels=sample.labels)


@statistic(kind="other", duplication=False, call=_harm)
def paraphrase_harm(
    human_original: Labels,
    human_variant: Labels,
    judge_original: Labels,
    judge_variant: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> ParaphraseHarm:
    """Accuracy lost when a claim is reworded, each form against its own human label.

    Parameters
    ----------
    human_original, human_variant, judge_original, judge_variant : sequence of length P
        Labels of P pairs; None is missing. Pairs with all four enter.
    family : sequence of length P, optional
        Family of each pair.
    labels : sequence of length L, optional
        The coding scheme.
    level : float
        Two-sided level.

    Returns
    -------
    ParaphraseHarm
        Tango's interval when every family has one pair, else family-clustered t. Without
        discordant pairs: difference 0, p = 1 and Tango's interval on families. Undefined: 'no
        items'.

    Raises
    ------
    ValueError
        If lengths differ or a label is not in the scheme.

    Examples
    --------
    >>> people = ["supported"] * 6
    >>> judge = ["supported"] * 3 + ["contradicted"] * 3
    >>> harm = paraphrase_harm(people, people, people, judge)
    >>> harm.difference.value, harm.p
    (0.5, 0.125)
    """
    pairs = code_pairs(
        human_original, human_variant, judge_original, judge_variant, family=family, labels=labels
    )
    used = np.ones(pairs.size, dtype=bool)
    for column in ("human_original", "human_variant", "judge_original", "judge_variant"):
        used &= getattr(pairs, column) >= 0
    before = (pairs.judge_original == pairs.human_original)[used]
    after = (pairs.judge_variant == pairs.human_variant)[used]
    groups = np.unique(pairs.family[used], return_inverse=True)[1].reshape(-1)
    families = int(groups.max(initial=-1)) + 1
    if before.size == 0:
        method = "accuracy lost by paraphrase"
        gone = Estimate.not_defined(NO_ITEMS, method=method, n_asked=pairs.size, level=level)
        return ParaphraseHarm(difference=gone, original=None, paraphrase=None, p=None, mcnemar=None)
    if families == before.size:
        table = mcnemar(paired_table(before, after), level=level)
        difference, p = table.difference, table.mid_p
    else:
        table = None
        difference, p = _clustered_harm(before, after, groups, families, level)
    difference = difference.model_copy(update={"n_asked": pairs.size})
    return ParaphraseHarm(
        difference=difference,
        original=float(before.mean()),
        paraphrase=float(after.mean()),
        p=p,
        mcnemar=table,
    )


def _clustered_harm(
    before: NDArray[np.bool_],
    after: NDArray[np.bool_],
    groups: NDArray[np.intp],
    families: int,
    level: float,
) -> tuple[Estimate, float | None]:
    gain = before.astype(float) - after
    test = sign_flip_test(np.bincount(groups, weights=gain, minlength=families))
    estimate = family_mean(
        gain, groups.astype(np.int64), method="accuracy lost by paraphrase", level=level
    )
    if not gain.any() and families > 1:
        low, high = tango_interval([[families, 0], [0, 0]], level=level)
        ends = {"low": low, "high": high, "no_interval": None, "notes": (NO_DISCORDANT,)}
        estimate = estimate.model_copy(update=ends)
    return estimate, test.p


def _score_pair(sample: Sample) -> dict[str, Estimate]:
    return symmetric_scores(sample.scores, 1 - sample.scores[::-1], family=list(sample.family))


@statistic(kind="other", renaming="none", order=False, duplication=False, call=_score_pair)
def symmetric_scores(
    supported_original: ArrayLike,
    contradicted_negation: ArrayLike,
    *,
    family: Labels | None = None,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """How far P(supported) of a claim lies from P(contradicted) of its negation.

    Parameters
    ----------
    supported_original, contradicted_negation : array_like, shape (P,)
        Probabilities; NaN is missing.
    family : sequence of length P, optional
    level : float

    Returns
    -------
    dict of str to Estimate
        ``absolute``: mean absolute difference; ``signed``: mean of original minus negation, a bias
        towards "supported" when positive. Family-clustered t. Undefined: 'no items'.

    Raises
    ------
    ValueError
        If lengths differ.

    Examples
    --------
    >>> scores = symmetric_scores([0.9, 0.8, 0.3], [0.7, 0.9, 0.3])
    >>> round(scores["absolute"].value, 4), round(scores["signed"].value, 4)
    (0.1, 0.0333)
    """
    first = numbers(supported_original, name="supported_original")
    second = numbers(contradicted_negation, name="contradicted_negation")
    if first.shape != second.shape:
        raise ValueError(
            "supported_original and contradicted_negation must have one length, "
            f"got shapes {first.shape} and {second.shape}"
        )
    groups = _groups(family, first.size)
    moved = np.where(np.isfinite(first - second), first - second, np.nan)
    names = {"absolute": np.abs(moved), "signed": moved}
    return {
        name: family_mean(
            values, groups, method=f"mean {name} difference of scores under negation", level=level
        )
        for name, values in names.items()
    }


def _slope(sample: Sample) -> Estimate:
    tokens = np.arange(1, sample.outcomes.size + 1)
    return short_claim_slope(sample.outcomes, tokens, family=list(sample.family))


@statistic(kind="other", renaming="none", order=False, duplication=False, call=_slope)
def short_claim_slope(
    right: ArrayLike,
    tokens: ArrayLike,
    *,
    family: Labels | None = None,
    level: float = 0.95,
) -> Estimate:
    """Change of the log-odds of being right per doubling of a claim's length.

    Logistic regression of right on log2(tokens), standard error clustered by family, t(F-1).

    Parameters
    ----------
    right : array_like of bool, shape (C,)
        Whether the judge was right; NaN is missing.
    tokens : array_like, shape (C,)
        Length of each claim, > 0; other values are missing.
    family : sequence of length C, optional
    level : float

    Returns
    -------
    Estimate
        Positive: short claims are judged worse. Undefined: 'no items', 'one label only' (always
        right or always wrong), 'one level only' (all claims of one length), 'separation'.

    Raises
    ------
    ValueError
        If lengths differ.

    References
    ----------
    Liang & Zeger (1986), Biometrika 73:13-22, for the clustered covariance.

    Examples
    --------
    >>> right = [0, 1, 0, 1, 1, 0, 1, 1]
    >>> round(short_claim_slope(right, [2, 2, 4, 4, 8, 8, 16, 16]).value, 3)
    0.693
    """
    hits, x, groups, asked = _right_and_length(right, tokens, family)
    method = "logit slope per doubling of length, family-clustered t"
    families = int(groups.max(initial=-1)) + 1

    def answer(value: float | None, ends: Interval | None, reason: str | None) -> Estimate:
        return Estimate(
            value=value,
            low=ends.low if ends else None,
            high=ends.high if ends else None,
            level=level,
            n=hits.size,
            n_asked=asked,
            families=families,
            method=method,
            undefined=reason if value is None else None,
            no_interval=reason if value is not None else None,
        )

    reason = _why_no_slope(hits, x)
    if reason is not None:
        return answer(None, None, reason)
    design = np.column_stack([np.ones(x.size), np.log2(x)])
    fit = fit_logistic(design, hits)
    if separated(x, hits) or not fit.converged:
        return answer(None, None, SEPARATION)
    slope = float(fit.coefficients[1])
    if families < 2:
        return answer(slope, None, FEW_FAMILIES)
    variance = float(clustered_covariance(fit, design, hits, groups)[1, 1])
    if variance < 1e-20:
        return answer(slope, None, NO_VARIATION)
    low, high = plain_interval(slope, float(np.sqrt(variance)), df=families - 1, level=level)
    return answer(slope, Interval(low, high), None)


def _why_no_slope(hits: Floats, x: Floats) -> str | None:
    if hits.size == 0:
        return NO_ITEMS
    if np.unique(hits).size < 2:
        return ONE_LABEL
    return ONE_LEVEL if np.unique(x).size < 2 else None


def _short(sample: Sample) -> Estimate:
    tokens = np.where(np.asarray(sample.variant) == "original", 4, 20)
    return short_claim_difference(sample.outcomes, tokens, cut=8, family=list(sample.family))


@statistic(kind="other", renaming="none", call=_short)
def short_claim_difference(
    right: ArrayLike,
    tokens: ArrayLike,
    *,
    cut: float,
    family: Labels | None = None,
    level: float = 0.95,
) -> Estimate:
    """Accuracy on long claims minus accuracy on short ones, family jackknife.

    Parameters
    ----------
    right : array_like of bool, shape (C,)
    tokens : array_like, shape (C,)
    cut : float
        Claims with fewer tokens are short. Fix it before the data are seen.
    family : sequence of length C, optional
    level : float

    Returns
    -------
    Estimate
        Positive: short claims are judged worse. Undefined: 'no items', 'one level only' (no short
        or no long claims).

    Raises
    ------
    ValueError
        If lengths differ or cut is not > 0.

    Examples
    --------
    >>> right = [0, 1, 0, 1, 1, 1, 1, 1]
    >>> round(short_claim_difference(right, [2, 3, 2, 4, 9, 9, 12, 12], cut=5).value, 2)
    0.5
    """
    if not cut > 0:
        raise ValueError(f"cut must be > 0, got {cut}")
    hits, x, groups, asked = _right_and_length(right, tokens, family)
    method = f"accuracy from {cut:g} tokens less accuracy below"
    short = (x < cut).astype(float)
    rows = np.column_stack([hits * short, short, hits * (1 - short), 1 - short])
    table = np.zeros((int(groups.max(initial=-1)) + 1, 4))
    np.add.at(table, groups, rows)
    counts, weight = collapse(table, drop_empty=False)
    sums = FamilySums(counts, weight, hits.size, asked, family is not None)

    def difference(totals: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(
            ratio(totals[..., 2], totals[..., 3]) - ratio(totals[..., 0], totals[..., 1])
        )

    if hits.size == 0 or np.unique(short).size < 2:
        reason = NO_ITEMS if hits.size == 0 else ONE_LEVEL
        return Estimate.not_defined(
            reason, method=method, n=hits.size, n_asked=asked, families=sums.families, level=level
        )
    return family_difference(sums, difference).estimate(sums, method, level=level)


def _right_and_length(
    right: ArrayLike, tokens: ArrayLike, family: Labels | None
) -> tuple[Floats, Floats, NDArray[np.int64], int]:
    hits, x = numbers(right, name="right"), numbers(tokens, name="tokens")
    if hits.shape != x.shape:
        raise ValueError(
            f"right and tokens must have one length, got shapes {hits.shape} and {x.shape}"
        )
    known = np.isfinite(hits) & np.isfinite(x) & (x > 0)
    groups = np.unique(_groups(family, hits.size)[known], return_inverse=True)[1].reshape(-1)
    return (hits[known] > 0).astype(float), x[known], groups.astype(np.int64), hits.size


def _groups(family: Labels | None, size: int) -> NDArray[np.int64]:
    coded = code_families(family, size)
    return np.arange(size, dtype=np.int64) if coded is None else coded[0]
