"""Gates as JUnit XML, which every CI server shows."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as Tree

from voirdire.records import Decision, Gate
from voirdire.reports.escape import visible

__all__ = ["junit_xml"]


def junit_xml(decisions: Sequence[Decision], *, study: str) -> str:
    """One suite a judge, one case a gate.

    A rejection is a failure; an open gate is an error in JUnit's sense (no verdict was reached),
    since a skipped test would let a build pass in silence; a waived gate is skipped.

    Parameters
    ----------
    decisions : sequence of Decision
    study : str
        Name of the study.
    """
    root = Tree.Element("testsuites", name=f"voirdire {visible(study)}")
    for decision in decisions:
        gates = decision.part_gates if decision.decision == "adopt_narrower" else decision.gates
        counted = [gate for gate in gates if not gate.waived]
        suite = Tree.SubElement(
            root,
            "testsuite",
            name=visible(decision.judge),
            tests=str(len(gates)),
            failures=str(sum(gate.answer == "reject" for gate in counted)),
            errors=str(sum(gate.answer == "inconclusive" for gate in counted)),
            skipped=str(len(gates) - len(counted)),
        )
        for gate in gates:
            _case(suite, gate, f"{study}.{decision.judge}")
        Tree.SubElement(suite, "system-out").text = visible(decision.sentence)
    Tree.indent(root)
    return Tree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: Tree.Element, gate: Gate, owner: str) -> None:
    case = Tree.SubElement(suite, "testcase", classname=visible(owner), name=gate.name)
    kinds = {"reject": "failure", "inconclusive": "error"}
    kind = "skipped" if gate.waived else kinds.get(gate.answer)
    if kind:
        reason = visible(gate.reason)
        Tree.SubElement(case, kind, message=reason).text = visible(f"{gate.question} {reason}")
