"""Risk among the answers kept, and the cost of each threshold, on a given axis or on the page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from matplotlib.axes import Axes

from voirdire.records import ReportDocument
from voirdire.records.contest import RiskCoverage
from voirdire.records.operating import OperatingPoint
from voirdire.reports.contest_findings import half_point
from voirdire.reports.figures.palette import JUDGES, light
from voirdire.reports.figures.svg import inline_svg
from voirdire.reports.formats import Formats
from voirdire.reports.words import load_words

__all__ = ["CURVE_HEIGHT", "contest_figures", "draw_cost_curve", "draw_risk"]

CURVE_HEIGHT: Final = 230.0
"""Points that each of these figures takes."""
_LINES: Final = ("-", "--", ":", "-.")


def draw_risk(ax: Axes, curves: Sequence[RiskCoverage], *, language: str = "en") -> None:
    """Share wrong among the answers kept over the share kept, one line a judge.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    curves : sequence of RiskCoverage
        A judge whose curve has no point is not drawn.
    language : {"en", "it"}
    """
    words = load_words(language)
    formats = Formats(words)
    drawn = [curve for curve in curves if curve.points]
    for place, curve in enumerate(drawn):
        ax.plot(
            [point.coverage for point in curve.points],
            [point.risk for point in curve.points],
            color=light(JUDGES[place % len(JUDGES)]),
            linestyle=_LINES[place % len(_LINES)],
            linewidth=1.8,
            label=curve.judge,
        )
    highest = max((point.risk for curve in drawn for point in curve.points), default=0.0)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, max(1.15 * highest, 0.05))
    ax.set_xlabel(words("contest_part.axis_kept"), color=light("muted"), fontsize=10)
    ax.set_ylabel(words("contest_part.axis_wrong"), color=light("muted"), fontsize=10)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: formats.share(value))
    if drawn:
        ax.legend(frameon=False, fontsize=9, labelcolor=light("ink"), loc="upper left")
    _plain(ax)


def draw_cost_curve(ax: Axes, point: OperatingPoint, *, language: str = "en") -> None:
    """Mean cost of a claim over the threshold, the chosen one marked, blind answers as lines.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    point : OperatingPoint
    language : {"en", "it"}
    """
    words = load_words(language)
    formats = Formats(words)
    ax.plot(
        [one.threshold for one in point.curve],
        [one.cost for one in point.curve],
        color=light("c0"),
        linewidth=1.8,
    )
    ax.axvline(point.threshold, color=light("c1"), linestyle="--", linewidth=1.4)
    for value, key in (
        (point.always_supported, "always"),
        (point.never_supported, "never"),
    ):
        ax.axhline(value, color=light("muted"), linestyle=":", linewidth=1.2)
        ax.annotate(
            words(f"operating.line_{key}"),
            (ax.get_xlim()[1], value),
            xytext=(0, 3),
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize=9,
            color=light("ink"),
        )
    highest = max(point.always_supported, point.never_supported, *(c.cost for c in point.curve))
    ax.set_ylim(0, 1.2 * highest or 1.0)
    ax.set_xlabel(words("operating.axis_threshold"), color=light("muted"), fontsize=10)
    ax.set_ylabel(words("operating.axis_cost"), color=light("muted"), fontsize=10)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: formats.number(value))
    _plain(ax)


def contest_figures(report: ReportDocument) -> dict[str, str]:
    """Name of a figure to its SVG; only those that have something to show."""
    found: dict[str, str] = {}
    if report.contest is not None and "risk" in report.findings:
        found["risk"] = inline_svg(
            partial(draw_risk, curves=report.contest.risk, language=report.language),
            key="figure-risk",
            title=report.findings["risk"],
            description=_risk_words(report, report.contest.risk),
            height=CURVE_HEIGHT,
        )
    if report.operating is not None and "operating" in report.findings:
        found["operating"] = inline_svg(
            partial(draw_cost_curve, point=report.operating, language=report.language),
            key="figure-operating",
            title=report.findings["operating"],
            description=_cost_words(report, report.operating),
            height=CURVE_HEIGHT,
        )
    return found


def _risk_words(report: ReportDocument, curves: Sequence[RiskCoverage]) -> str:
    words = load_words(report.language)
    share = Formats(words).share
    told = [
        words(
            "contest_part.risk_row",
            judge=curve.judge,
            kept=share(half_point(curve).coverage),
            half=share(half_point(curve).risk),
            whole=share(curve.points[-1].risk),
        )
        for curve in curves
        if curve.points
    ]
    return words("contest_part.risk_desc", rows="; ".join(told))


def _cost_words(report: ReportDocument, point: OperatingPoint) -> str:
    words = load_words(report.language)
    formats = Formats(words)
    least = min(point.curve, key=lambda one: one.cost)
    return words(
        "operating.desc",
        threshold=formats.fine(point.threshold),
        least=formats.number(least.cost),
        at=formats.fine(least.threshold),
        always=formats.number(point.always_supported),
        never=formats.number(point.never_supported),
    )


def _plain(ax: Axes) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(light("rule"))
    ax.tick_params(length=0, labelcolor=light("muted"), labelsize=10)
