"""Titles that state the finding, made from the numbers."""

from __future__ import annotations

from voirdire.records import (
    AgreementResult,
    AlertPolicy,
    Decision,
    JudgeAgreement,
    PolicyResult,
    VarianceResult,
)
from voirdire.reports import facts
from voirdire.reports.formats import Formats
from voirdire.reports.words import Words

__all__ = ["Findings"]

CLOSE = 0.05
"""Shares that differ by less are not told apart in a title."""


class Findings:
    """The titles of one report.

    Parameters
    ----------
    agreement : AgreementResult
    words, formats
        The language of the titles.
    """

    def __init__(self, agreement: AgreementResult, words: Words, formats: Formats) -> None:
        self._agreement, self._words, self._formats = agreement, words, formats
        self._judges = facts.candidates(agreement)

    def all(
        self,
        decisions: tuple[Decision, ...],
        policy: PolicyResult | None = None,
        variance: VarianceResult | None = None,
    ) -> dict[str, str]:
        """Every title by the name of its figure or section, in the order of the page."""
        found = {
            "headline": self.headline(decisions),
            "forest": self.forest(),
            "recall": self.recall(),
            "variants": self.variants(),
        }
        found |= {f"confusion:{judge.judge}": self.confusion(judge) for judge in self._judges}
        found |= {f"worst:{judge.judge}": self.worst(judge) for judge in self._judges}
        for judge in self._judges:
            watched = facts.faithfulness_policy(policy, judge.judge)
            if watched is not None and watched.calibration:
                found[f"limits:{judge.judge}"] = self.limits(watched)
            if watched is not None and watched.power:
                found[f"power:{judge.judge}"] = self.power(watched)
            varied = facts.variance_of(variance, judge.judge)
            signal = varied.signal("faithfulness") if varied is not None else None
            share = facts.run_share(signal.components) if signal is not None else None
            if share is not None:
                found[f"noise:{judge.judge}"] = self.noise(judge.judge, share)
        return found | {"people": self.people()}

    def headline(self, decisions: tuple[Decision, ...]) -> str:
        """What was decided, over all candidates."""
        wanted = {judge.judge for judge in self._judges}
        made = [one.decision for one in decisions if one.judge in wanted]
        if not made:
            return self._words("headline.none")
        if len(made) == 1:
            return self._words(f"headline.single.{made[0]}")
        adopted = made.count("adopt")
        narrower = made.count("adopt_narrower")
        if adopted or narrower:
            key = "adopt" if adopted else "adopt_narrower"
            number = adopted or narrower
            return self._words.plural(
                f"headline.several.{key}", number, k=str(number), n=str(len(made))
            )
        if len(set(made)) == 1:
            return self._words(f"headline.several.{made[0]}", n=str(len(made)))
        return self._words("headline.several.mixed", n=str(len(made)))

    def forest(self) -> str:
        """How the judges' agreement compares with the people's."""
        words, best = self._words, facts.best_judge(self._judges)
        if not self._judges:
            return words("finding.no_judge")
        if best is None:
            return words.plural(
                "finding.forest.undefined", len(self._judges), judge=self._judges[0].judge
            )
        humans = self._agreement.humans
        ceiling = humans.ceiling if humans else None
        values = {"judge": best.judge, "value": self._formats.value(best.kappa)}
        if len(self._judges) == 1:
            place = facts.place_beside_people(best.kappa, ceiling)
            return words(f"finding.forest.single.{place}", **values)
        places = [facts.place_beside_people(judge.kappa, ceiling) for judge in self._judges]
        n = str(len(places))
        if ceiling is None or set(places) == {"unknown"}:
            return words("finding.forest.several.unknown", **values)
        below = places.count("below")
        if below:
            return words.plural("finding.forest.several.below", below, k=str(below), n=n, **values)
        if facts.place_beside_people(best.kappa, ceiling) == "open":
            return words("finding.forest.several.open", **values)
        return words("finding.forest.several.beside", n=n, **values)

    def recall(self) -> str:
        """How many claims of the dangerous label are caught."""
        label = facts.dangerous_label(self._agreement.view)
        known = [
            (judge.recall[label].value or 0.0, judge.judge)
            for judge in self._judges
            if label in judge.recall and judge.recall[label].defined
        ]
        told = self._words.label(label)
        if not known:
            return self._words("finding.recall.undefined", label=told)
        per = self._formats.per
        if len(known) == 1:
            value, name = known[0]
            return self._words("finding.recall.single", label=told, judge=name, n=per(value, 100))
        best, worst = max(known, key=lambda item: item[0]), min(known, key=lambda item: item[0])
        if per(best[0], 100) == per(worst[0], 100):
            return self._words("finding.recall.same", label=told, n=per(best[0], 100))
        return self._words(
            "finding.recall.several",
            label=told,
            best=best[1],
            most=per(best[0], 100),
            worst=worst[1],
            least=per(worst[0], 100),
        )

    def variants(self) -> str:
        """Where rewording makes a judge err most; small slices only if there are no others."""
        values = facts.slice_values(self._agreement, "variant")
        known: list[tuple[float, JudgeAgreement, str, int]] = []
        for judge in self._judges:
            for value in values:
                part = facts.slice_of(judge, "variant", value)
                if part is not None and part.raw.value is not None:
                    known.append((part.raw.value, judge, value, part.raw.n))
        if not known:
            return self._words("finding.variants.none")
        known = [one for one in known if one[3] >= facts.SMALL_SLICE] or known
        if len(values) == 1:
            return self._words("finding.variants.single", variant=self._words.label(values[0]))
        low, judge, variant, _ = min(known, key=lambda item: item[0])
        same_judge = [one for one in known if one[1] is judge]
        high, _, other, _ = max(same_judge, key=lambda item: item[0])
        if high - low < CLOSE:
            return self._words("finding.variants.close", judge=judge.judge)
        return self._words(
            "finding.variants.falls",
            judge=judge.judge,
            variant=self._words.label(variant),
            other=self._words.label(other),
            low=self._formats.share(low),
            high=self._formats.share(high),
        )

    def limits(self, policy: AlertPolicy) -> str:
        """How far a judge moves by itself, beside the drop that warns."""
        values, fine = policy.calibration, self._formats.fine
        moved, drop = max(values) - min(values), policy.warning.drop
        said = {"judge": policy.judge, "moved": fine(moved)}
        if moved == 0:
            return self._words("finding.limits.still", judge=policy.judge)
        if drop is None:
            return self._words("finding.limits.counts", **said)
        return self._words("finding.limits.known", **said, drop=fine(drop))

    def noise(self, judge: str, run_share: float) -> str:
        """Which part of a judge's own noise is the larger, and what makes it smaller."""
        part, share = ("runs", run_share) if run_share >= 0.5 else ("calls", 1 - run_share)
        if share == 1:
            return self._words(f"finding.noise.all_{part}", judge=judge)
        return self._words(f"finding.noise.{part}", judge=judge, share=self._formats.share(share))

    def power(self, policy: AlertPolicy) -> str:
        """The smallest drop that one evaluation sees as often as was asked for."""
        seen, last = policy.warning.detectable_drop, policy.power[-1].drop
        known = seen is not None and seen <= last
        return self._words(
            "finding.power.seen" if known else "finding.power.unseen",
            judge=policy.judge,
            n=self._formats.per(policy.power_wanted, 100),
            drop=self._formats.fine(seen if known and seen is not None else last),
        )

    def confusion(self, judge: JudgeAgreement) -> str:
        """The commonest wrong judgment of a judge."""
        judged = judge.n_asked - facts.unjudged(judge)
        values = {"judge": judge.judge}
        if not judged:
            return self._words("finding.confusion.nothing", **values)
        error = facts.largest_error(judge)
        if error is None:
            n = self._formats.count(judged)
            return self._words.plural("finding.confusion.right", judged, n=n, **values)
        people, said, count = error
        return self._words(
            "finding.confusion.wrong",
            people=self._words.label(people),
            said=self._words.label(said),
            k=self._formats.count(count),
            n=self._formats.count(facts.label_total(judge, people)),
            **values,
        )

    def worst(self, judge: JudgeAgreement) -> str:
        """In how many families a judge erred."""
        count = self._formats.count
        return self._words.plural(
            "finding.worst" if judge.families_wrong else "finding.worst_none",
            judge.families_wrong or 2,
            judge=judge.judge,
            k=count(judge.families_wrong),
            n=count(self._agreement.n_families),
        )

    def people(self) -> str:
        """How well people agree with each other."""
        humans = self._agreement.humans
        if humans is None:
            return self._words("finding.people.none")
        if humans.ceiling.value is None:
            return self._words("finding.people.undefined")
        return self._words("finding.people.known", value=self._formats.short(humans.ceiling))
