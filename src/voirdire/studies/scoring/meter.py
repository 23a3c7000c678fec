"""What each answer took, by metric: calls, tokens, money, time. Unknown is unknown, not zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from voirdire.metrics import extrapolated, growth_of
from voirdire.records import JudgeAnswer, PilotCost

__all__ = ["Meter"]

_METRIC_OF: Final = {
    "claim": "faithfulness",
    "chunk": "faithfulness",
    "second": "second judge",
    "recall": "context_recall",
    "precision": "context_precision",
}


class _Bill(Protocol):
    @property
    def calls(self) -> int: ...
    @property
    def tokens_in(self) -> int | None: ...
    @property
    def tokens_out(self) -> int | None: ...
    @property
    def cost(self) -> float | None: ...
    @property
    def seconds(self) -> float | None: ...


class Meter:
    """Sums up while it is on; off, it costs next to nothing.

    Parameters
    ----------
    free : bool
        Whether the judge sends nothing: its calls then cost no tokens and no money.
    """

    def __init__(self, *, free: bool) -> None:
        self.on = False
        self._free = free
        self._sums: dict[str, dict[str, list[float | None]]] = {}

    def add(self, metric: str, answer: str, bill: _Bill) -> None:
        """Add what one call took to its answer."""
        if not self.on:
            return
        self._put(
            metric, answer, (bill.calls, bill.tokens_in, bill.tokens_out, bill.cost, bill.seconds)
        )

    def add_answer(self, purpose: str, answer: str, said: JudgeAnswer) -> None:
        """Add what a judge's answer took."""
        if not self.on:
            return
        money: tuple[float | None, ...] = (said.tokens_in, said.tokens_out, said.cost)
        if self._free or said.attempts == 0:
            money = (0, 0, 0.0)
        self._put(_METRIC_OF[purpose], answer, (said.attempts, *money, said.seconds))

    def costs(
        self, answers: Sequence[str], *, to: int, per_chunk: bool, wall_seconds: float | None
    ) -> tuple[PilotCost, ...]:
        """Per metric what an answer took, and what all answers will take.

        Parameters
        ----------
        answers : sequence of str
            Of the pilot; one that called nothing counts with zero.
        to : int
            Answers in all.
        per_chunk : bool
        wall_seconds : float or None
            Of the whole pilot: seconds of calls overlap where several run at once. None: not all
            of it was done now, so the seconds are those of the calls.
        """
        found = []
        total: dict[str, list[float | None]] = {name: [0.0] * 5 for name in answers}
        for metric, sums in sorted(self._sums.items()):
            rows = [sums.get(name, [0.0] * 5) for name in answers]
            found.append(_cost(metric, rows, to, growth_of(metric, per_chunk=per_chunk)))
            for name, row in zip(answers, rows, strict=True):
                total[name] = [_plus(a, b) for a, b in zip(total[name], row, strict=True)]
        every = _cost("all", list(total.values()), to, "")
        if wall_seconds is None:
            return (*found, every)
        per_answer = wall_seconds / max(len(answers), 1)
        found.append(
            every.model_copy(
                update={
                    "seconds": per_answer,
                    "total_seconds": every.total_seconds.model_copy(
                        update={"value": per_answer * to, "low": None, "high": None,
                                "undefined": None, "no_interval": "wall time, not of single calls",
                                "method": "wall time of the pilot times answers"}
                    ),
                }
            )
        )  # fmt: skip
        return tuple(found)

    def _put(self, metric: str, answer: str, values: Sequence[float | None]) -> None:
        row = self._sums.setdefault(metric, {}).setdefault(answer, [0.0] * 5)
        for place, value in enumerate(values):
            row[place] = _plus(row[place], value)


def _plus(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else one + two


def _cost(metric: str, rows: list[list[float | None]], to: int, growth: str) -> PilotCost:
    columns = list(zip(*rows, strict=True)) if rows else [()] * 5
    means = [
        None if not column or None in column else sum(v or 0 for v in column) / len(column)
        for column in columns
    ]
    totals = [extrapolated(column, to=to) for column in columns]
    return PilotCost(
        metric=metric,
        answers=len(rows),
        calls=means[0],
        tokens_in=means[1],
        tokens_out=means[2],
        cost=means[3],
        seconds=means[4],
        total_calls=totals[0],
        total_tokens_in=totals[1],
        total_tokens_out=totals[2],
        total_cost=totals[3],
        total_seconds=totals[4],
        growth=growth,
    )
