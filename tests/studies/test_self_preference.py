"""A judge of the maker's family is named; a rule, another family or no model is not."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("name", "family"),
    [("google/gemma-3-4b", "gemma"), ("C:\\models\\llama.gguf", "llama"), ("7b", "b"), ("", "")],
)
def test_families(name: str, family: str) -> None:
    assert model_family(name) == family
