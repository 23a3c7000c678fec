"""Pairs a second of the NLI session and of sentence-transformers: prints a Markdown table.

    python tests/benchmarks/bench_nli.py MODEL_DIR PAIRS.jsonl [--n N] [--threads N] [--peers PY]

``MODEL_DIR`` holds one model as model.safetensors, model.onnx and model_quantized.onnx; PAIRS are
JSON lines with context and claim. The peer is ``CrossEncoder.predict`` as sentence-transformers
ships it (torch, fp32, its own batch size; it sorts pairs by length, too), in an interpreter that
has it (``--peers``, or the environment variable VOIRDIRE_PEERS). All run one after another on the
same pairs in random order; every figure is the best of ``--rounds``, loading and one warm-up not
counted. ``--threads`` is given to all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np

from voirdire.models.nli import NliSession, find_files

PEER = """
import json, os, sys, time
os.environ["HF_HUB_OFFLINE"] = "1"
model_dir, pairs_file, threads, rounds = sys.argv[1:]
import torch
torch.set_num_threads(int(threads))
from sentence_transformers import CrossEncoder, __version__
pairs = json.load(open(pairs_file, encoding="utf-8"))
model = CrossEncoder(model_dir, device="cpu", max_length=128)
model.predict(pairs[:32], show_progress_bar=False)
best, cpu = 1e9, 1e9
for _ in range(int(rounds)):
    start, ticks = time.perf_counter(), time.process_time()
    scores = model.predict(pairs, show_progress_bar=False)
    best = min(best, time.perf_counter() - start)
    cpu = min(cpu, time.process_time() - ticks)
print(json.dumps([__version__, best, cpu, scores.tolist()]))
"""


def ours(
    folder: Path,
    pairs: list[tuple[str, str]],
    *,
    precision: str,
    batch: int | None,
    threads: int,
    rounds: int,
) -> tuple[float, float, np.ndarray]:
    """Best wall and CPU seconds, and the logits."""
    session = NliSession(
        find_files(folder, precision=precision), threads=threads, batch=batch, max_length=128
    )
    session.logits(session.encode(pairs[:32]))
    best = cpu = 1e9
    for _ in range(rounds):
        start, ticks = time.perf_counter(), time.process_time()
        logits = session.logits(session.encode(pairs))
        best = min(best, time.perf_counter() - start)
        cpu = min(cpu, time.process_time() - ticks)
    return best, cpu, logits


def peer(
    python: str, folder: Path, pairs: list[tuple[str, str]], *, threads: int, rounds: int
) -> tuple[str, float, float, np.ndarray] | None:
    """The same of CrossEncoder.predict; None where it is not installed."""
    scratch = Path(os.environ.get("TMPDIR", "/var/tmp")) / f"bench-nli-{os.getpid()}.json"
    scratch.write_text(json.dumps(pairs), encoding="utf-8")
    env = {**os.environ, "OMP_NUM_THREADS": str(threads), "TOKENIZERS_PARALLELISM": "false"}
    command = [
        python,
        "-c",
        textwrap.dedent(PEER),
        str(folder),
        str(scratch),
        str(threads),
        str(rounds),
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    scratch.unlink()
    if done.returncode:
        print(
            f"sentence-transformers did not run: {done.stderr.strip().splitlines()[-1]}",
            file=sys.stderr,
        )
        return None
    version, best, cpu, scores = json.loads(done.stdout.splitlines()[-1])
    return version, best, cpu, np.array(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", default=os.environ.get("VOIRDIRE_PEERS", sys.executable))
    asked = parser.parse_args()
    rows = [json.loads(line) for line in asked.pairs.read_text(encoding="utf-8").splitlines()]
    places = np.random.default_rng(0).permutation(len(rows))[: asked.n]
    pairs = [(rows[i]["context"], rows[i]["claim"]) for i in places]
    settings = {"threads": asked.threads, "rounds": asked.rounds}
    theirs = peer(asked.peers, asked.model, pairs, **settings)
    fp32 = ours(asked.model, pairs, precision="fp32", batch=None, **settings)
    runs = {
        "voirdire fp32, batches of 16": fp32,
        "voirdire int8, batches of 16": ours(
            asked.model, pairs, precision="int8", batch=16, **settings
        ),
        "voirdire int8, one by one (default)": ours(
            asked.model, pairs, precision="int8", batch=None, **settings
        ),
    }
    print(f"{len(pairs)} pairs, {asked.threads} thread(s), best of {asked.rounds}\n")
    print("| | pairs/s | pairs/CPU-s | times the peer (CPU) | same verdict as fp32 |")
    print("|---|---|---|---|---|")
    base = theirs[2] if theirs else None
    if theirs:
        version, wall, cpu, scores = theirs
        print(
            line(
                f"sentence-transformers {version} CrossEncoder.predict",
                pairs,
                wall,
                cpu,
                base,
                scores,
                fp32[2],
            )
        )
    for name, (wall, cpu, logits) in runs.items():
        print(line(name, pairs, wall, cpu, base, logits, fp32[2]))


def line(
    name: str,
    pairs: list[tuple[str, str]],
    wall: float,
    cpu: float,
    base: float | None,
    logits: np.ndarray,
    reference: np.ndarray,
) -> str:
    """One row of the table."""
    same = float((logits.argmax(axis=1) == reference.argmax(axis=1)).mean())
    times = f"{base / cpu:.2f}" if base else "not run"
    n = len(pairs)
    return f"| {name} | {n / wall:.0f} | {n / cpu:.0f} | {times} | {100 * same:.2f} % |"


if __name__ == "__main__":
    main()
