"""Temperature 0 behind a server: what flips is reported, and what does not proves nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.servers.faults import FaultServer
from tests.servers.llama import MODEL, LlamaServer, absent
from voirdire.store import StudyPaths, read_lines, write_text

from .calling import Done, voirdire

CLAIMS, REPEATS = 4, 3


def varied(root: Path, model: str, base_url: str, use: str) -> Done:
    rows = [
        {
            "family": f"f{k}",
            "claim": f"Plan {k} costs {10 + k} euros.",
            "context": [f"Plan {k} costs {10 + k + k % 2} euros."],
            "label": ("supported", "contradicted")[k % 2],
        }
        for k in range(CLAIMS)
    ]
    write_text(root / "c.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    done = voirdire("import", "c.jsonl", "--into", "labels/s", "--language", "en", cwd=root)
    assert done.returncode == 0, done.stderr
    write_text(
        root / "reports/s/study.toml",
        f'name = "s"\nlabels = ["../../labels/s"]\nrepeats = {REPEATS}\n[[judges]]\n'
        f'name = "served"\nuse = "{use}"\n[judges.parameters]\nmodel = "{model}"\n'
        f'base_url = "{base_url}"\ntemperature = 0.0\nconcurrency = 2\n',
    )
    done = voirdire("run", "reports/s", cwd=root)
    assert done.returncode == 0, done.stderr
    done = voirdire("vary", "reports/s", cwd=root)
    assert done.returncode == 0, done.stderr
    return done


def answers(root: Path) -> dict[str, set[str]]:
    """Claim to its different answers, read from the verdicts themselves."""
    paths = StudyPaths(root / "reports/s")
    (path,) = paths.runs.glob("*/verdicts.jsonl")
    found: dict[str, set[str]] = {}
    for line in read_lines(path):
        verdict = line.value
        assert not verdict.get("cached"), "a repeat is a call of its own"
        found.setdefault(verdict["claim_id"], set()).add(verdict.get("label") or "none")
    return found


def check(root: Path, done: Done) -> None:
    flipped = sum(len(each) > 1 for each in answers(root).values())
    assert f"\t{flipped} of {CLAIMS}\n" in done.stdout
    assert "exactly 0" not in done.stdout
    assert "nothing new" not in done.stdout
    assert ("does not make the judge deterministic" in done.stdout) == (flipped == 0)


def test_repeats_alike_behind_a_server_prove_nothing(tmp_path: Path) -> None:
    with FaultServer() as server:
        check(tmp_path, varied(tmp_path, "good", server.base_url, "llm"))
        assert len(server.requests) == CLAIMS * REPEATS


def test_flips_at_temperature_0_of_a_real_model(tmp_path: Path) -> None:
    if absent():
        pytest.skip(f"THE EXTRA local-llm IS ABSENT: {', '.join(absent())}")
    server = LlamaServer(slots=2, context=1024)
    server.start()
    try:
        check(tmp_path, varied(tmp_path, MODEL, server.base_url, "llm:base"))
    finally:
        server.kill()
