"""The page in a real browser: inert, legible in every light, no wider than a phone."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.reports import more_factory as more
from tests.reports import report_factory as make
from tests.reports.browser import chromium, paper, show
from voirdire.reports import make_report, render_memo, render_page

PAGES = ("ordinary", "large", "hostile", "two_class", "full", "memo")

CONTRAST = """
const shades = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const linear = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const channel = (v) => linear(v / 255);
const lum = (c) => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
const ground = (node) => {
  for (let at = node; at; at = at.parentElement) {
    const c = shades(getComputedStyle(at).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c;
  }
  return shades(getComputedStyle(document.documentElement).backgroundColor);
};
const low = [];
for (const node of document.querySelectorAll('body *')) {
  const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  if (!own || node.closest('svg') || node.classList.contains('skip')) continue;
  const a = lum(shades(getComputedStyle(node).color)), b = lum(ground(node));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (!(ratio >= 4.5)) low.push([node.tagName, node.textContent.slice(0, 40), ratio]);
}
return low;
"""
FIGURE_INK = """
const texts = [...document.querySelectorAll('svg text')];
return [...new Set(texts.map((text) => getComputedStyle(text).fill))];
"""
CUT = """
const out = [];
for (const text of document.querySelectorAll('svg text')) {
  const inner = text.getBoundingClientRect();
  const outer = text.closest('svg').getBoundingClientRect();
  if (inner.left < outer.left - 1 || inner.right > outer.right + 1
      || inner.top < outer.top - 2 || inner.bottom > outer.bottom + 2) out.push(text.textContent);
}
return out;
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as driver:
        yield driver


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages as files."""
    where = tmp_path_factory.mktemp("pages")
    for name in PAGES:
        (where / f"{name}.html").write_text(_page(name), encoding="utf-8")
    return where


def _page(name: str) -> str:
    """The hostile study and the full one have every other result too; the memo is of the large."""
    if name == "memo":
        return render_memo(make_report(*make.large()))
    if name not in ("full", "hostile"):
        return render_page(make_report(*getattr(make, name)()))
    agreement, decision = make.hostile() if name == "hostile" else make.ordinary()
    text = make.HOSTILE if name == "hostile" else "A claim."
    others = more.everything(agreement, text=text, study=agreement.study)
    return render_page(make_report(agreement, decision, **others))


@pytest.mark.parametrize("name", PAGES)
def test_nothing_runs_nothing_is_fetched(browser: Any, folder: Path, name: str) -> None:
    from selenium.common.exceptions import NoAlertPresentException

    browser.get_log("performance")
    browser.get_log("browser")
    show(browser, folder / f"{name}.html")
    with pytest.raises(NoAlertPresentException):
        browser.switch_to.alert.accept()
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert asked == [(folder / f"{name}.html").resolve().as_uri()]
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.scripts.length + document.images.length") == 0


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [390, 1100])
def test_the_page_is_no_wider_than_its_window(
    browser: Any, folder: Path, name: str, width: int
) -> None:
    show(browser, folder / f"{name}.html", width=width)
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width


@pytest.mark.parametrize("name", ["ordinary", "large", "full", "memo"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(browser: Any, folder: Path, name: str, scheme: str) -> None:
    show(browser, folder / f"{name}.html", scheme=scheme)
    assert browser.execute_script(CONTRAST) == []


def test_figures_follow_the_scheme(browser: Any, folder: Path) -> None:
    inks = {}
    for scheme in ("light", "dark"):
        show(browser, folder / "ordinary.html", scheme=scheme)
        inks[scheme] = set(browser.execute_script(FIGURE_INK))
    assert "rgb(26, 29, 36)" in inks["light"]
    assert inks["light"].isdisjoint(inks["dark"])


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [390, 1100])
def test_no_text_of_a_figure_is_cut(browser: Any, folder: Path, name: str, width: int) -> None:
    show(browser, folder / f"{name}.html", width=width)
    assert browser.execute_script(CUT) == []


def test_headings_are_in_order(browser: Any, folder: Path) -> None:
    show(browser, folder / "large.html")
    levels = browser.execute_script(
        "return [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((h) => +h.tagName[1])"
    )
    assert levels[0] == 1
    assert all(two <= one + 1 for one, two in itertools.pairwise(levels))


def test_the_keyboard_reaches_every_table_that_scrolls(browser: Any, folder: Path) -> None:
    show(browser, folder / "large.html", width=390)
    unreachable = browser.execute_script(
        "return [...document.querySelectorAll('.scroll')].filter("
        "(one) => one.scrollWidth > one.clientWidth && one.tabIndex !== 0).length"
    )
    assert unreachable == 0


def test_paper_leaves_long_tables_to_the_screen(browser: Any, folder: Path, tmp_path: Path) -> None:
    show(browser, folder / "full.html", scheme="dark")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = (
        "return [...document.querySelectorAll('{}')]"
        ".filter((one) => one.getBoundingClientRect().height > 0).length"
    )
    assert browser.execute_script(shown.format("details.screen table")) == 0
    folded = "details:not(.screen) table"
    count = browser.execute_script(f"return document.querySelectorAll('{folded}').length")
    assert browser.execute_script(shown.format(folded)) == count > 0
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    paper(browser, tmp_path / "page.pdf")
    assert 2 <= _sheets(tmp_path / "page.pdf") <= 12


def test_the_committed_example_prints_on_a_dozen_sheets(browser: Any, tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "reports" / "example" / "report.html"
    show(browser, page)
    paper(browser, tmp_path / "page.pdf")
    assert 2 <= _sheets(tmp_path / "page.pdf") <= 12


def test_the_memo_is_one_sheet(browser: Any, folder: Path, tmp_path: Path) -> None:
    show(browser, folder / "memo.html")
    paper(browser, tmp_path / "memo.pdf")
    assert _sheets(tmp_path / "memo.pdf") == 1


def _sheets(path: Path) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", path.read_bytes()))
