"""Published numbers of stored judge runs, recomputed with this package.

Each test names the place where the number stands. Skips loudly without the public data.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from voirdire import stats


def read(shared: Path, name: str) -> list[dict[str, Any]]:
    path = shared / "data" / "runs" / f"{name}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"PUBLIC DATA ABSENT: no file {path}; set VOIRDIRE_SHARED to run this test")
    with gzip.open(path, "rt", encoding="utf-8") as handle:
        return [json.loads(line) for line in handle]


# --- LLMBar (princeton-nlp/LLMBar, statistics.json) ----------------------------------------------

CELL = ["dataset", "evaluator", "strategy"]
NO_WINNER = "none"


@pytest.fixture(scope="module")
def llmbar(shared: Path) -> tuple[dict[Any, pd.DataFrame], dict[Any, dict[str, Any]]]:
    verdicts = pd.DataFrame(read(shared, "llmbar_verdicts"))
    published = {tuple(r[k] for k in CELL): r for r in read(shared, "llmbar_statistics")}
    return dict(iter(verdicts.groupby(CELL))), published


def as_printed(cell: str) -> tuple[int, int]:
    """(k, n) of a string such as ``33 / 92 = 35.869565217391305%``."""
    k, n = cell.split(" = ")[0].split(" / ")
    return int(k), int(n)


def test_llmbar_has_349_cells(llmbar: Any) -> None:
    verdicts, published = llmbar
    assert len(published) == 349
    assert verdicts.keys() == published.keys()


def test_llmbar_accuracy_and_order_agreement_of_all_cells(llmbar: Any) -> None:
    """Accuracy in both orders, in both at once, and agreement of the orders: 349 of 349.

    A missing winner is an answer of its own there: wrong, and equal to another missing winner.
    """
    verdicts, published = llmbar
    for cell, rows in verdicts.items():
        expected = published[cell]
        label = rows["label"].astype(str)
        one = rows["winner_ab"].fillna(NO_WINNER)
        two = rows["winner_ba"].fillna(NO_WINNER)
        labels = ["1", "2", NO_WINNER]
        found = {
            "correct_False": stats.raw_agreement(label, one, labels=labels),
            "correct_True": stats.raw_agreement(label, two, labels=labels),
            "equal": stats.raw_agreement(one, two, labels=labels),
        }
        for name, estimate in found.items():
            assert estimate.value is not None
            k, n = as_printed(expected[name])
            assert (round(estimate.value * estimate.n), estimate.n) == (k, n), (cell, name)
        table = stats.paired_table(label == one, label == two)
        assert (int(table[0, 0]), int(table.sum())) == as_printed(expected["correct_both"])
        average = 50 * sum(e.value for n, e in found.items() if n != "equal")
        assert average == pytest.approx(float(expected["correct_average"].rstrip("%")), abs=1e-9)


def test_llmbar_kappa_of_the_two_orders(llmbar: Any) -> None:
    """``kappa_agreement`` of the 264 cells without a missing winner.

    How the source counts a missing winner in kappa is not stored, and its ``kappa_False`` and
    ``kappa_True`` (.27 at 95 % accuracy on balanced labels) are no Cohen kappas with the label.
    """
    verdicts, published = llmbar
    compared = 0
    for cell, rows in verdicts.items():
        if rows[["winner_ab", "winner_ba"]].isna().any(axis=None):
            continue
        found = stats.kappa(rows["winner_ab"], rows["winner_ba"], labels=["1", "2"])
        expected = published[cell]["kappa_agreement"]
        assert found.value == pytest.approx(expected, abs=1e-9), cell
        compared += 1
    assert compared == 264


@pytest.mark.parametrize(
    ("dataset", "percent"),
    [
        ("LLMBar/Natural", 95.5),
        ("LLMBar/Adversarial/Neighbor", 78.7),
        ("LLMBar/Adversarial/GPTInst", 86.4),
        ("LLMBar/Adversarial/GPTOut", 77.7),
        ("LLMBar/Adversarial/Manual", 80.4),
    ],
)
def test_llmbar_gpt4_vanilla_row(llmbar: Any, dataset: str, percent: float) -> None:
    """The paper's row "GPT-4 Vanilla", mean accuracy of the two orders."""
    rows = llmbar[0][(dataset, "GPT-4", "Vanilla")]
    label = rows["label"].astype(str)
    values = [
        stats.raw_agreement(label, rows[c].fillna(NO_WINNER), labels=["1", "2", NO_WINNER]).value
        for c in ("winner_ab", "winner_ba")
    ]
    assert 50 * sum(v for v in values if v is not None) == pytest.approx(percent, abs=0.0501)


# --- PandaLM (WeOpenML/PandaLM, README) ----------------------------------------------------------


