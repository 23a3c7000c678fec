"""Where to set a judge's threshold: chosen on ``cal``, reported on ``test``, by stated costs.

Two questions. From which score up is a claim to be called supported, when calling an unsupported
one so costs more than the reverse? The least cost on the families it was chosen on is optimistic,
so it is told on others. And which answers may be kept, so that of those kept no more than a target
share is wrong? Fixed-sequence Learn-then-Test promises that with few families or refuses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire import stats
from voirdire.errors import NotEnoughEvidence, UsageError
from voirdire.judges import VerdictColumns
from voirdire.records import Estimate, Provenance
from voirdire.records.operating import CostPoint, KeptPart, OperatingPoint
from voirdire.stats.family_mean import family_mean
from voirdire.store import write_document
from voirdire.studies.alignment import Aligned
from voirdire.studies.comparing import align_judge
from voirdire.studies.contest import confidences
from voirdire.studies.splitting import family_splits
from voirdire.studies.study import Study

__all__ = [
    "ScoredPart",
    "families_to_certify",
    "find_operating_point",
    "operating_point",
    "set_operating_point",
]

MAX_POINTS = 50


@dataclass(frozen=True)
class ScoredPart:
    """Claims of one split: score of *supported*, people's answer, confidence, error, family."""

    score: NDArray[np.float64]
    supported: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    wrong: NDArray[np.bool_]
    family: NDArray[np.object_]

    def costs(self, threshold: float, *, accept: float, reject: float) -> NDArray[np.float64]:
        """Cost of each claim."""
        says = self.score >= threshold
        return accept * (says & ~self.supported) + reject * (~says & self.supported)


def families_to_certify(target: float, *, delta: float = 0.05) -> int:
    """Families that could certify an error rate if none erred: ``(1 - target)^n <= delta``.

    Examples
    --------
    >>> families_to_certify(0.05), families_to_certify(0.01)
    (59, 299)
    """
    if not 0 < target < 1 or not 0 < delta < 1:
        raise ValueError(f"target and delta must be in (0, 1), got {target}, {delta}")
    return math.ceil(math.log(delta) / math.log(1 - target) - 1e-12)


def set_operating_point(
    study: Study,
    *,
    judge: str,
    false_accept: float,
    false_reject: float,
    target: float = 0.05,
    delta: float = 0.05,
    command: Sequence[str] = (),
) -> OperatingPoint:
    """Find the operating point of a judge of a study and write ``results/operating-point.json``.

    Raises
    ------
    UsageError, NotEnoughEvidence
        As `find_operating_point`.
    StoreError
        If the file system refuses.
    """
    found = find_operating_point(
        study,
        judge=judge,
        false_accept=false_accept,
        false_reject=false_reject,
        target=target,
        delta=delta,
        command=command,
    )
    write_document(study.paths.result("operating-point"), found)
    return found


def find_operating_point(
    study: Study,
    *,
    judge: str,
    false_accept: float,
    false_reject: float,
    target: float = 0.05,
    delta: float = 0.05,
    run_id: str = "",
    command: Sequence[str] = (),
) -> OperatingPoint:
    """The same, without writing; of one run of the judge, if it is named.

    Raises
    ------
    UsageError
        If the study has no such judge, or does not examine both ``cal`` and ``test``.
    NotEnoughEvidence
        If there is no finished run, the judge gives no scores, or a split holds none of them.
    """
    aligned, verdicts, origin = align_judge(study, judge, run_id=run_id, command=command)
    splits = _splits(study)
    kind, scores = _scores(verdicts)
    sure = confidences(verdicts, aligned.view) if kind == "probability" else {}
    parts = {
        name: _part(aligned, scores, sure, [splits.get(f) == name for f in aligned.family])
        for name in ("cal", "test")
    }
    for name, part in parts.items():
        if not part.score.size:
            raise NotEnoughEvidence(
                f"judge {judge!r} has no scored claim with a reference label on the split {name!r}",
                where=str(study.paths.config),
                todo='examine all splits (split = "all"), with a judge that gives probabilities',
            )
    return operating_point(
        parts["cal"],
        parts["test"],
        study=study.config.name,
        judge=judge,
        run_id=verdicts.run.run_id,
        score=kind,
        costs=(false_accept, false_reject),
        promise=(target, delta),
        provenance=origin,
    )


