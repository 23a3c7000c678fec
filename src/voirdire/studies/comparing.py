"""The latest finished runs of a study against people, and the decision that follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, cast

from voirdire.errors import NotEnoughEvidence, UsageError
from voirdire.judges import VerdictColumns, read_runs, read_verdicts
from voirdire.labels import References, StudyClaims, references, resolve_view, standing_labels
from voirdire.records import (
    AgreementResult,
    DecisionResult,
    InvarianceResult,
    Label,
    Ledger,
    Outcome,
    Provenance,
    ReferenceLabel,
    View,
)
from voirdire.records.contest import ContestResult
from voirdire.records.people import PeopleResult
from voirdire.store import claims_digest, nearest, write_document
from voirdire.studies.agreement import human_agreement, judge_agreement
from voirdire.studies.alignment import Aligned, align
from voirdire.studies.contest import contest
from voirdire.studies.decision import decide_all
from voirdire.studies.invariance import families_with, invariance
from voirdire.studies.looks import find_look, look_at, record_look
from voirdire.studies.people import people_study, planted_repeats
from voirdire.studies.provenance import provenance
from voirdire.studies.self_preference import self_preference_notes
from voirdire.studies.splitting import family_splits
from voirdire.studies.study import Study

__all__ = ["Comparison", "agree", "align_judge", "answers_of", "compare"]


def agree(study: Study, *, command: Sequence[str] = ()) -> tuple[AgreementResult, DecisionResult]:
    """Compare the latest finished run of each judge with people, decide, and write both results.

    Raises
    ------
    NotEnoughEvidence, SealBroken
        As `compare`.
    StoreError
        If the results cannot be written.
    """
    found = compare(study, command=command)
    record_look(study, found.decisions.look, made_at=found.agreement.provenance.made_at)
    write_document(study.paths.result("agreement"), found.agreement)
    write_document(study.paths.result("invariance"), found.invariance)
    write_document(study.paths.result("decision"), found.decisions)
    write_document(study.paths.result("people"), found.people)
    if found.contest is not None:
        write_document(study.paths.result("contest"), found.contest)
    else:  # of a time when the study had more judges
        study.paths.result("contest").unlink(missing_ok=True)
    return found.agreement, found.decisions


class Comparison(NamedTuple):
    """What the runs of a study say against people's labels."""

    agreement: AgreementResult
    invariance: InvarianceResult
    decisions: DecisionResult
    people: PeopleResult
    contest: ContestResult | None = None


def compare(
    study: Study,
    *,
    command: Sequence[str] = (),
    runs: Mapping[str, str] | None = None,
    look: int | None = None,
) -> Comparison:
    """The same, without writing.

    Parameters
    ----------
    study : Study
    command : sequence of str
        The command line, for the provenance.
    runs : mapping of str to str, optional
        Judge to the id of the run to compare; without it the latest finished one of each.
    look : int, optional
        The how-manieth look at the test split this is; without it the study's ledger says so.

    Raises
    ------
    NotEnoughEvidence
        If a judge of the study has no finished run over these claims, or no claim has a
        reference label.
    SealBroken
        If a run's verdicts changed after it was sealed.
    """
    view = resolve_view(study.config.view, study.claims.claims)
    reference = references(study.claims.claims, study.claims.labels, view=view)
    if not reference.labels:
        raise NotEnoughEvidence(
            "no claim has a reference label",
            where=", ".join(study.config.labels),
            todo="label the claims (two or three people each), then run 'voirdire agree' again",
        )
    found = _finished_runs(study, runs)
    votes = _votes(study.claims)
    aligned = {
        name: align(
            study.claims.claims, reference.labels, answers_of(verdicts), view=view, votes=votes
        )
        for name, verdicts in found.items()
    }
    origin = provenance(
        seed=study.config.seed,
        sets={item.name: item.digest for item in study.claims.sets},
        runs={v.run.run_id: v.run.seal.sha256 if v.run.seal else "" for v in found.values()},
        limits=study.limits,
        command=command,
    )
    agreement = _agreement(study, view, reference, found, aligned, origin)
    lines = [j.name for j in study.config.judges if _is_reference_line(j.use)]
    looked = find_look(study, aligned, reference_lines=lines)
    if looked is not None and look is not None:
        looked = look_at(look, level=study.limits.level, digest=looked.digest)
    decisions = DecisionResult(
        study=study.config.name,
        decisions=decide_all(
            aligned,
            study.limits,
            parts=study.config.parts,
            reference_lines=lines,
            look=1 if looked is None else looked.number,
        ),
        gates=origin.gates,
        provenance=origin,
        look=looked,
    )
    return Comparison(
        agreement,
        _invariance(study, view, found, aligned, origin),
        decisions,
        people_study(
            study.claims,
            {name: _first_labels(verdicts) for name, verdicts in found.items()},
            study=study.config.name,
            view=view,
            repeats=planted_repeats(study.claims),
            provenance=origin,
        ),
        _contest(study, found, aligned, agreement, test_level=looked.level if looked else None),
    )


