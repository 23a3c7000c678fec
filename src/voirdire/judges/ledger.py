"""Where calls, tokens, money and time of a run went; the lines add up to every total shown.

The verdict file is the ledger: each verdict carries what it cost, a request for several claims
shared out among them.
"""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from voirdire.judges.runs import VerdictColumns
from voirdire.records import Record

__all__ = ["LEDGER_KINDS", "LedgerLine", "RunLedger", "ledger"]

Kind = Literal["fresh", "retried", "cached", "failed"]

LEDGER_KINDS: Final[tuple[Kind, ...]] = ("fresh", "retried", "cached", "failed")
"""A verdict is of one kind: ``cached`` if it came from a cache, else ``failed`` if the service
failed it (timed out, rate limited, failed), else ``retried`` if it needed more than one call,
else ``fresh``. A refusal or an unparsable answer was paid for and is fresh."""

_FAILED: Final = ("timed_out", "rate_limited", "failed")


class LedgerLine(Record):
    """Verdicts of one kind, or of all.

    Attributes
    ----------
    verdicts, calls : int
    tokens_in, tokens_out : int
        Of those that are known.
    tokens_unknown : int
        Verdicts whose tokens are not known.
    cost : float
        Of those that are known.
    cost_unknown : int
        Verdicts whose cost is not known.
    seconds : float
        Summed over verdicts: requests run side by side, so the clock on the wall shows less.
    """

    verdicts: int = Field(default=0, ge=0)
    calls: int = Field(default=0, ge=0)
    tokens_in: int = Field(default=0, ge=0)
    tokens_out: int = Field(default=0, ge=0)
    tokens_unknown: int = Field(default=0, ge=0)
    cost: float = Field(default=0.0, ge=0)
    cost_unknown: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0)

    def __add__(self, other: LedgerLine) -> LedgerLine:
        """Both together."""
        fields = type(self).model_fields
        return LedgerLine(**{name: getattr(self, name) + getattr(other, name) for name in fields})


class RunLedger(Record):
    """Lines by kind, and their sum."""

    lines: dict[str, LedgerLine]
    total: LedgerLine


def ledger(columns: VerdictColumns) -> RunLedger:
    """The ledger of a run.

    Parameters
    ----------
    columns : VerdictColumns
        From `read_verdicts`.
    """
    lines: dict[str, LedgerLine] = {kind: LedgerLine() for kind in LEDGER_KINDS}
    for place in range(len(columns)):
        kind = _kind(columns, place)
        lines[kind] = lines[kind] + _line(columns, place)
    total = LedgerLine()
    for line in lines.values():
        total = total + line
    return RunLedger(lines=lines, total=total)


def _kind(columns: VerdictColumns, place: int) -> Kind:
    if columns.cached[place]:
        return "cached"
    if columns.outcome[place] in _FAILED:
        return "failed"
    return "retried" if columns.attempts[place] > 1 else "fresh"


def _line(columns: VerdictColumns, place: int) -> LedgerLine:
    """One verdict; what came from a cache cost nothing this time."""
    if columns.cached[place]:
        return LedgerLine(verdicts=1)
    into, out, cost = columns.tokens_in[place], columns.tokens_out[place], columns.cost[place]
    called = columns.attempts[place] > 0
    return LedgerLine(
        verdicts=1,
        calls=columns.attempts[place],
        tokens_in=into or 0,
        tokens_out=out or 0,
        tokens_unknown=int(called and (into is None or out is None)),
        cost=cost or 0.0,
        cost_unknown=int(called and cost is None),
        seconds=columns.seconds[place] or 0.0,
    )
