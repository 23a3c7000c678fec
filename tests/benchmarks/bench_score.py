"""How long the lexical judge takes for traffic: ``python tests/benchmarks/bench_score.py``.

The promise: 100,000 answers of 4 claims with 3 chunks of 100 words each in under 60 s of CPU and
1 GB. Chunks come from a corpus, as they do in retrieval, so that some are met again; with
``--unique`` each is met once, the hardest case.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS_A_CHUNK = 100


def write_answers(path: Path, answers: int, *, corpus: int | None, seed: int = 7) -> None:
    """A file of answers whose claims are sentences of their chunks, some of them changed."""
    rng = random.Random(seed)
    letters = "aeioubcdfglmnprst"
    words = ["".join(rng.choices(letters, k=rng.randint(3, 9))) for _ in range(5000)]
    words += ["the", "of", "and", "is", "to", "in", "a", "not"] * 250

    def chunk() -> list[str]:
        sentences = []
        for _ in range(0, WORDS_A_CHUNK, 10):
            said = rng.choices(words, k=10)
            if rng.random() < 0.2:
                said[4] = str(rng.randint(2, 999))
            sentences.append(" ".join(said).capitalize() + ".")
        return sentences

    pool = [chunk() for _ in range(corpus)] if corpus else None
    with path.open("w", encoding="utf-8") as out:
        for number in range(answers):
            chunks = rng.sample(pool, 3) if pool else [chunk() for _ in range(3)]
            claims = [rng.choice(rng.choice(chunks)) for _ in range(4)]
            if rng.random() < 0.3:
                claims[0] = " ".join(rng.choices(words, k=8)).capitalize() + "."
            row = {
                "id": f"a{number}",
                "question": f"What is {words[number % 5000]} {number % 20000}?",
                "contexts": [" ".join(one) for one in chunks],
                "answer": " ".join(claims),
            }
            out.write(json.dumps(row) + "\n")


def measure(answers: int, *, corpus: int | None) -> dict[str, float]:
    """CPU seconds, wall seconds and peak memory (MB) of one scoring in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "answers.jsonl"
        write_answers(source, answers, corpus=corpus)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        subprocess.run(
            [
                *(sys.executable, "-c", "from voirdire.cli.main import main; main()"),
                *("score", str(source), "--judge", "lexical"),
                *("--into", str(Path(folder) / "scores"), "--json"),
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        wall = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu_seconds": cpu, "wall_seconds": wall, "peak_mb": after.ru_maxrss / 1024}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--corpus", type=int, default=20_000)
    parser.add_argument("--unique", action="store_true")
    chosen = parser.parse_args()
    found = measure(chosen.answers, corpus=None if chosen.unique else chosen.corpus)
    print(", ".join(f"{name} {value:.1f}" for name, value in found.items()))


if __name__ == "__main__":
    main()
