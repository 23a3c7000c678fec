"""Labelled pairs of text that an NLI model learns from, and how they are kept apart."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from voirdire.errors import InputError, UsageError
from voirdire.records import LABELS, Label

__all__ = ["Pair", "families_by_text", "hold_out", "normalised", "read_pairs", "without_overlap"]

_NOT_WORDS: Final = re.compile(r"[^a-z0-9]+")
_LONG_CLAIM = 6


@dataclass(frozen=True, slots=True)
class Pair:
    """A premise, a claim about it, and what people called the claim.

    Attributes
    ----------
    context, claim : str
        Premise and hypothesis.
    label : Label
        Of the claim, given the premise.
    source : str
        Where it comes from.
    family : str
        Pairs that share text share one; never on both sides of a split.
    """

    context: str
    claim: str
    label: Label
    source: str = ""
    family: str = ""


def normalised(text: str) -> str:
    """Lower-case letters and digits between single spaces: how two texts are called the same."""
    return _NOT_WORDS.sub(" ", text.lower()).strip()


def read_pairs(path: Path) -> list[Pair]:
    """Read JSON lines (``.gz`` too) with the fields context, claim, label and source.

    Raises
    ------
    UsageError
        If there is no such file.
    InputError
        If a line lacks a field or its label is not one of the three.
    """
    if not path.is_file():
        raise UsageError("no such file of pairs", where=str(path))
    packed = path.read_bytes()
    text = (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode("utf-8")
    return [
        _pair(line, f"{path}:{number}") for number, line in enumerate(text.split("\n"), 1) if line
    ]


def _pair(line: str, where: str) -> Pair:
    try:
        row = json.loads(line)
        pair = Pair(row["context"], row["claim"], row["label"], row.get("source", ""))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"no labelled pair: {type(error).__name__} {error}",
            where=where,
            allowed="a JSON object with context, claim, label",
        ) from error
    if pair.label not in LABELS:
        raise InputError(
            f"unknown label {pair.label!r}", where=f"{where} field label", allowed=", ".join(LABELS)
        )
    return pair


def families_by_text(
    pairs: Sequence[Pair], *, by_claim: Callable[[Pair], bool] = lambda pair: False
) -> list[str]:
    """A family name for each pair: pairs with one premise, or (where told) one claim, share it.

    Parameters
    ----------
    pairs : sequence of Pair
    by_claim : callable
        Whether the claim's text joins families as well: right where variants were made by
        editing the premise, wrong where short claims recur by chance.
    """
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for pair in pairs:
        own = root(normalised(pair.context))
        if by_claim(pair):
            parent[root(normalised(pair.claim))] = own
    return [root(normalised(pair.context)) for pair in pairs]


def hold_out(pairs: Sequence[Pair], *, share: float, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Divide pairs by family: those to learn from, and a share of families that is not.

    Every source gives its share. Order within each part is that of `pairs`.

    Returns
    -------
    tuple of list of Pair
        To learn from; held out.
    """
    if not 0 <= share < 1:
        raise ValueError(f"share must be at least 0 and below 1, got {share!r}")
    rng = np.random.default_rng(seed)
    by_source: dict[str, list[str]] = {}
    for pair in pairs:
        by_source.setdefault(pair.source, []).append(pair.family)
    kept_back: set[str] = set()
    for source in sorted(by_source):
        families = sorted(set(by_source[source]))
        kept_back.update(
            families[i] for i in rng.permutation(len(families))[: round(share * len(families))]
        )
    learn = [pair for pair in pairs if pair.family not in kept_back]
    return learn, [pair for pair in pairs if pair.family in kept_back]


def without_overlap(pairs: Iterable[Pair], texts: Iterable[tuple[str, str]]) -> list[Pair]:
    """Drop pairs that share text with others, for instance with those a model is measured on.

    A pair goes if its premise is a premise or a claim there, or its claim is a premise there, or
    its claim of six words or more is a claim there (shorter ones recur by chance).

    Parameters
    ----------
    pairs : iterable of Pair
    texts : iterable of (premise, claim)
        To be avoided.
    """
    contexts: set[str] = set()
    claims: set[str] = set()
    for context, claim in texts:
        contexts.add(normalised(context))
        claims.add(normalised(claim))
    return [pair for pair in pairs if not _shares(pair, contexts, claims)]


def _shares(pair: Pair, contexts: set[str], claims: set[str]) -> bool:
    context, claim = normalised(pair.context), normalised(pair.claim)
    if context in contexts or context in claims or claim in contexts:
        return True
    return claim in claims and len(claim.split()) >= _LONG_CLAIM
