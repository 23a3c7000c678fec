"""Splits by family, seeded and recorded: what is tuned on one never meets the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from voirdire.labels.reference import references
from voirdire.records import Claim, LabelRecord, Splits
from voirdire.store import json_digest

__all__ = ["DEFAULT_SHARES", "families_digest", "family_strata", "make_splits"]

DEFAULT_SHARES: Final[Mapping[str, float]] = {"dev": 0.2, "cal": 0.2, "test": 0.6}


def families_digest(splits: Splits, split: str) -> str:
    """SHA-256 (hex) over the names of the families in a split, in the order of the alphabet."""
    return json_digest(sorted(name for name, where in splits.families.items() if where == split))


def make_splits(
    claims: Iterable[Claim],
    labels: Iterable[LabelRecord],
    *,
    seed: int,
    shares: Mapping[str, float] = DEFAULT_SHARES,
    keep: Mapping[str, str] | None = None,
) -> Splits:
    """Put every family into one split, the same for the same seed, families and labels.

    Families are grouped by the reference label of their original, shuffled within the group and
    dealt out in the given shares; what rounding owes a split in one group it gets in the next.

    Parameters
    ----------
    claims, labels
        The set.
    seed : int
        Recorded with the splits.
    shares : mapping of str to float
        Split name to share; the shares sum to 1.
    keep : mapping of str to str, optional
        Families that have a split already and keep it.

    Raises
    ------
    ValueError
        If the shares are negative or do not sum to 1.
    """
    if any(share < 0 for share in shares.values()) or abs(sum(shares.values()) - 1) > 1e-9:
        raise ValueError(f"shares must be >= 0 and sum to 1, got {dict(shares)}")
    import numpy as np

    rng = np.random.default_rng(seed)
    placed = dict(keep or {})
    owed = dict.fromkeys(shares, 0.0)
    groups: dict[str, list[str]] = defaultdict(list)
    for family, stratum in family_strata(claims, labels).items():
        if family not in placed:
            groups[stratum].append(family)
    for stratum in sorted(groups):
        families = [str(name) for name in rng.permutation(np.array(sorted(groups[stratum])))]
        for split, count in _counts(len(families), shares, owed).items():
            placed.update(dict.fromkeys(families[:count], split))
            families = families[count:]
    return Splits(seed=seed, shares=dict(shares), families=dict(sorted(placed.items())))


def family_strata(claims: Iterable[Claim], labels: Iterable[LabelRecord]) -> dict[str, str]:
    """Family to the reference label of its original (else of its first member), "" if none."""
    claims = list(claims)
    found = references(claims, labels, view="source")
    head: dict[str, Claim] = {}
    for claim in claims:
        known = head.get(claim.family)
        if known is None or (known.variant != "original" and claim.variant == "original"):
            head[claim.family] = claim
    return {family: found.label_of(claim.id) or "" for family, claim in head.items()}


def _counts(total: int, shares: Mapping[str, float], owed: dict[str, float]) -> dict[str, int]:
    """Whole families a split gets of one group; `owed` carries the fractions on."""
    due = {split: share * total + owed[split] for split, share in shares.items()}
    counts = {split: max(0, int(value)) for split, value in due.items()}
    while sum(counts.values()) > total:
        over = max(counts, key=lambda split: counts[split] - due[split])
        counts[over] -= 1
    while sum(counts.values()) < total:
        under = max(counts, key=lambda split: due[split] - counts[split])
        counts[under] += 1
    for split in shares:
        owed[split] = due[split] - counts[split]
    return counts
