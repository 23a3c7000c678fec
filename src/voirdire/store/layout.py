"""Where things lie: the paths of a study and of a claim set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["ClaimSetPaths", "StudyPaths"]


@dataclass(frozen=True, slots=True)
class ClaimSetPaths:
    """``labels/<set>/``: the claims, what people said of them, and what the set is."""

    root: Path

    @property
    def claims(self) -> Path:
        return self.root / "claims.jsonl"

    @property
    def labels(self) -> Path:
        return self.root / "labels.jsonl"

    @property
    def info(self) -> Path:
        return self.root / "set.toml"

    @property
    def splits(self) -> Path:
        return self.root / "splits.json"


@dataclass(frozen=True, slots=True)
class StudyPaths:
    """``reports/<study>/``: runs come in, results and the page come out."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / "study.toml"

    @property
    def runs(self) -> Path:
        return self.root / "runs"

    def run(self, run_id: str) -> Path:
        return self.runs / run_id

    def run_document(self, run_id: str) -> Path:
        return self.run(run_id) / "run.json"

    def verdicts(self, run_id: str) -> Path:
        return self.run(run_id) / "verdicts.jsonl"

    @property
    def results(self) -> Path:
        return self.root / "results"

    def result(self, name: str) -> Path:
        return self.results / f"{name}.json"

    @property
    def page(self) -> Path:
        return self.root / "report.html"

    @property
    def report_document(self) -> Path:
        return self.root / "report.json"

    @property
    def rows(self) -> Path:
        return self.root / "rows.csv"

    @property
    def lock(self) -> Path:
        return self.root / ".lock"
