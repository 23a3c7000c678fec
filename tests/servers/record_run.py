"""Records a run of the small local model, for tests that have no server.

    python -m tests.servers.record_run

Writes ``tests/data/llama_run``: 18 claims, 5 repeats, temperature 1, answers held by a grammar.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from tests.judges.conftest import make_claims
from tests.servers.llama import MODEL, LlamaServer
from voirdire.judges import load, run_judge
from voirdire.store import JudgeConfig, StudyPaths

TARGET = Path(__file__).resolve().parents[1] / "data" / "llama_run"
EXAMPLES = [
    ("The shop opens at nine.", "supported"),
    ("The shop opens at ten.", "contradicted"),
    ("The shop sells bread.", "unverifiable"),
]


def main() -> None:
    server = LlamaServer(slots=2, context=2048)
    server.start()
    with tempfile.TemporaryDirectory() as scratch:
        examples = Path(scratch) / "examples.jsonl"
        lines = [
            {"claim": claim, "context": ["The shop opens at nine in the morning."],
             "label": label, "split": "dev"}
            for claim, label in EXAMPLES
        ]  # fmt: skip
        examples.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        parameters = {
            "model": MODEL, "base_url": server.base_url, "examples": str(examples),
            "output": "grammar", "temperature": 1.0, "concurrency": 2,
        }  # fmt: skip
        judge = load("llm:base", parameters=parameters)
        config = JudgeConfig(name="gemma", use="llm:base")
        paths = StudyPaths(Path(scratch) / "study")
        run = run_judge(judge, make_claims(18), paths=paths, config=config, repeats=5, seed=1)
        judge.close()
        shutil.copytree(paths.run(run.run_id), TARGET, dirs_exist_ok=True)
    server.kill()


if __name__ == "__main__":
    main()
