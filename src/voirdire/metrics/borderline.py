"""Which claims of the traffic people should look at: near the operating point, or in dispute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

__all__ = ["BorderlineKind", "Drawn", "borderline_kinds", "draw_queue"]

BorderlineKind = Literal["disputed", "near", "plain"]


class Drawn(NamedTuple):
    """A claim of the queue.

    Attributes
    ----------
    place : int
    kind : BorderlineKind
    chance : float
        With which it was drawn; 1 / chance is its weight, so that labels of the queue may
        correct the traffic's share (design ``weighted``).
    """

    place: int
    kind: BorderlineKind
    chance: float


def borderline_kinds(
    labels: Sequence[str | None],
    scores: Sequence[float | None],
    *,
    operating_point: float,
    margin: float,
    second: Sequence[str | None] | None = None,
) -> list[BorderlineKind | None]:
    """What makes each claim worth a person's look.

    Parameters
    ----------
    labels, scores : sequence, shape (C,)
        Of the judge; a claim without a label is not for the queue (it needs a mended judge).
    operating_point, margin : float
        ``near``: the score lies within `margin` of the point at which the label turns.
    second : sequence of str or None, optional
        Labels of another judge; ``disputed`` where both judged and differ. Goes before ``near``.

    Returns
    -------
    list of BorderlineKind or None

    Raises
    ------
    ValueError
        If lengths differ or `margin` is negative.

    Examples
    --------
    >>> borderline_kinds(["supported"] * 3 + [None], [0.76, 1.0, 1.0, 0.75],
    ...     operating_point=0.75, margin=0.05, second=["supported", "contradicted", None, None])
    ['near', 'disputed', 'plain', None]
    """
    if margin < 0:
        raise ValueError(f"margin must be >= 0, got {margin}")
    others = [None] * len(labels) if second is None else list(second)
    if not len(labels) == len(scores) == len(others):
        raise ValueError("labels, scores and second must be of one length")
    found: list[BorderlineKind | None] = []
    for label, score, other in zip(labels, scores, others, strict=True):
        if label is None:
            found.append(None)
        elif other is not None and other != label:
            found.append("disputed")
        elif score is not None and abs(score - operating_point) <= margin + 1e-12:
            found.append("near")
        else:
            found.append("plain")
    return found


def draw_queue(
    kinds: Sequence[BorderlineKind | None], *, size: int, plain_share: float = 0.3, seed: int
) -> list[Drawn]:
    """A queue: mostly borderline claims, and a known share of plain ones.

    The plain ones are no waste: without them the labels could not say how the judge does where it
    is sure. Each claim's chance of being drawn is recorded.

    Parameters
    ----------
    kinds : sequence of BorderlineKind or None, shape (C,)
    size : int
        Claims wanted; fewer if there are fewer.
    plain_share : float
        Share of plain ones, in 0..1; what borderline claims do not fill goes to them too, and
        the other way round.
    seed : int

    Returns
    -------
    list of Drawn
        In a shuffled order: the order says nothing about the kind.

    Raises
    ------
    ValueError
        If `size` is negative or `plain_share` out of range.

    Examples
    --------
    >>> queue = draw_queue(["near"] * 4 + ["plain"] * 96, size=10, plain_share=0.6, seed=1)
    >>> sorted((one.kind, one.chance) for one in queue)[-7:][0]
    ('near', 1.0)
    """
    if size < 0:
        raise ValueError(f"size must be >= 0, got {size}")
    if not 0 <= plain_share <= 1:
        raise ValueError(f"plain_share must be in 0..1, got {plain_share}")
    close = [n for n, kind in enumerate(kinds) if kind in ("near", "disputed")]
    plain = [n for n, kind in enumerate(kinds) if kind == "plain"]
    take_plain = min(len(plain), max(round(size * plain_share), size - len(close)))
    take_close = min(len(close), size - take_plain)
    rng = np.random.default_rng(seed)
    drawn: list[Drawn] = []
    for members, take in ((close, take_close), (plain, take_plain)):
        for place in rng.permutation(len(members))[:take].tolist():
            kind = kinds[members[place]]
            assert kind is not None
            drawn.append(Drawn(members[place], kind, take / len(members)))
    return [drawn[place] for place in rng.permutation(len(drawn)).tolist()]
