"""One spelling for one number: 1.000,50 and 1,000.50 and 1000.5 are the same."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["canonical_number"]


@lru_cache(maxsize=10_000)
def canonical_number(text: str, *, decimal: str, group: tuple[str, ...]) -> str:
    """The one spelling of a number: no group marks, a point, no idle zeros.

    The language's own marks are tried first; where the digits cannot be read that way (groups
    of other than three), the marks are taken the other way round. So ``12,5`` is twelve and a
    half in any language, and only a single mark before exactly three digits is the language's to
    decide. Digits with marks that make no number (dates, versions) keep them as points.

    Parameters
    ----------
    text : str
        Decimal digits of any script, with ``decimal`` and ``group`` marks between them.
    decimal : str
        ``"."`` or ``","``.
    group : tuple of str
        Marks between thousands.

    Returns
    -------
    str
        Equal for equal numbers.

    Examples
    --------
    >>> canonical_number("1.000,50", decimal=",", group=(".",))
    '1000.5'
    >>> canonical_number("1,000.50", decimal=",", group=(".",))
    '1000.5'
    >>> canonical_number("12.05.2024", decimal=",", group=(".",))
    '12.5.2024'
    """
    other = "." if decimal == "," else ","
    for point, groups in ((decimal, group), (other, (decimal,))):
        match = _pattern(point, groups).fullmatch(text)
        if match:
            whole = "".join(str(int(digit)) for digit in match[1] if digit.isdecimal())
            return _joined(whole, match[2] or "")
    return ".".join(_whole(part) for part in re.split(r"\D+", text) if part)


@lru_cache(maxsize=64)
def _pattern(point: str, groups: tuple[str, ...]) -> re.Pattern[str]:
    grouped = "|".join(rf"(?!0)\d{{1,3}}(?:{re.escape(mark)}\d{{3}})+" for mark in groups)
    whole = rf"{grouped}|\d+" if grouped else r"\d+"
    return re.compile(rf"({whole})(?:{re.escape(point)}(\d+))?")


def _joined(whole: str, fraction: str) -> str:
    digits = "".join(str(int(digit)) for digit in fraction).rstrip("0")
    return f"{_whole(whole)}.{digits}" if digits else _whole(whole)


def _whole(digits: str) -> str:
    # Not int(): its length is limited, and a claim may hold a hundred thousand digits.
    return "".join(str(int(digit)) for digit in digits).lstrip("0") or "0"
