"""Hostile text made inert: claims, contexts, rationales and names are never trusted.

HTML is escaped by jinja's autoescape; what is here makes the text fit to be shown at all, and fits
it to Markdown and CSV.
"""

from __future__ import annotations

import re

__all__ = ["csv_cell", "display_width", "markdown", "shorten", "visible"]

# Controls but tab and line feed, C1, bidirectional marks, invisible fillers, line separators,
# lone surrogates, non-characters and tag characters. The two joiners stay: emoji need them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~>$])")
_LINKS = re.compile(r"(@|://|\bwww(?=\\?\.)|(?<=\\)#)")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "%", "|")
MAX_CELL = 32_000
"""Excel holds 32,767 characters a cell and spills the rest into the next rows."""


def visible(text: str) -> str:
    """Text with every control, bidirectional or invisible character as its visible code.

    Examples
    --------
    >>> visible("safe\\u202etxt.exe")
    'safe⟨U+202E⟩txt.exe'
    """
    text = text.replace("\r\n", "\n")
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", text)


def shorten(text: str, limit: int, *, more: str = "…") -> str:
    """The first ``limit`` characters; ``more`` may hold ``{n}``, how many were left out."""
    if len(text) <= limit:
        return text
    return text[:limit].rstrip() + more.replace("{n}", str(len(text) - limit))


def display_width(text: str) -> int:
    """Columns a text takes: two for wide East Asian characters and emoji, one for others."""
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def markdown(text: str) -> str:
    """Text for a line or table cell of Markdown: no mark-up, no link, no mention, no HTML.

    Examples
    --------
    >>> markdown("<b>*hi*</b> | x")
    '&lt;b&gt;\\\\*hi\\\\*&lt;/b&gt; \\\\| x'
    """
    line = " ".join(visible(text).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;")
    line = _MARKDOWN.sub(lambda one: "&gt;" if one.group() == ">" else "\\" + one.group(), line)
    # An empty comment keeps a host from turning the text into a mention, a link or a reference.
    return _LINKS.sub(lambda one: f"{one.group()[0]}<!-- -->{one.group()[1:]}", line)


def csv_cell(value: object) -> str:
    """A value for CSV that no spreadsheet takes for a formula.

    Numbers and None are ours and stay as they are; a text that starts like a formula gets an
    apostrophe in front, and one longer than a spreadsheet's cell is cut and says so.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return repr(value)
    raw = str(value)
    text = shorten(visible(raw), MAX_CELL, more="… ({n} more characters)")
    return f"'{text}" if raw.lstrip(" \u00a0").startswith(_FORMULA) else text
