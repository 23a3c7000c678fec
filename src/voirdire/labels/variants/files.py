"""Drafts on disk, accepted into the set, and held against what people said.

``drafts.jsonl`` in the set's folder is append-only: a maker killed half-way goes on where it stood.
Accepting writes a draft as a claim that awaits labels; its prediction stays behind in the drafts
and is never sent anywhere. Until people labelled it, a claim has no reference label and no study
counts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from voirdire.errors import InputError, UsageError
from voirdire.labels.claim_set import ClaimSet, load_claim_set
from voirdire.labels.reference import references
from voirdire.labels.splits import make_splits
from voirdire.labels.writing import claim_line
from voirdire.records import Claim, Draft, Splits
from voirdire.store import Appender, read_lines, write_bytes, write_document
from voirdire.store.documents import first_fault

__all__ = ["FIRST_BATCH", "MakerScore", "accept", "add_drafts", "maker_scores", "read_drafts"]

FIRST_BATCH = 30
"""The first so many originals made from documents go to people whole, none picked out."""


@dataclass(frozen=True, slots=True)
class MakerScore:
    """How a maker's drafts fared.

    Attributes
    ----------
    maker, rule : str
    drafts, unusable, accepted, labelled : int
    right, predicted : int
        Of the labelled ones with a prediction, those where people said what was predicted.
    faults : dict of str to int
        Unusable ones by reason.
    """

    maker: str
    rule: str
    drafts: int
    unusable: int
    accepted: int
    labelled: int
    right: int
    predicted: int
    faults: dict[str, int]


def drafts_path(folder: Path) -> Path:
    """Where the drafts of a set lie."""
    return folder / "drafts.jsonl"


def read_drafts(folder: Path) -> list[Draft]:
    """Every draft of a set, in the order they were made; empty if there are none.

    Raises
    ------
    InputError
        If a line is damaged; file and line are named.
    """
    path = drafts_path(folder)
    if not path.exists():
        return []
    found = []
    for line in read_lines(path):
        try:
            found.append(Draft.model_validate(line.value))
        except ValidationError as error:
            raise InputError(
                first_fault(error),
                where=f"{path}:{line.number}",
                todo="delete that line; the draft is made again",
            ) from error
    return found


def add_drafts(folder: Path, drafts: Iterable[Draft]) -> tuple[int, int]:
    """Append drafts that are not there yet, one by one as they come.

    Returns
    -------
    tuple of int
        Drafts added, and passed over because the id, or the same text on the same context, stood
        there or in the set already.

    Raises
    ------
    StoreError
        If the file system refuses; what was appended before stands.
    """
    claims, before = load_claim_set(folder).claims, read_drafts(folder)
    there: list[Claim | Draft] = [*claims, *before]
    known = {one.id for one in there}
    texts = {(one.claim, one.context) for one in there}
    added = passed = 0
    with Appender(drafts_path(folder)) as out:
        for draft in drafts:
            text = (draft.claim, draft.context)
            if draft.id in known or (text in texts and not draft.fault):
                passed += 1
                continue
            known.add(draft.id)
            texts.add(text)
            body = draft.model_dump(mode="json")
            out.append({key: value for key, value in body.items() if value not in (None, "")})
            added += 1
    return added, passed


def accept(
    folder: Path, *, rules: Sequence[str] = (), ids: Sequence[str] = (), limit: int | None = None
) -> list[Claim]:
    """Write drafts as claims that await labels.

    Parameters
    ----------
    folder : Path
        Of the claim set.
    rules, ids : sequence of str
        Only these; empty: all that can be used.
    limit : int, optional
        At most so many, in the order they were made. Of originals made from documents the first
        `FIRST_BATCH` are taken whole, whatever the limit.

    Returns
    -------
    list of Claim
        Those added; the claim carries its maker in ``meta``, not its prediction.

    Raises
    ------
    UsageError
        If an id names no usable draft.
    ClaimSetError, StoreError
        As `load_claim_set`; if the file system refuses.
    """
    claim_set = load_claim_set(folder)
    there = {claim.id for claim in claim_set.claims}
    drafts = read_drafts(folder)
    usable = {draft.id: draft for draft in drafts if not draft.fault}
    for name in ids:
        if name not in usable:
            raise UsageError(
                f"no usable draft is called {name!r}",
                where=str(drafts_path(folder)),
                todo="'voirdire variants SET --status' lists what there is",
            )
    chosen = [
        draft
        for draft in usable.values()
        if draft.id not in there
        and (not rules or draft.rule in rules)
        and (not ids or draft.id in ids)
    ]
    if limit is not None:
        whole = [draft for draft in chosen if draft.of is None][:FIRST_BATCH]
        chosen = [*whole, *[draft for draft in chosen if draft not in whole]][
            : max(limit, len(whole))
        ]
    claims = [_claim(draft, claim_set) for draft in chosen]
    if claims:
        _append(claim_set, claims)
    return claims


def _claim(draft: Draft, claim_set: ClaimSet) -> Claim:
    origin = next((claim for claim in claim_set.claims if claim.id == draft.of), None)
    return Claim(
        id=draft.id,
        family=draft.family,
        variant=draft.variant,
        claim=draft.claim,
        context=draft.context,
        language=draft.language,
        label_space=origin.label_space if origin else "three_class",
        topic=origin.topic if origin else None,
        source=origin.source if origin else None,
        licence=origin.licence if origin else None,
        meta={"maker": draft.maker, "rule": draft.rule},
    )


def _append(claim_set: ClaimSet, claims: Sequence[Claim]) -> None:
    """Claims first, whole or not at all; then splits for families that are new."""
    path = claim_set.paths.claims
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        data += b"\n"
    write_bytes(path, data + b"".join(map(claim_line, claims)))
    new = [claim for claim in claims if claim.family not in claim_set.splits.families]
    if new and claim_set.paths.splits.exists():
        drawn = make_splits(new, [], seed=claim_set.splits.seed)
        families = {**drawn.families, **claim_set.splits.families}
        write_document(
            claim_set.paths.splits,
            Splits(
                seed=claim_set.splits.seed,
                shares=claim_set.splits.shares,
                families=dict(sorted(families.items())),
            ),
        )


def maker_scores(folder: Path) -> list[MakerScore]:
    """Every maker and rule, with what people said of its drafts."""
    claim_set = load_claim_set(folder)
    there = {claim.id for claim in claim_set.claims}
    labels = references(claim_set.claims, claim_set.labels, view="source").labels
    groups: dict[tuple[str, str], list[Draft]] = {}
    for draft in read_drafts(folder):
        groups.setdefault((draft.maker, draft.rule), []).append(draft)
    scores = []
    for (maker, rule), drafts in sorted(groups.items()):
        said = [draft for draft in drafts if draft.id in labels]
        told = [draft for draft in said if draft.predicted]
        scores.append(
            MakerScore(
                maker=maker,
                rule=rule,
                drafts=len(drafts),
                unusable=sum(bool(draft.fault) for draft in drafts),
                accepted=sum(draft.id in there for draft in drafts),
                labelled=len(said),
                right=sum(labels[draft.id] == draft.predicted for draft in told),
                predicted=len(told),
                faults=dict(Counter(draft.fault for draft in drafts if draft.fault)),
            )
        )
    return scores
