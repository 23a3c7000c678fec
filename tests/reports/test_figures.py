"""Figures: nothing cut, nothing that moves, colours that the page can change."""

from __future__ import annotations

import re
from functools import partial
from xml.etree import ElementTree

import pytest
from matplotlib import pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from tests.reports import report_factory as make
from voirdire.records import AgreementResult
from voirdire.reports import figures
from voirdire.reports.document import make_report
from voirdire.reports.figures.page import page_figures
from voirdire.reports.figures.palette import THEME, class_of, step_of
from voirdire.reports.figures.rows import fitted
from voirdire.reports.figures.svg import house_style, lay_out

DRAWINGS = [
    (figures.draw_forest, figures.forest_height),
    (figures.draw_recall, figures.recall_height),
    (figures.draw_variant_grid, figures.grid_height),
]


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize(("draw", "height"), DRAWINGS)
def test_no_text_is_cut_nor_runs_into_another(draw, height, language: str, any_results) -> None:
    agreement, _ = any_results
    with house_style():
        figure = lay_out(
            partial(draw, agreement=agreement, language=language), height=height(agreement)
        )
        renderer = FigureCanvasAgg(figure).get_renderer()
        frame = figure.bbox
        for text in figure.findobj(Text):
            if not text.get_text() or not text.get_visible():
                continue
            box = text.get_window_extent(renderer)
            assert box.x0 >= frame.x0 - 1, text.get_text()
            assert box.x1 <= frame.x1 + 1, text.get_text()
            assert box.y0 >= frame.y0 - 1, text.get_text()
            assert box.y1 <= frame.y1 + 1, text.get_text()


def test_names_and_numbers_of_a_row_do_not_touch() -> None:
    agreement, _ = make.large()
    with house_style():
        figure = lay_out(
            partial(figures.draw_forest, agreement=agreement),
            height=figures.forest_height(agreement),
        )
        renderer = FigureCanvasAgg(figure).get_renderer()
        boxes = [t.get_window_extent(renderer) for t in figure.axes[0].texts if t.get_text()]
    touching = [
        (one, two)
        for place, one in enumerate(boxes)
        for two in boxes[place + 1 :]
        if one.overlaps(two)
    ]
    assert touching == []


def test_a_notebook_draws_on_its_own_axis() -> None:
    agreement, _ = make.ordinary()
    figure, axes = plt.subplots(1, 3)
    for ax, (draw, _) in zip(axes, DRAWINGS, strict=True):
        draw(ax, agreement)
        assert ax.texts
    plt.close(figure)


def test_settings_of_the_caller_come_back() -> None:
    before = dict(plt.rcParams)
    page_figures(make_report(*make.ordinary()))
    assert dict(plt.rcParams) == before


def svgs(agreement_and_decision) -> dict[str, str]:
    return page_figures(make_report(*agreement_and_decision))


def test_the_same_study_gives_the_same_bytes() -> None:
    assert svgs(make.large()) == svgs(make.large())


def test_an_svg_is_small_and_sound(any_results) -> None:
    for svg in svgs(any_results).values():
        root = ElementTree.fromstring(svg)
        assert root.attrib["role"] == "img"
        names = [child.tag.partition("}")[2] for child in root][:2]
        assert names == ["title", "desc"]
        assert all(child.text for child in list(root)[:2])
        assert "<style" not in svg
        assert "<metadata" not in svg
        assert "http" not in re.sub(r'xmlns="[^"]*"', "", svg).replace("src=http://evil", "")
        assert len(svg) < 60_000


def test_text_stays_text_and_hostile_text_is_only_text() -> None:
    found = svgs(make.hostile())["forest"]
    assert "&lt;script&gt;" in found
    assert "<script" not in found
    assert "\u202e" not in found
    tags = {element.tag.partition("}")[2] for element in ElementTree.fromstring(found).iter()}
    assert tags <= {"svg", "title", "desc", "g", "path", "text", "defs", "use", "clipPath", "rect"}


def test_ids_of_two_figures_never_meet() -> None:
    ids = [
        name for svg in svgs(make.large()).values() for name in re.findall(r' id="([^"]+)"', svg)
    ]
    assert len(ids) == len(set(ids))


def test_every_colour_is_one_that_the_page_can_change(any_results) -> None:
    for svg in svgs(any_results).values():
        for element in ElementTree.fromstring(svg).iter():
            for name in ("fill", "stroke"):
                colour = element.attrib.get(name, "none")
                if colour != "none":
                    assert class_of(colour), (colour, element.tag)
                    assert f"{name[0]}-{class_of(colour)}" in element.attrib["class"]


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize(
    ("text", "ground"),
    [("ink", "ground"), ("muted", "ground"), ("muted", "band"), ("muted", "s0")]
    + [("faint", step) for step in ("s0", "s1", "s2")]
    + [("strong", step) for step in ("s3", "s4")]
    + [(f"c{place}", "ground") for place in range(5)],
)
def test_contrast_in_light_and_dark(text: str, ground: str, theme: int) -> None:
    assert contrast(THEME[text][theme], THEME[ground][theme]) >= 4.5


def test_the_palette_names_each_colour_once() -> None:
    lights = [light for light, _ in THEME.values()]
    assert len(lights) == len(set(lights))


def test_steps_rise_in_greyscale() -> None:
    greys = [luminance(THEME[f"s{place}"][0]) for place in range(5)]
    assert greys == sorted(greys, reverse=True)
    assert [step_of(share) for share in (0, 0.5, 0.7, 0.9, 1)] == [0, 1, 2, 3, 4]


def test_a_label_is_cut_to_its_room_and_made_visible() -> None:
    assert fitted("漢" * 30, 11) == "漢漢漢漢…漢"
    assert fitted("a-very-long-name-1", 12) != fitted("a-very-long-name-2", 12)
    assert fitted("a\nb\u202e", 40) == "a b⟨U+202E⟩"


def test_a_judge_below_zero_is_drawn_inside() -> None:
    agreement: AgreementResult = make.agreement(make.judge("odd", -0.9))
    figure = plt.figure()
    ax = figure.add_subplot()
    figures.draw_forest(ax, agreement)
    assert ax.get_xlim() == (-1.0, 1.0)
    plt.close(figure)
