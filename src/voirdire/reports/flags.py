"""Flags from a closed list: what a reader must know first, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from voirdire.records import FlagCode, JudgeAgreement, ReportDocument, ReportFlag
from voirdire.reports import facts
from voirdire.reports.formats import Formats
from voirdire.reports.words import Words

__all__ = ["find_flags"]

LOPSIDED = 0.8
APART = 0.2
UNSTABLE = 0.05
"""Share of claims with more than one answer above which a judge is flagged."""
_DEFAULTS = {"min_families": 50.0, "min_families_per_label": 8.0, "max_failure_share": 0.02}
_PROBES = ("paraphrase_kept", "negation_flip", "number_seen")


def find_flags(report: ReportDocument, *, words: Words, formats: Formats) -> tuple[ReportFlag, ...]:
    """Every flag that the results raise: of the study first, then judge by judge.

    A flag whose data were not made is not raised; the section it belongs to says what to run.

    Parameters
    ----------
    report : ReportDocument
        Its limits are the ones flags are held against; flags it holds already are not read.
    words, formats
        The language of the flags.
    """
    finder = _Finder(report, words, formats)
    found = [*finder.of_study()]
    for judge in facts.candidates(report.agreement):
        found += finder.of_judge(judge)
    return tuple(found)


class _Finder:
    def __init__(self, report: ReportDocument, words: Words, formats: Formats) -> None:
        self.report, self.agreement, self.decision = report, report.agreement, report.decision
        self.around = report.circumstances
        self.words, self.formats = words, formats

    def limit(self, name: str) -> float:
        value = self.decision.gates.get(name, _DEFAULTS[name])
        return float(value) if isinstance(value, int | float) else _DEFAULTS[name]

    def flag(self, code: FlagCode, judge: str | None = None, **values: object) -> ReportFlag:
        shown = {"judge": judge or "", **values}
        return ReportFlag(
            code=code,
            judge=judge,
            text=self.words(f"flag.{code}.text", **shown),
            todo=self.words(f"flag.{code}.todo", **shown),
        )

    def of_study(self) -> Iterator[ReportFlag]:
        yield from self._labels()
        yield from self._people()
        yield from self._changes()
        if self.agreement.view == "supported_or_not":
            yield self.flag("two_class_view")
        waived = {
            gate.name: gate for one in self.decision.decisions for gate in one.gates if gate.waived
        }
        for name in waived:
            yield self.flag("waived_gate", gate=self.words.maybe(f"gate_name.{name}") or name)

    def _labels(self) -> Iterator[ReportFlag]:
        agreement, count = self.agreement, self.formats.count
        least, per_label = self.limit("min_families"), self.limit("min_families_per_label")
        short = [
            f"{self.words.label(label)} {count(number)}"
            for label, number in agreement.families_per_label.items()
            if number < per_label
        ]
        if agreement.n_families < least or short:
            yield self.flag(
                "few_labels",
                families=count(agreement.n_families),
                least=count(round(least)),
                per_label=count(round(per_label)),
                short=", ".join(short) or self.words("none"),
            )
        total = sum(agreement.reference_counts.values())
        for label, number in agreement.reference_counts.items():
            if number > LOPSIDED * total:
                yield self.flag(
                    "lopsided_labels",
                    label=self.words.label(label),
                    k=count(number),
                    n=count(total),
                )

    def _people(self) -> Iterator[ReportFlag]:
        rules = facts.reference_rules(self.agreement)
        if rules.get("author"):
            yield self.flag("written_examples", k=self.formats.count(rules["author"]))
        if self.agreement.humans is None:
            if rules.get("single annotator"):
                yield self.flag("single_annotator")
            elif not rules.get("author"):
                yield self.flag("no_annotators")

    def _changes(self) -> Iterator[ReportFlag]:
        around, count = self.around, self.formats.count
        if around.sets_changed:
            yield self.flag("labels_changed", sets=", ".join(around.sets_changed))
        guidelines = self.report.people.guidelines if self.report.people else around.guidelines
        named = [name for name in guidelines if name != "not recorded"]
        if len(guidelines) > 1 and named:
            yield self.flag("guideline_mixed", n=count(len(guidelines)))
        look = self.decision.look
        looks = look.number if look is not None else around.test_looks
        if looks > 1:
            yield self.flag("test_split_looked_at", n=count(looks))

    def of_judge(self, judge: JudgeAgreement) -> Iterator[ReportFlag]:
        yield from self._repeats_of(judge)
        yield from self._run_of(judge)
        yield from self._failures_of(judge)
        yield from self._agreement_of(judge)
        yield from self._probes_of(judge)

    def _repeats_of(self, judge: JudgeAgreement) -> Iterator[ReportFlag]:
        count = self.formats.count
        varied = facts.variance_of(self.report.variance, judge.judge)
        if judge.repeats == 1 and (varied is None or varied.repeats < 2):
            yield self.flag("single_run", judge.judge)
        cached = judge.ledger.cached if judge.repeats > 1 else 0
        if varied is not None and varied.cached:
            yield self.flag("cached_repeats", judge.judge, k=count(varied.cached))
        elif cached:
            yield self.flag("cached_repeats", judge.judge, k=count(cached))
        flips = None if varied is None else varied.ever_flip
        if flips is not None and flips.value is not None and flips.value > UNSTABLE:
            yield self.flag(
                "unstable_claims",
                judge.judge,
                k=count(flips.k if flips.k is not None else round(flips.value * flips.n)),
                n=count(flips.n),
                limit=self.formats.share(UNSTABLE),
            )

    def _run_of(self, judge: JudgeAgreement) -> Iterator[ReportFlag]:
        run, count = self.around.of(judge.judge), self.formats.count
        if run is not None and run.identity_missing:
            missing = ", ".join(
                self.words.maybe(f"identity.{one}") or one for one in run.identity_missing
            )
            yield self.flag("identity_incomplete", judge.judge, missing=missing)
        cut = run.cut if run is not None else judge.outcomes.get("truncated", 0)
        if cut:
            asked = run.verdicts if run is not None else judge.n_asked
            yield self.flag("truncation", judge.judge, k=count(cut), n=count(asked))

        learned = run.learned_from if run is not None else {}
        if learned:
            yield self.flag(
                "learned_from_this_set",
                judge.judge,
                set=learned["set"],
                split=learned["split"],
                families=self.words(f"learned.{learned['families']}"),
            )

    def _failures_of(self, judge: JudgeAgreement) -> Iterator[ReportFlag]:
        missing = facts.unjudged(judge)
        if judge.n_asked and missing / judge.n_asked > self.limit("max_failure_share"):
            yield self.flag(
                "failures",
                judge.judge,
                k=self.formats.count(missing),
                n=self.formats.count(judge.n_asked),
                limit=self.formats.share(self.limit("max_failure_share")),
            )
        run = self.around.of(judge.judge)
        if run is not None and run.failures_go_with:
            what = [self.words.maybe(f"attribute.{one}") or one for one in run.failures_go_with]
            yield self.flag("failures_not_random", judge.judge, what=", ".join(what))

    def _probes_of(self, judge: JudgeAgreement) -> Iterator[ReportFlag]:
        """Rewordings that it does not survive: gates that reject, not those that stay open."""
        made = facts.decision_of(judge.judge, self.decision.decisions)
        failed = [
            self.words.maybe(f"gate_name.{gate.name}") or gate.name
            for gate in (made.gates if made else ())
            if gate.name in _PROBES and gate.answer == "reject"
        ]
        if failed:
            yield self.flag("probe_failed", judge.judge, what="; ".join(failed))

    def _agreement_of(self, judge: JudgeAgreement) -> Iterator[ReportFlag]:
        kappa, humans = judge.kappa, self.agreement.humans
        if kappa.value is None:
            yield self.flag(
                "not_comparable", judge.judge, reason=self.formats.reason(kappa.undefined or "")
            )
            return
        place = facts.place_beside_people(kappa, humans.ceiling if humans else None)
        if humans and place in ("below", "beside"):
            yield self.flag(
                "below_human_ceiling" if place == "below" else "at_human_ceiling",
                judge.judge,
                kappa=self.formats.inline(kappa),
                people=self.formats.inline(humans.ceiling),
            )
        if judge.ac1.value is not None and abs(kappa.value - judge.ac1.value) > APART:
            yield self.flag(
                "prevalence_paradox",
                judge.judge,
                kappa=self.formats.number(kappa.value),
                ac1=self.formats.number(judge.ac1.value),
            )
