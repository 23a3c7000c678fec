"""The certificate on public data: what a judge of words does with negation, and that it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.studies.real_rewording import SETS, certificate


def test_words_alone_fail_negation_on_scone_and_the_certificate_says_so(shared: Path) -> None:
    """ScoNe: half of each kind is right for any judge that does not read the negation."""
    found = certificate(shared, "scone_train", "lexical", families=300)
    negation = next(one for one in found.variants if one.variant == "negation")
    assert negation.accuracy.value == pytest.approx(0.5, abs=0.1)
    assert negation.constant_accuracy == pytest.approx(0.5, abs=0.1)
    assert negation.follows.high is not None
    assert negation.follows.high < 0.5
    told = " ".join(found.sentences)
    assert "is right about both sentences in" in told
    assert "It does not see what the negation does." in told


def test_a_constant_judge_never_follows_a_changed_label(shared: Path) -> None:
    found = certificate(shared, "condaqa_dev", "constant", families=100)
    assert all(one.follows.value in (None, 0) for one in found.variants)
    assert all(one.stuck.value in (None, 1) for one in found.variants)
    assert found.set_aside["negation that people did not turn"] > 0


def test_translations_are_compared_with_their_twins(shared: Path) -> None:
    found = certificate(shared, "fever_it_a", "lexical:auto", families=150)
    parity = found.test("language_parity_stability").estimate
    assert parity.n > 100
    assert parity.value is not None
    assert parity.value < 1


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS.values())
@pytest.mark.parametrize("use", ["lexical", "constant", "nli-mini"])
def test_every_set_gives_a_certificate(shared: Path, name: str, use: str) -> None:
    found = certificate(shared, name, use, families=60)
    assert found.variants
    assert all(0 <= (one.accuracy.value or 0) <= 1 for one in found.variants)
