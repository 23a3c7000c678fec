"""People beside each other and beside the judges: the matrix, and what it says of each person.

Nobody is right by office here. A person far from the others is named with the question to put to
them, not with a verdict: they may be the one who read the guideline.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Literal

import numpy as np

from voirdire import stats
from voirdire.judges import read_runs, read_verdicts
from voirdire.labels import StudyClaims, references, resolve_view, standing_labels
from voirdire.labels.studio import StudioPaths, read_records
from voirdire.records import (
    Claim,
    Confusion,
    Estimate,
    Label,
    LabelRecord,
    Provenance,
    ReferenceLabel,
    View,
    apply_view,
    view_labels,
)
from voirdire.records.people import (
    AmbiguousClaim,
    AnnotatorReport,
    PairAgreement,
    PeopleResult,
)
from voirdire.store import claims_digest
from voirdire.studies.agreement import NO_JUDGMENT
from voirdire.studies.study import Study

__all__ = [
    "label_error_candidates",
    "people_study",
    "planted_repeats",
    "verdicts_of_study",
]

LEVEL = 0.95
FAR_OFF = 0.10
"""How far below the others' agreement a person's must lie for a remark, its interval too."""

_Kind = Literal["annotator", "judge"]
Answers = Mapping[str, Mapping[str, Label | None]]


def people_study(
    claims: StudyClaims,
    answers: Answers,
    *,
    study: str,
    view: View,
    repeats: Sequence[LabelRecord] = (),
    provenance: Provenance | None = None,
) -> PeopleResult:
    """Annotator by annotator by judge, and a report on each person.

    Parameters
    ----------
    claims : StudyClaims
        With all their labels; ties count here, since no reference is needed.
    answers : mapping of str to mapping
        Judge to claim id to its label; None where it gave none.
    study : str
        Its name.
    view : View
        How labels are compared.
    repeats : sequence of LabelRecord
        Answers to planted repeats; see `planted_repeats`.
    provenance : Provenance, optional
    """
    given = [one for one in standing_labels(claims.labels) if one.role == "annotator"]
    table = _Table.of(claims.claims, given, answers, view)
    second = _second_answers(repeats, view)
    links = {
        one.claim_id: str(one.meta["url"])
        for one in reversed(given)
        if one.meta.get("url") and one.status == "labelled"
    }
    guidelines = Counter(one.guideline or "not recorded" for one in given if one.label is not None)
    return PeopleResult(
        study=study,
        view=view,
        annotators=table.people,
        judges=table.judges,
        pairs=tuple(_pairs(table)),
        reports=tuple(_reports(table, given, second)),
        ambiguous=tuple(_ambiguous(table, links)),
        links={claim.id: links[claim.id] for claim in claims.claims if claim.id in links},
        guidelines=dict(sorted(guidelines.items(), key=lambda item: (-item[1], item[0]))),
        notes=tuple(_notes(table, guidelines)),
        provenance=provenance,
    )


def planted_repeats(claims: StudyClaims) -> list[LabelRecord]:
    """Answers to planted repeats, from the studio folders of the sets of a study.

    Ids follow the claims' where two sets of a study share them.
    """
    known = {claim.id for claim in claims.claims}
    found = []
    for item in claims.sets:
        for record in standing_labels(read_records(StudioPaths.of(item.path).repeats)):
            for name in (record.claim_id, f"{item.name}/{record.claim_id}"):
                if name in known:
                    found.append(record.model_copy(update={"claim_id": name}))
                    break
    return found


def verdicts_of_study(study: Study) -> dict[str, dict[str, str]]:
    """Claim id to judge to the first repeat's label or outcome, of finished runs only."""
    digest = claims_digest(study.claims.claims)
    runs = [run for run in read_runs(study.paths) if run.seal and run.claims_sha256 == digest]
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for config in study.config.judges:
        run = next((run for run in runs if run.judge == config.name), None)
        if run is None:
            continue
        columns = read_verdicts(study.paths, run.run_id)
        rows = zip(columns.repeat, columns.claim_id, columns.label, columns.outcome, strict=True)
        for repeat, claim_id, label, outcome in rows:
            if repeat == 0:
                found[claim_id][config.name] = str(label or outcome)
    return dict(found)


