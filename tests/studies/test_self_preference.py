"""A judge of the maker's family is named; a rule, another family or no model is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from voirdire.judges import load
from voirdire.records import Claim, Fingerprint
from voirdire.studies.self_preference import model_family, self_preference_notes


def claim(number: int, maker: str) -> Claim:
    return Claim(
        id=str(number),
        family=str(number),
        variant="paraphrase",
        claim="x",
        context=("y",),
        language="en",
        meta={"maker": maker},
    )


CLAIMS = [claim(1, "gpt-4o"), claim(2, "gpt-4o"), claim(3, "rule"), claim(4, "qwen2.5")]


@pytest.mark.parametrize(
    ("model", "notes"),
    [("gpt-4.1-mini", 1), ("Qwen/Qwen3-8B", 1), ("mistral-small", 0), ("rule", 0), (None, 0)],
)
def test_same_family_is_noted(model: str | None, notes: int) -> None:
    judge = Fingerprint(judge="llm", version="1", parameters={}, model=model)
    found = self_preference_notes(judge, CLAIMS)
    assert len(found) == notes
    if model and model.startswith("gpt"):
        assert found[0].startswith("2 claims were worded by gpt-4o")


def test_a_member_of_the_makers_family_is_noted() -> None:
    """A cascade or a panel has no model of its own: its members' are looked at."""
    cascade = Fingerprint(
        judge="cascade",
        version="1",
        parameters={"models": ["gpt-4.1-mini", "mistral-small"]},
        parts=("0" * 64, "1" * 64),
    )
    (note,) = self_preference_notes(cascade, CLAIMS)
    assert "a member of this judge (gpt-4.1-mini)" in note
    alone = Fingerprint(judge="x", version="1", parameters={"models": ["gpt-4.1-mini"]})
    assert self_preference_notes(alone, CLAIMS) == ()


def test_a_real_cascade_and_a_panel_around_it_name_their_models(tmp_path: Path) -> None:
    second = {"use": "llm", "parameters": {"model": "gpt-4o-mini", "base_url": "http://127.0.0.1"}}
    inner = {"first": {"use": "lexical"}, "second": second, "threshold": 0.5}
    cascade = load("cascade", parameters=inner, folder=tmp_path)
    panel = load(
        "panel",
        parameters={"members": [{"use": "cascade", "parameters": inner}, {"use": "constant"}]},
        folder=tmp_path,
    )
    for judge in (cascade, panel):
        (note,) = self_preference_notes(judge.fingerprint(), CLAIMS)
        judge.close()
        assert note.startswith("2 claims were worded by gpt-4o")


@pytest.mark.parametrize(
    ("name", "family"),
    [("google/gemma-3-4b", "gemma"), ("C:\\models\\llama.gguf", "llama"), ("7b", "b"), ("", "")],
)
def test_families(name: str, family: str) -> None:
    assert model_family(name) == family
