"""A canary: frozen claims, asked again, so that a judge that changed shows itself.

The claims are those of the study the policy was made from. Asked again, they tell the judge's own
change apart from everything else; their labels as they stand now, held against those of the
policy, tell a changed guideline. The new answers go to ``canary/`` in the study's folder: the
frozen runs stay what they were.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from voirdire.errors import SealBroken, UsageError
from voirdire.judges import load, read_verdicts, run_judge
from voirdire.labels import references
from voirdire.records import AlertPolicy, Claim, JudgeRun, PolicyResult
from voirdire.store import StudyPaths, claims_digest
from voirdire.studies.repeats import repeats_of
from voirdire.studies.study import Study
from voirdire.studies.variance import guidelines_of

__all__ = ["Canary", "ask_canary"]


@dataclass(frozen=True)
class Canary:
    """Frozen claims with what was said of them then and now.

    Attributes
    ----------
    claims : tuple of Claim, length C
    before : array of str or None, shape (C, R)
        The judge's labels at the calibration.
    now : array of str or None, shape (C,)
        Its labels now.
    labels_before, labels_now : array of str or None, shape (C,)
        Reference labels.
    judge_differs : bool
        Whether the judge's fingerprint is another one.
    guideline_differs : bool
    """

    claims: tuple[Claim, ...]
    before: Any
    now: Any
    labels_before: Any
    labels_now: Any
    judge_differs: bool = False
    guideline_differs: bool = False


def ask_canary(
    study: Study,
    document: PolicyResult,
    policy: AlertPolicy,
    *,
    progress: Callable[[str, int, int], None] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Canary:
    """Ask the policy's own claims again, once.

    Raises
    ------
    UsageError
        If the study has no judge of the policy's name.
    SealBroken
        If the claims are not those of the policy, or a calibration run changed or is gone.
    JudgeUnavailable
        If the judge cannot work.
    """
    if claims_digest(study.claims.claims) != document.claims_sha256:
        raise SealBroken(
            "the canary's claims are not those the policy was made with",
            where=str(study.paths.root),
            todo="name the study the policy comes from, or set new limits",
        )
    before = [
        read_verdicts(study.paths, run_id)
        for run_id in policy.baseline_runs
        if _there(study, run_id)
    ]
    asked = _ask(study, policy, progress, tell)
    after = read_verdicts(StudyPaths(study.paths.root / "canary"), asked.run_id)
    claims = study.claims.claims
    old = repeats_of(claims, before, view=policy.view)
    new = repeats_of(claims, [after], view=policy.view)
    now_labels = references(claims, study.claims.labels, view=policy.view).labels
    return Canary(
        claims=claims,
        before=old.labels,
        now=new.labels[:, 0],
        labels_before=_column(claims, document.reference_labels),
        labels_now=_column(claims, now_labels),
        judge_differs=asked.fingerprint.digest not in policy.fingerprints,
        guideline_differs=guidelines_of(study) != policy.guidelines,
    )


def _there(study: Study, run_id: str) -> bool:
    if study.paths.run_document(run_id).exists():
        return True
    raise SealBroken(
        "a run that the policy rests on is gone",
        where=str(study.paths.run(run_id)),
        todo="restore it from a copy, or set new limits",
    )


def _ask(
    study: Study,
    policy: AlertPolicy,
    progress: Callable[[str, int, int], None] | None,
    tell: Callable[[str], None] | None,
) -> JudgeRun:
    config = next((one for one in study.config.judges if one.name == policy.judge), None)
    if config is None:
        raise UsageError(
            f"the study has no judge {policy.judge!r} to ask again",
            where=str(study.paths.config),
            allowed=", ".join(one.name for one in study.config.judges),
        )
    judge = load(config.use, parameters=config.parameters, folder=study.paths.root)
    try:
        return run_judge(
            judge,
            study.claims.claims,
            paths=StudyPaths(study.paths.root / "canary"),
            config=config,
            repeats=1,
            seed=study.config.seed,
            fresh=True,
            progress=partial(progress, config.name) if progress else None,
            tell=tell,
        )
    finally:
        judge.close()


def _column(claims: tuple[Claim, ...], labels: Mapping[str, object]) -> Any:
    return np.array([labels.get(claim.id) for claim in claims], dtype=object)
