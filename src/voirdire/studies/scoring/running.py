"""A file of answers scored: drawn, asked, summed up, written; stopped at any point, it goes on."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from voirdire import __version__
from voirdire.errors import UsageError
from voirdire.metrics import AnswerFile, draw_sample
from voirdire.records import Answer, PilotResult, SampleRecord, ScoreSettings, ScoreSummary
from voirdire.store import exclusive, file_digest, read_document, write_document
from voirdire.store.files import make_folder, reported
from voirdire.studies.scoring.asking import Asker, Scored
from voirdire.studies.scoring.layout import ScorePaths
from voirdire.studies.scoring.options import Instruments, ScoreOptions
from voirdire.studies.scoring.summary import summarise
from voirdire.studies.scoring.tally import Tally

__all__ = ["Scoring", "open_scoring"]

Progress = Callable[[str, int, int], None]
_FREE_TO_DIFFER = {"started_at", "tool_version"}


class Scoring:
    """The scoring of one file; made by `open_scoring`.

    Attributes
    ----------
    paths : ScorePaths
    settings : ScoreSettings
    total : int
        Answers that are going to be scored.
    finished_before : bool
        Whether a summary lay there when it was opened.
    notes : tuple of str
        What was taken for what in the file.
    """

    def __init__(
        self,
        answers: AnswerFile,
        paths: ScorePaths,
        tools: Instruments,
        options: ScoreOptions,
        settings: ScoreSettings,
        chosen: np.ndarray[Any, np.dtype[np.bool_]],
        *,
        tell: Callable[[str], None],
    ) -> None:
        self.answers, self.paths, self.settings = answers, paths, settings
        self.total = int(chosen.sum())
        self.notes = tuple(f"{count} x {what}" for what, count in sorted(answers.notes.items()))
        self.finished_before = paths.summary.exists()
        self._tools, self._options = tools, options
        self._chosen = chosen
        self._tell = tell

    def pilot(self) -> PilotResult:
        """Score a few answers, drawn at random, and say what all will take.

        What the pilot judged stands: `run` does not ask it again.

        Raises
        ------
        JudgeUnavailable, SpendLimit
            As `run`.
        """
        places = np.flatnonzero(self._chosen)
        rng = np.random.default_rng([self._options.seed, 1])
        drawn = set(rng.permutation(places)[: self._options.pilot].tolist())
        began = time.monotonic()
        claims, chunks, names = 0, 0, list[str]()
        with closing(self._asker()) as asker:
            asker.meter.on = True
            picked = [answer for place, answer in enumerate(self.answers) if place in drawn]
            stood = asker.meter_standing({answer.id for answer in picked})
            for answer, split, _, _ in asker.score(picked):
                names.append(answer.id)
                claims += len(split.claims)
                chunks += len(answer.contexts)
            costs = asker.meter.costs(
                names,
                to=self.total,
                per_chunk=self._options.per_chunk,
                wall_seconds=None if stood else time.monotonic() - began,
            )
        currency, dates = _prices(self._tools)
        return PilotResult(
            answers=len(names),
            of=self.total,
            claims_per_answer=claims / max(len(names), 1),
            chunks_per_answer=chunks / max(len(names), 1),
            currency=currency,
            prices_as_of=dates,
            costs=costs,
        )

    def run(self, *, progress: Progress | None = None) -> tuple[ScoreSummary, Tally]:
        """Score every answer that was drawn, and write answers and summary.

        Raises
        ------
        JudgeUnavailable
            If an instrument cannot work at all; what was judged before is kept.
        SpendLimit
            If a limit is reached; likewise.
        """
        tally = Tally(self._options.metrics, per_chunk=self._options.per_chunk)
        with (
            _rare_collections(),
            closing(self._asker()) as asker,
            _replaced(self.paths.answers) as handle,
        ):
            for scored in asker.score(self._drawn()):
                tally.add(*scored)
                handle.write(_line(scored))
                if progress and (len(tally) % 200 == 0 or len(tally) == self.total):
                    progress(self.settings.judge, len(tally), self.total)
            if str(asker.irregular):
                self._tell(f"judge {self.settings.judge!r} gave {asker.irregular}")
        summary = summarise(
            tally, self.settings, difference=self._options.difference, notes=self.notes
        )
        return summary, tally

    def _drawn(self) -> Iterator[Answer]:
        for place, answer in enumerate(self.answers):
            if self._chosen[place]:
                yield answer

    def _asker(self) -> Asker:
        return Asker(self.paths, self._tools, self._options, tell=self._tell)


@contextmanager
def open_scoring(
    answers: Path,
    into: Path,
    tools: Instruments,
    options: ScoreOptions,
    *,
    tell: Callable[[str], None] | None = None,
) -> Iterator[Scoring]:
    """Read a file through, draw the sample, and take up or begin the scoring in a folder.

    The whole file is read and checked before anything is asked.

    Parameters
    ----------
    answers : Path
    into : Path
        Folder; what another file, judge or setting left there is not touched.
    tools : Instruments
        Stay open: who made them closes them.
    options : ScoreOptions
    tell : callable, optional

    Raises
    ------
    UsageError
        If the folder holds another scoring; what differs is named. If a column is missing.
    InputError
        If a row is no answer.
    StoreError
        If another process scores there.
    """
    paths = ScorePaths(into)
    source = AnswerFile(
        answers,
        columns=options.columns,
        language=options.language,
        stratify=options.stratify,
    )
    strata = [answer.stratum for answer in source.checked()]
    places, sample = draw_sample(strata, share=options.share, seed=options.seed)
    chosen = np.zeros(len(strata), dtype=bool)
    chosen[places] = True
    make_folder(into)
    with exclusive(paths.lock):
        settings = _settings(source.path, paths, tools, options, sample)
        yield Scoring(source, paths, tools, options, settings, chosen, tell=tell or _silent)


def _settings(
    source: Path,
    paths: ScorePaths,
    tools: Instruments,
    options: ScoreOptions,
    sample: SampleRecord,
) -> ScoreSettings:
    """The settings that stand there, if they are these; else these, written down."""
    wanted = ScoreSettings(
        source=source.name,
        source_sha256=file_digest(source),
        **tools.identity(),
        metrics=options.metrics,
        per_chunk=options.per_chunk,
        attribution=options.attribution,
        sample=sample,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        tool_version=__version__,
    )
    if not paths.settings.exists():
        write_document(paths.settings, wanted)
        return wanted
    there = read_document(paths.settings, ScoreSettings)
    old, new = there.model_dump(), wanted.model_dump()
    different = [name for name in new if name not in _FREE_TO_DIFFER and old[name] != new[name]]
    if different:
        raise UsageError(
            f"another scoring lies there; it differs in {', '.join(different)}",
            where=str(paths.root),
            allowed="the same file, judge, splitter, metrics and sample, to go on",
            todo="name another folder with --into",
        )
    return there


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Millions of small records and no cycles among them: looking for cycles costs a tenth."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def _replaced(path: Path) -> Iterator[Any]:
    """A file written to the side line by line, put in its place when whole."""
    temporary = path.with_suffix(".part")
    with reported(path, "write the file"):
        try:
            with temporary.open("wb") as handle:
                yield handle
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def _line(scored: Scored) -> bytes:
    """A score as its line, without empty fields."""
    body = {
        name: value
        for name, value in scored[3].__dict__.items()
        if value is not None and value is not False and value != {}
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _prices(tools: Instruments) -> tuple[str, str]:
    """Currency and date of the prices of whatever is paid for."""
    clients: list[Any] = [
        getattr(owner, "client", None) or getattr(owner, "_client", None)
        for owner in (tools.judge, tools.splitter, tools.questions, tools.second)
        if owner is not None
    ]
    prices = [client.price for client in clients if hasattr(client, "price")]
    known = [price for price in prices if price.known]
    return (
        ", ".join(sorted({price.currency for price in known})),
        ", ".join(sorted({price.as_of for price in known})),
    )


def _silent(message: str) -> None:
    """Where nobody listens."""
