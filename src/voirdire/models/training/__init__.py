"""Makes NLI models: labelled pairs, pairs made from them by rule, fine-tuning, export to ONNX."""

from __future__ import annotations

from voirdire.models.training.augmentation import DEFAULT_AMOUNTS, augmented
from voirdire.models.training.fine_tuning import TrainingReport, TrainingSettings, train
from voirdire.models.training.negation import negated, number_swapped
from voirdire.models.training.pairs import (
    Pair,
    families_by_text,
    hold_out,
    normalised,
    read_pairs,
    without_overlap,
)

__all__ = [
    "DEFAULT_AMOUNTS",
    "Pair",
    "TrainingReport",
    "TrainingSettings",
    "augmented",
    "families_by_text",
    "hold_out",
    "negated",
    "normalised",
    "number_swapped",
    "read_pairs",
    "train",
    "without_overlap",
]
