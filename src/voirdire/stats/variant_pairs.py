"""Pairs of an original claim and one of its variants, coded once for all metamorphic tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.records import Estimate
from voirdire.stats.coding import Codes, Labels, code_families, code_labels, coding_scheme
from voirdire.stats.rates import rate_of_counts
from voirdire.stats.reasons import NO_ELIGIBLE, NO_ITEMS
from voirdire.stats.registry import Sample

__all__ = ["FLIP", "CodedPairs", "code_pairs", "pair_columns"]

#: What a negation does to the truth of a claim.
FLIP: Mapping[str, str] = {
    "supported": "contradicted",
    "contradicted": "supported",
    "unverifiable": "unverifiable",
}


@dataclass(frozen=True)
class CodedPairs:
    """Codes of P pairs; missing is -1.

    Attributes
    ----------
    human_original, human_variant, judge_original, judge_variant : ndarray of int, shape (P,)
    family : ndarray of int, shape (P,)
    scheme : tuple, length L
    grouped : bool
        Whether families were given.
    """

    human_original: Codes
    human_variant: Codes
    judge_original: Codes
    judge_variant: Codes
    family: Codes
    scheme: tuple[Any, ...]
    grouped: bool

    @property
    def size(self) -> int:
        """P."""
        return int(self.family.size)

    def flips(self, flip: Mapping[Any, Any]) -> Codes:
        """Code that each code becomes when the claim is negated; -1 where the map is silent."""
        position = {label: code for code, label in enumerate(self.scheme)}
        return np.array(
            [position.get(flip[label], -1) if label in flip else -1 for label in self.scheme],
            dtype=np.int64,
        )

    def code_of(self, label: Any) -> int:
        """Code of a label; -2, which no row has, when it is not in the scheme."""
        return self.scheme.index(label) if label in self.scheme else -2

    def rate(
        self,
        success: NDArray[np.bool_],
        *,
        eligible: NDArray[np.bool_],
        judged: NDArray[np.bool_],
        name: str,
        level: float,
    ) -> Estimate:
        """Share of successes among eligible pairs the judge answered, by family.

        ``n_asked`` are the eligible pairs, ``n`` those of them with the answers needed.
        """
        used = eligible & judged
        size = int(self.family.max(initial=-1)) + 1
        items = np.bincount(self.family[used], minlength=size)
        hits = np.bincount(self.family[used & success], minlength=size)
        found = rate_of_counts(
            hits,
            items,
            n_asked=int(eligible.sum()),
            level=level,
            grouped=self.grouped,
            missing=NO_ELIGIBLE if not eligible.any() else NO_ITEMS,
        )
        return found.model_copy(update={"method": found.method.replace("rate", name, 1)})


def code_pairs(
    human_original: Labels | None,
    human_variant: Labels | None,
    judge_original: Labels,
    judge_variant: Labels,
    *,
    family: Labels | None,
    labels: Sequence[Any] | None,
) -> CodedPairs:
    """Code pairs; people's labels may be absent where the test does not need them.

    Raises
    ------
    ValueError
        If lengths differ or a label is not in the scheme.
    """
    given = {
        "human_original": human_original,
        "human_variant": human_variant,
        "judge_original": judge_original,
        "judge_variant": judge_variant,
    }
    present = {name: column for name, column in given.items() if column is not None}
    scheme = coding_scheme(labels, *present.values())
    codes = {name: code_labels(column, scheme, name=name) for name, column in present.items()}
    lengths = {name: column.size for name, column in codes.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"all columns must have one length, got {lengths}")
    size = codes["judge_original"].size
    groups = code_families(family, size)
    nobody = np.full(size, -1, dtype=np.int64)
    return CodedPairs(
        human_original=codes.get("human_original", nobody),
        human_variant=codes.get("human_variant", nobody),
        judge_original=codes["judge_original"],
        judge_variant=codes["judge_variant"],
        family=np.arange(size, dtype=np.int64) if groups is None else groups[0],
        scheme=tuple(scheme),
        grouped=groups is not None,
    )


def pair_columns(sample: Sample) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Four columns of pairs out of a sample, for the invariance machine."""
    return (
        list(sample.human),
        list(sample.second_judge),
        list(sample.judge),
        list(sample.repeats[:, 0]),
    )
