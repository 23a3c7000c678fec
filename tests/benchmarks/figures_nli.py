"""What an NLI judge gets right on labelled sets: prints the Markdown table of its card.

    python tests/benchmarks/figures_nli.py HELD_OUT.jsonl FOLDER... [--model DIR] [--json FILE]

``HELD_OUT.jsonl`` is what ``voirdire.models.nli_mini.recipe`` writes; each FOLDER holds claim sets
as JSON lines (id, family, variant, context, claim, label). Without ``--model`` the shipped model is
measured. Every figure is that of the judge, windows and all, not of the bare model. Intervals are
Wilson's at 95 % over rows; families are not taken account of, so they are somewhat too narrow.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.judges import load
from voirdire.judges.protocol import Judge
from voirdire.records import JudgeAnswer, JudgeInput
from voirdire.stats import wilson

SOURCES = ("snli_test", "mnli_dev")
CLASSES = {"supported", "contradicted", "unverifiable"}
BINS = 10


@dataclass(frozen=True)
class Row:
    """A labelled claim of a set."""

    context: tuple[str, ...]
    claim: str
    label: str


def rows_of(file: Path, *, source: str | None = None) -> list[Row]:
    """Rows with a label, those of one source only if it is named."""
    found = []
    for line in file.read_text(encoding="utf-8").split("\n"):
        row: dict[str, Any] = json.loads(line) if line else {}
        if row.get("label") and source in (None, row.get("source")):
            context = row["context"]
            chunks = (context,) if isinstance(context, str) else tuple(context)
            if any(chunk.strip() for chunk in chunks):
                found.append(Row(chunks, row["claim"], row["label"]))
    return found


def sets(held_out: Path, folders: Iterable[Path]) -> Iterator[tuple[str, list[Row]]]:
    """Name and rows of each set that has labelled rows with a context."""
    for source in SOURCES:
        yield f"{source} (held out)", rows_of(held_out, source=source)
    for folder in folders:
        for file in sorted(folder.glob("*.jsonl")):
            yield file.stem, rows_of(file)


def measured(judge: Judge, rows: list[Row]) -> dict[str, Any]:
    """Accuracy in the classes the set has, and how sure the judge was."""
    inputs = [JudgeInput(id=str(i), claim=r.claim, context=r.context) for i, r in enumerate(rows)]
    started = time.process_time()
    answers = dict(judge(iter(inputs), repeat=0))
    seconds = time.process_time() - started
    pairs = [(answers[str(i)], row.label) for i, row in enumerate(rows)]
    three = set(Counter(row.label for row in rows)) == CLASSES
    view = (lambda label: label) if three else binary
    truth = [view(label) for _, label in pairs]
    right = [
        view(answer.label or answer.outcome) == told
        for (answer, _), told in zip(pairs, truth, strict=True)
    ]
    low, high = wilson(sum(right), len(right))
    return {
        "n": len(rows),
        "classes": 3 if three else 2,
        "accuracy": sum(right) / len(right),
        "low": low,
        "high": high,
        "majority": Counter(truth).most_common(1)[0][1] / len(truth),
        **surety(pairs, right, three=three),
        "said": dict(Counter(answer.label or answer.outcome for answer, _ in pairs)),
        "recall": recalls(pairs),
        "cpu_seconds": round(seconds, 1),
    }


def binary(label: str) -> str:
    """Supported or not."""
    return label if label == "supported" else "not_supported"


def surety(
    pairs: list[tuple[JudgeAnswer, str]], right: list[bool], *, three: bool
) -> dict[str, float]:
    """Mean confidence in what was said, and its distance from the accuracy in ten equal bins."""
    sure, hit = [], []
    for (answer, _), correct in zip(pairs, right, strict=True):
        shares = answer.probabilities
        if shares is None:
            continue
        supported = shares["supported"]
        sure.append(max(shares.values()) if three else max(supported, 1 - supported))
        said = "supported" if supported >= 0.5 else "not_supported"
        hit.append(correct if three else said == binary(_))
    p, y = np.array(sure), np.array(hit, dtype=float)
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    gaps = [
        abs(p[bins == b].mean() - y[bins == b].mean()) * (bins == b).mean()
        for b in range(BINS)
        if (bins == b).any()
    ]
    return {"confidence": float(p.mean()), "ece": float(sum(gaps))}


def recalls(pairs: list[tuple[JudgeAnswer, str]]) -> dict[str, float]:
    """Of the claims people gave each label, the share the judge gave it too."""
    totals = Counter(label for _, label in pairs if label in CLASSES)
    hits = Counter(label for answer, label in pairs if answer.label == label)
    return {label: hits[label] / totals[label] for label in sorted(totals)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("held_out", type=Path)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--model", help="directory of another model")
    parser.add_argument("--precision", default="auto")
    parser.add_argument(
        "--only", default="", help="sets whose names hold one of these, comma between"
    )
    parser.add_argument("--aggregation", default="")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    extra = {"aggregation": asked.aggregation} if asked.aggregation else {}
    if asked.model:
        judge = load(
            "nli", parameters={"model": asked.model, "precision": asked.precision, **extra}
        )
    else:
        judge = load("nli-mini", parameters=extra)
    found: dict[str, Any] = {}
    print("| set | n | classes | accuracy | majority | confidence | ECE |")
    print("|---|---|---|---|---|---|---|")
    for name, rows in sets(asked.held_out, asked.folders):
        if not rows or not any(part in name for part in asked.only.split(",")):
            continue
        got = found[name] = measured(judge, rows)
        print(
            f"| {name} | {got['n']} | {got['classes']} | {got['accuracy']:.3f} "
            f"[{got['low']:.3f}, {got['high']:.3f}] | {got['majority']:.2f} "
            f"| {got['confidence']:.2f} | {got['ece']:.3f} |",
            flush=True,
        )
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
