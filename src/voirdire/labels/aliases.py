"""How sources spell the labels: a closed list for each language, matched whole, never in part.

English words are understood everywhere, those of another language on claims in that language.
Case, and whether words are joined by a space, a hyphen or an underscore, make no difference.
``yes`` and ``no`` are kept apart from the labels: what ``no`` means depends on whether the
source could say contradicted at all.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final, Literal

from voirdire.errors import UsageError
from voirdire.labels.validation import LABEL_WORDS
from voirdire.records import LabelSpace, ReferenceLabel
from voirdire.store import nearest

__all__ = ["ALIASES", "NO_LABEL", "LabelReader", "LabelWord", "infer_space", "label_in_space"]

LabelWord = Literal["supported", "contradicted", "unverifiable", "not_supported", "no"]

NO_LABEL: Final = "none"
"""What ``--map-label`` maps a word to that is no label at all ("unsure")."""

ALIASES: Final[dict[str, dict[LabelWord, tuple[str, ...]]]] = {
    "en": {
        "supported": (
            *("supported", "supports", "support", "entailment", "entailed", "entails"),
            *("yes", "true"),
        ),
        "contradicted": (
            *("contradicted", "contradiction", "contradicts", "contradictory"),
            *("refutes", "refuted"),
        ),
        "unverifiable": (
            *("unverifiable", "not verifiable", "neutral", "unknown", "not enough info"),
            *("not enough information", "nei"),
        ),
        "not_supported": (
            *("not supported", "unsupported", "not entailment", "not entailed"),
            "non entailment",
        ),
        "no": ("no", "false"),
    },
    "it": {
        "supported": (
            *("supportato", "supportata", "supportata dal contesto", "confermato", "confermata"),
            *("implicazione", "si", "sì", "vero", "vera"),
        ),
        "contradicted": (
            *("contraddetto", "contraddetta", "contraddizione", "smentito", "smentita"),
            *("confutato", "confutata"),
        ),
        "unverifiable": (
            *("non verificabile", "neutro", "neutra", "neutrale", "sconosciuto"),
            "informazioni insufficienti",
        ),
        "not_supported": ("non supportato", "non supportata", "non confermato", "non confermata"),
        "no": ("no", "falso", "falsa"),
    },
    "de": {
        "supported": ("belegt", "gestützt", "unterstützt", "bestätigt", "ja", "wahr"),
        "contradicted": ("widerlegt", "widersprochen", "widerspruch", "widersprüchlich"),
        "unverifiable": (
            *("nicht überprüfbar", "nicht verifizierbar", "unüberprüfbar", "neutral"),
            "unbekannt",
        ),
        "not_supported": ("nicht belegt", "nicht gestützt", "nicht unterstützt"),
        "no": ("nein", "falsch"),
    },
    "fr": {
        "supported": (
            *("étayé", "étayée", "soutenu", "soutenue", "confirmé", "confirmée", "implication"),
            *("oui", "vrai"),
        ),
        "contradicted": ("contredit", "contredite", "contradiction", "réfuté", "réfutée"),
        "unverifiable": ("invérifiable", "non vérifiable", "neutre", "inconnu"),
        "not_supported": ("non étayé", "non étayée", "non soutenu", "non soutenue"),
        "no": ("non", "faux"),
    },
    "es": {
        "supported": ("respaldado", "respaldada", "apoyado", "apoyada", "implicación", "sí", "si"),
        "contradicted": ("contradicho", "contradicha", "contradicción", "refutado", "refutada"),
        "unverifiable": ("no verificable", "inverificable", "neutro", "neutral", "desconocido"),
        "not_supported": ("no respaldado", "no respaldada", "no apoyado", "no apoyada"),
        "no": ("no", "falso"),
    },
}
"""Language to label to the words for it."""


def _plain(word: str) -> str:
    return re.sub(r"[\s_-]+", " ", unicodedata.normalize("NFC", word).casefold()).strip()


_KNOWN: Final[dict[str, dict[str, LabelWord]]] = {
    language: {_plain(word): label for label, words in table.items() for word in words}
    for language, table in ALIASES.items()
}


class LabelReader:
    """Reads words as labels, the user's own words first.

    Parameters
    ----------
    mapping : mapping of str to str
        Source word to label, or to ``none`` for a word that is no label.

    Raises
    ------
    UsageError
        If a word is mapped to something that is no label; the nearest is suggested.
    """

    def __init__(self, mapping: Mapping[str, str] | None = None) -> None:
        self._own: dict[str, str] = {}
        for word, label in (mapping or {}).items():
            if label not in (*LABEL_WORDS, NO_LABEL):
                guess = nearest(label, list(LABEL_WORDS))
                raise UsageError(
                    f"{word!r} is mapped to {label!r}, which is no label",
                    where="--map-label",
                    allowed=", ".join((*LABEL_WORDS, NO_LABEL)),
                    todo=f"did you mean {guess!r}?" if guess else "",
                )
            self._own[_plain(word)] = label

    def read(self, word: str, language: str) -> LabelWord | Literal["none"] | None:
        """The label a word stands for, ``none`` if mapped so, None if the word is unknown."""
        plain = _plain(word)
        if plain in self._own:
            return self._own[plain]  # type: ignore[return-value]
        for known in (language.partition("-")[0], "en"):
            if plain in _KNOWN.get(known, {}):
                return _KNOWN[known][plain]
        return None


def infer_space(words: set[LabelWord]) -> LabelSpace:
    """The label space of a source that does not say: two classes if it says *no* and no more."""
    if words & {"contradicted", "unverifiable"}:
        return "three_class"
    return "two_class" if words & {"no", "not_supported"} else "three_class"


def label_in_space(word: LabelWord, space: LabelSpace) -> ReferenceLabel:
    """A word as a label: *no* is contradicted only where the source had a third answer."""
    if word == "no":
        return "not_supported" if space == "two_class" else "contradicted"
    return word
