"""From what a model wrote to a label: whole words of a closed list, or no label at all."""

from __future__ import annotations

from voirdire.judges.answers.finding import Found, find_objects
from voirdire.judges.answers.parsing import Parsed, read_answer, read_batch
from voirdire.judges.answers.words import LANGUAGES, LabelWords

__all__ = [
    "LANGUAGES",
    "Found",
    "LabelWords",
    "Parsed",
    "find_objects",
    "read_answer",
    "read_batch",
]
