"""Personal data and secrets found by pattern, each replaced by a name of its own.

The same text gets the same replacement wherever it stands, so what was equal stays equal and what
was different stays different: two annotators known by their e-mail remain two.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Sequence
from typing import Any, Final

from voirdire.store.redaction import Redacted, Redaction, trace

__all__ = ["PATTERNS", "Pseudonyms"]

_CREDENTIAL = (
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:sk|pk|rk|gsk|xai|hf|glpat|xox[abprs])[-_](?:[A-Za-z]+[-_])*[A-Za-z0-9_*-]{10,}"
    r"|\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{16,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{20,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"
    r"|(?i:(?<=bearer )|(?<=bearer: ))[A-Za-z0-9._~+/=-]{10,}"
    r"|(?i:(?<=api_key=)|(?<=api-key=)|(?<=apikey=)|(?<=password=)|(?<=token=)|(?<=secret=))"
    r"[^\s&\"'<>\\]{4,}"
    r"|(?<=://)[^\s/@:\"'<>]+:[^\s/@\"'<>]+(?=@)"
)

PATTERNS: Final[dict[str, str]] = {
    "secret": _CREDENTIAL,
    "e-mail": r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b",
    "home": r"(?<![\w.])/(?:home|Users)/[^\s/\\\"'<>:,;]+|/root(?=/)"
    r"|\b[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2}[^\s/\\\"'<>:,;]+",
    "iban": r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b",
    "phone": r"(?<![\w+])(?:\+|00)[1-9]\d{0,2}(?:[ ./-]?\(?\d{1,4}\)?){2,6}\d(?!\w)",
    "card": r"\b(?:\d[ -]?){12,18}\d\b",
}
"""Kind to what it looks like; tried in this order. A card's number must have a right check digit.

Numbers without a country's prefix are left alone: in a claim they are what is judged.
"""


_TAG = re.compile("(<[^<>]*>)")
_DIGITS = ("iban", "phone", "card")


class Pseudonyms:
    """Replaces what the patterns find, by kind and number; one instance for all files.

    Parameters
    ----------
    own : sequence of str
        Regular expressions besides `PATTERNS`, as a claim set declares them.

    Raises
    ------
    UsageError
        If one of them is no regular expression, or matches the empty text.

    Attributes
    ----------
    found : Counter
        Replacements made, by kind.

    Examples
    --------
    >>> names = Pseudonyms()
    >>> names.text("ask anna@example.org or bo@example.org, not anna@example.org")
    'ask [e-mail 1] or [e-mail 2], not [e-mail 1]'
    """

    def __init__(self, own: Sequence[str] = ()) -> None:
        Redaction(own)  # refuses what cannot be used
        kinds = [("redacted", pattern) for pattern in own] + list(PATTERNS.items())
        self._patterns = [(kind, re.compile(pattern)) for kind, pattern in kinds]
        self._names: dict[tuple[str, str], str] = {}
        self._numbers: Counter[str] = Counter()
        self.found: Counter[str] = Counter()

    def text(self, text: str, *, leave: Container[str] = ()) -> str:
        """A text with everything replaced but the kinds to be left."""
        for kind, pattern in self._patterns:
            if kind not in leave:
                text = pattern.sub(self._replacer(kind), text)
        return text

    def traced(self, text: str) -> Redacted:
        """What `text` gives, with the way back to the original; it is not counted again."""
        before = self.found.copy()
        traced = trace(text, ((pattern, self._replacer(kind)) for kind, pattern in self._patterns))
        self.found = before
        return traced

    def html(self, text: str) -> str:
        """A page: inside tags rows of digits are coordinates, and stay."""
        pieces = _TAG.split(text)  # text and tag by turns
        return "".join(
            self.text(piece, leave=_DIGITS if number % 2 else ())
            for number, piece in enumerate(pieces)
        )

    def value(self, value: Any) -> Any:
        """The same for every string in a JSON value, keys among them."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self.value(item) for key, item in value.items()}
        return value

    def lines(self, text: str) -> str:
        """JSON lines; a line in which nothing is found stays byte for byte."""
        return "".join(self._line(line) for line in text.splitlines(keepends=True))

    def document(self, text: str) -> str:
        """A JSON document; unchanged, byte for byte, where nothing is found."""
        before = self.found.total()
        body = self.value(json.loads(text))
        if self.found.total() == before:
            return text
        return json.dumps(body, ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def _line(self, line: str) -> str:
        if not line.strip():
            return line
        before = self.found.total()
        value = self.value(json.loads(line))
        if self.found.total() == before:
            return line
        return json.dumps(value, ensure_ascii=False) + "\n"

    def _replacer(self, kind: str) -> Callable[[re.Match[str]], str]:
        def replace(match: re.Match[str]) -> str:
            text = match.group()
            if kind == "card" and not _checks(text):
                return text
            self.found[kind] += 1
            key = (kind, text)
            if key not in self._names:
                self._numbers[kind] += 1
                self._names[key] = f"[{kind} {self._numbers[kind]}]"
            return self._names[key]

        return replace


def _checks(text: str) -> bool:
    """Luhn's check digit."""
    digits = [int(one) for one in text if one.isdigit()][::-1]
    doubled = [sum(divmod(2 * one, 10)) for one in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
