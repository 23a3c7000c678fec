"""The calibration of one signal: its value at each repeat, its centre and its limits."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from voirdire.records import AlertPolicy
from voirdire.reports.figures.palette import light
from voirdire.reports.formats import Formats
from voirdire.reports.words import load_words

__all__ = ["LIMITS_HEIGHT", "draw_limits"]

LIMITS_HEIGHT = 210.0
"""Points that `draw_limits` takes."""


def draw_limits(ax: Axes, policy: AlertPolicy, *, language: str = "en") -> None:
    """The values of the repeats as points, the centre as a line, warning dashed, critical solid.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    policy : AlertPolicy
        A limit that has no value (a share watched by counts) is not drawn.
    language : {"en", "it"}
    """
    words = load_words(language)
    formats = Formats(words)
    values = policy.calibration
    ax.plot(
        range(1, len(values) + 1),
        values,
        marker="o",
        markersize=6,
        linestyle="none",
        color=light("c0"),
        clip_on=False,
    )
    last = max(len(values), 1)
    right = last + max(1.2, 0.45 * last)  # room for the lines' names beside the points
    ax.set_xlim(0.5, right)
    for value, key, role, style in (
        (policy.centre, "centre", "muted", ":"),
        (policy.warning.value, "warning", "c1", "--"),
        (policy.critical.value, "critical", "c3", "-"),
    ):
        if value is None:
            continue
        ax.axhline(value, color=light(role), linestyle=style, linewidth=1.4)
        text = f"{words(f'alerts.{key}_line')} {formats.fine(value)}"
        ax.annotate(
            text,
            (right, value),
            xytext=(0, 3),
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize=9,
            color=light("ink"),
        )
    _room(ax, policy)
    every = max(1, -(-last // 10))
    ax.set_xticks(list(range(1, last + 1, every)))
    ax.set_xlabel(words("alerts.axis"), color=light("muted"), fontsize=10)
    # No tick that rounding would move.
    ax.yaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10]))
    close = ax.get_ylim()[1] - ax.get_ylim()[0] < 0.1
    shown = formats.fine if close else formats.number
    ax.yaxis.set_major_formatter(lambda value, _: shown(value))
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(light("rule"))
    ax.tick_params(length=0, labelcolor=light("muted"), labelsize=10)


def _room(ax: Axes, policy: AlertPolicy) -> None:
    """A span in which lines and their words do not touch the frame."""
    lines = (policy.centre, policy.warning.value, policy.critical.value)
    known = [*policy.calibration, *(one for one in lines if one is not None)]
    if not known:
        return
    low, high = min(known), max(known)
    span = max(high - low, 0.01)
    ax.set_ylim(low - 0.15 * span, high + 0.3 * span)
