"""``voirdire ask`` as it is typed."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voirdire.cli.main import main

Call = Callable[..., tuple[int, str, str]]
CLAIM = ("--claim", "Basic costs 19 euro")
CONTEXT = ("--context", "Basic costs 12 euro.")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*args: Any) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["ask", *map(str, args)])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


def rows(out: str) -> dict[str, str]:
    return dict(line.split("\t", 1) for line in out.splitlines())


def test_human_answer(call: Call) -> None:
    code, out, err = call("--judge", "lexical", *CONTEXT, "--context", "Other.", *CLAIM)
    assert (code, err) == (0, "")
    shown = rows(out)
    assert shown["label"] == "contradicted"
    assert shown["coverage"] == "0.75"
    assert shown["evidence"] == "Basic costs 12 euro."
    assert "lacks 19" in shown["rationale"]


def test_json_is_whole(call: Call) -> None:
    code, out, _ = call("--judge", "lexical:didactic-it", *CONTEXT, *CLAIM, "--json")
    body = json.loads(out)
    assert code == 0
    assert body["judge"] == "lexical:didactic-it"
    assert body["label"] == "contradicted"
    assert {"outcome", "score", "rationale", "evidence", "cached", "cost"} <= set(body)


def test_files_and_stdin(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = tmp_path / "chunk.txt"
    chunk.write_text("\ufeffBasic costs 12 euro.\n", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Basic costs 12 euro")))
    code, out, _ = call("--judge", "lexical", "--context-file", chunk, "--claim-file", "-")
    assert code == 0
    assert rows(out)["label"] == "supported"


def test_parameters(call: Call) -> None:
    ask = (
        "--judge",
        "lexical",
        "--context",
        "alpha beta gamma",
        "--claim",
        "alpha beta gamma delta",
    )
    assert rows(call(*ask)[1])["label"] == "supported"
    assert rows(call(*ask, "--param", "threshold=0.8")[1])["label"] == "unverifiable"
    own = call(*ask, "--param", 'stop_words=["delta"]', "--param", "language=it")
    assert rows(own[1])["coverage"] == "1"


def test_hostile_text_is_inert(call: Call) -> None:
    claim = "plan \x1b[2J\u202e costs"
    code, out, _ = call("--judge", "lexical", "--context", f"{claim} a lot", "--claim", claim)
    assert code == 0
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_no_claim_and_empty_context(call: Call) -> None:
    assert rows(call("--judge", "lexical", *CONTEXT, "--claim", "?!")[1])["label"] == (
        "none (not applicable)"
    )
    assert rows(call("--judge", "lexical", "--context", "", *CLAIM)[1])["label"] == "unverifiable"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--judge", "lexical", *CONTEXT), "a claim is needed, once"),
        (("--judge", "lexical", *CONTEXT, *CLAIM, "--claim-file", "x"), "a claim is needed, once"),
        (("--judge", "lexical", *CLAIM), "a context is needed"),
        (("--judge", "lexcal", *CONTEXT, *CLAIM), "did you mean 'lexical'"),
        (("--judge", "lexical", *CONTEXT, *CLAIM, "--param", "x"), "KEY=VALUE"),
        (("--judge", "lexical", *CONTEXT, *CLAIM, "--param", "treshold=1"), "'threshold'"),
        (("--judge", "lexical", "--context-file", "/nope", *CLAIM), "no such file"),
        (("--judge", "lexical", "--context-file", "-", "--claim-file", "-"), "read once only"),
        ((*CONTEXT, *CLAIM), "Missing option '--judge'"),
    ],
)
def test_usage(call: Call, args: tuple[str, ...], message: str) -> None:
    code, out, err = call(*args)
    assert code == 2
    assert out == ""
    assert message in err


def test_not_utf8(call: Call, tmp_path: Path) -> None:
    (tmp_path / "latin1").write_bytes(b"caff\xe8")
    code, _, err = call("--judge", "lexical", *CONTEXT, "--claim-file", tmp_path / "latin1")
    assert code == 2
    assert "byte 4 (0xe8) is not UTF-8" in err


def test_failed_judge_ends_with_five(call: Call, tmp_path: Path) -> None:
    (tmp_path / "verdicts.jsonl").write_text("")
    code, out, _ = call("--judge", "replay", "--param", f"path={tmp_path}", *CONTEXT, *CLAIM)
    assert code == 5
    assert rows(out)["label"] == "none (failed)"


def test_environment(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOIRDIRE_USE", "lexical")
    monkeypatch.setenv("VOIRDIRE_JUDGE", "lexical")
    assert call(*CONTEXT, *CLAIM)[0] == 0
