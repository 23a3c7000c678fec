"""How the shipped model was made: which pairs are learned from, which are held out.

Run with the extra ``train``::

    python -m voirdire.models.nli_mini.recipe PAIRS --base DIR --avoid FOLDER --out DIR

``PAIRS`` are JSON lines with context, claim, label and source; ``--avoid`` is a folder of JSON
lines with context and claim (evaluation sets): no pair that shares text with them is learned
from. ``--base`` holds the weights of all-MiniLM-L6-v2.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import numpy as np

from voirdire.models.training.augmentation import augmented
from voirdire.models.training.fine_tuning import TrainingSettings
from voirdire.models.training.making import make_model
from voirdire.models.training.pairs import (
    Pair,
    families_by_text,
    hold_out,
    read_pairs,
    without_overlap,
)

__all__ = ["HELD_OUT_SOURCE", "TESTED_ON", "divide", "main", "to_learn"]

HELD_OUT_SOURCE: Final = "snli_test"
TESTED_ON: Final = frozenset({HELD_OUT_SOURCE, "mnli_dev"})
"""Sources whose held-out pairs only figures are made of; the temperature is fitted on the rest."""

_SHIPPED: Final = (
    "model_quantized.onnx",
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "training.json",
)
_BY_CLAIM: Final = frozenset({"cad_nli", "med", "scone", "scitail_dev_test"})
_SHARE: Final = 0.09
_SEED: Final = 7
_AT_MOST: Final = {"breaking_nli": 3200}
_TWICE: Final = frozenset({"cad_nli", "scone"})


def divide(
    pairs: Sequence[Pair], *, avoid: Sequence[tuple[str, str]]
) -> tuple[list[Pair], list[Pair]]:
    """Pairs to learn from, and held-out ones: all of ``snli_test`` and 9 % of other families.

    A pair is learned from only if it shares no text with `avoid` or with a held-out pair.
    """
    families = families_by_text(pairs, by_claim=lambda pair: pair.source in _BY_CLAIM)
    pairs = [replace(pair, family=name) for pair, name in zip(pairs, families, strict=True)]
    tested = {pair.family for pair in pairs if pair.source == HELD_OUT_SOURCE}
    rest = [pair for pair in pairs if pair.family not in tested]
    learn, held = hold_out(rest, share=_SHARE, seed=_SEED)
    held += [pair for pair in pairs if pair.source == HELD_OUT_SOURCE]
    learn = without_overlap(learn, avoid)
    return without_overlap(learn, [(pair.context, pair.claim) for pair in held]), held


def to_learn(learn: Sequence[Pair], *, seed: int = _SEED) -> list[Pair]:
    """The pairs of one epoch: sources thinned or doubled, and those made by rule."""
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in learn if pair.source not in _AT_MOST]
    for source, most in _AT_MOST.items():
        of_source = [pair for pair in learn if pair.source == source]
        rare = [pair for pair in of_source if pair.label != "contradicted"]
        rest = [pair for pair in of_source if pair.label == "contradicted"]
        places = sorted(rng.permutation(len(rest))[: max(0, most - len(rare))])
        pairs += rare + [rest[i] for i in places]
    pairs += [pair for pair in pairs if pair.source in _TWICE]
    return pairs + augmented(learn, seed=seed)


def texts_in(folder: Path) -> Iterator[tuple[str, str]]:
    """Premise and claim of every line of every ``.jsonl`` file of a folder and those below it."""
    for file in sorted(folder.rglob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if isinstance(row, dict) and "claim" in row and "context" in row:
                context = row["context"]
                for text in [context] if isinstance(context, str) else context:
                    yield text, row["claim"]


def ship(model: Path, folder: Path) -> None:
    """Copy what the package holds: the int8 file, tokenizer, labels and how it was trained."""
    for name in _SHIPPED:
        shutil.copy(model / name, folder / name)


def main(args: Sequence[str] | None = None) -> None:
    """Train; write the model and the held-out pairs."""
    parser = argparse.ArgumentParser(prog="python -m voirdire.models.nli_mini.recipe")
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--avoid", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path, required=True)
    usual = TrainingSettings()
    parser.add_argument("--epochs", type=float, default=usual.epochs)
    parser.add_argument("--learning-rate", type=float, default=usual.learning_rate)
    parser.add_argument("--dropout", type=float, default=usual.dropout)
    parser.add_argument("--ship", type=Path, help="folder the shipped files are copied to")
    parser.add_argument("--plan-only", action="store_true", help="count the pairs and stop")
    asked = parser.parse_args(args)
    avoid = [texts for folder in asked.avoid for texts in texts_in(folder)]
    learn, held = divide(read_pairs(asked.pairs), avoid=avoid)
    pairs = to_learn(learn)
    print("learned from:", dict(Counter(pair.source for pair in pairs)))
    print("held out:", dict(Counter(pair.source for pair in held)))
    print("labels:", dict(Counter(pair.label for pair in pairs)), flush=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(asdict(pair), ensure_ascii=False) + "\n" for pair in held)
    (asked.out / "held_out.jsonl").write_text(lines, encoding="utf-8")
    if asked.plan_only:
        show = [pair for pair in pairs if pair.source.startswith("rule:")]
        for i in np.random.default_rng(0).permutation(len(show))[:60]:
            print(show[i].source, show[i].label, "|", show[i].context, "|", show[i].claim)
        return
    make_model(
        pairs,
        [pair for pair in held if pair.source not in TESTED_ON],
        base=asked.base,
        out=asked.out,
        settings=replace(
            usual,
            epochs=asked.epochs,
            learning_rate=asked.learning_rate,
            dropout=asked.dropout,
        ),
        tell=lambda line: print(line, flush=True),
        checkpoint_every=500,
    )
    if asked.ship is not None:
        ship(asked.out, asked.ship)


if __name__ == "__main__":
    main()
