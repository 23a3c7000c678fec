"""rows.csv: one row per claim, judge and repeat, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from voirdire.errors import InputError, UsageError
from voirdire.labels import claims_of_study, references, standing_labels
from voirdire.records import AgreementResult, Claim, JudgeAgreement, LabelRecord, Verdict
from voirdire.reports import facts
from voirdire.reports.escape import csv_cell
from voirdire.store import StudyPaths, read_lines, read_study

__all__ = ["COLUMNS", "dump_rows", "rows_of_results", "rows_of_study"]

COLUMNS: Final[tuple[str, ...]] = (
    "claim_id",
    "family",
    "variant",
    "language",
    "topic",
    "judge",
    "run_id",
    "repeat",
    "outcome",
    "label",
    "reference",
    "right",
    "people",
    "score",
    "seconds",
    "attempts",
    "tokens_in",
    "tokens_out",
    "cost",
    "cached",
    "claim",
    "rationale",
    "evidence",
    "error",
)
"""Columns of rows.csv, in order. An empty cell is unknown; ``right`` is empty without judgment."""

_OF_VERDICT = (
    "claim_id",
    "run_id",
    "repeat",
    "outcome",
    "label",
    "score",
    "seconds",
    "attempts",
    "tokens_in",
    "tokens_out",
    "cost",
    "cached",
    "rationale",
    "evidence",
    "error",
)
RowDict = Mapping[str, object]


def dump_rows(rows: Iterable[RowDict], *, bom: bool = False) -> bytes:
    """Rows as the bytes of a CSV file (RFC 4180: comma, CRLF, quotes doubled, UTF-8).

    Parameters
    ----------
    rows : iterable of mapping
        Column to value; columns that are not in `COLUMNS` are refused, absent ones are empty.
    bom : bool
        Begin with a byte-order mark, by which Excel knows UTF-8.

    Raises
    ------
    ValueError
        If a row has a column that is not in `COLUMNS`.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        if unknown := sorted(set(row) - set(COLUMNS)):
            raise ValueError(f"columns must be among {', '.join(COLUMNS)}, got {unknown[0]!r}")
        writer.writerow([csv_cell(row.get(column)) for column in COLUMNS])
    return text.getvalue().encode("utf-8-sig" if bom else "utf-8", "backslashreplace")


def rows_of_study(paths: StudyPaths, agreement: AgreementResult) -> Iterator[RowDict]:
    """Every verdict of the runs the results stand on, beside its claim and what people said.

    Raises
    ------
    UsageError, InputError, StoreError
        If study.toml, a claim set or a run is not there or cannot be read.
    """
    found = claims_of_study(read_study(paths.config), paths.root)
    claims = {claim.id: claim for claim in found.claims}
    reference = references(found.claims, found.labels, view=agreement.view)
    people = _people(found.labels)
    for judge in agreement.judges:
        path = paths.verdicts(judge.run_id)
        if not path.is_file():
            raise UsageError("no such file", where=str(path), todo="restore the run's folder")
        for line in read_lines(path):
            try:
                verdict = Verdict.model_validate(line.value)
            except ValueError as error:
                raise InputError(
                    f"not a verdict: {error}", where=f"{path}:{line.number}"
                ) from error
            claim = claims.get(verdict.claim_id)
            label = reference.label_of(verdict.claim_id)
            yield _row(judge, verdict, claim, label, people.get(verdict.claim_id, ""))


def _row(
    judge: JudgeAgreement,
    verdict: Verdict,
    claim: Claim | None,
    reference: str | None,
    people: str,
) -> RowDict:
    right = None
    if verdict.label is not None and reference is not None:
        right = facts.was_right(verdict.label, reference, judge.view)
    about = (
        {}
        if claim is None
        else {
            "family": claim.family,
            "variant": claim.variant,
            "language": claim.language,
            "topic": claim.topic,
            "claim": claim.claim,
        }
    )
    return {
        **{name: getattr(verdict, name) for name in _OF_VERDICT},
        **about,
        "judge": judge.judge,
        "reference": reference,
        "right": right,
        "people": people,
    }


def _people(labels: Iterable[LabelRecord]) -> dict[str, str]:
    """Claim id to ``A1=supported; A2=contradicted``, by code."""
    said: dict[str, list[str]] = {}
    for record in standing_labels(labels):
        word = record.label or record.status
        said.setdefault(record.claim_id, []).append(f"{record.annotator}={word}")
    return {claim: "; ".join(sorted(words)) for claim, words in said.items()}


def rows_of_results(agreement: AgreementResult) -> Iterator[RowDict]:
    """What the results alone hold: the claims of the worst families, every repeat."""
    for judge in agreement.judges:
        for family in judge.worst:
            for member in family.members:
                for repeat, answer in enumerate(member.answers):
                    right = facts.was_right(answer, member.reference, judge.view)
                    judged = right is not None
                    yield {
                        "claim_id": member.claim_id,
                        "family": family.family,
                        "variant": member.variant,
                        "language": family.language,
                        "judge": judge.judge,
                        "run_id": judge.run_id,
                        "repeat": repeat,
                        "outcome": "judged" if judged else answer,
                        "label": answer if judged else None,
                        "reference": member.reference,
                        "right": right,
                        "people": "; ".join(f"{a}={b}" for a, b in sorted(member.people.items())),
                        "claim": member.claim,
                        "rationale": member.rationale,
                    }
