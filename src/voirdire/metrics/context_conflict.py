"""What the chunks of a context say together, and whether they contradict each other.

A claim is judged with each chunk alone. How the verdicts become one is a named rule, never an
accident of order:

- ``contradiction_first``: contradicted if any chunk contradicts, else supported if any supports.
  The default: support elsewhere hides no contradiction.
- ``support_first``: supported if any chunk supports, else contradicted if any contradicts.
- ``majority``: of the chunks that speak to the claim; a tie is ``contradicted``.

In all of them a claim that no chunk speaks to is unverifiable, and chunks without a judgment are
counted, not guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from voirdire.records import Label

__all__ = ["RULES", "ConflictLevel", "ContextVerdict", "Rule", "context_verdict"]

Rule = Literal["contradiction_first", "support_first", "majority"]
ConflictLevel = Literal["NONE", "SOMETIMES", "ALL"]
RULES: Final[tuple[Rule, ...]] = ("contradiction_first", "support_first", "majority")


class ContextVerdict(NamedTuple):
    """What chunks say of a claim together.

    Attributes
    ----------
    label : Label or None
        By the rule; None where every chunk failed.
    level : ConflictLevel or None
        Of the chunks that speak to the claim: NONE contradicts, SOME contradict and others
        support (the corpus disagrees with itself), ALL contradict. None where none speaks to it.
    pairs : tuple of (int, int)
        SOMETIMES: each supporting chunk with each contradicting one.
    speaking, failed : int
        Chunks that support or contradict; chunks without a judgment.
    rule : Rule
    """

    label: Label | None
    level: ConflictLevel | None
    pairs: tuple[tuple[int, int], ...]
    speaking: int
    failed: int
    rule: Rule


def context_verdict(
    labels: Sequence[Label | None], *, rule: Rule = "contradiction_first"
) -> ContextVerdict:
    """Put the verdicts on single chunks together.

    Parameters
    ----------
    labels : sequence of Label or None, shape (chunks,)
        Verdict on the claim with each chunk alone; None for no judgment.
    rule : Rule

    Raises
    ------
    ValueError
        For a rule that is not known.

    Examples
    --------
    >>> found = context_verdict(["supported", "unverifiable", "contradicted"])
    >>> found.label, found.level, found.pairs
    ('contradicted', 'SOMETIMES', ((0, 2),))
    """
    if rule not in RULES:
        raise ValueError(f"rule must be one of {', '.join(RULES)}, got {rule!r}")
    for_it = [number for number, label in enumerate(labels) if label == "supported"]
    against = [number for number, label in enumerate(labels) if label == "contradicted"]
    failed = sum(label is None for label in labels)
    level: ConflictLevel | None = None
    if for_it or against:
        level = "NONE" if not against else "SOMETIMES" if for_it else "ALL"
    return ContextVerdict(
        label=_together(len(for_it), len(against), len(labels) - failed, failed, rule),
        level=level,
        pairs=tuple((one, two) for one in for_it for two in against),
        speaking=len(for_it) + len(against),
        failed=failed,
        rule=rule,
    )


def _together(for_it: int, against: int, judged: int, failed: int, rule: Rule) -> Label | None:
    if not judged and failed:
        return None
    if not for_it and not against:
        return "unverifiable"
    if not for_it or not against:
        return "supported" if for_it else "contradicted"
    if rule == "contradiction_first":
        return "contradicted"
    if rule == "support_first":
        return "supported"
    return "supported" if for_it > against else "contradicted"
