"""Projects on the server, found by the marker in their description, made where they are not."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from voirdire.errors import UsageError
from voirdire.labels.studio.client import Project, Studio, check_offline
from voirdire.labels.studio.failures import StudioError, UnknownOutcome
from voirdire.labels.studio.screen import canonical
from voirdire.labels.studio.tasks import Sent
from voirdire.records import ProjectKind, PushedProject, PushState

__all__ = ["Wanted", "ensure_project", "find_project", "marker_of", "project_of", "send_missing"]

R = TypeVar("R")
Tell = Callable[[str], None]
BATCH = 500


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a project should be."""

    kind: ProjectKind
    part: int
    title: str
    screen: str
    instruction: str
    overlap: int


def marker_of(key: str, kind: ProjectKind, part: int = 0) -> str:
    """What a project is known by: not its title, which anybody may give to another."""
    tail = ("" if kind == "labels" else f":{kind}") + (f":{part}" if part else "")
    return f"[voirdire:{key[:16]}{tail}]"


def project_of(state: PushState, kind: ProjectKind, part: int = 0) -> PushedProject | None:
    """The project of a kind as we remember it."""
    return next((one for one in state.projects if (one.kind, one.part) == (kind, part)), None)


def find_project(studio: Studio, known: PushedProject) -> Project:
    """A project we pushed to, as it is now.

    Raises
    ------
    StudioError
        If it is gone, or the number now belongs to another project.
    """
    found = studio.project(known.id)
    if found is None or known.marker not in found.description:
        others = studio.marked(known.marker)
        found = studio.project(others[0]) if others else None
    if found is None:
        raise StudioError(
            f"project {known.id} is gone: no project's description holds {known.marker}",
            where=studio.url,
            allowed="the server that was pushed to, and a description that still has its marker",
            todo="put the marker back if it was edited away; if the project was deleted, its "
            "labels are in labels.jsonl and in studio/archive: push with --new-project to go on",
        )
    return found


def ensure_project(
    studio: Studio, key: str, wanted: Wanted, known: PushedProject | None, *, tell: Tell
) -> PushedProject:
    """Find or make a project, and bring its screen and settings up to date.

    A screen is put to the client's parser and to the server before it is used: the server refuses
    one that would make labels invalid that were given already.

    Raises
    ------
    StudioError
        If the server refuses, or a project that we knew is gone.
    """
    check_offline(wanted.screen)
    marker = marker_of(key, wanted.kind, wanted.part)
    if known is not None:
        project = find_project(studio, known)
    else:
        project = _found_or_made(studio, marker, wanted)
    if canonical(project.screen) != canonical(wanted.screen):
        tell(f"the labelling screen of project {project.id} differs: it is put back as wanted")
        studio.validate(project.id, wanted.screen)
        studio.update(project.id, label_config=wanted.screen)
    if (project.instruction, project.overlap) != (wanted.instruction, wanted.overlap):
        studio.update(
            project.id,
            expert_instruction=wanted.instruction,
            show_instruction=True,
            maximum_annotations=wanted.overlap,
        )
    return PushedProject(kind=wanted.kind, part=wanted.part, marker=marker, id=project.id)


def _found_or_made(studio: Studio, marker: str, wanted: Wanted) -> Project:
    found = studio.marked(marker)
    if len(found) > 1:
        raise StudioError(
            f"projects {', '.join(map(str, found))} carry the same marker {marker}",
            where=studio.url,
            todo="take the marker out of the copies' descriptions, then run again",
        )
    project_id = found[0] if found else _make(studio, marker, wanted)
    project = studio.project(project_id)
    if project is None:
        raise StudioError(f"project {project_id} is gone as soon as made", where=studio.url)
    return project


def _make(studio: Studio, marker: str, wanted: Wanted) -> int:
    try:
        return studio.create(
            title=wanted.title,
            description=f"Claims to be judged by their context. Leave this mark: {marker}",
            label_config=wanted.screen,
            expert_instruction=wanted.instruction,
            show_instruction=True,
            maximum_annotations=wanted.overlap,
            show_collab_predictions=False,
            show_skip_button=True,
            enable_empty_annotation=False,
            sampling="Uniform sampling",
        )
    except UnknownOutcome:
        # It may have been made all the same; only the marker can tell.
        found = _awaited(lambda: studio.marked(marker), seconds=10.0)
        if not found:
            raise
        return found[0]


def send_missing(
    studio: Studio,
    project_id: int,
    items: Sequence[Sent],
    *,
    votes: dict[str, list[dict[str, str]]] | None = None,
    batch: int = BATCH,
    patience: float = 120.0,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Import the items that the project lacks; returns how many.

    Parameters
    ----------
    studio, project_id
    items : sequence of Sent
        In the order they are to have.
    votes : dict, optional
        Item to the rows of its table; only outside independent labelling.
    batch : int
        Tasks in a request.
    patience : float
        Seconds to look for a batch whose import got no answer.
    progress : callable, optional
        Called with items done and items wanted.

    Raises
    ------
    StudioError
        If the server refuses, or a batch without an answer does not turn up. What is there stays
        and the next push goes on from it.
    """
    if batch < 1:
        raise UsageError(f"--batch must be at least 1, got {batch}")
    there = {row.item for row in studio.tasks(project_id)}
    missing = [sent for sent in items if sent.item.item not in there]
    for start in range(0, len(missing), batch):
        part = missing[start : start + batch]
        rows = [
            {**sent.data(), **({"votes": votes[sent.item.item]} if votes else {})} for sent in part
        ]
        try:
            studio.send(project_id, rows)
        except UnknownOutcome as error:
            _await_batch(studio, project_id, part, patience, error)
        if progress:
            progress(min(start + batch, len(missing)), len(missing))
    return len(missing)


def _await_batch(
    studio: Studio,
    project_id: int,
    part: Sequence[Sent],
    patience: float,
    error: UnknownOutcome,
) -> None:
    """Wait until a batch is there: an import is carried out whole or not at all."""
    wanted = {sent.item.item for sent in part}

    def all_there() -> bool:
        return wanted <= {row.item for row in studio.tasks(project_id)}

    if not _awaited(all_there, seconds=patience):
        raise StudioError(
            f"a batch of {len(part):,} tasks got no answer and is not there ({error.fault.what})",
            where=studio.url,
            todo="run push again in a minute: it sends only what is missing then",
        ) from None


def _awaited(look: Callable[[], R], *, seconds: float) -> R:
    """Look again and again, more and more seldom, until there is something or time is up."""
    end, wait = time.monotonic() + seconds, 0.2
    while True:
        try:
            found = look()
        except StudioError:
            if time.monotonic() > end:
                raise
        else:
            if found or time.monotonic() > end:
                return found
        time.sleep(wait)
        wait = min(wait * 1.6, 5.0)
