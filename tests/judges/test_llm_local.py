"""The real llama.cpp server with a small base model: weak, stochastic, and really there.

Needs the extra ``local-llm``; skips loudly where it is absent.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.llama import MODEL, LlamaServer, absent
from voirdire.errors import JudgeUnavailable
from voirdire.judges import check_judge, load, read_verdicts, run_judge
from voirdire.records import JudgeInput
from voirdire.store import JudgeConfig, StudyPaths, read_lines

from .conftest import make_claims

if absent():
    pytest.skip(f"THE EXTRA local-llm IS ABSENT: {', '.join(absent())}", allow_module_level=True)

# A base model has no template for a chat, so it is given a text to continue. Few-shot and short,
# for one core works about 100 tokens a second.
EXAMPLES = [
    ("The shop opens at nine.", "The shop opens at nine in the morning.", "supported"),
    ("The shop opens at ten.", "The shop opens at nine in the morning.", "contradicted"),
    ("The shop sells bread.", "The shop opens at nine in the morning.", "unverifiable"),
]


@pytest.fixture(scope="module")
def llama() -> Iterator[LlamaServer]:
    server = LlamaServer(slots=2, context=2048)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def parameters(llama: LlamaServer, tmp_path: Path) -> dict[str, Any]:
    examples = tmp_path / "examples.jsonl"
    lines = [
        {"claim": claim, "context": [context], "label": label, "split": "dev"}
        for claim, context, label in EXAMPLES
    ]
    examples.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return {
        "model": MODEL, "base_url": llama.base_url, "examples": str(examples), "concurrency": 2,
    }  # fmt: skip


def items(n: int) -> list[JudgeInput]:
    return [JudgeInput(id=c.id, claim=c.claim, context=c.context[:1]) for c in make_claims(n)]


def test_a_grammar_makes_every_answer_valid(parameters: dict[str, Any]) -> None:
    judge = load("llm:base", parameters={**parameters, "output": "grammar"})
    answers = dict(judge(items(6), repeat=0))
    judge.close()
    assert {answer.outcome for answer in answers.values()} == {"judged"}
    assert all(answer.tokens_in and answer.tokens_out for answer in answers.values())
    assert all(answer.cost is None for answer in answers.values()), "unknown, not zero"


def test_a_schema_makes_every_chat_answer_valid_or_cut(parameters: dict[str, Any]) -> None:
    """A model of 270 million parameters rambles; what it does not finish is not read."""
    judge = load("llm", parameters={**parameters, "max_tokens": 60})
    answers = dict(judge(items(3), repeat=0))
    judge.close()
    assert {answer.outcome for answer in answers.values()} <= {"judged", "truncated"}
    for answer in answers.values():
        if answer.outcome == "judged":
            assert json.loads(answer.raw or "")["label"] == answer.label


def test_five_repeats_flip_for_real(
    parameters: dict[str, Any], paths: StudyPaths, config: JudgeConfig
) -> None:
    """At temperature 1 a weak judge does not give the same answer twice; none is from a cache."""
    judge = load("llm:base", parameters={**parameters, "output": "grammar", "temperature": 1.0})
    run = run_judge(judge, make_claims(8), paths=paths, config=config, repeats=5, seed=1)
    judge.close()
    columns = read_verdicts(paths, run.run_id)
    assert len(columns) == 40
    assert not any(columns.cached)
    by_claim: dict[str, set[str | None]] = {}
    for claim_id, label in zip(columns.claim_id, columns.label, strict=True):
        by_claim.setdefault(claim_id, set()).add(label)
    assert max(map(len, by_claim.values())) > 1, "no claim ever flipped"


def test_a_recorded_run_is_repeated_without_the_server(
    parameters: dict[str, Any], paths: StudyPaths, config: JudgeConfig, tmp_path: Path
) -> None:
    judge = load("llm:base", parameters={**parameters, "output": "grammar", "temperature": 1.0})
    run = run_judge(judge, make_claims(5), paths=paths, config=config, repeats=2, seed=1)
    judge.close()
    replay = load("replay", parameters={"path": str(paths.run(run.run_id))})
    elsewhere = StudyPaths(tmp_path / "elsewhere")
    again = run_judge(replay, make_claims(5), paths=elsewhere, config=config, repeats=2, seed=7)
    first, second = read_verdicts(paths, run.run_id), read_verdicts(elsewhere, again.run_id)

    def labels(columns: Any) -> dict[tuple[str, int], str | None]:
        places = zip(columns.claim_id, columns.repeat, strict=True)
        return dict(zip(places, columns.label, strict=True))

    assert labels(first) == labels(second)
    assert all(second.cached)


def test_label_probabilities_are_exact_and_say_their_mass(parameters: dict[str, Any]) -> None:
    judge = load("llm:base", parameters={**parameters, "probabilities": "logit_bias"})
    answers = dict(judge(items(4), repeat=0))
    judge.close()
    for answer in answers.values():
        assert answer.probabilities is not None
        assert sum(answer.probabilities.values()) == pytest.approx(1, abs=1e-6)
        assert min(answer.probabilities.values()) > 0, "no label may be missing"
        assert answer.label == max(answer.probabilities, key=lambda k: answer.probabilities[k])  # type: ignore[index]
        mass = json.loads(answer.raw or "")["label_mass"]
        assert 0 < mass <= 1
        assert (mass < 0.5) == ("low_label_mass" in answer.flags)
        assert answer.attempts == 2


def test_the_wrong_model_is_not_believed(parameters: dict[str, Any]) -> None:
    """llama.cpp answers any name with the model it has, and with status 200."""
    judge = load("llm:base", parameters={**parameters, "model": "gpt-9", "output": "grammar"})
    with pytest.raises(JudgeUnavailable, match=f"asked the model 'gpt-9', and '{MODEL}' answered"):
        list(judge(items(1), repeat=0))
    judge.close()


def test_a_context_longer_than_the_model(parameters: dict[str, Any]) -> None:
    judge = load("llm:base", parameters={**parameters, "output": "grammar"})
    long = JudgeInput(id="long", claim="It rains.", context=("word " * 3000,))
    answers = dict(judge([long, *items(2)], repeat=0))
    judge.close()
    assert answers["long"].outcome == "failed"
    assert answers["long"].flags == ("context_overflow",)
    assert "the model takes 1024" in (answers["long"].error or "")
    assert [a.outcome for name, a in answers.items() if name != "long"] == ["judged"] * 2


def test_a_bad_request_has_the_servers_words(parameters: dict[str, Any]) -> None:
    judge = load(
        "llm:base", parameters={**parameters, "output": "text", "extra": {"grammar": "??"}}
    )
    answers = dict(judge(items(1), repeat=0))
    judge.close()
    (answer,) = answers.values()
    assert answer.outcome == "failed"
    assert "HTTP 400" in (answer.error or "")


def test_killed_in_mid_run_and_started_again(
    parameters: dict[str, Any], paths: StudyPaths, config: JudgeConfig
) -> None:
    """The run stays open, nothing answered is asked again, and the whole adds up."""
    claims = make_claims(24)
    mortal = LlamaServer(slots=2, context=2048)
    mortal.start()
    given = {**parameters, "base_url": mortal.base_url, "output": "grammar", "retries": 1}
    judge = load("llm:base", parameters=given)
    written = 0

    def kill_after_six() -> None:
        ends = time.monotonic() + 120
        while time.monotonic() < ends:
            found = list(paths.runs.glob("*/verdicts.jsonl")) if paths.runs.exists() else []
            if found and len(list(read_lines(found[0]))) >= 6:
                mortal.kill()
                return
            time.sleep(0.02)

    watcher = threading.Thread(target=kill_after_six)
    watcher.start()
    with pytest.raises(JudgeUnavailable, match="it goes on from here"):
        run_judge(judge, claims, paths=paths, config=config, repeats=1, seed=1)
    watcher.join()
    judge.close()
    (path,) = paths.runs.glob("*/verdicts.jsonl")
    written = len(list(read_lines(path)))
    assert 6 <= written < 24
    mortal.start()
    judge = load("llm:base", parameters=given)
    told: list[str] = []
    run = run_judge(judge, claims, paths=paths, config=config, repeats=1, seed=1, tell=told.append)
    judge.close()
    mortal.kill()
    assert f"{written} verdicts stand" in told[0]
    assert run.seal is not None
    assert run.seal.outcomes == {"judged": 24}
    assert len(list(read_lines(path))) == 24


@pytest.mark.slow
def test_a_weak_real_model_keeps_its_duties_and_lacks_the_skills(
    parameters: dict[str, Any],
) -> None:
    """It flips, and is not blamed for that; it cannot judge, and that shows."""
    judge = load("llm:base", parameters={**parameters, "output": "grammar", "temperature": 1.0})
    results = check_judge(judge)
    judge.close()
    assert [r for r in results if r.kind == "duty" and not r.passed] == []
    assert any(not r.passed for r in results if r.kind == "skill")
