"""What calls will cost, and a hard stop before they cost more."""

from __future__ import annotations

import math
from threading import Lock
from typing import Self

from pydantic import Field

from voirdire.errors import SpendLimit, UsageError
from voirdire.records import Record

__all__ = ["SpendGuard", "SpendPlan", "estimated_tokens"]

# English runs to about 4.5 bytes a token, other languages and numbers to fewer: 3 errs upwards.
_BYTES_PER_TOKEN = 3


def estimated_tokens(text: str) -> int:
    """About how many tokens a text is, erring upwards: a third of its UTF-8 bytes."""
    return math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN)


class SpendPlan(Record):
    """What a judge is going to ask for.

    Attributes
    ----------
    calls : int
        Without retries.
    tokens_in : int
        Estimated, erring upwards.
    tokens_out : int
        At most.
    cost : float or None
        At those tokens; None where a price is unknown.
    currency : str
    prices_as_of : str
        Date of the prices, ``given``, or empty.
    """

    calls: int = Field(default=0, ge=0)
    tokens_in: int = Field(default=0, ge=0)
    tokens_out: int = Field(default=0, ge=0)
    cost: float | None = Field(default=0.0, ge=0)
    currency: str = "USD"
    prices_as_of: str = ""

    def __add__(self, other: Self) -> Self:
        """Both together; an unknown cost makes the sum unknown."""
        dates = sorted({self.prices_as_of, other.prices_as_of} - {""})
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return self.model_copy(
            update={
                "calls": self.calls + other.calls,
                "tokens_in": self.tokens_in + other.tokens_in,
                "tokens_out": self.tokens_out + other.tokens_out,
                "cost": cost,
                "prices_as_of": ", ".join(dates),
            }
        )

    def times(self, repeats: int) -> Self:
        """The same asked several times."""
        return self.model_copy(
            update={
                "calls": self.calls * repeats,
                "tokens_in": self.tokens_in * repeats,
                "tokens_out": self.tokens_out * repeats,
                "cost": None if self.cost is None else self.cost * repeats,
            }
        )


class SpendGuard:
    """Counts calls and money of one command, all judges together, and refuses the next call.

    Every request counts as a call, retries too. A call is booked at its estimate before it is
    sent and at its price afterwards; where the server does not say what it used, the estimate
    stands. So the limit holds before the money is gone, not after.

    Parameters
    ----------
    max_calls : int or None
    max_cost : float or None
        In the currency of the prices.
    """

    def __init__(self, *, max_calls: int | None = None, max_cost: float | None = None) -> None:
        if max_calls is not None and max_calls < 0:
            raise ValueError(f"max_calls must be >= 0, got {max_calls}")
        if max_cost is not None and not 0 <= max_cost < float("inf"):
            raise ValueError(f"max_cost must be >= 0, got {max_cost}")
        self.max_calls = max_calls
        self.max_cost = max_cost
        self.calls = 0
        self.cost = 0.0
        self._lock = Lock()

    def check_plan(self, plan: SpendPlan, *, judge: str) -> None:
        """Refuse a limit in money that cannot be held, because a price is unknown.

        Raises
        ------
        UsageError
            The message says what to set.
        """
        if self.max_cost is not None and plan.calls and plan.cost is None:
            raise UsageError(
                "the price of its model is unknown, so a limit in money cannot be held",
                where=f"judge {judge}",
                todo="set its parameters price_in and price_out (for a million tokens; 0 for a "
                "server of your own), or limit the calls with --max-calls",
            )

    def book(self, cost: float | None) -> None:
        """Book one call at its estimated cost, before it is sent.

        Raises
        ------
        SpendLimit
            If it would go over a limit; nothing is booked then.
        """
        with self._lock:
            if self.max_calls is not None and self.calls + 1 > self.max_calls:
                self._stop(f"--max-calls {self.max_calls}")
            if self.max_cost is not None and self.cost + (cost or 0.0) > self.max_cost:
                self._stop(f"--max-cost {self.max_cost:g}")
            self.calls += 1
            self.cost += cost or 0.0

    def settle(self, booked: float | None, real: float | None) -> None:
        """Put the real cost of a call in place of what was booked; None: unknown, it stands."""
        if real is not None:
            with self._lock:
                self.cost += real - (booked or 0.0)

    def _stop(self, limit: str) -> None:
        raise SpendLimit(
            f"stopped at {limit}: {self.calls} calls made, about {self.cost:.4g} spent",
            todo="all answers so far are kept; run the same command again with a higher limit to "
            "go on from here",
        )
