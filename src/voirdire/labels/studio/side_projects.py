"""A project beside the one of independent labels: what goes into it, and what comes back.

An item's id hangs on what it decides: when the labels under a decision change, the claim becomes
another item, and the decision on the old one no longer stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from voirdire.errors import UsageError
from voirdire.labels.claim_set import ClaimSet, load_claim_set
from voirdire.labels.reference import standing_labels
from voirdire.labels.studio.client import Studio
from voirdire.labels.studio.connection import Server
from voirdire.labels.studio.guideline import as_html, guideline_text
from voirdire.labels.studio.hearing import Dump
from voirdire.labels.studio.layout import StudioPaths
from voirdire.labels.studio.normalising import Said, normalise, scrubbed
from voirdire.labels.studio.plans import (
    label_space_of,
    project_title,
    read_state,
    redaction_of,
)
from voirdire.labels.studio.projects import (
    Wanted,
    ensure_project,
    find_project,
    project_of,
    send_missing,
)
from voirdire.labels.studio.pulling import (
    DELETED,
    append_records,
    keep_archive,
    read_codes,
    read_records,
)
from voirdire.labels.studio.recording import changes_to, given_codes, guideline_at, to_record
from voirdire.labels.studio.screen import TASK_FIELDS, check_screen, labelling_screen, verdict_words
from voirdire.labels.studio.tasks import Sent, item_id, send_order, sent_text
from voirdire.records import (
    Claim,
    LabelRecord,
    PersonCodes,
    ProjectKind,
    PushedItem,
    PushedProject,
    PushState,
)
from voirdire.store import write_document
from voirdire.store.redaction import Redaction

__all__ = ["STALE", "AdjudicationReport", "Candidate", "SideProject", "disputed"]

STALE: Final = "stale: the labels it decided on changed"


_TITLES: Final[dict[ProjectKind, str]] = {
    "adjudication": "adjudication",
    "second_look": "second look",
    "review": "review",
}


_TABLES: Final[dict[ProjectKind, str]] = {
    "adjudication": "What people said, in no order",
    "review": "What the judges said",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A claim for a side project, and what is shown with it.

    Attributes
    ----------
    claim_id : str
    decides : tuple of str
        Ids of the label records at stake.
    votes : tuple of dict
        Rows of the table; empty on a blind second look.
    second_look : bool
        Whether judges pointed at it.
    """

    claim_id: str
    decides: tuple[str, ...] = ()
    votes: tuple[dict[str, str], ...] = ()
    second_look: bool = False


