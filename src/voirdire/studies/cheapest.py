"""The cheapest judges that pass the gates: chosen on ``cal``, confirmed on ``test``.

Every judge alone, every majority of two or three, and every cascade of two whose first says how
sure it is. They are tried on ``cal`` from the cheapest up; the first that every gate accepts by its
bound is chosen. However many were tried, one alone is put to ``test``, on families that took no
part in the choice: its bounds there need no correction for the choosing (sample splitting).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Literal

import numpy as np

from voirdire.records import Claim, Gate
from voirdire.records.contest import CheapestSet, JudgeSet, SetAnswer
from voirdire.studies.alignment import Aligned, Column
from voirdire.studies.gatekeeping import evaluate_gates
from voirdire.studies.gates import GateLimits

__all__ = ["JudgePrice", "cheapest_set", "set_words", "together"]

LARGEST_PANEL = 3
ESCALATED = (0.1, 0.25, 0.5)
"""Shares of the claims of cal that a cascade's threshold is set to pass on."""


@dataclass(frozen=True, slots=True)
class JudgePrice:
    """What one claim takes: None is unknown, not 0."""

    cost: float | None
    seconds: float | None


@dataclass(frozen=True)
class _Part:
    """One split: every judge on its claims, and how sure each is of its answers."""

    aligned: Mapping[str, Aligned]
    sure: Mapping[str, Mapping[str, float]]

    @property
    def first(self) -> Aligned:
        return next(iter(self.aligned.values()))

    @property
    def families(self) -> int:
        return len(set(self.first.family))


def cheapest_set(
    aligned: Mapping[str, Aligned],
    limits: GateLimits,
    *,
    splits: Mapping[str, str],
    sure: Mapping[str, Mapping[str, float]],
    prices: Mapping[str, JudgePrice],
    test_level: float | None = None,
) -> CheapestSet:
    """Choose on ``cal``, confirm on ``test``.

    Parameters
    ----------
    aligned : mapping
        Judge name to its aligned claims, all on the same claims.
    limits : GateLimits
    splits : mapping
        Family to ``cal``, ``test`` or another split, which takes no part.
    sure : mapping
        Judge name to claim id to the probability of its own answer; a judge without any is not
        the first of a cascade.
    prices : mapping
        Judge name to what a claim takes.
    test_level : float, optional
        One-sided confidence on ``test``; without it ``limits.level``.

    Raises
    ------
    ValueError
        If there is no judge.
    """
    if not aligned:
        raise ValueError("aligned must have at least one judge, got none")
    cal, test = (_part(aligned, sure, splits, name) for name in ("cal", "test"))
    level = limits.level if test_level is None else test_level
    known = all(prices[name].cost is not None for name in aligned)
    ranked: Literal["cost", "calls"] = "cost" if known else "calls"

    def found(
        answer: SetAnswer,
        sentence: str,
        *,
        chosen: JudgeSet | None = None,
        tried: int = 0,
        cal_gates: tuple[Gate, ...] = (),
        test_gates: tuple[Gate, ...] = (),
    ) -> CheapestSet:
        asked = chosen and _priced(chosen, test, prices)
        return CheapestSet(
            answer=answer,
            ranked_by=ranked,
            chosen=chosen,
            tried=tried,
            cal_families=cal.families,
            test_families=test.families,
            level=level,
            cal_gates=cal_gates,
            test_gates=test_gates,
            test_cost_per_1000=asked.cost_per_1000 if asked else None,
            test_calls_per_claim=asked.calls_per_claim if asked else None,
            sentence=sentence,
        )

    short = _too_small(cal, limits)
    if short:
        return found("cal_too_small", f"The cal split is too small to choose judges on: {short}.")
    tried, open_gates = 0, Counter[str]()
    for tried, one in enumerate(_by_price(cal, prices, ranked), start=1):
        gates = evaluate_gates(together(one, cal.aligned, cal.sure), limits, level=limits.level)
        state = _state(gates)
        if state == "accept":
            test_gates = (
                evaluate_gates(together(one, test.aligned, test.sure), limits, level=level)
                if test.families
                else ()
            )
            answer, said = _confirmation(one, test_gates)
            return found(
                answer,
                said,
                chosen=one,
                tried=tried,
                cal_gates=gates,
                test_gates=test_gates,
            )
        if state == "inconclusive":
            open_gates.update(_names(gates, "inconclusive"))
    if open_gates:
        return found(
            "not_enough_evidence",
            f"No set of judges passes on the cal split ({cal.families} families), and not every "
            f"one of the {tried} is rejected: open are {', '.join(sorted(open_gates))}.",
            tried=tried,
        )
    return found("none_passes", f"None of {tried} sets of judges passes the gates.", tried=tried)


def together(
    one: JudgeSet, aligned: Mapping[str, Aligned], sure: Mapping[str, Mapping[str, float]]
) -> Aligned:
    """What a set of judges answers, as if it were one judge; no judgment on a tie."""
    members = [aligned[name] for name in one.judges]
    first = members[0]
    if one.kind == "alone":
        return first
    certain = sure.get(one.judges[0], {})

    def answers(claims: Sequence[Claim], columns: Sequence[Column]) -> Column:
        if one.kind == "panel":
            return _majority(columns)
        passed = [_passed_on(claim, certain, one.threshold) for claim in claims]
        return np.where(np.array(passed, dtype=bool), columns[1], columns[0]).astype(object)

    judge = answers(first.claims, [member.judge for member in members])
    panel = answers(first.panel.claims, [member.panel.judge for member in members])
    outcome = np.array(["failed" if j is None else "judged" for j in judge], dtype=object)
    return replace(first, judge=judge, outcome=outcome, panel=replace(first.panel, judge=panel))


