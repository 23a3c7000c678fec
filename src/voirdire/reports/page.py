"""The page: one HTML file that needs nothing but a reader.

No script, no network, and a content policy that forbids both. Every text printed by a template goes
through `voirdire.reports.escape.visible` and then through autoescape; only figures, which are made
here, are marked as mark-up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from voirdire.records import (
    AlertLimit,
    AlertPolicy,
    BrokenFamily,
    Estimate,
    FamilyError,
    FamilyMember,
    Gate,
    JudgeAgreement,
    JudgeVariance,
    ReportDocument,
    ReportFlag,
)
from voirdire.reports import facts
from voirdire.reports.contest_words import ContestWords
from voirdire.reports.costs import CostOf
from voirdire.reports.escape import shorten, visible
from voirdire.reports.formats import Formats
from voirdire.reports.retelling import retell
from voirdire.reports.sentences import RECORDS_SPEAK, Sentences
from voirdire.reports.signs import SIGN, TONE
from voirdire.reports.wording import Wording
from voirdire.reports.words import load_words

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["PARTS", "render_memo", "render_page", "render_part"]

PARTS: Final[tuple[str, ...]] = (
    "decision",
    "numbers",
    "flags",
    "agreement",
    "contest",
    "rewording",
    "stability",
    "errors",
    "people",
    "cost",
    "method",
    "limits",
    "provenance",
)
"""Sections in the order of the page; each has a template of its name."""

FAMILIES_SHOWN = 2
"""Families a judge got wrong that stand open; the others are folded away."""

MEMO_JUDGES, MEMO_FLAGS = 4, 3


def render_page(report: ReportDocument) -> str:
    """The whole page as HTML."""
    environment = _environment()
    context = _Context(report, environment).everything()
    return _tidy(environment.get_template("page.html.j2").render(context))


def render_memo(report: ReportDocument) -> str:
    """One sheet of A4 for who decides: per judge what was decided, misses, costs, what next.

    No claim is quoted and no statistic named; four judges and three flags at most, the rest is on
    the page.
    """
    environment = _environment()
    context = _Context(report, environment).everything(figures=False)
    return _tidy(environment.get_template("memo.html.j2").render(context))


def render_part(report: ReportDocument, part: str, *, figures: bool = True) -> str:
    """One section of the page; its figures may be left out.

    Raises
    ------
    ValueError
        If there is no such part.
    """
    if part not in PARTS:
        raise ValueError(f"part must be one of {', '.join(PARTS)}, got {part!r}")
    environment = _environment()
    context = _Context(report, environment).everything(figures=figures)
    return _tidy(environment.get_template(f"{part}.html.j2").render(context))


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("voirdire.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _shown(value: Any) -> Any:
    """What jinja prints: plain text made visible, our own mark-up untouched."""
    return visible(value) if type(value) is str else value


def _tidy(text: str) -> str:
    """Without the blank lines that templates leave."""
    return "\n".join(line for line in text.split("\n") if line.strip()) + "\n"


def _flip_words(judge: JudgeVariance) -> list[str]:
    """Answers in the order of a flip table: labels first, then outcomes by name."""
    found = set(judge.flips).union(*judge.flips.values())
    order = ("supported", "contradicted", "not_supported", "unverifiable")
    return sorted(found, key=lambda one: (order.index(one) if one in order else len(order), one))


class _Context:
    """What the templates see."""

    def __init__(self, report: ReportDocument, environment: Environment) -> None:
        self.report, self.agreement = report, report.agreement
        self.words = load_words(report.language)
        self.formats = Formats(self.words)
        self.sentences = Sentences(self.words, self.formats, report.decision.gates)
        self.judges = facts.candidates(self.agreement)
        self.wording = Wording(report, self.words, self.formats)
        found = (facts.variance_of(report.variance, judge.judge) for judge in self.judges)
        self.varied = [one for one in found if one is not None]
        self.environment = environment

    def everything(self, *, figures: bool = True) -> dict[str, Any]:
        agreement, judges = self.agreement, self.judges
        return {
            "report": self.report,
            "agreement": agreement,
            "humans": agreement.humans,
            "decisions": [
                one
                for one in self.report.decision.decisions
                if one.judge in {judge.judge for judge in judges}
            ],
            "judges": judges,
            "reference_lines": [one for one in agreement.judges if one not in judges],
            "dangerous": facts.dangerous_label(agreement.view),
            "parts": PARTS,
            "theme": self._theme(),
            "figures": self._figures() if figures else None,
            "kinds": self._kinds(),
            "small": facts.SMALL_SLICE,
            "shown": FAMILIES_SHOWN,
            "memo_judges": MEMO_JUDGES,
            "memo_flags": MEMO_FLAGS,
            "repeats": self._repeats(),
            "methods": self._methods(),
            "flag_groups": self._flag_groups(),
            "notes": self._notes(),
            "not_established": self._not_established(),
            "rule": next((one.rule for one in self.report.decision.decisions), ""),
            "facts": facts,
            "w": self.words,
            "f": self.formats,
            "s": self.sentences,
            "sign": SIGN,
            "tone": TONE,
            "kind_word": self._kind_word,
            "counted": self._counted,
            "rule_words": self._rule_words,
            "retold": self._retold,
            "told": self._told,
            "answer_notes": self._answer_notes,
            "short": self._short,
            "answers": self._answers,
            "family_block": self._family_block,
            "certificates": self.wording.certificates(),
            "wording_tests": self.wording.rows(),
            "untested": self.wording.untested(),
            "stability_line": self.wording.stability,
            "varied": self.varied,
            "noisy": any(not judge.deterministic for judge in self.varied),
            "policies": [
                policy
                for judge in judges
                for policy in facts.policies_of(self.report.policy, judge.judge)
            ],
            "flip_words": _flip_words,
            "fine": self._fine,
            "limit_text": self._limit_text,
            "yearly": self._yearly,
            "costs_of": CostOf,
            "gates_table": self._gates_table,
            "together": ContestWords(self.report, self.words, self.formats),
        }

    def _theme(self) -> dict[str, tuple[str, str]]:
        from voirdire.reports.figures import THEME

        return THEME

    def _figures(self) -> dict[str, dict[str, Any]]:
        from markupsafe import Markup

        from voirdire.reports.figures.page import page_figures

        return {
            name: {"title": self.report.findings[name], "svg": Markup(svg)}  # noqa: S704 - ours
            for name, svg in page_figures(self.report).items()
        }

    def _flag_groups(self) -> list[tuple[str, list[ReportFlag]]]:
        """Flags that call for the same step, together, in the order of the first."""
        found: dict[str, list[ReportFlag]] = {}
        for flag in self.report.flags:
            found.setdefault(flag.todo, []).append(flag)
        return list(found.items())

    def _kinds(self) -> list[str]:
        kinds = dict.fromkeys(part.kind for judge in self.judges for part in judge.slices)
        return [kind for kind in kinds if facts.slice_values(self.agreement, kind)]

    def _kind_word(self, kind: str) -> str:
        return self.words.maybe(f"kind.{kind}") or kind

    def _retold(self, key: str, text: str, start: str) -> Markup | str:
        """A recorded sentence that begins as we know it, retold; else itself, marked as English."""
        from markupsafe import Markup, escape

        told = self.words.maybe(f"retell.{key}") if text.startswith(start) else None
        if told is not None or self.words.language == "en":
            return told or text
        return Markup('<span lang="en">{}</span>').format(escape(visible(text)))

    def _told(self, text: str) -> Markup | str:
        """A recorded sentence in the reader's language, or itself, marked as English."""
        from markupsafe import Markup, escape

        if self.words.language == RECORDS_SPEAK:
            return text
        told = retell(text, self.words)
        if told is not None:
            return told
        return Markup('<span lang="en">{}</span>').format(escape(visible(text)))

    def _answer_notes(self, judge: str) -> Iterator[str]:
        """What a judge's answers are marked with, how many, and what to do about each."""
        run, count = self.report.circumstances.of(judge), self.formats.count
        for flag, number in run.answer_flags.items() if run is not None else ():
            key = "output" if flag.startswith("output_") else flag
            told = self.words.maybe(f"answer_flag.{key}") or self.words("answer_flag.other")
            values = {"k": count(number), "n": count(run.verdicts if run else 0), "flag": flag}
            yield self.words("answer_flag.line", told=told, **values)

    def _rule_words(self) -> str:
        """``majority (12)`` in the reader's language; what is not understood stays as it is."""
        rules = facts.reference_rules(self.agreement)
        if not rules or self.words.language == "en":
            return self.agreement.reference_rule or self.words("none")
        told = {rule: self.words.maybe(f"rule.{rule.replace(' ', '_')}") for rule in rules}
        if None in told.values():
            return self.agreement.reference_rule
        return ", ".join(f"{told[rule]} ({self.formats.count(n)})" for rule, n in rules.items())

    def _counted(self, counts: Mapping[str, int]) -> str:
        listed = [
            f"{self.words.label(name)} {self.formats.count(number)}"
            for name, number in counts.items()
        ]
        return ", ".join(listed) or self.words("none")

    def _short(self, text: str, limit: int) -> str:
        return shorten(text, limit, more=self.words("more_characters", n="{n}"))

    def _answers(
        self, judge: JudgeAgreement, member: FamilyMember
    ) -> Iterator[tuple[str, int, bool | None]]:
        """Every repeat in order, equal neighbours counted together."""
        for answer, same in groupby(member.answers):
            right = facts.was_right(answer, member.reference, judge.view)
            yield self.words.label(answer), len(list(same)), right

    def _family_block(
        self,
        judge: JudgeAgreement,
        family: FamilyError | BrokenFamily,
        breaks: tuple[str, ...] = (),
    ) -> Markup:
        name, count = self._short(family.family, 80), self.formats.count
        if isinstance(family, FamilyError):
            wrong, n = count(family.wrong), count(family.n)
            title = self.words("errors.family", family=name, wrong=wrong, n=n)
        else:
            values = {"k": count(len(family.breaks)), "n": count(family.pairs)}
            title = self.words("certificate.family", family=name, **values)
        told = [self.wording.broke(line) for line in breaks]
        return self._render("family", judge=judge, family=family, title=title, breaks=told)

    def _fine(self, estimate: Estimate) -> str:
        value = estimate.value
        return self.formats.undefined(estimate) if value is None else self.formats.fine(value)

    def _limit_text(self, policy: AlertPolicy, limit: AlertLimit) -> str:
        if limit.drop is None:
            if policy.rule == "counts":
                return self.words("alerts.counts", share=self.formats.share(limit.promised_rate))
            return self.words("alerts.of_history")
        side = "drop" if policy.direction == "low" else "rise"
        return self.words(f"alerts.{side}", n=self.formats.fine(limit.drop))

    def _yearly(self, limit: AlertLimit) -> str:
        alarms = limit.per_year
        return self.words("unknown") if alarms is None else self.formats.tenth(alarms)

    def _gates_table(self, gates: tuple[Gate, ...], caption: str) -> Markup:
        return self._render("gates", gates=gates, caption=caption)

    def _render(self, template: str, **values: Any) -> Markup:
        from markupsafe import Markup

        shared = {
            "w": self.words,
            "f": self.formats,
            "s": self.sentences,
            "sign": SIGN,
            "tone": TONE,
            "short": self._short,
            "answers": self._answers,
        }
        made = self.environment.get_template(f"{template}.html.j2").render(shared | values)
        return Markup(made)  # noqa: S704 - rendered with autoescape

    def _repeats(self) -> list[tuple[int, list[str]]]:
        """Times asked to judges; those whose repeats are in the variance result say so there."""
        varied = {judge.judge for judge in self.varied if judge.repeats > 1}
        left = [judge for judge in self.judges if judge.judge not in varied]
        counts = sorted({judge.repeats for judge in left})
        return [
            (count, [judge.judge for judge in left if judge.repeats == count]) for count in counts
        ]

    def _methods(self) -> list[tuple[str, str]]:
        """Every statistic to how it was made, once."""
        found: dict[str, dict[str, None]] = {}
        for name, estimate in self._estimates():
            found.setdefault(name, {}).setdefault(estimate.method)
        return [(name, "; ".join(methods)) for name, methods in found.items()]

    def _estimates(self) -> Iterator[tuple[str, Estimate]]:
        words = self.words
        for judge in self.judges:
            yield words("page.kappa"), judge.kappa
            yield words("page.raw"), judge.raw
            yield words("agreement.ac1"), judge.ac1
            yield words("agreement.mcc"), judge.mcc
            yield words("agreement.balanced"), judge.balanced_accuracy
            for estimate in judge.recall.values():
                yield words("agreement.recall"), estimate
            for estimate in judge.precision.values():
                yield words("agreement.precision"), estimate
        if self.agreement.humans:
            yield words("people_part.ceiling"), self.agreement.humans.ceiling
            yield words("people_part.alpha"), self.agreement.humans.alpha

    def _notes(self) -> list[str]:
        """Notes of judges and of their main numbers, each once, in order."""
        found: dict[str, None] = {}
        for judge in self.judges:
            for note in judge.notes:
                found.setdefault(note)
            for note in judge.kappa.notes:
                found.setdefault(f"{judge.judge}: {note}")
        return list(found)

    def _not_established(self) -> list[str]:
        agreement = self.agreement
        found = ["reliability", "domain", "retrieval", "later", "slices"]
        if facts.reference_rules(agreement).get("author"):
            found.insert(0, "written")
        varied = {judge.judge for judge in self.varied if judge.repeats > 1}
        if any(judge.repeats == 1 and judge.judge not in varied for judge in self.judges):
            found.append("once")
        if agreement.view == "supported_or_not":
            found.append("two_class")
        if agreement.humans is None:
            found.append("alone")
        return found
