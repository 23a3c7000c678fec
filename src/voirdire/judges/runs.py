"""Runs on disk: found, named, sealed, and read back as columns."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from voirdire.errors import InputError, SealBroken, UsageError
from voirdire.records import OUTCOMES, JudgeRun, RunSeal
from voirdire.store import StudyPaths, file_digest, read_document, read_lines, write_document
from voirdire.store.files import make_folder, reported

__all__ = [
    "VerdictColumns",
    "latest_sealed_runs",
    "lines_of",
    "new_run_folder",
    "read_runs",
    "read_verdicts",
    "seal",
    "verify_seal",
]


@dataclass(frozen=True, slots=True)
class VerdictColumns:
    """The verdicts of a run, a list for each field, all of one length, in file order.

    Attributes
    ----------
    run : JudgeRun
    claim_id, outcome : list of str
    repeat, attempts : list of int
    label : list of str or None
        None where the outcome is not ``judged``.
    probabilities : list of dict or None
    score, seconds, cost : list of float or None
    rationale, evidence, error : list of str or None
    tokens_in, tokens_out : list of int or None
    cached : list of bool
    flags : list of tuple of str
    """

    run: JudgeRun
    claim_id: list[str]
    repeat: list[int]
    outcome: list[str]
    label: list[str | None]
    probabilities: list[dict[str, float] | None]
    score: list[float | None]
    rationale: list[str | None]
    evidence: list[str | None]
    error: list[str | None]
    seconds: list[float | None]
    attempts: list[int]
    tokens_in: list[int | None]
    tokens_out: list[int | None]
    cost: list[float | None]
    cached: list[bool]
    flags: list[tuple[str, ...]]

    def __len__(self) -> int:
        return len(self.claim_id)


def read_runs(paths: StudyPaths) -> list[JudgeRun]:
    """Every run of a study, the latest started first.

    Raises
    ------
    InputError, SchemaError
        If a run.json is damaged or of a newer version.
    """
    if not paths.runs.is_dir():
        return []
    with reported(paths.runs, "list the folder"):
        folders = sorted(path for path in paths.runs.iterdir() if path.is_dir())
    # A folder without run.json is what a kill between the two leaves: nothing was asked in it.
    documents = [paths.run_document(folder.name) for folder in folders]
    runs = [read_document(path, JudgeRun) for path in documents if path.exists()]
    return sorted(runs, key=lambda run: (run.started_at, run.run_id), reverse=True)


def latest_sealed_runs(paths: StudyPaths) -> dict[str, JudgeRun]:
    """The run last finished of each judge, by the judge's name in the study.

    Returns
    -------
    dict of str to JudgeRun
        Sorted by name; a judge without a finished run is absent.

    Raises
    ------
    InputError, SchemaError
        As `read_runs`.
    """
    latest: dict[str, JudgeRun] = {}
    for run in sorted(read_runs(paths), key=_finished):
        if run.seal is not None:
            latest[run.judge] = run
    return dict(sorted(latest.items()))


def new_run_folder(paths: StudyPaths, judge: str, *, started_at: datetime) -> str:
    """Make a folder for a new run and return its name, the run's id.

    Two runs never get one name, even when they start in one second.

    Raises
    ------
    StoreError
        If the file system refuses.
    """
    make_folder(paths.runs)
    stamp = started_at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    while True:
        run_id = f"{judge}-{stamp}-{secrets.token_hex(3)}"
        with reported(paths.run(run_id), "make the folder"):
            try:
                paths.run(run_id).mkdir()
            except FileExistsError:
                continue
        return run_id


def seal(paths: StudyPaths, run: JudgeRun, *, outcomes: Counter[str]) -> JudgeRun:
    """Freeze a finished run: its verdict file's hash and counts go into run.json.

    Raises
    ------
    StoreError
        If the file system refuses; the run then stays open and can be sealed later.
    """
    counts = {name: outcomes[name] for name in OUTCOMES if outcomes[name]}
    sealed = run.model_copy(
        update={
            "seal": RunSeal(
                sha256=file_digest(paths.verdicts(run.run_id)),
                verdicts=outcomes.total(),
                outcomes=counts,
                finished_at=datetime.now(UTC),
            )
        }
    )
    write_document(paths.run_document(run.run_id), sealed)
    return sealed


def verify_seal(paths: StudyPaths, run: JudgeRun) -> None:
    """Hold a sealed run's verdict file against its seal; an open run has none to break.

    Raises
    ------
    SealBroken
        If the file has changed since, or is gone.
    """
    path = paths.verdicts(run.run_id)
    if run.seal is None:
        return
    if not path.exists():
        raise SealBroken(
            "the verdicts of a sealed run are gone",
            where=str(path),
            todo="restore the file from a copy, or ask again with --fresh",
        )
    if file_digest(path) != run.seal.sha256:
        raise SealBroken(
            "the verdicts have changed since the run was sealed",
            where=str(path),
            todo="restore the file from a copy, or ask again with --fresh",
        )


def read_verdicts(paths: StudyPaths, run_id: str, *, allow_open: bool = False) -> VerdictColumns:
    """The verdicts of a run as columns, its seal verified.

    Parameters
    ----------
    paths : StudyPaths
    run_id : str
    allow_open : bool
        Whether to read a run that is not finished.

    Raises
    ------
    UsageError
        If there is no such run, or it is open and that is not allowed.
    SealBroken
        If the verdict file has changed since the run was sealed.
    InputError
        If a line is not a verdict; file and line are named.
    """
    run = read_document(paths.run_document(run_id), JudgeRun)
    if run.seal is None and not allow_open:
        raise UsageError(
            f"the run of judge {run.judge!r} is not finished",
            where=str(paths.run(run_id)),
            todo="finish it with 'voirdire run'",
        )
    verify_seal(paths, run)
    return _columns(run, paths.verdicts(run_id))


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """Verdict lines, checked for the fields that place them.

    Raises
    ------
    InputError
        If a line lacks one or has an outcome that does not exist.
    """
    if not path.exists():
        return
    for line in read_lines(path):
        value = line.value
        if value.get("outcome") not in OUTCOMES or not _placed(value):
            raise InputError(
                "the line is not a verdict",
                where=f"{path}:{line.number}",
                allowed="an object with run_id, repeat, claim_id and one of the outcomes "
                + ", ".join(OUTCOMES),
                todo="restore the file from a copy, or delete its folder and run again",
            )
        yield value


def _placed(value: dict[str, Any]) -> bool:
    judged = value["outcome"] == "judged"
    return (
        type(value.get("repeat")) is int
        and isinstance(value.get("claim_id"), str)
        and (value.get("label") is not None) == judged
    )


def _columns(run: JudgeRun, path: Path) -> VerdictColumns:
    names = [name for name in VerdictColumns.__slots__ if name != "run"]
    columns: dict[str, list[Any]] = {name: [] for name in names}
    absent: dict[str, Any] = {"attempts": 1, "cached": False, "flags": ()}
    fillers = [(columns[name].append, name, absent.get(name)) for name in names]
    for value in lines_of(path):
        for append, name, default in fillers:
            append(value.get(name, default))
    columns["flags"] = [tuple(flags) for flags in columns["flags"]]
    return VerdictColumns(run=run, **columns)


def _finished(run: JudgeRun) -> tuple[datetime, str]:
    return (run.seal.finished_at if run.seal else run.started_at, run.run_id)
