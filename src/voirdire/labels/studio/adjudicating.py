"""Disagreements to a person who settles them; suspected label errors to a blind second look.

Three kinds of project beside the one of independent labels:

- *adjudication*: claims on which people differ, with their votes, nameless and shuffled. A
  decision names the labels it decides on. When one of them changes the decision is stale: it is
  recorded as gone and the claim goes up again.
- *second look*: claims on which several independent judges agree against people, shown as at the
  first time, without any vote. The answer is no vote and settles nothing; where it differs from
  people the claim is adjudicated, marked as a second look.
- *review*: claims with the judges' verdicts, only after labelling is closed. What people say
  there is kept apart and never becomes a label.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from voirdire.errors import UsageError
from voirdire.labels.studio.connection import Server
from voirdire.labels.studio.hearing import hear
from voirdire.labels.studio.layout import StudioPaths
from voirdire.labels.studio.plans import (
    redaction_of,
)
from voirdire.labels.studio.progress import status_of
from voirdire.labels.studio.pulling import (
    append_records,
    fetch,
    read_codes,
    read_records,
)
from voirdire.labels.studio.recording import changes_to
from voirdire.labels.studio.side_projects import (
    AdjudicationReport,
    Candidate,
    SideProject,
    disputed,
)
from voirdire.store import exclusive

__all__ = [
    "adjudicate",
    "review_with_judges",
    "second_look",
]


def adjudicate(
    folder: Path,
    server: Server,
    *,
    send: bool = True,
    batch: int = 500,
    patience: float = 120.0,
    tell: Callable[[str], None] = lambda _: None,
) -> AdjudicationReport:
    """Send disagreements to the adjudication project, and fetch the decisions made there.

    Decisions are appended to labels.jsonl in the role ``adjudicator``; each names the labels it
    decides on.

    Parameters
    ----------
    folder : Path
        Of the claim set.
    server : Server
    send : bool
        Whether new disagreements go up; decisions are fetched either way.
    batch, patience
        As for `push`.
    tell : callable
        Takes messages for the user.

    Raises
    ------
    UsageError
        If nothing was pushed.
    StudioError
        If the server refuses or fails; nothing is written then but what was sent.
    """
    paths = StudioPaths.of(folder)
    with exclusive(paths.lock):
        side = SideProject.open(folder, server, "adjudication")
        looks = read_records(paths.second_looks)
        candidates = disputed(
            side.claim_set.claims,
            side.claim_set.labels,
            looks,
            redaction=redaction_of(side.claim_set),
        )
        side, sent = side.sent(candidates, batch, patience, tell) if send else (side, 0)
        marks = {name for one in candidates if one.second_look for name in one.decides}
        decisions, unused = side.heard("adjudicator", marks)
        existing = [one for one in side.claim_set.labels if one.role == "adjudicator"]
        changes = changes_to(existing, decisions, why_gone=side.why_gone)
        append_records(paths.claim_set.labels, changes.records)
        decided = sum(one.status == "labelled" for one in decisions)
        return AdjudicationReport(
            kind="adjudication",
            candidates=len(candidates),
            sent=sent,
            decided=decided,
            new=changes.new,
            changed=changes.changed,
            stale=changes.gone,
            open=len(candidates) - decided,
            link=side.link,
            unused=tuple(unused),
            notes=tuple(side.notes(decisions)),
        )


def second_look(
    folder: Path,
    server: Server,
    claim_ids: Sequence[str],
    *,
    batch: int = 500,
    patience: float = 120.0,
    tell: Callable[[str], None] = lambda _: None,
) -> AdjudicationReport:
    """Send claims to a blind second look, and fetch what was said on earlier ones.

    Parameters
    ----------
    claim_ids : sequence of str
        Claims on which several independent judges agree against people. Which judges, and what
        they said, does not go up.

    Raises
    ------
    UsageError
        If a claim is not in the set.
    """
    paths = StudioPaths.of(folder)
    with exclusive(paths.lock):
        side = SideProject.open(folder, server, "second_look")
        candidates = [Candidate(name, second_look=True) for name in claim_ids]
        side, sent = side.sent(candidates, batch, patience, tell)
        return side.kept_apart(paths.second_looks, candidates, sent)


def review_with_judges(
    folder: Path,
    server: Server,
    verdicts: Mapping[str, Mapping[str, str]],
    *,
    batch: int = 500,
    patience: float = 120.0,
    tell: Callable[[str], None] = lambda _: None,
) -> AdjudicationReport:
    """Show judges' verdicts to people, in a project of its own, once labelling is closed.

    Parameters
    ----------
    verdicts : mapping
        Claim id to judge to verdict.

    Raises
    ------
    UsageError
        If labels are still missing: who has seen a judge is no independent annotator any more.
    """
    paths = StudioPaths.of(folder)
    with exclusive(paths.lock):
        side = SideProject.open(folder, server, "review")
        heard = hear(side.claim_set, side.state, fetch(side.studio, side.state), read_codes(paths))
        far = status_of(side.state, heard)
        if far.given < far.wanted:
            raise UsageError(
                f"labelling is not closed: {far.given:,} of {far.wanted:,} labels are given",
                where=str(folder),
                todo="finish labelling first; people who have seen a judge's verdict no longer "
                "label independently",
            )
        candidates = [
            Candidate(
                name,
                decides=tuple(f"{judge}={said[judge]}" for judge in sorted(said)),
                votes=tuple({"judge": judge, "verdict": said[judge]} for judge in sorted(said)),
            )
            for name, said in verdicts.items()
        ]
        side, sent = side.sent(candidates, batch, patience, tell)
        return side.kept_apart(paths.reviews, candidates, sent)
