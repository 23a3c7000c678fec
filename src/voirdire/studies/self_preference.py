"""Claims worded by a model of the judge's own family: it may favour its own wording."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from voirdire.records import Claim, Fingerprint

__all__ = ["model_family", "self_preference_notes"]


def model_family(name: str) -> str:
    """The family of a model's name: its first run of letters behind owner and folder.

    Examples
    --------
    >>> model_family("gpt-4.1-mini"), model_family("Qwen/Qwen2.5-7B-Instruct")
    ('gpt', 'qwen')
    """
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2].lower()
    found = re.search(r"[a-z]+", last)
    return found[0] if found else last


def self_preference_notes(fingerprint: Fingerprint, claims: Iterable[Claim]) -> tuple[str, ...]:
    """A note for each maker of claims that is of the judge's model family; empty without any.

    Parameters
    ----------
    fingerprint : Fingerprint
        Of the judge; one without a model has no family. A cascade, a panel or a calibrated judge
        names the models of its members under ``models``.
    claims : iterable of Claim
        ``meta["maker"]`` names the model that worded a claim.
    """
    models = _models(fingerprint)
    makers = Counter(str(claim.meta["maker"]) for claim in claims if "maker" in claim.meta)
    return tuple(
        f"{count} claims were worded by {maker}, of the same model family as "
        f"{'a member of ' if fingerprint.parts else ''}this judge "
        f"({model}): it may favour its own wording"
        for maker, count in sorted(makers.items())
        for model in models
        if maker != "rule" and model_family(maker) == model_family(model)
    )


def _models(fingerprint: Fingerprint) -> list[str]:
    members = fingerprint.parameters.get("models", ()) if fingerprint.parts else ()
    return sorted({str(model) for model in (fingerprint.model, *members) if model})
