"""Calibration of several classes: each class against the rest, and the top label.

A judge may be right about its favourite label and badly wrong about the rare one, so the classes
are shown one by one; their average would hide the one that matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from voirdire.records.estimates import Record

from .binned_ece import BinnedCalibration, binned_calibration
from .corp import CorpDecomposition, corp_split
from .proper_scores import multiclass_pairs, two_columns
from .registry import Sample, statistic
from .smooth_ece import SmoothCalibration, smooth_calibration

__all__ = ["OneClassCalibration", "class_calibration", "top_label_calibration"]


class OneClassCalibration(Record):
    """How well the probabilities of one class, or of the top label, are calibrated.

    Attributes
    ----------
    label : str
        The class, or ``top label``.
    corp, smooth, binned : CorpDecomposition, SmoothCalibration, BinnedCalibration
        See there.
    """

    label: str
    corp: CorpDecomposition
    smooth: SmoothCalibration
    binned: BinnedCalibration


def _class_calibration_on(s: Sample) -> Any:
    return class_calibration(*two_columns(s), family=s.family, draws=0)


@statistic(kind="other", renaming="none", call=_class_calibration_on)
def class_calibration(
    probabilities: Any,
    labels: Any,
    *,
    names: Sequence[str] | None = None,
    family: Any | None = None,
    draws: int = 199,
    seed: int = 0,
) -> tuple[OneClassCalibration, ...]:
    """Calibration of each class against the rest.

    Parameters
    ----------
    probabilities : table, shape (n, L)
        Rows sum to 1 within 1e-4.
    labels : sequence of int, shape (n,)
        Codes 0..L-1.
    names : sequence of str, length L, optional
        What to call the classes; their codes if absent.
    family : sequence, optional
        Families.
    draws : int
        Draws of the nulls and resamples of the intervals; 0 for none.
    seed : int
        Of all draws.

    Returns
    -------
    tuple of OneClassCalibration, length L
        Undefined members carry the fault of the data.

    Raises
    ------
    ValueError
        If lengths differ or `names` has another length than L.

    Examples
    --------
    >>> table = [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]]
    >>> [one.label for one in class_calibration(table, [0, 1, 2], names=["s", "c", "u"], draws=0)]
    ['s', 'c', 'u']
    """
    table, data = multiclass_pairs(probabilities, labels, family=family)
    width = table.shape[1]
    called = [str(i) for i in range(width)] if names is None else [str(name) for name in names]
    if len(called) != width:
        raise ValueError(f"names must have one entry per class ({width}), got {len(called)}")
    out = []
    for code, name in enumerate(called):
        # a faulty table is passed on as it is faulty: codes never equal NaN, scores stay missing
        score = np.full(data.n, np.nan) if data.fault else table[:, code]
        hit = (data.y == code).astype(np.float64)
        out.append(_one(name, score, hit, data.family, family is not None, draws, seed))
    return tuple(out)


def _top_label_calibration_on(s: Sample) -> Any:
    return top_label_calibration(*two_columns(s), family=s.family, draws=0)


@statistic(kind="other", renaming="none", call=_top_label_calibration_on)
def top_label_calibration(
    probabilities: Any,
    labels: Any,
    *,
    family: Any | None = None,
    draws: int = 199,
    seed: int = 0,
) -> OneClassCalibration:
    """Is the judge right as often as the probability of its favourite label says?

    Parameters, reasons and errors as `class_calibration`. Ties go to the first label.

    Examples
    --------
    >>> table = [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]]
    >>> round(top_label_calibration(table, [0, 1, 2], draws=0).binned.ece.value, 4)
    0.3667
    """
    table, data = multiclass_pairs(probabilities, labels, family=family)
    if data.fault:
        score, hit = np.full(data.n, np.nan), np.zeros(data.n)
    else:
        score, hit = table.max(axis=1), (table.argmax(axis=1) == data.y).astype(np.float64)
    return _one("top label", score, hit, data.family, family is not None, draws, seed)


def _one(
    label: str, p: Any, y: Any, codes: Any, has_family: bool, draws: int, seed: int
) -> OneClassCalibration:
    family = codes if has_family else None
    return OneClassCalibration(
        label=label,
        corp=corp_split(p, y, family=family, null_draws=draws, resamples=draws, seed=seed),
        smooth=smooth_calibration(p, y, family=family, null_draws=draws, seed=seed),
        binned=binned_calibration(p, y, family=family, null_draws=draws, seed=seed),
    )
