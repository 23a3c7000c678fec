"""Several judges on the same claims: who beats the incumbent, and what they add to each other.

A claim without a judgment counts as wrong throughout, so that a judge cannot win by keeping silent
on what is hard. Differences are paired by family; their p-values are adjusted after Holm over all
candidates.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from voirdire import stats
from voirdire.judges import VerdictColumns
from voirdire.records import Estimate, JudgeAgreement, Provenance, View, apply_view
from voirdire.records.contest import (
    ContestResult,
    CoveragePoint,
    ErrorCorrelation,
    IncumbentDifference,
    JudgeRow,
    PanelGain,
    RiskCoverage,
)
from voirdire.stats import JudgeComparison
from voirdire.studies import measures
from voirdire.studies.alignment import Aligned, Column
from voirdire.studies.cheapest import JudgePrice, cheapest_set
from voirdire.studies.gates import GateLimits

__all__ = ["confidences", "contest", "effective_judges"]

LEVEL = 0.95
MAX_POINTS = 50
"""Points of a risk-coverage curve that are stored, evenly spread."""
_CHOSEN_HERE = (
    "the best judge was picked on these very claims, so its accuracy is optimistic and a gain over "
    "it is, if anything, understated; confirm a panel on families it was not chosen on"
)


@dataclass(frozen=True)
class _Field:
    """The candidates with every missing judgment counted as wrong."""

    aligned: Mapping[str, Aligned]
    answers: Mapping[str, Column]

    @property
    def first(self) -> Aligned:
        return next(iter(self.aligned.values()))

    def right(self, judge: str) -> NDArray[np.bool_]:
        return np.asarray(self.answers[judge] == self.first.human, dtype=bool)


def contest(
    aligned: Mapping[str, Aligned],
    agreements: Sequence[JudgeAgreement],
    verdicts: Mapping[str, VerdictColumns],
    *,
    study: str,
    incumbent: str,
    provenance: Provenance,
    limits: GateLimits | None = None,
    splits: Mapping[str, str] | None = None,
    test_level: float | None = None,
) -> ContestResult:
    """Compare the candidates of a study.

    Parameters
    ----------
    aligned : mapping
        Judge name to its aligned claims; at least two, all on the same claims.
    agreements : sequence of JudgeAgreement
        For the ledgers.
    verdicts : mapping
        Judge name to its verdicts, for probabilities.
    study, incumbent : str
        Names; an empty incumbent: there is none, and no difference is tested.
    provenance : Provenance
    limits : GateLimits, optional
    splits : mapping, optional
        Family to split; with both, the cheapest set of judges is chosen on ``cal`` and confirmed
        on ``test``.
    test_level : float, optional
        One-sided confidence of the bounds on ``test``, where it is not the first look at it.

    Raises
    ------
    ValueError
        If there are fewer than two judges.
    """
    if len(aligned) < 2:
        raise ValueError(f"judges must be at least 2, got {len(aligned)}")
    field = _Field(
        aligned, {name: measures.filled(one, right=False) for name, one in aligned.items()}
    )
    correlations = tuple(_correlation(field, *pair) for pair in combinations(aligned, 2))
    known = {one.judge: one for one in agreements}
    return ContestResult(
        study=study,
        incumbent=incumbent,
        table=tuple(_row(field, name, known[name]) for name in aligned),
        differences=_differences(field, incumbent),
        correlations=correlations,
        panel=_panel(field, correlations),
        risk=tuple(
            curve
            for name, one in aligned.items()
            if (curve := _risk(name, one, verdicts[name])) is not None
        ),
        cheapest=(
            None
            if limits is None or splits is None
            else cheapest_set(
                aligned,
                limits,
                splits=splits,
                sure={name: confidences(verdicts[name], one.view) for name, one in aligned.items()},
                prices={name: _price(known[name]) for name in aligned},
                test_level=test_level,
            )
        ),
        provenance=provenance,
    )


def effective_judges(judges: int, correlation: float) -> float | None:
    """``J / (1 + (J - 1) r)``: how many independent judges J equally correlated ones are worth.

    None where r is so negative that the formula has no meaning. Source: Kish's design effect
    (Survey Sampling, 1965), with judges in the place of a cluster's members.

    Examples
    --------
    >>> effective_judges(3, 0.0), effective_judges(3, 1.0), effective_judges(3, 0.25)
    (3.0, 1.0, 2.0)
    """
    denominator = 1 + (judges - 1) * correlation
    return judges / denominator if denominator > 1e-9 else None


def _row(field: _Field, name: str, agreement: JudgeAgreement) -> JudgeRow:
    one, ledger = field.aligned[name], agreement.ledger
    known = ledger.cost is not None and ledger.fresh > 0
    return JudgeRow(
        judge=name,
        accuracy=stats.rate(field.right(name), family=one.family, level=LEVEL),
        kappa=measures.kappa(one, level=LEVEL, judge=field.answers[name]),
        cost_per_1000=1000 * (ledger.cost or 0.0) / ledger.fresh if known else None,
        seconds_per_claim=agreement.seconds_per_claim,
        failed=int((one.judge == None).sum()),  # noqa: E711 - elementwise
    )


def _price(agreement: JudgeAgreement) -> JudgePrice:
    """Of one call, as in the table; nothing fresh says nothing."""
    ledger = agreement.ledger
    known = ledger.cost is not None and ledger.fresh > 0
    return JudgePrice(
        cost=(ledger.cost or 0.0) / ledger.fresh if known else None,
        seconds=agreement.seconds_per_claim,
    )


def _differences(field: _Field, incumbent: str) -> tuple[IncumbentDifference, ...]:
    if not incumbent:
        return ()
    rivals = [name for name in field.aligned if name != incumbent]
    accuracy = [_compared(field, name, incumbent, stats.compare_accuracy) for name in rivals]
    kappa = [_compared(field, name, incumbent, stats.compare_kappa) for name in rivals]
    accuracy_holm = stats.holm([one.p for one in accuracy])
    kappa_holm = stats.holm([one.p for one in kappa])
    return tuple(
        IncumbentDifference(
            judge=name,
            accuracy=a.difference,
            kappa=k.difference,
            accuracy_p=a.p,
            kappa_p=k.p,
            accuracy_holm=pa,
            kappa_holm=pk,
            only_judge=a.only_first,
            only_incumbent=a.only_second,
            sentence=_sentence(name, incumbent, a, pa),
        )
        for name, a, k, pa, pk in zip(
            rivals, accuracy, kappa, accuracy_holm, kappa_holm, strict=True
        )
    )


def _compared(
    field: _Field, name: str, incumbent: str, how: Callable[..., JudgeComparison]
) -> JudgeComparison:
    first = field.first
    return how(
        first.human,
        field.answers[name],
        field.answers[incumbent],
        family=first.family,
        labels=first.labels,
        level=LEVEL,
    )


def _sentence(name: str, incumbent: str, found: JudgeComparison, p: float | None) -> str:
    counts = (
        f"it alone is right on {found.only_first} claims, {incumbent} alone on {found.only_second}"
    )
    if found.only_first == found.only_second == 0:
        return f"These claims cannot tell {name} from {incumbent}: both are right on the same ones."
    if p is None or p > 1 - LEVEL:
        return f"These claims do not show {name} to be better or worse than {incumbent}: {counts}."
    value = found.difference.value or 0.0
    word = "better" if value > 0 else "worse"
    return (
        f"{name} is {word} than {incumbent}: of 100 claims it gets {abs(100 * value):.0f} "
        f"{'more' if value > 0 else 'fewer'} right; {counts}."
    )


def _correlation(field: _Field, first: str, second: str) -> ErrorCorrelation:
    one, two = ~field.right(first), ~field.right(second)
    return ErrorCorrelation(
        first=first,
        second=second,
        both_wrong=int((one & two).sum()),
        correlation=stats.mcc(
            one.tolist(), two.tolist(), family=field.first.family, labels=(False, True), level=LEVEL
        ),
    )


def _panel(field: _Field, correlations: Sequence[ErrorCorrelation]) -> PanelGain:
    first, names = field.first, list(field.aligned)
    right = {name: field.right(name) for name in names}
    best = max(names, key=lambda name: int(right[name].sum()))  # the earliest of equals
    majority = _majority(field)
    answers = measures.filled(majority, right=False)
    oracle = np.any(np.array([right[name] for name in names]), axis=0)
    values = [one.correlation.value for one in correlations if one.correlation.value is not None]
    mean = fmean(values) if values else None

    def rate(hits: NDArray[np.bool_]) -> Estimate:
        return stats.rate(hits, family=first.family, level=LEVEL)

    return PanelGain(
        best=best,
        best_accuracy=rate(right[best]),
        majority_accuracy=rate(np.asarray(answers == first.human, dtype=bool)),
        oracle_accuracy=rate(oracle),
        majority_gain=stats.compare_accuracy(
            first.human,
            answers,
            field.answers[best],
            family=first.family,
            labels=first.labels,
            level=LEVEL,
        ).difference,
        oracle_gain=float(oracle.mean() - right[best].mean()),
        mean_error_correlation=mean,
        effective_judges=None if mean is None else effective_judges(len(names), mean),
        note=_CHOSEN_HERE,
    )


def _majority(field: _Field) -> Aligned:
    """The label most judges give; None on a tie or where nobody judged."""
    columns = [one.judge for one in field.aligned.values()]
    chosen: Column = np.empty(len(columns[0]), dtype=object)
    for row in range(len(chosen)):
        votes = Counter(str(column[row]) for column in columns if column[row] is not None)
        top = votes.most_common(2)
        tie = not top or (len(top) == 2 and top[0][1] == top[1][1])
        chosen[row] = None if tie else top[0][0]
    return replace(field.first, judge=chosen)


def _risk(name: str, aligned: Aligned, verdicts: VerdictColumns) -> RiskCoverage | None:
    """The curve where a judge says how sure it is; a claim without a judgment is not kept."""
    sure = confidences(verdicts, aligned.view)
    rows = [
        row
        for row, claim in enumerate(aligned.claims)
        if claim.id in sure and aligned.judge[row] is not None
    ]
    if not rows:
        return None
    wrong = [bool(aligned.judge[row] != aligned.human[row]) for row in rows]
    points = stats.selective_risk_curve([sure[aligned.claims[row].id] for row in rows], wrong)
    keep = sorted({round(k) for k in np.linspace(0, len(points) - 1, MAX_POINTS)})
    return RiskCoverage(
        judge=name,
        n=len(rows),
        points=tuple(CoveragePoint.model_validate(points[k].model_dump()) for k in keep),
    )


def confidences(verdicts: VerdictColumns, view: View) -> dict[str, float]:
    """Claim id to the probability that the judge gave its own answer, first repeat, by the view."""
    first = min(verdicts.repeat, default=0)
    found: dict[str, float] = {}
    for claim_id, repeat, label, given in zip(
        verdicts.claim_id, verdicts.repeat, verdicts.label, verdicts.probabilities, strict=True
    ):
        if repeat == first and label is not None and given is not None:
            answer = apply_view(label, view)  # type: ignore[arg-type]
            found[claim_id] = math.fsum(
                share
                for one, share in given.items()
                if apply_view(one, view) == answer  # type: ignore[arg-type]
            )
    return found
