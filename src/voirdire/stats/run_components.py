"""How much a metric moves by itself: items x runs, split into item, run and residual variance.

``y_ir = mu + item_i + run_r + e_ir``; a run is one full evaluation of the set, e holds item x run
interaction and call noise. The variance of the metric on a fixed set is
``var_run + var_residual / I``, which is exactly the variance of the run means: an alarm needs only
that; the components say why it moves and what would help.

Source: two-way crossed random effects (Searle, Casella & McCulloch 1992); terms of ISO 5725.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate, Record
from voirdire.stats import distributions

from .outcomes import TestOutcome
from .registry import Sample, statistic
from .reml import reml
from .scores import FloatArray, check_level, number_matrix
from .sd_intervals import sd_bounds

__all__ = ["DETERMINISTIC", "RunComponents", "run_components"]

DETERMINISTIC = (
    "deterministic: zero run-to-run variance, noise limit 0, use the practical margin and "
    "item-sampling variance"
)
FEW_RUNS = "fewer than 2 runs"
FEW_ITEMS = "fewer than 2 items"


class RunComponents(Record):
    """Variance components of a metric over repeated runs.

    Attributes
    ----------
    sd_run_means : Estimate
        Standard deviation of the run means, chi-square interval with R - 1 degrees of freedom:
        what the metric moves by on a fixed set. ``n`` counts items.
    repeatability_sd : Estimate
        s_r, root of the residual variance: one item, one run.
    reproducibility_sd : Estimate
        s_R, root of run plus residual variance: one item, another run.
    var_item, var_run, var_residual : float or None
        Components, not below 0.
    var_item_raw, var_run_raw : float or None
        Before they were cut at 0.
    ms_item, ms_run, ms_residual : float or None
        Mean squares; None with REML.
    run_effect : TestOutcome
        F test of MS_run / MS_residual: do whole runs differ?
    run_means : tuple of float
        Over the items that enter.
    sd_from_components, sd_if_no_run_effect : float or None
        ``sqrt(var_run + var_residual/I)`` and ``sqrt(var_residual/I)``.
    repeatability_limit, reproducibility_limit : float or None
        2.8 s_r and 2.8 s_R: two results of one item differ by more in 5 percent of cases.
        Meaningless for 0/1 scores (None there): see `flip_rates`.
    items, runs, items_dropped, runs_dropped : int
        Used, and left out because of missing cells.
    method : str
        ``two-way ANOVA`` or ``REML``.
    undefined : str or None
        Why there are no components.
    notes : tuple of str
    """

    sd_run_means: Estimate
    repeatability_sd: Estimate
    reproducibility_sd: Estimate
    var_item: float | None = None
    var_run: float | None = None
    var_residual: float | None = None
    var_item_raw: float | None = None
    var_run_raw: float | None = None
    ms_item: float | None = None
    ms_run: float | None = None
    ms_residual: float | None = None
    run_effect: TestOutcome
    run_means: tuple[float, ...] = ()
    sd_from_components: float | None = None
    sd_if_no_run_effect: float | None = None
    repeatability_limit: float | None = None
    reproducibility_limit: float | None = None
    items: int = 0
    runs: int = 0
    items_dropped: int = 0
    runs_dropped: int = 0
    method: str = "two-way ANOVA"
    undefined: str | None = None
    notes: tuple[str, ...] = ()


def _run_components_on(s: Sample) -> Any:
    hits = [[None if v is None else float(v == s.labels[-1]) for v in row] for row in s.repeats]
    return run_components(np.array(hits, dtype=object).reshape(s.repeats.shape))


@statistic(kind="other", renaming="none", duplication=False, call=_run_components_on)
def run_components(scores: Any, *, missing: str = "reml", level: float = 0.95) -> RunComponents:
    """Split the variance of repeated runs.

    Parameters
    ----------
    scores : table, shape (I, R)
        Score of each item in each run; None and NaN are missing. Runs and items without any score
        are left out and counted.
    missing : {"reml", "complete"}
        With missing cells: restricted likelihood on all cells, or ANOVA on the items scored in
        every run, with the number dropped.
    level : float
        Of the intervals of the standard deviations.

    Returns
    -------
    RunComponents
        Undefined: ``no items``, ``fewer than 2 runs``; the components (but not the standard
        deviation of the run means) with ``fewer than 2 items``. A deterministic judge has standard
        deviation exactly 0, noted as such.

    Raises
    ------
    ValueError
        If `scores` is not a table, or on an unknown `missing` or a bad `level`.

    Examples
    --------
    >>> result = run_components([[1.0, 0.9, 1.0], [0.2, 0.1, 0.3], [0.5, 0.4, 0.6]])
    >>> round(result.sd_run_means.value, 4), round(result.var_item, 4)
    (0.0839, 0.1489)
    >>> run_components([[1.0], [0.0]]).undefined
    'fewer than 2 runs'
    """
    check_level(level)
    if missing not in ("reml", "complete"):
        raise ValueError(f"missing must be 'reml' or 'complete', got {missing!r}")
    table = number_matrix(scores, name="scores")
    asked = table.shape[0]
    runs_kept = ~np.isnan(table).all(axis=0)
    table = table[:, runs_kept]
    dropped_runs = int((~runs_kept).sum())
    notes = (f"{dropped_runs} run(s) without any score excluded",) if dropped_runs else ()
    table = table[~np.isnan(table).all(axis=1)]
    holes = bool(np.isnan(table).any())
    method = "REML" if holes and missing == "reml" else "two-way ANOVA"
    if holes and missing == "complete":
        table = table[~np.isnan(table).any(axis=1)]
    about: dict[str, Any] = {
        "items": table.shape[0],
        "runs": table.shape[1],
        "items_dropped": asked - table.shape[0],
        "runs_dropped": dropped_runs,
        "method": method,
        "notes": notes,
    }
    reason = "no items" if table.size == 0 else FEW_RUNS if table.shape[1] < 2 else ""
    if reason:
        return _undefined(reason, asked, level, about)
    if holes and method == "REML":
        return _by_reml(table, asked, level, about)
    return _by_anova(table, asked, level, about)


def _undefined(reason: str, asked: int, level: float, about: dict[str, Any]) -> RunComponents:
    gone = Estimate.not_defined(
        reason, method="standard deviation", n=about["items"], n_asked=asked, level=level
    )
    return RunComponents(
        sd_run_means=gone,
        repeatability_sd=gone,
        reproducibility_sd=gone,
        run_effect=_no_test(reason, about["items"]),
        undefined=reason,
        **about,
    )


def _no_test(reason: str, n: int) -> TestOutcome:
    return TestOutcome(
        statistic=None, p_value=None, n=n, method="F test of run effects", undefined=reason
    )


def _sd(
    variance: float, df: float, name: str, asked: int, level: float, about: dict[str, Any]
) -> Estimate:
    sd = math.sqrt(max(variance, 0.0))
    low, high, why = None, None, None
    if sd == 0.0:
        why = "deterministic: nothing varied"
    elif df <= 0 or not math.isfinite(df):
        why = "no degrees of freedom"
    else:
        low, high = sd_bounds(sd, df=df, level=level)
        if not math.isfinite(high):
            low, high, why = None, None, "too few degrees of freedom"
    return Estimate(
        value=sd,
        low=low,
        high=high,
        level=level,
        n=about["items"],
        n_asked=asked,
        method=f"{name}, chi-square interval",
        no_interval=why,
        notes=(DETERMINISTIC,) if sd == 0.0 and name == "sd of run means" else (),
    )


def _by_anova(table: FloatArray, asked: int, level: float, about: dict[str, Any]) -> RunComponents:
    items, runs = table.shape
    means = table.mean(axis=0)
    deterministic = bool((table == table[:, :1]).all())
    spread = 0.0 if deterministic else float(means.var(ddof=1))
    sd = _sd(spread, runs - 1, "sd of run means", asked, level, about)
    about = about | {"run_means": tuple(float(m) for m in means)}
    if items < 2:
        gone = Estimate.not_defined(
            FEW_ITEMS, method="standard deviation", n=items, n_asked=asked, level=level
        )
        return RunComponents(
            sd_run_means=sd,
            repeatability_sd=gone,
            reproducibility_sd=gone,
            run_effect=_no_test(FEW_ITEMS, items),
            undefined=FEW_ITEMS,
            **about,
        )
    centred = table - table.mean(axis=1, keepdims=True) - means + table.mean()
    df_residual = (items - 1) * (runs - 1)
    ms_residual = 0.0 if deterministic else float((centred**2).sum()) / df_residual
    ms_run = items * spread
    ms_item = runs * float(table.mean(axis=1).var(ddof=1))
    run_raw, item_raw = (ms_run - ms_residual) / items, (ms_item - ms_residual) / runs
    return _assembled(
        (max(item_raw, 0.0), max(run_raw, 0.0), ms_residual),
        (item_raw, run_raw),
        {"ms_item": ms_item, "ms_run": ms_run, "ms_residual": ms_residual},
        sd,
        _run_effect(ms_run, ms_residual, runs - 1, df_residual, items),
        table,
        asked,
        level,
        about,
    )


def _run_effect(
    ms_run: float, ms_residual: float, df_run: int, df_residual: int, items: int
) -> TestOutcome:
    if ms_residual <= 0:
        reason = DETERMINISTIC if ms_run <= 0 else "no residual variation"
        return _no_test(reason, items)
    f = ms_run / ms_residual
    return TestOutcome(
        statistic=f,
        df=(df_run, df_residual),
        p_value=float(distributions.f_sf(f, df_run, df_residual)),
        n=items,
        method="F test of run effects",
    )


def _assembled(
    components: tuple[float, float, float],
    raw: tuple[float, float],
    squares: dict[str, float],
    sd: Estimate,
    effect: TestOutcome,
    table: FloatArray,
    asked: int,
    level: float,
    about: dict[str, Any],
) -> RunComponents:
    var_item, var_run, var_residual = components
    items, runs = table.shape
    df_residual, df_run = (items - 1) * (runs - 1), runs - 1
    total = var_run + var_residual
    # Satterthwaite: s_R^2 = MS_run/I + (1 - 1/I) MS_residual when the run component is positive
    run_part, rest = var_run + var_residual / items, (1 - 1 / items) * var_residual
    below = run_part**2 / df_run + rest**2 / df_residual
    df_total = (run_part + rest) ** 2 / below if below > 0 and var_run > 0 else df_residual
    notes = about["notes"]
    for name, value in zip(("item", "run"), raw, strict=True):
        if value < 0:
            notes = (*notes, f"{name} component {value:.3g} was negative and set to 0")
    binary = bool(np.isin(table[~np.isnan(table)], (0.0, 1.0)).all())
    return RunComponents(
        sd_run_means=sd,
        repeatability_sd=_sd(var_residual, df_residual, "s_r", asked, level, about),
        reproducibility_sd=_sd(total, df_total, "s_R", asked, level, about),
        var_item=var_item,
        var_run=var_run,
        var_residual=var_residual,
        var_item_raw=raw[0],
        var_run_raw=raw[1],
        run_effect=effect,
        sd_from_components=math.sqrt(var_run + var_residual / items),
        sd_if_no_run_effect=math.sqrt(var_residual / items),
        repeatability_limit=None if binary else 2.8 * math.sqrt(var_residual),
        reproducibility_limit=None if binary else 2.8 * math.sqrt(total),
        **squares,
        **(about | {"notes": notes}),
    )


def _by_reml(table: FloatArray, asked: int, level: float, about: dict[str, Any]) -> RunComponents:
    items, runs = table.shape
    holes = int(np.isnan(table).sum())
    about = about | {"notes": (*about["notes"], f"{holes} missing cell(s): REML")}
    within = np.nanmax(table, axis=1) - np.nanmin(table, axis=1)
    if items < 2:
        return _undefined(FEW_ITEMS, asked, level, about)
    if bool((within == 0).all()):
        item = float(np.nanmean(table, axis=1).var(ddof=1))
        components, sd_squared = (item, 0.0, 0.0), 0.0
    else:
        fit = reml(table)
        components = (fit.item, fit.run, fit.residual)
        sd_squared = fit.run + fit.residual / items
    sd = _sd(sd_squared, runs - 1, "sd of run means", asked, level, about)
    # fitted run means: a run that missed the hard items must not look better for it
    centre = np.nanmean(table, axis=1, keepdims=True)
    means = np.nanmean(table - centre, axis=0) + float(centre.mean())
    about = about | {"run_means": tuple(float(m) for m in means)}
    effect = _no_test("missing cells: no F test under REML", items)
    return _assembled(
        components, (components[0], components[1]), {}, sd, effect, table, asked, level, about
    )
