"""The common set of thirty tools: what they compute on it, and what we do.

Where a peer's figure differs from ours the docstring says which is right and why.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from voirdire import stats

PEOPLE = ["ann1", "ann2", "ann3"]


@pytest.fixture(scope="module")
def common(shared: Path) -> pd.DataFrame:
    return pd.read_csv(shared / "peers" / "common_set.csv")


@pytest.mark.parametrize(
    ("epsilon", "winning"), [(0.0, 0), (0.1, 0), (0.15, 1 / 3), (0.2, 2 / 3), (0.25, 1)]
)
def test_alternative_annotator_test(common: pd.DataFrame, epsilon: float, winning: float) -> None:
    """Source: meta-evaluator, advantage probability .81."""
    found = stats.alternative_annotator_test(
        common[PEOPLE].to_numpy(object),
        common["judge_r1"],
        family=common["base_id"],
        epsilon=epsilon,
    )
    assert found.winning_rate.value == pytest.approx(winning, abs=1e-9)
    assert found.advantage.value == pytest.approx(0.81, abs=1e-9)


def test_mcnemar_on_three_classes(common: pd.DataFrame) -> None:
    """Source: kunko, p = 9.81e-06 from 85 against 36 discordant claims."""
    gold = common["gold"]
    found = stats.mcnemar(stats.paired_table(common["judge_r1"] == gold, common["j2"] == gold))
    assert (found.only_first, found.only_second) == (85, 36)
    assert found.exact_p == pytest.approx(9.81e-06, rel=1e-3)


def test_mcnemar_and_tango_on_two_classes(common: pd.DataFrame) -> None:
    """Source: evalproof, p = 3.45e-06; evalaudit, difference .16 [.0948, .2250].

    evalaudit prints p = 4.99e-06: the continuity-corrected variant, which is conservative.
    """
    gold = common["gold_bin"]
    found = stats.mcnemar(
        stats.paired_table(common["judge_bin_r1"] == gold, common["j2_bin"] == gold)
    )
    assert found.exact_p == pytest.approx(3.45e-06, rel=1e-3)
    assert found.difference.value == pytest.approx(0.16, abs=1e-9)
    assert found.difference.low == pytest.approx(0.0948, abs=5e-5)
    assert found.difference.high == pytest.approx(0.2250, abs=5e-5)
    assert found.asymptotic_p is not None
    corrected = (abs(found.only_first - found.only_second) - 1) ** 2
    corrected /= found.only_first + found.only_second
    assert chi2.sf(corrected, 1) == pytest.approx(4.99e-06, rel=2e-3)


def test_the_family_comparison_is_not_fooled_by_variants(common: pd.DataFrame) -> None:
    """The same comparison with the 100 claim families as units: same value, own interval."""
    found = stats.compare_accuracy(
        common["gold"], common["judge_r1"], common["j2"], family=common["base_id"]
    )
    assert found.difference.value == pytest.approx((85 - 36) / 300, abs=1e-12)
    assert found.difference.families == 100
    assert found.p is not None
    assert found.p < 1e-4


def test_dawid_skene(common: pd.DataFrame) -> None:
    """Source: crowd-kit, priors U/S/C .2883/.4230/.2887 and accuracy .960; judgepanel agrees."""
    found = stats.dawid_skene(
        common[PEOPLE].to_numpy(object), labels=["unverifiable", "supported", "contradicted"]
    )
    assert found.shares == pytest.approx((0.2883, 0.4230, 0.2887), abs=1e-4)
    assert np.mean(np.array(found.labels) == common["truth"]) == pytest.approx(0.960, abs=5e-4)


def test_dawid_skene_with_judges(common: pd.DataFrame) -> None:
    """Source: crowd-kit, three annotators and three judges: accuracy .980."""
    found = stats.dawid_skene(common[[*PEOPLE, "judge_r1", "j2", "j3"]].to_numpy(object))
    assert np.mean(np.array(found.labels) == common["truth"]) == pytest.approx(0.980, abs=5e-4)


def test_gold_is_our_majority_where_there_is_one(common: pd.DataFrame) -> None:
    """Gold breaks ties by annotator 1; we leave them undefined, and elsewhere agree."""
    found = stats.majority_labels(common[PEOPLE].to_numpy(object))
    pairs = zip(found.labels, common["gold"], common["ann1"], strict=True)
    for label, gold, first in pairs:
        assert gold == (first if label is None else label)
    assert found.tie_share.k == sum(r == "tie" for r in found.reasons) > 0


def test_judge_is_below_the_human_ceiling(common: pd.DataFrame) -> None:
    """Source: evalaudit, judge-human against human-human alpha: -.1661 [-.2447, -.0929].

    Ours is on kappa and leaves one person out, so it must tell the same story, not the same digits.
    """
    found = stats.leave_one_out_kappa(
        common[PEOPLE].to_numpy(object), common["judge_r1"], family=common["base_id"]
    )
    assert found.delta.value == pytest.approx(-0.1661, abs=0.01)
    assert found.delta.low == pytest.approx(-0.2447, abs=0.01)
    assert found.delta.high == pytest.approx(-0.0929, abs=0.01)
    assert found.answer != "accept"
