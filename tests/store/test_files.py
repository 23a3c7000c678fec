"""Whole files are whole; refusals of the file system say what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from voirdire.errors import InputError, StoreError, UsageError
from voirdire.records import AgreementResult, DecisionResult, JudgeRun, Splits
from voirdire.store import (
    exclusive,
    file_digest,
    read_document,
    read_text,
    write_document,
    write_text,
)
from voirdire.store.documents import SCHEMAS
from voirdire.store.files import reported


def test_text_comes_back_with_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    write_text(path, "è\n漢\r\n")
    assert path.read_bytes() == "è\n漢\r\n".encode()
    assert read_text(path) == "è\n漢\r\n"


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "bom.txt").write_bytes(b"\xef\xbb\xbfabc")
    assert read_text(tmp_path / "bom.txt") == "abc"


def test_an_absent_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"absent\.txt: no such file") as caught:
        read_text(tmp_path / "absent.txt")
    assert caught.value.exit_code == 2


def test_not_utf8_names_the_byte(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"abc\xe9")
    with pytest.raises(InputError, match=r"byte 3 \(0xe9\) is not UTF-8") as caught:
        read_text(tmp_path / "x.txt")
    assert caught.value.exit_code == 2


def test_a_failed_write_leaves_the_old_file_and_no_remains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.txt"
    write_text(path, "old")

    def refuse(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StoreError, match="cannot write the file: No space left.*free some space"):
        write_text(path, "new")
    assert read_text(path) == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.txt"]


def test_a_file_in_the_way_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match=r"cannot make the folder") as caught:
        write_text(tmp_path / "a" / "b.txt", "y")
    assert caught.value.exit_code == 5


@pytest.mark.parametrize(
    ("number", "todo"),
    [(28, "free some space"), (13, "write permission"), (30, "read-only"), (5, "mend that")],
)
def test_each_refusal_says_what_to_do(number: int, todo: str) -> None:
    with pytest.raises(StoreError, match=todo), reported(Path("x"), "write"):
        raise OSError(number, os.strerror(number))


def test_files_get_the_usual_permissions(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        write_text(tmp_path / "x.txt", "y")
    finally:
        os.umask(old)
    assert (tmp_path / "x.txt").stat().st_mode & 0o777 == 0o644


def test_digest_is_of_the_bytes(tmp_path: Path) -> None:
    write_text(tmp_path / "x", "abc")
    assert file_digest(tmp_path / "x").startswith("ba7816bf8f01cfea")
    with pytest.raises(StoreError):
        file_digest(tmp_path / "absent")


def splits() -> Splits:
    return Splits(seed=1, shares={"test": 1.0}, families={"f": "test"})


def test_documents_name_their_schema_and_come_back(tmp_path: Path) -> None:
    path = tmp_path / "splits.json"
    write_document(path, splits())
    text = read_text(path)
    assert text.startswith('{\n  "schema": "voirdire/splits",\n  "schema_version": "1.0",')
    assert read_document(path, Splits) == splits()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"1.0"', '"2.0"', r"schema_version '2.0' is not known here. allowed: voirdire/splits up"),
        ('"1.0"', '"x"', "schema_version 'x' is not known"),
        ("voirdire/splits", "voirdire/run", "the file's schema is 'voirdire/run'"),
        ('"seed": 1', '"seed": "one"', "field seed"),
        ('"seed": 1', '"sead": 1', "field seed|field sead"),
        ("{", "", "not JSON"),
    ],
)
def test_documents_that_are_not_ours(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "splits.json"
    write_document(path, splits())
    path.write_text(read_text(path).replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_document(path, Splits)
    assert caught.value.exit_code == 2


def test_a_newer_minor_version_is_read(tmp_path: Path) -> None:
    path = tmp_path / "splits.json"
    write_document(path, splits())
    path.write_text(read_text(path).replace('"1.0"', '"1.7"'), encoding="utf-8")
    assert read_document(path, Splits) == splits()


def test_a_list_is_not_a_document(tmp_path: Path) -> None:
    write_text(tmp_path / "x.json", "[]")
    with pytest.raises(InputError, match="not a JSON object"):
        read_document(tmp_path / "x.json", Splits)


def test_every_document_has_a_schema_of_its_own() -> None:
    names = [schema for schema, _ in SCHEMAS.values()]
    assert len(set(names)) == len(names)
    assert {JudgeRun, Splits, AgreementResult, DecisionResult} <= set(SCHEMAS)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from voirdire.store import exclusive\n"
        "with exclusive(Path(sys.argv[1])):\n    print('held', flush=True); time.sleep(60)\n"
    )
    lock = tmp_path / "study" / ".lock"
    with subprocess.Popen([sys.executable, "-c", code, lock], stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            with pytest.raises(StoreError, match=rf"another voirdire process \(pid {holder.pid}\)"):
                with exclusive(lock):
                    pytest.fail("two holders")
        finally:
            holder.kill()
    with exclusive(lock):  # the kernel dropped the dead holder's lock
        pass
