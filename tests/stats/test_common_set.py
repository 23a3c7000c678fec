"""The common set on which thirty other tools were run: ours agree with the majority.

Skips loudly when the public data are absent.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from voirdire import stats
from voirdire.stats.coefficients import of_sums
from voirdire.stats.tables import kappa

SCALE = ["supported", "contradicted", "unverifiable"]  # the order the other tools used
NEAR = 1e-10


@pytest.fixture(scope="module")
def common(shared: Path) -> pd.DataFrame:
    path = shared / "peers" / "common_set.csv"
    if not path.is_file():
        pytest.skip(f"PUBLIC DATA ABSENT: no file {path}")
    return pd.read_csv(path)


def test_table_and_kappa(common: pd.DataFrame) -> None:
    counts = stats.family_counts(common.gold, common.judge_r1, labels=SCALE)
    assert counts.table.tolist() == [[107, 9, 9], [25, 60, 4], [16, 10, 60]]  # judgegate
    found = stats.kappa(common.gold, common.judge_r1, family=common.base_id)
    assert found.value == pytest.approx(0.6236531422384906, abs=NEAR)  # nine tools
    assert stats.kappa_se(counts.table) == pytest.approx(0.0381112, abs=5e-8)  # judgegate
    # a percentile bootstrap over the same families gives [.5426, .7019]
    assert found.low == pytest.approx(0.5426, abs=0.01)
    assert found.high == pytest.approx(0.7019, abs=0.01)


def test_cluster_bca_agrees_with_the_jackknife(common: pd.DataFrame) -> None:
    counts = stats.family_counts(common.gold, common.judge_r1, family=common.base_id)
    bca = stats.bca_interval(counts, of_sums(kappa, 3), rng=1)
    found = stats.kappa(common.gold, common.judge_r1, family=common.base_id)
    assert bca is not None
    assert bca == pytest.approx((found.low, found.high), abs=0.01)
    items = stats.family_counts(common.gold, common.judge_r1)
    alone = stats.bca_interval(items, of_sums(kappa, 3), rng=1)
    assert alone == pytest.approx((0.5438, 0.6962), abs=0.004)  # judgegate, items, seed 0


def test_other_coefficients_of_the_judge(common: pd.DataFrame) -> None:
    gold, judge = common.gold, common.judge_r1
    linear = stats.weighted_kappa(gold, judge, scale=SCALE)
    assert linear.value == pytest.approx(0.6327020, abs=5e-8)  # judgegate
    assert stats.ac1(gold, judge).value == pytest.approx(0.6410086182520071, abs=NEAR)  # truescore
    assert stats.scott(gold, judge).value == pytest.approx(0.62236, abs=5e-6)  # irrcac
    assert stats.brennan_prediger(gold, judge).value == pytest.approx(0.63500, abs=5e-6)  # irrcac
    alpha = stats.krippendorff_alpha(common[["gold", "judge_r1"]])
    assert alpha.value == pytest.approx(0.6229878516679168, abs=NEAR)  # judge-audit, evalaudit


def test_two_class_view(common: pd.DataFrame) -> None:
    gold, judge = common.gold_bin, common.judge_bin_r1
    assert stats.kappa(gold, judge).value == pytest.approx(0.6057906458797327, abs=NEAR)
    assert stats.ac1(gold, judge).value == pytest.approx(0.6098270674205601, abs=NEAR)


def test_accuracy_by_run_and_kappa_by_slice(common: pd.DataFrame) -> None:
    found = [stats.raw_agreement(common.gold, common[f"judge_r{k}"]) for k in range(1, 6)]
    assert [round(one.value or 0, 4) for one in found] == [0.7567, 0.8067, 0.7933, 0.76, 0.76]
    assert stats.wilson(found[0].k or 0, found[0].n) == pytest.approx((0.7051, 0.8018), abs=5e-5)
    expected = {"base": 0.6891, "paraphrase": 0.7141, "negation": 0.4738}
    for variant, kappa_there in expected.items():
        part = common[common.variant == variant]
        assert stats.kappa(part.gold, part.judge_r1).value == pytest.approx(kappa_there, abs=5e-5)


def test_three_annotators(common: pd.DataFrame) -> None:
    people = common[["ann1", "ann2", "ann3"]]
    alpha = stats.krippendorff_alpha(people)
    assert alpha.value == pytest.approx(0.6816095012517427, abs=NEAR)  # eight tools
    assert (alpha.low, alpha.high) == pytest.approx(
        (0.62549, 0.73773), abs=0.006
    )  # irrcac, plain t
    assert stats.fleiss_kappa(people).value == pytest.approx(0.681255340518986, abs=NEAR)
    assert stats.panel_ac1(people).value == pytest.approx(0.68684, abs=5e-6)  # irrcac
    assert stats.conger_kappa(people).value == pytest.approx(0.68131, abs=5e-6)  # irrcac
    ordinal = stats.krippendorff_alpha(people, metric="ordinal", scale=SCALE)
    interval = stats.krippendorff_alpha(people, metric="interval", scale=SCALE)
    assert ordinal.value == pytest.approx(0.7102206, abs=5e-8)  # krippendorff
    assert interval.value == pytest.approx(0.7099281, abs=5e-8)  # krippendorff


def test_sparse_annotator(common: pd.DataFrame) -> None:
    alpha = stats.krippendorff_alpha(common[["ann1", "ann2", "ann3_sparse"]])
    assert alpha.value == pytest.approx(0.6953948318175256, abs=NEAR)  # krippendorff, evalaudit


def test_five_runs_as_raters(common: pd.DataFrame) -> None:
    runs = common[[f"judge_r{k}" for k in range(1, 6)]]
    alpha = stats.krippendorff_alpha(runs)
    assert alpha.value == pytest.approx(0.7802941579775118, abs=NEAR)  # krippendorff, mistrial
    assert stats.fleiss_kappa(runs).value == pytest.approx(0.7801475897, abs=5e-10)  # judgecal
    assert stats.panel_ac1(runs).value == pytest.approx(0.79532, abs=5e-6)  # irrcac


def test_paraphrase_clusters_widen_the_interval(common: pd.DataFrame) -> None:
    """Every row three times: other tools' intervals shrink by sqrt(3), ours must not."""
    tripled = common.loc[np.repeat(common.index, 3)]
    once = stats.kappa(common.gold, common.judge_r1, family=common.item_id)
    thrice = stats.kappa(tripled.gold, tripled.judge_r1, family=tripled.item_id)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high), abs=1e-12)
