"""The short form in Markdown, for a pull request."""

from __future__ import annotations

from voirdire.records import ReportDocument
from voirdire.reports import facts
from voirdire.reports.escape import markdown
from voirdire.reports.formats import Formats
from voirdire.reports.words import load_words

__all__ = ["render_summary"]


def render_summary(report: ReportDocument) -> str:
    """Headline, one row a judge, what each misses, flags and next steps; no claim is quoted."""
    words = load_words(report.language)
    lines = [f"## {markdown(report.headline)}", ""]
    lines += [markdown(words("page.title", study=report.study)), ""]
    lines += _table(report)
    for one in report.summaries:
        lines += [f"- **{markdown(one.judge)}**: {markdown(one.sentence)}"]
        lines += [f"  - {markdown(one.misses)}"]
        lines += [f"  - {markdown(words('markdown.next'))}: {markdown(one.next_step)}"]
    if report.flags:
        lines += ["", f"### {markdown(words('markdown.flags'))}", ""]
        lines += [
            f"- `{flag.code}` {markdown(flag.text)} {markdown(flag.todo)}" for flag in report.flags
        ]
    lines += ["", markdown(words("markdown.page"))]
    return "\n".join(lines) + "\n"


def _table(report: ReportDocument) -> list[str]:
    words = load_words(report.language)
    formats = Formats(words)
    agreement = report.agreement
    label = facts.dangerous_label(agreement.view)
    head = [words(f"markdown.{key}") for key in ("judge", "decision", "kappa")]
    head += [words("markdown.caught", label=words.label(label)), words("markdown.judged")]
    rows = []
    for judge in agreement.judges:
        made = facts.decision_of(judge.judge, report.decision.decisions)
        decided = words(f"decision.{made.decision}") if made else words("page.reference_line")
        if facts.is_reference_line(judge):
            decided = words("page.reference_line")
        judged = judge.n_asked - facts.unjudged(judge)
        rows.append(
            [
                judge.judge,
                decided,
                formats.short(judge.kappa),
                formats.short(judge.caught, share=True),
                words("basis.rate.other", k=formats.count(judged), n=formats.count(judge.n_asked)),
            ]
        )
    if agreement.humans:
        people = formats.short(agreement.humans.ceiling)
        rows.append([words("page.people_with_people"), "–", people, "–", "–"])
    return [_line(head), "|" + " --- |" * len(head), *(_line(row) for row in rows), ""]


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(markdown(cell) for cell in cells) + " |"
