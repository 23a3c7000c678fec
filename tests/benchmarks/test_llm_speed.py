"""Run by hand: ``pytest -m benchmark tests/benchmarks``; both need a quiet machine."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.benchmarks.bench_runner import claims_of, compare
from voirdire.judges import load, run_judge
from voirdire.records import Fingerprint, JudgeAnswer, JudgeInput
from voirdire.store import JudgeConfig, StudyPaths

ANSWER = JudgeAnswer(outcome="judged", label="supported", rationale="r" * 200, raw="x" * 400)


@pytest.mark.benchmark
def test_a_run_is_as_fast_as_the_bare_client() -> None:
    pytest.importorskip("openai", reason="THE EXTRA llm IS ABSENT")
    alone, _, run = compare(2000, 16)
    assert run.per_second / alone.per_second >= 0.95, (alone, run)


class Quick:
    """Answers at once, and lets the memory be looked at now and then."""

    def __init__(self) -> None:
        self.seen = 0
        self.marks: list[int] = []

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        for item in inputs:
            self.seen += 1
            if self.seen % 10_000 == 0:
                self.marks.append(tracemalloc.get_traced_memory()[0])
            yield item.id, ANSWER

    def fingerprint(self) -> Fingerprint:
        return Fingerprint(judge="quick", version="1")

    def close(self) -> None:
        pass


@pytest.mark.slow
def test_memory_is_flat_over_100_000_verdicts(tmp_path: Path) -> None:
    """1,000 claims asked 100 times: what is kept does not grow with what is written."""
    judge = Quick()
    claims = claims_of(1000)
    tracemalloc.start()
    run_judge(
        judge,
        claims,
        paths=StudyPaths(tmp_path),
        config=JudgeConfig(name="q", use="lexical"),
        repeats=100,
        seed=1,
    )
    tracemalloc.stop()
    assert judge.seen == 100_000
    grown = max(judge.marks) - judge.marks[0]
    assert grown < 2_000_000, f"{grown} bytes more than after 10,000"


@pytest.mark.slow
def test_the_client_keeps_nothing_of_what_it_gave_out() -> None:
    """5,000 claims through the llm judge: memory after the last fifth is that after the first."""
    pytest.importorskip("openai", reason="THE EXTRA llm IS ABSENT")
    from tests.servers.instant import InstantServer

    with InstantServer() as base_url:
        judge = load("llm", parameters={"model": "instant", "base_url": base_url, "concurrency": 8})
        marks = []
        stream = (
            JudgeInput(id=str(k), claim=f"Claim {k}.", context=("c " * 200,)) for k in range(5000)
        )
        tracemalloc.start()
        for number, _ in enumerate(judge(stream, repeat=0), 1):
            if number % 1000 == 0:
                marks.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        judge.close()
    assert max(marks) - marks[0] < 2_000_000, marks
