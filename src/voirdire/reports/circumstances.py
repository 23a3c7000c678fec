"""What a study's folder says beside its results, for flags: changed sets, cut inputs, identity.

Nothing here is needed for a page: what is not on disk any more is left empty. One number is made
here and not read, the test of whether failures are random: it is about the very verdicts that
rows.csv lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from voirdire.errors import VoirdireError
from voirdire.labels import StudyClaims, claims_of_study, load_claim_set, references
from voirdire.labels.splits import families_digest
from voirdire.records import (
    AgreementResult,
    DecisionResult,
    Fingerprint,
    JudgeAgreement,
    JudgeRun,
    RunCircumstances,
    StudyCircumstances,
)
from voirdire.store import StudyPaths, read_document, read_lines, read_study

__all__ = ["RANDOM_BELOW", "find_circumstances", "identity_missing", "learned_from"]

RANDOM_BELOW: Final = 0.05
"""Adjusted p-value below which failures are not taken for random."""
_CUT = frozenset({"input_cut", "context_cut", "answer_cut"})
_DRAWS = 999


def find_circumstances(paths: StudyPaths, agreement: AgreementResult) -> StudyCircumstances:
    """What lies on disk beside the results; files that are gone or faulty leave their part empty.

    Parameters
    ----------
    paths : StudyPaths
    agreement : AgreementResult
        Whose runs and sets are looked at.
    """
    claims: StudyClaims | None = None
    with suppress(VoirdireError):  # a report outlives the files it was made from
        claims = claims_of_study(read_study(paths.config), paths.root)
    return StudyCircumstances(
        sets_changed=_sets_changed(claims, agreement),
        guidelines={} if claims is None else _guidelines(claims),
        test_looks=_test_looks(paths),
        runs=tuple(_of_run(paths, judge, claims, agreement) for judge in agreement.judges),
    )


def identity_missing(fingerprint: Fingerprint) -> tuple[str, ...]:
    """What a fingerprint would have to say to tell this judge from a later one.

    A judge without a model is told by its version and parameters; a model needs a revision or the
    hash of its weights; a replay needs the judge it replays.
    """
    if fingerprint.judge == "replay" and not fingerprint.parts:
        return ("judge",)
    if fingerprint.model is None:
        return ()
    found = []
    if fingerprint.revision is None and fingerprint.weights_sha256 is None:
        found.append("revision")
    return tuple(found)


def _sets_changed(claims: StudyClaims | None, agreement: AgreementResult) -> tuple[str, ...]:
    if claims is None:
        return ()
    now = {one.name: one.digest for one in claims.sets}
    then = agreement.provenance.sets
    return tuple(name for name in then if name in now and now[name] != then[name])


def _guidelines(claims: StudyClaims) -> dict[str, int]:
    found = Counter(one.guideline for one in claims.labels if one.guideline)
    return dict(sorted(found.items()))


def _test_looks(paths: StudyPaths) -> int:
    """The how-manieth look at the test split the decision rests on; 0 if it is not known."""
    try:
        look = read_document(paths.result("decision"), DecisionResult).look
    except VoirdireError:
        return 0
    return 0 if look is None else look.number


def _run(paths: StudyPaths, run_id: str) -> JudgeRun | None:
    document = paths.run_document(run_id)
    if not document.is_file():
        return None
    try:
        return read_document(document, JudgeRun)
    except VoirdireError:
        return None


def _of_run(
    paths: StudyPaths,
    judge: JudgeAgreement,
    claims: StudyClaims | None,
    agreement: AgreementResult,
) -> RunCircumstances:
    run = _run(paths, judge.run_id)
    lines = _verdict_lines(paths, judge.run_id)
    return RunCircumstances(
        judge=judge.judge,
        identity_missing=() if run is None else identity_missing(run.fingerprint),
        cut=sum(_is_cut(line) for line in lines),
        verdicts=len(lines),
        failures_go_with={} if claims is None else _gone_with(lines, claims, agreement),
        answer_flags=_answer_flags(lines),
        learned_from={} if run is None or claims is None else learned_from(run.fingerprint, claims),
    )


def learned_from(fingerprint: Fingerprint, claims: StudyClaims) -> dict[str, str]:
    """Which set of the study the judge's model was fitted to, by its name; empty if none."""
    told = fingerprint.parameters.get("trained_on")
    if not isinstance(told, dict):
        return {}
    mine = next((one for one in claims.sets if one.name == told.get("set")), None)
    if mine is None:
        return {}
    split = str(told.get("split", "dev"))
    families, then = "unknown", told.get("families_sha256")
    if then is not None:
        with suppress(VoirdireError):
            splits = load_claim_set(mine.path).splits
            families = "same" if families_digest(splits, split) == then else "changed"
    return {"set": mine.name, "split": split, "families": families}


def _verdict_lines(paths: StudyPaths, run_id: str) -> list[Mapping[str, Any]]:
    path = paths.verdicts(run_id)
    if not path.is_file():
        return []
    try:
        return [line.value for line in read_lines(path) if isinstance(line.value, dict)]
    except VoirdireError:
        return []


def _answer_flags(lines: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    found = Counter(flag for line in lines for flag in set(map(str, line.get("flags") or ())))
    return dict(sorted(found.items()))


def _is_cut(line: Mapping[str, Any]) -> bool:
    flags = line.get("flags") or ()
    return line.get("outcome") == "truncated" or not _CUT.isdisjoint(map(str, flags))


def _gone_with(
    lines: Iterable[Mapping[str, Any]], claims: StudyClaims, agreement: AgreementResult
) -> dict[str, float]:
    """Attributes that missing judgments go with, to their adjusted p-values (first repeat)."""
    outcome = {
        line.get("claim_id"): line.get("outcome") for line in lines if not line.get("repeat")
    }
    asked = [claim for claim in claims.claims if claim.id in outcome]
    failed = [outcome[claim.id] != "judged" for claim in asked]
    if not any(failed) or all(failed):
        return {}
    from voirdire.stats import failure_tests

    reference = references(claims.claims, claims.labels, view=agreement.view)
    tests = failure_tests(
        failed,
        levels={
            "label": [reference.label_of(claim.id) for claim in asked],
            "variant": [claim.variant for claim in asked],
            "language": [claim.language for claim in asked],
        },
        numeric={"length": [sum(map(len, claim.context)) for claim in asked]},
        family=[claim.family for claim in asked],
        rng=agreement.provenance.seed,
        draws=_DRAWS,
    )
    return {
        test.attribute: test.p_adjusted
        for test in tests
        if test.p_adjusted is not None and test.p_adjusted < RANDOM_BELOW
    }
