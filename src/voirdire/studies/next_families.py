"""After a study: which claims the next families should be, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence

from voirdire.records import AgreementResult, Decision, Gate, Record

__all__ = ["NextFamilies", "next_families"]

_VARIANT = {
    "paraphrase_kept": "paraphrase",
    "negation_flip": "negation",
    "number_seen": "number",
}
_WORDS = {
    "paraphrase": "a paraphrase",
    "negation": "a negation",
    "number": "a changed number, date or unit",
}


class NextFamilies(Record):
    """What to write and label next.

    Attributes
    ----------
    families : int
        How many.
    labels : dict of str to int
        How many of them should have an original of each label.
    variants : dict of str to int
        How many of them should hold a variant of each group.
    why : tuple of str
    sentence : str
    """

    families: int
    labels: dict[str, int]
    variants: dict[str, int]
    why: tuple[str, ...]
    sentence: str


def next_families(
    agreement: AgreementResult,
    decisions: Sequence[Decision],
    *,
    families: int = 20,
    min_per_label: int = 8,
) -> NextFamilies:
    """Split the next families by what the open gates lack.

    Labels: those with fewer than ``min_per_label`` families first, the rest by how wide the
    recall of each is. Variants: every one whose gate is open, as many as it lacks. A judge that
    is rejected asks for nothing more.
    """
    undecided = [one for one in decisions if one.decision == "not_enough_evidence"]
    open_gates = _inconclusive(undecided)
    why: list[str] = []
    variants: dict[str, int] = {}
    for name, group in _VARIANT.items():
        needs = [gate for gate in open_gates if gate.name == name]
        if not needs:
            continue
        have = max((g.estimate.families or 0) if g.estimate else 0 for g in needs)
        lacking = max(max(g.families_needed or 0 for g in needs) - have, 1)
        variants[group] = min(lacking, families)
        more = f"about {lacking} more {'is' if lacking == 1 else 'are'} needed"
        why.append(f"{name} is open: {_families(have)} can be used, {more}")
    others = sorted({gate.name for gate in open_gates} - set(_VARIANT))
    if others:
        why.append(f"open too: {', '.join(others)}")
    if not open_gates:
        variants = dict.fromkeys(("paraphrase", "negation"), families)
        why.append(_why_fresh(decisions))
    labels = _labels(agreement, families, min_per_label, why)
    lead = next(iter(sorted(labels, key=lambda name: -labels[name])), "")
    listed = ", ".join(f"{n} with {_WORDS[group]}" for group, n in variants.items())
    sentence = (
        f"Of the next {families} families, "
        + ", ".join(f"{n} {label.replace('_', ' ')}" for label, n in labels.items() if n)
        + (f"; {listed}" if listed else "")
        + f". Most needed: {lead.replace('_', ' ')}."
    )
    return NextFamilies(
        families=families, labels=labels, variants=variants, why=tuple(why), sentence=sentence
    )


def _inconclusive(decisions: Sequence[Decision]) -> list[Gate]:
    return [
        gate
        for decision in decisions
        for gate in decision.gates
        if gate.answer == "inconclusive" and not gate.waived
    ]


def _why_fresh(decisions: Sequence[Decision]) -> str:
    """Nothing is asked for: every gate is answered, or more claims would not turn the decision."""
    left = sorted({gate.name for gate in _inconclusive(decisions)})
    if not left:
        return "no gate waits for more claims; these keep the set fresh"
    return (
        f"inconclusive: {', '.join(left)}; but each judge concerned is decided by its other "
        "gates, and more claims would not turn that; these keep the set fresh"
    )


def _families(count: int) -> str:
    return "1 family" if count == 1 else f"{count} families"


def _labels(
    agreement: AgreementResult, families: int, min_per_label: int, why: list[str]
) -> dict[str, int]:
    have = agreement.families_per_label
    short = {label: max(min_per_label - count, 0) for label, count in have.items()}
    for label, count in short.items():
        if count:
            holders = f"only {_families(have[label])} hold{'s' if have[label] == 1 else ''}"
            why.append(
                f"{holders if have[label] else 'no family holds'} a claim people call {label}"
            )
    found = dict.fromkeys(have, 0)
    left = families
    for label in sorted(short, key=lambda name: (-short[name], name)):
        found[label] = min(short[label], left)
        left -= found[label]
    widths = {label: _width(agreement, label) for label in have}
    total = sum(widths.values()) or 1.0
    for label in sorted(widths, key=lambda name: (-widths[name], name)):
        more = min(left, math.ceil(left * widths[label] / total)) if left else 0
        found[label] += more
        left -= more
        total -= widths[label]
        total = total or 1.0
    if left and found:
        found[max(widths, key=lambda name: widths[name])] += left
    return found


def _width(agreement: AgreementResult, label: str) -> float:
    """Widest interval of the recall of a label over the judges; 1 where there is none."""
    widths = []
    for judge in agreement.judges:
        recall = judge.recall.get(label)
        if recall is None or recall.low is None or recall.high is None:
            widths.append(1.0)
        else:
            widths.append(recall.high - recall.low)
    return max(widths, default=1.0)