def label_error_candidates(study: Study, *, at_least: int = 2) -> list[str]:
    """Claims on which the judges agree with each other and against people.

    Parameters
    ----------
    study : Study
    at_least : int
        Judges that gave a label; reference lines (constant) do not count, and one judge under
        two names counts once.

    Notes
    -----
    Judges that share a model share their errors: what comes out is a list to look at again, and
    a second look has to be blind.
    """
    view = resolve_view(study.config.view, study.claims.claims)
    reference = references(study.claims.claims, study.claims.labels, view=view).labels
    verdicts = verdicts_of_study(study)
    judges = _independent(study)
    found = []
    for claim in study.claims.claims:
        human = reference.get(claim.id)
        said = [verdicts.get(claim.id, {}).get(name) for name in judges]
        labels = [apply_view(one, view) for one in said if one in view_labels("three_class")]
        if human and len(labels) >= at_least and set(labels) != {human} and len(set(labels)) == 1:
            found.append(claim.id)
    return found


def _independent(study: Study) -> list[str]:
    """Names of the judges that count: no reference lines, each identity once."""
    seen: set[str] = set()
    names = []
    runs = {run.judge: run for run in reversed(read_runs(study.paths)) if run.seal}
    for config in study.config.judges:
        run = runs.get(config.name)
        if config.use.partition(":")[0] == "constant" or run is None:
            continue
        if run.fingerprint.digest not in seen:
            seen.add(run.fingerprint.digest)
            names.append(config.name)
    return names


@dataclass(frozen=True)
class _Table:
    """Who said what: one column for each person and judge, one row for each claim."""

    claims: tuple[Claim, ...]
    people: tuple[str, ...]
    judges: tuple[str, ...]
    columns: dict[tuple[str, str], list[ReferenceLabel | None]]
    family: list[str]
    view: View

    @classmethod
    def of(
        cls,
        claims: tuple[Claim, ...],
        given: Sequence[LabelRecord],
        answers: Answers,
        view: View,
    ) -> _Table:
        place = {claim.id: row for row, claim in enumerate(claims)}
        people = tuple(sorted({one.annotator for one in given if one.label}, key=_natural))
        columns: dict[tuple[str, str], list[ReferenceLabel | None]] = {
            ("annotator", name): [None] * len(claims) for name in people
        }
        for one in given:
            if one.label is not None and one.claim_id in place:
                row = place[one.claim_id]
                columns["annotator", one.annotator][row] = apply_view(one.label, view)
        for name, said in answers.items():
            labels = [said.get(claim.id) for claim in claims]
            columns["judge", name] = [apply_view(one, view) if one else None for one in labels]
        family = [claim.family for claim in claims]
        return cls(claims, people, tuple(answers), columns, family, view)

    @property
    def labels(self) -> tuple[ReferenceLabel, ...]:
        return view_labels(self.view)

    def others(self, name: str) -> list[ReferenceLabel | None]:
        """The strict majority of the other people on each claim; None without one."""
        columns = [self.columns["annotator", one] for one in self.people if one != name]
        found: list[ReferenceLabel | None] = []
        for row in range(len(self.claims)):
            votes = Counter(column[row] for column in columns if column[row] is not None)
            best = votes.most_common(1)
            most = best[0][1] if best else 0
            found.append(best[0][0] if best and 2 * most > sum(votes.values()) else None)
        return found


def _natural(code: str) -> tuple[str, int, str]:
    """a2 before a10."""
    head = code.rstrip("0123456789")
    tail = code[len(head) :]
    return head, int(tail) if tail else -1, code


def _pairs(table: _Table) -> Iterable[PairAgreement]:
    for one, other in combinations(table.columns, 2):
        left, right = table.columns[one], table.columns[other]
        differ = tuple(
            claim.id
            for claim, a, b in zip(table.claims, left, right, strict=True)
            if a is not None and b is not None and a != b
        )
        yield PairAgreement(
            one=one[1],
            other=other[1],
            one_is=_kind(one[0]),
            other_is=_kind(other[0]),
            raw=stats.raw_agreement(
                left, right, family=table.family, labels=table.labels, level=LEVEL
            ),
            kappa=stats.kappa(left, right, family=table.family, labels=table.labels, level=LEVEL),
            differ=differ,
        )


def _kind(word: str) -> _Kind:
    return "judge" if word == "judge" else "annotator"


