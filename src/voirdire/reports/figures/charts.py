"""The control chart: scores over time and the limits they were held against, on a given axis.

States are told by shape and by word: what is dark and what is light in grey is never the only
difference.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from matplotlib.axes import Axes

from voirdire.records import WatchPoint, WatchResult
from voirdire.reports.figures.palette import light
from voirdire.reports.figures.svg import house_style, lay_out

__all__ = [
    "CHART_HEIGHT",
    "draw_control_chart",
    "save_control_chart",
]

Draw: TypeAlias = Callable[[Axes], None]
CHART_HEIGHT = 260.0
"""Points a control chart takes."""

_MARKS = {"ok": ("o", 4.5, "c0"), "warning": ("^", 9.0, "c1"), "critical": ("X", 10.0, "c3")}
_WORDS = {"ok": "ok", "warning": "warning", "critical": "critical"}


def draw_control_chart(ax: Axes, watch: WatchResult, *, last: int = 60) -> None:
    """Scores over time with the limits each was held against; the baseline is shaded.

    Warnings are triangles, criticals are crosses, drift is a square around the point, a gap is
    left open.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    watch : WatchResult
    last : int
        Evaluations shown, the newest.
    """
    points = watch.points[-last:]
    places = range(len(points))
    _shade_baseline(ax, points)
    for name, style, width in (("warning_limit", "--", 1.0), ("critical_limit", "-", 1.0)):
        _broken_line(
            ax,
            points,
            name,
            role="c1" if "warn" in name else "c3",
            style=style,
            width=width,
            steps=True,
        )
    _broken_line(ax, points, "score", role="muted", style="-", width=0.8)
    _broken_line(ax, points, "drift", role="c2", style=":", width=1.6)
    if watch.centre is not None:
        ax.axhline(watch.centre, color=light("rule"), linewidth=1, zorder=0)
    for place, point in zip(places, points, strict=True):
        if point.score is None:
            continue
        marker, size, role = _MARKS[point.state or "ok"]
        face = light(role) if point.state else light("ground")
        ax.plot(
            [place],
            [point.score],
            marker=marker,
            markersize=size,
            color=light(role),
            markerfacecolor=face,
            linestyle="none",
            zorder=3,
        )
        if point.drifted:
            ax.plot(
                [place],
                [point.score],
                marker="s",
                markersize=13,
                color=light("c2"),
                markerfacecolor="none",
                linestyle="none",
                zorder=2,
            )
    _time_axis(ax, points)
    ax.set_ylabel(watch.signal, color=light("muted"), fontsize=10)
    _frame(ax)
    _key(ax, watch)


def save_control_chart(watch: WatchResult, path: Path) -> None:
    """The control chart as a file, its format told by the suffix.

    Raises
    ------
    UsageError
        If the suffix is none of .svg, .png and .pdf.
    StoreError
        If the file system refuses.
    """
    import io

    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from voirdire.errors import UsageError
    from voirdire.store import write_bytes

    kind = path.suffix.lower().lstrip(".")
    if kind not in ("svg", "png", "pdf"):
        raise UsageError(
            f"a chart cannot be written as {path.suffix or 'a file without suffix'}",
            where=str(path),
            allowed=".svg, .png, .pdf",
        )
    buffer = io.BytesIO()
    with house_style():
        figure = lay_out(partial(draw_control_chart, watch=watch), height=CHART_HEIGHT, width=560)
        if kind == "png":
            FigureCanvasAgg(figure)
        undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
        figure.savefig(buffer, format=kind, dpi=160, facecolor=light("ground"), metadata=undated)
    write_bytes(path, buffer.getvalue())


def _shade_baseline(ax: Axes, points: tuple[WatchPoint, ...]) -> None:
    shaded = [place for place, point in enumerate(points) if point.baseline]
    if shaded:
        ax.axvspan(shaded[0] - 0.5, shaded[-1] + 0.5, color=light("band"), linewidth=0, zorder=0)
        ax.text(
            shaded[0] - 0.35,
            0.02,
            "baseline",
            transform=ax.get_xaxis_transform(),
            va="bottom",
            fontsize=9,
            color=light("muted"),
        )


def _broken_line(
    ax: Axes,
    points: tuple[WatchPoint, ...],
    name: str,
    *,
    role: str,
    style: str,
    width: float,
    steps: bool = False,
) -> None:
    """A line that stops where there is no value: a gap is not bridged."""
    values = [getattr(point, name) for point in points]
    known = [float("nan") if value is None else value for value in values]
    drawstyle = "steps-mid" if steps else "default"
    ax.plot(
        range(len(points)),
        known,
        color=light(role),
        linestyle=style,
        linewidth=width,
        drawstyle=drawstyle,
        zorder=1,
    )


def _time_axis(ax: Axes, points: tuple[WatchPoint, ...]) -> None:
    """Evaluations stand evenly; every few carry their date."""
    count = len(points)
    ax.set_xlim(-0.7, max(count - 1, 0) + 0.7)
    every = max(1, -(-count // 5))
    ticks = list(range(0, count, every))
    ax.set_xticks(ticks, [f"{points[tick].time:%Y-%m-%d}" for tick in ticks])
    ax.tick_params(axis="x", labelsize=9)


def _frame(ax: Axes) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(light("rule"))
    ax.tick_params(length=0, labelcolor=light("muted"))


def _key(ax: Axes, watch: WatchResult) -> None:
    """Only what the chart shows is in the key."""
    from matplotlib.lines import Line2D

    entries = []
    for state, (marker, size, role) in _MARKS.items():
        if any(point.state == state for point in watch.points):
            entries.append(
                Line2D(
                    [],
                    [],
                    marker=marker,
                    markersize=min(size, 8),
                    color=light(role),
                    linestyle="none",
                    label=_WORDS[state],
                )
            )
    if any(point.drifted for point in watch.points):
        entries.append(
            Line2D(
                [],
                [],
                marker="s",
                markersize=8,
                markerfacecolor="none",
                color=light("c2"),
                linestyle="none",
                label="drift",
            )
        )
    lines: tuple[tuple[str, Literal["--", "-", ":"], str, str], ...] = (
        ("warning_limit", "--", "c1", "warning limit"),
        ("critical_limit", "-", "c3", "critical limit"),
        ("drift", ":", "c2", "slow average"),
    )
    for name, style, role, text in lines:
        if any(getattr(point, name) is not None for point in watch.points):
            entries.append(Line2D([], [], color=light(role), linestyle=style, label=text))
    ax.legend(
        handles=entries,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.12),
        ncols=3,
        frameon=False,
        fontsize=9,
        labelcolor=light("ink"),
    )
