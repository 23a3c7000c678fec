"""What rewording does to a judge, and how much it moves by itself, in sentences and table rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from voirdire.records import Estimate, JudgeInvariance, JudgeVariance, ReportDocument
from voirdire.reports import facts
from voirdire.reports.formats import Formats
from voirdire.reports.words import Words

__all__ = ["Certificate", "Row", "Wording"]

_BLIND, _SEES = 0.5, 0.8
"""Ends of an interval below which a judge does not see a negation, above which it can be relied on:
the same as in the recorded certificate."""

_ASIDE: Final = (
    (re.compile("(?P<group>.+) without a labelled original"), "bare"),
    (re.compile("(?P<group>.+) that people labelled differently"), "differs"),
    (re.compile("negation that people did not turn"), "unturned"),
    (re.compile("number edit not from supported to (?P<now>.+)"), "number"),
)
"""Why a variant was set aside, as it is recorded."""

_FEW = 8
"""Pairs below which nothing is said of one variant: the same as in the recorded certificate."""

_BREAKS: Final = (
    (
        re.compile(
            "(?P<variant>.+): people's label stays, "
            "the answer goes from (?P<before>.+) to (?P<after>.+)"
        ),
        "moved",
    ),
    (
        re.compile(
            "(?P<variant>.+): people turn (?P<before>.+) to (?P<now>.+), "
            "the answer stays (?P<after>.+)"
        ),
        "stuck",
    ),
    (
        re.compile("(?P<variant>.+): people say (?P<now>.+), the answer stays supported"),
        "unseen",
    ),
)
"""What a certificate says of a broken family, as it is recorded."""

Row = tuple[str, str, list[Estimate | None], float | None]
"""Name of a test, which way is good, one estimate a candidate, a constant judge's value."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """One judge's certificate in the reader's language."""

    judge: str
    lines: tuple[str, ...]
    aside: str = ""


class Wording:
    """Certificates and stability of one report.

    Parameters
    ----------
    report : ReportDocument
    words, formats
        The language.
    """

    def __init__(self, report: ReportDocument, words: Words, formats: Formats) -> None:
        self._words, self._formats = words, formats
        self._found: list[tuple[str, JudgeInvariance]] = []
        for judge in facts.candidates(report.agreement):
            found = facts.invariance_of(report.invariance, judge.judge)
            if found is not None:
                self._found.append((judge.judge, found))
        self._columns = [judge.judge for judge in facts.candidates(report.agreement)]

    def certificates(self) -> list[Certificate]:
        """One a candidate: negation, paraphrase, numbers, language, its own noise."""
        return [
            Certificate(name, self._lines(name, found), self._aside(name, found))
            for name, found in self._found
        ]

    def rows(self) -> list[Row]:
        """Every test that any candidate could be put to."""
        return [row for row in self._all_rows() if _asked(row)]

    def untested(self) -> list[str]:
        """Tests that the set has no claims for, as the language calls them."""
        return [
            self._words.maybe(f"test.{name}") or name.replace("_", " ")
            for name, *rest in self._all_rows()
            if not _asked((name, *rest))  # type: ignore[arg-type]
        ]

    def stability(self, judge: JudgeVariance) -> str:
        """How often a judge contradicts itself, in one sentence."""
        values = {"judge": judge.judge, "repeats": self._formats.count(judge.repeats)}
        if judge.deterministic:
            return self._words("stability.deterministic", **values)
        if judge.ever_flip.value is None:
            return self._words("stability.unknown", **values)
        return self._words("stability.flips_in", **values, n=self._hundred(judge.ever_flip))

    def broke(self, line: str) -> str:
        """What rewording did to a family, recorded in English, in the reader's language."""
        for pattern, key in _BREAKS:
            found = pattern.fullmatch(line)
            if found is not None and self._words.language != "en":
                told = self._words.maybe(
                    f"retell.break.{key}",
                    **{
                        name: self._words.label(value.replace(" ", "_"))
                        for name, value in found.groupdict().items()
                    },
                )
                return told or line
        return line

    def _all_rows(self) -> list[Row]:
        named = dict(self._found)
        names = dict.fromkeys(test.name for _, found in self._found for test in found.tests)
        rows: list[Row] = []
        for name in names:
            tests = {
                judge: next((test for test in found.tests if test.name == name), None)
                for judge, found in named.items()
            }
            first = next(test for test in tests.values() if test is not None)
            cells = []
            for judge in self._columns:
                test = tests.get(judge)
                cells.append(None if test is None else test.estimate)
            rows.append((name, first.better, cells, first.constant))
        return rows

    def _lines(self, judge: str, found: JudgeInvariance) -> tuple[str, ...]:
        by_name = {test.name: test.estimate for test in found.tests}
        return (
            *(
                self._changed(judge, found, by_name.get("negation_flip"))
                or [self._negation(judge, by_name.get("negation_flip"))]
            ),
            self._line("paraphrase", judge, by_name.get("paraphrase_stability")),
            self._line("number", judge, by_name.get("number_blind")),
            self._line("parity", judge, by_name.get("language_parity_stability")),
            self._line("noise", judge, found.replay.floor),
        )

    def _aside(self, judge: str, found: JudgeInvariance) -> str:
        """Variants that a question was meant for and could not use, by reason."""
        told = []
        for reason, n in found.set_aside.items():
            for pattern, key in _ASIDE:
                match = pattern.fullmatch(reason)
                if match is not None:
                    names = {k: self._words.label(v) for k, v in match.groupdict().items()}
                    count = self._formats.count(n)
                    told.append(self._words(f"certificate.aside.{key}", n=count, **names))
        if not told:
            return ""
        return self._words("certificate.aside", judge=judge, what="; ".join(told))

    def _negation(self, judge: str, flip: Estimate | None) -> str:
        text = self._line("negation", judge, flip)
        if flip is None or flip.value is None or flip.low is None or flip.high is None:
            return text
        tone = "some"
        if flip.high < _BLIND:
            tone = "blind"
        elif flip.low >= _SEES:
            tone = "sees"
        return f"{text} {self._words(f'certificate.negation.{tone}')}"

    def _changed(self, judge: str, found: JudgeInvariance, flip: Estimate | None) -> list[str]:
        """Negations that change people's label otherwise than from supported to contradicted."""
        if flip is not None and flip.value is not None:
            return []
        lines = []
        for one in found.variants:
            if one.group != "negation" or one.follows.value is None or one.follows.n < _FEW:
                continue
            text = self._words(
                "certificate.negation.changed",
                variant=self._words.label(one.variant),
                judge=judge,
                n=self._hundred(one.follows),
                pairs=self._formats.count(one.follows.n),
            )
            if one.follows.high is not None and one.follows.high < _BLIND and one.stuck.value:
                text += " " + self._words(
                    "certificate.negation.unmoved", n=self._hundred(one.stuck)
                )
            lines.append(text)
        return lines

    def _line(self, key: str, judge: str, found: Estimate | None) -> str:
        if found is None or found.value is None:
            return self._words(f"certificate.{key}.unknown", judge=judge)
        return self._words(
            f"certificate.{key}.known",
            judge=judge,
            n=self._hundred(found),
            pairs=self._formats.count(found.n),
        )

    def _hundred(self, found: Estimate) -> str:
        assert found.value is not None
        per = self._formats.per
        value = per(found.value, 100)
        if found.low is None or found.high is None:
            return value
        interval = self._words("interval", low=per(found.low, 100), high=per(found.high, 100))
        return f"{value} ({interval})"


def _asked(row: Row) -> bool:
    return any(cell is not None and cell.n_asked > 0 for cell in row[2])
