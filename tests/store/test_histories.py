"""Score histories: what is read, what is refused, and where it says so."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from voirdire.errors import InputError, UsageError
from voirdire.store import read_history


def written(tmp_path: Path, text: str, name: str = "h.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_csv_with_gaps_counts_and_zones(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "time,score,n,failures,judge\n2026-03-01T10:00:00+01:00,0.9,60,2,abc\n"
        "2026-03-08T09:00:00Z,,60,60,abc\n\n",
    )
    one, two = read_history(path)
    assert one.time == datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert (one.score, one.n, one.judged, one.judge) == (0.9, 60, 58, "abc")
    assert two.score is None  # a gap, not a zero
    assert two.judged == 0


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
def test_delimiters_and_a_byte_order_mark(tmp_path: Path, delimiter: str) -> None:
    text = "\ufefftime,score\n2026-03-01,0.9\n".replace(",", delimiter)
    assert read_history(written(tmp_path, text))[0].score == 0.9


def test_json_lines_with_slices(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '{"time": "2026-03-01", "score": null}\n'
        '{"time": "2026-03-02", "score": 0.8, "slices": {"language:en": {"n": 4, "score": 0.8}}}\n',
        "h.jsonl",
    )
    gap, two = read_history(path)
    assert gap.score is None
    assert two.slices["language:en"].n == 4


def test_order_is_mended_and_said(tmp_path: Path) -> None:
    history = read_history(written(tmp_path, "time,score\n2026-03-08,0.8\n2026-03-01,0.9\n"))
    assert [point.score for point in history] == [0.9, 0.8]
    assert "not in the order of time" in " ".join(history.notes)
    assert "taken as UTC" in " ".join(history.notes)


def test_kappa_may_be_negative_and_others_not(tmp_path: Path) -> None:
    path = written(tmp_path, "time,score\n2026-03-08,-0.2\n")
    assert read_history(path, signal="kappa")[0].score == -0.2
    with pytest.raises(InputError, match=r"h.csv:2 score: the score -0.2 is out of range"):
        read_history(path)


BAD = [
    ("time,score\n2026-03-01,NaN\n", r":2 score: 'NaN' is not a number.*leave a gap empty"),
    ("time,score\n2026-03-01,inf\n", r":2 score: 'inf' is not a number"),
    ("time,score\n2026-03-01,good\n", r":2 score: 'good' is not a number.*nothing for a gap"),
    ("time,score\n2026-03-01,85\n", r":2 score: the score 85 is out of range.*divided by 100"),
    ("time,score\n2026-03-01,0.8\n2026-03-01,0.9\n", r":3 time: two evaluations.*line 2"),
    ("time,score\n2026-03-01T01:00:00+01:00,0.8\n2026-03-01T00:00:00Z,0.9\n",
     r":3 time: two evaluations"),
    ("time,score\n2026-03-01T09:00:00Z,0.8\n2026-03-08T09:00:00,0.9\n",
     r":3 time: some times carry a zone and this one does not"),
    ("time,score\nyesterday,0.8\n", r":2 time: 'yesterday' is not a time.*ISO 8601"),
    ("time,score\n,0.8\n", r":2 time: there is no time"),
    ("time,score,n\n2026-03-01,0.8,-5\n", r":2 n: '-5' is not a count.*whole number, 0 or more"),
    ("time,score,n\n2026-03-01,0.8,5.5\n", r":2 n: '5.5' is not a count"),
    ("time,score,n,failures\n2026-03-01,0.8,5,9\n", r":2: .*failures must be <= n"),
    ("time,score,n,contradicted,unverifiable\n2026-03-01,0.8,5,4,4\n", r"must be <= judged"),
    ("time,points\n2026-03-01,0.8\n", r":1: there is no column 'score'"),
    ("time,score,who\n2026-03-01,0.8,me\n", r":1: unknown column 'who'"),
    ("time,score,score\n2026-03-01,0.8,0.8\n", r":1: the column 'score' stands twice"),
    ("time,score\n2026-03-01,0.8,9\n", r":2: the line has 3 cells, the first line 2"),
    ("", r":1: there is no column 'time'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD)
def test_faults_are_placed(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_history(written(tmp_path, text))
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"time": "2026-03-01", "score": NaN}', "NaN is no number.*null for a gap"),
        ("[1]", "not a JSON object"),
        ("{", "not a JSON object"),
        ('{"time": "2026-03-01", "score": true}', "True is not a number"),
        ('{"time": "2026-03-01", "score": 0.8, "n": true}', "True is not a count"),
        ('{"time": "2026-03-01", "score": 0.8, "x": 1}', "unknown field 'x'"),
        ('{"time": 5, "score": 0.8}', "5 is not a time"),
        ('{"time": "2026-03-01", "score": 0.8, "slices": [1]}', "slices must be an object"),
        ('{"time": "2026-03-01", "score": 0.8, "slices": {"a": {"n": -1, "score": 1}}}',
         "field slices.a.n"),
    ],
)  # fmt: skip
def test_faults_in_json_lines(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"h.jsonl:1.*{message}"):
        read_history(written(tmp_path, line + "\n", "h.jsonl"))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read_history(tmp_path / "none.csv")
