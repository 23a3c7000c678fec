"""An incumbent's upgrade: two runs on the same claims, verdict by verdict.

A judge that is asked twice differs from itself; an upgrade is only seen in what differs beyond
that. With repeats in both runs, the share of differing answers between an asking of the old and one
of the new, less the mean share within each, is 0 in expectation when nothing but noise moved and
positive otherwise (half the squared distance of the two judges' answer distributions, claim by
claim). Whether the new judge will do is a question of its own: not worse by more than a margin that
is fixed beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voirdire import stats
from voirdire.errors import NotEnoughEvidence, UsageError
from voirdire.judges import VerdictColumns, read_verdicts
from voirdire.labels import references, resolve_view
from voirdire.records import Estimate, Gate
from voirdire.records.upgrade import ChangedVerdict, UpgradeAnswer, UpgradeResult
from voirdire.stats.family_mean import family_mean
from voirdire.store import StudyPaths, claims_digest
from voirdire.studies import measures
from voirdire.studies.alignment import Aligned, align
from voirdire.studies.comparing import answers_of
from voirdire.studies.study import open_study

__all__ = ["compare_runs", "upgrade"]

ACCURACY_MARGIN, KAPPA_MARGIN = 0.05, 0.10
_NO_REPEATS = "asked once: a judge's own noise needs repeats in both runs"


def compare_runs(
    old: Path,
    new: Path,
    *,
    accuracy_margin: float = ACCURACY_MARGIN,
    kappa_margin: float = KAPPA_MARGIN,
) -> UpgradeResult:
    """Compare two runs by their folders, ``reports/<study>/runs/<run_id>``.

    Labels are those of the study the new run lies in.

    Parameters
    ----------
    old, new : Path
    accuracy_margin, kappa_margin : float
        How much worse would still do, > 0.

    Raises
    ------
    UsageError
        If a folder is no run of a study, or a run is not finished.
    SealBroken
        If a run's verdicts changed after it was sealed.
    NotEnoughEvidence
        If the runs are not over the study's claims as they are now.
    """
    first, second = (_verdicts(folder) for folder in (old, new))
    study = open_study(new.resolve().parent.parent)
    digest = claims_digest(study.claims.claims)
    for folder, verdicts in ((old, first), (new, second)):
        if verdicts.run.claims_sha256 != digest:
            raise NotEnoughEvidence(
                "the run is not over the claims of the study as they are now",
                where=str(folder),
                todo=f"ask that judge again: 'voirdire run {study.paths.root}'",
            )
    view = resolve_view(study.config.view, study.claims.claims)
    labels = references(study.claims.claims, study.claims.labels, view=view).labels
    if not labels:
        raise NotEnoughEvidence("no claim has a reference label", where=str(study.paths.config))
    aligned = [
        align(study.claims.claims, labels, answers_of(one), view=view) for one in (first, second)
    ]
    return upgrade(
        *aligned,
        old=first.run.run_id,
        new=second.run.run_id,
        same_judge=first.run.fingerprint.digest == second.run.fingerprint.digest,
        level=study.limits.level,
        margins=(accuracy_margin, kappa_margin),
    )


def upgrade(
    before: Aligned,
    after: Aligned,
    *,
    old: str,
    new: str,
    same_judge: bool = False,
    level: float = 0.95,
    margins: tuple[float, float] = (ACCURACY_MARGIN, KAPPA_MARGIN),
) -> UpgradeResult:
    """The same from aligned claims; both on the same claims in the same order.

    Parameters
    ----------
    before, after : Aligned
    old, new : str
        Run ids.
    same_judge : bool
    level : float
        One-sided.
    margins : (float, float)
        Of accuracy and of kappa, > 0.

    Raises
    ------
    ValueError
        If the claims differ or a margin is not > 0.
    """
    if [c.id for c in before.claims] != [c.id for c in after.claims]:
        raise ValueError("before and after must be on the same claims, got different ones")
    if min(margins) <= 0:
        raise ValueError(f"margins must be > 0, got {margins}")
    answers = measures.filled(after, right=False), measures.filled(before, right=False)
    accuracy, kappa = (
        how(
            before.human,
            *answers,
            family=before.family,
            labels=before.labels,
            level=2 * level - 1,
        ).difference
        for how in (stats.compare_accuracy, stats.compare_kappa)
    )
    gates = tuple(
        _gate(name, found, margin)
        for name, found, margin in zip(
            ("accuracy", "kappa"), (accuracy, kappa), margins, strict=True
        )
    )
    changed = _changed(before, after)
    noise = _noise(before, after)
    answer = _answer(gates, identical=not (answers[0] != answers[1]).any())
    counts = [sum(one.effect == effect for one in changed) for effect in ("mended", "broken")]
    return UpgradeResult(
        old=old,
        new=new,
        same_judge=same_judge,
        n_claims=len(before.claims),
        accuracy=accuracy,
        kappa=kappa,
        gates=gates,
        changed=changed,
        mended=counts[0],
        broken=counts[1],
        own_noise=noise.own,
        between=noise.between,
        beyond_noise=noise.beyond,
        answer=answer,
        sentences=_sentences(answer, gates, counts, len(changed), noise.beyond, same_judge),
    )


def _verdicts(folder: Path) -> VerdictColumns:
    place = folder.resolve()
    if place.parent.name != "runs" or not (place / "run.json").is_file():
        raise UsageError(
            "no run there",
            where=str(folder),
            allowed="the folder of a run, reports/<study>/runs/<run_id>",
            todo="see the folder 'runs' of the study",
        )
    return read_verdicts(StudyPaths(place.parent.parent), place.name)


def _gate(name: str, found: Estimate, margin: float) -> Gate:
    answer = stats.three_way(found.low, found.high, -margin)
    if found.value is None:
        reason = f"undefined: {found.undefined}"
    elif found.low is None or found.high is None:
        reason = f"{found.value:+.3f} without bounds: {found.no_interval}"
    else:
        reason = f"{found.value:+.3f}, bounds {found.low:+.3f} to {found.high:+.3f}"
    return Gate(
        name=f"{name}_not_worse",
        question=f"Is the new judge's {name} at most {margin:.2f} below the old one's?",
        limit=-margin,
        lower=found.low,
        upper=found.high,
        estimate=found,
        answer=answer,
        reason=reason,
    )


def _answer(gates: Sequence[Gate], *, identical: bool) -> UpgradeAnswer:
    found = [gate.answer for gate in gates]
    if "reject" in found:
        return "worse"
    # Equal verdicts on every claim leave kappa without bounds, and accuracy with those of none
    # changed: the latter decides.
    if identical:
        return "not_worse" if gates[0].answer == "accept" else "open"
    return "not_worse" if set(found) == {"accept"} else "open"


def _changed(before: Aligned, after: Aligned) -> tuple[ChangedVerdict, ...]:
    found = []
    for row, claim in enumerate(before.claims):
        people = str(before.human[row])
        old, new = (one.judge[row] or one.outcome[row] for one in (before, after))
        if old != new:
            effect = "mended" if new == people else "broken" if old == people else "neither"
            found.append(
                ChangedVerdict(
                    claim_id=claim.id,
                    variant=claim.variant,
                    people=people,
                    old=str(old),
                    new=str(new),
                    effect=effect,
                )
            )
    return tuple(found)


@dataclass(frozen=True)
class _Noise:
    own: Estimate
    between: Estimate
    beyond: Estimate


def _noise(before: Aligned, after: Aligned) -> _Noise:
    old = [_within(answers) for answers in before.answers]
    new = [_within(answers) for answers in after.answers]
    between = [_across(*pair) for pair in zip(before.answers, after.answers, strict=True)]
    beyond = [share - (one + two) / 2 for share, one, two in zip(between, old, new, strict=True)]
    families = np.unique(before.family.astype(str), return_inverse=True)[1].reshape(-1)

    def mean(values: Sequence[float], what: str, *, needs_repeats: bool) -> Estimate:
        found = family_mean(_floats(values), families.astype(np.int64), method=what)
        if found.value is None and needs_repeats:
            return found.model_copy(update={"undefined": _NO_REPEATS})
        return found

    return _Noise(
        own=mean(old, "share that differs from itself", needs_repeats=True),
        between=mean(between, "share that differs between the judges", needs_repeats=False),
        beyond=mean(beyond, "share that differs beyond noise", needs_repeats=True),
    )


def _within(answers: Sequence[str]) -> float:
    """Share of pairs of different repeats that differ; nan for a single one."""
    count = len(answers)
    if count < 2:
        return float("nan")
    equal = sum(answers.count(one) for one in answers) - count
    return 1 - equal / (count * (count - 1))


def _across(old: Sequence[str], new: Sequence[str]) -> float:
    equal = sum(new.count(one) for one in old)
    return 1 - equal / (len(old) * len(new))


def _floats(values: Sequence[float]) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def _sentences(
    answer: UpgradeAnswer,
    gates: Sequence[Gate],
    counts: Sequence[int],
    changed: int,
    beyond: Estimate,
    same_judge: bool,
) -> tuple[str, ...]:
    margins = " and ".join(
        f"{-(gate.limit or 0):.2f} of {gate.name.split('_')[0]}" for gate in gates
    )
    heads = {
        "not_worse": f"The new judge is not worse by more than the margins ({margins}).",
        "worse": "The new judge is worse by more than a margin "
        f"({', '.join(gate.name for gate in gates if gate.answer == 'reject')}).",
        "open": "These claims do not settle whether the new judge is worse by more than a margin.",
    }
    verdicts = f"{changed} verdicts changed: {counts[0]} mended, {counts[1]} broken."
    if beyond.value is None:
        noise = f"How much of that is the judge's own noise is not known ({beyond.undefined})."
    elif beyond.low is not None and beyond.low > 0:
        share = f"{100 * beyond.value:.1f} of 100 claims"
        noise = f"Answers differ on {share} beyond the judges' own noise."
    else:
        noise = "That is no more than the judges' own noise from one asking to the next."
    policy = (
        "It is the same judge by its fingerprint: its alert limits hold."
        if same_judge
        else "It is another judge by its fingerprint: derive its alert limits again "
        "('voirdire vary', 'voirdire limits')."
    )
    return heads[answer], verdicts, noise, policy
