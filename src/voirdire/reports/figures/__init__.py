"""Figures: functions that draw on a given matplotlib axis, and their way into the page.

In a notebook::

    figure, ax = plt.subplots()
    draw_forest(ax, agreement)
"""

from __future__ import annotations

from voirdire.reports.figures.charts import CHART_HEIGHT, draw_control_chart
from voirdire.reports.figures.judges import (
    draw_forest,
    draw_recall,
    draw_variant_grid,
    forest_height,
    grid_height,
    recall_height,
)
from voirdire.reports.figures.limits import LIMITS_HEIGHT, draw_limits
from voirdire.reports.figures.noise import (
    BAR_HEIGHT,
    POWER_HEIGHT,
    draw_power_curve,
    draw_variance_bar,
)
from voirdire.reports.figures.palette import THEME
from voirdire.reports.figures.svg import inline_svg

__all__ = [
    "BAR_HEIGHT",
    "CHART_HEIGHT",
    "LIMITS_HEIGHT",
    "POWER_HEIGHT",
    "THEME",
    "draw_control_chart",
    "draw_forest",
    "draw_limits",
    "draw_power_curve",
    "draw_recall",
    "draw_variance_bar",
    "draw_variant_grid",
    "forest_height",
    "grid_height",
    "inline_svg",
    "recall_height",
]
