"""What a claim set or a finished study already tells a plan: shares, sizes, times, noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from voirdire.labels import find_claim_set, load_claim_set, references, resolve_view
from voirdire.records import (
    AgreementResult,
    Claim,
    DecisionResult,
    LabelRecord,
    VarianceResult,
)
from voirdire.store import read_document
from voirdire.studies.gates import GateLimits
from voirdire.studies.next_families import NextFamilies, next_families
from voirdire.studies.planning import shares_of_labels
from voirdire.studies.study import Study, open_study
from voirdire.studies.variant_groups import group_of

__all__ = ["from_claim_set", "from_claims", "from_study", "next_of_study"]

_FEW_TIMES = 5
"""With fewer timed labels a median says nothing."""


def from_claim_set(name: str) -> dict[str, Any]:
    """Fields of `PlanInputs` that a claim set tells; a starter set goes by its name.

    Raises
    ------
    UsageError, ClaimSetError
        If there is no such set, or it has faults.
    """
    claim_set = load_claim_set(find_claim_set(name, Path()))
    return from_claims(claim_set.claims, claim_set.labels)


def from_study(folder: Path) -> tuple[dict[str, Any], GateLimits]:
    """The same from a study, with its limits; the run-to-run sd if `vary` measured it.

    Raises
    ------
    UsageError, InputError
        As `open_study`.
    """
    study = open_study(folder)
    known = from_claims(study.claims.claims, study.claims.labels)
    path = study.paths.result("variance")
    if path.exists():
        known |= _noise(read_document(path, VarianceResult))
    return known, study.limits


def from_claims(claims: Iterable[Claim], labels: Iterable[LabelRecord]) -> dict[str, Any]:
    """Shares of labels, family size, people, seconds a label, and which variants there are."""
    claims, labels = tuple(claims), tuple(labels)
    found = references(claims, labels, view=resolve_view("auto", claims))
    families = {claim.family for claim in claims}
    labelled = {claim.family for claim in claims if found.label_of(claim.id) is not None}
    people = {record.annotator for record in labels if record.role == "annotator"}
    known: dict[str, Any] = {
        "prevalence": shares_of_labels(found.counts),
        "family_size": len(claims) / max(len(families), 1),
        "families_at_hand": len(labelled),
    }
    if people:
        known["people"] = len(people)
    times = [record.lead_seconds for record in labels if record.lead_seconds]
    if len(times) >= _FEW_TIMES:
        known |= {"seconds": float(median(times)), "seconds_measured": True}
    if any(claim.variant != "original" for claim in claims):
        known |= _shares_with(claims, len(families))
    return known


def _shares_with(claims: Iterable[Claim], families: int) -> dict[str, float]:
    """Share of families with a variant; a kind that is lacking is planned for as by default."""
    holders: dict[str, set[str]] = {}
    for claim in claims:
        holders.setdefault(group_of(claim.variant), set()).add(claim.family)
    return {
        f"with_{group}": len(holders[group]) / families
        for group in ("paraphrase", "negation", "number")
        if group in holders
    }


def _noise(result: VarianceResult) -> Mapping[str, Any]:
    """The largest sd of faithfulness over the judges; nothing if none moved."""
    found = [
        (signal.sd.value, signal.mean)
        for judge in result.judges
        for signal in judge.signals
        if signal.sd.value and signal.mean and signal.signal == "faithfulness"
    ]
    if not found:
        return {}
    sd, mean = max(found)
    return {"run_sd": sd, "metric": min(mean, 1.0), "run_sd_measured": True}


def next_of_study(folder: Path, *, families: int = 20) -> NextFamilies | None:
    """What the next families of a study should be; None before it has results."""
    study: Study = open_study(folder)
    paths = {name: study.paths.result(name) for name in ("agreement", "decision")}
    if not all(path.exists() for path in paths.values()):
        return None
    lines = [j.name for j in study.config.judges if j.use.partition(":")[0] == "constant"]
    decisions = read_document(paths["decision"], DecisionResult).decisions
    return next_families(
        read_document(paths["agreement"], AgreementResult),
        [one for one in decisions if one.judge not in lines],
        families=families,
        min_per_label=study.limits.min_families_per_label,
    )
