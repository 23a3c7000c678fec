"""Files of answers as they come: other tools' names, one text, nested lists, nulls, twins."""

from __future__ import annotations

import json

import pytest

from voirdire.errors import InputError, UsageError
from voirdire.metrics import AnswerFile


def jsonl(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read(path, **options):
    return list(AnswerFile(path, **options).checked())


OURS = {"id": "a", "question": "Q?", "contexts": ["c1", "c2"], "answer": "A.", "reference": "R."}


@pytest.mark.parametrize(
    "row",
    [
        OURS,
        {"id": "a", "user_input": "Q?", "retrieved_contexts": ["c1", "c2"], "response": "A.",
         "reference": "R."},
        {"id": "a", "input": "Q?", "retrieval_context": ["c1", "c2"], "actual_output": "A.",
         "expected_output": "R.", "context": ["the ideal one"]},
        {"id": "a", "Question": "Q?", "context_1": "c1", "context 2": "c2", "Answer": "A.",
         "ground_truths": ["R."]},
    ],
)  # fmt: skip
def test_names_of_other_tools(tmp_path, row) -> None:
    (answer,) = read(jsonl(tmp_path / "a.jsonl", row))
    assert (answer.question, answer.contexts, answer.answer, answer.reference) == (
        "Q?", ("c1", "c2"), "A.", "R.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("contexts", "wanted", "note"),
    [
        ("one text", ("one text",), "taken as one chunk"),
        ('["a", "b"]', ("a", "b"), ""),
        ("['a', 'b']", ("a", "b"), ""),
        ("[not a list]", ("[not a list]",), "taken as one chunk"),
        ([["a"], ["b", "c"]], ("a", "b", "c"), "put in a row"),
        ([{"page_content": "a"}, {"text": "b"}], ("a", "b"), ""),
        (["a", None, "c"], ("a", "", "c"), ""),
        ([], (), ""), (None, (), ""), ("", (), ""),
    ],
)  # fmt: skip
def test_contexts_of_every_shape(tmp_path, contexts, wanted, note) -> None:
    source = AnswerFile(jsonl(tmp_path / "a.jsonl", {**OURS, "contexts": contexts}))
    (answer,) = list(source)
    assert answer.contexts == wanted
    assert (note in " ".join(source.notes)) if note else not source.notes


def test_contexts_that_hold_no_text_are_refused_with_their_place(tmp_path) -> None:
    path = jsonl(tmp_path / "a.jsonl", OURS, {**OURS, "id": "b", "contexts": [{"score": 1}]})
    with pytest.raises(InputError, match=r"a\.jsonl:2: an object without a text"):
        read(path)
    with pytest.raises(InputError, match="int is no context"):
        read(jsonl(path, {**OURS, "contexts": 7}))


def test_a_context_of_two_megabytes(tmp_path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'id,question,contexts,answer\na,Q?,"{"word " * 400_000}",A.\n')
    (answer,) = read(path)
    assert len(answer.contexts[0]) == 2_000_000


def test_csv_with_semicolons_lists_and_truth_values(tmp_path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(
        "\ufeffid;question;contexts;answer;answerable\n"
        'a;"Was kostet\nBasic?";"[""c1"", ""c2""]";12 Euro.;no\n'.encode()
    )
    (answer,) = read(path)
    assert answer.contexts == ("c1", "c2")
    assert answer.question == "Was kostet\nBasic?"
    assert answer.should_refuse is True
    path.write_text("id,contexts,answer,should_refuse\na,c,A.,maybe\n")
    with pytest.raises(InputError, match="'maybe' is neither yes nor no"):
        read(path)


def test_parquet_with_nulls(tmp_path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    table = pa.table(
        {
            "id": ["a", "b", "c"],
            "question": ["Q?", None, "Q?"],
            "contexts": [["c1", None], None, []],
            "answer": ["A.", None, "B."],
            "should_refuse": [True, None, False],
        }
    )
    write_table(table, tmp_path / "a.parquet")
    one, two, three = read(tmp_path / "a.parquet")
    assert (one.contexts, one.should_refuse) == (("c1", ""), True)
    assert (two.question, two.contexts, two.answer, two.should_refuse) == ("", (), "", None)
    assert three.contexts == ()
    (tmp_path / "b.parquet").write_bytes(b"PAR1 not")
    with pytest.raises(InputError, match="not Parquet"):
        read(tmp_path / "b.parquet")


def test_wrong_column_names_suggest_the_nearest(tmp_path) -> None:
    path = jsonl(tmp_path / "a.jsonl", {"question": "Q?", "contexts": ["c"], "answr": "A."})
    with pytest.raises(UsageError, match=r"no column for the answer.*--column answer=answr"):
        read(path)
    (answer,) = read(path, columns={"answer": "answr"})
    assert (answer.answer, answer.id) == ("A.", "line-1")
    with pytest.raises(UsageError, match="no column 'answers'"):
        read(path, columns={"answer": "answers"})
    with pytest.raises(UsageError, match="unknown field 'anser'.*did you mean 'answer'"):
        read(path, columns={"anser": "answr"})
    with pytest.raises(UsageError, match="unknown field 'lang'"):
        read(path, stratify=["lang"])


def test_twin_ids_are_all_named_before_anything_is_asked(tmp_path) -> None:
    rows = [OURS, {**OURS, "answer": "B."}, {**OURS, "answer": "C."}]
    with pytest.raises(InputError, match=r"2 ids stand twice.*a\.jsonl:2.*a\.jsonl:3"):
        read(jsonl(tmp_path / "a.jsonl", *rows))


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("a.jsonl", "", "holds no answer"),
        ("a.jsonl", "{broken\n", r"a\.jsonl:1: not a JSON object"),
        ("a.jsonl", "[1]\n", "not a JSON object"),
        ("a.json", "{}", "not a JSON array"),
        ("a.csv", "id,contexts,answer\na,b\n", r"a\.csv:2: the row has 2 cells"),
        ("a.csv", 'id,contexts,answer\na,"b,c\n', r"a\.csv:2: not CSV"),
    ],
)
def test_broken_files_say_where(tmp_path, name, text, match) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=match):
        read(tmp_path / name)


def test_other_kinds_of_files_are_refused(tmp_path) -> None:
    (tmp_path / "a.xlsx").write_text("")
    with pytest.raises(UsageError, match=r"files of kind '\.xlsx' are not read"):
        AnswerFile(tmp_path / "a.xlsx")
    with pytest.raises(UsageError, match="no such file"):
        AnswerFile(tmp_path / "none.jsonl")


def test_a_json_array_and_strata(tmp_path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{**OURS, "language": "it", "kind": "price"}]))
    (answer,) = read(path, stratify=["language", "kind"])
    assert answer.stratum == "language:it kind:price"


def test_half_characters_do_not_come_further(tmp_path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "contexts": ["\\ud800"], "answer": "\\udfff ok"}\n')
    (answer,) = read(path)
    assert (answer.contexts, answer.answer) == (("?",), "? ok")
