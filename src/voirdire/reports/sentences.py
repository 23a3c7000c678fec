"""The first screen: what was decided on each judge, in natural frequencies.

The records speak English. A language may retell a recorded sentence from the record's numbers
(keys under ``retell``); where it does not, the record's own words stand.
"""

from __future__ import annotations

from voirdire.records import Decision, Estimate, Gate, JudgeAgreement, JudgeSummary
from voirdire.reports import facts
from voirdire.reports.costs import CostOf
from voirdire.reports.formats import Formats
from voirdire.reports.words import Words

__all__ = ["RECORDS_SPEAK", "Sentences"]

RECORDS_SPEAK = "en"
_SHARES = ("contradicted_recall", "negation_flip", "number_seen")
_DIFFERENCES = ("human_comparison", "paraphrase_kept")


_ORDER = ("reject", "inconclusive", "accept")


def _weight(gate: Gate) -> int:
    """What decides comes first; what was waived comes last."""
    return len(_ORDER) if gate.waived else _ORDER.index(gate.answer)


class Sentences:
    """Sentences about judges and gates in one language.

    Parameters
    ----------
    words, formats
        The language.
    limits : dict
        The study's gate limits, for the gates' questions.
    """

    def __init__(
        self, words: Words, formats: Formats, limits: dict[str, float | str | bool]
    ) -> None:
        self._words, self._formats, self._limits = words, formats, limits

    def summary(self, judge: JudgeAgreement, decision: Decision) -> JudgeSummary:
        """The first screen of one judge."""
        gates = sorted(decision.gates, key=_weight)
        if decision.part_gates:  # there the passed ones are said of the part
            gates = [gate for gate in gates if gate.answer != "accept"]
        why = [self.why(gate) for gate in gates]
        why += [self._words("why.on_part", line=self.why(gate)) for gate in decision.part_gates]
        return JudgeSummary(
            judge=judge.judge,
            decision=decision.decision,
            sentence=self.decision(judge, decision),
            why=tuple(why),
            misses=self.misses(judge),
            cost=self.cost(judge),
            next_step=self.next_step(decision),
            look_again=self._words("look_again"),
        )

    def decision(self, judge: JudgeAgreement, decision: Decision) -> str:
        """The decision and the judge's frequency in one sentence."""
        head = self._words.maybe(
            f"retell.decision.{decision.decision}", judge=judge.judge, part=decision.part or ""
        )
        if head is None:
            return decision.sentence
        return f"{head} {self.catches(judge)}."

    def catches(self, judge: JudgeAgreement) -> str:
        """``of 100 claims people call contradicted it catches 91 (84 to 96)``."""
        label = self._words.label(facts.dangerous_label(judge.view))
        found = judge.caught
        if found.value is None:
            return self._words("catches.unknown", label=label)
        value = self._formats.per(found.value, 100)
        return self._words("catches.known", label=label, n=value, interval=self._per(found, 100))

    def misses(self, judge: JudgeAgreement) -> str:
        """Of 1,000 claims of the dangerous label, how many pass and how many of them unseen."""
        label = self._words.label(facts.dangerous_label(judge.view))
        found = judge.caught
        if found.value is None:
            return self._words("misses.unknown", label=label, reason=self._reason(found))
        text = self._words(
            "misses.known",
            label=label,
            n=self._formats.per(1 - found.value, 1000),
            interval=self._per(found, 1000, missed=True),
            scale=self._formats.count(1000),
        )
        harm = judge.dangerous
        if harm.value is None:
            return text
        called = self._words(
            "misses.dangerous",
            n=self._formats.per(harm.value, 1000),
            interval=self._per(harm, 1000),
        )
        return f"{text} {called}"

    def cost(self, judge: JudgeAgreement) -> str:
        """What 1,000 claims take and cost; unknown is unknown; a cache costs nothing."""
        costs = CostOf(judge)
        seconds, money = costs.per_thousand("seconds"), costs.per_thousand("cost")
        if seconds is None and judge.seconds_per_claim is not None:
            seconds = 1000 * judge.seconds_per_claim
        if seconds is None and money is None:
            return self._words("cost.unknown")
        time = self._words("unknown") if seconds is None else self._formats.seconds(seconds)
        if money is None:
            return self._words("cost.time", time=time)
        return self._words("cost.both", time=time, money=self._formats.money(money))

    def next_step(self, decision: Decision) -> str:
        """What to do now."""
        told = self._words.maybe(f"retell.next_step.{decision.decision}", part=decision.part or "")
        failed = [gate for gate in decision.gates if gate.answer == "reject" and not gate.waived]
        if decision.decision == "do_not_adopt" and failed:
            told = self._words("change_judge", gate=self._gate_name(failed[0]))
        text = told or decision.next_step
        text = text[:1].upper() + text[1:].rstrip(".") + "."
        if decision.families_missing:
            number = decision.families_missing
            more = self._words.plural("families_missing", number, n=self._formats.count(number))
            text = f"{text} {more}"
        return text

    def why(self, gate: Gate) -> str:
        """One gate in plain words: sign, name, number, what was asked."""
        name = self._gate_name(gate)
        key = "waived" if gate.waived else gate.answer
        return self._words(f"why.{key}", name=name, numbers=self._numbers(gate))

    def _gate_name(self, gate: Gate) -> str:
        return self._words.maybe(f"gate_name.{gate.name}") or gate.name.replace("_", " ")

    def question(self, gate: Gate) -> str:
        """The gate's question."""
        limit = "" if gate.limit is None else self._value(gate.name, gate.limit)
        told = self._words.maybe(
            f"retell.question.{gate.name}",
            limit=limit,
            per_label=self._whole("min_families_per_label"),
            families=self._whole("min_families"),
        )
        return told or gate.question

    def _whole(self, name: str) -> str:
        value = self._limits.get(name, "")
        return self._formats.count(round(value)) if isinstance(value, int | float) else str(value)

    def reason(self, gate: Gate) -> str:
        """Why the gate answers as it does."""
        return gate.reason if self._words.language == RECORDS_SPEAK else self._numbers(gate)

    def _numbers(self, gate: Gate) -> str:
        """``0.62, bounds 0.55 to 0.68, asked at least 0.60``; the count for data."""
        estimate, limit = gate.estimate, gate.limit
        if estimate is None:
            return self._words.maybe(f"retell.reason.{gate.name}") or gate.reason
        if estimate.value is None:
            return self._formats.undefined(estimate)
        asked = "?" if limit is None else self._value(gate.name, limit)
        value = self._value(gate.name, estimate.value)
        if gate.lower is None or gate.upper is None:
            return self._words("why.without_bounds", value=value, limit=asked)
        return self._words(
            "why.numbers",
            value=value,
            low=self._value(gate.name, gate.lower),
            high=self._value(gate.name, gate.upper),
            limit=asked,
        )

    def _value(self, gate: str, value: float) -> str:
        if gate in _SHARES:
            return self._formats.share(value)
        return (
            self._formats.difference(value) if gate in _DIFFERENCES else self._formats.number(value)
        )

    def _per(self, estimate: Estimate, scale: int, *, missed: bool = False) -> str:
        low, high = estimate.low, estimate.high
        if low is None or high is None:
            return self._words("no_interval")
        if missed:
            low, high = 1 - high, 1 - low
        per = self._formats.per
        text = self._words("interval", low=per(low, scale), high=per(high, scale))
        if abs(estimate.level - 0.95) > 1e-9:
            text += self._words("at_level", level=self._formats.share(estimate.level))
        return text

    def _reason(self, estimate: Estimate | None) -> str:
        if estimate is None or estimate.undefined is None:
            return self._words("not_measured")
        return self._formats.reason(estimate.undefined)
