"""A sample of answers: seeded, within strata, and written down so that it can be drawn again."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UsageError
from voirdire.records import SampleRecord

__all__ = ["draw_sample", "parse_share"]


def parse_share(text: str) -> float:
    """``5%``, ``0.05`` or ``.05`` as a share in (0, 1].

    Raises
    ------
    UsageError
        For anything else.

    Examples
    --------
    >>> parse_share("5%"), parse_share("0.25")
    (0.05, 0.25)
    """
    plain = text.strip()
    try:
        share = float(plain.removesuffix("%")) / (100 if plain.endswith("%") else 1)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise UsageError(
            f"{text!r} is no share",
            where="--sample",
            allowed="more than 0 and at most 100 %, as 5% or 0.05",
            todo=f"did you mean '{plain}%'?" if 1 < share <= 100 else "",
        )
    return share


def draw_sample(
    strata: Sequence[str], *, share: float, seed: int
) -> tuple[NDArray[np.int64], SampleRecord]:
    """Places of a sample, in their order, and how it was drawn.

    From each stratum ``ceil(share * size)`` answers are drawn without replacement, so that no
    stratum is lost; the shares drawn are recorded.

    Parameters
    ----------
    strata : sequence of str, shape (n,)
        Stratum of each answer.
    share : float
        In (0, 1]; 1 takes all.
    seed : int

    Raises
    ------
    ValueError
        If `share` is out of range.

    Examples
    --------
    >>> places, record = draw_sample(["en"] * 40 + ["it"] * 4, share=0.1, seed=3)
    >>> len(places), record.drawn
    (5, {'en': 4, 'it': 1})
    """
    if not 0 < share <= 1:
        raise ValueError(f"share must be in (0, 1], got {share}")
    names = sorted(set(strata))
    codes = np.array(
        [names.index(name) for name in strata] if len(names) > 1 else [0] * len(strata)
    )
    chosen, of, drawn = [], {}, {}
    for number, name in enumerate(names):
        members = np.flatnonzero(codes == number)
        # A share times a size may lie a hair above a whole number: 0.1 * 30 is 3.0000000000000004.
        take = min(len(members), math.ceil(round(share * len(members), 9)))
        rng = np.random.default_rng([seed, number])
        chosen.append(rng.permutation(members)[:take])
        of[name], drawn[name] = len(members), take
    places = np.sort(np.concatenate(chosen)).astype(np.int64) if chosen else np.zeros(0, np.int64)
    design = "census" if len(places) == len(strata) else "random"
    return places, SampleRecord(design=design, share=share, seed=seed, of=of, drawn=drawn)
