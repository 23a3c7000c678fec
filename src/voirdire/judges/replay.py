"""Answers from a recorded run: no model, no network, the same answers again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self

from pydantic import Field, ValidationError

from voirdire.errors import JudgeUnavailable, SealBroken, UsageError
from voirdire.judges.blinding import opaque_id
from voirdire.judges.parameters import described, settled
from voirdire.records import Fingerprint, JudgeAnswer, JudgeInput, JudgeRun, Record
from voirdire.store import file_digest, read_document, shown_digest
from voirdire.store.files import reported

__all__ = ["PARAMETERS", "PATH_PARAMETERS", "PRESETS", "ReplayJudge", "ReplayParameters", "make"]

VERSION: Final = "1"


class ReplayParameters(Record):
    """What can be set of the replay judge."""

    path: str = Field(
        default="", description="folder of a run, or its verdicts.jsonl; must be given"
    )


PRESETS: Final[Mapping[str, str]] = {}
PARAMETERS: Final[Mapping[str, str]] = described(ReplayParameters)
PATH_PARAMETERS: Final = ("path",)

_PLACE = ("run_id", "repeat", "claim_id", "at", "shown")


def make(parameters: dict[str, Any], preset: str | None) -> ReplayJudge:
    """Make a replay judge; see `ReplayParameters`.

    Raises
    ------
    UsageError
        For a preset, an unknown parameter or a path that is not there.
    SealBroken
        If the recorded run has changed since it was sealed.
    """
    set_to = settled(ReplayParameters, parameters, preset, presets={}, judge="replay")
    if not set_to.path:
        raise UsageError(
            "the judge 'replay' needs the parameter 'path'",
            where="judge replay",
            allowed="the folder of a run, or its verdicts.jsonl",
        )
    return ReplayJudge(Path(set_to.path))


class ReplayJudge:
    """Looks answers up by claim id and repeat; what was not recorded is an outcome.

    Parameters
    ----------
    path : Path
        Folder of a run, or its ``verdicts.jsonl``. Beside the verdicts, ``run.json`` tells whose
        answers they are; without it they are those of ``replay``.
    """

    def __init__(self, path: Path) -> None:
        self._path = path / "verdicts.jsonl" if path.is_dir() else path
        if not self._path.is_file():
            raise UsageError(
                "no recorded verdicts there",
                where=str(self._path),
                allowed="the folder of a run, or its verdicts.jsonl",
                todo="check the parameter 'path' of the judge 'replay'",
            )
        self._sha256 = file_digest(self._path)
        self._run = self._recorded_run()
        self._offsets = self._index()
        self._by_opaque: dict[str, str] = {}

    def with_key(self, seed: int) -> Self:
        """Let it know claims by the ids that judges see under a seed; returns itself."""
        claim_ids = dict.fromkeys(claim_id for claim_id, _ in self._offsets)
        self._by_opaque = {opaque_id(claim_id, seed=seed): claim_id for claim_id in claim_ids}
        return self

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        """The recorded answers of that repeat, marked as cached.

        Raises
        ------
        JudgeUnavailable
            If the recording can no longer be read.
        """
        try:
            handle = self._path.open("rb")
        except OSError as error:
            raise JudgeUnavailable(
                f"the recording cannot be read: {error}",
                where=str(self._path),
                todo="restore the file, then run the same command again",
            ) from error
        with handle:
            for item in inputs:
                claim_id = self._by_opaque.get(item.id, item.id)
                offset = self._offsets.get((claim_id, repeat))
                if offset is None:
                    yield item.id, _not_recorded(claim_id, repeat)
                    continue
                handle.seek(offset)
                yield item.id, _recorded(handle.readline(), item)

    def fingerprint(self) -> Fingerprint:
        """The recorded judge's, marked as a replay of these very verdicts."""
        mark = {"replayed_sha256": self._sha256}
        if self._run is None:
            return Fingerprint(judge="replay", version=VERSION, parameters=mark)
        recorded = self._run.fingerprint
        return recorded.model_copy(
            update={
                "version": f"{recorded.version}+replay{VERSION}",
                "parameters": {**recorded.parameters, **mark},
                "parts": (recorded.digest,),
            }
        )

    def close(self) -> None:
        """Nothing to give back: the file is open only while it answers."""

    def _recorded_run(self) -> JudgeRun | None:
        document = self._path.with_name("run.json")
        if not document.exists():
            return None
        run = read_document(document, JudgeRun)
        if run.seal is not None and run.seal.sha256 != self._sha256:
            raise SealBroken(
                "the recorded verdicts have changed since their run was sealed",
                where=str(self._path),
                todo="restore the file from a copy",
            )
        return run

    def _index(self) -> dict[tuple[str, int], int]:
        """(claim id, repeat) to the offset of its line; the first line of a pair counts."""
        offsets: dict[tuple[str, int], int] = {}
        offset = 0
        with reported(self._path, "read the file"), self._path.open("rb") as handle:
            for raw in handle:
                place = _place_of(raw)
                if place is not None:
                    offsets.setdefault(place, offset)
                offset += len(raw)
        return offsets


def _place_of(raw: bytes) -> tuple[str, int] | None:
    """Which claim and repeat a line belongs to; None for a torn or foreign line."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("claim_id"), str):
        return None
    repeat = value.get("repeat", 0)
    return (value["claim_id"], repeat) if type(repeat) is int else None


def _recorded(raw: bytes, item: JudgeInput) -> JudgeAnswer:
    line = json.loads(raw)
    if line.get("shown") not in (None, shown_digest(item.claim, item.context)):
        return JudgeAnswer(
            outcome="failed",
            cached=True,
            error="the recorded answer is to another text or context of this claim",
        )
    body = {key: value for key, value in line.items() if key not in _PLACE}
    try:
        return JudgeAnswer.model_validate({**body, "cached": True})
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(map(str, problem["loc"])) or "answer"
        return JudgeAnswer(
            outcome="failed",
            cached=True,
            error=f"the recorded answer is not one: field {field}: {problem['msg']}",
        )


def _not_recorded(claim_id: str, repeat: int) -> JudgeAnswer:
    return JudgeAnswer(
        outcome="failed",
        cached=True,
        error=f"no answer to claim {claim_id!r}, repeat {repeat}, is recorded",
    )
