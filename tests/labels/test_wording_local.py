"""A model's wording from the real llama.cpp server: a weak model, real answers, nothing dropped.

What it writes is poor and is not tested. Tested is that every request ends as one draft, usable or
with a named fault, that the faults add up, and that a killed maker goes on where it stood. Needs
the extra ``local-llm``; skips loudly where it is absent.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.calling import voirdire
from tests.servers.llama import MODEL, LlamaServer, absent
from voirdire.labels import load_claim_set, write_claim_set
from voirdire.labels.variants import PROPORTIONS, read_drafts
from voirdire.records import Claim, Draft, LabelRecord

if absent():
    pytest.skip(f"THE EXTRA local-llm IS ABSENT: {', '.join(absent())}", allow_module_level=True)

FAULTS = {
    "same text", "empty", "wrong language", "no JSON", "no text in the JSON", "truncated",
    "the prompt again", "not short",
}  # fmt: skip
PLACES = ("pool", "gym", "hall")


@pytest.fixture(scope="module")
def llama() -> Iterator[LlamaServer]:
    server = LlamaServer(slots=2, context=2048)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    claims = [
        Claim(
            id=f"f{n}-original",
            family=f"f{n}",
            variant="original",
            claim=f"The {word} is heated in winter.",
            context=(f"The {word} is heated from October to March.",),
            language="en",
        )
        for n, word in enumerate(PLACES)
    ]
    labels = [
        LabelRecord(id=f"l{c.id}", claim_id=c.id, annotator="a", label="supported") for c in claims
    ]
    write_claim_set(tmp_path / "s", claims, labels)
    return tmp_path


def asked(folder: Path, server: LlamaServer, *args: str) -> tuple[int, str]:
    done = voirdire(
        "variants", "s", "--model", MODEL, "--base-url", server.base_url, *args, cwd=folder
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def check(drafts: list[Draft]) -> None:
    """Every draft is whole, or has a named fault and what the model said."""
    assert len({draft.id for draft in drafts}) == len(drafts)
    for draft in drafts:
        assert draft.maker == MODEL
        assert draft.prompt_sha256
        if draft.fault:
            assert draft.fault in FAULTS
            assert draft.raw or draft.fault == "empty"
        else:
            assert draft.claim.strip()


def test_every_request_ends_as_a_draft_and_every_fault_is_counted(
    folder: Path, llama: LlamaServer
) -> None:
    code, told = asked(folder, llama, "--wording", "paraphrase", "--wording", "short")
    assert code == 0, told
    drafts = read_drafts(folder / "s")
    check(drafts)
    assert Counter(draft.variant for draft in drafts) == {"paraphrase": 3, "short": 3}
    assert {draft.predicted for draft in drafts} == {"supported"}
    status = voirdire("variants", "s", "--status", "--json", cwd=folder)
    scores = {score["rule"]: score for score in json.loads(status.stdout)}
    for rule in ("paraphrase", "short"):
        faults = Counter(draft.fault for draft in drafts if draft.rule == rule and draft.fault)
        assert scores[rule]["faults"] == dict(faults)
        assert scores[rule]["unusable"] == faults.total()
    before = len(load_claim_set(folder / "s").claims)
    voirdire("variants", "s", "--accept", cwd=folder)
    usable = [draft for draft in drafts if not draft.fault]
    after = load_claim_set(folder / "s").claims
    assert len(after) == before + len(usable)
    assert not any(claim.meta.get("predicted") for claim in after)


def test_a_maker_killed_half_way_goes_on_where_it_stood(folder: Path) -> None:
    mortal = LlamaServer(slots=1, context=1024)
    mortal.start()
    path = folder / "s" / "drafts.jsonl"

    def kill_after_two() -> None:
        ends = time.monotonic() + 120
        while time.monotonic() < ends:
            if path.exists() and len(path.read_bytes().splitlines()) >= 2:
                mortal.kill()
                return
            time.sleep(0.02)

    watcher = threading.Thread(target=kill_after_two)
    watcher.start()
    code, told = asked(folder, mortal, "--wording", "paraphrase", "--wording", "entity_swap")
    watcher.join()
    assert code == 5, told
    stood = read_drafts(folder / "s")
    assert 2 <= len(stood) < 6
    mortal.start()
    code, told = asked(folder, mortal, "--wording", "paraphrase", "--wording", "entity_swap")
    mortal.kill()
    assert code == 0, told
    drafts = read_drafts(folder / "s")
    check(drafts)
    assert len(drafts) == 6
    assert drafts[: len(stood)] == stood, "what stood was changed or asked again"


@pytest.mark.slow
def test_originals_from_documents_come_in_the_stated_proportions(
    folder: Path, llama: LlamaServer
) -> None:
    docs = folder / "docs"
    docs.mkdir()
    (docs / "house.md").write_text(
        "# House\n\nThe pool is heated from October to March.\n\nDogs are welcome in the garden.\n",
        encoding="utf-8",
    )
    (docs / "prices.txt").write_text("A room costs 90 euros. Breakfast costs 12 euros.\n")
    code, told = asked(folder, llama, "--from-docs", "docs", "--count", "10")
    assert code == 0, told
    drafts = [draft for draft in read_drafts(folder / "s") if draft.of is None]
    check(drafts)
    wanted = Counter(f"{form}, {aim}" for form, aim in PROPORTIONS)
    assert Counter(draft.rule for draft in drafts) == wanted
    assert sum(draft.variant == "refusal" for draft in drafts) == 2
    assert {draft.family.rpartition("-")[0] for draft in drafts} == {"house", "prices"}
