"""Claims up to the server: blind, shuffled, in batches, and never twice."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from voirdire.errors import UsageError
from voirdire.labels.claim_set import ClaimSet, load_claim_set
from voirdire.labels.studio.client import Studio
from voirdire.labels.studio.connection import Server, public_url
from voirdire.labels.studio.guideline import as_html, guideline_digest, guideline_text
from voirdire.labels.studio.layout import StudioPaths
from voirdire.labels.studio.plans import (
    SENT_NEVER,
    PushOptions,
    PushPlan,
    PushReport,
    label_space_of,
    project_title,
    redaction_of,
)
from voirdire.labels.studio.projects import (
    Wanted,
    ensure_project,
    project_of,
    send_missing,
)
from voirdire.labels.studio.screen import (
    TASK_FIELDS,
    canonical,
    check_screen,
    labelling_screen,
    read_screen,
)
from voirdire.labels.studio.tasks import Sent, planted, send_order, sent_items
from voirdire.records import GuidelineUse, PushedProject, PushState
from voirdire.store import exclusive, json_digest, read_document, write_document, write_text

__all__ = [
    "plan_push",
    "push",
]


def plan_push(folder: Path, options: PushOptions | None = None) -> PushPlan:
    """What a push would send; asks no server and writes nothing.

    Raises
    ------
    UsageError, InputError, ClaimSetError
        As `push`.
    """
    options = options or PushOptions()
    prepared = _prepare(folder, options, server="")
    items = prepared.items
    return PushPlan(
        tasks=len(items),
        projects=max(prepared.state.per_annotator, 1),
        planted=sum(sent.item.copy_number > 0 for sent in items),
        redactions=sum(sent.text.redactions for sent in items),
        fields=TASK_FIELDS,
        never_sent=SENT_NEVER,
        preview=tuple(sent.data() for sent in send_order(items, key=prepared.state.key)[:3]),
    )


def push(
    folder: Path,
    server: Server,
    options: PushOptions | None = None,
    *,
    tell: Callable[[str], None] = lambda _: None,
    progress: Callable[[int, int], None] | None = None,
) -> PushReport:
    """Send a claim set to Label Studio, or what is new in it.

    Parameters
    ----------
    folder : Path
        Of the claim set.
    server : Server
    options : PushOptions, optional
    tell : callable
        Takes messages for the user.
    progress : callable, optional
        Called with tasks sent and tasks to send.

    Raises
    ------
    UsageError
        If an option contradicts what was pushed before, or another server is meant.
    ClaimSetError, InputError
        If the set or the screen has faults.
    StudioError
        If the server is not there, refuses or fails. Running again goes on where it stood.
    """
    options = options or PushOptions()
    paths = StudioPaths.of(folder)
    load_claim_set(folder)  # before the folder of the lock is made
    with exclusive(paths.lock):
        prepared = _prepare(folder, options, server=public_url(server.url))
        studio = Studio(server)
        studio.check()
        state = _same_server(studio, prepared.state, options)
        _keep(paths, state, prepared.guideline)  # the key first: ids hang on it
        sent: list[int] = []
        there: list[str] = []
        for part in _parts(state):
            wanted = _wanted(prepared, part, options)
            known = None if options.new_project else project_of(state, "labels", part)
            project = ensure_project(studio, state.key, wanted, known, tell=tell)
            state = _with_project(state, project)
            write_document(paths.push, state)
            there += [row.item for row in studio.tasks(project.id)]
            number = send_missing(
                studio,
                project.id,
                send_order(prepared.items, key=state.key, part=part),
                batch=options.batch,
                patience=options.patience,
                progress=progress,
            )
            sent.append(number)
        return _report(studio.url, state, prepared.items, sent, there)


def _report(
    url: str, state: PushState, items: list[Sent], sent: list[int], there: list[str]
) -> PushReport:
    ours = {one.item.item for one in items}
    old = {item.item for item in state.items if item.kind == "labels"} - ours
    outdated = sum(item in old for item in there)
    foreign = sum(item not in ours and item not in old for item in there)
    projects = tuple(one.id for one in state.projects if one.kind == "labels")
    return PushReport(
        projects=projects,
        added=sum(sent),
        there=len(ours) * len(sent) - sum(sent),
        outdated=outdated,
        foreign=foreign,
        links=tuple(f"{url}/projects/{number}/data?labeling=1" for number in projects),
        notes=_notes(state, outdated, foreign),
    )


@dataclass(frozen=True, slots=True)
class _Prepared:
    claim_set: ClaimSet
    state: PushState
    items: list[Sent]
    screen: str
    guideline: str


def _prepare(folder: Path, options: PushOptions, *, server: str) -> _Prepared:
    """Everything that can be known, and refused, without the server."""
    claim_set = load_claim_set(folder)
    paths = StudioPaths(claim_set.paths)
    space = label_space_of(claim_set.claims, str(folder))
    screen = read_screen(options.screen, space) if options.screen else labelling_screen(space)
    check_screen(screen, fields=TASK_FIELDS, space=space)
    guideline = guideline_text(
        claim_set.paths, named=claim_set.info.guideline, given=options.guideline, space=space
    )
    old = read_document(paths.push, PushState) if paths.push.is_file() else None
    state = _state(claim_set, options, old, server)
    copies = planted(
        claim_set.claims,
        share=state.duplicates,
        key=state.key,
        already=[item.claim_id for item in state.items if item.copy_number],
    )
    items = sent_items(
        claim_set.claims, key=state.key, redaction=redaction_of(claim_set), copies=copies
    )
    known = {item.item for item in state.items}
    fresh = tuple(sent.item for sent in items if sent.item.item not in known)
    digest = guideline_digest(guideline)
    uses = state.guidelines
    if not uses or uses[-1].sha256 != digest:
        uses = (*uses, GuidelineUse(sha256=digest, since=datetime.now(UTC)))
    state = state.model_copy(
        update={
            "items": (*state.items, *fresh),
            "guidelines": uses,
            "screen_sha256": json_digest(canonical(screen)),
        }
    )
    return _Prepared(claim_set, state, items, screen, guideline)


def _state(
    claim_set: ClaimSet, options: PushOptions, old: PushState | None, server: str
) -> PushState:
    if old is None:
        per_annotator = options.per_annotator or 0
        return PushState(
            set=claim_set.name,
            server=server,
            key=secrets.token_hex(16),
            per_annotator=per_annotator,
            overlap=_overlap(options.overlap or (1 if per_annotator else 2), per_annotator),
            duplicates=options.duplicates or 0.0,
        )
    if options.per_annotator is not None and options.per_annotator < old.per_annotator:
        _refuse_mode(old)
    if options.per_annotator is not None and bool(options.per_annotator) != bool(old.per_annotator):
        _refuse_mode(old)
    per_annotator = options.per_annotator or old.per_annotator
    change: dict[str, Any] = {"per_annotator": per_annotator}
    if options.overlap is not None:
        change["overlap"] = _overlap(options.overlap, per_annotator)
    if options.duplicates is not None:
        change["duplicates"] = options.duplicates
    return old.model_copy(update=change)


def _overlap(overlap: int, per_annotator: int) -> int:
    if per_annotator and overlap != 1:
        raise UsageError(
            f"--overlap {overlap} does not go with --per-annotator",
            allowed="a project for each annotator (overlap 1), or one project with an overlap",
        )
    return overlap


def _refuse_mode(old: PushState) -> None:
    was = f"{old.per_annotator} projects of one annotator" if old.per_annotator else "one project"
    raise UsageError(
        f"the set was pushed as {was}, which cannot be turned or made fewer",
        todo="leave --per-annotator out, or push a copy of the claim set under another name",
    )


def _same_server(studio: Studio, state: PushState, options: PushOptions) -> PushState:
    """One server may have several addresses: it is the same if our project is there."""
    if not state.server or state.server == studio.url or not state.projects:
        return state.model_copy(update={"server": studio.url})
    if options.new_project or any(studio.marked(one.marker) for one in state.projects):
        return state.model_copy(update={"server": studio.url})
    raise UsageError(
        f"the set was pushed to {state.server}, and its project is not at {studio.url}",
        todo="name that server in LABEL_STUDIO_URL, or begin anew there with --new-project",
    )


def _keep(paths: StudioPaths, state: PushState, guideline: str) -> None:
    write_document(paths.push, state)
    kept = paths.guidelines / f"{guideline_digest(guideline)[:16]}.md"
    if not kept.is_file():
        write_text(kept, guideline)


def _parts(state: PushState) -> range:
    return range(1, state.per_annotator + 1) if state.per_annotator else range(1)


def _wanted(prepared: _Prepared, part: int, options: PushOptions) -> Wanted:
    return Wanted(
        kind="labels",
        part=part,
        title=project_title(options.title or prepared.claim_set.name, part),
        screen=prepared.screen,
        instruction=as_html(prepared.guideline),
        overlap=prepared.state.overlap,
    )


def _with_project(state: PushState, project: PushedProject) -> PushState:
    others = [one for one in state.projects if (one.kind, one.part) != (project.kind, project.part)]
    return state.model_copy(update={"projects": (*others, project)})


def _notes(state: PushState, outdated: int, foreign: int) -> tuple[str, ...]:
    notes = []
    if outdated:
        notes.append(
            f"{outdated:,} tasks on the server belong to claims that changed or went: annotators "
            "need not finish them, and labels on them do not count"
        )
    if foreign:
        notes.append(f"{foreign:,} tasks in the project are not ours and are passed over")
    if not state.per_annotator and state.overlap > 1:
        notes.append(
            "in the open edition annotators of one project can see each other's labels in the "
            "Data Manager: give them the link above; --per-annotator keeps them truly apart"
        )
    return tuple(notes)