def _first_labels(verdicts: VerdictColumns) -> dict[str, Label | None]:
    """Claim id to the label of the first repeat; None where there is no judgment."""
    return {name: repeats[0][1] for name, repeats in answers_of(verdicts).items()}


def align_judge(
    study: Study, judge: str, *, run_id: str = "", command: Sequence[str] = ()
) -> tuple[Aligned, VerdictColumns, Provenance]:
    """One judge's run (the latest finished if none is named) beside people's labels; their origin.

    Raises
    ------
    UsageError
        If the study has no such judge.
    NotEnoughEvidence, SealBroken
        As `compare`.
    """
    known = [one.name for one in study.config.judges]
    if judge not in known:
        guess = nearest(judge, known)
        raise UsageError(
            f"the study has no judge {judge!r}",
            where=str(study.paths.config),
            allowed=", ".join(known),
            todo=f"did you mean {guess!r}?" if guess else "",
        )
    view = resolve_view(study.config.view, study.claims.claims)
    labels = references(study.claims.claims, study.claims.labels, view=view).labels
    verdicts = _finished_runs(study, {judge: run_id} if run_id else None)[judge]
    seal = verdicts.run.seal
    origin = provenance(
        seed=study.config.seed,
        sets={item.name: item.digest for item in study.claims.sets},
        runs={verdicts.run.run_id: seal.sha256 if seal else ""},
        limits=study.limits,
        command=command,
    )
    return align(study.claims.claims, labels, answers_of(verdicts), view=view), verdicts, origin


def _contest(
    study: Study,
    found: dict[str, VerdictColumns],
    aligned: dict[str, Aligned],
    agreement: AgreementResult,
    *,
    test_level: float | None = None,
) -> ContestResult | None:
    """The candidates against each other, where there are several."""
    lines = [j.name for j in study.config.judges if _is_reference_line(j.use)]
    candidates = {
        name: one
        for name, one in aligned.items()
        if name not in lines or name == study.config.incumbent
    }
    if len(candidates) < 2:
        return None
    return contest(
        candidates,
        agreement.judges,
        found,
        study=study.config.name,
        incumbent=study.config.incumbent,
        provenance=agreement.provenance,
        limits=study.limits,
        splits=family_splits(study) if study.config.split == "all" else None,
        test_level=test_level,
    )


def _invariance(
    study: Study,
    view: View,
    found: dict[str, VerdictColumns],
    aligned: dict[str, Aligned],
    origin: Provenance,
) -> InvarianceResult:
    return InvarianceResult(
        study=study.config.name,
        view=view,
        families_with=families_with(next(iter(aligned.values()))),
        judges=tuple(
            invariance(
                column,
                judge=name,
                run_id=found[name].run.run_id,
                fresh_repeats=_asked_anew(found[name]),
            )
            for name, column in aligned.items()
        ),
        provenance=origin,
    )


def _asked_anew(verdicts: VerdictColumns) -> bool:
    """Whether no later repeat came from a cache."""
    first = min(verdicts.repeat, default=0)
    return not any(
        cached and repeat > first
        for repeat, cached in zip(verdicts.repeat, verdicts.cached, strict=True)
    )


