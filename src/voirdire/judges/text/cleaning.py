"""Text without what a reader does not see: markup, invisible characters, kinds of white space.

Two texts that differ only in emphasis marks, in inline HTML or in the amount and kind of white
space come out equal, so no judge built on this can tell them apart. The price: a line break is
white space like any other and ends no sentence, so a list without full stops is one sentence
(bullet characters do end one; see `sentences`).
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["cleaned"]

# Soft hyphen, zero-width characters, word joiner, byte order mark, directional marks.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_INLINE_TAG = re.compile(
    r"</?(?:a|abbr|b|code|del|em|font|i|ins|kbd|mark|s|small|span|strong|sub|sup|u)"
    r"(?:\s[^<>]{0,500})?/?>",
    re.IGNORECASE,
)
_OTHER_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]{0,20}(?:\s[^<>]{0,500})?/?>")
# A run of stars that touches a character on either side is emphasis; one alone is a bullet.
_STARS = re.compile(r"(?<=\S)\*+|\*+(?=\S)")
_EDGE_UNDERSCORES = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")


def cleaned(text: str) -> str:
    """A text in composed Unicode form, without markup, with single spaces.

    Parameters
    ----------
    text : str
        Anything; Markdown emphasis, code marks, links and HTML tags are taken off.

    Returns
    -------
    str
        The text as a reader sees it; letter case is kept.
    """
    if not text.isascii():
        text = _INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    if "[" in text:
        text = _LINK.sub(r"\1", text)
    if "<" in text:
        text = _OTHER_TAG.sub(" ", _INLINE_TAG.sub("", text))
    if "`" in text:
        text = text.replace("`", "")
    if "~~" in text:
        text = text.replace("~~", "")
    if "*" in text:
        text = _STARS.sub("", text)
    if "_" in text:
        text = _EDGE_UNDERSCORES.sub("", text)
    if "  " not in text and text.isprintable():  # single blanks already, as most texts
        return text.strip()
    return " ".join(text.split())
