"""What errors in the reference labels do to a judge's score: a sensitivity line, not a correction.

If the errors of the reference and of the judge are independent given the truth, the observed joint
table is ``O = E' P``: a judge that is right in 90 % of claims shows 82 % against labels that are
wrong in 10 %. If people and judge miss the *same* hard claims the correction overstates, and only
adjudication can tell; so the corrected numbers are shown for half, once and one and a half times
the assumed error rate, and are never used by a gate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.records import Estimate, Record
from voirdire.stats.reasons import NO_ITEMS
from voirdire.stats.registry import formula
from voirdire.stats.tables import agreement, kappa

__all__ = ["NoiseLine", "reference_noise_sensitivity"]

Floats = NDArray[np.float64]

METHOD = "observed table solved for independent reference errors"
ASSUMPTION = "not identified without adjudication: assumes reference and judge err independently"


class NoiseLine(Record):
    """Accuracy and kappa a judge would have if the reference were wrong at rate ``error``."""

    error: float
    accuracy: Estimate
    kappa: Estimate


class _Solved(NamedTuple):
    table: Floats | None
    reason: str | None


@formula
def reference_noise_sensitivity(
    table: ArrayLike,
    *,
    error: float,
    confusion: ArrayLike | None = None,
    factors: tuple[float, ...] = (0.5, 1.0, 1.5),
) -> tuple[NoiseLine, ...]:
    """Accuracy and kappa corrected for reference errors, at several assumed error rates.

    Parameters
    ----------
    table : array_like, shape (L, L)
        Joint counts, reference in rows, judge in columns.
    error : float
        Assumed share of wrong reference labels, in [0, 1).
    confusion : array_like, shape (L, L), optional
        Where wrong labels go: row = true class, column = label given, diagonal ignored. Default:
        evenly to all other classes.
    factors : tuple of float
        Multiples of ``error`` to show.

    Returns
    -------
    tuple of NoiseLine
        One per factor. A number is undefined when that much reference error would need negative
        counts, that is when the data contradict it.

    Raises
    ------
    ValueError
        If the table is not square, counts are negative, or error is outside [0, 1).

    References
    ----------
    Lam & Stork (2003), IJCAI, for the binary case.

    Examples
    --------
    >>> lines = reference_noise_sensitivity([[41, 9], [9, 41]], error=0.1)
    >>> [round(line.accuracy.value, 3) for line in lines]
    [0.856, 0.9, 0.957]
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(f"table must be square, got shape {counts.shape}")
    if not np.all(np.isfinite(counts)) or np.any(counts < 0):
        raise ValueError(f"table must hold numbers >= 0, got {counts.tolist()}")
    if not 0 <= error < 1:
        raise ValueError(f"error must be in [0, 1), got {error}")
    spread = _spread(counts.shape[0], confusion)
    return tuple(_line(counts, min(error * factor, 1.0), spread) for factor in factors)


def _spread(classes: int, confusion: ArrayLike | None) -> Floats:
    """Where the wrong labels of each class go; rows sum to 1, diagonal 0."""
    given = np.ones((classes, classes)) if confusion is None else np.array(confusion, dtype=float)
    if given.shape != (classes, classes) or not np.all(given >= 0):
        raise ValueError(
            f"confusion must be numbers >= 0 of shape {(classes, classes)}, got {given.shape}"
        )
    away = given * (1 - np.eye(classes))
    mass = away.sum(axis=1, keepdims=True)
    even = (1 - np.eye(classes)) / max(classes - 1, 1)
    return np.where(mass > 0, away / np.where(mass > 0, mass, 1.0), even)


def _line(counts: Floats, error: float, spread: Floats) -> NoiseLine:
    solved = _solve(counts, error, spread)
    return NoiseLine(
        error=error,
        accuracy=_estimate("accuracy", solved, counts),
        kappa=_estimate("kappa", solved, counts),
    )


def _solve(counts: Floats, error: float, spread: Floats) -> _Solved:
    if counts.sum() == 0:
        return _Solved(None, NO_ITEMS)
    classes = counts.shape[0]
    if classes < 2:
        return _Solved(counts, None)
    errors = (1 - error) * np.eye(classes) + error * spread
    if abs(np.linalg.det(errors)) < 1e-9:
        return _Solved(None, f"reference uninformative: at {error:.0%} error it says nothing")
    true = np.linalg.solve(errors.T, counts)
    if true.min() < -1e-9 * counts.sum():
        reason = f"more reference error than the data allow: {error:.1%} needs negative counts"
        return _Solved(None, reason)
    return _Solved(np.maximum(true, 0.0), None)


def _estimate(name: str, solved: _Solved, counts: Floats) -> Estimate:
    n, method = round(float(counts.sum())), f"{name}, {METHOD}"
    if solved.table is None:
        return Estimate.not_defined(solved.reason or "", method=method, n=n, notes=(ASSUMPTION,))
    function = agreement if name == "accuracy" else kappa
    value = float(function(solved.table))
    if np.isnan(value):
        return Estimate.not_defined("one label only", method=method, n=n, notes=(ASSUMPTION,))
    return Estimate(
        value=value,
        n=n,
        n_asked=n,
        method=method,
        no_interval="a sensitivity line, not an estimate",
        notes=(ASSUMPTION,),
    )
