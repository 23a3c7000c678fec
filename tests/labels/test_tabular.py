"""Tables: what separates, encodes and shifts them, and that text comes through as it is."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import UsageError
from voirdire.labels import ImportOptions, ImportSummary, SourceError, import_file, load_claim_set


def load(tmp_path: Path, data: bytes | str, name: str = "t.csv", **options: Any) -> Any:
    options = {"language": "en", **options}
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    into = tmp_path / "set"
    summary: ImportSummary = import_file(
        path, into, options=ImportOptions(**options), replace_set=True
    )
    return load_claim_set(into), summary


def refused(tmp_path: Path, data: bytes | str, **options: Any) -> str:
    with pytest.raises(SourceError) as caught:
        load(tmp_path, data, **options)
    assert not (tmp_path / "set").exists()
    assert len(caught.value.faults) == 1
    return str(caught.value.faults[0])


PLAIN = "id,claim,context,label\n1,It costs 12.,Costs 12 euros.,supported\n"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_encodings_and_line_ends_are_seen(
    tmp_path: Path, separator: str, encoding: str, end: str
) -> None:
    text = PLAIN.replace("12.", "12 € überall.").replace(",", separator).replace("\n", end)
    made, summary = load(tmp_path, text.encode(encoding))
    assert made.claims[0].claim == "It costs 12 € überall."
    assert summary.labels == {"supported": 1}
    assert any(note.startswith("cells are separated by ") for note in summary.notes)


def test_other_encodings_by_name(tmp_path: Path) -> None:
    data = PLAIN.replace("12.", "12 €.").encode("cp1252")
    fault = refused(tmp_path, data)
    assert "byte 37 (0x80) is not UTF-8" in fault
    assert "--encoding cp1252" in fault
    made, _ = load(tmp_path, data, encoding="cp1252")
    assert made.claims[0].claim == "It costs 12 €."
    with pytest.raises(UsageError, match="unknown encoding 'latin-99'"):
        load(tmp_path, data, encoding="latin-99")


def test_quoted_line_ends_separators_and_quotes(tmp_path: Path) -> None:
    text = 'claim,context,label\n"a, ""b""\nc","one\r\ntwo",supported\nnext,here,bad label\n'
    fault = refused(tmp_path, text)
    assert f"{tmp_path}/t.csv:5: unknown label 'bad label'" in fault
    made, _ = load(tmp_path, text.replace("bad label", "supported"))
    assert made.claims[0].claim == 'a, "b"\nc'
    assert made.claims[0].context == ("one\r\ntwo",)


@pytest.mark.parametrize("cell", ["=SUM(A1:A2)", "+41 22", "-5 degrees", "@home", "=cmd|'/c'!A1"])
def test_formula_like_cells_are_text(tmp_path: Path, cell: str) -> None:
    made, _ = load(tmp_path, f"claim,context\n{cell},{cell}\n")
    assert (made.claims[0].claim, made.claims[0].context) == (cell, (cell,))


def test_an_unquoted_comma_is_a_row_of_another_width(tmp_path: Path) -> None:
    assert refused(tmp_path, PLAIN + "2,a, b,Context.,supported\n") == (
        f"{tmp_path}/t.csv:3: the row has 5 cells, the first row 4. "
        "allowed: as many cells as the first row. "
        "put cells that hold the separator or a line end into double quotes."
    )
    made, summary = load(tmp_path, PLAIN + "2,a, b,Context.,supported\n", skip_faulty=True)
    assert summary.excluded == {"row of another width": 1}
    assert (summary.rows, len(made.claims)) == (2, 1)


def test_open_quotes_are_refused_even_when_rows_may_be_left_out(tmp_path: Path) -> None:
    text = PLAIN + '2,"never closed,Context.,supported\n3,x,y,supported\n'
    fault = refused(tmp_path, text, skip_faulty=True)
    assert f"{tmp_path}/t.csv:3: not CSV from here on" in fault


@pytest.mark.parametrize("text", ["", "\n\n", "claim,context\n", "\ufeff"])
def test_empty_tables(tmp_path: Path, text: str) -> None:
    assert f"{tmp_path}/t.csv: " in refused(tmp_path, text)


def test_nul_in_a_table(tmp_path: Path) -> None:
    assert "is NUL" in refused(tmp_path, PLAIN.encode() + b"2,a\0b,c,supported\n")


def test_columns_by_name(tmp_path: Path) -> None:
    text = "Nr;Aussage;Quelle;Urteil;Redaktion\n7;Das kostet 12 €.;Es kostet 12 €.;passt;Wien\n"
    made, summary = load(
        tmp_path,
        text,
        language="de",
        columns={
            "id": ("Nr",), "claim": ("Aussage",), "context": ("Quelle",), "label": ("Urteil",),
        },
        label_map={"passt": "supported"},
    )  # fmt: skip
    only = made.claims[0]
    assert (only.id, only.claim, only.meta) == ("7", "Das kostet 12 €.", {"Redaktion": "Wien"})
    assert summary.labels == {"supported": 1}


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load(tmp_path, PLAIN, columns={"claim": ("clam",)})
    assert str(caught.value) == (
        f"{tmp_path}/t.csv:1: no column 'clam'. allowed: id, claim, context, label. "
        "did you mean 'claim'?"
    )
    with pytest.raises(UsageError, match=r"no column for the context.*--column context='content'"):
        load(tmp_path, "claim,content\na,b\n")
    with pytest.raises(UsageError, match=r"unknown field 'lable'.*did you mean 'label'"):
        load(tmp_path, PLAIN, columns={"lable": ("label",)})
    with pytest.raises(UsageError, match="2 columns for 'claim'"):
        load(tmp_path, "claim,claim,context\na,b,c\n")


def test_several_annotators_are_several_columns(tmp_path: Path) -> None:
    text = "claim,context,A,B\nx,y,yes,no\nz,y,yes,\n"
    made, summary = load(tmp_path, text, annotator_columns={"a1": "A", "b1": "B"})
    assert summary.annotators == {"a1": 2, "b1": 1}
    assert summary.without_reference == {"tie": 1}
    assert {one.role for one in made.labels} == {"annotator"}


def test_context_columns_and_separator(tmp_path: Path) -> None:
    made, _ = load(tmp_path, "claim,context_1,context 2,context\na,one,,three\n")
    assert made.claims[0].context == ("one", "three")
    made, _ = load(tmp_path, "claim,context\na,one || two ||\n", context_separator="||")
    assert made.claims[0].context == ("one", "two")
    with pytest.raises(SourceError, match="the context is empty"):
        load(tmp_path, "claim,context\na,\n")


def test_a_cell_larger_than_the_csv_modules_limit(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    made, _ = load(tmp_path, f"claim,context\na,{'y' * 200_000}\n")
    assert len(made.claims[0].context[0]) == 200_000
    assert csv.field_size_limit() == before


TEXT = st.text(
    st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("\n\r\t,;|\"'=+-@"), min_size=1
).filter(lambda text: bool(text.strip()) and not set(text) & {"\x0b"})


@settings(deadline=None, max_examples=60)
@given(
    rows=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4),
    separator=st.sampled_from([",", ";", "\t", "|"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    everything_quoted=st.booleans(),
)
def test_any_text_comes_through(
    rows: list[tuple[str, str]], separator: str, encoding: str, everything_quoted: bool
) -> None:
    quoting: Any = csv.QUOTE_ALL if everything_quoted else csv.QUOTE_MINIMAL
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, quoting=quoting)
    writer.writerows([("claim", "context"), *rows])
    with tempfile.TemporaryDirectory() as folder:
        made, _ = load(Path(folder), out.getvalue().encode(encoding))
    assert [(one.claim, one.context) for one in made.claims] == [
        (claim, (context,)) for claim, context in rows
    ]
