"""JSON files that say what they are: every one names its schema and version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from voirdire.errors import InputError, SchemaError
from voirdire.records import (
    AgreementResult,
    DecisionResult,
    InvarianceResult,
    JudgeRun,
    PeopleResult,
    PersonCodes,
    PolicyResult,
    PullResult,
    PushState,
    Record,
    ReportDocument,
    ScoreSettings,
    ScoreSummary,
    Splits,
    VarianceResult,
    WatchResult,
)
from voirdire.records.bundles import BundleManifest
from voirdire.records.contest import ContestResult
from voirdire.records.looks import LookLedger
from voirdire.records.operating import OperatingPoint
from voirdire.store.files import read_text, write_text

__all__ = [
    "SCHEMAS",
    "check_schema",
    "dump_document",
    "first_fault",
    "read_document",
    "write_document",
]

R = TypeVar("R", bound=Record)

SCHEMAS: dict[type[Record], tuple[str, str]] = {
    JudgeRun: ("voirdire/run", "1.0"),
    Splits: ("voirdire/splits", "1.0"),
    AgreementResult: ("voirdire/agreement", "1.0"),
    DecisionResult: ("voirdire/decision", "1.0"),
    InvarianceResult: ("voirdire/invariance", "1.0"),
    VarianceResult: ("voirdire/variance", "1.0"),
    PolicyResult: ("voirdire/policy", "1.0"),
    WatchResult: ("voirdire/watch", "1.0"),
    ReportDocument: ("voirdire/report", "1.0"),
    PeopleResult: ("voirdire/people", "1.0"),
    PushState: ("voirdire/push", "1.0"),
    PullResult: ("voirdire/pull", "1.0"),
    PersonCodes: ("voirdire/annotators", "1.0"),
    ScoreSettings: ("voirdire/score", "1.0"),
    ScoreSummary: ("voirdire/score-summary", "1.0"),
    BundleManifest: ("voirdire/bundle", "1.0"),
    ContestResult: ("voirdire/contest", "1.0"),
    OperatingPoint: ("voirdire/operating-point", "1.0"),
    LookLedger: ("voirdire/looks", "1.0"),
}
"""Record to (schema, version); the major version rises when an old reader would misread."""
_MADE_BY = {
    "agreement": "agree",
    "invariance": "agree",
    "decision": "agree",
    "people": "agree",
    "contest": "agree",
    "variance": "vary",
    "policy": "limits",
    "operating-point": "operate",
}
"""Result of a study to the verb that writes it."""


def dump_document(record: Record) -> str:
    """A record as the text of its file: schema first, two spaces, UTF-8, a line end."""
    schema, version = SCHEMAS[type(record)]
    body = {"schema": schema, "schema_version": version, **record.model_dump(mode="json")}
    return json.dumps(body, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def write_document(path: Path, record: Record) -> None:
    """Write a record to its file, whole or not at all."""
    write_text(path, dump_document(record))


def read_document(path: Path, kind: type[R]) -> R:
    """Read a file back.

    Raises
    ------
    SchemaError
        If it is of another kind, or of a newer major version.
    InputError
        If it is not JSON or a field is not allowed; the message names line or field.
    """
    schema, version = SCHEMAS[kind]
    try:
        body = json.loads(read_text(path))
    except ValueError as error:
        raise InputError(f"not JSON: {error}", where=str(path), todo=_remedy(path)) from error
    if not isinstance(body, dict):
        raise InputError("not a JSON object", where=str(path))
    check_schema(body, schema=schema, version=version, where=str(path))
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        raise InputError(first_fault(error), where=str(path)) from error


def _remedy(path: Path) -> str:
    """What makes a file anew, by the place it lies in."""
    verb = _MADE_BY.get(path.stem) if path.parent.name == "results" else None
    if verb is None:
        return "restore the file from a copy"
    return f"make it anew: 'voirdire {verb} {path.parent.parent}'"


def check_schema(body: dict[str, Any], *, schema: str, version: str, where: str) -> None:
    """Take ``schema`` and ``schema_version`` out of a body and hold them against ours.

    Raises
    ------
    SchemaError
        If the schema differs or the major version is newer.
    """
    found = str(body.pop("schema", ""))
    found_version = str(body.pop("schema_version", ""))
    if found != schema:
        raise SchemaError(
            f"the file's schema is {found!r}", where=where, allowed=f"schema {schema!r}"
        )
    major = found_version.partition(".")[0]
    known = version.partition(".")[0]
    if not major.isdigit() or int(major) > int(known):
        raise SchemaError(
            f"schema_version {found_version!r} is not known here",
            where=where,
            allowed=f"{schema} up to {known}.x",
            todo="upgrade voirdire",
        )


def first_fault(error: ValidationError) -> str:
    """The first thing pydantic found, as ``field: what, got value``."""
    item = error.errors()[0]
    field = ".".join(str(part) for part in item["loc"])
    if not field:  # of several fields together: our own validator says which, in its own words
        return item["msg"].removeprefix("Value error, ")
    got = repr(item.get("input"))
    return f"field {field}: {item['msg']}, got {got if len(got) <= 80 else got[:77] + '...'}"
