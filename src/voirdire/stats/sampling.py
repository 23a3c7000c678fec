"""How a labelled set was drawn decides which estimator of production is valid.

``random``: every item of the traffic had the same chance. ``weighted``: the chances are known.
``enriched``: chosen on purpose (balanced labels, paraphrases, negations); such a set validates a
judge, it says nothing about the prevalence in production.
"""

from __future__ import annotations

from typing import Any, Literal

__all__ = ["NOT_RANDOM", "SamplingDesign", "check_design"]

SamplingDesign = Literal["random", "weighted", "enriched"]
NOT_RANDOM = "not a random sample"
_DESIGNS = ("random", "weighted", "enriched")


def check_design(sampling_design: str, weights: Any | None) -> None:
    """Refuse an unknown design, and weights where they do not belong.

    Raises
    ------
    ValueError
        If the design is not one of the three, or weights and design contradict each other.

    Examples
    --------
    >>> check_design("random", None)
    """
    if sampling_design not in _DESIGNS:
        raise ValueError(f"sampling_design must be one of {_DESIGNS}, got {sampling_design!r}")
    if (sampling_design == "weighted") != (weights is not None):
        given = "none" if weights is None else "some"
        raise ValueError(
            "weights must be given exactly when sampling_design is 'weighted', "
            f"got {given} with {sampling_design!r}"
        )
