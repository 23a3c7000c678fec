"""From gates to one of four decisions, a sentence and a next step.

The rule. Each gate accepts, rejects or stays open, by its bound. Any rejection: do not adopt, even
on few data, unless every gate accepts on a part of the claims that the study declared beforehand:
adopt for that narrower use. All accept: adopt. Otherwise there is not enough evidence, and it is
said what is missing. With several candidates the bounds of each are tightened after Holm: a judge
is adopted at one minus alpha over the number of candidates not yet adopted. A later look at the
test split has a smaller alpha to begin with (`voirdire.studies.looks`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from voirdire.records import Decision, Gate, Verdict4
from voirdire.studies import measures
from voirdire.studies.alignment import Aligned, matches_part, part_words
from voirdire.studies.gatekeeping import evaluate_gates
from voirdire.studies.gates import GateLimits
from voirdire.studies.invariance import families_with
from voirdire.studies.looks import look_level
from voirdire.studies.wording_gates import WORDING_GATES

__all__ = ["RULE", "decide", "decide_all"]

RULE = (
    "any gate rejects: do not adopt, unless every gate accepts on a part declared beforehand "
    "(adopt for that narrower use); all accept: adopt; otherwise: not enough evidence"
)


def decide_all(
    candidates: Mapping[str, Aligned],
    limits: GateLimits,
    *,
    parts: Sequence[str] = (),
    reference_lines: Sequence[str] = (),
    look: int = 1,
) -> tuple[Decision, ...]:
    """Decide on every judge of a study, in the order given.

    Parameters
    ----------
    candidates : mapping
        Judge name to its aligned claims.
    limits : GateLimits
    parts : sequence of str
        Pre-declared narrower uses.
    reference_lines : sequence of str
        Judges that nobody means to adopt (constant): decided on, but not counted by Holm.
    look : int
        The how-manieth look at the test split this is; from the second on bounds are wider.
    """
    open_names = [name for name in candidates if name not in reference_lines]
    alpha = 1 - look_level(limits.level, look)
    adopted: dict[str, Decision] = {}
    while open_names:
        level = 1 - alpha / len(open_names)
        found = {
            name: decide(name, candidates[name], limits, level=level, parts=parts)
            for name in open_names
        }
        new = {name: d for name, d in found.items() if d.decision == "adopt"}
        if not new:
            adopted |= found
            break
        adopted |= new
        open_names = [name for name in open_names if name not in new]
    for name in reference_lines:
        adopted[name] = decide(
            name,
            candidates[name],
            limits,
            level=look_level(limits.level, look),
            parts=parts,
        )
    return tuple(adopted[name] for name in candidates)


def decide(
    judge: str,
    aligned: Aligned,
    limits: GateLimits,
    *,
    level: float,
    parts: Sequence[str] = (),
) -> Decision:
    """Decide on one judge at a one-sided level."""
    gates = evaluate_gates(aligned, limits, level=level)
    answers = [gate.answer for gate in gates if not gate.waived]
    if "reject" in answers:
        return _rejected(judge, aligned, limits, level, parts, gates)
    if all(answer == "accept" for answer in answers):
        return _decision(judge, "adopt", aligned, gates, next_step=_LOOK_AGAIN)
    missing = tuple(_missing(gate) for gate in _open(gates))
    return _decision(
        judge,
        "not_enough_evidence",
        aligned,
        gates,
        missing=missing,
        families_missing=_still_missing(gates, aligned),
        next_step=_next_label(gates),
    )


_LOOK_AGAIN = (
    "use it, keep its alert limits, and examine it again when its model, prompt or the guideline "
    "changes"
)


def _rejected(
    judge: str,
    aligned: Aligned,
    limits: GateLimits,
    level: float,
    parts: Sequence[str],
    gates: tuple[Gate, ...],
) -> Decision:
    part_level = 1 - (1 - level) / max(len(parts), 1)
    for part in parts:
        kept = aligned.part(partial(matches_part, part=part))
        part_gates = evaluate_gates(
            kept, limits, level=part_level, left_out=_left_out(aligned, kept, part)
        )
        if all(gate.answer == "accept" for gate in part_gates if not gate.waived):
            left = len(aligned.claims) - len(kept.claims)
            return _decision(
                judge,
                "adopt_narrower",
                aligned,
                gates,
                part=part,
                part_gates=part_gates,
                left_out=f"all but {part_words(part)} ({left} of {len(aligned.claims)} claims)",
                next_step=f"use it for {part_words(part)} only; send the rest to people",
            )
    failed = [gate for gate in gates if gate.answer == "reject" and not gate.waived]
    return _decision(
        judge,
        "do_not_adopt",
        aligned,
        gates,
        next_step=(
            f"look at the families it got wrong, change the judge ({failed[0].name} fails), "
            "and examine it again on the same labels"
        ),
    )


def _left_out(aligned: Aligned, kept: Aligned, part: str) -> list[str]:
    """Gates on rewording that a part by variant does not ask: it leaves their claims out.

    Paraphrase is not among them: whatever the use, its claims come in someone's own words.
    """
    if not part.startswith("variant"):
        return []
    groups = {"negation": "negation_flip", "number": "number_seen"}
    had, has = families_with(aligned), families_with(kept)
    return [gate for group, gate in groups.items() if had.get(group) and not has.get(group)]


def _decision(
    judge: str,
    decision: Verdict4,
    aligned: Aligned,
    gates: tuple[Gate, ...],
    *,
    next_step: str,
    part: str | None = None,
    part_gates: tuple[Gate, ...] = (),
    left_out: str | None = None,
    missing: tuple[str, ...] = (),
    families_missing: int | None = None,
) -> Decision:
    return Decision(
        judge=judge,
        decision=decision,
        sentence=_sentence(judge, decision, aligned, gates, part),
        rule=RULE,
        gates=gates,
        part=part,
        part_gates=part_gates,
        left_out=left_out,
        missing=missing,
        families_missing=families_missing,
        next_step=next_step,
        flags=tuple(f"waived: {gate.name}" for gate in gates if gate.waived),
    )


_HEADS: dict[Verdict4, str] = {
    "adopt": "Adopt {judge}",
    "adopt_narrower": "Adopt {judge} for {part} only",
    "do_not_adopt": "Do not adopt {judge}",
    "not_enough_evidence": "There is not enough evidence to adopt {judge}",
}


def _sentence(
    judge: str, decision: Verdict4, aligned: Aligned, gates: tuple[Gate, ...], part: str | None
) -> str:
    head = _HEADS[decision].format(judge=judge, part=part_words(part) if part else "")
    return f"{head}: {_frequency(aligned)}{_because(decision, gates)}."


def _frequency(aligned: Aligned) -> str:
    """What it catches, in natural frequencies with a 95 % interval."""
    label = measures.dangerous_label(aligned)
    caught, _ = measures.recall_bounds(aligned, label, level=0.95)
    words = label.replace("_", " ")
    if caught.value is None or caught.low is None or caught.high is None:
        return f"how many claims that people call {words} it catches is not known"
    return (
        f"of 100 claims people call {words} it catches {100 * caught.value:.0f} "
        f"({100 * caught.low:.0f} to {100 * caught.high:.0f})"
    )


def _because(decision: Verdict4, gates: tuple[Gate, ...]) -> str:
    if decision in ("do_not_adopt", "adopt_narrower"):
        failed = [gate for gate in gates if gate.answer == "reject" and not gate.waived]
        return "; " + _listed([_PLAIN[gate.name][0] for gate in failed])
    if decision == "not_enough_evidence":
        return "; " + _listed([_PLAIN[gate.name][1] for gate in _open(gates)])
    return ""


def _listed(parts: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]])) if parts else ""


_PLAIN: dict[str, tuple[str, str]] = {
    "data_adequacy": ("there are too few families", "there are too few families"),
    "human_ceiling": ("people disagree", "people's own agreement is not established"),
    "human_comparison": (
        "it agrees with people less than a person does",
        "it is open whether it agrees as well as a person does",
    ),
    "kappa": (
        "it agrees with people less than was asked",
        "it is open whether it agrees with people enough",
    ),
    "contradicted_recall": (
        "it misses more of them than was allowed",
        "it is open whether it catches enough of them",
    ),
    "paraphrase_kept": (
        "other words for the same thing make it err more often",
        "it is open whether other words for the same thing make it err",
    ),
    "negation_flip": (
        "it does not turn its answer when a negation turns the meaning",
        "it is open whether it sees negations",
    ),
    "number_seen": (
        "it overlooks changed numbers",
        "it is open whether it sees changed numbers",
    ),
}


def _open(gates: Sequence[Gate]) -> list[Gate]:
    return [gate for gate in gates if gate.answer == "inconclusive" and not gate.waived]


def _missing(gate: Gate) -> str:
    if gate.name == "data_adequacy":
        return f"{gate.name}: {gate.families_needed} more families ({gate.reason})"
    if gate.families_needed is None:
        return f"{gate.name}: {gate.reason}"
    if gate.name in WORDING_GATES:
        needed = f"about {gate.families_needed} families with such a variant"
        return f"{gate.name}: {needed} ({gate.reason})"
    return f"{gate.name}: about {gate.families_needed} families in all ({gate.reason})"


def _still_missing(gates: Sequence[Gate], aligned: Aligned) -> int | None:
    """Families to add: the largest need of any open gate, less those at hand."""
    at_hand = len(set(aligned.family))
    needs = [
        (gate.families_needed or 0) - (0 if gate.name == "data_adequacy" else at_hand)
        for gate in _open(gates)
    ]
    return max([*needs, 0]) or None


_VARIANTS = {
    "paraphrase_kept": "a paraphrase",
    "negation_flip": "a negation",
    "number_seen": "a changed number",
}


def _next_label(gates: Sequence[Gate]) -> str:
    names = [gate.name for gate in _open(gates)]
    if set(names) <= set(WORDING_GATES):
        listed = " and ".join(_VARIANTS[name] for name in names)
        return (
            f"give more families {listed} ('voirdire variants' proposes them), have people label "
            "them, then examine again"
        )
    if "human_ceiling" in names and len(names) <= 2:
        return "have a second and a third person label the same claims, then examine again"
    return "label more families (two or three people each), then examine again"
