"""Recorded English sentences said anew in another language, where their form is known.

Records speak English. How a number was made is a list of parts that are translated one by one;
notes and remarks are known by their form. What is not known is left to stand as it is.
"""

from __future__ import annotations

import re
from typing import Final

from voirdire.reports.words import Words

__all__ = ["retell"]

_LABEL: Final = r"'(?P<label>\w+)'"
_FORMS: Final = {
    "few": rf"class {_LABEL} lives in (?P<n>\d+) (?P<unit>families|items) "
    r"\(fewer than (?P<least>\d+)\): interval may be too narrow",
    "differ": r"prevalence: kappa (?P<kappa>\S+) and AC1 (?P<ac1>\S+) differ by more than "
    r"(?P<apart>\S+); agreement on (?P<on>.+)",
    "prevalence": rf"prevalence: (?P<share>\d+)% of the labels are {_LABEL}; "
    r"agreement on (?P<on>.+)",
    "classes": r"mean over (?P<k>\d+) of (?P<n>\d+) classes: no judged item has the human label "
    rf"{_LABEL}",
    "two_classes": r"supported or not: contradicted and unverifiable are one label here .*",
    "apart": r"(?P<who>\S+) chose otherwise than most others on (?P<k>\d+) of (?P<n>\d+) claims, "
    r"clearly more often .*",
}
_PART: Final = re.compile(r"'(\w+)' (\S+)")


def retell(text: str, words: Words) -> str | None:
    """The sentence in the words' language; None where its form is not known there."""
    lead, colon, rest = text.partition(": ")
    told = _note(text, words) or _method(text, words)
    if told is None and colon:  # a note that names its judge first
        told = _note(rest, words)
        return None if told is None else f"{lead}: {told}"
    return told


def _note(text: str, words: Words) -> str | None:
    for name, form in _FORMS.items():
        found = re.fullmatch(form, text)
        if found is None:
            continue
        values = {key: _value(key, value, words) for key, value in found.groupdict().items()}
        return words.maybe(f"retell.note.{name}", **values)
    return None


def _value(key: str, value: str, words: Words) -> str:
    if key == "label":
        return words.label(value)
    if key == "unit":
        return words.maybe(f"retell.unit.{value}") or value
    if key == "on":
        parts = _PART.findall(value)
        return ", ".join(f"{words.label(label)} {_number(n, words)}" for label, n in parts)
    return _number(value, words)


def _number(text: str, words: Words) -> str:
    return text.rstrip(",").replace(".", words("number.decimal"))


def _method(text: str, words: Words) -> str | None:
    """``Cohen's kappa, family jackknife t``: every part must be known."""
    ways = []
    for way in text.split("; "):
        parts = [words.maybe(f"retell.method.{_slug(part)}") for part in way.split(", ")]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        ways.append(", ".join(known))
    return "; ".join(ways)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