def operating_point(
    cal: ScoredPart,
    test: ScoredPart,
    *,
    study: str,
    judge: str,
    run_id: str,
    score: str,
    costs: tuple[float, float],
    promise: tuple[float, float],
    provenance: Provenance,
) -> OperatingPoint:
    """From the two parts to the record."""
    accept, reject = costs
    textbook = stats.cost_threshold(false_accept=accept, false_reject=reject).accept_from
    choices = [*np.unique(cal.score).tolist(), math.nextafter(float(cal.score.max()), math.inf)]
    on_cal = {t: float(cal.costs(t, accept=accept, reject=reject).mean()) for t in choices}
    least = min(on_cal.values())
    threshold = max(t for t, cost in on_cal.items() if cost <= least + 1e-12)
    return OperatingPoint(
        study=study,
        judge=judge,
        run_id=run_id,
        score=score,
        false_accept=accept,
        false_reject=reject,
        n_cal=cal.score.size,
        n_test=test.score.size,
        threshold=threshold,
        cost_on_cal=least,
        cost_on_test=family_mean(
            test.costs(threshold, accept=accept, reject=reject),
            np.unique(test.family.astype(str), return_inverse=True)[1].astype(np.int64),
            method="mean cost",
        ),
        always_supported=float(accept * (~test.supported).mean()),
        never_supported=float(reject * test.supported.mean()),
        textbook=textbook,
        curve=_curve(test, accept, reject),
        kept=_kept(cal, test, *promise),
        provenance=provenance,
    )


def _curve(test: ScoredPart, accept: float, reject: float) -> tuple[CostPoint, ...]:
    levels = np.unique(test.score)
    keep = sorted({round(k) for k in np.linspace(0, len(levels) - 1, MAX_POINTS)})
    points = []
    for threshold in levels[keep].tolist():
        says = test.score >= threshold
        points.append(
            CostPoint(
                threshold=threshold,
                cost=float(test.costs(threshold, accept=accept, reject=reject).mean()),
                false_accepts=int((says & ~test.supported).sum()),
                false_rejects=int((~says & test.supported).sum()),
            )
        )
    return tuple(points)


def _kept(cal: ScoredPart, test: ScoredPart, target: float, delta: float) -> KeptPart:
    found = stats.keep_threshold(
        cal.confidence, cal.wrong, family=cal.family.tolist(), target=target, delta=delta
    )
    known = ~np.isnan(cal.confidence)
    families, least = len(set(cal.family[known])), families_to_certify(target, delta=delta)
    refused = found.undefined or ""
    if not known.any():
        refused = "the judge gives no probabilities, so nobody knows which answers it is sure of"
    elif refused and families < least:
        refused = f"{refused}: {families} families, at least {least} are needed if none errs"
    keep = (
        np.zeros(test.wrong.size, dtype=bool)
        if found.threshold is None
        else test.confidence >= found.threshold
    )
    return KeptPart(
        target=target,
        delta=delta,
        threshold=found.threshold,
        refused=refused,
        families_at_least=least,
        families=families,
        kept_on_cal=found.kept,
        wrong_on_cal=found.wrong,
        kept_on_test=_rate(keep, test.family),
        error_on_test=_rate(test.wrong[keep], test.family[keep]),
        method=found.method,
    )


def _rate(hits: NDArray[np.bool_], family: NDArray[np.object_]) -> Estimate:
    return stats.rate(hits.tolist(), family=family.tolist(), interval="korn-graubard")


def _part(
    aligned: Aligned,
    scores: Mapping[str, float],
    sure: Mapping[str, float],
    chosen: Sequence[bool],
) -> ScoredPart:
    part = aligned.where(
        [c and one.id in scores for c, one in zip(chosen, aligned.claims, strict=True)]
    )
    ids = [claim.id for claim in part.claims]
    return ScoredPart(
        score=np.array([scores[one] for one in ids], dtype=np.float64),
        supported=np.asarray(part.human == "supported", dtype=bool),
        confidence=np.array([sure.get(one, math.nan) for one in ids], dtype=np.float64),
        wrong=np.asarray(part.judge != part.human, dtype=bool),
        family=part.family,
    )


def _scores(verdicts: VerdictColumns) -> tuple[str, dict[str, float]]:
    """Claim id to the score of *supported*, first repeat: probability where there is one."""
    first = min(verdicts.repeat, default=0)
    rows = [row for row, repeat in enumerate(verdicts.repeat) if repeat == first]
    shares = {
        verdicts.claim_id[row]: given.get("supported", 0.0)
        for row in rows
        if (given := verdicts.probabilities[row]) is not None
    }
    if shares:
        return "probability", shares
    return "score", {
        verdicts.claim_id[row]: score for row in rows if (score := verdicts.score[row]) is not None
    }


def _splits(study: Study) -> dict[str, str]:
    """Family to split, under every name a study may give it."""
    if study.config.split != "all":
        raise UsageError(
            f"the study examines the split {study.config.split!r} only",
            where=f"{study.paths.config}, field split",
            todo='a threshold is chosen on cal and reported on test: set split = "all"',
        )
    return family_splits(study)
