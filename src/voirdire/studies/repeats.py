"""The repeats of a judge side by side: one row a claim, one column an asking of the whole set.

A run is a session; its repeats are columns of that session. A column that came out of a cache
whole is evidence only if it can be another call: where all cached columns of a run are alike, they
may be hits of one call, and one of them counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.judges import VerdictColumns, read_runs, read_verdicts
from voirdire.records import Claim, JudgeRun, View, apply_view
from voirdire.store import claims_digest
from voirdire.studies.study import Study

__all__ = ["Repeats", "asked_in", "finished_runs", "repeats_of"]

Table = NDArray[np.object_]


@dataclass(frozen=True)
class Repeats:
    """Answers of one judge, or of several taken as one instrument.

    Attributes
    ----------
    claims : tuple of Claim, length C
        Asked in every run.
    labels : array of str or None, shape (C, K)
        Under the view; None is no judgment.
    answers : array of str, shape (C, K)
        Label or outcome.
    sessions : tuple of str, length K
    runs : tuple of JudgeRun
    cached : int
        Columns left out because they may be cache hits of another one.
    claims_left_out : int
        Claims that some run was not asked.
    """

    claims: tuple[Claim, ...]
    labels: Table
    answers: Table
    sessions: tuple[str, ...]
    runs: tuple[JudgeRun, ...]
    cached: int = 0
    claims_left_out: int = 0

    @property
    def family(self) -> list[str]:
        """Family of each claim."""
        return [claim.family for claim in self.claims]


def finished_runs(study: Study, judge: str) -> tuple[list[JudgeRun], int]:
    """Sealed runs of a judge over the claims as they are, of its latest fingerprint, oldest first.

    Returns
    -------
    runs : list of JudgeRun
    left_out : int
        Sealed runs over these claims by the same name but another fingerprint.
    """
    digest = claims_digest(study.claims.claims)
    runs = [
        run
        for run in read_runs(study.paths)  # the latest started first
        if run.seal is not None and run.judge == judge and run.claims_sha256 == digest
    ]
    if not runs:
        return [], 0
    same = [run for run in runs if run.fingerprint.digest == runs[0].fingerprint.digest]
    return same[::-1], len(runs) - len(same)


def asked_in(study: Study, runs: Iterable[JudgeRun]) -> list[VerdictColumns]:
    """The verdicts of sealed runs.

    Raises
    ------
    SealBroken
        If a verdict file changed after its run was sealed.
    """
    return [read_verdicts(study.paths, run.run_id) for run in runs]


def repeats_of(
    claims: Sequence[Claim], columns: Sequence[VerdictColumns], *, view: View
) -> Repeats:
    """Put the repeats of runs side by side.

    Parameters
    ----------
    claims : sequence of Claim
        Those wanted; claims that a run was not asked drop out and are counted.
    columns : sequence of VerdictColumns
        The runs.
    view : View
    """
    common = set.intersection(*(set(one.claim_id) for one in columns)) if columns else set()
    kept = tuple(claim for claim in claims if claim.id in common)
    place = {claim.id: row for row, claim in enumerate(kept)}
    tables: list[tuple[str, list[tuple[Table, Table]]]] = []
    cached = 0
    for one in columns:
        found, dropped = _independent(_run_tables(one, place, view), one, place)
        cached += dropped
        tables.append((one.run.run_id, found))
    cached += _drop_twins(tables, {one.run.run_id: _all_cached(one) for one in columns})
    sessions = tuple(run_id for run_id, found in tables for _ in found)
    chosen = [pair for _, found in tables for pair in found]
    shape = (len(kept), 0)
    return Repeats(
        claims=kept,
        labels=np.column_stack([a for a, _ in chosen]) if chosen else np.empty(shape, object),
        answers=np.column_stack([b for _, b in chosen]) if chosen else np.empty(shape, object),
        sessions=sessions,
        runs=tuple(one.run for one in columns),
        cached=cached,
        claims_left_out=len(claims) - len(kept),
    )


def _run_tables(
    one: VerdictColumns, place: Mapping[str, int], view: View
) -> list[tuple[Table, Table]]:
    """Labels and answers of each repeat of a run."""
    k = one.run.repeats
    labels = np.full((k, len(place)), None, dtype=object)
    answers = np.full((k, len(place)), "failed", dtype=object)
    for claim_id, repeat, outcome, label in zip(
        one.claim_id, one.repeat, one.outcome, one.label, strict=True
    ):
        row = place.get(claim_id)
        if row is None or repeat >= k:
            continue
        shown = apply_view(label, view) if label is not None else None  # type: ignore[arg-type]
        labels[repeat, row], answers[repeat, row] = shown, shown or outcome
    return [(labels[repeat], answers[repeat]) for repeat in range(k)]


def _independent(
    tables: list[tuple[Table, Table]], one: VerdictColumns, place: Mapping[str, int]
) -> tuple[list[tuple[Table, Table]], int]:
    """The repeats that cannot be hits of one call, and how many were dropped."""
    whole = _cached_repeats(one, place)
    if len(whole) < 1:
        return tables, 0
    first = tables[whole[0]][1]
    if any((tables[r][1] != first).any() for r in whole[1:]):
        return tables, 0  # the cache knows repeats apart
    fresh = [r for r in range(len(tables)) if r not in whole]
    twin = any((tables[r][1] == first).all() for r in fresh)
    dropped = set(whole if twin else whole[1:])
    return [pair for r, pair in enumerate(tables) if r not in dropped], len(dropped)


def _cached_repeats(one: VerdictColumns, place: Mapping[str, int]) -> list[int]:
    """Repeats of which every answer came from a cache."""
    fresh = {
        repeat
        for claim_id, repeat, cached in zip(one.claim_id, one.repeat, one.cached, strict=True)
        if not cached and claim_id in place
    }
    return [repeat for repeat in range(one.run.repeats) if repeat not in fresh]


def _all_cached(one: VerdictColumns) -> bool:
    return bool(one.cached) and all(one.cached)


def _drop_twins(
    tables: list[tuple[str, list[tuple[Table, Table]]]], cached: Mapping[str, bool]
) -> int:
    """Between runs: one out of the cache that repeats another's only answers is no session."""
    dropped = 0
    for run_id, found in tables:
        if not cached[run_id] or len(found) != 1:
            continue
        others = [pair for other, pairs in tables if other != run_id for pair in pairs]
        if any((found[0][1] == other[1]).all() for other in others):
            found.clear()
            dropped += 1
    return dropped