def _agreement(
    study: Study,
    view: View,
    reference: References,
    found: dict[str, VerdictColumns],
    aligned: dict[str, Aligned],
    origin: Provenance,
) -> AgreementResult:
    first = next(iter(aligned.values()))  # all judges stand on the same claims
    return AgreementResult(
        study=study.config.name,
        sets=tuple(item.name for item in study.claims.sets),
        languages=tuple(sorted({claim.language for claim in first.claims})),
        view=view,
        view_note=_VIEW_NOTES[view],
        reference_rule=_rule_words(reference.rules),
        reference_counts=reference.counts,
        n_claims=len(first.claims),
        n_families=len(set(first.family)),
        families_per_label={
            label: len(set(first.family[first.human == label])) for label in first.labels
        },
        exclusions={
            **study.claims.excluded,
            **{f"no reference: {reason}": n for reason, n in reference.reasons.items()},
        },
        humans=human_agreement(first),
        no_humans="" if len(first.annotators) > 1 else _NO_HUMANS,
        judges=tuple(
            judge_agreement(
                found[name].run,
                column,
                slices=study.config.slices,
                ledger=_ledger(found[name]),
                notes=(
                    *study.claims.notes,
                    *self_preference_notes(found[name].run.fingerprint, column.claims),
                ),
            )
            for name, column in aligned.items()
        ),
        provenance=origin,
    )


_VIEW_NOTES: dict[View, str] = {
    "three_class": "",
    "supported_or_not": (
        "supported or not: contradicted and unverifiable are one label here (not supported), "
        "because a claim set does not tell them apart"
    ),
}
_NO_HUMANS = (
    "Labels come from fewer than two independent annotators, so people's own agreement, the "
    "ceiling for every judge, is not known."
)


def _is_reference_line(use: str) -> bool:
    return use.partition(":")[0] == "constant"


def _finished_runs(
    study: Study, chosen: Mapping[str, str] | None = None
) -> dict[str, VerdictColumns]:
    """The latest finished run of each judge over exactly these claims, or the one chosen."""
    digest = claims_digest(study.claims.claims)
    runs = [
        run
        for run in read_runs(study.paths)  # the latest started first
        if run.seal is not None and run.claims_sha256 == digest
    ]
    found: dict[str, VerdictColumns] = {}
    for config in study.config.judges:
        wanted = (chosen or {}).get(config.name)
        of_judge = (run for run in runs if run.judge == config.name)
        run = next((run for run in of_judge if wanted in (None, run.run_id)), None)
        if run is None:
            raise NotEnoughEvidence(
                f"judge {config.name!r} has no finished run over the claims as they are now",
                where=str(study.paths.runs),
                todo=f"run 'voirdire run {study.paths.root}' first",
            )
        found[config.name] = read_verdicts(study.paths, run.run_id)
    return found


def answers_of(verdicts: VerdictColumns) -> dict[str, list[tuple[Outcome, Label | None]]]:
    """Claim id to (outcome, label) of each repeat, in the order of repeats."""
    columns = zip(verdicts.repeat, verdicts.claim_id, verdicts.outcome, verdicts.label, strict=True)
    answers: dict[str, list[tuple[Outcome, Label | None]]] = {}
    for _, claim_id, outcome, label in sorted(columns, key=itemgetter(0)):
        answers.setdefault(claim_id, []).append(
            (cast("Outcome", outcome), cast("Label | None", label))
        )
    return answers


def _ledger(verdicts: VerdictColumns) -> Ledger:
    """What a run took, summed over its fresh verdicts; unknown where any of them did not say."""
    fresh = [place for place, cached in enumerate(verdicts.cached) if not cached]

    def total(column: Sequence[Any]) -> Any:
        values = [column[place] for place in fresh]
        return None if not values or None in values else sum(values)

    return Ledger(
        fresh=len(fresh),
        cached=len(verdicts) - len(fresh),
        failed=sum(label is None for label in verdicts.label),
        retried=sum(verdicts.attempts[place] - 1 for place in fresh if verdicts.attempts[place]),
        tokens_in=total(verdicts.tokens_in),
        tokens_out=total(verdicts.tokens_out),
        cost=total(verdicts.cost),
        seconds=total(verdicts.seconds),
    )


def _votes(claims: StudyClaims) -> dict[str, dict[str, ReferenceLabel]]:
    votes: dict[str, dict[str, ReferenceLabel]] = {}
    for record in standing_labels(claims.labels):
        if record.role == "annotator" and record.label is not None:
            votes.setdefault(record.claim_id, {})[record.annotator] = record.label
    return votes


def _rule_words(rules: dict[str, int]) -> str:
    counted = Counter({rule: n for rule, n in rules.items() if rule != "none"})
    return ", ".join(f"{rule} ({n})" for rule, n in counted.most_common())
