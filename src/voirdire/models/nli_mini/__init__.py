"""The small English NLI model that ships with the package, its card and how it was made."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

__all__ = ["model_folder"]


def model_folder() -> Path:
    """Where the model's files lie: ONNX, tokenizer.json, config.json, CARD.md and its licence."""
    return Path(str(files("voirdire.models.nli_mini")))
