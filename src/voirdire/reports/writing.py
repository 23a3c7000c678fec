"""From the results of a study to the files of its report."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from voirdire.errors import UsageError, VoirdireError
from voirdire.records import (
    AgreementResult,
    DecisionResult,
    InvarianceResult,
    PeopleResult,
    PolicyResult,
    Record,
    ReportDocument,
    VarianceResult,
)
from voirdire.records.contest import ContestResult
from voirdire.records.operating import OperatingPoint
from voirdire.reports.circumstances import find_circumstances
from voirdire.reports.document import make_report
from voirdire.reports.page import render_memo, render_page
from voirdire.reports.rows import dump_rows, rows_of_results, rows_of_study
from voirdire.reports.summary import render_summary
from voirdire.store import StudyPaths, dump_document, read_document, write_bytes, write_text

__all__ = ["MEMO", "SUMMARY", "report_of_study", "write_report"]

R = TypeVar("R", bound=Record)
SUMMARY = "report.md"
MEMO = "memo.html"


def write_report(
    paths: StudyPaths,
    *,
    language: str = "en",
    bom: bool = False,
    rows: Iterable[Mapping[str, object]] | None = None,
) -> list[Path]:
    """Write report.html, report.json, rows.csv, report.md and memo.html from a study's results.

    The same results give the same bytes: no clock is read, and time and versions are those of the
    results.

    Parameters
    ----------
    paths : StudyPaths
        ``results/agreement.json`` and ``results/decision.json`` must lie there.
    language : {"en", "it"}
        Of page, summary and memo.
    bom : bool
        Begin rows.csv with a byte-order mark, for Excel.
    rows : iterable of mapping, optional
        Rows for rows.csv, keyed by `voirdire.reports.rows.COLUMNS`; by default they are read from
        the study's runs and claim sets.

    Returns
    -------
    list of Path
        The files written: page, JSON, rows, summary, memo.

    Warns
    -----
    UserWarning
        If the study's claim sets or runs are not there any more: rows.csv then holds only what
        the results hold.

    Raises
    ------
    UsageError
        If there are no results yet.
    InputError, SchemaError, StoreError
        As `read_document` and `write_text`.
    ValueError
        If there is no such language.
    """
    report = report_of_study(paths, language=language)
    agreement = report.agreement
    # All is made before the first file is written: a fault leaves the old report whole.
    page, summary, document = render_page(report), render_summary(report), dump_document(report)
    memo = render_memo(report)
    table = dump_rows(_rows(paths, agreement) if rows is None else rows, bom=bom)
    write_text(paths.report_document, document)
    write_bytes(paths.rows, table)
    write_text(paths.root / SUMMARY, summary)
    write_text(paths.root / MEMO, memo)
    write_text(paths.page, page)
    return [paths.page, paths.report_document, paths.rows, paths.root / SUMMARY, paths.root / MEMO]


def report_of_study(paths: StudyPaths, *, language: str = "en") -> ReportDocument:
    """The report of a study from what lies on disk.

    Warns
    -----
    UserWarning
        If an optional result is there but cannot be read; the report says it is absent.

    Raises
    ------
    UsageError, InputError, SchemaError
        As `read_results`.
    """
    agreement, decision = read_results(paths)
    return make_report(
        agreement,
        decision,
        language=language,
        invariance=_optional(paths, "invariance", InvarianceResult, agreement),
        variance=_optional(paths, "variance", VarianceResult, agreement),
        policy=_optional(paths, "policy", PolicyResult, agreement),
        people=_optional(paths, "people", PeopleResult, agreement),
        contest=_optional(paths, "contest", ContestResult, agreement),
        operating=_optional(paths, "operating-point", OperatingPoint, agreement),
        circumstances=find_circumstances(paths, agreement),
    )


def _optional(paths: StudyPaths, name: str, kind: type[R], agreement: AgreementResult) -> R | None:
    """A result that a page can do without: absent, of another study or unreadable is None."""
    path = paths.result(name)
    if not path.is_file():
        return None
    try:
        found = read_document(path, kind)
    except VoirdireError as error:
        warnings.warn(f"left out of the report: {error}", stacklevel=4)
        return None
    if getattr(found, "study", agreement.study) != agreement.study:
        warnings.warn(f"left out of the report: {path} is of another study", stacklevel=4)
        return None
    return found


def read_results(paths: StudyPaths) -> tuple[AgreementResult, DecisionResult]:
    """The results a report is made from.

    Raises
    ------
    UsageError
        If one is not there yet.
    """
    for name in ("agreement", "decision"):
        if not paths.result(name).is_file():
            raise UsageError(
                f"the study has no {name} result yet",
                where=str(paths.result(name)),
                todo=f"run 'voirdire agree {paths.root}' first",
            )
    return (
        read_document(paths.result("agreement"), AgreementResult),
        read_document(paths.result("decision"), DecisionResult),
    )


def _rows(paths: StudyPaths, agreement: AgreementResult) -> list[Mapping[str, object]]:
    try:
        return list(rows_of_study(paths, agreement))
    except UsageError as error:
        warnings.warn(
            f"rows.csv holds only the families the judges got wrong most: {error}", stacklevel=3
        )
        return list(rows_of_results(agreement))