def test_pandalm_kappas_of_the_three_annotators(shared: Path) -> None:
    """README: Cohen's kappa 0.85, 0.88, 0.86 between the annotators."""
    rows = pd.DataFrame(read(shared, "pandalm_verdicts"))
    people = ["annotator1", "annotator2", "annotator3"]
    found = stats.human_ceiling(rows[people].to_numpy(object), family=rows["item"])
    kappas = sorted(pair.kappa for pair in found.pairs if pair.kappa is not None)
    assert [round(k, 3) for k in kappas] == [0.852, 0.862, 0.879]
    assert [round(k, 2) for k in kappas] == [0.85, 0.86, 0.88]
    assert found.kappa.value == pytest.approx(np.mean(kappas), abs=1e-12)


def test_pandalm_label_counts(shared: Path) -> None:
    """README: 105 ties, 422 and 472 wins; the majority of the three annotators."""
    rows = pd.DataFrame(read(shared, "pandalm_verdicts"))
    people = rows[["annotator1", "annotator2", "annotator3"]].to_numpy(object)
    labels = list(stats.majority_labels(people).labels)
    assert [labels.count(code) for code in (0, 1, 2)] == [105, 422, 472]


# --- composo on RewardBench 2 (composo-ai/llm-judge-criteria-ensembling, README) -----------------


def rewardbench_accuracy(rows: list[dict[str, Any]], repeats: int) -> tuple[float, int]:
    """Share of items whose chosen candidate has strictly the best mean of k scores, and n."""
    wins: list[bool] = []
    for row in rows:
        kept = [[s for s in c[:repeats] if s is not None] for c in row["scores"]]
        if not all(kept):
            continue
        means = [float(np.mean(scores)) for scores in kept]
        wins.append(means[0] > max(means[1:]))
    estimate = stats.rate(wins)
    assert estimate.value is not None
    return 100 * estimate.value, estimate.n


@pytest.mark.parametrize(
    ("collection", "judge", "repeats", "percent", "n"),
    [
        ("base_both_k8", "gpt-5.4", 1, 71.7, 1729),
        ("base_both_k8", "gpt-5.4", 8, 81.5, 1730),
        ("criteria_both_k8", "gpt-5.4", 1, 74.7, None),
        ("criteria_both_k8", "gpt-5.4", 8, 83.6, None),
        ("base_both_k8", "gpt-5.4-mini", 8, 79.2, None),
        ("criteria_both_k8", "gpt-5.4-mini", 8, 81.5, None),
        ("base_claude_both_k8", "claude-sonnet-4.6", 1, 72.3, None),
        ("base_claude_both_k8", "claude-sonnet-4.6", 8, 82.7, None),
        ("criteria_claude_both_k8", "claude-sonnet-4.6", 8, 83.4, None),
        ("base_claude_both_k8", "claude-haiku-4.5", 8, 84.8, None),
        ("criteria_claude_both_k8", "claude-haiku-4.5", 8, 85.8, None),
        # the README prints 71.4 on n = 1705 here: it first merges by id with the base collection
        ("base_nano_k8", "gpt-5.4-nano", 8, 71.7, 1718),
    ],
)
def test_composo_row(
    composo: list[dict[str, Any]],
    collection: str,
    judge: str,
    repeats: int,
    percent: float,
    n: int | None,
) -> None:
    rows = [r for r in composo if r["collection"] == collection and r["judge"] == judge]
    found, items = rewardbench_accuracy(rows, repeats)
    assert found == pytest.approx(percent, abs=0.0501)
    assert n is None or items == n


@pytest.fixture(scope="module")
def composo(shared: Path) -> list[dict[str, Any]]:
    return read(shared, "composo_rb2_k8")


# --- FRANK (artidoro/frank) ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("FactCC", 0.20),
        ("Dep Entail", 0.18),
        ("BertScore P Art", 0.30),
        ("QAGS", 0.09),
        ("FEQA", 0.00),
    ],
)
def test_frank_partial_correlation(shared: Path, metric: str, expected: float) -> None:
    """FactCC and DAE (Dep Entail) as in the paper; the others as recomputed there, all two digits.

    Test split, Pearson, the system that wrote the summary held constant.
    """
    rows = [r for r in read(shared, "frank_metrics") if r["split"] == "test"]
    found = stats.partial_correlation(
        [np.nan if r["metrics"].get(metric) is None else r["metrics"][metric] for r in rows],
        [r["human_factuality"] for r in rows],
        group=[r["system"] for r in rows],
        family=[r["doc"] for r in rows],
    )
    assert found.value is not None
    assert round(found.value, 2) == pytest.approx(expected, abs=1e-9)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
