"""The runner at speed: against a server that answers at once, and over 100,000 verdicts.

    python -m tests.benchmarks.bench_runner [requests] [concurrency]

Prints requests a second of the bare client (the SDK's own typed call, the same requests, the same
concurrency, nothing written down) and of a whole run (claims blinded, prompts filled in, answers
parsed, checked and appended to the verdict file), rounds of both in turn, and their ratio.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from tests.servers.instant import InstantServer
from voirdire.judges import load, run_judge
from voirdire.judges.blinding import blinded
from voirdire.records import Claim
from voirdire.store import JudgeConfig, StudyPaths

CONTEXT = ("The Basic plan costs 12 euro per month and includes 20 GB of storage. " * 3,)


class Rate(NamedTuple):
    """Requests a second, and CPU milliseconds a request: the second holds on a busy machine."""

    per_second: float
    cpu_ms: float


class Clock:
    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def rate(self, n: int) -> Rate:
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        return Rate(n / wall, 1000 * cpu / n)


def claims_of(n: int) -> tuple[Claim, ...]:
    return tuple(
        Claim(id=f"c{k}", family=f"f{k // 4}", variant="original", language="en",
              claim=f"The Basic plan number {k} costs 12 euro per month.", context=CONTEXT)
        for k in range(n)
    )  # fmt: skip


def bodies(claims: tuple[Claim, ...], base_url: str) -> list[dict[str, Any]]:
    """The very requests that the judge would send."""
    judge: Any = load("llm", parameters={"model": "instant", "base_url": base_url})
    groups = ([item] for item in blinded(claims, range(len(claims)), seed=0))
    found = [
        {"model": "instant", **request.body}
        for group in groups
        for request in judge._asking.requests(group)
    ]
    judge.close()
    return found


def bare(
    base_url: str, requests: list[dict[str, Any]], concurrency: int, *, raw: bool = False
) -> Rate:
    """Requests a second of the SDK alone: its typed call, or with raw bodies as our client does."""
    import openai

    async def work() -> None:
        client = openai.AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0)
        left = iter(requests)

        async def worker() -> None:
            for body in left:
                if raw:
                    call = client.chat.completions.with_raw_response.create
                    answer = await call(model="instant", messages=[], extra_body=body)
                    assert answer.text
                else:
                    reply = await client.chat.completions.create(**body)
                    assert reply.choices[0].message.content

        await asyncio.gather(*(worker() for _ in range(concurrency)))
        await client.close()

    began = Clock()
    asyncio.run(work())
    return began.rate(len(requests))


def whole(base_url: str, claims: tuple[Claim, ...], concurrency: int, folder: Path) -> Rate:
    """Requests a second of a run that is written down."""
    parameters = {"model": "instant", "base_url": base_url, "concurrency": concurrency}
    judge = load("llm", parameters=parameters)
    config = JudgeConfig(name="instant", use="llm", parameters=parameters)
    began = Clock()
    run = run_judge(judge, claims, paths=StudyPaths(folder), config=config, repeats=1, seed=0)
    rate = began.rate(len(claims))
    judge.close()
    assert run.seal is not None
    assert run.seal.outcomes == {"judged": len(claims)}
    return rate


def compare(n: int, concurrency: int, *, rounds: int = 3) -> tuple[Rate, Rate, Rate]:
    """Median rates of the bare client, of it with raw bodies, and of whole runs, in turn."""
    claims = claims_of(n)
    rates: tuple[list[Rate], list[Rate], list[Rate]] = ([], [], [])
    with InstantServer() as base_url, tempfile.TemporaryDirectory() as scratch:
        requests = bodies(claims, base_url)
        bare(base_url, requests[:50], concurrency)  # imports, first connections
        for number in range(rounds):
            rates[0].append(bare(base_url, requests, concurrency))
            rates[1].append(bare(base_url, requests, concurrency, raw=True))
            rates[2].append(whole(base_url, claims, concurrency, Path(scratch) / str(number)))
    typed, raw, run = (Rate(*map(statistics.median, zip(*one, strict=True))) for one in rates)
    return typed, raw, run


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    concurrency = int(sys.argv[2]) if len(sys.argv) > 2 else 16
    rates = dict(
        zip(("bare client", "  raw bodies", "whole run"), compare(n, concurrency), strict=True)
    )
    for name, rate in rates.items():
        print(f"{name:<12} {rate.per_second:6.0f}/s  {rate.cpu_ms:.2f} CPU ms a request")
    print(f"ratio {rates['whole run'].per_second / rates['bare client'].per_second:.2f}")


if __name__ == "__main__":
    main()
