"""Claims and questions from the real llama.cpp server: a weak model, real replies, nothing dropped.

What it makes of an answer is poor and is not tested. Tested is that each answer ends as one split
and three questions, traced or with a named fault, that counts and bills add up, and that nothing is
paid twice. Needs the extra ``local-llm``; skips loudly where it is absent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import voirdire
from tests.servers.llama import MODEL, LlamaServer, absent

if absent():
    pytest.skip(f"THE EXTRA local-llm IS ABSENT: {', '.join(absent())}", allow_module_level=True)

ANSWERS = {
    "plan": "The Basic plan costs 12 euro a month. It can be cancelled at any time.",
    "refuses": "I don't know what the fee is.",
    "hello": "Hello!",
}
# Without a question there is nothing to compare with, so none is made: seven calls in all.
QUESTIONS = {"plan": "What does the Basic plan cost?", "refuses": "What is the fee?", "hello": ""}
STATES = {"split", "no_claims", "failed", "nothing_to_check"}


@pytest.fixture(scope="module")
def llama() -> Iterator[LlamaServer]:
    server = LlamaServer(slots=2, context=2048)
    server.start()
    yield server
    server.kill()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_answer_is_accounted_for(tmp_path: Path, llama: LlamaServer) -> None:
    rows = [
        {"id": name, "question": QUESTIONS[name], "contexts": [text], "answer": text}
        for name, text in ANSWERS.items()
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = (
        *("score", "a.jsonl", "--judge", "lexical", "--into", "s", "--split", "llm"),
        *("--split-max-tokens", "160", "--metric", "faithfulness", "--metric", "answer_relevancy"),
        *("--model-param", f"model={MODEL}", "--model-param", f"base_url={llama.base_url}"),
        *("--model-param", "key_env=", "--model-param", "timeout=240"),
    )
    done = voirdire(*call, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "s"
    splits = {one["answer"]: one for one in lines(folder / "splits.jsonl")}
    assert set(splits) == set(ANSWERS)
    for name, split in splits.items():
        _check_split(name, split)
    assert [name for name, split in splits.items() if split["bill"]] == ["plan"]

    questions = lines(folder / "questions.jsonl")
    assert sorted((one["answer"], one["number"]) for one in questions) == [
        (name, number) for name in ("plan", "refuses") for number in range(3)
    ]
    for one in questions:
        assert bool(one["error"]) != bool(one["question"] or one["evasive"])
        assert one["bill"]["calls"] >= 1

    scores = {one["id"]: one for one in lines(folder / "answers.jsonl")}
    judged = lines(folder / "claims.jsonl")
    for name, score in scores.items():
        assert score["claims"] == sum(one["answer"] == name for one in judged) - sum(
            one["answer"] == name and one["outcome"] == "not_applicable" for one in judged
        )
        for metric in ("faithfulness", "answer_relevancy"):
            assert (metric in score) != (metric in score.get("not_a_score", {}))
        mine = [one for one in questions if one["answer"] == name and not one["error"]]
        if mine and all(one["evasive"] for one in mine):
            assert score["answer_relevancy"] == 0.0

    before = {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}
    llama.kill()  # what was paid for needs no server
    assert voirdire(*call, cwd=tmp_path).returncode == 0
    assert {path.name: path.read_bytes() for path in folder.glob("*.jsonl")} == before


def _check_split(name: str, split: dict[str, Any]) -> None:
    assert split["status"] in STATES
    assert bool(split["error"]) == (split["status"] == "failed")
    assert bool(split["claims"]) == (split["status"] == "split")
    if split["bill"] and split["bill"]["calls"] and split["status"] == "split":
        assert split["bill"]["tokens_in"] > 0
        assert split["bill"]["tokens_out"] > 0
    for claim in split["claims"]:
        assert claim["text"].strip()
        traced = 0 <= claim["start"] < claim["end"] <= len(ANSWERS[name])
        assert traced != ("untraced" in claim["flags"])
