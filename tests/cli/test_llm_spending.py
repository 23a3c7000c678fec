"""``voirdire run`` with a judge that costs money: the plan, the stop, the ledger, the redaction."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.faults import FaultServer
from voirdire.judges import latest_sealed_runs, read_verdicts
from voirdire.judges.ledger import ledger
from voirdire.store import (
    ClaimSetPaths,
    JudgeConfig,
    StudyConfig,
    StudyPaths,
    dump_study,
    write_text,
)

from .calling import voirdire

pytest.importorskip("openai", reason="THE EXTRA llm IS ABSENT")


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


def make_study(folder: Path, server: FaultServer, model: str, **parameters: Any) -> Path:
    paths = ClaimSetPaths(folder / "set")
    claims = [
        {
            "id": f"c{n}", "family": f"f{n}", "variant": "original", "language": "en",
            "claim": f"Customer 100000{n} pays {n} euro.", "context": ["Customers pay."],
        }
        for n in range(6)
    ]  # fmt: skip
    labels = [
        {"id": f"l{n}", "claim_id": f"c{n}", "annotator": "a1", "label": "supported"}
        for n in range(6)
    ]
    write_text(paths.claims, "".join(json.dumps(one) + "\n" for one in claims))
    write_text(paths.labels, "".join(json.dumps(one) + "\n" for one in labels))
    write_text(
        paths.info,
        "\n".join(
            (
                'schema = "voirdire/claim-set"',
                'schema_version = "1.0"',
                'name = "set"',
                r"redact = ['\d{6,}']",
            )
        ),
    )
    given = {"model": model, "base_url": server.base_url, "retries": 2, **parameters}
    config = StudyConfig(
        name="study",
        labels=("../set",),
        judges=(
            JudgeConfig(name="lexical", use="lexical"),
            JudgeConfig(name="paid", use="llm", parameters=given),
        ),
        repeats=2,
    )
    write_text(folder / "study" / "study.toml", dump_study(config))
    return folder / "study"


def test_a_dry_run_asks_nothing(tmp_path: Path, server: FaultServer) -> None:
    study = make_study(tmp_path, server, "good", price_in=1.0, price_out=2.0)
    done = voirdire("run", study, "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows[1][:3] == ["lexical", "12", "0"]
    assert rows[1][5] == "nothing"
    assert rows[2][:3] == ["paid", "12", "12"]
    assert re.fullmatch(r"0\.\d{4} USD", rows[2][5])
    assert rows[2][6:] == ["given", "unknown"]
    assert server.requests == []
    assert not (study / "runs").exists()
    listed = json.loads(voirdire("run", study, "--dry-run", "--json", cwd=tmp_path).stdout)
    assert listed[1]["spend"]["calls"] == 12


def test_an_unknown_price_is_said(tmp_path: Path, server: FaultServer) -> None:
    study = make_study(tmp_path, server, "good")
    assert "unknown (no price)" in voirdire("run", study, "--dry-run", cwd=tmp_path).stdout
    done = voirdire("run", study, "--max-cost", "1", cwd=tmp_path)
    assert done.returncode == 2
    assert "price_in and price_out" in done.stderr
    assert server.requests == []


def test_a_stop_keeps_all_and_goes_on(tmp_path: Path, server: FaultServer) -> None:
    study = make_study(tmp_path, server, "good")
    first = voirdire("run", study, "--max-calls", "7", cwd=tmp_path)
    assert first.returncode == 3
    assert "stopped at --max-calls 7" in first.stderr
    assert "paid: 12 calls, about" in first.stderr
    assert len(server.requests) == 7
    (verdicts,) = study.glob("runs/paid-*/verdicts.jsonl")
    assert len(verdicts.read_text(encoding="utf-8").splitlines()) == 7
    left = json.loads(voirdire("run", study, "--dry-run", "--json", cwd=tmp_path).stdout)[1]
    assert (left["verdicts"], left["standing"], left["spend"]["calls"]) == (5, 7, 5)
    second = voirdire("run", study, cwd=tmp_path)
    assert second.returncode == 0
    assert len(server.requests) == 12
    after = json.loads(voirdire("run", study, "--dry-run", "--json", cwd=tmp_path).stdout)[1]
    assert (after["verdicts"], after["spend"]["calls"]) == (0, 0)


def test_a_limit_in_money(tmp_path: Path, server: FaultServer) -> None:
    study = make_study(tmp_path, server, "good", price_in=0.0, price_out=1e6, max_tokens=50)
    done = voirdire("run", study, "--max-cost", "90", cwd=tmp_path)
    assert done.returncode == 3
    assert 1 <= len(server.requests) <= 5


def test_nothing_redacted_leaves(tmp_path: Path, server: FaultServer) -> None:
    study = make_study(tmp_path, server, "good")
    assert voirdire("run", study, cwd=tmp_path).returncode == 0
    sent = json.dumps(server.requests)
    assert "Customer [redacted] pays 3 euro." in sent
    assert not re.search(r"100000\d", sent)


def test_the_ledger_adds_up(tmp_path: Path, server: FaultServer) -> None:
    study = make_study(
        tmp_path, server, "429-twice", price_in=1.0, price_out=2.0, concurrency=1, retries=3
    )
    done = voirdire("run", study, cwd=tmp_path)
    rows = [line.split("\t") for line in done.stdout.splitlines() if line.startswith("paid\t")]
    kinds = {row[1]: row for row in rows if row[1] in ("fresh", "retried", "all")}
    assert [kinds[k][2] for k in ("fresh", "retried", "all")] == ["11", "1", "12"]
    assert [kinds[k][3] for k in ("fresh", "retried", "all")] == ["11", "3", "14"]
    paths = StudyPaths(study)
    columns = read_verdicts(paths, latest_sealed_runs(paths)["paid"].run_id)
    book = ledger(columns)
    assert book.total.calls == sum(columns.attempts) == len(server.requests) == 14
    assert book.total.tokens_in == sum(n or 0 for n in columns.tokens_in) == 1200
    assert book.total.cost == pytest.approx(12 * 120e-6)
    assert book.total.seconds == pytest.approx(sum(s or 0 for s in columns.seconds))


def test_unknown_tokens_are_counted_and_not_zero(tmp_path: Path, server: FaultServer) -> None:
    study = make_study(tmp_path, server, "no-usage")
    done = voirdire("run", study, cwd=tmp_path)
    (total,) = [line for line in done.stdout.splitlines() if line.startswith("paid\tall")]
    assert total.split("\t")[4:7] == ["unknown", "unknown", "unknown"]


def test_a_local_study_shows_no_ledger(tmp_path: Path, server: FaultServer) -> None:
    study = make_study(tmp_path, server, "good")
    done = voirdire("run", study, "--judge", "lexical", "--max-cost", "0", cwd=tmp_path)
    assert done.returncode == 0
    assert "tokens" not in done.stdout
