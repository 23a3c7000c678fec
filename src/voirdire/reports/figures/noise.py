"""What a judge's own noise is made of, and how small a move shows through it.

Both draw on a given axis; parts and lines differ by hatch, dash and word as well as by colour.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from voirdire.records import AlertPolicy, JudgeVariance, Signal
from voirdire.reports import facts
from voirdire.reports.figures.palette import light
from voirdire.reports.figures.rows import fitted
from voirdire.reports.formats import Formats
from voirdire.reports.words import Words, load_words

__all__ = [
    "BAR_HEIGHT",
    "POWER_HEIGHT",
    "draw_power_curve",
    "draw_variance_bar",
]

BAR_HEIGHT = 132.0
POWER_HEIGHT = 230.0
"""Points that the bar and the curve take."""
_STROKE = 0.02


def draw_variance_bar(
    ax: Axes, judge: JudgeVariance, *, signal: Signal = "faithfulness", language: str = "en"
) -> None:
    """What the variance of a signal on these claims is made of, as one bar of shares.

    Noise of single calls is what more claims or more calls divide; runs is what they do not. Each
    part carries its name and share, so the bar reads without colour.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    judge : JudgeVariance
    signal : Signal
    language : {"en", "it"}
    """
    words = load_words(language)
    formats = Formats(words)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_axis_off()
    one = judge.signal(signal)
    if one is None or one.components is None or one.components.residual is None:
        _said(ax, fitted(f"{judge.judge}: {words('noise.no_parts')}", 48), 0.6)
        return
    head = words(f"signal.{signal}")
    if one.sd.value is not None:
        head = f"{head}, {words('noise.sd', n=formats.fine(one.sd.value))}"
    _said(ax, fitted(head, 52), 0.9, bold=True)
    share = facts.run_share(one.components)
    if share is None:
        _said(ax, words("noise.still"), 0.5)
        return
    _draw_parts(ax, share, words, formats)
    foot = words(
        "noise.foot",
        claims=formats.count(one.components.items),
        repeats=formats.count(judge.repeats),
        sessions=formats.count(len(set(judge.sessions))),
    )
    ax.text(0, 0.08, foot, ha="left", va="center", color=light("muted"), fontsize=9)


def _draw_parts(ax: Axes, run: float, words: Words, formats: Formats) -> None:
    for key, start, share in (("calls", 0.0, 1 - run), ("runs", 1 - run, run)):
        ax.add_patch(
            Rectangle(
                (start, 0.42),
                share,
                0.3,
                facecolor=light("s1" if key == "calls" else "ground"),
                edgecolor=light("ink"),
                linewidth=0.75,
            )
        )
        ax.text(
            0 if key == "calls" else 1,
            0.26,
            f"{words(f'noise.{key}')} {formats.share(share)}",
            ha="left" if key == "calls" else "right",
            va="center",
            color=light("ink"),
            fontsize=10,
        )
    _hatch(ax, 1 - run, 1.0)


def _hatch(ax: Axes, low: float, high: float) -> None:
    """Upright strokes of our own: a pattern of matplotlib's keeps its colour in a dark page."""
    strokes = [low + step * _STROKE for step in range(1, int((high - low) / _STROKE) + 1)]
    ax.vlines(
        [at for at in strokes if at < high - _STROKE / 4],
        0.42,
        0.72,
        color=light("ink"),
        linewidth=0.75,
    )


def draw_power_curve(ax: Axes, policy: AlertPolicy, *, language: str = "en") -> None:
    """Chance that one evaluation fires, by the true size of the move, for both limits.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    policy : AlertPolicy
    language : {"en", "it"}
    """
    words = load_words(language)
    signal = words(f"signal.{policy.signal}")
    if not policy.power:
        ax.set_axis_off()
        why = words("noise.exact" if policy.rule == "counts" else "noise.none")
        _said(ax, f"{signal}: {why}", 0.5)
        return
    drops = [point.drop for point in policy.power]
    for key, role, style in (("warning", "c1", "--"), ("critical", "c3", "-")):
        ax.plot(
            drops,
            [getattr(point, key) for point in policy.power],
            color=light(role),
            linestyle=style,
            linewidth=1.8,
            label=words(f"alerts.{key}_line"),
        )
    ax.axhline(policy.power_wanted, color=light("rule"), linewidth=1)
    _mark_seen(ax, policy, drops[-1], Formats(words))
    ax.set_xlim(0, drops[-1])
    ax.set_ylim(0, 1.02)
    way = "drop" if policy.direction == "low" else "rise"
    ax.set_xlabel(words(f"noise.{way}", signal=signal), color=light("muted"), fontsize=10)
    ax.set_ylabel(words("noise.fires"), color=light("muted"), fontsize=10)
    formats = Formats(words)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], [formats.share(tick / 4) for tick in range(5)])
    ax.xaxis.set_major_formatter(lambda value, _: formats.number(value))
    ax.legend(loc="lower right", frameon=False, fontsize=10, labelcolor=light("ink"))
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(light("rule"))
    ax.tick_params(length=0, labelcolor=light("muted"))
    ax.tick_params(axis="x", pad=9)


def _mark_seen(ax: Axes, policy: AlertPolicy, last: float, formats: Formats) -> None:
    """A triangle where the warning reaches the power that was asked for."""
    seen = policy.warning.detectable_drop
    if seen is None or seen > last:
        return
    at = (seen, policy.power_wanted)
    ax.plot(*at, marker="^", markersize=9, color=light("c1"), linestyle="none")
    ax.annotate(
        formats.fine(seen),
        at,
        textcoords="offset points",
        xytext=(6, -13),
        color=light("ink"),
        fontsize=10,
    )


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
