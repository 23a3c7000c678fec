"""What a judge costs per 1,000 claims, from the ledger of its run; unknown stays unknown."""

from __future__ import annotations

from typing import Literal

from voirdire.records import JudgeAgreement

__all__ = ["CostOf", "Quantity"]

Quantity = Literal["seconds", "cost", "tokens_in", "tokens_out"]


class CostOf:
    """The ledger of one judge, over fresh verdicts: an answer from a cache took nothing.

    Parameters
    ----------
    judge : JudgeAgreement
    """

    def __init__(self, judge: JudgeAgreement) -> None:
        self._ledger = judge.ledger

    def per_thousand(self, quantity: Quantity) -> float | None:
        """Of 1,000 fresh verdicts; None where any of them did not say, or none was fresh."""
        total = getattr(self._ledger, quantity)
        if total is None or not self._ledger.fresh:
            return None
        return float(1000 * total / self._ledger.fresh)
