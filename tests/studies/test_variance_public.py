"""Judges that really were asked repeatedly: published runs, their flips and their components."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voirdire import stats

Cell = tuple[str, str, float | None]


def rows(shared: Path, name: str) -> Iterator[dict[str, Any]]:
    path = shared / "data" / "runs" / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"PUBLIC DATA ABSENT: {path}")
    with gzip.open(path, "rt", encoding="utf-8") as handle:
        for line in handle:
            yield json.loads(line)


@pytest.fixture(scope="module")
def composo(shared: Path) -> dict[Cell, list[list[int | None]]]:
    """Winner (place of the highest score) of each item in each of 8 runs, by cell."""
    cells: dict[Cell, list[list[int | None]]] = defaultdict(list)
    for row in rows(shared, "composo_rb2_k8"):
        scores = row["scores"]
        if len(scores) < 2:
            continue
        runs = max(len(one) for one in scores)
        winners: list[int | None] = []
        for run in range(runs):
            column = [one[run] if run < len(one) else None for one in scores]
            winners.append(None if None in column else int(np.argmax(np.array(column, float))))
        key = (row["judge"], row["collection"], row["temperature"])
        cells[key].append((winners + [None] * 8)[:8])
    return cells


def test_all_22_cells_are_there(composo: dict[Cell, Any]) -> None:
    assert len(composo) == 22
    assert all(len(items) > 1700 for items in composo.values())


# PUBLISHED.md: items whose winner changes within 8 runs
PUBLISHED = [
    (("gpt-5.4", "base_full_k8_t0.0", 0.0), 0.07),
    (("gpt-5.4", "base_full_k8_t0.3", 0.3), 0.15),
    (("gpt-5.4", "base_full_k8_t0.7", 0.7), 0.17),
    (("gpt-5.4-mini", "base_both_k8", None), 0.28),
    (("gpt-5.4-nano", "base_nano_k8", None), 0.63),
]


@pytest.mark.parametrize(("cell", "published"), PUBLISHED, ids=lambda x: str(x))
def test_winners_change_as_published(
    composo: dict[Cell, Any], cell: Cell, published: float
) -> None:
    rates = stats.flip_rates(composo[cell])
    assert rates.runs == 8
    assert rates.ever_flip.value == pytest.approx(published, abs=0.011)
    assert rates.pairwise_disagreement.value is not None
    assert rates.ever_flip.value is not None
    assert rates.pairwise_disagreement.value < rates.ever_flip.value


def test_temperature_zero_is_not_deterministic(composo: dict[Cell, Any]) -> None:
    found = stats.flip_rates(composo[("gpt-5.4", "base_full_k8_t0.0", 0.0)])
    assert found.pairwise_disagreement.low is not None
    assert found.pairwise_disagreement.low > 0.01


def test_accuracy_moves_by_call_noise_and_hardly_by_runs(composo: dict[Cell, Any]) -> None:
    cell = composo[("gpt-5.4", "base_full_k8_t0.7", 0.7)]
    right = [[None if one is None else float(one == 0) for one in item] for item in cell]
    found = stats.run_components(right, missing="complete")
    assert found.sd_run_means.value == pytest.approx(0.005, abs=0.001)
    assert found.var_residual is not None
    assert found.sd_if_no_run_effect is not None
    # the scatter of eight runs of 1,700 items is what independent calls alone would give
    assert found.sd_if_no_run_effect == pytest.approx(found.sd_run_means.value, rel=0.3)
    fewer = stats.metric_sd(
        var_item=0.0, var_run=found.var_run or 0.0, var_residual=found.var_residual, items=60
    )
    assert fewer > 4 * found.sd_run_means.value


def test_a_coin_flip_judge_at_temperature_zero(shared: Path) -> None:
    verdicts: dict[str, list[list[str]]] = defaultdict(list)
    for row in rows(shared, "coin_flip_judge"):
        if row["experiment"] == "exp2_temp0":
            verdicts[row["judge_model"]].append([one["winner"] for one in row["pairwise"]])
    assert sorted(verdicts) == ["gpt-4.1-mini", "gpt-4o-mini"]
    for items in verdicts.values():
        found = stats.flip_rates(items)
        assert (found.runs, found.ever_flip.n) == (10, 29)
        assert found.ever_flip.k is not None
        assert 0 < found.ever_flip.k < 29  # temperature 0, and yet
        assert found.pairwise_disagreement.high is not None
        assert len(found.unstable) == found.ever_flip.k


def test_a_hundred_retrained_judges(shared: Path) -> None:
    """Counts of 100 give each item's chance, hence the sd of accuracy on fixed and fresh items."""
    chances = [row["correct_of_100"] / 100 for row in rows(shared, "bert100_mnli_dev")]
    assert len(chances) == 5819
    found = stats.binary_metric_sd(chances)
    assert found.mean == pytest.approx(float(np.mean(chances)))
    assert found.fixed_items < found.fresh_items
    p = np.array(chances)
    pairwise = float((2 * p * (1 - p)).mean()) * 100 / 99  # unbiased over 100 draws
    assert 0.05 < pairwise < 0.15
