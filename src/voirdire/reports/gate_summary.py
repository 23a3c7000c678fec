"""What a gate decided, in Markdown, for the summary page of a CI job."""

from __future__ import annotations

from collections.abc import Sequence

from voirdire.records import Decision, Gate
from voirdire.reports.escape import markdown

__all__ = ["gate_summary"]

_MARKS = {"accept": "✅ accept", "reject": "❌ reject", "inconclusive": "❔ open"}


def gate_summary(decisions: Sequence[Decision], *, study: str) -> str:
    """One heading and one table a judge: its gates, the limit, the bounds and the answer.

    Parameters
    ----------
    decisions : sequence of Decision
    study : str
        Name of the study.

    Examples
    --------
    >>> from voirdire.records import Decision
    >>> one = Decision(judge="words", decision="adopt", sentence="Adopt words.", rule="",
    ...                gates=(), next_step="use it")
    >>> print(gate_summary([one], study="support"))
    ## voirdire gate: support
    <BLANKLINE>
    ### Adopt words\\.
    <BLANKLINE>
    Next: use it\\.
    <BLANKLINE>
    """
    lines = [f"## voirdire gate: {markdown(study)}", ""]
    for decision in decisions:
        lines += [f"### {markdown(decision.sentence)}", ""]
        lines += _table(decision.gates)
        if decision.part_gates:
            lines += [markdown(f"Without {decision.left_out or 'the rest'}:"), ""]
            lines += _table(decision.part_gates)
        if decision.families_missing:
            lines += [f"Missing: about {decision.families_missing} more families.", ""]
        lines += [f"Next: {markdown(decision.next_step.rstrip('.') + '.')}", ""]
    return "\n".join(lines)


def _table(gates: Sequence[Gate]) -> list[str]:
    if not gates:
        return []
    rows = [
        f"| `{gate.name}` | {_mark(gate)} | {_bounds(gate)} | {markdown(gate.reason)} |"
        for gate in gates
    ]
    return ["| gate | answer | bounds | why |", "| --- | --- | --- | --- |", *rows, ""]


def _mark(gate: Gate) -> str:
    return f"waived ({gate.answer})" if gate.waived else _MARKS[gate.answer]


def _bounds(gate: Gate) -> str:
    if gate.lower is None or gate.upper is None:
        return "–"
    limit = "" if gate.limit is None else f", limit {gate.limit:.2f}"
    return markdown(f"{gate.lower:.2f} to {gate.upper:.2f}{limit}")
