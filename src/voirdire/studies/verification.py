"""Every number of a study's results, made again from claims, labels and verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from voirdire.errors import UsageError
from voirdire.judges import latest_sealed_runs
from voirdire.records import (
    AgreementResult,
    DecisionResult,
    InvarianceResult,
    PolicyResult,
    Record,
    VarianceResult,
)
from voirdire.records.contest import ContestResult
from voirdire.records.operating import OperatingPoint
from voirdire.records.people import PeopleResult
from voirdire.store import read_document
from voirdire.studies.comparing import compare
from voirdire.studies.noise_again import policies_again, variance_again
from voirdire.studies.operating_point import find_operating_point
from voirdire.studies.study import Study

__all__ = ["Difference", "compared_runs", "newer_runs", "verify"]

_NOT_NUMBERS = frozenset({"made_at", "command", "tool_version", "python", "packages"})
"""Of the provenance: they say when and with what the numbers were made."""
_TOLERANCE = 1e-9
"""Relative: sums over arrays may differ in the last bits between machines."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A place in a result where the stored and the recomputed value part."""

    file: str
    place: str
    stored: str
    recomputed: str


def verify(study: Study, *, noise: bool = True) -> list[Difference]:
    """Recompute the results of a study and hold them against what is stored.

    Parameters
    ----------
    study : Study
    noise : bool
        Also the variance and the alert policies, on which no decision rests.

    Returns
    -------
    list of Difference
        Empty if every number is confirmed.

    Raises
    ------
    UsageError
        If the study has no results yet.
    SealBroken
        If a run's verdicts changed after it was sealed, or the noise rests on a run that is gone.
    NotEnoughEvidence
        If the claims changed, so that no run stands on them.
    """
    made = compare(study, runs=compared_runs(study))
    kinds: dict[str, tuple[type[Record], Record]] = {
        "agreement": (AgreementResult, made.agreement),
        "invariance": (InvarianceResult, made.invariance),
        "decision": (DecisionResult, made.decisions),
    }
    if study.paths.result("people").exists():
        kinds["people"] = (PeopleResult, made.people)
    if made.contest is not None and study.paths.result("contest").exists():
        kinds["contest"] = (ContestResult, made.contest)
    kinds |= _operating_point(study)
    if noise:
        kinds |= _noise(study)
    found: list[Difference] = []
    for name, (kind, recomputed) in kinds.items():
        path = study.paths.result(name)
        if not path.exists():
            raise UsageError(
                "the study has no results yet",
                where=str(path),
                todo=f"run 'voirdire agree {study.paths.root}' first",
            )
        stored = read_document(path, kind).model_dump(mode="json")
        found += [
            Difference(path.name, place, one, two)
            for place, one, two in _differences(stored, recomputed.model_dump(mode="json"), "")
        ]
    return found


def compared_runs(study: Study) -> dict[str, str]:
    """Judge to the id of the run that the stored results were made from; empty without results."""
    path = study.paths.result("agreement")
    if not path.exists():
        return {}
    return {one.judge: one.run_id for one in read_document(path, AgreementResult).judges}


def newer_runs(study: Study) -> list[str]:
    """Judges with a run that was finished after the one the stored results were made from."""
    compared = compared_runs(study)
    latest = latest_sealed_runs(study.paths)
    return [name for name, run in compared.items() if name in latest and latest[name].run_id != run]


def _operating_point(study: Study) -> dict[str, tuple[type[Record], Record]]:
    """The operating point for the costs that were stated, where one was set."""
    path = study.paths.result("operating-point")
    if not path.exists():
        return {}
    stored = read_document(path, OperatingPoint)
    made = find_operating_point(
        study,
        judge=stored.judge,
        false_accept=stored.false_accept,
        false_reject=stored.false_reject,
        target=stored.kept.target,
        delta=stored.kept.delta,
        run_id=stored.run_id,
    )
    return {path.stem: (OperatingPoint, made)}


def _noise(study: Study) -> dict[str, tuple[type[Record], Record]]:
    """Variance and alert policies, where they were made."""
    found: dict[str, tuple[type[Record], Record]] = {}
    variance, policy = study.paths.result("variance"), study.paths.result("policy")
    if variance.exists():
        made = variance_again(study, read_document(variance, VarianceResult))
        found[variance.stem] = (VarianceResult, made)
    if policy.exists():
        limits = policies_again(study, read_document(policy, PolicyResult))
        found[policy.stem] = (PolicyResult, limits)
    return found


def _differences(stored: Any, made: Any, place: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(stored, dict) and isinstance(made, dict):
        for key in sorted(stored.keys() | made.keys()):
            if key not in _NOT_NUMBERS:
                yield from _differences(
                    stored.get(key), made.get(key), f"{place}.{key}".lstrip(".")
                )
    elif isinstance(stored, list) and isinstance(made, list) and len(stored) == len(made):
        for number, (one, two) in enumerate(zip(stored, made, strict=True)):
            yield from _differences(one, two, f"{place}[{number}]")
    elif not _same(stored, made):
        yield place, _short(stored), _short(made)


def _same(stored: Any, made: Any) -> bool:
    if isinstance(stored, float) and isinstance(made, float):
        return math.isclose(stored, made, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return bool(stored == made)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
