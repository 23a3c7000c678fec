"""The figures of the page, each with its title and a description in words."""

from __future__ import annotations

from functools import partial

from voirdire.records import AlertPolicy, JudgeVariance, ReportDocument
from voirdire.reports import facts
from voirdire.reports.figures import judges as drawings
from voirdire.reports.figures.contest import contest_figures
from voirdire.reports.figures.limits import LIMITS_HEIGHT, draw_limits
from voirdire.reports.figures.noise import (
    BAR_HEIGHT,
    POWER_HEIGHT,
    draw_power_curve,
    draw_variance_bar,
)
from voirdire.reports.figures.svg import inline_svg
from voirdire.reports.formats import Formats
from voirdire.reports.words import load_words

__all__ = ["page_figures"]


def page_figures(report: ReportDocument) -> dict[str, str]:
    """Name of a figure to its SVG; only those that have something to show."""
    agreement, language = report.agreement, report.language
    found: dict[str, str] = {}
    if agreement.judges:
        found["forest"] = inline_svg(
            partial(drawings.draw_forest, agreement=agreement, language=language),
            key="figure-forest",
            title=report.findings["forest"],
            description=_forest_words(report),
            height=drawings.forest_height(agreement),
        )
        found["recall"] = inline_svg(
            partial(drawings.draw_recall, agreement=agreement, language=language),
            key="figure-recall",
            title=report.findings["recall"],
            description=_recall_words(report),
            height=drawings.recall_height(agreement),
        )
    if facts.candidates(agreement) and facts.slice_values(agreement, "variant"):
        found["variants"] = inline_svg(
            partial(drawings.draw_variant_grid, agreement=agreement, language=language),
            key="figure-variants",
            title=report.findings["variants"],
            description=_grid_words(report),
            height=drawings.grid_height(agreement),
        )
    return found | _limit_figures(report) | _noise_figures(report) | contest_figures(report)


def _limit_figures(report: ReportDocument) -> dict[str, str]:
    """One a judge whose faithfulness has a calibration and a limit to draw."""
    found = {}
    for place, judge in enumerate(facts.candidates(report.agreement)):
        policy = facts.faithfulness_policy(report.policy, judge.judge)
        name = f"limits:{judge.judge}"
        if policy is None or not policy.calibration or name not in report.findings:
            continue
        found[name] = inline_svg(
            partial(draw_limits, policy=policy, language=report.language),
            key=f"figure-limits-{place}",
            title=report.findings[name],
            description=_limit_words(report, policy),
            height=LIMITS_HEIGHT,
        )
    return found


def _noise_figures(report: ReportDocument) -> dict[str, str]:
    """What each judge's noise is made of, and how small a drop one evaluation sees through it."""
    found = {}
    for place, judge in enumerate(facts.candidates(report.agreement)):
        noise, power = f"noise:{judge.judge}", f"power:{judge.judge}"
        varied = facts.variance_of(report.variance, judge.judge)
        if varied is not None and noise in report.findings:
            found[noise] = inline_svg(
                partial(draw_variance_bar, judge=varied, language=report.language),
                key=f"figure-noise-{place}",
                title=report.findings[noise],
                description=_noise_words(report, varied),
                height=BAR_HEIGHT,
            )
        policy = facts.faithfulness_policy(report.policy, judge.judge)
        if policy is not None and power in report.findings:
            found[power] = inline_svg(
                partial(draw_power_curve, policy=policy, language=report.language),
                key=f"figure-power-{place}",
                title=report.findings[power],
                description=_power_words(report, policy),
                height=POWER_HEIGHT,
            )
    return found


def _noise_words(report: ReportDocument, judge: JudgeVariance) -> str:
    words = load_words(report.language)
    signal = judge.signal("faithfulness")
    share = facts.run_share(signal.components) if signal is not None else None
    formats = Formats(words)
    told = ("", "") if share is None else (formats.share(1 - share), formats.share(share))
    return words("noise.bar_desc", calls=told[0], runs=told[1])


def _power_words(report: ReportDocument, policy: AlertPolicy) -> str:
    words = load_words(report.language)
    formats = Formats(words)
    every = max(1, len(policy.power) // 6)
    points = [
        words(
            "noise.power_point",
            drop=formats.fine(point.drop),
            warning=formats.share(point.warning),
            critical=formats.share(point.critical),
        )
        for point in policy.power[::every]
    ]
    return words("noise.power_desc", points="; ".join(points))


def _limit_words(report: ReportDocument, policy: AlertPolicy) -> str:
    words = load_words(report.language)
    formats = Formats(words)
    lines = {
        "centre_line": policy.centre,
        "warning_line": policy.warning.value,
        "critical_line": policy.critical.value,
    }
    told = [
        f"{words(f'alerts.{key}')} {formats.fine(v)}" for key, v in lines.items() if v is not None
    ]
    values = "; ".join(formats.fine(value) for value in policy.calibration)
    return words("alerts.desc", values=values, limits="; ".join(told) or words("none"))


def _forest_words(report: ReportDocument) -> str:
    words = load_words(report.language)
    formats = Formats(words)
    humans = report.agreement.humans
    rows = [f"{judge.judge} {formats.short(judge.kappa)}" for judge in report.agreement.judges]
    people = formats.short(humans.ceiling) if humans else words("unknown")
    return words("agreement.forest_desc", rows="; ".join(rows), people=people)


def _recall_words(report: ReportDocument) -> str:
    words = load_words(report.language)
    formats = Formats(words)
    rows = [
        f"{words.label(label)}, {judge.judge} {formats.short(estimate, share=True)}"
        for judge in facts.candidates(report.agreement)
        for label, estimate in judge.recall.items()
    ]
    return words("agreement.recall_desc", rows="; ".join(rows) or words("none"))


def _grid_words(report: ReportDocument) -> str:
    words = load_words(report.language)
    formats = Formats(words)
    rows = [
        f"{words.label(part.value)}, {judge.judge} {formats.value(part.raw, share=True)}"
        for judge in facts.candidates(report.agreement)
        for part in judge.slices
        if part.kind == "variant"
    ]
    return words("rewording.desc", rows="; ".join(rows))
