"""A set that changed: what a judge said of claims that did not change is not asked again.

A verdict line holds a digest of the text and context it answers. A claim whose id and digest are
those of an earlier run of the same judge keeps all its repeats; one that is shown otherwise now, by
so much as the order of its chunks, is asked anew. Runs of versions without these digests name
their claims by one digest over all of them only: there the verdicts stand if every claim does.

This is sound because a judge answers each claim by itself, which is its contract and is probed:
neither its neighbours nor order nor id may move an answer. A judge that is shown several claims at
once (a batch in one prompt, pairs rounded on one scale) does not keep to that: its groups follow
from the whole set, so one changed claim puts others beside it, and a claim that stands would be
asked in other company. Such a judge says ``answers_alone = False``, and all is asked again. A
failure is taken over as well: asking only the failed ones again would flatter the judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from voirdire.judges.protocol import Judge
from voirdire.judges.runs import lines_of, verify_seal
from voirdire.records import Claim, JudgeRun, Reuse
from voirdire.store import StudyPaths, claims_digest, shown_digest

__all__ = ["REUSED", "Reusable", "answers_alone", "find_reusable", "taken_over"]

REUSED: Final = "reused"
"""Flag of a verdict that an earlier run gave; its time, cost and tokens are those of then."""


class Reusable(NamedTuple):
    """Verdicts of an earlier run that still hold, and what became of its claims.

    Attributes
    ----------
    run : JudgeRun
        The earlier one.
    lines : list of dict
        Of the claims that stand, each with its digest.
    reuse : Reuse
    """

    run: JudgeRun
    lines: list[dict[str, Any]]
    reuse: Reuse


def answers_alone(judge: Judge) -> bool:
    """Whether a judge answers each claim without seeing others; a judge may say it does not."""
    return bool(getattr(judge, "answers_alone", True))


def find_reusable(
    runs: Sequence[JudgeRun],
    claims: Sequence[Claim],
    *,
    paths: StudyPaths,
    judge: str,
    fingerprint: str,
    repeats: int,
) -> Reusable | None:
    """The earlier run with most claims that still stand, by the same judge, as often repeated.

    Parameters
    ----------
    runs : sequence of JudgeRun
        The latest first; of equals the latest is taken.
    claims : sequence of Claim
        As they are now.
    paths : StudyPaths
    judge, fingerprint : str
        Name in the study and digest of the identity; both must be the same.
    repeats : int
        Must be the same, so that the repeats of one claim are of one session.

    Raises
    ------
    SealBroken
        If the run that would be taken has been changed.
    InputError
        If a line of an earlier run is damaged.
    """
    alike = [
        run
        for run in runs
        if run.seal is not None
        and (run.judge, run.fingerprint.digest, run.repeats) == (judge, fingerprint, repeats)
    ]
    shown = (
        {claim.id: shown_digest(claim.claim, claim.context) for claim in claims} if alike else {}
    )
    best: Reusable | None = None
    for run in sorted(alike, key=lambda run: -run.n_claims):
        if best is not None and run.n_claims <= best.reuse.reused:
            break
        found = _standing(run, claims, shown, paths)
        if found.reuse.reused > (best.reuse.reused if best else 0):
            best = found
    if best is not None:
        verify_seal(paths, best.run)
    return best


def taken_over(line: dict[str, Any], run_id: str) -> dict[str, Any]:
    """A verdict line of an earlier run as one of a new run, flagged."""
    flags = [*(flag for flag in line.get("flags", ()) if flag != REUSED), REUSED]
    return {**line, "run_id": run_id, "flags": flags}


def _standing(
    run: JudgeRun, claims: Sequence[Claim], shown: Mapping[str, str], paths: StudyPaths
) -> Reusable:
    """The verdicts of one run on claims that are shown as they were."""
    by_claim: dict[str, list[dict[str, Any]]] = {}
    for line in lines_of(paths.verdicts(run.run_id)):
        by_claim.setdefault(line["claim_id"], []).append(line)
    if any("shown" not in line for lines in by_claim.values() for line in lines):
        standing = [claim for claim in claims if claim.id in by_claim]
        if len(standing) == run.n_claims and claims_digest(standing) == run.claims_sha256:
            for claim in standing:  # proven as a whole: from now on each by itself
                for line in by_claim[claim.id]:
                    line["shown"] = shown[claim.id]
    kept = [
        claim_id
        for claim_id, lines in by_claim.items()
        if claim_id in shown
        and {line.get("shown") for line in lines} == {shown[claim_id]}
        and sorted(line["repeat"] for line in lines) == list(range(run.repeats))
    ]
    known = sum(claim.id in by_claim for claim in claims)
    reuse = Reuse(
        run_id=run.run_id,
        reused=len(kept),
        changed=known - len(kept),
        new=len(claims) - known,
        dropped=len(by_claim) - known,
    )
    return Reusable(run, [line for name in kept for line in by_claim[name]], reuse)
