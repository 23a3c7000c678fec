"""All answers in numbers: each metric with its gaps, refusals apart, and what failures go with."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from voirdire import stats
from voirdire.metrics import REASONS, bounds_with_partial, gap_sentence, spread
from voirdire.metrics.missing import counted
from voirdire.records import (
    ConflictCounts,
    Estimate,
    FailureQuestion,
    Metric,
    MetricSummary,
    NotAScore,
    NotAScoreCount,
    RefusalSummary,
    ScoreSettings,
    ScoreSummary,
)
from voirdire.studies.scoring.tally import Tally

__all__ = ["summarise"]

Mask = NDArray[np.bool_]
# Whole permutations of every answer cost minutes beyond this and show no more.
_MOST_TESTED: Final = 5_000
_DRAWS: Final = 1_999


def summarise(
    tally: Tally, settings: ScoreSettings, *, difference: float, notes: tuple[str, ...] = ()
) -> ScoreSummary:
    """Everything measured, from the columns.

    Parameters
    ----------
    tally : Tally
    settings : ScoreSettings
    difference : float
        As in `ScoreOptions`.
    notes : tuple of str
    """
    kept = tally.in_the_means
    family = np.array(tally.family, dtype=np.int64)
    summaries, not_scores = [], list[NotAScoreCount]()
    for metric in tally.scores:
        summary, counts = _metric(tally, metric, kept, family, difference)
        summaries.append(summary)
        not_scores += counts
    totals = {name: int(tally.column(name)[kept].sum()) for name in tally.counts}
    judged = tally.column("claims") - tally.column("failed")
    nothing = {"nothing_to_check", "empty_answer"}
    why = tally.why.get("faithfulness", [])
    return ScoreSummary(
        settings=settings,
        answers=tally.answers,
        questions=tally.questions,
        not_applicable=sum(one in nothing for one, keep in zip(why, kept, strict=False) if keep),
        **totals,
        contradicted_share=_share(tally, "contradicted", judged, family, kept),
        unverifiable_share=_share(tally, "unverifiable", judged, family, kept),
        metrics=tuple(summaries),
        not_scores=tuple(not_scores),
        refusals=_refusals(tally, family),
        worst=tally.worst,
        failure_tests=_failure_tests(tally, kept, family, seed=settings.sample.seed),
        conflict=_conflicts(tally) if settings.per_chunk else None,
        notes=notes,
    )


def _metric(
    tally: Tally, metric: Metric, kept: Mask, family: NDArray[np.int64], difference: float
) -> tuple[MetricSummary, tuple[NotAScoreCount, ...]]:
    scores = np.array(tally.scores[metric], dtype=np.float64)
    why = tally.why[metric]
    applies = kept & np.array([_counts(one) for one in why], dtype=bool)
    counts: Counter[NotAScore] = Counter(
        one for one, keep in zip(why, kept, strict=True) if one is not None and keep
    )
    values, groups = scores[applies], family[applies]
    # A cosine of embeddings may be negative; the bounds are those of a score in 0..1.
    values = np.clip(values, 0.0, 1.0)
    whole = metric == "faithfulness"
    gone = np.isnan(values)
    low = np.array(tally.low)[applies] if whole else np.where(gone, 0.0, values)
    high = np.array(tally.high)[applies] if whole else np.where(gone, 1.0, values)
    bounds = bounds_with_partial(values, low, high, family=groups)
    shape = spread(values)
    micro = None
    if whole:
        judged = (tally.column("claims") - tally.column("failed"))[applies]
        micro = stats.mean_faithfulness(
            tally.column("supported")[applies], judged, family=groups
        ).micro
    return (
        MetricSummary(
            metric=metric,
            mean=bounds.mean_valid,
            micro=micro,
            missing_as_0=bounds.missing_as_0,
            missing_as_1=bounds.missing_as_1,
            missing=bounds.missing_rate,
            low=bounds.low,
            high=bounds.high,
            comparable=bounds.comparable,
            sd=shape.sd,
            p10=shape.p10,
            share_below_half=shape.share_below_half,
            histogram=shape.histogram,
            partial=tally.partial if whole else 0,
            sentence=gap_sentence(bounds, difference=difference),
        ),
        counted(metric, counts),
    )


def _counts(why: NotAScore | None) -> bool:
    """Whether an answer has a score or should have had one."""
    return why is None or REASONS[why].missing


def _share(
    tally: Tally, name: str, judged: NDArray[np.int64], family: NDArray[np.int64], kept: Mask
) -> Estimate:
    """Share of the judged claims with a label, clustered by question."""
    size = int(family.max()) + 1 if len(family) else 0
    hits = np.bincount(family[kept], weights=tally.column(name)[kept], minlength=size)
    items = np.bincount(family[kept], weights=judged[kept], minlength=size)
    asked = int(tally.column("claims")[kept].sum())
    return stats.rate_of_counts(hits, items, n_asked=asked, missing="no claim was judged")


def _refusals(tally: Tally, family: NDArray[np.int64]) -> RefusalSummary:
    refused = np.array(tally.refused, dtype=np.float64)
    shares = {}
    for name, wanted in (("refused_rightly", True), ("refused_wrongly", False)):
        chosen = np.array([one is wanted for one in tally.should], dtype=bool)
        found = stats.rate(refused[chosen], family=family[chosen] if chosen.any() else None)
        if not chosen.any():
            marked = "should refuse" if wanted else "can be answered"
            found = Estimate.not_defined(f"no answer is marked as one that {marked}",
                                         method=found.method)  # fmt: skip
        shares[name] = found
    return RefusalSummary(**shares)


def _failure_tests(
    tally: Tally, kept: Mask, family: NDArray[np.int64], *, seed: int
) -> tuple[FailureQuestion, ...]:
    """Whether answers without a score have longer contexts, or ask for something else."""
    metric = next(iter(tally.scores), None)
    if metric is None:
        return ()
    why = tally.why[metric]
    failed = np.array([one is not None and REASONS[one].missing for one in why], dtype=bool)
    counts = np.array([_counts(one) for one in why], dtype=bool)
    if metric == "faithfulness":  # some of its claims failed: that is a failure too
        failed |= tally.column("failed") > 0
    places = np.flatnonzero(kept & counts)
    if len(places) > _MOST_TESTED:
        places = np.sort(np.random.default_rng(seed).permutation(places)[:_MOST_TESTED])
    tests = stats.failure_tests(
        failed[places],
        levels={"kind of question": [tally.kinds[place] for place in places]},
        numeric={"length of the context": np.array(tally.length)[places]},
        family=family[places],
        rng=seed,
        draws=_DRAWS,
    )
    return tuple(
        FailureQuestion(
            attribute=test.attribute,
            rates=test.rates,
            p=test.p,
            p_adjusted=test.p_adjusted,
            n=test.n,
            undefined=test.undefined,
        )
        for test in tests
    )


def _conflicts(tally: Tally) -> ConflictCounts:
    counts: Any = tally.conflict
    return ConflictCounts(
        none=counts["NONE"],
        sometimes=counts["SOMETIMES"],
        all=counts["ALL"],
        silent=counts[None],
        pairs=tuple(tally.pairs),
    )
