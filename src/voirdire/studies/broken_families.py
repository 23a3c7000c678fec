"""Families in which rewording broke the judge, worst first."""

from __future__ import annotations

from collections.abc import Callable

from voirdire import stats
from voirdire.records import BrokenFamily
from voirdire.studies.agreement import family_member
from voirdire.studies.alignment import Aligned
from voirdire.studies.pairing import Pairs, repeat_labels
from voirdire.studies.replay_noise import usual_answer
from voirdire.studies.variant_groups import STABLE_GROUPS, VariantGroup

__all__ = ["broken_families"]


def broken_families(pairs: Pairs) -> list[BrokenFamily]:
    """Every family with a break: most breaks first, then the larger share, then by name.

    The usual answer of all repeats counts, so a flicker of a single asking is no break; where two
    answers are given equally often there is no usual answer and nothing is held against the judge.
    """
    answers = [usual_answer(row) for row in repeat_labels(pairs.aligned)]
    breaks: dict[str, list[str]] = {}
    paired: dict[str, int] = {}
    for place in range(pairs.size):
        one, two = int(pairs.original[place]), int(pairs.variant[place])
        family = pairs.aligned.claims[two].family
        paired[family] = paired.get(family, 0) + 1
        what = _break(pairs.aligned, pairs.groups[place], one, two, answers)
        if what:
            name = pairs.aligned.claims[two].variant.replace("_", " ")
            breaks.setdefault(family, []).append(f"{name}: {what}")
    order = sorted(
        breaks, key=lambda name: (-len(breaks[name]), -len(breaks[name]) / paired[name], name)
    )
    rows: dict[str, list[int]] = {}
    for row, claim in enumerate(pairs.aligned.claims):
        rows.setdefault(claim.family, []).append(row)
    return [_family(pairs.aligned, name, rows[name], breaks[name], paired[name]) for name in order]


def _break(
    aligned: Aligned, group: VariantGroup, one: int, two: int, answers: list[str | None]
) -> str:
    """What went wrong with a pair; empty if nothing did, or nothing can be said."""
    before, after = answers[one], answers[two]
    if before is None or after is None:
        return ""
    human = str(aligned.human[one]), str(aligned.human[two])
    tests: dict[bool, Callable[[], str]] = {
        True: lambda: _kept_label(group, before, after),
        False: lambda: _changed_label(group, human, before, after),
    }
    return tests[human[0] == human[1]]()


def _kept_label(group: VariantGroup, before: str, after: str) -> str:
    if group in STABLE_GROUPS and before != after:
        return f"people's label stays, the answer goes from {before} to {after}"
    return ""


def _changed_label(group: VariantGroup, human: tuple[str, str], before: str, after: str) -> str:
    if group == "negation" and human[0] in stats.variant_pairs.FLIP and before == after:
        return f"people turn {human[0]} to {human[1]}, the answer stays {after}"
    if group == "number" and human[0] == before == after == "supported":
        return f"people say {human[1]}, the answer stays supported"
    return ""


def _family(
    aligned: Aligned, name: str, rows: list[int], breaks: list[str], pairs: int
) -> BrokenFamily:
    first = aligned.claims[rows[0]]
    return BrokenFamily(
        family=name,
        language=first.language,
        context=first.context,
        breaks=tuple(breaks),
        pairs=pairs,
        members=tuple(family_member(aligned, row) for row in rows),
    )
