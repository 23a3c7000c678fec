"""A recorded run of the small local model, repeated without model and network.

Made by ``python -m tests.servers.record_run`` with llama.cpp and gemma-3-270m.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.judges import load, read_verdicts, run_judge
from voirdire.judges.ledger import ledger
from voirdire.records import JudgeRun
from voirdire.store import JudgeConfig, StudyPaths, read_document

from .conftest import make_claims

RECORDED = Path(__file__).resolve().parents[1] / "data" / "llama_run"


def labels(columns: Any) -> dict[tuple[str, int], str | None]:
    places = zip(columns.claim_id, columns.repeat, strict=True)
    return dict(zip(places, columns.label, strict=True))


@pytest.fixture
def replayed(tmp_path: Path) -> Any:
    paths = StudyPaths(tmp_path)
    judge = load("replay", parameters={"path": str(RECORDED)})
    config = JudgeConfig(name="again", use="replay", parameters={"path": str(RECORDED)})
    run = run_judge(judge, make_claims(18), paths=paths, config=config, repeats=5, seed=99)
    judge.close()
    return read_verdicts(paths, run.run_id)


def test_the_same_answers_come_again(replayed: Any) -> None:
    run = read_document(RECORDED / "run.json", JudgeRun)
    assert run.seal is not None
    lines = RECORDED.joinpath("verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == run.seal.verdicts == len(replayed) == 90
    recorded = {(v["claim_id"], v["repeat"]): v.get("label") for v in map(json.loads, lines)}
    assert labels(replayed) == recorded


def test_real_repeats_flip_and_are_all_there(replayed: Any) -> None:
    by_claim: dict[str, set[str | None]] = {}
    for (claim_id, _), label in labels(replayed).items():
        by_claim.setdefault(claim_id, set()).add(label)
    flipped = [claim_id for claim_id, said in by_claim.items() if len(said) > 1]
    assert 0 < len(flipped) <= 18
    assert set(replayed.outcome) == {"judged"}, "a grammar makes every answer valid"


def test_what_comes_from_a_recording_costs_nothing_again(replayed: Any) -> None:
    assert all(replayed.cached)
    book = ledger(replayed)
    assert book.lines["cached"].verdicts == book.total.verdicts == 90
    assert (book.total.calls, book.total.tokens_in, book.total.cost_unknown) == (0, 0, 0)


def test_it_says_whose_answers_they_are() -> None:
    run = read_document(RECORDED / "run.json", JudgeRun)
    judge = load("replay", parameters={"path": str(RECORDED)})
    shown = judge.fingerprint()
    assert (shown.judge, shown.model) == ("llm", "gemma-270m")
    assert shown.parts == (run.fingerprint.digest,)
    assert shown.digest != run.fingerprint.digest
    assert run.fingerprint.parameters["temperature"] == 1.0
