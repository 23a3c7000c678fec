"""Maximum-likelihood logistic regression with an offset and fractional targets.

Scikit-learn's is penalised unless told otherwise, has no offset and refuses fractional targets,
all of which Platt's targets and Cox's recalibration need. Newton's method with step halving on two
or three coefficients is a few lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from .scores import FloatArray, IntArray

__all__ = ["LogisticFit", "clustered_covariance", "fit_logistic", "separated"]

_STEPS = 100
# beyond this a coefficient on the logit scale is separation, whatever Newton says
_RUNAWAY = 1e4


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """Coefficients and what is needed for their standard errors.

    Attributes
    ----------
    coefficients : ndarray, shape (k,)
    fitted : ndarray, shape (n,)
        Probabilities.
    information : ndarray, shape (k, k)
        Fisher information.
    converged : bool
        False under separation or collinearity; the coefficients then mean nothing.
    """

    coefficients: FloatArray
    fitted: FloatArray
    information: FloatArray
    converged: bool


def fit_logistic(
    design: FloatArray, target: FloatArray, *, offset: FloatArray | None = None
) -> LogisticFit:
    """Fit ``P = expit(offset + design @ b)`` by maximum likelihood.

    Parameters
    ----------
    design : ndarray, shape (n, k)
    target : ndarray, shape (n,)
        In 0..1; fractional targets are Platt's.
    offset : ndarray, shape (n,), optional

    Examples
    --------
    >>> x = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    >>> fit = fit_logistic(np.column_stack([np.ones(5), x]), np.array([0.0, 1, 0, 1, 1]))
    >>> fit.coefficients.round(4) + 0.0  # logit(1/2), logit(2/3) - logit(1/2)
    array([0.    , 0.6931])
    """
    base = np.zeros(len(target)) if offset is None else offset
    b: FloatArray = np.zeros(design.shape[1])
    loss = _loss(base + design @ b, target)
    converged = False
    for _ in range(_STEPS):
        fitted = special.expit(base + design @ b)
        gradient = design.T @ (target - fitted)
        information = design.T @ (design * (fitted * (1 - fitted))[:, None])
        step: FloatArray = np.asarray(np.linalg.lstsq(information, gradient, rcond=1e-12)[0], float)
        b, new = _halved(design, base, target, b, step, loss)
        moved, loss = abs(loss - new), new
        if bool((np.abs(b) > _RUNAWAY).any()):
            break
        if moved <= 1e-14 * (1 + abs(loss)) and float(np.abs(step).max()) < 1e-9:
            converged = True
            break
    fitted = special.expit(base + design @ b)
    information = design.T @ (design * (fitted * (1 - fitted))[:, None])
    well_posed = bool(np.linalg.cond(information) < 1e12) if information.any() else False
    return LogisticFit(b, fitted, information, converged and well_posed)


def _halved(
    design: FloatArray,
    base: FloatArray,
    target: FloatArray,
    b: FloatArray,
    step: FloatArray,
    loss: float,
) -> tuple[FloatArray, float]:
    """The longest of step, step/2, step/4 … that does not raise the loss."""
    for halving in range(40):
        trial = b + step * 0.5**halving
        new = _loss(base + design @ trial, target)
        if new <= loss + 1e-12:
            return trial, new
    return b, loss


def _loss(eta: FloatArray, target: FloatArray) -> float:
    return float((np.logaddexp(0.0, eta) - target * eta).sum())


def separated(x: FloatArray, y: FloatArray) -> bool:
    """Whether a threshold on `x` splits the labels (quasi-separation counts).

    Examples
    --------
    >>> separated(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 1.0]))
    True
    """
    zeros, ones = x[y == 0], x[y == 1]
    if len(zeros) == 0 or len(ones) == 0:
        return True
    return bool(zeros.max() <= ones.min() or ones.max() <= zeros.min())


def clustered_covariance(
    fit: LogisticFit, design: FloatArray, target: FloatArray, codes: IntArray
) -> FloatArray:
    """Sandwich covariance of the coefficients, scores summed by family, factor F/(F-1).

    Source: Liang & Zeger (1986).
    """
    scores = design * (target - fit.fitted)[:, None]
    families = int(codes.max()) + 1
    by_family = np.column_stack(
        [np.bincount(codes, weights=column, minlength=families) for column in scores.T]
    )
    inverse = np.linalg.inv(fit.information)
    meat = by_family.T @ by_family * (families / (families - 1))
    return np.asarray(inverse @ meat @ inverse, dtype=np.float64)