@dataclass(frozen=True, slots=True)
class AdjudicationReport:
    """What a round of a side project did.

    Attributes
    ----------
    open : int
        Claims that wait for a decision.
    sent : int
        Tasks sent now.
    decided : int
        Decisions that stand.
    stale : int
        Decisions recorded as gone now because labels under them changed.
    """

    kind: ProjectKind
    candidates: int
    sent: int
    decided: int
    new: int
    changed: int
    stale: int
    open: int
    link: str = ""
    unused: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def disputed(
    claims: Iterable[Claim],
    labels: Iterable[LabelRecord],
    second_looks: Iterable[LabelRecord] = (),
    *,
    redaction: Redaction | None = None,
) -> list[Candidate]:
    """Claims whose independent labels differ, ties among them; and contested second looks.

    Parameters
    ----------
    claims, labels
    second_looks : iterable of LabelRecord
        A second look that says other than every label so far makes a claim disputed.
    redaction : Redaction, optional
        Applied to what is shown of the votes: evidence and comments may repeat the text.
    """
    redaction = redaction or Redaction()
    labels = list(labels)
    votes = _by_claim(one for one in standing_labels(labels) if one.role == "annotator")
    looks = _by_claim(standing_labels(second_looks))
    found = []
    for claim in claims:
        given = votes.get(claim.id, [])
        looked = looks.get(claim.id, [])
        if len({one.label for one in (*given, *looked)}) > 1:
            found.append(
                Candidate(
                    claim_id=claim.id,
                    decides=tuple(sorted(one.id for one in (*given, *looked))),
                    votes=tuple(_vote(one, redaction) for one in (*given, *looked)),
                    second_look=bool(looked),
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class SideProject:
    """A side project of a claim set at work."""

    kind: ProjectKind
    paths: StudioPaths
    claim_set: ClaimSet
    state: PushState
    studio: Studio

    @classmethod
    def open(cls, folder: Path, server: Server, kind: ProjectKind) -> SideProject:
        paths = StudioPaths.of(folder)
        state = read_state(paths)
        claim_set = load_claim_set(folder)
        studio = Studio(server)
        studio.check()
        return cls(kind, paths, claim_set, state, studio)

    @property
    def project(self) -> PushedProject | None:
        return project_of(self.state, self.kind)

    @property
    def link(self) -> str:
        known = self.project
        return f"{self.studio.url}/projects/{known.id}/data?labeling=1" if known else ""

    def sent(
        self,
        candidates: Sequence[Candidate],
        batch: int,
        patience: float,
        tell: Callable[[str], None],
    ) -> tuple[SideProject, int]:
        """Send what is missing; the project is made when there is something to send."""
        if not candidates:
            return self, 0
        items = [self._item(one) for one in candidates]
        known = {item.item for item in self.state.items}
        fresh = tuple(sent.item for sent in items if sent.item.item not in known)
        state = self.state.model_copy(update={"items": (*self.state.items, *fresh)})
        write_document(self.paths.push, state)
        project = ensure_project(self.studio, state.key, self._wanted(), self.project, tell=tell)
        others = [one for one in state.projects if one.kind != self.kind]
        state = state.model_copy(update={"projects": (*others, project)})
        write_document(self.paths.push, state)
        votes = {
            sent.item.item: _shuffled(one.votes, state.key, sent.item.item)
            for sent, one in zip(items, candidates, strict=True)
        }
        number = send_missing(
            self.studio,
            project.id,
            send_order(items, key=state.key),
            votes=votes if self.kind in _TABLES else None,
            batch=batch,
            patience=patience,
        )
        return SideProject(self.kind, self.paths, self.claim_set, state, self.studio), number

    def heard(
        self, role: Any, second_looks: Iterable[str] = ()
    ) -> tuple[list[LabelRecord], list[dict[str, Any]]]:
        """What people said there that still stands, and what is not used."""
        known = self.project
        if known is None:
            return [], []
        project = find_project(self.studio, known)
        tasks = scrubbed(self.studio.snapshot(project.id))
        find_project(self.studio, known)
        keep_archive(self.paths, Dump(project.id, 0, tasks, False), self.kind)
        items = self._standing_items()
        texts = {
            claim.id: sent_text(claim, redaction_of(self.claim_set))
            for claim in self.claim_set.claims
        }
        contexts = {name: texts[item.claim_id].context for name, item in items.items()}
        space = label_space_of(self.claim_set.claims, str(self.paths.claim_set.root))
        found = normalise(tasks, verdicts=verdict_words(space), contexts=contexts)
        codes = self._codes(found.said)
        marked = set(second_looks)
        records = {}
        for said in sorted(found.said, key=lambda one: (one.at, one.annotation)):
            item = items[said.item]
            extra: dict[str, Any] = {"kind": self.kind, "decides": list(item.decides)}
            if marked & set(item.decides) or self.kind == "second_look":
                extra["second_look"] = True
            records[item.claim_id, said.user] = to_record(
                said,
                item,
                texts[item.claim_id],
                code=codes[said.user],
                role=role,
                guideline=guideline_at(self.state.guidelines, said),
                server=self.state.server,
                extra=extra,
            )
        stale = {item.item for item in self.state.items if item.kind == self.kind} - set(items)
        unused = [
            {**asdict(one), "why": STALE if one.item in stale else one.why} for one in found.unused
        ]
        return list(records.values()), unused

    def why_gone(self, record: LabelRecord) -> str:
        """Why a decision no longer stands."""
        return DELETED if record.meta.get("item") in self._standing_items() else STALE

    def kept_apart(
        self, path: Path, candidates: Sequence[Candidate], sent: int
    ) -> AdjudicationReport:
        """Fetch, and keep in a file of its own."""
        records, unused = self.heard("annotator")
        changes = changes_to(read_records(path), records, why_gone=self.why_gone)
        append_records(path, changes.records)
        done = {one.claim_id for one in records if one.status == "labelled"}
        return AdjudicationReport(
            kind=self.kind,
            candidates=len(candidates),
            sent=sent,
            decided=len(done),
            new=changes.new,
            changed=changes.changed,
            stale=changes.gone,
            open=sum(one.claim_id not in done for one in candidates),
            link=self.link,
            unused=tuple(unused),
        )

    def notes(self, decisions: Iterable[LabelRecord]) -> list[str]:
        """What a reader should know of the decisions."""
        votes = _by_claim(
            one for one in standing_labels(self.claim_set.labels) if one.role == "annotator"
        )
        own = sum(
            one.annotator in {vote.annotator for vote in votes.get(one.claim_id, [])}
            for one in decisions
        )
        if not own:
            return []
        return [f"{own:,} decisions are by people who had labelled the same claim themselves"]

    def _item(self, one: Candidate) -> Sent:
        claim = next((claim for claim in self.claim_set.claims if claim.id == one.claim_id), None)
        if claim is None:
            raise UsageError(f"no claim {one.claim_id!r} in the set", where=str(self.paths.root))
        text = sent_text(claim, redaction_of(self.claim_set))
        name = item_id(self.state.key, self.kind, one.claim_id, text.content, *one.decides)
        item = PushedItem(
            item=name,
            claim_id=one.claim_id,
            content=text.content,
            kind=self.kind,
            decides=one.decides,
        )
        return Sent(item, text)

    def _wanted(self) -> Wanted:
        space = label_space_of(self.claim_set.claims, str(self.paths.claim_set.root))
        table = _TABLES.get(self.kind)
        screen = labelling_screen(space, table=table)
        fields = (*TASK_FIELDS, "votes") if table else TASK_FIELDS
        check_screen(screen, fields=fields, space=space)
        text = guideline_text(
            self.claim_set.paths, named=self.claim_set.info.guideline, given=None, space=space
        )
        title = project_title(self.claim_set.name, word=_TITLES[self.kind])
        return Wanted(self.kind, 0, title, screen, as_html(text), 1)

    def _standing_items(self) -> dict[str, PushedItem]:
        """Items whose claim is as it was sent, and whose labels are as they were shown."""
        redaction = redaction_of(self.claim_set)
        content = {claim.id: sent_text(claim, redaction).content for claim in self.claim_set.claims}
        looks = read_records(self.paths.second_looks)
        now = {
            one.claim_id: one.decides
            for one in disputed(self.claim_set.claims, self.claim_set.labels, looks)
        }
        return {
            item.item: item
            for item in self.state.items
            if item.kind == self.kind
            and content.get(item.claim_id) == item.content
            and (self.kind != "adjudication" or now.get(item.claim_id) == item.decides)
        }

    def _codes(self, said: Sequence[Said]) -> dict[int, str]:
        taken = [one.annotator for one in self.claim_set.labels]
        old = read_codes(self.paths)
        first = sorted(said, key=lambda one: (one.created, one.annotation))
        codes: PersonCodes = given_codes(old, [one.user for one in first], taken)
        if codes != old:
            write_document(self.paths.people, codes)
        return {person.user: person.code for person in codes.people if person.user is not None}


def _by_claim(records: Iterable[LabelRecord]) -> dict[str, list[LabelRecord]]:
    found: dict[str, list[LabelRecord]] = {}
    for record in records:
        if record.status == "labelled":
            found.setdefault(record.claim_id, []).append(record)
    return found


def _vote(record: LabelRecord, redaction: Redaction) -> dict[str, str]:
    """A vote as an adjudicator sees it: no name, no code, no time."""
    evidence = " … ".join(span.text for span in record.evidence)
    return {
        "verdict": str(record.label),
        "sure": record.confidence or "",
        "comment": redaction.apply(record.comment or ""),
        "evidence": redaction.apply(evidence),
    }


def _shuffled(votes: Sequence[dict[str, str]], key: str, item: str) -> list[dict[str, str]]:
    """The votes in an order that hangs on the item: the first is not always the same person's."""
    numbered = sorted(range(len(votes)), key=lambda place: item_id(key, "vote", item, place))
    return [votes[place] for place in numbered]
