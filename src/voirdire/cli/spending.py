"""Options and tables of the verbs that may spend money."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from voirdire.cli.output import print_table, say

if TYPE_CHECKING:
    from voirdire.judges.planning import RunPlan
    from voirdire.models import SpendGuard
    from voirdire.records import JudgeRun
    from voirdire.store import StudyPaths

__all__ = ["Announced", "guard_of", "show_ledgers", "show_plans", "spending_options"]

F = TypeVar("F", bound=Callable[..., Any])

_PLAN_HEADER = (
    "judge", "verdicts to ask", "calls", "tokens in, about", "tokens out, at most",
    "cost, at most", "prices of", "time, about",
)  # fmt: skip
_LEDGER_HEADER = (
    "judge", "kind", "verdicts", "calls", "tokens in", "tokens out", "cost", "seconds",
)  # fmt: skip


def spending_options(function: F) -> F:
    """``--max-cost``, ``--max-calls``, ``--dry-run``."""
    for option in (
        click.option(
            "--dry-run", is_flag=True, help="Show calls, tokens, cost and time; ask nothing."
        ),
        click.option(
            "--max-calls",
            type=click.IntRange(0),
            help="Stop before a request more than this, retries counted; all judges together.",
        ),
        click.option(
            "--max-cost",
            type=click.FloatRange(0),
            help="Stop before a request that could cost more than this in all, in the currency "
            "of the prices; all judges together.",
        ),
    ):
        function = option(function)
    return function


def guard_of(max_cost: float | None, max_calls: int | None) -> SpendGuard | None:
    """The guard that the options ask for; None for none."""
    if max_cost is None and max_calls is None:
        return None
    from voirdire.models import SpendGuard

    return SpendGuard(max_calls=max_calls, max_cost=max_cost)


class Announced(set[str]):
    """Names of the judges that were going to send claims somewhere; each is said on stderr."""

    def take(self, plan: RunPlan) -> None:
        """Say what one judge is going to ask for, and remember its name."""
        self.add(plan.judge)
        spend = plan.spend
        if spend.calls:
            say(
                f"{plan.judge}: {spend.calls} calls, about {spend.tokens_in} tokens in, at most "
                f"{spend.tokens_out} out, cost at most {_cost(spend.cost, spend.currency)}"
            )


def show_plans(plans: Sequence[RunPlan]) -> None:
    """Plans as a table on stdout."""
    print_table(_PLAN_HEADER, map(_plan_cells, plans))
    for plan in plans:
        if plan.reuse is not None:
            say(f"{plan.judge}: from {plan.reuse.run_id}: {plan.reuse}")


def show_ledgers(paths: StudyPaths, runs: Sequence[JudgeRun]) -> None:
    """Where calls, tokens and money went, by judge and kind; the lines add up to ``all``."""
    if not runs:
        return
    from voirdire.judges.ledger import ledger
    from voirdire.judges.runs import read_verdicts

    rows = []
    for run in runs:
        judge, one = run.judge, ledger(read_verdicts(paths, run.run_id))
        kinds = [(kind, line) for kind, line in one.lines.items() if line.verdicts]
        for kind, line in (*kinds, ("all", one.total)):
            rows.append((judge, kind, str(line.verdicts), str(line.calls), *_tokens(line),
                         _known(f"{line.cost:.4f}", line.cost_unknown, line.verdicts),
                         f"{line.seconds:.1f}"))  # fmt: skip
    print_table(_LEDGER_HEADER, rows)


def _plan_cells(plan: RunPlan) -> tuple[str, ...]:
    spend = plan.spend
    money = spend.calls > 0
    return (
        plan.judge,
        str(plan.verdicts),
        str(spend.calls),
        str(spend.tokens_in),
        str(spend.tokens_out),
        _cost(spend.cost, spend.currency) if money else "nothing",
        (spend.prices_as_of or "unknown") if money else "",
        "unknown" if plan.seconds is None else f"{plan.seconds:.0f} s",
    )


def _cost(cost: float | None, currency: str) -> str:
    return "unknown (no price)" if cost is None else f"{cost:.4f} {currency}"


def _tokens(line: Any) -> tuple[str, str]:
    unknown, of = line.tokens_unknown, line.verdicts
    return _known(str(line.tokens_in), unknown, of), _known(str(line.tokens_out), unknown, of)


def _known(text: str, unknown: int, of: int) -> str:
    """A sum, and of how many verdicts it knows nothing: unknown is not zero."""
    if unknown and unknown == of:
        return "unknown"
    return f"{text} (+ {unknown} unknown)" if unknown else text
