"""The signals: what one evaluation of a set of claims yields, from labels to a number."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from voirdire import stats
from voirdire.records import Direction, Signal, View, view_labels

__all__ = ["DIRECTIONS", "NAMES", "item_scores", "signal_value"]

DIRECTIONS: Final[dict[Signal, Direction]] = {
    "faithfulness": "low",
    "agreement": "low",
    "kappa": "low",
    "contradicted": "high",
    "unverifiable": "high",
    "failures": "high",
}
"""Which way is bad."""

NAMES: Final[dict[Signal, str]] = {
    "faithfulness": "share of judged claims that are supported",
    "agreement": "share of claims judged as people do",
    "kappa": "kappa with people",
    "contradicted": "share of judged claims that are contradicted",
    "unverifiable": "share of judged claims that are unverifiable",
    "failures": "share of claims without a judgment",
}

_LABEL: Final[dict[Signal, str]] = {
    "faithfulness": "supported",
    "contradicted": "contradicted",
    "unverifiable": "unverifiable",
}


def item_scores(signal: Signal, table: Any, truth: Any) -> NDArray[np.float64] | None:
    """Each claim's own score in each repeat; None for a signal that is no mean over claims.

    Parameters
    ----------
    signal : Signal
    table : array of str or None, shape (C, K)
        Labels; None is no judgment.
    truth : array of str or None, shape (C,)
        Reference labels.

    Returns
    -------
    array of float, shape (C, K), or None
        0 or 1; NaN where there is no judgment (but for failures, which count it).
    """
    missing: NDArray[np.bool_] = table == None  # noqa: E711 - elementwise
    if signal == "kappa":
        return None
    if signal == "failures":
        return missing.astype(np.float64)
    wanted = truth[:, None] if signal == "agreement" else _LABEL[signal]
    hits: NDArray[np.float64] = np.asarray(table == wanted, dtype=np.float64)
    return np.where(missing, np.nan, hits)


def signal_value(signal: Signal, column: Any, truth: Any, *, view: View) -> float | None:
    """The signal of one repeat; None where it is undefined (nothing judged, one label only)."""
    if signal == "kappa":
        return stats.kappa(truth, column, labels=view_labels(view)).value
    scores = item_scores(signal, column[:, None], truth)
    assert scores is not None
    known = scores[~np.isnan(scores)]
    return float(known.mean()) if known.size else None
