"""What went up to the labelling server, who labels there, and what came down."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, Field

from voirdire.records.estimates import Record

__all__ = [
    "Archive",
    "GuidelineUse",
    "PersonCode",
    "PersonCodes",
    "ProjectKind",
    "PullResult",
    "PushState",
    "PushedItem",
    "PushedProject",
    "UnusedAnnotation",
]

ProjectKind = Literal["labels", "adjudication", "second_look", "review"]
"""What a project on the server is for; only ``labels`` holds independent annotation."""


class PushedItem(Record):
    """A task as the server knows it, and the claim it stands for, which the server does not know.

    Attributes
    ----------
    item : str
        The opaque id that goes up.
    claim_id : str
    copy_number : int
        0 for the claim; 1 for a planted repeat.
    content : str
        SHA-256 of claim and context as they were sent. A changed claim is another item.
    kind : ProjectKind
    decides : tuple of str
        Ids of the label records that an adjudicator is asked to decide on.
    """

    item: str
    claim_id: str
    copy_number: int = Field(default=0, ge=0)
    content: str
    kind: ProjectKind = "labels"
    decides: tuple[str, ...] = ()


class PushedProject(Record):
    """A project on the server, known by the marker in its description and not by its title."""

    kind: ProjectKind
    part: int = Field(default=0, ge=0)
    marker: str
    id: int


class GuidelineUse(Record):
    """A guideline, by its hash, and since when annotators were shown it."""

    sha256: str
    since: AwareDatetime


class PushState(Record):
    """``studio/push.json``: all that pushing again and pulling need to know; no token.

    Attributes
    ----------
    server : str
        Address without user and password.
    key : str
        Made once; the opaque ids and the order of the tasks hang on it.
    per_annotator : int
        Projects of one annotator each; 0 for one project that all share.
    overlap : int
        People asked for each claim.
    duplicates : float
        Share of claims that are asked twice, unannounced.
    """

    set: str
    server: str
    key: str
    per_annotator: int = Field(default=0, ge=0)
    overlap: int = Field(default=2, ge=1)
    duplicates: float = Field(default=0, ge=0, le=1)
    screen_sha256: str = ""
    guidelines: tuple[GuidelineUse, ...] = ()
    projects: tuple[PushedProject, ...] = ()
    items: tuple[PushedItem, ...] = ()


class PersonCode(Record):
    """A person on the server and the code the files know them by; e-mail only if asked for."""

    code: str
    user: int | None
    email: str | None = None


class PersonCodes(Record):
    """``studio/annotators.json``."""

    people: tuple[PersonCode, ...] = ()


class Archive(Record):
    """A dump as it was kept: every label names the dump it came from by way of this."""

    project: int
    kind: ProjectKind
    file: str
    sha256: str
    at: AwareDatetime


class UnusedAnnotation(Record):
    """An annotation that is no label, and why."""

    project: int
    task: int | None
    annotation: int | None
    item: str = ""
    claim_id: str = ""
    annotator: str = ""
    why: str


class PullResult(Record):
    """``studio/pull.json``: what the last pull found that found anything new.

    Attributes
    ----------
    counts : dict of str to int
        The reconciliation: tasks, annotated, labels, skipped, empty, unknown, deleted …
    added : dict of str to int
        Records this pull appended, by what they are (new, changed, deleted).
    notes : tuple of str
        What a reader should know or do.
    """

    set: str
    archives: tuple[Archive, ...]
    counts: dict[str, int]
    added: dict[str, int]
    unused: tuple[UnusedAnnotation, ...]
    notes: tuple[str, ...] = ()
