"""Hostile text is inert wherever it goes."""

from __future__ import annotations

import doctest
import unicodedata

import pytest

from voirdire.reports import escape
from voirdire.reports.escape import MAX_CELL, csv_cell, display_width, markdown, shorten, visible


def test_examples_of_the_docstrings() -> None:
    assert doctest.testmod(escape).failed == 0


@pytest.mark.parametrize(
    "code", [0, 7, 8, 27, 0x7F, 0x9B, 0xAD, 0x202E, 0x2066, 0x200B, 0xFEFF, 0xE0041]
)
def test_what_cannot_be_seen_is_shown_as_its_code(code: int) -> None:
    assert visible(f"a{chr(code)}b") == f"a⟨U+{code:04X}⟩b"


def test_no_control_or_format_character_survives_but_tab_line_feed_and_joiners() -> None:
    text = visible("".join(chr(code) for code in range(0x30000) if not 0xD800 <= code < 0xE000))
    left = {one for one in text if unicodedata.category(one) in ("Cc", "Cs") and one not in "\t\n"}
    assert left == set()
    assert not set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c") & set(text)


def test_what_people_write_is_left_alone() -> None:
    text = "Zürich, 漢字, עברית, 👩‍💻, 1.000,50 €\n\tso"
    assert visible(text) == text


def test_shorten_says_how_much_it_left_out() -> None:
    assert shorten("x" * 1_000_000, 10, more="… ({n} more)") == "xxxxxxxxxx… (999990 more)"
    assert shorten("short", 10) == "short"


def test_wide_characters_take_two_columns() -> None:
    assert display_width("ab漢e\u0301") == 5


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<script>alert(1)</script>", "<script"),
        ("a | b", " | "),
        ("[x](javascript:alert(1))", "[x]("),
        ("see @someone", "@someone"),
        ("as in #123", "#123"),
        ("https://evil.example", "https://"),
        ("www.evil.example", "www."),
        ("one\n\n# two", "\n"),
        ("`code` **bold** ~~gone~~", "**"),
        ("&lt;b&gt;", "&lt;b"),
        ("$x$", "$x$"),
    ],
)
def test_markdown_keeps_no_markup(text: str, told: str) -> None:
    assert told not in markdown(text).replace("\\", "\\\\") or told == "&lt;b"
    assert "<" not in markdown(text).replace("<!-- -->", "")


def test_markdown_escapes_an_escape() -> None:
    assert markdown("\\<") == "\\\\&lt;"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "＝", " =", "|"])
def test_a_text_that_starts_like_a_formula_gets_an_apostrophe(start: str) -> None:
    assert csv_cell(f"{start}cmd|' /C calc'!A0").startswith("'")


def test_numbers_of_ours_stay_numbers() -> None:
    assert [csv_cell(one) for one in (-0.5, 3, None, True, False)] == ["-0.5", "3", "", "yes", "no"]


def test_a_cell_never_outgrows_a_spreadsheet() -> None:
    cell = csv_cell("x" * 1_000_000)
    assert len(cell) < 32_767
    assert cell.endswith(f"({1_000_000 - MAX_CELL} more characters)")
