"""The closed list of reasons why a number or its interval is undefined.

A reason may be followed by a colon and detail ("class absent: no item is labelled 'x'"); the part
before the colon is one of these strings, so that pages and programs can branch on it.
"""

from __future__ import annotations

__all__ = [
    "ALL_FAILED",
    "CANNOT_CERTIFY",
    "CLASS_ABSENT",
    "CLASS_NEVER_ANSWERED",
    "FEW_FAMILIES",
    "JUDGE_CONSTANT",
    "NO_DISCORDANT",
    "NO_ELIGIBLE",
    "NO_FAILURES",
    "NO_ITEMS",
    "NO_LABEL",
    "NO_VARIATION",
    "ONE_FAMILY_CARRIES_A_CLASS",
    "ONE_LABEL",
    "ONE_LEVEL",
    "REFERENCE_CONSTANT",
    "SEPARATION",
    "SINGLE_ANNOTATOR",
    "TIE",
    "TOO_FEW_ANNOTATORS",
    "TOO_FEW_ITEMS",
    "TOO_FEW_LABELS",
    "reason_code",
]

NO_ITEMS = "no items"
ONE_LABEL = "one label only"
JUDGE_CONSTANT = "judge constant"
REFERENCE_CONSTANT = "reference constant"
FEW_FAMILIES = "fewer than 2 families"
CLASS_ABSENT = "class absent"
CLASS_NEVER_ANSWERED = "class never answered"
NO_VARIATION = "no variation between families"
ONE_FAMILY_CARRIES_A_CLASS = "one family carries a class"
ALL_FAILED = "every claim failed"
CANNOT_CERTIFY = "cannot certify"
NO_DISCORDANT = "these items cannot tell the judges apart"
NO_ELIGIBLE = "no eligible pairs"
NO_FAILURES = "no failures"
NO_LABEL = "no label"
ONE_LEVEL = "one level only"
SEPARATION = "separation"
SINGLE_ANNOTATOR = "single annotator"
TIE = "tie"
TOO_FEW_ANNOTATORS = "too few annotators"
TOO_FEW_ITEMS = "too few items"
TOO_FEW_LABELS = "too few labels"


def reason_code(reason: str) -> str:
    """The fixed part of a reason, without its detail.

    Examples
    --------
    >>> reason_code("class absent: no item is labelled 'unverifiable'")
    'class absent'
    """
    return reason.split(":", 1)[0]
