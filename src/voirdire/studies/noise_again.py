"""Variance and alert policies made again from the verdicts of the runs that they name.

Each rests on the runs it was made from, not on what was asked since: a policy stays checkable
after ``voirdire vary`` read newer runs. What only its maker chose (rates, margins, claims of an
evaluation, a centre from an earlier history) is taken from the policy as stated; all that follows
from it is computed, so that a changed choice shows in the numbers that it no longer explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import chain

from voirdire.errors import SealBroken
from voirdire.judges import read_runs
from voirdire.labels import references, resolve_view
from voirdire.records import (
    AlertPolicy,
    HistoryPoint,
    JudgeVariance,
    PolicyResult,
    Provenance,
    ReferenceLabel,
    VarianceResult,
    View,
)
from voirdire.store import History, claims_digest
from voirdire.studies.limit_numbers import LimitOptions
from voirdire.studies.limits import make_policy
from voirdire.studies.provenance import provenance
from voirdire.studies.repeats import asked_in, repeats_of
from voirdire.studies.study import Study
from voirdire.studies.variance import guidelines_of, judge_variance

__all__ = ["policies_again", "variance_again"]

_OF_LEFT_OUT = "with another fingerprint are left out"
"""How the note ends that counts runs which are not among those named."""


def variance_again(study: Study, stored: VarianceResult) -> VarianceResult:
    """``results/variance.json`` from claims, labels and the verdicts of the runs that it names.

    Raises
    ------
    SealBroken
        If a run that it names is gone, was changed, or shows no variation to be read.
    """
    view, reference = _reference(study)
    groups = [(one.runs, one.notes) for one in stored.judges]
    return VarianceResult(
        study=study.config.name,
        view=view,
        guidelines=guidelines_of(study),
        claims_sha256=claims_digest(study.claims.claims),
        judges=tuple(_judge(study, runs, view, reference, notes=notes) for runs, notes in groups),
        provenance=_provenance(study, list(chain.from_iterable(runs for runs, _ in groups))),
    )


def policies_again(study: Study, stored: PolicyResult) -> PolicyResult:
    """``results/policy.json`` from claims, labels and the verdicts of its baseline runs.

    Raises
    ------
    SealBroken
        As `variance_again`; also if its runs do not show the signal that it watches.
    """
    view, reference = _reference(study)
    groups = dict.fromkeys(one.baseline_runs for one in stored.policies)
    judges = {runs: _judge(study, runs, view, reference) for runs in groups}
    origin = _provenance(study, list(stored.provenance.runs))
    digest = claims_digest(study.claims.claims)
    variance = VarianceResult(
        study=study.config.name,
        view=view,
        guidelines=guidelines_of(study),
        claims_sha256=digest,
        judges=tuple(judges.values()),
        provenance=origin,
    )
    return PolicyResult(
        study=study.config.name,
        claims_sha256=digest,
        policies=tuple(
            _policy(study, variance, judges[one.baseline_runs], one, stored.provenance.command)
            for one in stored.policies
        ),
        reference_labels={key: str(value) for key, value in reference.items()},
        provenance=origin,
    )


def _reference(study: Study) -> tuple[View, dict[str, ReferenceLabel]]:
    view = resolve_view(study.config.view, study.claims.claims)
    return view, references(study.claims.claims, study.claims.labels, view=view).labels


def _judge(
    study: Study,
    run_ids: Sequence[str],
    view: View,
    reference: dict[str, ReferenceLabel],
    *,
    notes: Sequence[str] = (),
) -> JudgeVariance:
    sealed = {run.run_id: run for run in read_runs(study.paths) if run.seal is not None}
    gone = [run_id for run_id in run_ids if run_id not in sealed]
    runs = [sealed[run_id] for run_id in run_ids if run_id in sealed]
    table = repeats_of(study.claims.claims, asked_in(study, runs), view=view)
    if gone or len(table.sessions) < 2 or not table.claims:
        raise SealBroken(
            f"the noise of a judge rests on run {gone[0]!r}, which is not there"
            if gone
            else "the runs that the noise of a judge rests on show fewer than two askings",
            where=str(study.paths.runs),
            todo=f"restore the runs, or run 'voirdire vary {study.paths.root}' and "
            "'voirdire limits' anew",
        )
    return judge_variance(
        table,
        view=view,
        reference=reference,
        name="+".join(dict.fromkeys(run.judge for run in runs)),
        notes=[note for note in notes if note.endswith(_OF_LEFT_OUT)],
    )


def _policy(
    study: Study, variance: VarianceResult, judge: JudgeVariance, stated: AlertPolicy, command: str
) -> AlertPolicy:
    one = next((one for one in judge.signals if one.signal == stated.signal), None)
    if one is None or one.mean is None:
        raise SealBroken(
            f"the runs of judge {judge.judge!r} do not show the signal {stated.signal!r}",
            where=str(study.paths.result("policy")),
            todo=f"run 'voirdire limits {study.paths.root}' anew",
        )
    options = LimitOptions(
        claims=stated.claims,
        items=stated.items,
        k=stated.k,
        warning_rate=stated.warning.promised_rate,
        critical_rate=stated.critical.promised_rate,
        warning_margin=stated.warning.margin,
        critical_margin=stated.critical.margin,
        strict=stated.strict,
        per_year=stated.per_year,
        wanted_drop=stated.wanted_drop,
        power=stated.power_wanted,
    )
    return make_policy(variance, judge, one, options, history=_history(stated, command))


def _history(stated: AlertPolicy, command: str) -> History | None:
    """An earlier history as far as the policy holds it: so many scores with that mean."""
    if "--history" not in command or stated.centre is None:
        return None
    point = HistoryPoint(time=datetime.fromtimestamp(0, UTC), score=stated.centre)
    return History((point,) * stated.centre_n)


def _provenance(study: Study, run_ids: Sequence[str]) -> Provenance:
    """As it would be said today of these runs."""
    sealed = {run.run_id: run.seal.sha256 for run in read_runs(study.paths) if run.seal}
    return provenance(
        seed=study.config.seed,
        sets={item.name: item.digest for item in study.claims.sets},
        runs={run_id: sealed.get(run_id, "") for run_id in run_ids},
        limits=study.limits,
    )
