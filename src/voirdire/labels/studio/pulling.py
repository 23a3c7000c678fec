"""Labels down from the server: a whole dump, kept with its hash, then pure functions.

Nothing on the server is trusted to stay: the dump is the evidence, ``labels.jsonl`` is made from
it by appending, and what no longer stands is recorded as gone, never removed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from voirdire.errors import UsageError
from voirdire.labels.claim_set import ClaimSet, load_claim_set
from voirdire.labels.studio.client import Studio
from voirdire.labels.studio.connection import Server
from voirdire.labels.studio.failures import StudioError
from voirdire.labels.studio.hearing import Dump, Heard, hear
from voirdire.labels.studio.layout import StudioPaths
from voirdire.labels.studio.normalising import (
    scrubbed,
)
from voirdire.labels.studio.plans import read_state
from voirdire.labels.studio.projects import find_project
from voirdire.labels.studio.recording import (
    Changes,
    changes_to,
    standing_heads,
)
from voirdire.labels.studio.screen import canonical
from voirdire.labels.writing import label_line
from voirdire.records import (
    Archive,
    LabelRecord,
    PersonCodes,
    PullResult,
    PushState,
    UnusedAnnotation,
)
from voirdire.store import (
    Appender,
    exclusive,
    json_digest,
    read_document,
    read_lines,
    write_bytes,
    write_document,
)

__all__ = [
    "DELETED",
    "append_records",
    "fetch",
    "keep_archive",
    "pull",
    "pull_file",
    "read_codes",
    "read_records",
]

DELETED: Final = "deleted on the server"
_MANY_GONE, _MANY_SHARE = 5, 0.5


def pull(
    folder: Path,
    server: Server,
    *,
    with_emails: bool = False,
    accept_deletions: bool = False,
) -> PullResult:
    """Fetch what people labelled and append it to labels.jsonl.

    Parameters
    ----------
    folder : Path
        Of the claim set.
    server : Server
    with_emails : bool
        Write e-mails beside the codes into studio/annotators.json.
    accept_deletions : bool
        Go on even if most labels have gone from the server.

    Raises
    ------
    UsageError
        If nothing was pushed, or most labels would be recorded as gone.
    StudioError
        If the server or the project is not there, or a dump cannot be had whole. Nothing is
        written then.
    """
    paths = StudioPaths.of(folder)
    with exclusive(paths.lock):
        state = read_state(paths)
        claim_set = load_claim_set(folder)
        studio = Studio(server)
        studio.check()
        dumps = fetch(studio, state)
        heard = hear(claim_set, state, dumps, read_codes(paths))
        codes = heard.codes
        if with_emails:
            emails = studio.emails()
            people = [
                one.model_copy(update={"email": emails.get(one.user or 0)}) for one in codes.people
            ]
            codes = PersonCodes(people=tuple(people))
        labels, repeats = _changes(paths, claim_set, heard, whole=True)
        if not accept_deletions:
            _refuse_many_gone(labels, claim_set.labels, folder)
        archives = tuple(keep_archive(paths, dump, "labels") for dump in dumps)
        return _write(paths, state, heard, codes, labels, repeats, archives)


def pull_file(folder: Path, tasks: Sequence[Mapping[str, Any]]) -> PullResult:
    """The same from an export that somebody made by hand on the server; it needs neither.

    Labels that the export does not hold stand: it may be a part.

    Raises
    ------
    UsageError
        If nothing of the set was pushed.
    """
    paths = StudioPaths.of(folder)
    with exclusive(paths.lock):
        state = read_state(paths)
        claim_set = load_claim_set(folder)
        by_project: dict[int, list[dict[str, Any]]] = {}
        for task in scrubbed(tasks):
            by_project.setdefault(int(task.get("project") or 0), []).append(task)
        dumps = [Dump(number, 0, found, False) for number, found in sorted(by_project.items())]
        heard = hear(claim_set, state, dumps, read_codes(paths))
        labels, repeats = _changes(paths, claim_set, heard, whole=False)
        archives = tuple(keep_archive(paths, dump, "labels") for dump in dumps)
        return _write(paths, state, heard, heard.codes, labels, repeats, archives)


def fetch(studio: Studio, state: PushState) -> list[Dump]:
    """A dump of every project of independent labels.

    Raises
    ------
    StudioError
        If a project is gone, or went while it was read.
    """
    found = []
    for known in state.projects:
        if known.kind != "labels":
            continue
        project = find_project(studio, known)
        tasks = scrubbed(studio.snapshot(project.id))
        if len(studio.tasks(project.id)) > len(tasks):
            raise StudioError(
                "the snapshot holds fewer tasks than the project",
                where=studio.url,
                todo="run the same command again; nothing was changed",
            )
        if tasks and any(task.get("project", project.id) != project.id for task in tasks):
            raise StudioError("the snapshot is of another project", where=studio.url)
        find_project(studio, known)  # deleted meanwhile, a project looks like an empty one
        changed = json_digest(canonical(project.screen)) != state.screen_sha256
        found.append(Dump(project.id, known.part, tasks, changed))
    return found


def keep_archive(paths: StudioPaths, dump: Dump, kind: Any) -> Archive:
    """Keep a dump under the time and its hash; one that is kept already is not written again."""
    body = {"project": dump.project, "kind": kind, "tasks": dump.tasks}
    data = json.dumps(body, ensure_ascii=False, sort_keys=True, indent=1).encode(
        "utf-8", "backslashreplace"
    )
    digest = hashlib.sha256(data).hexdigest()
    kept = sorted(paths.archive.glob(f"*-{digest[:16]}.json")) if paths.archive.is_dir() else []
    if kept:
        at = datetime.strptime(kept[0].name[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return Archive(project=dump.project, kind=kind, file=kept[0].name, sha256=digest, at=at)
    at = datetime.now(UTC).replace(microsecond=0)
    name = f"{at.strftime('%Y%m%dT%H%M%SZ')}-{digest[:16]}.json"
    write_bytes(paths.archive / name, data)
    return Archive(project=dump.project, kind=kind, file=name, sha256=digest, at=at)


def read_codes(paths: StudioPaths) -> PersonCodes:
    """Who has which code; nobody yet if there is no file."""
    return read_document(paths.people, PersonCodes) if paths.people.is_file() else PersonCodes()


def read_records(path: Path) -> list[LabelRecord]:
    """The records of a file that `append_records` wrote; none if it is not there."""
    if not path.is_file():
        return []
    return [LabelRecord.model_validate(line.value) for line in read_lines(path)]


def append_records(path: Path, records: Iterable[LabelRecord]) -> None:
    """Append records to a file of them."""
    records = list(records)
    if records:
        with Appender(path) as lines:
            for record in records:
                lines.append(json.loads(label_line(record)))


def _with_emails(codes: PersonCodes, emails: Mapping[int, str]) -> PersonCodes:
    people = [one.model_copy(update={"email": emails.get(one.user or 0)}) for one in codes.people]
    return PersonCodes(people=tuple(people))


def _changes(
    paths: StudioPaths, claim_set: ClaimSet, heard: Heard, *, whole: bool
) -> tuple[Changes, Changes]:
    def why(record: LabelRecord) -> str:
        return heard.why_gone.get(str(record.meta.get("item")), DELETED)

    independent = [one for one in claim_set.labels if one.role == "annotator"]
    reason = why if whole else None
    return (
        changes_to(independent, heard.labels, why_gone=reason),
        changes_to(read_records(paths.repeats), heard.repeats, why_gone=reason),
    )


def _refuse_many_gone(labels: Changes, existing: Iterable[LabelRecord], folder: Path) -> None:
    standing = [
        one
        for one in standing_heads(existing).values()
        if one.role == "annotator" and one.status != "cancelled"
    ]
    if labels.gone > _MANY_GONE and labels.gone > _MANY_SHARE * len(standing):
        reasons = sorted({str(one.meta["why"]) for one in labels.records if "why" in one.meta})
        raise UsageError(
            f"{labels.gone:,} of {len(standing):,} labels would no longer stand "
            f"({'; '.join(reasons)})",
            where=str(folder),
            todo="if that is meant, pull with --accept-deletions; nothing was written",
        )


def _write(
    paths: StudioPaths,
    state: PushState,
    heard: Heard,
    codes: PersonCodes,
    labels: Changes,
    repeats: Changes,
    archives: tuple[Archive, ...],
) -> PullResult:
    code_of = {person.user: person.code for person in codes.people}
    claim_of = {item.item: item.claim_id for item in state.items}
    result = PullResult(
        set=state.set,
        archives=archives,
        counts={
            **heard.counts,
            "labels": sum(one.status == "labelled" for one in heard.labels),
            "planted repeats answered": sum(one.status == "labelled" for one in heard.repeats),
        },
        added={"new": labels.new, "changed": labels.changed, "gone": labels.gone},
        unused=tuple(
            UnusedAnnotation(
                project=one.project,
                task=one.task,
                annotation=one.annotation,
                item=one.item,
                claim_id=claim_of.get(one.item, ""),
                annotator=code_of.get(one.user, "") if one.user is not None else "",
                why=one.why,
            )
            for one in heard.unused
        ),
        notes=tuple(heard.notes),
    )
    if codes != read_codes(paths) or not paths.people.is_file():
        write_document(paths.people, codes)
    append_records(paths.claim_set.labels, labels.records)
    append_records(paths.repeats, repeats.records)
    if not _found_again(paths, result):
        write_document(paths.pull, result)
    return result


def _found_again(paths: StudioPaths, result: PullResult) -> bool:
    """Whether this pull found what the last one did, and so has nothing to write down."""
    if any(result.added.values()) or not paths.pull.is_file():
        return False
    last = read_document(paths.pull, PullResult)
    return last.model_copy(update={"added": result.added}) == result
