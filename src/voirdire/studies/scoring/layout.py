"""``scores/<name>/``: where the scoring of one file of answers lies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["ScorePaths"]


@dataclass(frozen=True, slots=True)
class ScorePaths:
    """Rows come in as they are judged; answers and summary are made from them."""

    root: Path

    @property
    def settings(self) -> Path:
        return self.root / "score.json"

    @property
    def splits(self) -> Path:
        return self.root / "splits.jsonl"

    @property
    def questions(self) -> Path:
        return self.root / "questions.jsonl"

    @property
    def claims(self) -> Path:
        return self.root / "claims.jsonl"

    @property
    def answers(self) -> Path:
        return self.root / "answers.jsonl"

    @property
    def summary(self) -> Path:
        return self.root / "summary.json"

    @property
    def lock(self) -> Path:
        return self.root / ".lock"
