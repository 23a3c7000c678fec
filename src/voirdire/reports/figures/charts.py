"""Figures of how a judge moves: variance bar, control chart, power curve, each on a given axis.

States are told by shape and by word: what is dark and what is light in grey is never the only
difference.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from voirdire.records import AlertPolicy, JudgeVariance, Signal, WatchPoint, WatchResult
from voirdire.reports.figures.palette import light
from voirdire.reports.figures.rows import fitted
from voirdire.reports.figures.svg import house_style, lay_out

__all__ = [
    "BAR_HEIGHT",
    "CHART_HEIGHT",
    "draw_control_chart",
    "draw_power_curve",
    "draw_variance_bar",
    "save_control_chart",
]

Draw: TypeAlias = Callable[[Axes], None]
CHART_HEIGHT = 260.0
"""Points a control chart or a power curve takes."""
BAR_HEIGHT = 132.0

_MARKS = {"ok": ("o", 4.5, "c0"), "warning": ("^", 9.0, "c1"), "critical": ("X", 10.0, "c3")}
_WORDS = {"ok": "ok", "warning": "warning", "critical": "critical"}
_PARTS = (("residual", "call noise", "s1", ""), ("run", "runs", "s3", "//"))


def draw_variance_bar(ax: Axes, judge: JudgeVariance, *, signal: Signal = "faithfulness") -> None:
    """What the variance of a signal on these claims is made of, as one bar of shares.

    Call noise is what more claims or more calls divide; runs is what they do not. The middle of
    each part carries its name and share, so the bar reads without colour.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    judge : JudgeVariance
    signal : Signal
    """
    one = judge.signal(signal)
    parts = one.components if one is not None else None
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_axis_off()
    if one is None or parts is None or parts.residual is None or parts.run is None:
        why = "no components" if parts is None else parts.undefined or "no components"
        _said(ax, fitted(f"{judge.judge}: {why}", 48), 0.6)
        return
    values = {"residual": parts.residual / max(parts.items, 1), "run": parts.run}
    total = sum(values.values())
    sd = f"sd of {signal} {one.sd.value or 0:.4f}"
    _said(ax, fitted(f"{judge.judge}: {sd}", 52), 0.9, bold=True)
    if total == 0:
        _said(ax, "deterministic: nothing moved on these claims", 0.5)
        return
    at = 0.0
    for key, name, role, hatch in _PARTS:
        share = values[key] / total
        ax.add_patch(
            Rectangle(
                (at, 0.42),
                share,
                0.3,
                facecolor=light(role),
                edgecolor=light("ink"),
                linewidth=0.75,
                hatch=hatch,
            )
        )
        words = f"{name} {100 * share:.0f} %"
        side = "left" if key == "residual" else "right"
        ax.text(
            0 if key == "residual" else 1,
            0.26,
            words,
            ha=side,
            va="center",
            color=light("ink"),
            fontsize=10,
        )
        at += share
    foot = f"{parts.items} claims, {judge.repeats} repeats, {len(set(judge.sessions))} session(s)"
    ax.text(0, 0.08, foot, ha="left", va="center", color=light("muted"), fontsize=9)


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


def draw_power_curve(ax: Axes, policy: AlertPolicy) -> None:
    """Chance that one evaluation fires, by the true size of the move, for both limits.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    policy : AlertPolicy
    """
    if not policy.power:
        ax.set_axis_off()
        why = "counts are exact" if policy.rule == "counts" else "no noise: every real change shows"
        _said(ax, f"{policy.signal}: {why}", 0.5)
        return
    drops = [point.drop for point in policy.power]
    ax.plot(
        drops,
        [point.warning for point in policy.power],
        color=light("c1"),
        linestyle="--",
        linewidth=1.8,
        label="warning",
    )
    ax.plot(
        drops,
        [point.critical for point in policy.power],
        color=light("c3"),
        linestyle="-",
        linewidth=1.8,
        label="critical",
    )
    ax.axhline(policy.power_wanted, color=light("rule"), linewidth=1)
    seen = policy.warning.detectable_drop
    if seen is not None and seen <= drops[-1]:
        ax.plot(
            [seen],
            [policy.power_wanted],
            marker="^",
            markersize=9,
            color=light("c1"),
            linestyle="none",
        )
        ax.annotate(
            f"{seen:.3f}",
            (seen, policy.power_wanted),
            textcoords="offset points",
            xytext=(6, -13),
            color=light("ink"),
            fontsize=10,
        )
    ax.set_xlim(0, drops[-1])
    ax.set_ylim(0, 1.02)
    word = "drop" if policy.direction == "low" else "rise"
    ax.set_xlabel(f"true {word} of {policy.signal}", color=light("muted"), fontsize=10)
    ax.set_ylabel("chance to fire", color=light("muted"), fontsize=10)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    ax.legend(loc="lower right", frameon=False, fontsize=10, labelcolor=light("ink"))
    _frame(ax)


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


def _said(ax: Axes, text: str, height: float, *, bold: bool = False) -> None:
    ax.text(
        0,
        height,
        text,
        transform=ax.transAxes,
        va="center",
        color=light("ink"),
        weight="bold" if bold else "normal",
    )


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
