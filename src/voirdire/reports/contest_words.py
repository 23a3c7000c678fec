"""What the page says of several judges: who is better, what they add, which set is cheapest.

The records speak English; the page says the same in its own language, from the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from voirdire.records import Estimate, Gate, ReportDocument
from voirdire.records.contest import CheapestSet, IncumbentDifference, JudgeSet
from voirdire.records.operating import KeptPart
from voirdire.reports.formats import NO_BREAK, Formats
from voirdire.reports.words import Words

__all__ = ["ContestWords"]

_ALPHA: Final = 0.05
_SMALLEST_P: Final = 0.0001


class ContestWords:
    """Sentences and cells of the section on several judges.

    Parameters
    ----------
    report : ReportDocument
    words, formats
        The language of the page.
    """

    def __init__(self, report: ReportDocument, words: Words, formats: Formats) -> None:
        self._report, self._words, self._formats = report, words, formats

    def look_line(self) -> str:
        """At which look the bounds stand; empty at the first, which needs no correction."""
        look = self._report.decision.look
        if look is None or look.number == 1:
            return ""
        return self._words(
            "looks.line",
            n=self._formats.count(look.number),
            level=self.percent(look.level),
            first=self.percent(look.first_level),
            total=self.percent(look.total_alpha),
        )

    def percent(self, share: float) -> str:
        """``98.8 %``: one decimal where there is one to show."""
        text = self._formats.tenth(100 * share)
        return f"{text.removesuffix(self._words('number.decimal') + '0')}{NO_BREAK}%"

    def signed(self, estimate: Estimate) -> str:
        """A difference with its interval."""
        if estimate.value is None:
            return self._formats.undefined(estimate)
        return f"{self._formats.difference(estimate.value)} ({self._formats.interval(estimate)})"

    def p(self, value: float | None) -> str:
        """A p-value; a tiny one as smaller than the smallest shown."""
        if value is None:
            return "–"
        small = value < _SMALLEST_P
        return f"{'<' if small else ''}{self._formats.fine(_SMALLEST_P if small else value)}"

    def money(self, value: float | None) -> str:
        """An amount, or that it was not recorded."""
        return (
            self._words("cost_part.not_recorded") if value is None else self._formats.money(value)
        )

    def time(self, seconds_per_claim: float | None) -> str:
        """What 1,000 claims take, or that it was not recorded."""
        if seconds_per_claim is None:
            return self._words("cost_part.not_recorded")
        return self._formats.seconds(1000 * seconds_per_claim)

    def against(self, one: IncumbentDifference) -> str:
        """Whether a judge is better than the one in use, by its p-value after Holm."""
        contest = self._report.contest
        said = {"judge": one.judge, "incumbent": contest.incumbent if contest else ""}
        value = one.accuracy.value
        if one.only_judge == one.only_incumbent == 0:
            return self._words("contest_part.same", **said)
        if value is None or one.accuracy_holm is None or one.accuracy_holm > _ALPHA:
            return self._words("contest_part.open", **said)
        key = "better" if value > 0 else "worse"
        return self._words(f"contest_part.{key}", n=self._formats.per(abs(value), 100), **said)

    def worth(self) -> str:
        """How many independent judges all of them are worth."""
        contest = self._report.contest
        if contest is None:
            return ""
        panel, number = contest.panel, self._formats.number
        if panel.mean_error_correlation is None or panel.effective_judges is None:
            return self._words("contest_part.worth_unknown")
        return self._words(
            "contest_part.worth",
            r=number(panel.mean_error_correlation),
            n=self._formats.count(len(contest.table)),
            e=self._formats.tenth(panel.effective_judges),
        )

    def cheapest(self) -> tuple[str, ...]:
        """The cheapest set that passes, sentence by sentence."""
        found = self._report.contest.cheapest if self._report.contest else None
        if found is None:
            return (self._words("cheapest.no_cal"),)
        values = {
            "families": self._formats.count(found.cal_families),
            "tried": self._formats.count(found.tried),
        }
        if found.chosen is None:
            return (self._words(f"cheapest.{found.answer}", **values),)
        who = self._words(
            "cheapest.chosen",
            set=self.set_words(found.chosen),
            price=self._price(found.chosen.cost_per_1000, found.chosen.calls_per_claim),
            **values,
        )
        return tuple(filter(None, (who, self._confirmation(found), self._price_on_test(found))))

    def set_words(self, one: JudgeSet) -> str:
        """A set of judges in words."""
        if one.kind == "panel":
            return self._words("cheapest.panel", judges=", ".join(one.judges))
        values = {"first": one.judges[0], "second": one.judges[-1]}
        if one.kind == "cascade":
            values["threshold"] = self._formats.fine(one.threshold or 0.0)
        return self._words(f"cheapest.{one.kind}", **values)

    def cheapest_gates(self) -> Iterator[tuple[str, str, tuple[Gate | None, Gate | None]]]:
        """Each gate of the chosen set: name, limit, and the gate on cal and on test."""
        found = self._report.contest.cheapest if self._report.contest else None
        if found is None:
            return
        cal, test = (
            {one.name: one for one in part} for part in (found.cal_gates, found.test_gates)
        )
        for name in dict.fromkeys([*cal, *test]):
            both = (cal.get(name), test.get(name))
            limit = next(one.limit for one in both if one is not None) or 0.0
            told = self._words.maybe(f"gate_name.{name}") or name
            counted = name == "data_adequacy"  # so many families, no share
            shown = self._formats.count(round(limit)) if counted else self._formats.number(limit)
            yield told, shown, both

    def bounds(self, gate: Gate | None) -> str:
        """Value and one-sided bounds of a gate."""
        if gate is None or gate.estimate is None or gate.estimate.value is None:
            return "–"
        number = self._formats.number
        if gate.lower is None or gate.upper is None:
            return number(gate.estimate.value)
        interval = self._words("interval", low=number(gate.lower), high=number(gate.upper))
        return f"{number(gate.estimate.value)} ({interval})"

    def threshold_lines(self) -> tuple[str, ...]:
        """Where to set a judge, what that costs, and which answers may be kept."""
        point = self._report.operating
        if point is None:
            return ()
        number, count, words = self._formats.number, self._formats.count, self._words
        kept = point.kept
        lines = [
            words(
                "operating.accept",
                judge=point.judge,
                score=words(f"operating.{point.score}"),
                threshold=self._formats.fine(point.threshold),
                n=count(point.n_cal),
                accept=number(point.false_accept),
                reject=number(point.false_reject),
            ),
            words(
                "operating.cost",
                n=count(point.n_test),
                cost=self._formats.short(point.cost_on_test),
                always=number(point.always_supported),
                never=number(point.never_supported),
            ),
        ]
        target = self.percent(kept.target)
        if kept.threshold is None:
            lines.append(self._refusal(kept, target))
        else:
            lines.append(
                words(
                    "operating.kept",
                    threshold=self._formats.fine(kept.threshold),
                    target=target,
                    confidence=self.percent(1 - kept.delta),
                    share=self._formats.short(kept.kept_on_test, share=True),
                    error=self._formats.short(kept.error_on_test, share=True),
                )
            )
        return tuple(lines)

    def _refusal(self, kept: KeptPart, target: str) -> str:
        """Why no answers can be kept: too few families, no probabilities, or too many errors."""
        count = self._formats.count
        values = {"target": target, "have": count(kept.families)}
        if not kept.families:
            return self._words("operating.refused_unsure", **values)
        if kept.families < kept.families_at_least:
            least = count(kept.families_at_least)
            return self._words("operating.refused_few", least=least, **values)
        return self._words("operating.refused_errors", **values)

    def _price(self, cost: float | None, calls: float) -> str:
        said = self._formats.count(round(1000 * calls))
        if cost is None:
            return self._words("cheapest.price_unknown", calls=said)
        return self._words("cheapest.price", money=self._formats.money(cost), calls=said)

    def _confirmation(self, found: CheapestSet) -> str:
        values = {
            "families": self._formats.count(found.test_families),
            "level": self.percent(found.level),
        }
        if found.answer == "confirmed":
            return self._words("cheapest.confirmed", **values)
        answer = "reject" if found.answer == "not_confirmed" else "inconclusive"
        key = "not_confirmed" if answer == "reject" else "test_open"
        gates = self._named(found.test_gates, answer)
        return self._words(f"cheapest.{key}", gates=gates, **values)

    def _price_on_test(self, found: CheapestSet) -> str:
        if found.test_calls_per_claim is None or found.chosen is None:
            return ""
        if found.chosen.kind != "cascade":
            return ""
        price = self._price(found.test_cost_per_1000, found.test_calls_per_claim)
        return self._words("cheapest.on_test", price=price)

    def _named(self, gates: Sequence[Gate], answer: str) -> str:
        told = [
            self._words.maybe(f"gate_name.{gate.name}") or gate.name
            for gate in gates
            if gate.answer == answer and not gate.waived
        ]
        return "; ".join(told) or self._words("none")
