"""Puts claims to a judge, writes down every answer as it comes, and seals the run at the end.

The verdict file is the only memory of a run: what stands there is never asked again, what does
not stand there is asked when the same command runs next, whatever ended the last one.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from voirdire import __version__
from voirdire.errors import InputError, UsageError
from voirdire.judges.asking import Irregular, ask
from voirdire.judges.blinding import asking_order, blinded, opaque_id
from voirdire.judges.protocol import Judge
from voirdire.judges.replay import ReplayJudge
from voirdire.judges.reusing import answers_alone, find_reusable, taken_over
from voirdire.judges.runs import lines_of, new_run_folder, read_runs, seal, verify_seal
from voirdire.records import Claim, JudgeAnswer, JudgeInput, JudgeRun
from voirdire.store import (
    Appender,
    JudgeConfig,
    StudyPaths,
    claims_digest,
    exclusive,
    shown_digest,
    write_document,
)

__all__ = ["Progress", "run_judge"]

Progress = Callable[[int, int], None]
"""Called with verdicts written and verdicts asked for."""

_PROGRESS_SECONDS = 0.1


def run_judge(
    judge: Judge,
    claims: Sequence[Claim],
    *,
    paths: StudyPaths,
    config: JudgeConfig,
    repeats: int,
    seed: int,
    progress: Progress | None = None,
    fresh: bool = False,
    tell: Callable[[str], None] | None = None,
) -> JudgeRun:
    """Ask a judge every claim, ``repeats`` times, and seal the run.

    The latest run of the same judge (name, fingerprint), claims and repeats is continued if it is
    open, only what is missing being asked, and returned as it is if it is sealed. Where there
    is none, a new run is begun, with the verdicts of an earlier one on the claims that are still
    shown as they were then (see `voirdire.judges.reusing`).

    The study's lock is held meanwhile; the caller must not hold it. The judge stays open: who
    made it closes it.

    Parameters
    ----------
    judge : Judge
        Sees claim, context and an opaque id; the order is shuffled for each repeat.
    claims : sequence of Claim, shape (C,)
        Ids must be unique.
    paths : StudyPaths
        The study the run is written to.
    config : JudgeConfig
        What the study calls the judge.
    repeats : int
        K >= 1.
    seed : int
        The study's; makes order and opaque ids. A continued run keeps the seed it began with.
    progress : callable or None
        Called now and then, and at the end.
    fresh : bool
        Pass over sealed runs: continue an open one or begin a new one.
    tell : callable or None
        Takes messages for the user, one sentence each.

    Returns
    -------
    JudgeRun
        Sealed.

    Raises
    ------
    UsageError
        If there are no claims.
    ValueError
        If ids are not unique or repeats < 1.
    JudgeUnavailable
        If the judge cannot work at all; what it answered before is kept.
    SealBroken
        If the sealed run to be returned has been changed.
    StoreError
        If the file system refuses; what was written before is kept.
    """
    places = _checked_places(claims, repeats)
    tell = tell or _silent
    with exclusive(paths.lock):
        run = _run_to_use(judge, claims, paths, config, repeats, seed, fresh=fresh, tell=tell)
        if run.seal is not None:
            if progress:
                progress(run.seal.verdicts, run.seal.verdicts)
            return run
        if isinstance(judge, ReplayJudge):  # it looks up instead of judging: it needs the key
            judge = judge.with_key(run.seed)
        asking = _Asking(judge, claims, places, run, paths, progress, tell)
        return asking.finish()


@dataclass(slots=True)
class _Asking:
    """An open run while it is worked off."""

    judge: Judge
    claims: Sequence[Claim]
    places: dict[str, int]
    run: JudgeRun
    paths: StudyPaths
    progress: Progress | None
    tell: Callable[[str], None]
    outcomes: Counter[str] = field(default_factory=Counter)
    irregular: Irregular = field(default_factory=Irregular)
    shown_at: float = 0.0

    def finish(self) -> JudgeRun:
        """Ask what is missing, then seal."""
        path = self.paths.verdicts(self.run.run_id)
        with Appender(path) as appender:
            if appender.bytes_cut:
                self.tell(f"{path}: cut off {appender.bytes_cut} bytes of a line that was torn")
            done = self._read_done()
            if self.outcomes.total():
                self.tell(f"continues {self.run.run_id}: {self.outcomes.total()} verdicts stand")
            for repeat in range(self.run.repeats):
                self._ask_repeat(repeat, done, appender)
        if str(self.irregular):
            self.tell(f"judge {self.run.judge!r} gave {self.irregular}")
        self._show(last=True)
        return seal(self.paths, self.run, outcomes=self.outcomes)

    def _ask_repeat(self, repeat: int, done: bytearray, appender: Appender) -> None:
        n, seed = len(self.claims), self.run.seed
        order = asking_order(n, seed=seed, repeat=repeat)
        missing = [place for place in order if not done[repeat * n + place]]
        if not missing:
            return

        def inputs(chosen: Iterable[int]) -> Iterator[JudgeInput]:
            return blinded(self.claims, (missing[number] for number in chosen), seed=seed)

        ids = [opaque_id(self.claims[place].id, seed=seed) for place in missing]
        answers = ask(self.judge, ids, inputs, repeat=repeat, irregular=self.irregular)
        for number, answer in answers:
            appender.append(self._line(repeat, missing[number], answer))
            self.outcomes[answer.outcome] += 1
            self._show()

    def _line(self, repeat: int, place: int, answer: JudgeAnswer) -> dict[str, Any]:
        """A `Verdict` without its empty fields; built by hand, for it was checked as an answer."""
        return {
            "run_id": self.run.run_id,
            "repeat": repeat,
            "claim_id": self.claims[place].id,
            "at": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "shown": shown_digest(self.claims[place].claim, self.claims[place].context),
            **answer.model_dump(mode="json", exclude_none=True),
        }

    def _read_done(self) -> bytearray:
        """One byte for each (repeat, claim): whether its verdict stands in the file."""
        n = len(self.claims)
        done = bytearray(self.run.repeats * n)
        path = self.paths.verdicts(self.run.run_id)
        for value in lines_of(path):
            place, repeat = self.places.get(value["claim_id"]), value["repeat"]
            known = place is not None and 0 <= repeat < self.run.repeats
            if place is None or not known or done[repeat * n + place]:
                raise InputError(
                    f"the verdict on claim {value['claim_id']!r}, repeat {repeat}, stands there "
                    + ("twice" if known else "though it was not asked"),
                    where=str(path),
                    todo="restore the file from a copy, or delete its folder and run again",
                )
            done[repeat * n + place] = 1
            self.outcomes[value["outcome"]] += 1
        return done

    def _show(self, *, last: bool = False) -> None:
        if self.progress and (last or time.monotonic() - self.shown_at > _PROGRESS_SECONDS):
            self.shown_at = time.monotonic()
            self.progress(self.outcomes.total(), self.run.repeats * len(self.claims))


def _checked_places(claims: Sequence[Claim], repeats: int) -> dict[str, int]:
    if repeats < 1:
        raise ValueError(f"repeats must be >= 1, got {repeats}")
    if not claims:
        raise UsageError(
            "there are no claims to ask", todo="check the study's labels, split and languages"
        )
    places = {claim.id: place for place, claim in enumerate(claims)}
    if len(places) != len(claims):
        twin = next(name for name, n in Counter(c.id for c in claims).items() if n > 1)
        raise ValueError(f"claim ids must be unique, got {twin!r} twice")
    return places


def _run_to_use(
    judge: Judge,
    claims: Sequence[Claim],
    paths: StudyPaths,
    config: JudgeConfig,
    repeats: int,
    seed: int,
    *,
    fresh: bool,
    tell: Callable[[str], None],
) -> JudgeRun:
    """The sealed run to return, the open one to continue, or a new one."""
    fingerprint, digest = judge.fingerprint(), claims_digest(claims)
    wanted = (config.name, fingerprint.digest, digest, len(claims), repeats)
    matching = [run for run in read_runs(paths) if _key(run) == wanted]
    if fresh:  # an open run that asks afresh is continued, or a second Ctrl-C would lose the first
        matching = [run for run in matching if run.seal is None]
    if matching:
        latest = matching[0]
        if latest.seal is not None:
            verify_seal(paths, latest)
            tell(f"{latest.run_id} is finished and is used as it is (--fresh asks again)")
        return latest
    started_at = datetime.now(UTC)
    run_id = new_run_folder(paths, config.name, started_at=started_at)
    run = JudgeRun(
        run_id=run_id,
        judge=config.name,
        use=config.use,
        fingerprint=fingerprint,
        claims_sha256=digest,
        n_claims=len(claims),
        repeats=repeats,
        started_at=started_at,
        seed=seed,
        tool_version=__version__,
    )
    write_document(paths.run_document(run_id), run)
    return run if fresh else _taken_up(run, judge, claims, paths, tell)


def _taken_up(
    run: JudgeRun,
    judge: Judge,
    claims: Sequence[Claim],
    paths: StudyPaths,
    tell: Callable[[str], None],
) -> JudgeRun:
    """Begin a run with what an earlier one said of the claims that did not change."""
    found = find_reusable(
        read_runs(paths),
        claims,
        paths=paths,
        judge=run.judge,
        fingerprint=run.fingerprint.digest,
        repeats=run.repeats,
    )
    if found is None:
        return run
    if not answers_alone(judge):
        tell(
            f"{found.reuse.reused} claims stand as they were, but judge {run.judge!r} sees several "
            "claims at once: all are asked"
        )
        return run
    run = run.model_copy(update={"reuse": found.reuse})
    with Appender(paths.verdicts(run.run_id)) as appender:
        for line in found.lines:
            appender.append(taken_over(line, run.run_id))
    write_document(paths.run_document(run.run_id), run)
    tell(
        f"the set changed: {len(found.lines)} verdicts of {found.run.run_id} are taken over: "
        f"{found.reuse} (--fresh asks all)"
    )
    return run


def _key(run: JudgeRun) -> tuple[str, str, str, int, int]:
    return (run.judge, run.fingerprint.digest, run.claims_sha256, run.n_claims, run.repeats)


def _silent(message: str) -> None:
    """Where nobody listens."""
