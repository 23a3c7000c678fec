"""Does a judge agree with people? Everything about one judge, from its aligned claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from voirdire import stats
from voirdire.records import (
    OUTCOMES,
    Confusion,
    Estimate,
    FamilyError,
    FamilyMember,
    HumanAgreement,
    JudgeAgreement,
    JudgeRun,
    Ledger,
    SliceAgreement,
)
from voirdire.studies import measures
from voirdire.studies.alignment import Aligned
from voirdire.studies.slicing import DEFAULT_SLICES, slice_value

__all__ = ["NO_JUDGMENT", "family_member", "human_agreement", "judge_agreement"]

NO_JUDGMENT = "no_judgment"
LEVEL = 0.95
MAX_WORST = 12
"""Families shown on the page; all are in the rows."""


def judge_agreement(
    run: JudgeRun,
    aligned: Aligned,
    *,
    slices: Sequence[str] = DEFAULT_SLICES,
    ledger: Ledger,
    notes: Sequence[str] = (),
) -> JudgeAgreement:
    """One judge against the reference.

    Parameters
    ----------
    run : JudgeRun
        The sealed run that the answers come from.
    aligned : Aligned
    slices : sequence of str
        Kinds to slice by; see `voirdire.studies.slicing.KINDS`.
    ledger : Ledger
        What the run took.
    notes : sequence of str
        To be shown with the numbers.
    """
    human, judge, family, labels = aligned.human, aligned.judge, aligned.family, aligned.labels
    common: dict[str, Any] = {"family": family, "labels": labels, "level": LEVEL}
    outcomes = Counter(aligned.outcome.tolist())
    worst = _family_errors(aligned)
    return JudgeAgreement(
        judge=run.judge,
        use=run.use,
        run_id=run.run_id,
        fingerprint=run.fingerprint.digest,
        view=aligned.view,
        repeats=run.repeats,
        n_asked=len(aligned.claims),
        outcomes={name: outcomes[name] for name in OUTCOMES if outcomes[name]},
        confusion=_confusion(aligned),
        raw=stats.raw_agreement(human, judge, **common),
        kappa=stats.kappa(human, judge, **common),
        ac1=stats.ac1(human, judge, **common),
        mcc=stats.mcc(human, judge, **common),
        balanced_accuracy=stats.balanced_accuracy(human, judge, **common),
        kappa_if_failures_right=measures.kappa(
            aligned, level=LEVEL, judge=measures.filled(aligned, right=True)
        ),
        kappa_if_failures_wrong=measures.kappa(
            aligned, level=LEVEL, judge=measures.filled(aligned, right=False)
        ),
        recall=stats.recall(human, judge, **common),
        precision=stats.precision(human, judge, **common),
        caught=measures.recall_bounds(aligned, measures.dangerous_label(aligned), level=LEVEL)[0],
        dangerous=measures.dangerous_share(aligned, level=LEVEL),
        constant=measures.constant_agreement(aligned, level=LEVEL),
        slices=tuple(_slices(aligned, slices)),
        worst=worst[:MAX_WORST],
        families_wrong=len(worst),
        seconds_per_claim=(
            None if ledger.seconds is None or not ledger.fresh else ledger.seconds / ledger.fresh
        ),
        ledger=ledger,
        notes=tuple(notes),
    )


def human_agreement(aligned: Aligned) -> HumanAgreement | None:
    """People against each other on every claim they labelled, ties included.

    None where fewer than two labelled.
    """
    if len(aligned.annotators) < 2:
        return None
    people, family, labels = aligned.panel.people, aligned.panel.family, aligned.labels
    pairs: dict[str, Estimate] = {}
    for one, two in combinations(range(len(aligned.annotators)), 2):
        name = f"{aligned.annotators[one]} · {aligned.annotators[two]}"
        pairs[name] = stats.kappa(
            people[:, one], people[:, two], family=family, labels=labels, level=LEVEL
        )
    return HumanAgreement(
        annotators=aligned.annotators,
        n_claims=int(np.sum(np.sum(people != None, axis=1) >= 2)),  # noqa: E711 - elementwise
        ceiling=stats.light_kappa(people, family=family, labels=labels, level=LEVEL),
        alpha=stats.krippendorff_alpha(people, family=family, labels=labels, level=LEVEL),
        raw=stats.panel_agreement(people, family=family, labels=labels, level=LEVEL),
        pairs=pairs,
    )


def _confusion(aligned: Aligned) -> Confusion:
    columns = (*aligned.labels, NO_JUDGMENT)
    answers = [answer or NO_JUDGMENT for answer in aligned.judge]
    counts = Counter(zip(aligned.human.tolist(), answers, strict=True))
    return Confusion(
        labels=aligned.labels,
        columns=columns,
        counts=tuple(tuple(counts[row, column] for column in columns) for row in aligned.labels),
    )


def _slices(aligned: Aligned, kinds: Sequence[str]) -> Iterable[SliceAgreement]:
    for kind in kinds:
        values = np.array([slice_value(claim, kind) for claim in aligned.claims], dtype=str)
        for value in sorted(set(values.tolist()) - {""}):
            part = aligned.where(values == value)
            yield SliceAgreement(
                kind=kind,
                value=value,
                raw=stats.raw_agreement(
                    part.human, part.judge, family=part.family, labels=part.labels, level=LEVEL
                ),
                kappa=measures.kappa(part, level=LEVEL),
            )


def _family_errors(aligned: Aligned) -> tuple[FamilyError, ...]:
    """Families with at least one wrong answer: most wrong first, then the larger share."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(aligned.family.tolist()):
        rows.setdefault(name, []).append(row)
    wrong = np.array(
        [h != j for h, j in zip(aligned.human, aligned.judge, strict=True)], dtype=bool
    )
    found = [
        (name, members, int(wrong[members].sum()))
        for name, members in rows.items()
        if wrong[members].any()
    ]
    found.sort(key=lambda item: (-item[2], len(item[1]), item[0]))
    return tuple(_family_error(aligned, *item) for item in found)


def _family_error(aligned: Aligned, name: str, rows: list[int], wrong: int) -> FamilyError:
    first = aligned.claims[rows[0]]
    return FamilyError(
        family=name,
        language=first.language,
        context=first.context,
        wrong=wrong,
        n=len(rows),
        members=tuple(family_member(aligned, row) for row in rows),
    )


def family_member(aligned: Aligned, row: int) -> FamilyMember:
    """One claim of a family as the page shows it."""
    claim = aligned.claims[row]
    return FamilyMember(
        claim_id=claim.id,
        variant=claim.variant,
        claim=claim.claim,
        reference=str(aligned.human[row]),
        people={
            code: str(label)
            for code, label in zip(aligned.annotators, aligned.people[row], strict=True)
            if label is not None
        },
        answers=aligned.answers[row],
    )
