"""What a push is asked for, what it would send and what it did; and what every step reads."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from voirdire.errors import UsageError
from voirdire.labels.claim_set import ClaimSet
from voirdire.labels.studio.layout import StudioPaths
from voirdire.labels.studio.projects import BATCH
from voirdire.records import Claim, LabelSpace, PushState
from voirdire.store import read_document
from voirdire.store.redaction import Redaction

__all__ = [
    "SENT_NEVER",
    "PushOptions",
    "PushPlan",
    "PushReport",
    "label_space_of",
    "project_title",
    "read_state",
    "redaction_of",
]

SENT_NEVER: Final = (
    *("id", "family", "variant", "labels", "judge output", "language", "label_space"),
    *("topic", "source", "licence", "meta"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PushOptions:
    """What a push is asked for; None keeps what the last push had.

    Attributes
    ----------
    overlap : int or None
        People per claim; 2 at first.
    per_annotator : int or None
        Projects of one annotator each.
    duplicates : float or None
        Share of claims asked twice.
    guideline, screen : Path or None
        Files of the user's own.
    title : str or None
        Of the project, for people.
    new_project : bool
        Give up projects that are gone and make new ones.
    batch : int
    patience : float
        Seconds to look for a batch whose import got no answer.
    """

    overlap: int | None = None
    per_annotator: int | None = None
    duplicates: float | None = None
    guideline: Path | None = None
    screen: Path | None = None
    title: str | None = None
    new_project: bool = False
    batch: int = BATCH
    patience: float = 120.0


@dataclass(frozen=True, slots=True)
class PushPlan:
    """What would go up.

    Attributes
    ----------
    tasks : int
        In each project, planted repeats among them.
    projects : int
    planted : int
    redactions : int
        Pieces of text that are taken out.
    fields : tuple of str
        That a task has.
    never_sent : tuple of str
        What the claims have besides.
    preview : tuple of dict
        The first tasks as they would go up.
    """

    tasks: int
    projects: int
    planted: int
    redactions: int
    fields: tuple[str, ...]
    never_sent: tuple[str, ...]
    preview: tuple[dict[str, str], ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class PushReport:
    """What a push did.

    Attributes
    ----------
    added, there : int
        Tasks sent now, and tasks of this set that were there already.
    outdated : int
        Tasks on the server of claims that changed or went: their labels no longer count.
    foreign : int
        Tasks in our projects that are not ours.
    links : tuple of str
        Where annotators begin; one for each project.
    """

    projects: tuple[int, ...]
    added: int
    there: int
    outdated: int
    foreign: int
    links: tuple[str, ...]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def read_state(paths: StudioPaths) -> PushState:
    """What was pushed.

    Raises
    ------
    UsageError
        If nothing was.
    """
    if not paths.push.is_file():
        raise UsageError(
            "nothing of this claim set was pushed",
            where=str(paths.claim_set.root),
            todo=f"run 'voirdire push {paths.claim_set.root}' first",
        )
    return read_document(paths.push, PushState)


def label_space_of(claims: tuple[Claim, ...], where: str) -> LabelSpace:
    """The one label space of some claims.

    Raises
    ------
    UsageError
        If there are two: one screen cannot ask both questions.
    """
    spaces = sorted({claim.label_space for claim in claims})
    if len(spaces) > 1:
        raise UsageError(
            "claims of two and of three classes in one set cannot be labelled on one screen",
            where=where,
            todo="push them as two sets",
        )
    return spaces[0]


def redaction_of(claim_set: ClaimSet) -> Redaction:
    """What must not leave the machine, by the ``redact`` patterns of set.toml."""
    return Redaction(claim_set.info.redact)


def project_title(name: str, part: int = 0, word: str = "") -> str:
    """A title the server accepts (3 to 50 characters); for people only."""
    tail = (f" · {word}" if word else "") + (f" · {part}" if part else "")
    return f"{name[: 50 - len(tail)]}{tail}".ljust(3, "·")
