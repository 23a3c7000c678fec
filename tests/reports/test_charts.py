"""Control chart, variance bar and power curve: nothing cut, told apart by shape, and honest."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from tests.studies import repeating as made
from voirdire.errors import UsageError
from voirdire.records import (
    AlertPolicy,
    ChannelState,
    HistoryPoint,
    JudgeVariance,
    WatchPoint,
    WatchResult,
)
from voirdire.reports import figures
from voirdire.reports.figures.charts import save_control_chart
from voirdire.reports.figures.palette import class_of
from voirdire.reports.figures.svg import house_style, lay_out
from voirdire.studies import set_limits, vary, watch

Draw = Callable[[Axes], None]


@pytest.fixture(scope="module")
def judge_and_policies(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[JudgeVariance, tuple[AlertPolicy, ...]]:
    folder, _ = made.noisy_study(tmp_path_factory.mktemp("c"), n=100, days=6, run_sd=0.6)
    judge = vary(made.opened(folder)).judges[0]
    return judge, set_limits(made.opened(folder)).policies


@pytest.fixture(scope="module")
def watched(judge_and_policies: Any) -> WatchResult:
    policy = judge_and_policies[1][0]
    low = policy.centre - policy.critical.drop - 0.05
    scores = [policy.centre] * 6 + [None] + [policy.centre] * 3 + [low] * 3
    points = [
        HistoryPoint(time=made.START + timedelta(weeks=week), score=score)
        for week, score in enumerate(scores)
    ]
    return watch(policy, points)


def drawn(draw: Draw, *, height: float, width: float = 360) -> Any:
    with house_style():
        figure = lay_out(draw, height=height, width=width)
        FigureCanvasAgg(figure)
        figure.canvas.draw()
    return figure


def texts(figure: Any) -> list[Text]:
    found = [one for one in figure.findobj(Text) if one.get_text() and one.get_visible()]
    outside = {id(label) for axis in figure.axes for side in (axis.xaxis, axis.yaxis)
               for tick in side.get_major_ticks() for label in (tick.label1, tick.label2)
               if not _shown(axis, side, tick)}  # fmt: skip
    return [one for one in found if id(one) not in outside]


def _shown(axis: Any, side: Any, tick: Any) -> bool:
    low, high = sorted(axis.get_xlim() if side is axis.xaxis else axis.get_ylim())
    return bool(axis.axison and low <= tick.get_loc() <= high)


def all_drawings(judge: JudgeVariance, policies: Any, watched: WatchResult) -> list[Draw]:
    return [
        partial(figures.draw_variance_bar, judge=judge),
        partial(figures.draw_variance_bar, judge=judge, signal="kappa"),
        partial(figures.draw_power_curve, policy=policies[0]),
        partial(figures.draw_power_curve, policy=policies[-1]),
        partial(figures.draw_control_chart, watch=watched),
    ]


def test_no_text_is_cut(judge_and_policies: Any, watched: WatchResult) -> None:
    for draw in all_drawings(*judge_and_policies, watched):
        figure = drawn(draw, height=figures.CHART_HEIGHT)
        renderer = figure.canvas.get_renderer()
        for text in texts(figure):
            box = text.get_window_extent(renderer)
            assert box.x0 >= -1, text.get_text()
            assert box.x1 <= figure.bbox.x1 + 1, text.get_text()
            assert box.y0 >= -1, text.get_text()
            assert box.y1 <= figure.bbox.y1 + 1, text.get_text()


def test_states_have_shapes_of_their_own(watched: WatchResult) -> None:
    figure = drawn(partial(figures.draw_control_chart, watch=watched), height=260)
    legend = figure.axes[0].get_legend()
    shapes = {
        text.get_text(): handle.get_marker()
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
    }
    states = {point.state for point in watched.points if point.state}
    marks = [shapes[state] for state in states]
    assert len(set(marks)) == len(marks) >= 2
    assert "warning limit" in shapes


def test_a_gap_is_not_bridged(watched: WatchResult) -> None:
    figure = drawn(partial(figures.draw_control_chart, watch=watched), height=260)
    lines = [line for line in figure.axes[0].get_lines() if len(line.get_xdata()) == 13]
    assert lines
    for line in lines:
        value = line.get_ydata()[6]
        assert value != value  # NaN: the line stops


def test_the_baseline_is_shaded_where_it_is() -> None:
    points = tuple(
        WatchPoint(time=made.START + timedelta(weeks=week), score=0.8, baseline=week < 4)
        for week in range(8)
    )
    result = WatchResult(
        signal="faithfulness", direction="low", rule="policy", state="ok", sentence="Ok.",
        channels=(ChannelState(channel="score", state="ok"),), points=points, centre=0.8,
    )  # fmt: skip
    ax = drawn(partial(figures.draw_control_chart, watch=result), height=260).axes[0]
    assert "baseline" in [text.get_text() for text in ax.texts]
    band = ax.patches[0]
    assert (band.get_x(), band.get_x() + band.get_width()) == (-0.5, 3.5)


def test_the_bar_holds_all_of_the_variance(judge_and_policies: Any) -> None:
    judge = judge_and_policies[0]
    ax = drawn(partial(figures.draw_variance_bar, judge=judge), height=132).axes[0]
    widths = [patch.get_width() for patch in ax.patches]
    assert sum(widths) == pytest.approx(1)
    strokes = ax.collections[0].get_segments()  # told apart without colour
    assert strokes
    assert all(widths[0] < x < 1 for stroke in strokes for x, _ in stroke)
    parts = judge.signal("faithfulness").components
    assert widths[1] == pytest.approx(parts.run / (parts.run + parts.residual / parts.items))


def test_colours_are_of_the_palette(judge_and_policies: Any, watched: WatchResult) -> None:
    from matplotlib.colors import to_hex

    for draw in all_drawings(*judge_and_policies, watched):
        for line in drawn(draw, height=260).axes[0].get_lines():
            assert class_of(to_hex(line.get_color())), line.get_color()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_chart_is_saved(watched: WatchResult, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"chart{suffix}"
    save_control_chart(watched, path)
    first = path.read_bytes()
    assert len(first) > 3000
    save_control_chart(watched, path)
    assert path.read_bytes() == first


def test_another_format_is_refused(watched: WatchResult, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"allowed: .svg, .png, .pdf"):
        save_control_chart(watched, tmp_path / "chart.docx")
