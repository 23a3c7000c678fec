"""Rewording on public data: judge by kind of variant, as a table. Run as a module for the table.

``python -m tests.studies.real_rewording lexical constant nli-mini`` prints it; families are cut to
``--families`` a set, in the order of the file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.conftest import shared_folder
from voirdire.judges import load
from voirdire.records import Claim, Estimate, JudgeInput, JudgeInvariance
from voirdire.studies import Aligned, align
from voirdire.studies.invariance import invariance

SETS: dict[str, str] = {
    "ScoNe": "scone_train",
    "CAD-NLI": "cad_nli_train",
    "NegNLI (SNLI)": "neg_nli_snli",
    "NegNLI (MNLI)": "neg_nli_mnli",
    "FEVER-symmetric": "fever_symmetric_dev",
    "Breaking NLI": "breaking_nli",
    "CondaQA": "condaqa_dev",
    "FEVER-IT": "fever_it_a",
    "RTE-3 it": "rte3_dev_it",
    "RTE-3 de": "rte3_dev_de",
    "RTE-3 fr": "rte3_dev_fr",
    "SummEdits (ECT)": "summedits_ectsum",
    "SummEdits (SciTLDR)": "summedits_scitldr",
}


def claims_of(folder: Path, name: str, families: int) -> tuple[list[Claim], dict[str, str]]:
    """The first families of a set, with the labels it published."""
    claims, labels, seen = [], {}, set[str]()
    with (folder / "data" / "claims" / f"{name}.jsonl").open(encoding="utf-8") as handle:
        for line in handle:
            row = json.loads(line)
            if row["label"] is None or not row["claim"].strip():
                continue
            if row["family"] not in seen and len(seen) == families:
                continue
            seen.add(row["family"])
            context = row["context"]
            two = row["label"] == "not_supported"
            claim = Claim(
                id=row["id"],
                family=row["family"],
                variant=row["variant"],
                claim=row["claim"],
                context=tuple([context] if isinstance(context, str) else context),
                language=row["lang"],
                label_space="two_class" if two else "three_class",
            )
            claims.append(claim)
            labels[claim.id] = row["label"]
    return claims, labels


def judged(claims: Sequence[Claim], labels: dict[str, str], use: str) -> Aligned:
    """A judge's answers beside the labels; two-class sets in the two-class view."""
    judge = load(use)
    try:
        asked = (JudgeInput(id=c.id, claim=c.claim, context=c.context) for c in claims)
        answers = {name: [(one.outcome, one.label)] for name, one in judge(asked, repeat=0)}
    finally:
        judge.close()
    two = "not_supported" in labels.values()
    view = "supported_or_not" if two else "three_class"
    return align(claims, labels, answers, view=view)  # type: ignore[arg-type]


def certificate(folder: Path, name: str, use: str, *, families: int) -> JudgeInvariance:
    claims, labels = claims_of(folder, name, families)
    return invariance(judged(claims, labels, use), judge=use)


def rows(
    folder: Path, uses: Sequence[str], families: int, skip: int = 0
) -> Iterator[tuple[str, ...]]:
    for title, name in list(SETS.items())[skip:]:
        for use in uses:
            found = certificate(folder, name, use, families=families)
            for one in found.variants:
                if one.claims >= 20:
                    yield (
                        title,
                        one.variant,
                        use,
                        _cell(one.accuracy),
                        f"{one.constant_accuracy:.2f}",
                        _cell(one.stability),
                        _cell(one.follows),
                        _cell(one.stuck),
                    )


def _cell(found: Estimate) -> str:
    return "" if found.value is None else f"{found.value:.2f} ({found.n})"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("judges", nargs="+")
    parser.add_argument("--families", type=int, default=100)
    parser.add_argument("--skip", type=int, default=0, help="so many sets")
    given = parser.parse_args()
    print("set | variant | judge | right | constant | stays (same label) | both right | stuck")
    for row in rows(shared_folder(), given.judges, given.families, given.skip):
        print(" | ".join(row), flush=True)


if __name__ == "__main__":
    main()
