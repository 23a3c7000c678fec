"""The share of supported claims in the traffic, corrected for the judge's known errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from voirdire import stats
from voirdire.judges import latest_sealed_runs, read_runs, read_verdicts
from voirdire.labels import references, resolve_view
from voirdire.records import Estimate, ScoreSummary
from voirdire.stats.sampling import SamplingDesign
from voirdire.store import claims_digest
from voirdire.studies.scoring.tally import Tally
from voirdire.studies.study import open_study

__all__ = ["corrected_share"]


def corrected_share(
    summary: ScoreSummary, tally: Tally, study: Path, *, design: SamplingDesign
) -> tuple[Estimate, str]:
    """What people would have called supported, by the judge's errors against their labels.

    Parameters
    ----------
    summary : ScoreSummary
    tally : Tally
    study : Path
        A study in which this very judge answered claims that people labelled.
    design : {"random", "weighted", "enriched"}
        How those claims were drawn. PPI++ is used on a random sample of the traffic only; on an
        enriched set (variants, negations) Rogan-Gladen stands in, and needs the judge's error
        rates to carry over. ``weighted``: by the chance of being drawn that a queue recorded.

    Returns
    -------
    Estimate
        Undefined with the reason where the design allows none.
    why : str
    """
    opened = open_study(study)
    digest = claims_digest(opened.claims.claims)
    runs = [
        run
        for run in read_runs(opened.paths)
        if run.seal is not None and run.fingerprint.digest == summary.settings.judge_digest
        and run.claims_sha256 == digest
    ]  # fmt: skip
    if not runs:
        others = ", ".join(latest_sealed_runs(opened.paths)) or "none"
        reason = "no finished run of this very judge in the study"
        why = f"none: {reason} (runs there: {others}); its errors are not known"
        return Estimate.not_defined(reason, method="corrected share"), why
    columns = read_verdicts(opened.paths, runs[0].run_id)
    verdicts = {
        identifier: label
        for identifier, repeat, label in zip(
            columns.claim_id, columns.repeat, columns.label, strict=True
        )
        if repeat == 0
    }
    claims = opened.claims.claims
    view = resolve_view(opened.config.view, claims)
    labels = references(claims, opened.claims.labels, view=view).labels
    rows = [
        (claim, labels[claim.id], verdicts.get(claim.id))
        for claim in claims
        if labels.get(claim.id) is not None
    ]
    human = [float(label == "supported") for _, label, _ in rows]
    judge = [None if said is None else float(said == "supported") for _, _, said in rows]
    chances: list[Any] = [claim.meta.get("chance") for claim, _, _ in rows]
    if design == "weighted" and not all(chances):
        reason = "the chance of being drawn is not recorded for every labelled claim"
        return Estimate.not_defined(reason, method="PPI++", n_asked=len(rows)), f"none: {reason}"
    result = stats.corrected_prevalence(
        human,
        judge,
        _traffic(tally),
        sampling_design=design,
        weights=[1 / chance for chance in chances] if design == "weighted" else None,
        family=[claim.family for claim, _, _ in rows],
    )
    return result.recommended, _why(result, design)


def _why(result: stats.CorrectedPrevalence, design: SamplingDesign) -> str:
    if design != "enriched":
        return result.why
    refused = result.ppi.mean.undefined or "not a random sample"
    return f"{result.why}; PPI++ is refused: {refused}"


def _traffic(tally: Tally) -> np.ndarray[Any, np.dtype[np.float64]]:
    """1 for each supported claim of the traffic, 0 for each other judged one."""
    kept = tally.in_the_means
    supported = int(tally.column("supported")[kept].sum())
    judged = int((tally.column("claims") - tally.column("failed"))[kept].sum())
    return np.repeat([1.0, 0.0], [supported, judged - supported])
