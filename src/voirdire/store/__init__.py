"""Where things lie: paths, whole files, append-only lines, seals and study.toml."""

from __future__ import annotations

from voirdire.store.documents import dump_document, read_document, write_document
from voirdire.store.files import read_text, write_bytes, write_text
from voirdire.store.histories import History, read_history
from voirdire.store.jsonl import Appender, Line, read_lines, repair_tail
from voirdire.store.layout import ClaimSetPaths, StudyPaths
from voirdire.store.lock import exclusive
from voirdire.store.seals import claims_digest, file_digest, json_digest, shown_digest
from voirdire.store.study import JudgeConfig, StudyConfig, dump_study, read_study
from voirdire.store.tables import checked, nearest, read_toml

__all__ = [
    "Appender",
    "ClaimSetPaths",
    "History",
    "JudgeConfig",
    "Line",
    "StudyConfig",
    "StudyPaths",
    "checked",
    "claims_digest",
    "dump_document",
    "dump_study",
    "exclusive",
    "file_digest",
    "json_digest",
    "nearest",
    "read_document",
    "read_history",
    "read_lines",
    "read_study",
    "read_text",
    "read_toml",
    "repair_tail",
    "shown_digest",
    "write_bytes",
    "write_document",
    "write_text",
]
