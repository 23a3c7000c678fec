"""Text as the lexical judge reads it: markup off, sentences, tokens, numbers, languages."""

from __future__ import annotations

from voirdire.judges.text.cleaning import cleaned
from voirdire.judges.text.languages import Language, load_language, shipped_languages
from voirdire.judges.text.numbers import canonical_number
from voirdire.judges.text.sentences import sentences
from voirdire.judges.text.tokens import tokens, tokens_of_each

__all__ = [
    "Language",
    "canonical_number",
    "cleaned",
    "load_language",
    "sentences",
    "shipped_languages",
    "tokens",
    "tokens_of_each",
]
