"""The figures of an agreement study, each on a given axis: in a notebook or on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from voirdire.records import AgreementResult
from voirdire.reports import facts
from voirdire.reports.figures.palette import INK_ON_STEP, STEPS, light, step_of
from voirdire.reports.figures.rows import Row, draw_rows, fitted, rows_height
from voirdire.reports.formats import Formats
from voirdire.reports.words import load_words

__all__ = [
    "draw_forest",
    "draw_recall",
    "draw_variant_grid",
    "forest_height",
    "grid_height",
    "recall_height",
]

Draw: TypeAlias = Callable[[Axes], None]
_CELL = 30.0
_LABEL_COLUMNS = 20
_HEAD_COLUMNS = 12


def draw_forest(ax: Axes, agreement: AgreementResult, *, language: str = "en") -> None:
    """Kappa of every judge with its interval, the human band and the constant line.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    agreement : AgreementResult
    language : {"en", "it"}

    Notes
    -----
    A height of `forest_height` points shows it best.
    """
    words = load_words(language)
    formats = Formats(words)
    humans = agreement.humans
    ceiling = humans.ceiling if humans else None
    band, line, name = None, None, ""
    if ceiling is not None and ceiling.value is not None:
        line = ceiling.value
        name = words("page.people", value=formats.number(line))
        if ceiling.low is not None and ceiling.high is not None:
            band = (ceiling.low, ceiling.high)
    draw_rows(
        ax,
        _forest_rows(agreement, formats),
        span=_kappa_span(agreement),
        label=words("agreement.axis_kappa"),
        band=band,
        line=line,
        line_label=name,
        dotted=0.0,
        dotted_label=words("page.chance") if line is None or line > 0.3 else "",
        decimal=words("number.decimal"),
    )


def forest_height(agreement: AgreementResult) -> float:
    """Points that `draw_forest` takes."""
    return rows_height([Row("", judge.kappa) for judge in agreement.judges])


def _forest_rows(agreement: AgreementResult, formats: Formats) -> list[Row]:
    return [
        Row(judge.judge, judge.kappa, fitted(formats.short(judge.kappa), 32), place)
        for place, judge in enumerate(agreement.judges)
    ]


def _kappa_span(agreement: AgreementResult) -> tuple[float, float]:
    """0 to 1, or from as far below zero as an interval reaches."""
    found = [
        bound
        for judge in agreement.judges
        for bound in (judge.kappa.value, judge.kappa.low)
        if bound is not None
    ]
    lowest = min(found, default=0.0)
    return next((end, 1.0) for end in (-0.02, -0.2, -0.5, -1.0) if lowest >= end)


def draw_recall(ax: Axes, agreement: AgreementResult, *, language: str = "en") -> None:
    """Share caught of each label's claims, by judge; the dangerous label first.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    agreement : AgreementResult
    language : {"en", "it"}
    """
    words = load_words(language)
    draw_rows(
        ax,
        _recall_rows(agreement, language),
        span=(0.0, 1.0),
        label=words("agreement.axis_share"),
        percent=True,
    )


def recall_height(agreement: AgreementResult) -> float:
    """Points that `draw_recall` takes."""
    return rows_height(_recall_rows(agreement, "en"))


def _recall_rows(agreement: AgreementResult, language: str) -> list[Row]:
    words = load_words(language)
    formats = Formats(words)
    first = facts.dangerous_label(agreement.view)
    labels = {label for judge in agreement.judges for label in judge.recall}
    rows: list[Row] = []
    for label in sorted(labels, key=lambda one: (one != first, one)):
        rows.append(Row(words.label(label)))
        for place, judge in enumerate(agreement.judges):
            estimate = judge.recall.get(label)
            if estimate is not None and not facts.is_reference_line(judge):
                text = fitted(formats.short(estimate, share=True), 32)
                rows.append(Row(judge.judge, estimate, text, place))
    return rows


def draw_variant_grid(
    ax: Axes, agreement: AgreementResult, *, kind: str = "variant", language: str = "en"
) -> None:
    """Share of equal answers by slice (rows) and judge (columns); the number in each cell.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    agreement : AgreementResult
    kind : str
        Which slices: ``variant``, ``language``, ``topic`` …
    language : {"en", "it"}
    """
    words = load_words(language)
    formats = Formats(words)
    judges, values = facts.candidates(agreement), facts.slice_values(agreement, kind)
    ax.set_xlim(0, max(len(judges), 1))
    ax.set_ylim(max(len(values), 1), 0)
    for row, value in enumerate(values):
        for column, judge in enumerate(judges):
            part = facts.slice_of(judge, kind, value)
            share = part.raw.value if part else None
            text = "–"
            if part is not None and share is not None:
                small = "*" if part.raw.n < facts.SMALL_SLICE else ""
                text = formats.share(share) + small
            _cell(ax, row, column, share, text)
    heads = [fitted(judge.judge, _HEAD_COLUMNS) for judge in judges]
    crowded = len(judges) > 3 or any(len(head) > 40 // max(len(judges), 1) for head in heads)
    ax.set_xticks([column + 0.5 for column in range(len(judges))], heads)
    ax.xaxis.tick_top()
    if crowded:
        ax.tick_params(axis="x", labelrotation=35)
        for tick in ax.get_xticklabels():
            tick.set_horizontalalignment("left")
    names = [fitted(words.label(value), _LABEL_COLUMNS) for value in values]
    ax.set_yticks([row + 0.5 for row in range(len(values))], names)
    ax.tick_params(length=0, labelcolor=light("ink"), labelsize=11)
    for spine in ax.spines.values():
        spine.set_visible(False)


def grid_height(agreement: AgreementResult, *, kind: str = "variant") -> float:
    """Points that `draw_variant_grid` takes."""
    return 74 + _CELL * max(len(facts.slice_values(agreement, kind)), 1)


def _cell(ax: Axes, row: int, column: int, share: float | None, text: str) -> None:
    step = 0 if share is None else step_of(share)
    ax.add_patch(
        Rectangle(
            (column + 0.03, row + 0.05),
            0.94,
            0.9,
            facecolor=light(STEPS[step]),
            edgecolor=light("rule"),
            linewidth=0.75,
        )
    )
    ink = light("muted") if share is None else light(INK_ON_STEP[step])
    ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=ink)
