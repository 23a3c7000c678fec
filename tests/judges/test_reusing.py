"""A set that was edited: the verdicts are those of asking everything, the asks only the changes."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judges.conftest import make_claims
from voirdire.judges import load, read_verdicts, run_judge
from voirdire.judges.llm import LlmJudge, LlmParameters
from voirdire.judges.planning import plan_run
from voirdire.judges.reusing import answers_alone
from voirdire.records import LABELS, Claim, Fingerprint, JudgeAnswer, JudgeInput, JudgeRun
from voirdire.store import JudgeConfig, StudyPaths

CONFIG = JudgeConfig(name="j", use="made")
WORDS = st.sampled_from(("a plan", "two euros", "by phone"))
CLAIM = st.fixed_dictionaries(
    {
        "id": st.sampled_from("abcdefgh"),
        "claim": WORDS,
        "context": st.lists(WORDS, min_size=1, max_size=3).map(tuple),
        "language": st.sampled_from(("en", "it")),
    }
)
SETS = st.lists(CLAIM, min_size=1, max_size=8, unique_by=lambda one: str(one["id"]))


class Reading:
    """Answers by what it reads and the repeat, and by nothing else; counts what it is asked."""

    def __init__(self, *, alone: bool = True) -> None:
        self.asked = 0
        self.answers_alone = alone

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        for item in inputs:
            self.asked += 1
            text = repr((item.claim, item.context, repeat)).encode()
            number = hashlib.sha256(text).digest()[0]
            if number % 7 == 0:
                yield item.id, JudgeAnswer(outcome="timed_out", error="late")
            else:
                yield item.id, JudgeAnswer(outcome="judged", label=LABELS[number % len(LABELS)])

    def fingerprint(self) -> Fingerprint:
        return Fingerprint(judge="reading", version="1")

    def close(self) -> None:
        pass


def claims_of(rows: Iterable[dict[str, Any]]) -> tuple[Claim, ...]:
    return tuple(Claim(family="f", variant="original", **row) for row in rows)


def ask(judge: Any, claims: tuple[Claim, ...], root: Path, **changes: Any) -> JudgeRun:
    put = {"config": CONFIG, "repeats": 2, "seed": 7, **changes}
    return run_judge(judge, claims, paths=StudyPaths(root), **put)


def verdicts(root: Path, run: JudgeRun) -> dict[tuple[str, int], tuple[str, str | None]]:
    one = read_verdicts(StudyPaths(root), run.run_id)
    found = {
        (claim, repeat): (outcome, label)
        for claim, repeat, outcome, label in zip(
            one.claim_id, one.repeat, one.outcome, one.label, strict=True
        )
    }
    assert len(found) == len(one)
    return found


def shown(claims: Iterable[Claim]) -> set[tuple[str, str, tuple[str, ...]]]:
    return {(one.id, one.claim, one.context) for one in claims}


@settings(max_examples=60, deadline=None)
@given(before=SETS, after=SETS)
def test_after_any_edit_the_verdicts_are_those_of_asking_all(
    before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> None:
    old, new = claims_of(before), claims_of(after)
    with tempfile.TemporaryDirectory() as folder:
        root, apart = Path(folder) / "one", Path(folder) / "two"
        ask(Reading(), old, root)
        judge = Reading()
        plan = plan_run(judge, new, paths=StudyPaths(root), config=CONFIG, repeats=2)
        run = ask(judge, new, root)
        assert verdicts(root, run) == verdicts(apart, ask(Reading(), new, apart))
        changed_or_new = len(shown(new) - shown(old))
        assert judge.asked == 2 * changed_or_new == plan.verdicts
        if run.reuse is not None:
            assert run.reuse.reused == len(new) - changed_or_new
            assert run.reuse.changed + run.reuse.new == changed_or_new
            assert run.reuse.dropped == len({c.id for c in old} - {c.id for c in new})
            assert plan.reuse == run.reuse


def test_another_judge_name_or_number_of_repeats_takes_nothing_over(tmp_path: Path) -> None:
    claims = make_claims(4)
    ask(Reading(), claims[:3], tmp_path)
    for changes in ({"config": JudgeConfig(name="k", use="made")}, {"repeats": 3}):
        judge = Reading()
        assert ask(judge, claims, tmp_path, **changes).reuse is None
        assert judge.asked == 4 * changes.get("repeats", 2)


def test_the_run_with_most_that_stands_is_taken_and_a_reused_verdict_stands_again(
    tmp_path: Path,
) -> None:
    claims = make_claims(6)
    first = ask(Reading(), claims[:5], tmp_path)
    second = ask(Reading(), claims[:2], tmp_path)
    assert second.reuse is not None
    assert (second.reuse.run_id, second.reuse.dropped) == (first.run_id, 3)
    judge = Reading()
    third = ask(judge, claims, tmp_path)
    assert third.reuse is not None
    assert third.reuse.run_id == first.run_id
    assert judge.asked == 2
    fourth = ask(Reading(), claims[1:], tmp_path)
    assert fourth.reuse is not None
    assert fourth.reuse.run_id == third.run_id
    columns = read_verdicts(StudyPaths(tmp_path), fourth.run_id)
    assert set(columns.flags) == {("reused",)}


def test_a_judge_that_sees_several_claims_at_once_is_asked_all(tmp_path: Path) -> None:
    claims = make_claims(6)
    ask(Reading(alone=False), claims[:5], tmp_path)
    judge, told = Reading(alone=False), list[str]()
    plan = plan_run(judge, claims, paths=StudyPaths(tmp_path), config=CONFIG, repeats=2)
    run = ask(judge, claims, tmp_path, tell=told.append)
    assert run.reuse is None
    assert judge.asked == plan.verdicts == 12
    assert "sees several claims at once: all are asked" in told[0]


@pytest.mark.parametrize("batch", [1, 4])
def test_a_batch_in_one_prompt_is_several_claims_at_once(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    inner = {"model": "m", "base_url": "http://127.0.0.1:9/v1", "batch": batch}
    judge = LlmJudge(LlmParameters.model_validate(inner))
    part = {"use": "llm", "parameters": inner}
    words = {"use": "lexical"}
    outer = [
        load("panel", parameters={"members": [words, part]}),
        load("cascade", parameters={"first": words, "second": part, "threshold": 0.5}),
    ]
    for one in (judge, *outer):
        assert answers_alone(one) is (batch == 1)
        one.close()


def test_pairs_rounded_on_one_scale_are_several_claims_at_once() -> None:
    for batch in (1, 4):
        judge = load("nli-mini", parameters={"batch": batch})
        assert answers_alone(judge) is (batch == 1)
        judge.close()


def test_a_recording_is_no_answer_to_another_text(tmp_path: Path) -> None:
    """The id alone does not make a recorded answer one to the claim as it is now."""
    claims = make_claims(3)
    recorded = ask(Reading(), claims, tmp_path / "one")
    judge = load(
        "replay", parameters={"path": str(StudyPaths(tmp_path / "one").run(recorded.run_id))}
    )
    turned = claims[1].model_copy(update={"context": claims[1].context[::-1]})
    run = ask(judge, (claims[0], turned, claims[2]), tmp_path / "two")
    found, stored = verdicts(tmp_path / "two", run), verdicts(tmp_path / "one", recorded)
    for (claim_id, repeat), said in found.items():
        expected = ("failed", None) if claim_id == turned.id else stored[claim_id, repeat]
        assert said == expected
