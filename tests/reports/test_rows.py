"""rows.csv: one row per claim, judge and repeat, and nothing a spreadsheet would run."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.reports import report_factory as make
from voirdire.records import Claim, LabelRecord
from voirdire.reports.rows import COLUMNS, dump_rows, rows_of_results, rows_of_study
from voirdire.store import (
    Appender,
    ClaimSetPaths,
    JudgeConfig,
    StudyConfig,
    StudyPaths,
    dump_study,
    write_text,
)


def parsed(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def append(path: Path, *values: dict) -> None:
    with Appender(path) as out:
        for value in values:
            out.append(value)


@pytest.fixture
def asked_twice(tmp_path: Path) -> StudyPaths:
    """A study of two claims and one judge asked twice; one answer failed."""
    labels = ClaimSetPaths(tmp_path / "labels" / "tiny")
    texts = {"original": "=1+1, says the plan", "negation": 'It does\nnot, "ever"'}
    people = {"original": "supported", "negation": "contradicted"}
    for variant, text in texts.items():
        claim = Claim(
            id=f"f-{variant}",
            family="f",
            variant=variant,
            claim=text,
            context=("A chunk.",),
            language="en",
        )
        append(labels.claims, claim.model_dump(mode="json"))
        for code in ("A1", "A2"):
            label = LabelRecord(
                id=f"{code}-{variant}", claim_id=claim.id, annotator=code, label=people[variant]
            )
            append(labels.labels, label.model_dump(mode="json"))
    paths = StudyPaths(tmp_path / "reports" / "trial")
    config = StudyConfig(
        name="trial",
        labels=(str(labels.root),),
        judges=(JudgeConfig(name="lexical", use="lexical"),),
    )
    write_text(paths.config, dump_study(config))
    for repeat in (0, 1):
        for variant in texts:
            failed = repeat == 1 and variant == "negation"
            append(
                paths.verdicts("lexical-001"),
                {
                    "run_id": "lexical-001",
                    "repeat": repeat,
                    "claim_id": f"f-{variant}",
                    "at": "2030-01-01T00:00:00Z",
                    "outcome": "failed" if failed else "judged",
                    "label": None if failed else "supported",
                    "error": "+boom" if failed else None,
                    "score": -0.5,
                },
            )
    return paths


def test_one_row_per_claim_judge_and_repeat(asked_twice: StudyPaths) -> None:
    agreement = make.agreement(make.judge())
    rows = parsed(dump_rows(rows_of_study(asked_twice, agreement)))
    assert [(row["claim_id"], row["repeat"]) for row in rows] == [
        ("f-original", "0"),
        ("f-negation", "0"),
        ("f-original", "1"),
        ("f-negation", "1"),
    ]
    assert [row["right"] for row in rows] == ["yes", "no", "yes", ""]
    assert [row["reference"] for row in rows] == ["supported", "contradicted"] * 2
    assert rows[0]["people"] == "A1=supported; A2=supported"
    assert rows[0]["claim"] == "'=1+1, says the plan"
    assert rows[1]["claim"] == 'It does\nnot, "ever"'
    assert (rows[3]["outcome"], rows[3]["label"], rows[3]["error"]) == ("failed", "", "'+boom")
    assert rows[0]["score"] == "-0.5"
    assert rows[0]["cost"] == ""


def test_the_file_is_rfc_4180(asked_twice: StudyPaths) -> None:
    data = dump_rows(rows_of_study(asked_twice, make.agreement(make.judge())))
    assert data.startswith(",".join(COLUMNS).encode() + b"\r\n")
    assert data.endswith(b"\r\n")
    assert b'"It does\nnot, ""ever"""' in data


def test_bom_on_demand() -> None:
    assert dump_rows([], bom=True)[:3] == b"\xef\xbb\xbf"
    assert dump_rows([])[:3] == b"cla"


def test_results_alone_give_the_worst_families() -> None:
    agreement, _ = make.hostile()
    rows = parsed(dump_rows(rows_of_results(agreement)))
    assert len(rows) == 2 * 3 * 3
    assert {row["outcome"] for row in rows} == {"judged", "failed"}
    assert max(len(cell) for row in rows for cell in row.values()) < 32_767


def test_no_cell_of_hostile_text_starts_a_formula_or_hides_a_character() -> None:
    agreement, _ = make.hostile()
    for row in parsed(dump_rows(rows_of_results(agreement))):
        for cell in row.values():
            assert not cell.startswith(("=", "+", "@", "\t", "\r"))
            assert not set(cell) & set("\x00\x1b\u202e\u202c")


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(ValueError, match="columns must be among claim_id, .* got 'secret'"):
        dump_rows([{"claim_id": "a", "secret": 1}])
