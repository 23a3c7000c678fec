"""What judges that send claims to a server can do beside judging: plan, keep a limit, redact.

A judge that sends nothing has none of these methods: it costs nothing, and what it is shown
stays on the machine. A judge made of judges passes them on to its parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from voirdire.judges.protocol import Judge
from voirdire.models import SpendGuard, SpendPlan
from voirdire.records import JudgeInput
from voirdire.store.redaction import Redaction

__all__ = ["SendingJudge", "limit_spending", "plan_spending", "redact_inputs", "sends"]


@runtime_checkable
class SendingJudge(Protocol):
    """A judge that sends claims somewhere."""

    def plan(self, inputs: Iterable[JudgeInput]) -> SpendPlan:
        """What asking these claims once would cost; sends nothing."""
        ...

    def limit(self, guard: SpendGuard) -> None:
        """Book every call with a guard from now on."""
        ...

    def redact(self, redaction: Redaction) -> None:
        """Apply a redaction to every text from now on; it becomes part of the fingerprint."""
        ...


def sends(judge: Judge) -> bool:
    """Whether a judge sends claims somewhere."""
    return isinstance(judge, SendingJudge)


def plan_spending(judge: Judge, inputs: Iterable[JudgeInput], *, repeats: int = 1) -> SpendPlan:
    """What a judge is going to ask for; nothing for a judge that sends nothing."""
    return judge.plan(inputs).times(repeats) if isinstance(judge, SendingJudge) else SpendPlan()


def limit_spending(judge: Judge, guard: SpendGuard) -> None:
    """Let a guard stand before every call of a judge."""
    if isinstance(judge, SendingJudge):
        judge.limit(guard)


def redact_inputs(judge: Judge, redaction: Redaction) -> None:
    """Let a redaction stand before everything a judge sends."""
    if redaction and isinstance(judge, SendingJudge):
        judge.redact(redaction)
