"""Source rows into claims and labels, whatever the file they came from.

First every row is read for itself, then the labels' space is seen from all of them, then the
records are made and held against each other. Nothing stops at the first fault.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from voirdire.errors import Fault
from voirdire.labels.aliases import (
    ALIASES,
    NO_LABEL,
    LabelReader,
    LabelWord,
    infer_space,
    label_in_space,
)
from voirdire.labels.families import (
    FamilyKind,
    family_findings,
    looks_like_clusters,
    twin_findings,
)
from voirdire.labels.findings import Finding, count_kinds
from voirdire.labels.options import ImportOptions
from voirdire.labels.rules import claim_findings, label_findings, space_fault
from voirdire.labels.sources import SourceRow
from voirdire.labels.text import shown
from voirdire.labels.validation import LABEL_WORDS, to_record
from voirdire.records import Claim, LabelRecord, LabelSpace, Role
from voirdire.store import nearest

__all__ = ["Assembled", "assemble"]

_FIELDS: Final[tuple[str, ...]] = (
    *("id", "family", "variant", "claim", "context", "language", "topic", "source", "licence"),
    *("meta", "label_space", "label", "labels_by_annotator"),
)
_OTHER_NAMES: Final = {"lang": "language", "license": "licence"}
_SPACES: Final[dict[str, LabelSpace]] = {
    "binary": "two_class",
    "two_class": "two_class",
    "ternary": "three_class",
    "three_class": "three_class",
}


@dataclass(frozen=True, slots=True)
class Assembled:
    """What a source came to.

    Attributes
    ----------
    claims : tuple of (line, Claim)
    labels : tuple of LabelRecord
    family_kind : FamilyKind
    rows : int
        Claims the source holds, left-out ones among them.
    findings : tuple of Finding
        Without those of rows that were left out.
    excluded : dict of str to int
        Rows left out, by reason.
    notes : tuple of str
        What was assumed and should be known.
    """

    claims: tuple[tuple[int, Claim], ...]
    labels: tuple[LabelRecord, ...]
    family_kind: FamilyKind
    rows: int
    findings: tuple[Finding, ...]
    excluded: dict[str, int]
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Vote:
    annotator: str
    role: Role
    words: list[LabelWord]


@dataclass(slots=True)
class _Draft:
    """A row half read: its labels are words whose meaning may hang on all the others."""

    row: SourceRow
    values: dict[str, Any]
    space: LabelSpace | None
    votes: list[_Vote]
    id_made: bool = False
    findings: list[Finding] = field(default_factory=list)
    claim: Claim | None = None
    labels: list[LabelRecord] = field(default_factory=list)


def assemble(
    rows: list[SourceRow], findings: list[Finding], options: ImportOptions, *, path: str
) -> Assembled:
    """Make claims and labels of source rows.

    Parameters
    ----------
    rows : list of SourceRow
    findings : list of Finding
        What reading the file found already.
    options : ImportOptions
    path : str
        Of the source, for messages.

    Raises
    ------
    UsageError
        If an option maps a word to something that is no label.
    """
    reader = LabelReader(options.label_map)
    notes: Counter[str] = Counter()
    drafts = [_draft(row, options, reader, notes) for row in rows]
    notices = _settle_spaces(drafts, options)
    _number_twins(drafts, notes)
    for draft in drafts:
        _make_records(draft)
    kind, kind_notice = _family_kind(drafts, options)
    _hold_together(drafts, kind, path)
    broken = sum(not finding.warning and finding.line > 0 for finding in findings)
    excluded: dict[str, int] = {}
    if options.skip_faulty:
        drafts, excluded = _without_faulty(drafts)
        torn = [finding for finding in findings if not finding.warning and finding.line]
        excluded = _added(excluded, count_kinds(torn))
        findings = [finding for finding in findings if finding.warning or not finding.line]
    placed = [(draft.row.line, draft.claim) for draft in drafts if draft.claim is not None]
    general = [one for one in family_findings(placed, path=path, kind=kind) if one.warning]
    found = findings + [one for draft in drafts for one in draft.findings] + general
    return Assembled(
        claims=tuple(placed),
        labels=tuple(label for draft in drafts for label in draft.labels),
        family_kind=kind,
        rows=len(rows) + broken,
        findings=tuple(found),
        excluded=excluded,
        notes=tuple([f"{count:,} {what}" for what, count in notes.items()] + notices + kind_notice),
    )


def _draft(
    row: SourceRow, options: ImportOptions, reader: LabelReader, notes: Counter[str]
) -> _Draft:
    given = {_OTHER_NAMES.get(key, key): value for key, value in row.values.items()}
    values = {key: given[key] for key in _FIELDS[:9] if given.get(key) is not None}
    for key in ("language", "licence", "source"):
        if key not in values and getattr(options, key) is not None:
            values[key] = getattr(options, key)
    for key in ("id", "family", "topic"):
        if isinstance(values.get(key), int) and not isinstance(values[key], bool):
            values[key] = str(values[key])
    draft = _Draft(row, values, None, [])
    _set_meta(draft, given)
    _set_context(draft, given)
    _set_language(draft)
    _set_names(draft, notes)
    _set_space(draft, given.get("label_space"), options)
    language = str(draft.values.get("language", "en"))
    draft.votes = list(_votes(draft, given, options, reader, language))
    return draft


def _set_meta(draft: _Draft, given: Mapping[str, Any]) -> None:
    """What the source says beyond our fields is kept, in meta."""
    meta = given.get("meta")
    kept = dict(meta) if isinstance(meta, dict) else {}
    if meta is not None and not isinstance(meta, dict):
        kept["meta"] = meta
    for key, value in given.items():
        if key not in _FIELDS and value is not None:
            kept.setdefault(key, value)
    draft.values["meta"] = kept


def _set_context(draft: _Draft, given: Mapping[str, Any]) -> None:
    context = draft.values.get("context")
    if isinstance(context, str):
        draft.values["context"] = (context,)
    for name in ("claim", "context"):
        if name not in draft.values:
            guess = nearest(name, [key for key in given if key not in _FIELDS])
            todo = f"did you mean {guess!r}?" if guess else ""
            fault = Fault(f"no field {name!r}", draft.row.where, todo=todo)
            draft.findings.append(Finding("missing field", draft.row.line, fault))


def _set_language(draft: _Draft) -> None:
    language = draft.values.get("language")
    if language is None:
        todo = "add it to the file, or say --language for all claims"
        fault = Fault("no field 'language'", draft.row.where, "a tag such as en or it", todo)
        draft.findings.append(Finding("missing field", draft.row.line, fault))
    elif isinstance(language, str):
        first, mark, rest = language.strip().replace("_", "-").partition("-")
        draft.values["language"] = first.lower() + mark + rest


def _set_names(draft: _Draft, notes: Counter[str]) -> None:
    draft.values.setdefault("variant", "original")
    if "id" not in draft.values:
        parts = [draft.values.get(key) for key in ("claim", "context", "language", "variant")]
        text = json.dumps(parts, ensure_ascii=True, default=str)
        draft.values["id"] = "c-" + hashlib.sha256(text.encode()).hexdigest()[:12]
        draft.id_made = True
        notes["claims had no id and got one made from their content"] += 1
    if "family" not in draft.values:
        draft.values["family"] = draft.values["id"]
        notes["claims had no family: each is a family of its own"] += 1


def _set_space(draft: _Draft, given: Any, options: ImportOptions) -> None:
    if given is None:
        draft.space = options.label_space
        return
    draft.space = _SPACES.get(str(given).replace("-", "_").lower())
    if draft.space is None:
        allowed = ", ".join(_SPACES)
        fault = Fault(f"unknown label_space {shown(given)}", draft.row.where, allowed)
        draft.findings.append(Finding("unknown label space", draft.row.line, fault))
        draft.space = "three_class"


def _votes(
    draft: _Draft,
    given: Mapping[str, Any],
    options: ImportOptions,
    reader: LabelReader,
    language: str,
) -> Iterator[_Vote]:
    by_annotator = given.get("labels_by_annotator") or {}
    if not isinstance(by_annotator, dict):
        what = f"labels_by_annotator must be an object, got {shown(by_annotator)}"
        fault = Fault(what, draft.row.where, "annotator code to label")
        draft.findings.append(Finding("field labels_by_annotator", draft.row.line, fault))
        by_annotator = {}
    for annotator, said in by_annotator.items():
        yield _Vote(str(annotator), "annotator", _words(draft, said, reader, language))
    said = given.get("label")
    if said is not None and said != "":
        code = options.annotator or options.role
        yield _Vote(code, options.role, _words(draft, said, reader, language))


def _words(draft: _Draft, said: Any, reader: LabelReader, language: str) -> list[LabelWord]:
    """The labels of one annotator: one, none, or several where a person gave a set."""
    if said is None or said == "":
        return []
    words: list[LabelWord] = []
    for one in said if isinstance(said, list) else [said]:
        text = str(one).lower() if isinstance(one, bool) else one
        word = reader.read(text, language) if isinstance(text, str) else None
        if word is None:
            draft.findings.append(_unknown_label(draft.row, one, language))
        elif word != NO_LABEL and word not in words:
            words.append(word)
    return words


def _unknown_label(row: SourceRow, said: Any, language: str) -> Finding:
    own = ALIASES.get(language.partition("-")[0], {})
    examples = [words[0] for words in own.values()] if language != "en" else []
    allowed = ", ".join([*LABEL_WORDS, *examples]) + " and their aliases"
    todo = f"say what it means: --map-label {str(said)!r}=supported (or none)"
    return Finding(
        "unknown label", row.line, Fault(f"unknown label {shown(said)}", row.where, allowed, todo)
    )


def _settle_spaces(drafts: list[_Draft], options: ImportOptions) -> list[str]:
    """Give claims that do not say their label space the one that all their labels point to."""
    silent = [draft for draft in drafts if draft.space is None]
    words = {word for draft in silent for vote in draft.votes for word in vote.words}
    space = infer_space(words)
    for draft in silent:
        draft.space = space
    if space == "two_class":
        return [
            "the labels only tell supported from not supported: read as two-class claims "
            "(label_space says otherwise)"
        ]
    return []


def _number_twins(drafts: list[_Draft], notes: Counter[str]) -> None:
    """Ids made from content are the same for the same content: the later ones are numbered."""
    seen: Counter[str] = Counter()
    for draft in drafts:
        if not draft.id_made:
            continue
        made = str(draft.values["id"])
        seen[made] += 1
        if seen[made] > 1:
            notes["claims stand in the source more than once"] += 1
            draft.values["id"] = f"{made}-{seen[made]}"
            if draft.values["family"] == made:
                draft.values["family"] = draft.values["id"]


def _make_records(draft: _Draft) -> None:
    line, where = draft.row.line, draft.row.where
    if not any(one.kind == "missing field" for one in draft.findings):
        values = {**draft.values, "label_space": draft.space}
        draft.claim, found = to_record(Claim, values, line=line, where=where)
        draft.findings += found
    if draft.claim is None:
        return
    draft.findings += claim_findings(draft.claim, line=line, where=where)
    for vote in draft.votes:
        label = _label_record(draft.claim, vote)
        fault = space_fault(label.label, draft.claim.label_space, where=where)
        if fault:
            draft.findings.append(Finding("label outside the label space", line, fault))
        else:
            known = {draft.claim.id: draft.claim}
            draft.findings += label_findings(label, known, line=line, where=where)
        draft.labels.append(label)


def _label_record(claim: Claim, vote: _Vote) -> LabelRecord:
    labels = [label_in_space(word, claim.label_space) for word in vote.words]
    single = labels[0] if len(labels) == 1 else None
    return LabelRecord(
        id=f"{claim.id}#{vote.role}/{vote.annotator}",
        claim_id=claim.id,
        annotator=vote.annotator,
        role=vote.role,
        status="labelled" if single else "empty",
        label=single,
        meta={"label_set": labels} if len(labels) > 1 else {},
    )


def _family_kind(drafts: list[_Draft], options: ImportOptions) -> tuple[FamilyKind, list[str]]:
    if options.families != "auto":
        return options.families, []
    placed = [(draft.row.line, draft.claim) for draft in drafts if draft.claim is not None]
    if not looks_like_clusters(placed):
        return "variants", []
    return "clusters", [
        "most families have several originals or contexts: they are taken as clusters, "
        "not as one original with its variants (--families variants says otherwise)"
    ]


def _hold_together(drafts: list[_Draft], kind: FamilyKind, path: str) -> None:
    """Faults among rows, each put to the row it stands in."""
    placed = [(number, draft.claim) for number, draft in enumerate(drafts) if draft.claim]
    lines = [(drafts[number].row.line, claim) for number, claim in placed]
    ids = ((draft.row.line, draft.values.get("id")) for draft in drafts)
    found = twin_findings(ids, path=path)
    found += [one for one in family_findings(lines, path=path, kind=kind) if not one.warning]
    homes: dict[int, list[_Draft]] = {}
    for draft in drafts:
        homes.setdefault(draft.row.line, []).append(draft)
    for finding in found:
        homes[finding.line][-1].findings.append(finding)


def _without_faulty(drafts: list[_Draft]) -> tuple[list[_Draft], dict[str, int]]:
    """Rows of lines without fault; the others counted, each under its line's first reason.

    A line that holds a whole family goes as a whole: half a family is none.
    """
    reasons: dict[int, Finding] = {}
    for draft in drafts:
        for finding in draft.findings:
            if not finding.warning:
                reasons.setdefault(draft.row.line, finding)
    left_out = [reasons[draft.row.line] for draft in drafts if draft.row.line in reasons]
    return [draft for draft in drafts if draft.row.line not in reasons], count_kinds(left_out)


def _added(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return dict(Counter(one) + Counter(other))
