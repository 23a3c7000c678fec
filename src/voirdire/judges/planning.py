"""What a run is going to ask for, before it asks: calls, tokens, money, time."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from voirdire.judges.blinding import blinded
from voirdire.judges.protocol import Judge
from voirdire.judges.reusing import answers_alone, find_reusable
from voirdire.judges.runs import lines_of, read_runs
from voirdire.judges.spending import plan_spending, sends
from voirdire.models import SpendPlan
from voirdire.records import Claim, JudgeRun, Record, Reuse
from voirdire.store import JudgeConfig, StudyPaths, claims_digest

__all__ = ["RunPlan", "plan_run"]


class RunPlan(Record):
    """What a run is going to ask for.

    Attributes
    ----------
    judge : str
        The name the study gives it.
    sends : bool
        Whether claims leave this process for a server.
    verdicts : int
        To be asked for; what stands in an open run is not among them.
    standing : int
        Verdicts at hand.
    reuse : Reuse or None
        What would be taken over from a run over another version of the claims.
    spend : SpendPlan
        Zero for a judge that sends nothing.
    seconds : float or None
        By the time the last finished run of this very judge took for each verdict; None where
        there is none.
    """

    judge: str
    sends: bool
    verdicts: int = Field(ge=0)
    standing: int = Field(ge=0)
    spend: SpendPlan
    reuse: Reuse | None = None
    seconds: float | None = None


def plan_run(
    judge: Judge,
    claims: Sequence[Claim],
    *,
    paths: StudyPaths,
    config: JudgeConfig,
    repeats: int,
    fresh: bool = False,
) -> RunPlan:
    """What `run_judge` with the same arguments would ask for; nothing is asked or written.

    Raises
    ------
    InputError, SchemaError
        If a run is damaged or of a newer version.
    """
    runs = read_runs(paths)
    same_judge = [
        run
        for run in runs
        if run.judge == config.name and run.fingerprint.digest == judge.fingerprint().digest
    ]
    standing, reuse = _standing(
        same_judge, claims, paths, repeats, fresh=fresh, alone=answers_alone(judge)
    )
    spend, verdicts = SpendPlan(), 0
    for repeat in range(repeats):
        places = [n for n, claim in enumerate(claims) if (repeat, claim.id) not in standing]
        verdicts += len(places)
        if places:
            spend = spend + plan_spending(judge, blinded(claims, places, seed=0))
    each = _seconds_each(same_judge)
    return RunPlan(
        judge=config.name,
        sends=sends(judge),
        verdicts=verdicts,
        standing=len(standing),
        spend=spend,
        reuse=reuse,
        seconds=None if each is None else each * verdicts,
    )


def _standing(
    runs: Sequence[JudgeRun],
    claims: Sequence[Claim],
    paths: StudyPaths,
    repeats: int,
    *,
    fresh: bool,
    alone: bool,
) -> tuple[set[tuple[int, str]], Reuse | None]:
    """(repeat, claim) of the verdicts that would be taken up, and how if from an earlier set."""
    wanted = (claims_digest(claims), len(claims), repeats)
    for run in runs:
        if (run.claims_sha256, run.n_claims, run.repeats) != wanted:
            continue
        if fresh and run.seal is not None:
            continue
        lines = lines_of(paths.verdicts(run.run_id))
        return {(line["repeat"], line["claim_id"]) for line in lines}, run.reuse
    if fresh or not runs or not alone:
        return set(), None
    found = find_reusable(
        runs,
        claims,
        paths=paths,
        judge=runs[0].judge,
        fingerprint=runs[0].fingerprint.digest,
        repeats=repeats,
    )
    if found is None:
        return set(), None
    return {(line["repeat"], line["claim_id"]) for line in found.lines}, found.reuse


def _seconds_each(runs: Sequence[JudgeRun]) -> float | None:
    """Wall time for each verdict of the last finished run; a run with a pause looks slower."""
    for run in runs:
        if run.seal is not None and run.seal.verdicts:
            took = (run.seal.finished_at - run.started_at).total_seconds()
            return max(took, 0.0) / run.seal.verdicts
    return None
