"""Every default limit, in one place, and the questions they stand for.

The defaults come from the statistical method of this project: a floor of .60 for kappa and .70
for the recall of contradicted claims, at least 50 families and 8 per label, people's own alpha of
.60 or more; rewording may cost .05 of accuracy, 80 of 100 negations must turn the answer and 90 of
100 changed numbers must be seen. A study may set its own in ``[gates]``; they are printed with
every decision.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from pydantic import Field

from voirdire.errors import InputError
from voirdire.records import Record
from voirdire.store import checked, nearest

__all__ = ["GATE_NAMES", "GateLimits", "read_gates"]

GATE_NAMES: Final[tuple[str, ...]] = (
    "data_adequacy",
    "human_ceiling",
    "human_comparison",
    "kappa",
    "contradicted_recall",
    "paraphrase_kept",
    "negation_flip",
    "number_seen",
)
"""In the order in which the page shows them; ``waive`` takes these names."""


class GateLimits(Record):
    """The limits of a study.

    Attributes
    ----------
    level : float
        One-sided confidence of each bound.
    power : float
        Chance with which ``families_needed`` should settle an open gate.
    min_families, min_families_per_label : int
        Below them nothing is adopted.
    human_alpha_floor : float
        Krippendorff's alpha of the people; below it the guideline is the trouble, not the judge.
    kappa_floor, contradicted_recall_floor : float
        What a judge must reach, by its lower bound.
    human_margin : float
        How much less than a person (in raw agreement with the other people) a judge may agree.
    paraphrase_margin : float
        How much accuracy rewording may cost.
    negation_flip_floor : float
        Of the negations that turn people's label, the share that must turn the judge's.
    number_seen_floor : float
        Of the changed numbers, dates and units that make a supported claim contradicted, the share
        that must not be called supported still.
    max_failure_share : float
        Above it the page flags failures.
    waive : tuple of str
        Gates that this study declares not to count; each is flagged.
    """

    level: float = Field(default=0.95, gt=0.5, lt=1)
    power: float = Field(default=0.8, gt=0.5, lt=1)
    min_families: int = Field(default=50, ge=2)
    min_families_per_label: int = Field(default=8, ge=1)
    human_alpha_floor: float = Field(default=0.6, ge=-1, le=1)
    kappa_floor: float = Field(default=0.6, ge=-1, lt=1)
    contradicted_recall_floor: float = Field(default=0.7, ge=0, lt=1)
    human_margin: float = Field(default=0.05, ge=0, lt=1)
    paraphrase_margin: float = Field(default=0.05, gt=0, lt=1)
    negation_flip_floor: float = Field(default=0.8, gt=0, lt=1)
    number_seen_floor: float = Field(default=0.9, gt=0, lt=1)
    max_failure_share: float = Field(default=0.02, ge=0, le=1)
    waive: tuple[str, ...] = ()


def read_gates(table: dict[str, Any], *, where: Path | str = "study.toml") -> GateLimits:
    """``[gates]`` of a study as limits.

    Raises
    ------
    InputError
        For an unknown key, a value that is not allowed, or a waived gate that does not exist.
    """
    limits = checked(GateLimits, table, where=f"{where} [gates]")
    for name in limits.waive:
        if name not in GATE_NAMES:
            guess = nearest(name, list(GATE_NAMES))
            raise InputError(
                f"no gate is called {name!r}",
                where=f"{where} [gates] waive",
                allowed=", ".join(GATE_NAMES),
                todo=f"did you mean {guess!r}?" if guess else "",
            )
    return limits
