"""Rows of a forest: a name over its interval, the number on the right, shapes for judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from voirdire.records import Estimate
from voirdire.reports.escape import display_width, visible
from voirdire.reports.figures.palette import JUDGES, MARKERS, light

__all__ = ["HEADING", "ROW", "Row", "draw_rows", "fitted", "rows_height"]

ROW = 38.0
"""Points a row takes: its name, its interval."""
HEADING = 24.0
_COLUMNS = 50
"""Characters of a row: its name and its number."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a heading if there is no estimate.

    Attributes
    ----------
    name : str
    estimate : Estimate or None
    text : str
        The number as the reader's language writes it, or why there is none.
    place : int
        Which judge: its colour and its shape.
    """

    name: str
    estimate: Estimate | None = None
    text: str = ""
    place: int = 0


def fitted(text: str, columns: int) -> str:
    """Text made visible, on one line, cut in its middle to a width in columns.

    Names that share a long beginning are told apart by their ends.
    """
    line = " ".join(visible(text).split())
    if display_width(line) <= columns:
        return line
    tail = _start_of(line[::-1], (columns - 1) // 3)[::-1]
    return f"{_start_of(line, columns - 1 - display_width(tail))}…{tail}"


def _start_of(line: str, columns: int) -> str:
    """As many characters of a line as fit."""
    kept, width = "", 0
    for one in line:
        width += display_width(one)
        if width > columns:
            break
        kept += one
    return kept


def rows_height(rows: Sequence[Row], *, around: float = 56.0) -> float:
    """Points that a forest of these rows takes with its axis."""
    return around + sum(HEADING if row.estimate is None else ROW for row in rows)


def draw_rows(
    ax: Axes,
    rows: Sequence[Row],
    *,
    span: tuple[float, float],
    label: str,
    band: tuple[float, float] | None = None,
    line: float | None = None,
    line_label: str = "",
    dotted: float | None = None,
    dotted_label: str = "",
    decimal: str = ".",
    percent: bool = False,
) -> None:
    """Draw a forest on an axis.

    Parameters
    ----------
    ax : Axes
        Its limits are set here; y grows downwards in points.
    rows : sequence of Row
    span : pair of float
        Ends of the axis.
    label : str
        Of the axis.
    band, line, line_label
        The people: their interval and their number.
    dotted, dotted_label
        What is reached without reading.
    decimal : str
        Decimal mark of the ticks.
    percent : bool
        Ticks as percent.
    """
    top = 16.0
    total = top + sum(HEADING if row.estimate is None else ROW for row in rows)
    ax.set_xlim(*span)
    ax.set_ylim(total, 0)
    strips = []
    at = top
    for row in rows:
        if row.estimate is None:
            at = _heading(ax, row, at)
        else:
            strips.append((at + 17, at + 33))
            at = _row(ax, row, at, span)
    if band is not None:
        _band(ax, band, strips, span)
    _line(ax, line, line_label, strips, span, style="--")
    _line(ax, dotted, dotted_label, strips, span, style=":")
    _axis(ax, span, label, decimal, percent)


# Band and lines are drawn behind the intervals only: they would cross out the names and numbers.
def _band(
    ax: Axes,
    band: tuple[float, float],
    strips: Sequence[tuple[float, float]],
    span: tuple[float, float],
) -> None:
    ends = [min(max(end, span[0]), span[1]) for end in band]
    for top, bottom in strips:
        corner, size = (ends[0], top), (ends[1] - ends[0], bottom - top)
        ax.add_patch(Rectangle(corner, *size, facecolor=light("band"), linewidth=0, zorder=0))


def _line(
    ax: Axes,
    value: float | None,
    label: str,
    strips: Sequence[tuple[float, float]],
    span: tuple[float, float],
    *,
    style: str,
) -> None:
    if value is None or not span[0] <= value <= span[1] or not strips:
        return
    for strip in strips:
        ax.plot([value, value], strip, color=light("muted"), linestyle=style, linewidth=1)
    side = "left" if value < (span[0] + span[1]) / 2 else "right"
    ax.text(value, 9, label, ha=side, va="center", fontsize=9, color=light("muted"))


def _heading(ax: Axes, row: Row, at: float) -> float:
    ax.text(
        0,
        at + 14,
        fitted(row.name, _COLUMNS),
        transform=ax.get_yaxis_transform(),
        va="center",
        weight="bold",
        color=light("ink"),
    )
    return at + HEADING


def _row(ax: Axes, row: Row, at: float, span: tuple[float, float]) -> float:
    across = ax.get_yaxis_transform()
    room = max(8, _COLUMNS - 2 - display_width(row.text))
    ax.text(0, at + 9, fitted(row.name, room), transform=across, va="center", color=light("ink"))
    ax.text(1, at + 9, row.text, transform=across, ha="right", va="center", color=light("ink"))
    estimate, colour = row.estimate, light(JUDGES[row.place % len(JUDGES)])
    assert estimate is not None
    middle = at + 25
    if estimate.low is not None and estimate.high is not None:
        ends = [min(max(end, span[0]), span[1]) for end in (estimate.low, estimate.high)]
        ax.plot(ends, [middle, middle], color=colour, linewidth=2, solid_capstyle="butt")
    if estimate.value is not None:
        marker = MARKERS[row.place % len(MARKERS)]
        ax.plot(
            [min(max(estimate.value, span[0]), span[1])],
            [middle],
            marker=marker,
            markersize=8,
            color=colour,
            markeredgewidth=0,
            linestyle="none",
            clip_on=False,
        )
    return at + ROW


def _axis(ax: Axes, span: tuple[float, float], label: str, decimal: str, percent: bool) -> None:
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(light("rule"))
    ax.yaxis.set_visible(False)
    step = 0.2 if span[0] > -0.3 else 0.5
    ticks = [round(step * place, 1) for place in range(-5, 6) if span[0] <= step * place <= 1]
    shown = [f"{100 * tick:.0f} %" if percent else _tick(tick, decimal) for tick in ticks]
    ax.set_xticks(ticks, shown)
    ax.tick_params(axis="x", length=0, labelcolor=light("muted"), labelsize=10)
    ax.set_xlabel(label, color=light("muted"), fontsize=10)


def _tick(value: float, decimal: str) -> str:
    text = f"{value:g}".replace("-", "\u2212")
    return text.replace(".", decimal)
