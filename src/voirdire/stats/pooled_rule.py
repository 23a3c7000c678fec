"""The recommended alert rule: the newest evaluation against the last k, noise limit and margin.

The standard deviation is pooled over calibration repeats and the last k evaluations; the limit is
the larger of what noise explains (a prediction limit at the promised false-alarm rate) and what
matters in practice (5 and 10 percent).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from voirdire.records.estimates import Record
from voirdire.stats import distributions

from .prediction_limit import fresh_items_sd, guaranteed_factor, prediction_factor
from .registry import formula
from .scores import FloatArray, numbers

__all__ = ["PooledAlarm", "PooledNoise", "pooled_alarm", "pooled_noise"]

State = Literal["ok", "warning", "critical"]
Scale = Literal["plain", "arcsine"]
NO_NOISE = "no noise estimate"
# history noisier than calibration beyond chance: the calibration missed a source of variance
_F_LEVEL = 0.05
# below this a base is zero and nothing is relative to it
_TINY = 1e-12


class PooledAlarm(Record):
    """What the rule says of one evaluation, with every number behind it.

    Attributes
    ----------
    state : {"ok", "warning", "critical"} or None
    mean_previous : float or None
        What the newest is compared with: the mean of the last k, or with no history the mean of
        the calibration runs.
    drop, relative_drop : float or None
        How far the newest lies on the bad side (negative: on the good side).
    pooled_sd, df : float or None
    p_value : float or None
        Chance of at least this drop if nothing changed.
    noise_limit_warning, noise_limit_critical : float or None
        Drops that noise explains at the two false-alarm rates.
    warning_drop, critical_drop : float or None
        The limits: the larger of noise and margin.
    f_history_vs_calibration, p_history_noisier : float or None
        Variance ratio and its one-sided p-value.
    k : int
        Evaluations in the base.
    undefined : str or None
    notes : tuple of str
    """

    state: State | None = None
    mean_previous: float | None = None
    drop: float | None = None
    relative_drop: float | None = None
    pooled_sd: float | None = None
    df: float | None = None
    p_value: float | None = None
    noise_limit_warning: float | None = None
    noise_limit_critical: float | None = None
    warning_drop: float | None = None
    critical_drop: float | None = None
    f_history_vs_calibration: float | None = None
    p_history_noisier: float | None = None
    k: int = 0
    undefined: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PooledNoise:
    """The standard deviation the limits rest on.

    Attributes
    ----------
    sd, df : float or None
        None when there is no noise estimate. An infinite df is no estimate but a certainty.
    f, p : float or None
        History against calibration.
    notes : tuple of str

    Examples
    --------
    >>> PooledNoise(0.02, 7.0, None, None, ()).df
    7.0
    """

    sd: float | None
    df: float | None
    f: float | None
    p: float | None
    notes: tuple[str, ...]


def pooled_noise(
    calibration: FloatArray,
    previous: FloatArray,
    *,
    var_item: float = 0.0,
    items: int | None = None,
) -> PooledNoise:
    """Pool the variance of the calibration repeats and of the last evaluations.

    ``s^2 = (nu_c v_c + (k-1) s_hist^2) / (nu_c + k - 1)``, ``v_c = s_cal^2 + var_item / items``.
    When the history is significantly noisier (F at 5 percent) it stands alone.

    Parameters
    ----------
    calibration, previous : ndarray
        Known values only.
    var_item, items
        For evaluations on fresh items; see `fresh_items_sd`.

    Examples
    --------
    >>> runs = np.array([0.842, 0.861, 0.853, 0.838, 0.856])
    >>> noise = pooled_noise(runs, np.array([0.85, 0.86, 0.84, 0.85]))
    >>> round(noise.sd, 6), noise.df
    (0.009055, 7.0)
    """
    runs, k = len(calibration), len(previous)
    history = _exact_zero(previous) ** 2 if k >= 2 else 0.0
    if runs < 2:
        if k < 4:
            return PooledNoise(None, None, None, None, ())
        return PooledNoise(math.sqrt(history), k - 1.0, None, None, ())
    sd_run = _exact_zero(calibration)
    v_c, nu_c = sd_run**2, runs - 1.0
    if items is not None:
        sd, nu_c = fresh_items_sd(sd_run, repeats=runs, var_item=var_item, items=items)
        v_c = sd**2
    if k < 2:
        return PooledNoise(math.sqrt(v_c), min(nu_c, 1e9), None, None, ())
    nu_c = min(nu_c, 1e9)
    f = history / v_c if v_c > 0 else None
    p = float(distributions.f_sf(f, k - 1, nu_c)) if f is not None else None
    noisier = (p is not None and p < _F_LEVEL) or (v_c == 0 and history > 0)
    if noisier:
        note = "calibration missed a source of variance: the history alone is used"
        return PooledNoise(math.sqrt(history), k - 1.0, f, p, (note,))
    df = nu_c + k - 1
    return PooledNoise(math.sqrt((nu_c * v_c + (k - 1) * history) / df), df, f, p, ())


def _exact_zero(values: FloatArray) -> float:
    """Standard deviation; exactly 0 for equal values, not the rounding of their mean."""
    return 0.0 if float(np.ptp(values)) == 0.0 else float(values.std(ddof=1))


@formula
def pooled_alarm(
    calibration: Sequence[float],
    previous: Sequence[float],
    latest: float,
    *,
    k: int = 4,
    alpha_warning: float = 0.05,
    alpha_critical: float = 0.01,
    margin_warning: float = 0.05,
    margin_critical: float = 0.10,
    var_item: float | None = None,
    items: int | None = None,
    strict: bool = False,
    confidence: float = 0.9,
    bad: Literal["low", "high"] = "low",
    scale: Scale = "plain",
) -> PooledAlarm:
    """Apply the rule to one evaluation.

    Parameters
    ----------
    calibration : sequence
        Means of the calibration runs (repeats on one set); missing ones drop out.
    previous : sequence
        Earlier evaluations, oldest first; missing ones are gaps. The last k count.
    latest : float
    k : int
        Evaluations in the base; fewer are used when there are fewer (with a calibration).
    alpha_warning, alpha_critical : float
        False alarms per evaluation.
    margin_warning, margin_critical : float
        Practical margins, relative to the base; 0 for the noise limits alone.
    var_item, items : float, int, optional
        Both, when items are redrawn for each evaluation.
    strict : bool
        Guaranteed instead of plain limits, at `confidence`.
    confidence : float
    bad : {"low", "high"}
        Which direction is bad: a falling share of supported claims, or a rising failure rate.
    scale : {"plain", "arcsine"}
        ``2 arcsin(sqrt(x))`` for a share near 0 or 1, where a chance high calibration also shows
        too little variance and a plain limit fires too often. `pooled_sd` is then on that scale;
        drops, limits and margins stay in units of the share.

    Returns
    -------
    PooledAlarm
        Undefined: ``latest evaluation missing``; ``scores outside 0..1`` (arcsine scale);
        ``no noise estimate`` (fewer than 2 calibration runs and fewer than 4 earlier
        evaluations); ``nothing to compare with``. With standard deviation 0 the noise limit is 0
        and a note says that any change is a real one.

    Raises
    ------
    ValueError
        On rates, margins or counts out of range, or only one of `var_item` and `items`.

    Examples
    --------
    >>> alarm = pooled_alarm([0.842, 0.861, 0.853, 0.838, 0.856], [0.85, 0.86, 0.84, 0.85], 0.80)
    >>> alarm.state, round(alarm.noise_limit_critical, 4), alarm.warning_drop
    ('warning', 0.0304, 0.0425)
    """
    _check_arguments(alpha_warning, alpha_critical, margin_warning, margin_critical, k)
    _check_choices(var_item, items, bad, scale)
    runs = _known(calibration, "calibration")
    last = _known(previous, "previous")[-k:]
    now = float(numbers([latest], name="latest")[0])
    reason = "latest evaluation missing" if math.isnan(now) else _off_scale(scale, runs, last, now)
    if reason:
        return PooledAlarm(k=len(last), undefined=reason)
    forward = _FORWARD[scale]
    item_variance = _scaled_item_variance(scale, runs, var_item)
    noise = pooled_noise(forward(runs), forward(last), var_item=item_variance, items=items)
    base_values = last if len(last) else runs
    if noise.sd is None or noise.df is None or len(base_values) == 0:
        why = NO_NOISE if noise.sd is None else "nothing to compare with"
        return PooledAlarm(k=len(last), undefined=why, notes=noise.notes)
    base, size = float(base_values.mean()), len(base_values)
    sign = 1.0 if bad == "low" else -1.0
    centre = float(forward(base_values).mean())
    steps = [
        noise.sd
        * (
            guaranteed_factor(noise.df, k=size, alpha=alpha, confidence=confidence)
            if strict
            else prediction_factor(noise.df, k=size, alpha=alpha)
        )
        for alpha in (alpha_warning, alpha_critical)
    ]
    # on the plain scale the limit is the step itself, without a detour through rounding
    limits = [
        step if scale == "plain" else sign * (base - _back(centre - sign * step)) for step in steps
    ]
    drop = sign * (base - now)
    warning = max(limits[0], margin_warning * abs(base))
    critical = max(limits[1], margin_critical * abs(base))
    fallen = drop if scale == "plain" else sign * (centre - float(forward(np.array([now]))[0]))
    return PooledAlarm(
        state=_state(drop, warning, critical),
        mean_previous=base,
        drop=drop,
        relative_drop=drop / abs(base) if abs(base) > _TINY else None,
        pooled_sd=noise.sd,
        df=noise.df,
        p_value=_p_value(fallen, noise.sd, noise.df, size),
        noise_limit_warning=limits[0],
        noise_limit_critical=limits[1],
        warning_drop=warning,
        critical_drop=critical,
        f_history_vs_calibration=noise.f,
        p_history_noisier=noise.p,
        k=len(last),
        notes=noise.notes + _sentences(noise.sd, limits[0], warning, len(last), base),
    )


def _plain(values: FloatArray) -> FloatArray:
    return values


def _arcsine(values: FloatArray) -> FloatArray:
    return np.asarray(2.0 * np.arcsin(np.sqrt(values)), dtype=np.float64)


def _back(angle: float) -> float:
    """Inverse of the arcsine scale; beyond its ends the share is 0 or 1."""
    return math.sin(min(max(angle, 0.0), math.pi) / 2.0) ** 2


_FORWARD = {"plain": _plain, "arcsine": _arcsine}


def _off_scale(scale: Scale, runs: FloatArray, last: FloatArray, now: float) -> str:
    every = np.concatenate([runs, last, [now]])
    outside = scale == "arcsine" and bool(((every < 0) | (every > 1)).any())
    return "scores outside 0..1" if outside else ""


def _scaled_item_variance(scale: Scale, runs: FloatArray, var_item: float | None) -> float:
    """Variance between items on the scale; for 0/1 items it is 1 on the arcsine scale."""
    if var_item is None or scale == "plain":
        return var_item or 0.0
    mean = float(runs.mean()) if len(runs) else 0.5
    binomial = mean * (1.0 - mean)
    # where every item of the calibration was alike, the share itself still is a sample
    return var_item / binomial if binomial > _TINY else 1.0


def _check_choices(var_item: float | None, items: int | None, bad: str, scale: str) -> None:
    if (var_item is None) != (items is None):
        raise ValueError(f"var_item and items must be given together, got {var_item}, {items}")
    if bad not in ("low", "high"):
        raise ValueError(f"bad must be 'low' or 'high', got {bad!r}")
    if scale not in _FORWARD:
        raise ValueError(f"scale must be 'plain' or 'arcsine', got {scale!r}")


def _state(drop: float, warning: float, critical: float) -> State:
    # a rounding error is no drop: at noise 0 and margin 0 any real change still fires
    if drop > critical + 1e-12:
        return "critical"
    return "warning" if drop > warning + 1e-12 else "ok"


def _known(values: Any, name: str) -> FloatArray:
    array = numbers(list(values), name=name)
    return np.asarray(array[~np.isnan(array)], dtype=np.float64)


def _check_arguments(a_w: float, a_c: float, m_w: float, m_c: float, k: int) -> None:
    if not 0 < a_c <= a_w < 1:
        raise ValueError(f"0 < alpha_critical <= alpha_warning < 1 must hold, got {a_c}, {a_w}")
    if not 0 <= m_w <= m_c < 1:
        raise ValueError(f"0 <= margin_warning <= margin_critical < 1 must hold, got {m_w}, {m_c}")
    if k < 1:
        raise ValueError(f"k must be >= 1, got {k}")


def _p_value(drop: float, sd: float, df: float, size: int) -> float:
    if sd == 0:
        return 0.0 if drop > 1e-12 else 1.0
    return float(distributions.t_sf(drop / (sd * math.sqrt(1 + 1 / size)), df))


def _sentences(
    sd: float, noise_limit: float, warning: float, k: int, base: float
) -> tuple[str, ...]:
    notes = []
    if sd == 0:
        notes.append(
            "noise limit 0: any change on the same items is a real change of input or judge"
        )
    if noise_limit == warning and sd > 0 and abs(base) > _TINY:
        share = 100 * warning / abs(base)
        notes.append(f"noise alone reaches {share:.1f} %: a smaller drop cannot be told from it")
    if k == 0:
        notes.append("no history: compared with the calibration runs")
    return tuple(notes)
