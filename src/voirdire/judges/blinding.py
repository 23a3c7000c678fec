"""What a judge may see of a claim, and in which order: nothing that gives a label away."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from voirdire.records import Claim, JudgeInput

__all__ = ["asking_order", "blinded", "opaque_id"]


def opaque_id(claim_id: str, *, seed: int) -> str:
    """A claim's id as judges see it: 24 hex digits that tell them nothing.

    Claim ids often name the variant (``-neg``) or the family; a keyed hash does not, and under
    another seed it is another one.
    """
    key = hashlib.sha256(f"voirdire/{seed}".encode()).digest()
    text = claim_id.encode("utf-8", "backslashreplace")
    return hashlib.blake2b(text, key=key, digest_size=12).hexdigest()


def asking_order(n: int, *, seed: int, repeat: int) -> list[int]:
    """A shuffled order of ``n`` claims, another one for each repeat.

    Members of a family lie next to each other in a set; asked in that order, one answer of a
    judge with a memory (a conversation, a batch) could lean on the last.
    """
    import numpy as np

    order: list[int] = np.random.default_rng([seed, repeat]).permutation(n).tolist()
    return order


def blinded(claims: Sequence[Claim], places: Iterable[int], *, seed: int) -> Iterator[JudgeInput]:
    """Claims at the given places, as a judge sees them, one at a time."""
    for place in places:
        claim = claims[place]
        yield JudgeInput(
            id=opaque_id(claim.id, seed=seed), claim=claim.claim, context=claim.context
        )
