"""Gauge R&R: several calls per item and run (or prompt, or session), crossed.

The measuring instrument is the judge; "appraisers" are the runs, prompts or sessions it is asked
in, "parts" the items, "trials" the calls in each cell. Equipment variation is call noise,
appraiser variation the difference between runs.

Source: AIAG, Measurement Systems Analysis, 4th edition, ANOVA method (tables A4, A5).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from voirdire.records.estimates import Record
from voirdire.stats import distributions

from .outcomes import TestOutcome
from .registry import formula
from .scores import FloatArray, check_level, number_matrix

__all__ = ["GaugeStudy", "gauge_study"]


class GaugeStudy(Record):
    """A crossed gauge study.

    Attributes
    ----------
    ss_operator, ss_part, ss_interaction, ss_error : float or None
        Sums of squares.
    interaction : TestOutcome
        F test of operator x part; above `pool_above` it is pooled into the error.
    pooled : bool
    ev, av, grr, pv, tv : float or None
        Standard deviations: equipment (repeatability), appraiser (with the interaction unless
        pooled), both together, part, total.
    pct_ev, pct_av, pct_grr, pct_pv : float or None
        The same in percent of the total.
    ndc : int or None
        Distinct categories the gauge can tell apart, ``floor(1.41 pv / grr)``.
    undefined : str or None
    """

    ss_operator: float | None = None
    ss_part: float | None = None
    ss_interaction: float | None = None
    ss_error: float | None = None
    interaction: TestOutcome
    pooled: bool = False
    ev: float | None = None
    av: float | None = None
    grr: float | None = None
    pv: float | None = None
    tv: float | None = None
    pct_ev: float | None = None
    pct_av: float | None = None
    pct_grr: float | None = None
    pct_pv: float | None = None
    ndc: int | None = None
    undefined: str | None = None


@formula
def gauge_study(values: Any, *, pool_above: float = 0.05) -> GaugeStudy:
    """Analyse a balanced crossed study.

    Parameters
    ----------
    values : sequence, shape (operators, trials, parts)
        All cells filled.
    pool_above : float
        p-value of the interaction above which it is pooled into the error.

    Returns
    -------
    GaugeStudy
        Undefined: ``fewer than 2 operators, trials or parts``, ``missing cells``, ``no
        variation``.

    Raises
    ------
    ValueError
        If the nesting is ragged or `pool_above` is not in (0, 1).

    Examples
    --------
    >>> first, second = [[1.0, 2.0, 3.1], [1.1, 2.1, 3.0]], [[1.2, 2.2, 3.2], [1.1, 2.3, 3.1]]
    >>> study = gauge_study([first, second])
    >>> round(study.grr, 3), round(study.pv, 3), study.ndc
    (0.113, 1.0, 12)
    """
    check_level(pool_above, name="pool_above")
    cube = _cube(values)
    reason = (
        "fewer than 2 operators, trials or parts"
        if cube.ndim != 3 or min(cube.shape) < 2
        else "missing cells"
        if bool(np.isnan(cube).any())
        else "no variation"
        if float(np.ptp(cube)) == 0
        else ""
    )
    method = "F test of operator x part"
    if reason:
        test = TestOutcome(
            statistic=None, p_value=None, n=cube.size, method=method, undefined=reason
        )
        return GaugeStudy(interaction=test, undefined=reason)
    return _analysed(cube, pool_above, method)


def _cube(values: Any) -> FloatArray:
    layers = [number_matrix(layer, name="values") for layer in values]
    shapes = sorted({layer.shape for layer in layers})
    if len(shapes) > 1:
        raise ValueError(f"values must have equally shaped operators, got shapes {shapes}")
    return np.array(layers, dtype=np.float64) if layers else np.empty((0, 0, 0))


def _analysed(cube: FloatArray, pool_above: float, method: str) -> GaugeStudy:
    operators, trials, parts = cube.shape
    grand = float(cube.mean())
    cell = cube.mean(axis=1)
    by_operator, by_part = cell.mean(axis=1), cell.mean(axis=0)
    ss_o = trials * parts * float(((by_operator - grand) ** 2).sum())
    ss_p = trials * operators * float(((by_part - grand) ** 2).sum())
    ss_x = trials * float(((cell - by_operator[:, None] - by_part + grand) ** 2).sum())
    ss_e = float(((cube - cell[:, None, :]) ** 2).sum())
    df_x, df_e = (operators - 1) * (parts - 1), operators * parts * (trials - 1)
    ms_x, ms_e = ss_x / df_x, ss_e / df_e
    if ms_e > 0:
        f = ms_x / ms_e
        p_value = float(distributions.f_sf(f, df_x, df_e))
        test = TestOutcome(
            statistic=f, df=(df_x, df_e), p_value=p_value, n=cube.size, method=method
        )
        pooled = p_value > pool_above
    else:
        reason = "deterministic: no variation within cells"
        test = TestOutcome(
            statistic=None, p_value=None, n=cube.size, method=method, undefined=reason
        )
        pooled = False
    ms_o, ms_p = ss_o / (operators - 1), ss_p / (parts - 1)
    if pooled:
        error = (ss_x + ss_e) / (df_x + df_e)
        var_x, below = 0.0, error
    else:
        error, var_x, below = ms_e, max((ms_x - ms_e) / trials, 0.0), ms_x
    var_o = max((ms_o - below) / (trials * parts), 0.0)
    var_p = max((ms_p - below) / (trials * operators), 0.0)
    ev, av, pv = math.sqrt(error), math.sqrt(var_o + var_x), math.sqrt(var_p)
    grr = math.hypot(ev, av)
    tv = math.hypot(grr, pv)
    share = {name: 100 * v / tv for name, v in (("ev", ev), ("av", av), ("grr", grr), ("pv", pv))}
    return GaugeStudy(
        ss_operator=ss_o,
        ss_part=ss_p,
        ss_interaction=ss_x,
        ss_error=ss_e,
        interaction=test,
        pooled=pooled,
        ev=ev,
        av=av,
        grr=grr,
        pv=pv,
        tv=tv,
        pct_ev=share["ev"],
        pct_av=share["av"],
        pct_grr=share["grr"],
        pct_pv=share["pv"],
        ndc=math.floor(1.41 * pv / grr) if grr > 0 else None,
    )
