"""The starter sets: large enough, varied, licensed, and not to be guessed without the context."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from voirdire import stats
from voirdire.labels import (
    STARTER_SETS,
    ClaimSet,
    check_claim_set,
    load_claim_set,
    references,
    starter_set,
)
from voirdire.records import LABELS

FAMILIES = {"starter-en": 100, "starter-it": 60}
NEGATIONS = {"negation", "double_negation", "scoped_negation", "lexical_negation"}
SWAPS = {"number_swap", "date_swap", "unit_swap"}


@pytest.fixture(scope="module", params=STARTER_SETS)
def starter(request: pytest.FixtureRequest) -> ClaimSet:
    return load_claim_set(starter_set(request.param))


def label_of(starter: ClaimSet) -> dict[str, str]:
    return dict(references(starter.claims, starter.labels).labels)


def test_it_is_large_enough_and_without_fault(starter: ClaimSet) -> None:
    assert check_claim_set(starter.paths.root) == []
    assert len({claim.family for claim in starter.claims}) >= FAMILIES[starter.name]
    assert {claim.language for claim in starter.claims} == {starter.name[-2:]}
    assert {len(claim.context) for claim in starter.claims} == {1, 2, 3, 4}


def test_each_label_is_carried_by_many_families(starter: ClaimSet) -> None:
    labels = label_of(starter)
    assert len(labels) == len(starter.claims)
    for label in LABELS:
        assert len({c.family for c in starter.claims if labels[c.id] == label}) >= 15


def test_every_kind_of_wording_is_there(starter: ClaimSet) -> None:
    kinds = Counter(claim.variant for claim in starter.claims)
    assert set(kinds) == {"original", "paraphrase", "implied", "short"} | NEGATIONS | SWAPS
    assert min(kinds.values()) >= 10
    families = Counter(claim.family for claim in starter.claims if claim.variant == "original")
    assert set(families.values()) == {1}


def test_short_claims_are_under_five_words(starter: ClaimSet) -> None:
    assert all(len(c.claim.split()) < 5 for c in starter.claims if c.variant == "short")


def test_it_says_what_it_is_and_what_it_is_no_evidence_for(starter: ClaimSet) -> None:
    assert starter.info.licence == "CC0-1.0"
    assert {claim.licence for claim in starter.claims} == {"CC0-1.0"}
    assert "not annotated by a panel" in starter.info.origin
    assert "own domain" in starter.info.not_evidence_for
    assert {record.role for record in starter.labels} == {"author"}


def test_no_label_can_be_guessed_from_the_claim_alone(starter: ClaimSet) -> None:
    """A bag of words over the claim, trained on other families, stays near the majority share."""
    labels = label_of(starter)
    texts = np.array([claim.claim for claim in starter.claims], dtype=object)
    truth = np.array([labels[claim.id] for claim in starter.claims])
    families = np.array([claim.family for claim in starter.claims])
    right = np.zeros(len(texts), dtype=bool)
    names = np.random.default_rng(5).permutation(np.unique(families))
    for fold in np.array_split(names, 5):
        held = np.isin(families, fold)
        model = make_pipeline(
            CountVectorizer(ngram_range=(1, 2)), LogisticRegression(max_iter=2000)
        )
        model.fit(texts[~held], truth[~held])
        right[held] = model.predict(texts[held]) == truth[held]
    found = stats.rate(right, family=families)
    majority = max(Counter(truth.tolist()).values()) / len(truth)
    assert found.high is not None
    assert found.high <= majority + 0.10
