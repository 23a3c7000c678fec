"""The page: sound, inert, small, the same every time; its parts under snapshot."""

from __future__ import annotations

import os
import re
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from tests.reports import report_factory as make
from tests.reports.conftest import extremes
from voirdire.reports import PARTS, make_report, render_page, render_part

SNAPSHOTS = Path(__file__).parent / "snapshots"
UPDATE = "VOIRDIRE_UPDATE_SNAPSHOTS"
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Outline(HTMLParser):
    """What a reader of the page meets: tags in order, balanced or not."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def named(self, *names: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag in names]


STUDIES = extremes()


@cache
def rendered(name: str, language: str) -> str:
    return render_page(make_report(*STUDIES[name], language=language))


@pytest.fixture(params=[(name, language) for name in STUDIES for language in ("en", "it")])
def page(request: pytest.FixtureRequest) -> str:
    return rendered(*request.param)


def test_the_page_is_sound_and_readable_aloud(page: str) -> None:
    outline = Outline(page)
    assert outline.open == []
    headings = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch(r"h[1-6]", tag)]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(two <= one + 1 for one, two in pairwise(headings))
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert all("scope" in attributes for attributes in outline.named("th"))
    tables = len(outline.named("table"))
    assert len(outline.named("caption")) == tables
    figures = len(outline.named("figure"))
    assert len(outline.named("svg")) == figures
    assert len(outline.named("desc")) == figures
    assert len(outline.named("figcaption")) == figures
    assert outline.tags[0][0] == "html"
    assert outline.tags[0][1]["lang"] in ("en", "it")


def test_nothing_runs_and_nothing_is_fetched(page: str) -> None:
    outline = Outline(page)
    assert not outline.named("script", "img", "link", "iframe", "object", "embed", "form", "base")
    for _, attributes in outline.tags:
        assert not any(name.startswith("on") for name in attributes)
        for name in ("href", "src", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")
    policy = [one for one in outline.named("meta") if "http-equiv" in one]
    assert policy[0]["content"] == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert not re.search(r"url\((?!#)|@import", page.partition("</style>")[0])
    assert page.count("</style>") == 1


def test_no_hidden_character_reaches_the_page(page: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)
    assert "{{" not in page.replace("{{7*7}}", "")
    assert "Undefined" not in page
    assert "None" not in page.replace("None of", "")
    assert not re.search(r"\bnan\b", page)


def test_a_megabyte_of_text_does_not_swell_the_page() -> None:
    page = rendered("hostile", "en")
    assert len(page.encode()) < 200_000
    assert "more characters" in page


def test_a_large_study_stays_under_a_megabyte() -> None:
    assert len(rendered("large", "en").encode()) < 1_000_000


@pytest.mark.parametrize("name", ["ordinary", "hostile"])
def test_the_same_results_give_the_same_bytes(name: str) -> None:
    assert render_page(make_report(*STUDIES[name])) == rendered(name, "en")


def test_the_first_screen_has_the_decision_and_no_greek() -> None:
    page = rendered("ordinary", "en")
    first = page.partition('<section id="numbers"')[0].partition("</style>")[2]
    assert not re.search("[\u0370-\u03ff]", first)
    assert "kappa" not in first.lower()
    for words in (
        "Do not adopt lexical",
        "Of 1,000 claims that people call contradicted",
        "Next step",
    ):
        assert words in first


def test_sections_stand_in_the_order_of_the_page() -> None:
    page = rendered("ordinary", "en")
    places = [page.index(f'<section id="{part}"') for part in PARTS]
    assert places == sorted(places)


def test_signs_stand_beside_colours() -> None:
    page = render_part(make_report(*make.large()), "decision", figures=False)
    for sign, word in (("✓", "Adopt"), ("✗", "Do not adopt"), ("?", "Not enough evidence")):
        assert f"{sign}</span> {word}" in page


def test_every_repeat_of_a_family_is_shown() -> None:
    part = render_part(make_report(*make.ordinary()), "errors", figures=False)
    assert "✓</span> supported ×2" in part
    assert "✗</span> contradicted<" in part
    assert "–</span> failed ×2" in part
    assert "A1: supported" in part
    assert "36 more families are in rows.csv." in part


def test_numbers_follow_the_language() -> None:
    part = render_part(make_report(*make.ordinary(), language="it"), "numbers", figures=False)
    assert "0,55" in part
    assert "280 su 390, 400 chieste" in part
    assert "Non adottare" in render_part(
        make_report(*make.ordinary(), language="it"), "decision", figures=False
    )


def test_english_words_of_the_records_are_marked_as_english() -> None:
    report = make_report(*make.two_class(), language="it")
    assert '<span lang="en">One label was published.</span>' in render_part(
        report, "people", figures=False
    )


@pytest.mark.parametrize("part", PARTS)
def test_snapshot(part: str) -> None:
    found = render_part(make_report(*make.small()), part, figures=False)
    path = SNAPSHOTS / f"{part}.html"
    if os.environ.get(UPDATE):
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert path.is_file(), f"no snapshot; look at the page, then run with {UPDATE}=1"
    assert found == path.read_text(encoding="utf-8"), (
        f"the part changed; if that was meant, look at the page, then run with {UPDATE}=1"
    )


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(ValueError, match="part must be one of decision, .* got 'cover'"):
        render_part(make_report(*make.small()), "cover")


def test_results_of_two_studies_are_not_mixed() -> None:
    agreement, _ = make.small()
    with pytest.raises(ValueError, match="of one study, got 'trial' and 'other'"):
        make_report(agreement, make.decisions(study="other"))
