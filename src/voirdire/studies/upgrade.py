"""An incumbent's upgrade: two runs on the same claims, verdict by verdict.

A judge that is asked twice differs from itself; an upgrade is only seen in what differs beyond
that. With repeats in both runs, the share of differing answers between an asking of the old and one
of the new, less the mean share within each, is 0 in expectation when nothing but noise moved and
positive otherwise (half the squared distance of the two judges' answer distributions, claim by
claim). Whether the new judge will do is a question of its own: not worse by more than a margin that
is fixed beforehand; and whether the alert policy of the old one holds for it is a third
(`voirdire.studies.policy_check`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voirdire import stats
from voirdire.errors import NotEnoughEvidence, UsageError
from voirdire.judges import VerdictColumns, read_runs, read_verdicts
from voirdire.labels import references, resolve_view
from voirdire.records import AlertPolicy, Estimate, Gate, JudgeRun, PolicyResult, Signal
from voirdire.records.upgrade import (
    ChangedVerdict,
    PolicyAnswer,
    PolicyCheck,
    UpgradeAnswer,
    UpgradeResult,
)
from voirdire.stats.family_mean import family_mean
from voirdire.store import StudyPaths, claims_digest, read_document
from voirdire.studies import measures
from voirdire.studies.alignment import Aligned, align
from voirdire.studies.comparing import answers_of
from voirdire.studies.policy_check import check_policy, in_all, not_checked
from voirdire.studies.repeats import asked_in, repeats_of
from voirdire.studies.study import Study, open_study
from voirdire.studies.variance import guidelines_of, judge_variance

__all__ = ["compare_runs", "upgrade"]

ACCURACY_MARGIN, KAPPA_MARGIN = 0.05, 0.10
_NO_REPEATS = "asked once: a judge's own noise needs repeats in both runs"


def compare_runs(
    old: Path,
    new: Path,
    *,
    accuracy_margin: float = ACCURACY_MARGIN,
    kappa_margin: float = KAPPA_MARGIN,
    policy: Path | None = None,
    signals: Sequence[Signal] = (),
) -> UpgradeResult:
    """Compare two runs by their folders, ``reports/<study>/runs/<run_id>``.

    Labels are those of the study the new run lies in.

    Parameters
    ----------
    old, new : Path
    accuracy_margin, kappa_margin : float
        How much worse would still do, > 0.
    policy : Path, optional
        Alert policies of the old judge; default the study's own ``results/policy.json``, if there.
    signals : sequence of Signal
        Policies to check; empty: all of the old judge. Their bounds hold together, so that fewer
        are judged more sharply.

    Raises
    ------
    UsageError
        If a folder is no run of a study, a run is not finished, or the policy file holds no policy
        of the old judge.
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
    found = upgrade(
        *aligned,
        old=first.run.run_id,
        new=second.run.run_id,
        same_judge=first.run.fingerprint.digest == second.run.fingerprint.digest,
        level=study.limits.level,
        margins=(accuracy_margin, kappa_margin),
    )
    path = policy or study.paths.result("policy")
    if policy is None and not path.exists():
        return found
    checks = _checks(study, path, first.run, second.run, signals, named=policy is not None)
    return _with_policies(found, checks) if checks else found


def _checks(
    study: Study,
    path: Path,
    old: JudgeRun,
    new: JudgeRun,
    signals: Sequence[Signal],
    *,
    named: bool,
) -> tuple[PolicyCheck, ...]:
    """Every policy of the old judge, held against all repeats of the new one."""
    document = read_document(path, PolicyResult)
    ours = [one for one in document.policies if old.fingerprint.digest in one.fingerprints]
    meant = [one for one in ours if not signals or one.signal in signals]
    if not meant:
        if not named and not signals:
            return ()
        raise UsageError(
            "the file holds no alert policy of the judge in use" + (" and signal" if ours else ""),
            where=str(path),
            allowed=", ".join(f"{one.judge}/{one.signal}" for one in document.policies),
            todo="name the policy file made for the first run's judge, and its signals",
        )
    if document.claims_sha256 != claims_digest(study.claims.claims):
        why = "the policy was made with other claims than these"
        return tuple(not_checked(one, why, answer="derive_again") for one in meant)
    return tuple(_check(study, one, new, level=1 - 0.05 / len(meant)) for one in meant)


def _check(study: Study, policy: AlertPolicy, new: JudgeRun, *, level: float) -> PolicyCheck:
    view = resolve_view(study.config.view, study.claims.claims)
    if (policy.view, policy.guidelines) != (view, guidelines_of(study)):
        why = "the policy was made with another view of the labels or another guideline"
        return not_checked(policy, why, answer="derive_again")
    if new.run_id in policy.baseline_runs:
        why = "the policy rests on this very run"
        return not_checked(policy, why, answer="holds", runs=[new.run_id])
    alike = [
        run
        for run in reversed(read_runs(study.paths))  # the oldest first
        if run.seal is not None
        and run.fingerprint.digest == new.fingerprint.digest
        and run.claims_sha256 == new.claims_sha256
        and run.run_id not in policy.baseline_runs
    ]
    repeats = repeats_of(study.claims.claims, asked_in(study, alike), view=view)
    if len(repeats.sessions) < 2:
        why = (
            "the new judge was asked once, or its repeats came from a cache: "
            f"'voirdire run {study.paths.root} --repeats 5 --fresh', and once more on another day"
        )
        return not_checked(policy, why, answer="too_few_repeats", runs=[new.run_id])
    reference = references(study.claims.claims, study.claims.labels, view=view).labels
    return check_policy(
        policy, judge_variance(repeats, view=view, reference=reference), level=level
    )


def _with_policies(found: UpgradeResult, checks: tuple[PolicyCheck, ...]) -> UpgradeResult:
    answer = in_all([one.answer for one in checks])
    grave = ", ".join(one.signal for one in checks if one.answer == answer)
    said: dict[PolicyAnswer, str] = {
        "holds": f"The alert policy holds for the new judge, by its own repeats ({grave}).",
        "derive_again": f"The alert policy does not hold for the new judge ({grave}): derive it "
        "again ('voirdire vary', 'voirdire limits').",
        "too_few_repeats": "Whether the alert policy holds for the new judge, its repeats are not "
        f"enough to tell ({grave}).",
    }
    sentences = (*found.sentences[:-1], said[answer])
    return found.model_copy(update={"policy": answer, "policies": checks, "sentences": sentences})


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
