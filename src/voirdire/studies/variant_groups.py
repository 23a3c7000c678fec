"""Which tests a variant belongs to, by the name it has in its claim set.

Names are free, so a set may say ``number_swap``, ``negation`` or ``paraphrase_edit``; the group is
found by what the name holds. A name that joins several edits (``antonym_swap+negation``) belongs
to none, since no test could say which of them broke the judge. A name says only what was *meant*:
every test looks at people's labels of both variants before it counts a pair.
"""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

__all__ = ["GROUPS", "STABLE_GROUPS", "VariantGroup", "denies_plainly", "group_of"]

VariantGroup = Literal[
    "original",
    "paraphrase",
    "negation",
    "number",
    "short",
    "implied",
    "formatting",
    "dilution",
    "order",
    "translation",
    "reported",
    "entity",
    "other",
]
GROUPS: Final[tuple[VariantGroup, ...]] = get_args(VariantGroup)

STABLE_GROUPS: Final[tuple[VariantGroup, ...]] = (
    "paraphrase",
    "formatting",
    "dilution",
    "order",
    "translation",
)
"""Groups in which the answer should stay wherever people's label does."""

_RULES: Final[tuple[tuple[str, VariantGroup], ...]] = (
    (r"\+", "other"),
    (r"^original$", "original"),
    (r"translat", "translation"),
    (r"dilut", "dilution"),
    (r"order|shuffl", "order"),
    (r"context|(^|_)both($|_)", "other"),  # another context: not a change of wording
    (r"negat", "negation"),
    (r"number|date|unit|percent|range|ordinal|comparison|quantity|rounding", "number"),
    (r"paraphras|reword", "paraphrase"),
    (r"format|markup|whitespace|letter_case", "formatting"),
    (r"reported", "reported"),
    (r"short", "short"),
    (r"implied|implicit", "implied"),
    (r"entity", "entity"),
)
_PLAIN_DENIALS: Final = re.compile(r"^(sentence_|lexical_|equivalent_|claim_)?negation(_claim)?$")


def group_of(variant: str) -> VariantGroup:
    """The group of a variant's name; ``other`` where no test knows it.

    Examples
    --------
    >>> group_of("lexical_negation"), group_of("date_swap"), group_of("negation_context")
    ('negation', 'number', 'other')
    """
    name = variant.lower()
    return next((group for pattern, group in _RULES if re.search(pattern, name)), "other")


def denies_plainly(variant: str) -> bool:
    """Whether a variant denies the whole claim, so that two of them deny the same thing.

    Scoped and double negations do not: they deny a part, or nothing.
    """
    return bool(_PLAIN_DENIALS.match(variant.lower()))
