"""What a token costs: a dated table, or what the user says; unknown stays unknown."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final
from urllib.parse import urlsplit

__all__ = ["Price", "price_of"]

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a million tokens in and out; both known or both None.

    Attributes
    ----------
    per_million_in, per_million_out : float or None
    currency : str
    as_of : str
        Date of the table, ``"given"`` for a price the user set, empty where it is unknown.
    """

    per_million_in: float | None = None
    per_million_out: float | None = None
    currency: str = "USD"
    as_of: str = ""

    @property
    def known(self) -> bool:
        """Whether there is a price at all."""
        return self.per_million_in is not None and self.per_million_out is not None

    def cost(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Cost of that many tokens; None where the price or a count is unknown."""
        if self.per_million_in is None or self.per_million_out is None:
            return None
        if self.per_million_in == self.per_million_out == 0:
            return 0.0
        if tokens_in is None or tokens_out is None:
            return None
        return (tokens_in * self.per_million_in + tokens_out * self.per_million_out) / _MILLION


def price_of(
    model: str, *, base_url: str, price_in: float | None = None, price_out: float | None = None
) -> Price:
    """Price of a model at a provider.

    Parameters
    ----------
    model, base_url : str
        The table is by host and by the exact name of the model.
    price_in, price_out : float or None
        What the user says, for a million tokens; goes before the table.

    Raises
    ------
    ValueError
        If only one of the two is given.
    """
    if (price_in is None) != (price_out is None):
        raise ValueError("price_in and price_out must be given together")
    if price_in is not None:
        return Price(price_in, price_out, as_of="given")
    table = _table()
    found = table.get(urlsplit(base_url).hostname or "", {}).get(model)
    if found is None:
        return Price()
    return Price(found["in"], found["out"], table["currency"], table["as_of"])


@cache
def _table() -> dict[str, Any]:
    text = files("voirdire.models").joinpath("prices.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
