"""Splits: whole families, the same for the same seed, spread over the labels."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.labels import DEFAULT_SHARES, make_splits
from voirdire.records import Claim, LabelRecord


def claims_of(families: dict[str, int]) -> tuple[list[Claim], list[LabelRecord]]:
    """Families with the label of their original; each has one variant of another label."""
    claims, labels = [], []
    for said, count in families.items():
        for number in range(count):
            for variant, label in (("negation", "contradicted"), ("original", said)):
                name = f"{said}-{number}"
                claim = Claim(
                    id=f"{name}-{variant}",
                    family=name,
                    variant=variant,
                    claim="x",
                    context=("y",),
                    language="en",
                )
                claims.append(claim)
                labels.append(
                    LabelRecord.model_validate(
                        {
                            "id": claim.id,
                            "claim_id": claim.id,
                            "annotator": "author",
                            "role": "author",
                            "label": label,
                        }
                    )
                )
    return claims, labels


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 40), st.integers(0, 2**31))
def test_every_family_once_and_shares_to_within_one(a: int, b: int, c: int, seed: int) -> None:
    claims, labels = claims_of({"supported": a, "contradicted": b, "unverifiable": c})
    splits = make_splits(claims, labels, seed=seed)
    assert set(splits.families) == {claim.family for claim in claims}
    counts = Counter(splits.families.values())
    for split, share in DEFAULT_SHARES.items():
        assert abs(counts[split] - share * (a + b + c)) <= 1.0 + 1e-9


def test_each_label_is_spread() -> None:
    claims, labels = claims_of({"supported": 50, "contradicted": 20, "unverifiable": 30})
    splits = make_splits(claims, labels, seed=3)
    for said, total in (("supported", 50), ("contradicted", 20), ("unverifiable", 30)):
        found = Counter(s for name, s in splits.families.items() if name.startswith(said))
        for split, share in DEFAULT_SHARES.items():
            assert abs(found[split] - share * total) <= 1


def test_same_seed_same_splits_whatever_the_order_of_rows() -> None:
    claims, labels = claims_of({"supported": 30, "unverifiable": 30})
    first = make_splits(claims, labels, seed=7)
    assert make_splits(claims[::-1], labels[::-1], seed=7) == first
    assert make_splits(claims, labels, seed=8).families != first.families
    assert first.seed == 7
    assert first.shares == dict(DEFAULT_SHARES)


def test_families_keep_the_split_they_have() -> None:
    claims, labels = claims_of({"supported": 30})
    first = make_splits(claims, labels, seed=7)
    more, more_labels = claims_of({"supported": 60})
    second = make_splits(more, more_labels, seed=7, keep=first.families)
    assert first.families.items() <= second.families.items()
    assert len(second.families) == 60


@pytest.mark.parametrize("shares", [{"dev": 0.5}, {"dev": -0.5, "test": 1.5}])
def test_shares_must_sum_to_one(shares: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="shares must be >= 0 and sum to 1"):
        make_splits([], [], seed=0, shares=shares)
