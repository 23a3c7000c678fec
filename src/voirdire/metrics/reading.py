"""Files of answers: JSON lines, CSV or Parquet, under our names, Ragas' or DeepEval's."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from voirdire.errors import Fault, InputError, UsageError
from voirdire.metrics.contexts import chunks_of, text_of, truth_of
from voirdire.records import Answer, trusted
from voirdire.store import nearest
from voirdire.store.delimited import long_cells, seen_encoding, seen_separator
from voirdire.store.documents import first_fault
from voirdire.store.files import reported

__all__ = ["FIELDS", "AnswerFile"]

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("id", "answer_id", "trace_id"),
    "question": ("question", "user_input", "query", "input", "prompt"),
    "contexts": (
        *("contexts", "retrieved_contexts", "retrieval_context", "context", "chunks"),
        "documents",
    ),
    "answer": ("answer", "response", "actual_output", "output"),
    "reference": (
        *("reference", "expected_output", "ground_truth", "ground_truths", "reference_answer"),
    ),
    "should_refuse": ("should_refuse", "unanswerable"),
    "answerable": ("answerable",),
    "language": ("language", "lang"),
    "kind": ("kind", "question_kind", "question_type", "synthesizer_name"),
    "stratum": ("stratum",),
}
"""Field to the column names it is known by, the first that is there taken: ours, Ragas'
(``user_input`` …), DeepEval's (``actual_output`` …)."""

_NEEDED: Final = ("answer", "contexts")
_USUAL: Final = frozenset({"id", "question", "contexts", "answer"})
_CHUNK_COLUMN: Final = re.compile(r"contexts?_?\d+")
_MOST_CELL: Final = 1 << 30
_SHOWN_FAULTS: Final = 5
_LONGEST_ID: Final = 200


