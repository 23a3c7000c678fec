"""A set that grew: what a judge said of the claims that did not change is not asked again.

A run names its claims by one digest over all of them. If the claims it judged still stand in the
set, in their order and to the letter, the digest over them is that same one; this is the proof that
their verdicts may be taken over. If one of them was edited or removed there is no such proof, and
every claim is asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from voirdire.judges.runs import lines_of, verify_seal
from voirdire.records import Claim, JudgeRun
from voirdire.store import StudyPaths, claims_digest

__all__ = ["REUSED", "Reusable", "find_reusable", "taken_over"]

REUSED: Final = "reused"
"""Flag of a verdict that an earlier run gave; its time, cost and tokens are those of then."""


class Reusable(NamedTuple):
    """An earlier run whose verdicts still hold, and its lines."""

    run: JudgeRun
    lines: list[dict[str, Any]]


def find_reusable(
    runs: Sequence[JudgeRun],
    claims: Sequence[Claim],
    *,
    paths: StudyPaths,
    judge: str,
    fingerprint: str,
    repeats: int,
) -> Reusable | None:
    """The largest earlier run over a part of these claims, by the same judge, as often repeated.

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
        If one of its lines is damaged.
    """
    alike = [
        run
        for run in runs
        if run.seal is not None
        and (run.judge, run.fingerprint.digest, run.repeats) == (judge, fingerprint, repeats)
        and run.n_claims < len(claims)
    ]
    for run in sorted(alike, key=lambda run: -run.n_claims):
        lines = list(lines_of(paths.verdicts(run.run_id)))
        ids = {line["claim_id"] for line in lines}
        standing = [claim for claim in claims if claim.id in ids]
        if len(standing) == run.n_claims and claims_digest(standing) == run.claims_sha256:
            verify_seal(paths, run)
            return Reusable(run, lines)
    return None


def taken_over(line: dict[str, Any], run_id: str) -> dict[str, Any]:
    """A verdict line of an earlier run as one of a new run, flagged."""
    flags = [*(flag for flag in line.get("flags", ()) if flag != REUSED), REUSED]
    return {**line, "run_id": run_id, "flags": flags}
