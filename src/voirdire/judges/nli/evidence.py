"""Which window of a context decides: rules with names, since each makes another judge.

Every rule picks one window, and its probabilities are the answer: no number is mixed from
several. None looks at the place of a window, so the order of the chunks changes nothing.

``contradiction-first``
    The window that is least neutral decides, unless another is nearly as little neutral (within
    `NEARLY`) and contradicts: then the surest contradiction among them does. So support in one
    place does not hide a contradiction in another, and a window that is only half about the
    claim contradicts nothing. The default.
``strongest``
    The window that is least neutral decides, whatever it says.
``max-entailment``
    The window that entails most decides: a contradiction is seen only if nothing supports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from voirdire.records import LABELS

__all__ = ["NEARLY", "RULES", "Aggregation", "decisive"]

Aggregation = Literal["contradiction-first", "strongest", "max-entailment"]
RULES: Final[Mapping[Aggregation, str]] = {
    "contradiction-first": "the least neutral window, a contradiction nearly as sure before it",
    "strongest": "the least neutral window",
    "max-entailment": "the window that entails most",
}
NEARLY: Final = 0.05
"""How much more neutral a contradicting window may be and still go before a supporting one."""

_SUPPORTED: Final = LABELS.index("supported")
_CONTRADICTED: Final = LABELS.index("contradicted")
_UNVERIFIABLE: Final = LABELS.index("unverifiable")


def decisive(
    probabilities: npt.NDArray[np.float64], texts: Sequence[str], *, rule: Aggregation
) -> int:
    """Place of the window that decides.

    Parameters
    ----------
    probabilities : ndarray, shape (windows, 3)
        In the order of `LABELS`; at least one row.
    texts : sequence of str
        Of the windows: they break ties, so that no order of theirs does.
    rule : Aggregation

    Examples
    --------
    >>> given = np.array([[0.97, 0.02, 0.01], [0.01, 0.96, 0.03], [0.3, 0.4, 0.3]])
    >>> decisive(given, ["a", "b", "c"], rule="contradiction-first")
    1
    >>> decisive(given, ["a", "b", "c"], rule="strongest")
    0
    """
    told = 1.0 - probabilities[:, _UNVERIFIABLE]
    places = range(len(probabilities))

    def best(candidates: Sequence[int] | range, by: npt.NDArray[np.float64]) -> int:
        return max(candidates, key=lambda i: (by[i], told[i], texts[i]))

    if rule == "max-entailment":
        return best(places, probabilities[:, _SUPPORTED])
    strongest = best(places, told)
    if rule == "strongest":
        return strongest
    against = [
        i
        for i in places
        if told[i] >= told[strongest] - NEARLY and probabilities[i].argmax() == _CONTRADICTED
    ]
    return best(against, probabilities[:, _CONTRADICTED]) if against else strongest
