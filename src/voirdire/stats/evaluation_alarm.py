"""The alarm on one evaluation: against the last k, by the noise of calibration and history.

`pooled_alarm` takes the calibration's runs; this takes their standard deviation, so that sessions
and fresh items can have entered it. With one repeat a session it is `pooled_alarm`, number for
number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from voirdire.stats import distributions
from voirdire.stats.evaluation_noise import successive_noise
from voirdire.stats.pooled_rule import PooledAlarm
from voirdire.stats.prediction_limit import guaranteed_factor, prediction_factor
from voirdire.stats.registry import formula
from voirdire.stats.scores import FloatArray, numbers

__all__ = ["evaluation_alarm"]

# history noisier than calibration beyond chance: the calibration missed a source of variance
_F_LEVEL = 0.05


@formula
def evaluation_alarm(
    sd: float | None,
    df: float | None,
    previous: Sequence[float],
    latest: float,
    *,
    steady: Sequence[float] | None = None,
    centre: float | None = None,
    centre_n: int = 0,
    k: int = 4,
    window: int = 12,
    alpha_warning: float = 0.05,
    alpha_critical: float = 0.01,
    margin_warning: float = 0.05,
    margin_critical: float = 0.10,
    strict: bool = False,
    confidence: float = 0.9,
    bad: Literal["low", "high"] = "low",
) -> PooledAlarm:
    """`pooled_alarm` for a calibration given as standard deviation and degrees of freedom.

    Parameters
    ----------
    sd, df : float or None
        Of one evaluation. Both None: the calibration cannot tell, the history alone does, over up
        to `window` evaluations. An sd with df None is known for certain.
    previous : sequence
        Earlier evaluations, oldest first; missing ones are gaps. The last k are the base.
    latest : float
    steady : sequence, optional
        The earlier evaluations that the noise is taken from, if not from all of `previous`: one
        that fired is an event, and would widen the next limit until nothing fires.
    centre : float, optional
        What to compare with when there is no history yet.
    centre_n : int
        Evaluations behind the centre.
    k, alpha_warning, alpha_critical, margin_warning, margin_critical, strict, confidence, bad
        As in `pooled_alarm`.

    Returns
    -------
    PooledAlarm
        Undefined: ``latest evaluation missing``, ``no noise estimate``, ``nothing to compare
        with``.

    Raises
    ------
    ValueError
        On rates, margins or counts out of range.

    Examples
    --------
    >>> alarm = evaluation_alarm(0.0097, 4, [0.85, 0.86, 0.84, 0.85], 0.80)
    >>> alarm.state, alarm.df, alarm.warning_drop
    ('warning', 7.0, 0.0425)
    """
    _check(alpha_warning, alpha_critical, margin_warning, margin_critical, k, bad)
    known = numbers(list(previous), name="previous")
    known = known[~np.isnan(known)]
    last, now = known[-k:], float(numbers([latest], name="latest")[0])
    quiet = known if steady is None else numbers(list(steady), name="steady")
    noise = _noise(sd, df, quiet[~np.isnan(quiet)], k, window)
    base, size = _base(last, centre, centre_n)
    reason = (
        "latest evaluation missing"
        if math.isnan(now)
        else "no noise estimate"
        if noise is None
        else "nothing to compare with"
        if base is None
        else ""
    )
    if noise is None or base is None or reason:
        return PooledAlarm(k=len(last), undefined=reason)
    s, nu, f, p, notes = noise
    drop = base - now if bad == "low" else now - base
    limits = [
        s
        * (
            guaranteed_factor(nu, k=size, alpha=alpha, confidence=confidence)
            if strict
            else prediction_factor(nu, k=size, alpha=alpha)
        )
        for alpha in (alpha_warning, alpha_critical)
    ]
    warning = max(limits[0], margin_warning * abs(base))
    critical = max(limits[1], margin_critical * abs(base))
    if not len(last):
        notes = (*notes, "no history: compared with the centre of the policy")
    return PooledAlarm(
        # a rounding error is no drop: at noise 0 and margin 0 any real change still fires
        state="critical"
        if drop > critical + 1e-12
        else "warning"
        if drop > warning + 1e-12
        else "ok",
        mean_previous=base,
        drop=drop,
        relative_drop=drop / abs(base) if base else None,
        pooled_sd=s,
        df=nu if math.isfinite(nu) else None,
        p_value=_p_value(drop, s, nu, size),
        noise_limit_warning=limits[0],
        noise_limit_critical=limits[1],
        warning_drop=warning,
        critical_drop=critical,
        f_history_vs_calibration=f,
        p_history_noisier=p,
        k=len(last),
        notes=notes,
    )


Noise = tuple[float, float, float | None, float | None, tuple[str, ...]]


def _noise(
    sd: float | None, df: float | None, known: FloatArray, k: int, window: int
) -> Noise | None:
    """sd, degrees of freedom, F and p of history against calibration, notes."""
    last = known[-k:]
    if sd is None:
        return _history_noise(known, k, window)
    nu = math.inf if df is None else df
    if len(last) < 2:
        return sd, nu, None, None, ()
    history = float(last.var(ddof=1)) if float(np.ptp(last)) > 0 else 0.0
    more = len(last) - 1
    f = history / sd**2 if sd > 0 else None
    p = float(distributions.f_sf(f, more, min(nu, 1e9))) if f is not None else None
    if (p is not None and p < _F_LEVEL) or (sd == 0 and history > 0):
        note = "calibration missed a source of variance: the history alone is used"
        return math.sqrt(history), more, f, p, (note,)
    if math.isinf(nu):
        return sd, nu, f, p, ()
    return math.sqrt((nu * sd**2 + more * history) / (nu + more)), nu + more, f, p, ()


def _history_noise(known: FloatArray, k: int, window: int) -> Noise | None:
    """Of the history alone: the last k by their variance, a longer one by its differences."""
    if len(known) < max(k, 4):
        return None
    note = ("the history alone gives the noise",)
    recent = known[-window:]
    longer = successive_noise(recent)
    if longer is not None and longer[1] > k - 1:
        return *longer, None, None, note
    last = known[-max(k, 4) :]
    spread = float(last.std(ddof=1)) if float(np.ptp(last)) > 0 else 0.0
    return spread, len(last) - 1.0, None, None, note


def _base(last: FloatArray, centre: float | None, centre_n: int) -> tuple[float | None, int]:
    if len(last):
        return float(last.mean()), len(last)
    if centre is None or centre_n < 1:
        return None, 0
    return centre, centre_n


def _p_value(drop: float, sd: float, df: float, size: int) -> float:
    if sd == 0:
        return 0.0 if drop > 1e-12 else 1.0
    z = drop / (sd * math.sqrt(1 + 1 / size))
    return float(distributions.norm_sf(z) if math.isinf(df) else distributions.t_sf(z, df))


def _check(a_w: float, a_c: float, m_w: float, m_c: float, k: int, bad: str) -> None:
    if not 0 < a_c <= a_w < 1:
        raise ValueError(f"0 < alpha_critical <= alpha_warning < 1 must hold, got {a_c}, {a_w}")
    if not 0 <= m_w <= m_c < 1:
        raise ValueError(f"0 <= margin_warning <= margin_critical < 1 must hold, got {m_w}, {m_c}")
    if k < 1:
        raise ValueError(f"k must be >= 1, got {k}")
    if bad not in ("low", "high"):
        raise ValueError(f"bad must be 'low' or 'high', got {bad!r}")
