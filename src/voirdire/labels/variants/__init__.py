"""Variants of claims, by rule or by a language model: drafts until people labelled them."""

from __future__ import annotations

from voirdire.labels.variants.drafting import RULES, Proposals, propose_by_rule
from voirdire.labels.variants.files import (
    FIRST_BATCH,
    MakerScore,
    accept,
    add_drafts,
    maker_scores,
    read_drafts,
)
from voirdire.labels.variants.languages import variant_language, variant_languages
from voirdire.labels.variants.wording import (
    PROPORTIONS,
    WORDINGS,
    originals_from_documents,
    propose_by_model,
)

__all__ = [
    "FIRST_BATCH",
    "PROPORTIONS",
    "RULES",
    "WORDINGS",
    "MakerScore",
    "Proposals",
    "accept",
    "add_drafts",
    "maker_scores",
    "originals_from_documents",
    "propose_by_model",
    "propose_by_rule",
    "read_drafts",
    "variant_language",
    "variant_languages",
]
