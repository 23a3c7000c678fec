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
        Of the judge; one without a model has no family. Judges made of judges are not looked into.
    claims : iterable of Claim
        ``meta["maker"]`` names the model that worded a claim.
    """
    if fingerprint.model is None:
        return ()
    makers = Counter(str(claim.meta["maker"]) for claim in claims if "maker" in claim.meta)
    own = model_family(fingerprint.model)
    return tuple(
        f"{count} claims were worded by {maker}, of the same model family as this judge "
        f"({fingerprint.model}): it may favour its own wording"
        for maker, count in sorted(makers.items())
        if maker != "rule" and model_family(maker) == own
    )