def set_words(one: JudgeSet) -> str:
    """A set in words: ``nli, then llm where it is less than 0.83 sure``."""
    if one.kind == "alone":
        return f"{one.judges[0]} alone"
    if one.kind == "panel":
        return "the majority of " + ", ".join(one.judges)
    return f"{one.judges[0]}, then {one.judges[1]} where it is less than {one.threshold:.3g} sure"


def _passed_on(claim: Claim, certain: Mapping[str, float], threshold: float | None) -> bool:
    return certain.get(claim.id, -math.inf) < (threshold or 0.0)


def _majority(columns: Sequence[Column]) -> Column:
    chosen: Column = np.empty(len(columns[0]), dtype=object)
    for row in range(len(chosen)):
        top = Counter(column[row] for column in columns if column[row] is not None).most_common(2)
        tie = not top or (len(top) == 2 and top[0][1] == top[1][1])
        chosen[row] = None if tie else top[0][0]
    return chosen


def _part(
    aligned: Mapping[str, Aligned],
    sure: Mapping[str, Mapping[str, float]],
    splits: Mapping[str, str],
    name: str,
) -> _Part:
    return _Part(
        {
            judge: one.part(lambda claim: splits.get(claim.family) == name)
            for judge, one in aligned.items()
        },
        sure,
    )


def _too_small(cal: _Part, limits: GateLimits) -> str:
    """Why cal cannot be chosen on, with its number of families; empty if it can."""
    if not cal.families:
        return "no family with a reference label is in it"
    gate = evaluate_gates(cal.first, limits, level=limits.level)[0]
    assert gate.name == "data_adequacy"
    small = gate.answer != "accept" and not gate.waived
    return f"{gate.reason}, and {gate.families_needed} more are needed" if small else ""


def _by_price(
    cal: _Part, prices: Mapping[str, JudgePrice], ranked: Literal["cost", "calls"]
) -> list[JudgeSet]:
    """Every set, the cheapest first; of equals the one with fewer calls, then the quicker."""

    def price(one: JudgeSet) -> tuple[float, float, float]:
        by_cost = one.cost_per_1000 or 0.0 if ranked == "cost" else 0.0
        seconds = math.inf if one.seconds_per_1000 is None else one.seconds_per_1000
        return by_cost, one.calls_per_claim, seconds

    return sorted((_priced(one, cal, prices) for one in _sets(cal)), key=price)


def _sets(cal: _Part) -> Iterator[JudgeSet]:
    names = list(cal.aligned)
    bare = JudgeSet(
        kind="alone", judges=(), calls_per_claim=1, cost_per_1000=None, seconds_per_1000=None
    )
    for size in range(1, LARGEST_PANEL + 1):
        for judges in combinations(names, size):
            kind = "alone" if size == 1 else "panel"
            yield bare.model_copy(update={"kind": kind, "judges": judges})
    for judges in permutations(names, 2):
        for threshold in _thresholds(cal, judges[0]):
            yield bare.model_copy(
                update={"kind": "cascade", "judges": judges, "threshold": threshold}
            )


def _thresholds(cal: _Part, judge: str) -> list[float]:
    certain = cal.sure.get(judge, {})
    known = [certain[claim.id] for claim in cal.first.claims if claim.id in certain]
    if len(set(known)) < 2:
        return []
    return sorted({float(np.quantile(known, share, method="higher")) for share in ESCALATED})


def _priced(one: JudgeSet, part: _Part, prices: Mapping[str, JudgePrice]) -> JudgeSet:
    """The set with what it takes on these claims."""
    shares = [1.0] * len(one.judges)
    if one.kind == "cascade":
        certain = part.sure.get(one.judges[0], {})
        passed = [_passed_on(claim, certain, one.threshold) for claim in part.first.claims]
        shares[1] = float(np.mean(passed)) if passed else 0.0

    def total(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None
        return 1000 * math.fsum(s * value for s, value in zip(shares, known, strict=True))

    return one.model_copy(
        update={
            "calls_per_claim": math.fsum(shares),
            "cost_per_1000": total([prices[name].cost for name in one.judges]),
            "seconds_per_1000": total([prices[name].seconds for name in one.judges]),
        }
    )


def _names(gates: Sequence[Gate], answer: str) -> list[str]:
    return [gate.name for gate in gates if gate.answer == answer and not gate.waived]


def _state(gates: Sequence[Gate]) -> str:
    """``reject`` if any gate rejects, ``accept`` if all accept."""
    if _names(gates, "reject"):
        return "reject"
    return "inconclusive" if _names(gates, "inconclusive") else "accept"


def _confirmation(one: JudgeSet, gates: Sequence[Gate]) -> tuple[SetAnswer, str]:
    who = f"The cheapest that passes on the cal split is {set_words(one)} ({_price_words(one)})"
    if not gates:
        return "not_enough_evidence", f"{who}; the test split has no family to confirm it on."
    failed, open_gates = _names(gates, "reject"), _names(gates, "inconclusive")
    if failed:
        return "not_confirmed", f"{who}; the test split does not confirm it: {_and(failed)} fails."
    if open_gates:
        said = f"{who}; on the test split there is not enough evidence: {_and(open_gates)} is open."
        return "not_enough_evidence", said
    return "confirmed", f"{who}; every gate accepts it on the test split too."


def _and(names: Sequence[str]) -> str:
    return ", ".join(names)


def _price_words(one: JudgeSet) -> str:
    calls = f"{1000 * one.calls_per_claim:,.0f} calls for 1,000 claims"
    if one.cost_per_1000 is None:
        return f"{calls}, cost unknown"
    return f"{one.cost_per_1000:.2f} for 1,000 claims, {calls}"
