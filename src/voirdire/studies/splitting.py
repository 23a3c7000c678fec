"""Which split a family belongs to, over all sets of a study."""

from __future__ import annotations

from voirdire.labels import find_claim_set, load_claim_set
from voirdire.studies.study import Study

__all__ = ["family_splits"]


def family_splits(study: Study) -> dict[str, str]:
    """Family to split, under every name a study may give it (plain, and with its set's name).

    Raises
    ------
    InputError
        If a claim set cannot be read.
    """
    found: dict[str, str] = {}
    for name in study.config.labels:
        claim_set = load_claim_set(find_claim_set(name, study.paths.root))
        for family, split in claim_set.splits.families.items():
            found.setdefault(family, split)
            found[f"{claim_set.name}/{family}"] = split
    return found
