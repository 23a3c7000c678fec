"""Claims and a study folder for tests of the runner."""

from __future__ import annotations

from pathlib import Path

import pytest

from voirdire.records import Claim
from voirdire.store import JudgeConfig, StudyPaths


def make_claims(n: int) -> tuple[Claim, ...]:
    return tuple(
        Claim(
            id=f"fam{i // 3}-{('original', 'paraphrase', 'negation')[i % 3]}-{i}",
            family=f"fam{i // 3}",
            variant=("original", "paraphrase", "negation")[i % 3],
            claim=f"The plan number {i} costs {i} euro.",
            context=(f"The plan number {i} costs {i} euro per month.", "Support is by phone."),
            language="en",
        )
        for i in range(n)
    )


@pytest.fixture
def paths(tmp_path: Path) -> StudyPaths:
    return StudyPaths(tmp_path / "study")


@pytest.fixture
def config() -> JudgeConfig:
    return JudgeConfig(name="j", use="lexical")
