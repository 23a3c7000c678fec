"""Three pairs that every NLI model must get right, and a fourth for the order of the two texts.

A sentence entails itself, is contradicted by its negation and says nothing of an unrelated
matter. Where the outputs have no names, the three say which output is which, or the model is
refused. "A general claim follows from a special premise, not the other way round" tells whether
the model reads the premise first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from voirdire.models.nli.labels import LabelMap
from voirdire.models.nli.session import NliSession, softmax
from voirdire.records import Label

__all__ = ["TEXTS", "SelfTest", "run_self_test"]

_SETS: Final = (
    (
        "The museum is open on Sundays.",
        "The museum is not open on Sundays.",
        "A dog is sleeping under the table.",
    ),
    (
        "A man is playing a guitar.",
        "A man is not playing a guitar.",
        "The price of copper fell in March.",
    ),
    (
        "The company was founded in Milan.",
        "The company was not founded in Milan.",
        "Penguins cannot fly.",
    ),
)
_SPECIAL: Final = "A young woman in a red coat is playing the violin on a crowded street."
_GENERAL: Final = "A woman is playing an instrument."
TEXTS: Final = (*(text for texts in _SETS for text in texts), _SPECIAL, _GENERAL)
"""Every sentence the pairs are made of."""


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What the pairs said.

    Attributes
    ----------
    outputs : tuple of Label or None
        The label of each output; None where the pairs do not settle it.
    premise_first : bool or None
        Whether the special premise entails the general claim more than the reverse; None where
        no label is settled.
    shares : tuple of tuple of float
        Mean probability of each output for identity, negation and unrelated: what a message
        shows.
    """

    outputs: tuple[Label, ...] | None
    premise_first: bool | None
    shares: tuple[tuple[float, ...], ...]

    def shown(self) -> str:
        """The shares in words."""
        kinds = ("identity", "negation", "unrelated")
        return "; ".join(
            f"{kind} {' '.join(f'{share:.2f}' for share in row)}"
            for kind, row in zip(kinds, self.shares, strict=True)
        )


def run_self_test(session: NliSession, *, known: LabelMap | None = None) -> SelfTest:
    """Put the pairs to a model.

    Parameters
    ----------
    session : NliSession
    known : LabelMap or None
        A map that names or a person gave; it settles which output means entailed when the order
        of the two texts is tested.
    """
    pairs = [(one, claim) for one, denied, other in _SETS for claim in (one, denied, other)]
    pairs += [(_SPECIAL, _GENERAL), (_GENERAL, _SPECIAL)]
    shares = softmax(session.logits(session.encode(pairs)))
    by_kind = shares[:-2].reshape(len(_SETS), 3, -1).mean(axis=0)
    outputs = _settled(by_kind)
    told = known.outputs if known is not None else outputs
    first = None
    if told is not None and np.isfinite(shares).all():
        entailed = told.index("supported")
        first = bool(shares[-2, entailed] >= shares[-1, entailed])
    return SelfTest(outputs, first, tuple(tuple(map(float, row)) for row in by_kind))


def _settled(by_kind: npt.NDArray[np.float64]) -> tuple[Label, ...] | None:
    """Three outputs, each the clear winner of one kind."""
    kinds: tuple[Label, ...] = ("supported", "contradicted", "unverifiable")
    if by_kind.shape[1] != 3 or not np.isfinite(by_kind).all():
        return None
    winners = [int(row.argmax()) for row in by_kind]
    if len(set(winners)) != 3 or min(float(row.max()) for row in by_kind) < 0.5:
        return None
    return tuple(kinds[winners.index(output)] for output in range(3))
