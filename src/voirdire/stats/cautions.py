"""Notes that travel with an agreement number: few families in a class, prevalence."""

from __future__ import annotations

import numpy as np

from voirdire.stats import tables
from voirdire.stats.counts import FamilyCounts

__all__ = ["FEW", "few_families_notes", "prevalence_notes"]

#: A class in fewer families than this is warned of: below, even the best interval covered .905.
FEW = 8
#: Distance of kappa and AC1, and share of a class, from which prevalence is noted.
APART = 0.2
SKEWED = 0.8


def few_families_notes(counts: FamilyCounts) -> tuple[str, ...]:
    """A note for each label that the human uses in 1 to 7 families."""
    unit = "families" if counts.grouped else "items"
    return tuple(
        f"class {label!r} lives in {number} {unit} (fewer than {FEW}): interval may be too narrow"
        for label, number in zip(counts.labels, counts.families_per_label, strict=True)
        if 0 < number < FEW
    )


def prevalence_notes(counts: FamilyCounts) -> tuple[str, ...]:
    """A note when kappa and AC1 differ by more than 0.2 or one class has more than 80 %.

    The prevalence paradox (Feinstein & Cicchetti 1990): the same raw agreement gives a low kappa
    where one class dominates. The note adds the agreement on each class; it replaces nothing.
    """
    table = counts.table
    if counts.n == 0 or len(counts.labels) < 2:
        return ()
    with np.errstate(all="ignore"):
        kappa = float(tables.kappa(table))
        ac1 = float(tables.chance_corrected(table, tables.gwet_chance))
        on_each = tables.f1(table)
    share = (table.sum(axis=0) + table.sum(axis=1)) / (2 * table.sum())
    if abs(kappa - ac1) > APART:
        cause = f"kappa {kappa:.2f} and AC1 {ac1:.2f} differ by more than {APART}"
    elif share.max() > SKEWED:
        cause = f"{share.max():.0%} of the labels are {counts.labels[int(share.argmax())]!r}"
    else:
        return ()
    parts = [
        f"{label!r} {value:.2f}"
        for label, value in zip(counts.labels, on_each.tolist(), strict=True)
        if not np.isnan(value)
    ]
    return (f"prevalence: {cause}; agreement on {', on '.join(parts)}",)
