"""The stored decision on a judge, after every number was made again and the judge looked at.

What a gate stands on, whether a command or a test suite asks: nothing is passed on that the
claims, labels and verdicts as they lie there do not give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voirdire.errors import JudgeUnavailable, NotEnoughEvidence, SealBroken, UsageError
from voirdire.judges import load
from voirdire.records import AgreementResult, Decision, DecisionResult
from voirdire.store import nearest, read_document
from voirdire.studies.study import Study
from voirdire.studies.verification import newer_runs, verify

__all__ = ["examined_decision"]


def examined_decision(
    study: Study, judge: str = "", *, tell: Callable[[str], None] | None = None
) -> Decision:
    """The decision on a judge, verified.

    Parameters
    ----------
    study : Study
    judge : str
        Name in the study; empty: the only candidate there is.
    tell : callable, optional
        Takes a warning where the judge cannot be loaded, so that nobody can say here whether it
        is still the one that was examined.

    Raises
    ------
    SealBroken
        If claims, labels, verdicts, limits or the judge changed since.
    UsageError
        If there are no results yet, no such judge, or several and none is named.
    """
    decision = _chosen(_verified(study), study, judge)
    if tell is not None and decision.judge in newer_runs(study):
        tell(
            f"judge {decision.judge!r} has a newer finished run: 'voirdire agree "
            f"{study.paths.root}' compares that one"
        )
    _same_judge(study, decision.judge, tell or (lambda _: None))
    return decision


def _verified(study: Study) -> Sequence[Decision]:
    try:
        differences = verify(study, noise=False)
    except NotEnoughEvidence as error:  # no run stands on the claims as they are now
        raise SealBroken(str(error)) from error
    if differences:
        first = differences[0]
        raise SealBroken(
            f"{len(differences)} numbers differ from the stored results, first {first.place}: "
            f"stored {first.stored}, now {first.recomputed}",
            where=str(study.paths.results),
            todo="inputs, limits or the results themselves changed: run 'voirdire examine "
            f"{study.paths.root}'",
        )
    return read_document(study.paths.result("decision"), DecisionResult).decisions


def _chosen(decisions: Sequence[Decision], study: Study, judge: str) -> Decision:
    lines = {j.name for j in study.config.judges if j.use.partition(":")[0] == "constant"}
    names = [d.judge for d in decisions]
    candidates = [name for name in names if name not in lines] or names
    if not judge and len(candidates) > 1:
        raise UsageError(
            "the study has several judges",
            where=str(study.paths.config),
            allowed=", ".join(names),
            todo="name the one to gate on",
        )
    name = judge or candidates[0]
    for decision in decisions:
        if decision.judge == name:
            return decision
    guess = nearest(name, names)
    raise UsageError(
        f"the study has no judge {name!r}",
        where=str(study.paths.config),
        allowed=", ".join(names),
        todo=f"did you mean {guess!r}?" if guess else "",
    )


def _same_judge(study: Study, name: str, tell: Callable[[str], None]) -> None:
    """Refuse if the judge as it is now is not the one that was examined."""
    config = next(judge for judge in study.config.judges if judge.name == name)
    agreement = read_document(study.paths.result("agreement"), AgreementResult)
    recorded = next(judge.fingerprint for judge in agreement.judges if judge.judge == name)
    try:
        judge = load(config.use, parameters=config.parameters, folder=study.paths.root)
    except JudgeUnavailable as error:
        tell(f"whether judge {name!r} is still the same cannot be told here: {error}")
        return
    try:
        now = judge.fingerprint().digest
    finally:
        judge.close()
    if now != recorded:
        raise SealBroken(
            f"judge {name!r} is another one now: fingerprint {now[:12]}, examined {recorded[:12]}",
            where=str(study.paths.config),
            todo=f"examine it again: 'voirdire examine {study.paths.root}'",
        )