class AnswerFile:
    """A file of answers, read as often as wanted, one answer at a time.

    Parameters
    ----------
    path : Path
        ``.jsonl``/``.ndjson``, ``.csv``/``.tsv``/``.txt`` or ``.parquet``.
    columns : mapping of str to str
        Field to column, where a column goes by a name we do not know.
    language : str or None
        Of answers that do not say.
    stratify : sequence of str
        Fields that make the strata of a sample: ``language``, ``kind``, ``should_refuse``,
        ``stratum``.

    Attributes
    ----------
    notes : Counter of str
        What was taken for what, and how often, in the last pass.

    Raises
    ------
    UsageError
        If the file is not there, its kind is not known, or a mapped field is not known.
    """

    def __init__(
        self,
        path: Path,
        *,
        columns: Mapping[str, str] | None = None,
        language: str | None = None,
        stratify: Iterable[str] = (),
    ) -> None:
        if not path.is_file():
            raise UsageError("no such file", where=str(path), todo="check the path")
        self.path = path
        self.notes: Counter[str] = Counter()
        self._columns = dict(columns or {})
        self._language = language
        self._stratify = tuple(stratify)
        self._rows = _reader_of(path)
        self._plans: dict[tuple[str, ...], tuple[dict[str, str], tuple[str, ...]]] = {}
        _refuse_unknown(self._columns, FIELDS, "--column")
        _refuse_unknown(
            self._stratify, ("language", "kind", "should_refuse", "stratum"), "--strata"
        )

    def __iter__(self) -> Iterator[Answer]:
        """The answers, in file order.

        Raises
        ------
        InputError
            For a row that is no answer, with file, line and field.
        UsageError
            If a column is missing; the nearest is suggested.
        StoreError
            If the file cannot be read.
        """
        self.notes.clear()
        for line, row in self._rows(self.path):
            yield self._answer(line, row)

    def checked(self) -> Iterator[Answer]:
        """The answers; at the end everything that is wrong with ids is said at once.

        Raises
        ------
        InputError
            Besides what `__iter__` raises: for ids that stand twice, and a file without answers.
        """
        first: dict[str, int] = {}
        twins: list[Fault] = []
        for answer in self:
            if answer.id in first:
                twins.append(
                    Fault(
                        f"the id {answer.id!r} stands in line {first[answer.id]} too",
                        f"{self.path}:{answer.line}",
                    )
                )
            else:
                first[answer.id] = answer.line
            yield answer
        if twins:
            shown = "; ".join(str(fault).rstrip(".") for fault in twins[:_SHOWN_FAULTS])
            more = f"; and {len(twins) - _SHOWN_FAULTS} more" if len(twins) > _SHOWN_FAULTS else ""
            raise InputError(
                f"{len(twins)} ids stand twice: {shown}{more}",
                todo="give each answer an id of its own, or leave the column out",
            )
        if not first:
            raise InputError(
                "the file holds no answer", where=str(self.path), allowed="one answer a line or row"
            )

    def _answer(self, line: int, row: Mapping[str, Any]) -> Answer:
        where = f"{self.path}:{line}"
        names = tuple(row)
        found = self._plans.get(names)
        if found is None:
            found = self._plans[names] = self._planned(names, where)
        plan, chunk_columns = found
        said = {field: row.get(column) for field, column in plan.items()}
        raw = [row[name] for name in chunk_columns] if chunk_columns else said.get("contexts")
        values: dict[str, Any] = {
            "id": text_of(said.get("id")).strip() or f"line-{line}",
            "question": text_of(said.get("question")),
            "contexts": chunks_of(raw, where=where, notes=self.notes),
            "answer": text_of(said.get("answer")),
            "line": line,
        }
        if not said.keys() <= _USUAL:
            values["reference"] = text_of(said.get("reference")) or None
            values["should_refuse"] = _should_refuse(said, where)
            values["kind"] = text_of(said.get("kind")).strip() or None
        values["language"] = text_of(said.get("language")).strip() or self._language
        if self._stratify:
            parts = {**values, "stratum": text_of(said.get("stratum"))}
            values["stratum"] = " ".join(f"{one}:{parts.get(one)}" for one in self._stratify)
        if len(values["id"]) <= _LONGEST_ID:  # nothing else can be wrong: see `text_of`
            return trusted(Answer, values)
        try:
            return Answer(**values)
        except ValidationError as error:
            raise InputError(first_fault(error), where=where) from error

    def _planned(
        self, names: tuple[str, ...], where: str
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        """Field to column, and the columns that hold one chunk each."""
        plain = {re.sub(r"[\s-]+", "_", name.strip().casefold()): name for name in names}
        plan: dict[str, str] = {}
        for field, known in FIELDS.items():
            if field in self._columns:
                if self._columns[field] not in names:
                    raise _no_column(field, self._columns[field], names, where)
                plan[field] = self._columns[field]
                continue
            found = next((plain[name] for name in known if name in plain), None)
            if found is not None:
                plan[field] = found
        chunks = () if "contexts" in plan else tuple(
            plain[name] for name in plain if _CHUNK_COLUMN.fullmatch(name)
        )  # fmt: skip
        for field in _NEEDED:
            if field not in plan and not (field == "contexts" and chunks):
                raise _no_column(field, field, names, where)
        return plan, chunks


def _refuse_unknown(given: Iterable[str], known: Iterable[str], where: str) -> None:
    allowed = list(known)
    for name in given:
        if name not in allowed:
            guess = nearest(name, allowed)
            raise UsageError(
                f"unknown field {name!r}",
                where=where,
                allowed=", ".join(allowed),
                todo=f"did you mean {guess!r}?" if guess else "",
            )


def _no_column(field: str, wanted: str, names: Iterable[str], where: str) -> UsageError:
    there = list(names)
    near = [nearest(name, there) for name in (wanted, *FIELDS[field])]
    guess = next((name for name in near if name), "")
    return UsageError(
        f"no column {wanted!r}" if wanted != field else f"no column for the {field}",
        where=where,
        allowed=f"one of {', '.join(FIELDS[field])}; the file has {', '.join(there)}",
        todo=f"did you mean {guess!r}? Then say --column {field}={guess}"
        if guess
        else f"name it: --column {field}=COLUMN",
    )


def _should_refuse(said: Mapping[str, Any], where: str) -> bool | None:
    found = truth_of(said.get("should_refuse"), where=f"{where} should_refuse")
    if found is None and said.get("answerable") is not None:
        answerable = truth_of(said["answerable"], where=f"{where} answerable")
        return None if answerable is None else not answerable
    return found


def _reader_of(path: Path) -> Any:
    suffix = path.suffix.lower()
    readers = {
        **dict.fromkeys((".jsonl", ".ndjson", ".json"), _json_rows),
        **dict.fromkeys((".csv", ".tsv", ".txt"), _csv_rows),
        **dict.fromkeys((".parquet", ".pq"), _parquet_rows),
    }
    if suffix not in readers:
        raise UsageError(
            f"files of kind {suffix or '(no suffix)'!r} are not read",
            where=str(path),
            allowed=", ".join(readers),
        )
    return readers[suffix]


def _json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if path.suffix.lower() == ".json":
        yield from _json_array(path)
        return
    with reported(path, "read the file"), path.open("rb") as handle:
        for number, raw in enumerate(handle, start=1):
            if not raw.strip():
                continue
            try:
                value = json.loads(raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw)
            except (ValueError, RecursionError) as error:
                raise InputError(
                    f"not a JSON object: {error}", where=f"{path}:{number}", allowed="JSON lines"
                ) from error
            yield number, _as_row(value, f"{path}:{number}")


def _json_array(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with reported(path, "read the file"):
        data = path.read_bytes()
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"not JSON: {error}", where=str(path), allowed="a JSON array of objects"
        ) from error
    if not isinstance(values, list):
        raise InputError("not a JSON array", where=str(path), allowed="a JSON array of objects")
    for number, value in enumerate(values, start=1):
        yield number, _as_row(value, f"{path} item {number}")


def _as_row(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError("not a JSON object", where=where, allowed="one answer as an object")
    return value


def _csv_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with reported(path, "read the file"), path.open("rb") as binary:
        head = binary.read(1 << 16)
    plain, encoding = seen_encoding(head)
    separator = "\t" if path.suffix.lower() == ".tsv" else seen_separator(
        plain.decode(encoding, "ignore")
    )  # fmt: skip
    codec = "utf-8-sig" if encoding == "utf-8" else encoding
    line = 1
    with (
        reported(path, "read the file"),
        path.open("r", encoding=codec, newline="") as handle,
        long_cells(_MOST_CELL),
    ):
        reader = csv.reader(handle, delimiter=separator, strict=True)
        try:
            names = [name.strip().lstrip("\ufeff") for name in next(reader, [])]
            line = reader.line_num + 1
            for cells in reader:
                if len(cells) != len(names) and any(cells):
                    raise InputError(
                        f"the row has {len(cells)} cells, the first row {len(names)}",
                        where=f"{path}:{line}",
                        todo="put cells that hold the separator or a line end into double quotes",
                    )
                if any(cells):
                    yield line, dict(zip(names, cells, strict=True))
                line = reader.line_num + 1
        except csv.Error as error:
            raise InputError(f"not CSV from here on: {error}", where=f"{path}:{line}") from error
        except UnicodeDecodeError as error:
            raise InputError(
                f"not {encoding}: byte 0x{error.object[error.start]:02x}",
                where=f"{path}:{line}",
                todo="save the file as UTF-8",
            ) from error


def _parquet_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise UsageError(
            "Parquet is read with the package pyarrow, which is not installed",
            where=str(path),
            todo="run: python -m pip install 'voirdire[parquet]'",
        ) from error
    number = 0
    try:
        with reported(path, "read the file"), ParquetFile(path) as source:
            for batch in source.iter_batches(batch_size=512):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except ArrowException as error:
        raise InputError(f"not Parquet: {error}", where=str(path)) from error
