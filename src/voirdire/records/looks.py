"""How often the claims of the test split were looked at, and what that costs each bound."""

from __future__ import annotations

from pydantic import Field

from voirdire.records.estimates import Record

__all__ = ["Look", "LookLedger", "PastLook"]


class Look(Record):
    """One look at the test split, as it enters a decision.

    Attributes
    ----------
    number : int
        1 for the first. The same labels and verdicts seen again are the same look.
    level : float
        One-sided confidence of every bound at this look, before Holm.
    first_level : float
        The same at the first look: what the study asked for.
    total_alpha : float
        Chance, over this look and all before it, that any of them adopts a judge that stands at a
        limit.
    digest : str
        SHA-256 of the labels and verdicts that were looked at.
    """

    number: int = Field(ge=1)
    level: float
    first_level: float
    total_alpha: float
    digest: str


class PastLook(Record):
    """A look that was taken: when, and the digest of what was seen."""

    digest: str
    made_at: str


class LookLedger(Record):
    """``results/looks.json``: every look at the test split that this study took, in order."""

    looks: tuple[PastLook, ...] = ()
