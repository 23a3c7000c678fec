"""One number that makes a model as sure as it is right: the temperature of its logits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from voirdire.models.nli import softmax

__all__ = ["fitted_temperature", "mean_log_loss"]

Floats = npt.NDArray[np.float64]
_GOLDEN = (5**0.5 - 1) / 2


def mean_log_loss(logits: Floats, targets: npt.NDArray[np.int64], *, temperature: float) -> float:
    """Mean negative log-likelihood (nats) of the targets.

    Parameters
    ----------
    logits : ndarray, shape (pairs, outputs)
    targets : ndarray of int, shape (pairs,)
        Output that would have been right.
    temperature : float
        Above 0; the logits are divided by it.
    """
    shares = softmax(logits / temperature)[np.arange(len(targets)), targets]
    return float(-np.log(np.maximum(shares, 1e-300)).mean())


def fitted_temperature(logits: Floats, targets: npt.NDArray[np.int64]) -> float:
    """The temperature of least log loss between 0.2 and 5, by golden-section search.

    The loss is unimodal in the temperature (Guo et al., On Calibration of Modern Neural Networks,
    ICML 2017).

    Raises
    ------
    ValueError
        If there are no pairs.

    Examples
    --------
    >>> logits = np.array([[2.0, 0.0], [2.0, 0.0], [2.0, 0.0], [2.0, 0.0]])
    >>> round(fitted_temperature(logits, np.array([0, 0, 0, 1])), 3)  # 2 / log 3
    1.82
    """
    if len(targets) == 0:
        raise ValueError("targets must hold at least one, got none")
    low, high = np.log(0.2), np.log(5.0)
    for _ in range(60):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        at_left = mean_log_loss(logits, targets, temperature=float(np.exp(left)))
        at_right = mean_log_loss(logits, targets, temperature=float(np.exp(right)))
        low, high = (low, right) if at_left <= at_right else (left, high)
    return float(np.exp((low + high) / 2))
