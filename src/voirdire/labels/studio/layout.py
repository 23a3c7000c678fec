"""Where the traffic with a labelling server lies, inside the claim set's folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from voirdire.store import ClaimSetPaths

__all__ = ["StudioPaths"]


@dataclass(frozen=True, slots=True)
class StudioPaths:
    """``labels/<set>/studio/``."""

    claim_set: ClaimSetPaths

    @classmethod
    def of(cls, folder: Path) -> StudioPaths:
        return cls(ClaimSetPaths(folder))

    @property
    def root(self) -> Path:
        return self.claim_set.root / "studio"

    @property
    def push(self) -> Path:
        return self.root / "push.json"

    @property
    def people(self) -> Path:
        return self.root / "annotators.json"

    @property
    def pull(self) -> Path:
        return self.root / "pull.json"

    @property
    def archive(self) -> Path:
        return self.root / "archive"

    @property
    def guidelines(self) -> Path:
        return self.root / "guidelines"

    @property
    def repeats(self) -> Path:
        """Second answers to planted repeats: they measure people and are no votes."""
        return self.root / "repeats.jsonl"

    @property
    def second_looks(self) -> Path:
        """Blind second answers to claims that judges pointed at: no votes either."""
        return self.root / "second_looks.jsonl"

    @property
    def reviews(self) -> Path:
        """What people said once they had seen the judges: never a label."""
        return self.root / "reviews.jsonl"

    @property
    def lock(self) -> Path:
        return self.root / ".lock"
