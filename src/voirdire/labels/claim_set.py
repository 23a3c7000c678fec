"""A claim set as it lies on disk: ``labels/<set>/`` with claims, labels, splits and set.toml."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voirdire.errors import ClaimSetError, Fault, InputError, UsageError
from voirdire.labels.families import (
    FamilyKind,
    family_findings,
    record_findings,
    twin_findings,
)
from voirdire.labels.findings import Finding, only_faults, only_warnings
from voirdire.labels.lines import read_rows
from voirdire.labels.rules import claim_findings, label_findings
from voirdire.labels.splits import make_splits
from voirdire.labels.text import shown
from voirdire.labels.validation import to_record
from voirdire.records import Claim, ClaimSetInfo, LabelRecord, Splits
from voirdire.store import (
    ClaimSetPaths,
    checked,
    file_digest,
    json_digest,
    nearest,
    read_document,
    read_toml,
)
from voirdire.store.documents import check_schema

__all__ = [
    "ClaimSet",
    "Inspection",
    "SetInfo",
    "dump_info",
    "inspect_claim_set",
    "load_claim_set",
    "read_info",
    "set_digest",
    "sets_in",
]

SCHEMA, SCHEMA_VERSION = "voirdire/claim-set", "1.0"


class SetInfo(ClaimSetInfo):
    """``set.toml``, with what a family is in this set.

    Attributes
    ----------
    families : {"variants", "clusters"}
        One original with its variants, or a looser group (see `voirdire.labels.families`).
    """

    families: FamilyKind = "variants"


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """A whole claim set, read and found without fault.

    Attributes
    ----------
    name : str
    paths : ClaimSetPaths
    info : SetInfo
    claims : tuple of Claim
        In the order of the file.
    labels : tuple of LabelRecord
        In the order they were given; superseded ones are among them.
    splits : Splits
    digest : str
        SHA-256 over claims, labels and splits; what the set is titled does not enter.
    """

    name: str
    paths: ClaimSetPaths
    info: SetInfo
    claims: tuple[Claim, ...]
    labels: tuple[LabelRecord, ...]
    splits: Splits
    digest: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """Everything a look at a set found, and what could be read of it."""

    paths: ClaimSetPaths
    info: SetInfo
    claims: tuple[Claim, ...]
    labels: tuple[LabelRecord, ...]
    splits: Splits | None
    findings: tuple[Finding, ...]

    @property
    def faults(self) -> list[Fault]:
        """What stops the set."""
        return only_faults(self.findings)

    @property
    def warnings(self) -> list[Fault]:
        """What does not."""
        return only_warnings(self.findings)


def load_claim_set(path: Path | str) -> ClaimSet:
    """Read a claim set.

    A set without splits.json gets the splits of seed 0, the same every time; one without
    labels.jsonl has no labels yet.

    Raises
    ------
    UsageError
        If there is no such set; the message names the sets beside it.
    ClaimSetError
        If it has faults; the error carries every one.
    StoreError
        If a file cannot be read.
    """
    seen = inspect_claim_set(path)
    if seen.faults:
        raise ClaimSetError(seen.faults, where=str(path))
    splits = seen.splits or make_splits(seen.claims, seen.labels, seed=0)
    return ClaimSet(
        name=seen.info.name,
        paths=seen.paths,
        info=seen.info,
        claims=seen.claims,
        labels=seen.labels,
        splits=splits,
        digest=set_digest(seen.paths),
    )


def inspect_claim_set(path: Path | str) -> Inspection:
    """Read what can be read of a set and list everything that is wrong; change nothing.

    Raises
    ------
    UsageError
        If there is no such set.
    StoreError
        If a file cannot be read.
    """
    paths = ClaimSetPaths(Path(path))
    if not paths.claims.is_file():
        raise _absent(paths)
    info, findings = _info(paths)
    claims, found = _claims(paths, info.families)
    findings += found
    labels, found = _labels(paths, {claim.id: claim for claim in claims})
    findings += found
    splits, found = _splits(paths, claims)
    findings += found
    return Inspection(paths, info, claims, labels, splits, tuple(findings))


def sets_in(folder: Path) -> list[str]:
    """Names of the claim sets in a folder, sorted."""
    if not folder.is_dir():
        return []
    return sorted(
        child.name
        for child in folder.iterdir()
        if not child.name.startswith(".") and (child / "claims.jsonl").is_file()
    )


def read_info(path: Path) -> SetInfo:
    """Read set.toml.

    Raises
    ------
    InputError
        If a key is unknown (the nearest is suggested) or a value is not allowed.
    SchemaError
        If it is another kind of file or of a newer major version.
    """
    table = read_toml(path)
    table.setdefault("schema", SCHEMA)
    table.setdefault("schema_version", SCHEMA_VERSION)
    check_schema(table, schema=SCHEMA, version=SCHEMA_VERSION, where=str(path))
    return checked(SetInfo, table, where=str(path))


def dump_info(info: SetInfo) -> str:
    """set.toml as text; empty fields are left out."""
    body: dict[str, Any] = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION}
    body |= {key: value for key, value in info.model_dump(mode="json").items() if value}
    # TOML basic strings and arrays of them are written as JSON writes them, but for DEL.
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in body.items()]
    return "\n".join(lines).replace("\x7f", "\\u007f") + "\n"


def set_digest(paths: ClaimSetPaths) -> str:
    """SHA-256 (hex) over the bytes of claims, labels and splits; an absent file counts as such."""
    files = {"claims": paths.claims, "labels": paths.labels, "splits": paths.splits}
    return json_digest(
        {name: file_digest(file) if file.exists() else None for name, file in files.items()}
    )


def _absent(paths: ClaimSetPaths) -> UsageError:
    beside = sets_in(paths.root.parent)
    guess = nearest(paths.root.name, beside)
    todo = f"did you mean {paths.root.parent / guess}?" if guess else ""
    if paths.root.is_dir():
        what = "the folder holds no claims.jsonl, so it is no claim set"
    elif paths.root.exists():
        what = "a file, and not the folder of a claim set"
        todo = f"import it: voirdire import {paths.root} --into labels/<set>"
    else:
        what = "no such claim set"
    todo = todo or "make one with 'voirdire import FILE --into " + str(paths.root) + "'"
    allowed = f"the sets beside it: {', '.join(beside)}" if beside else ""
    return UsageError(what, where=str(paths.root), allowed=allowed, todo=todo)


def _info(paths: ClaimSetPaths) -> tuple[SetInfo, list[Finding]]:
    name = paths.root.resolve().name or "set"
    if not paths.info.exists():
        fault = Fault("no set.toml", str(paths.info), todo="say in it what the set is")
        return SetInfo(name=name), [Finding("no set.toml", 0, fault, warning=True)]
    try:
        return read_info(paths.info), []
    except InputError as error:
        return SetInfo(name=name), [Finding("set.toml", 0, error.fault)]


def _claims(paths: ClaimSetPaths, kind: FamilyKind) -> tuple[tuple[Claim, ...], list[Finding]]:
    rows, findings = read_rows(paths.claims)
    path = str(paths.claims)
    placed: list[tuple[int, Claim]] = []
    for row in rows:
        where = f"{path}:{row.line}"
        claim, found = to_record(Claim, row.value, line=row.line, where=where)
        findings += found
        if claim is not None:
            findings += claim_findings(claim, line=row.line, where=where)
            placed.append((row.line, claim))
    if not rows and not only_faults(findings):
        fault = Fault("the file is empty", path, "one claim a line", "import claims")
        findings.append(Finding("empty file", 0, fault))
    findings += twin_findings(((row.line, row.value.get("id")) for row in rows), path=path)
    findings += family_findings(placed, path=path, kind=kind)
    return tuple(claim for _, claim in placed), findings


def _labels(
    paths: ClaimSetPaths, claims: dict[str, Claim]
) -> tuple[tuple[LabelRecord, ...], list[Finding]]:
    if not paths.labels.exists():
        return (), []
    rows, findings = read_rows(paths.labels, append_only=True)
    path = str(paths.labels)
    placed: list[tuple[int, LabelRecord]] = []
    for row in rows:
        where = f"{path}:{row.line}"
        label, found = to_record(LabelRecord, row.value, line=row.line, where=where)
        findings += found
        if label is not None:
            findings += label_findings(label, claims, line=row.line, where=where)
            placed.append((row.line, label))
    findings += twin_findings(((row.line, row.value.get("id")) for row in rows), path=path)
    findings += record_findings(placed, path=path)
    return tuple(label for _, label in placed), findings


def _splits(paths: ClaimSetPaths, claims: tuple[Claim, ...]) -> tuple[Splits | None, list[Finding]]:
    where = str(paths.splits)
    if not paths.splits.exists():
        fault = Fault("no splits.json: the splits of seed 0 are taken", where)
        return None, [Finding("no splits.json", 0, fault, warning=True)]
    try:
        splits = read_document(paths.splits, Splits)
    except InputError as error:
        return None, [Finding("splits.json", 0, error.fault)]
    families = {claim.family for claim in claims}
    missing = sorted(families - set(splits.families))
    unknown = sorted(set(splits.families) - families)
    findings = []
    if missing:
        what = f"{len(missing)} families have no split, first {shown(missing[0])}"
        todo = "delete splits.json to have new ones drawn, or add the families to it"
        findings.append(Finding("family without split", 0, Fault(what, where, todo=todo)))
    if unknown:
        what = f"{len(unknown)} families are not in the set, first {shown(unknown[0])}"
        findings.append(Finding("split of no family", 0, Fault(what, where), warning=True))
    odd = sorted({name for name in splits.families.values() if name not in splits.shares})
    if odd:
        allowed = ", ".join(splits.shares)
        fault = Fault(f"unknown split {shown(odd[0])}", where, allowed)
        findings.append(Finding("unknown split", 0, fault))
    return splits, findings
