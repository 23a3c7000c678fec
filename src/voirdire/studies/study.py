"""A study as it is read, and its judges asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from voirdire.errors import UsageError
from voirdire.judges import Judge, load, run_judge
from voirdire.judges.planning import RunPlan, plan_run
from voirdire.judges.spending import limit_spending, redact_inputs, sends
from voirdire.labels import StudyClaims, claims_of_study
from voirdire.models import SpendGuard
from voirdire.records import JudgeRun
from voirdire.store import JudgeConfig, StudyConfig, StudyPaths, nearest, read_study
from voirdire.store.redaction import Redaction
from voirdire.studies.gates import GateLimits, read_gates

__all__ = ["Study", "open_study", "plan_study", "run_study"]


@dataclass(frozen=True)
class Study:
    """A study as it is read: its settings, its claims and where its files lie."""

    paths: StudyPaths
    config: StudyConfig
    limits: GateLimits
    claims: StudyClaims


def open_study(folder: Path) -> Study:
    """Read study.toml and the claim sets it names.

    Raises
    ------
    UsageError, InputError
        As `read_study`, `read_gates` and `claims_of_study`.
    """
    paths = StudyPaths(folder)
    config = read_study(paths.config)
    limits = read_gates(config.gates, where=paths.config)
    return Study(paths, config, limits, claims_of_study(config, folder))


def run_study(
    study: Study,
    *,
    only: Sequence[str] = (),
    fresh: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
    tell: Callable[[str], None] | None = None,
    guard: SpendGuard | None = None,
    announce: Callable[[RunPlan], None] | None = None,
) -> list[JudgeRun]:
    """Put the claims to the judges; what is there already is not asked again.

    Parameters
    ----------
    study : Study
    only : sequence of str
        Names of judges; empty: all of the study.
    fresh : bool
        Begin a new run even where a finished one is at hand.
    progress : callable, optional
        Called with the judge's name, verdicts written and verdicts asked for.
    tell : callable, optional
        Takes messages for the user.
    guard : SpendGuard, optional
        Stands before every call of every judge.
    announce : callable, optional
        Takes the plan of each judge that sends claims to a server, before it is asked.

    Raises
    ------
    UsageError
        If ``only`` names a judge that the study does not have, or the guard's limit in money
        cannot be held because a price is unknown.
    JudgeUnavailable
        If a judge cannot work at all.
    SpendLimit
        If a limit of the guard is reached; the run stays open and goes on another time.
    """
    return [
        _run(study, config, fresh, progress=progress, tell=tell, guard=guard, announce=announce)
        for config in _chosen(study, only)
    ]


def plan_study(study: Study, *, only: Sequence[str] = (), fresh: bool = False) -> list[RunPlan]:
    """What `run_study` with the same arguments would ask for; nothing is asked or written.

    Raises
    ------
    UsageError, JudgeUnavailable
        As `run_study`.
    """
    plans = []
    for config in _chosen(study, only):
        with closing(_made(study, config)) as judge:
            plans.append(_planned(study, config, judge, fresh=fresh))
    return plans


def _chosen(study: Study, only: Sequence[str]) -> list[JudgeConfig]:
    """The judges of a study that are named; all if none is."""
    chosen = [config for config in study.config.judges if not only or config.name in only]
    for name in only:
        if name not in [config.name for config in chosen]:
            known = [config.name for config in study.config.judges]
            guess = nearest(name, known)
            raise UsageError(
                f"the study has no judge {name!r}",
                where=str(study.paths.config),
                allowed=", ".join(known),
                todo=f"did you mean {guess!r}?" if guess else "",
            )
    return chosen


def _made(study: Study, config: JudgeConfig) -> Judge:
    """A judge that sends nothing which the sets want taken out."""
    judge = load(config.use, parameters=config.parameters, folder=study.paths.root)
    patterns = dict.fromkeys(one for chosen in study.claims.sets for one in chosen.redact)
    redact_inputs(judge, Redaction(patterns))
    return judge


def _planned(study: Study, config: JudgeConfig, judge: Judge, *, fresh: bool) -> RunPlan:
    return plan_run(
        judge,
        study.claims.claims,
        paths=study.paths,
        config=config,
        repeats=study.config.repeats,
        fresh=fresh,
    )


def _run(
    study: Study,
    config: JudgeConfig,
    fresh: bool,
    *,
    progress: Callable[[str, int, int], None] | None,
    tell: Callable[[str], None] | None,
    guard: SpendGuard | None,
    announce: Callable[[RunPlan], None] | None,
) -> JudgeRun:
    with closing(_made(study, config)) as judge:
        if sends(judge) and (guard or announce):
            plan = _planned(study, config, judge, fresh=fresh)
            if announce is not None:
                announce(plan)
            if guard is not None:
                guard.check_plan(plan.spend, judge=config.name)
                limit_spending(judge, guard)
        return run_judge(
            judge,
            study.claims.claims,
            paths=study.paths,
            config=config,
            repeats=study.config.repeats,
            seed=study.config.seed,
            fresh=fresh,
            progress=partial(progress, config.name) if progress else None,
            tell=tell,
        )