def _reports(
    table: _Table, given: Sequence[LabelRecord], second: Mapping[tuple[str, str], str]
) -> Iterable[AnnotatorReport]:
    with_others = {name: _with_others(table, name) for name in table.people}
    for name in table.people:
        own = [one for one in given if one.annotator == name]
        leads = [one.lead_seconds for one in own if one.lead_seconds and one.label]
        yield AnnotatorReport(
            annotator=name,
            labelled=sum(one.label is not None for one in own),
            skipped=sum(one.status == "skipped" for one in own),
            with_others=with_others[name],
            confusion=_confusion(table, name, own),
            consistency=_consistency(table, name, second),
            median_seconds=median(leads) if leads else None,
            guidelines=tuple(sorted({one.guideline for one in own if one.guideline})),
            remark=_remark(name, with_others),
        )


def _with_others(table: _Table, name: str) -> Estimate:
    others = table.others(name)
    own = table.columns["annotator", name]
    rows = [row for row, label in enumerate(others) if label is not None and own[row] is not None]
    method = "share of claims labelled as the majority of the other people"
    if not rows:
        return Estimate.not_defined(
            "nobody else labelled these claims", method=method, n_asked=len(table.claims)
        )
    hits = [own[row] == others[row] for row in rows]
    return stats.rate(hits, family=[table.family[row] for row in rows], level=LEVEL)


def _confusion(table: _Table, name: str, own: Sequence[LabelRecord]) -> Confusion:
    columns = (*table.labels, NO_JUDGMENT)
    skipped = {one.claim_id for one in own if one.label is None}
    counts: Counter[tuple[str, str]] = Counter()
    rows = zip(table.claims, table.others(name), table.columns["annotator", name], strict=True)
    for claim, others, label in rows:
        if others is not None and (label is not None or claim.id in skipped):
            counts[others, label or NO_JUDGMENT] += 1
    return Confusion(
        labels=table.labels,
        columns=columns,
        counts=tuple(tuple(counts[row, column] for column in columns) for row in table.labels),
    )


def _second_answers(repeats: Sequence[LabelRecord], view: View) -> dict[tuple[str, str], str]:
    return {
        (one.annotator, one.claim_id): apply_view(one.label, view)
        for one in repeats
        if one.label is not None
    }


def _consistency(table: _Table, name: str, second: Mapping[tuple[str, str], str]) -> Estimate:
    own = table.columns["annotator", name]
    hits, family = [], []
    for row, claim in enumerate(table.claims):
        again = second.get((name, claim.id))
        if again is not None and own[row] is not None:
            hits.append(own[row] == again)
            family.append(table.family[row])
    if not hits:
        return Estimate.not_defined(
            "no planted repeats: push with --duplicates to have them",
            method="share of planted repeats answered as at the first time",
        )
    return stats.rate(hits, family=family, level=LEVEL)


def _remark(name: str, with_others: Mapping[str, Estimate]) -> str:
    """Two people differ from each other alike: a remark needs a third."""
    own = with_others[name]
    rest = [
        one for code, one in with_others.items() if code != name and one.k is not None and one.n
    ]
    if own.value is None or own.high is None or own.k is None or len(rest) < 2:
        return ""
    pooled = sum(one.k or 0 for one in rest) / sum(one.n for one in rest)
    if own.high >= pooled or pooled - own.value < FAR_OFF:
        return ""
    return (
        f"{name} chose otherwise than most others on {own.n - own.k} of {own.n} claims, clearly "
        "more often than they among themselves. Go through some of these claims together: the "
        "guideline may say less than it seems, and the one who stands apart may have read it best."
    )


def _ambiguous(table: _Table, links: Mapping[str, str]) -> Iterable[AmbiguousClaim]:
    if len(table.people) < 2:
        return
    matrix = np.array([table.columns["annotator", name] for name in table.people], dtype=object).T
    soft = stats.soft_labels(matrix.reshape(len(table.claims), -1), labels=table.labels)
    for row, claim in enumerate(table.claims):
        votes = Counter(str(label) for label in matrix[row] if label is not None)
        total = sum(votes.values())
        if total < 2 or not soft.ambiguous[row]:
            continue
        tie = 2 * max(votes.values()) <= total
        yield AmbiguousClaim(
            claim_id=claim.id,
            claim=claim.claim,
            votes={label: votes[label] for label in table.labels if votes[label]},
            reason="no strict majority" if tie else "opinions are spread",
            link=links.get(claim.id, ""),
        )


def _notes(table: _Table, guidelines: Mapping[str, int]) -> Iterable[str]:
    if len(guidelines) > 1:
        yield (
            f"labels were given under {len(guidelines)} guidelines (or none on record): people "
            "who were told different things may differ for that reason"
        )
    if len(table.people) < 2:
        yield "fewer than two independent annotators: how far people agree is not known"
