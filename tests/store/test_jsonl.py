"""A file of lines survives a cut at any byte; damage is told from a crash."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import InputError, StoreError
from voirdire.store import Appender, read_lines, repair_tail
from voirdire.store.jsonl import dump_line

ROWS: list[dict[str, Any]] = [
    {"n": 0, "text": "plain"},
    {"n": 1, "text": 'line\nbreak, "quotes", \\ and a tab\t'},
    {"n": 2, "text": "漢字 è 👩‍👩‍👧  end"},
    {"n": 3, "text": ""},
]


def values(path: Path) -> list[dict[str, Any]]:
    return [line.value for line in read_lines(path)]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    with Appender(path) as out:
        for row in rows:
            out.append(row)


def test_what_is_appended_comes_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "rows.jsonl"
    write(path, ROWS[:2])
    write(path, ROWS[2:])
    assert values(path) == ROWS
    assert [line.number for line in read_lines(path)] == [1, 2, 3, 4]


def test_a_cut_at_any_byte_loses_at_most_the_line_that_was_cut(tmp_path: Path) -> None:
    whole = b"".join(dump_line(row) for row in ROWS)
    ends = [len(b"".join(dump_line(row) for row in ROWS[: k + 1])) for k in range(len(ROWS))]
    path = tmp_path / "rows.jsonl"
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        # A line whose closing brace is there counts, with or without its line end.
        complete = sum(cut >= end - 1 for end in ends)
        assert values(path) == ROWS[:complete], f"cut at {cut}"
        with Appender(path) as out:
            out.append({"n": 99})
        assert values(path) == [*ROWS[:complete], {"n": 99}], f"cut at {cut}"


def test_the_writer_says_how_much_it_cut(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"n":0}\n{"n":1,"te')
    with Appender(path) as out:
        assert out.bytes_cut == len(b'{"n":1,"te')
    assert repair_tail(path) == 0
    assert repair_tail(tmp_path / "absent.jsonl") == 0


def test_a_long_torn_tail_is_found(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"n":0}\n' + b'{"text":"' + b"x" * 300_000)
    assert repair_tail(path) == 300_009
    assert values(path) == [{"n": 0}]


@pytest.mark.parametrize("damage", [b"not json\n", b"[1]\n", b"\xff\xfe\n", b'"text"\n', b"{\n"])
def test_damage_in_the_middle_is_an_error_with_its_line(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(dump_line(ROWS[0]) + damage + dump_line(ROWS[1]))
    with pytest.raises(InputError, match=r"rows\.jsonl:2: the line is not a JSON object"):
        values(path)


def test_blank_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\n{"n":0}\n\n  \n{"n":1}\n')
    assert [row["n"] for row in values(path)] == [0, 1]


@settings(deadline=None)  # a busy machine is no fault
@given(st.lists(st.dictionaries(st.text(), st.text(max_size=40), max_size=3), max_size=8))
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    path = tmp_path_factory.mktemp("any") / "rows.jsonl"
    write(path, rows)
    assert values(path) == rows if rows else not path.read_bytes()


def test_lone_surrogates_do_not_break_the_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    write(path, [{"text": "a\udc80b"}])
    assert values(path) == [{"text": "a\udc80b"}]


def test_nan_is_refused(tmp_path: Path) -> None:
    with Appender(tmp_path / "rows.jsonl") as out, pytest.raises(ValueError, match="JSON"):
        out.append({"value": float("nan")})


def test_a_killed_writer_leaves_only_whole_lines_and_a_tail(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    code = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from voirdire.store import Appender
        out = Appender(Path(sys.argv[1]))
        for n in range(10**9):
            out.append({"n": n, "text": "x" * 500})
            if n == 300: print("go", flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"go\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    found = [row["n"] for row in values(path)]
    assert found == list(range(len(found)))
    assert len(found) > 300


def test_a_full_disk_keeps_what_was_written(tmp_path: Path) -> None:
    """RLIMIT_FSIZE makes write() fail with EFBIG as a full disk does with ENOSPC."""
    path = tmp_path / "rows.jsonl"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    out = Appender(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        with pytest.raises(StoreError, match="cannot append to the file"):
            for n in range(1000):
                out.append({"n": n, "text": "x" * 100})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, previous)
    found = [row["n"] for row in values(path)]
    assert found == list(range(len(found)))
    assert len(found) >= 15
    write(path, [{"n": "after"}])
    assert values(path)[-1] == {"n": "after"}


@pytest.mark.skipif(os.name != "posix", reason="needs /dev/full")
def test_no_space_left_says_what_to_do() -> None:
    out = Appender.__new__(Appender)
    out._path = Path("/dev/full")
    out._handle = Path("/dev/full").open("ab", buffering=0)
    out._synced = float("inf")
    with pytest.raises(StoreError, match="No space left on device.*free some space"):
        out.append({"n": 1})


def test_json_is_one_line_of_utf8() -> None:
    line = dump_line({"text": "è\n"})
    assert line == '{"text":"è\\n"}\n'.encode()
    assert json.loads(line) == {"text": "è\n"}


def test_a_line_is_what_json_writes() -> None:
    odd = {"a": [1, 2.5, None, True, {"b": ()}], "text": 'è "\\\n\u2028\x00', "e": {}, "n": 1e300}
    plain = json.dumps(odd, ensure_ascii=False, separators=(",", ":"))
    assert dump_line(odd) == plain.encode() + b"\n"
    with pytest.raises(ValueError, match="not JSON compliant"):
        dump_line({"n": float("nan")})
    with pytest.raises(TypeError, match="set"):
        dump_line({"n": {1}})
