"""Alert limits from what a judge's repeats have shown: one policy for each signal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from voirdire import stats
from voirdire.errors import NotEnoughEvidence, SealBroken, UsageError
from voirdire.labels import references
from voirdire.records import (
    AlertLimit,
    AlertPolicy,
    DriftLimit,
    JudgeVariance,
    PolicyResult,
    Severity,
    Signal,
    SignalVariance,
    VarianceResult,
    view_labels,
)
from voirdire.store import History, claims_digest, read_document, write_document
from voirdire.studies.derivation import derivation_of, sentences_of
from voirdire.studies.limit_numbers import (
    LimitOptions,
    Noise,
    baseline_counts,
    items_needed,
    naive,
    power,
)
from voirdire.studies.provenance import provenance
from voirdire.studies.study import Study

__all__ = ["NEAR_EDGE", "make_policy", "scaled_noise", "set_limits"]

NEAR_EDGE: Final = 0.03
"""A share nearer to 0 or 1 than this is watched by exact counts."""
FEW_BASELINE: Final = 4


def set_limits(
    study: Study,
    options: LimitOptions | None = None,
    *,
    judges: Sequence[str] = (),
    signals: Sequence[Signal] = (),
    history: History | None = None,
    command: Sequence[str] = (),
) -> PolicyResult:
    """Make the policies of a study from ``results/variance.json``; write ``results/policy.json``.

    Parameters
    ----------
    study : Study
    options : LimitOptions, optional
    judges, signals : sequence of str
        Which; empty: all, but a constant judge, a reference line, only if there is no other.
    history : History, optional
        Earlier evaluations that become the frozen centre. That is the one way to re-base.
    command : sequence of str
        For the provenance.

    Raises
    ------
    UsageError
        If a history comes without its one signal and judge.
    SealBroken
        If the claims changed since the variance result was made.
    NotEnoughEvidence
        If there is no variance result yet, no judge and signal asked for is in it, or the history
        has fewer than 4 scores.
    """
    options = options or LimitOptions()
    variance = _variance(study)
    meant = _meant(variance, judges)
    _refuse_short_history(history, signals, meant)
    policies = [
        make_policy(variance, judge, one, options, history=history)
        for judge in meant
        for one in judge.signals
        if (not signals or one.signal in signals) and one.mean is not None
    ]
    if not policies:
        known = ", ".join(judge.judge for judge in variance.judges)
        raise NotEnoughEvidence(
            "the repeats show none of the judges and signals asked for",
            where=str(study.paths.result("variance")),
            allowed=f"judges {known}; signals "
            + ", ".join(one.signal for one in variance.judges[0].signals),
        )
    reference = references(study.claims.claims, study.claims.labels, view=variance.view).labels
    result = PolicyResult(
        study=study.config.name,
        claims_sha256=variance.claims_sha256,
        policies=tuple(policies),
        reference_labels={key: str(value) for key, value in reference.items()},
        provenance=provenance(
            seed=study.config.seed,
            sets={item.name: item.digest for item in study.claims.sets},
            runs=variance.provenance.runs,
            limits=study.limits,
            command=command,
        ),
    )
    write_document(study.paths.result("policy"), result)
    return result


def _variance(study: Study) -> VarianceResult:
    path = study.paths.result("variance")
    if not path.exists():
        raise NotEnoughEvidence(
            "the study does not know yet how much its judges move",
            where=str(path),
            todo=f"run 'voirdire vary {study.paths.root}' first",
        )
    found = read_document(path, VarianceResult)
    if found.claims_sha256 != claims_digest(study.claims.claims):
        raise SealBroken(
            "the claims changed since the repeats were read",
            where=str(path),
            todo=f"run 'voirdire run {study.paths.root}' and 'voirdire vary' again",
        )
    return found


def _meant(variance: VarianceResult, judges: Sequence[str]) -> list[JudgeVariance]:
    """The judges asked for; without any, those that are no mere reference line."""
    if judges:
        return [one for one in variance.judges if one.judge in judges]
    candidates = [one for one in variance.judges if one.use.partition(":")[0] != "constant"]
    return candidates or list(variance.judges)


def _refuse_short_history(
    history: History | None, signals: Sequence[Signal], judges: Sequence[JudgeVariance]
) -> None:
    if history is None:
        return
    if len(signals) != 1:
        raise UsageError(
            "a history holds the scores of one signal",
            todo="name it with --signal",
        )
    if len(judges) > 1:
        raise UsageError(
            "a history holds the scores of one judge",
            allowed=", ".join(one.judge for one in judges),
            todo="name it with --judge",
        )
    scores = sum(point.score is not None for point in history)
    if scores < FEW_BASELINE:
        raise NotEnoughEvidence(
            f"a history of {scores} score(s) makes no centre",
            allowed=f"{FEW_BASELINE} or more evaluations; 8 to 20 are better",
            todo="wait for more evaluations, or leave --history out",
        )


def make_policy(
    variance: VarianceResult,
    judge: JudgeVariance,
    one: SignalVariance,
    options: LimitOptions,
    *,
    history: History | None = None,
) -> AlertPolicy:
    """The policy of one signal.

    Raises
    ------
    ValueError
        If the signal has no value at all, or an option is out of range.
    """
    if one.mean is None:
        raise ValueError(f"the signal must have a value, got none for {one.signal!r}")
    items = options.items or _items_of(judge, one)
    centre, centre_n = _centre(one, options, history)
    at = one.mean if centre is None else centre
    near_edge = one.signal != "kappa" and not NEAR_EDGE <= at <= 1 - NEAR_EDGE
    by_counts = one.signal == "failures" or near_edge
    noise = scaled_noise(one, judge, options, items)
    sd, df = noise if noise is not None else (None, None)
    shown = _shown_noise(one, noise, options, items)
    events, asked = baseline_counts(judge, one)
    policy = AlertPolicy(
        study=variance.study,
        judge=judge.judge,
        signal=one.signal,
        direction=one.direction,
        rule="counts" if by_counts else "prediction",
        strict=options.strict,
        claims=options.claims,
        items=items,
        k=options.k,
        centre=centre,
        centre_n=centre_n,
        sd=sd,
        df=df,
        warning=_limit("warning", at, shown, options, one, by_counts=by_counts),
        critical=_limit("critical", at, shown, options, one, by_counts=by_counts),
        drift=None if by_counts else DriftLimit(weight=0.2, rate=0.014),
        per_year=options.per_year,
        power_wanted=options.power,
        wanted_drop=options.wanted_drop,
        items_needed=None if by_counts else items_needed(one, judge, options, at),
        power=() if by_counts else tuple(power(at, shown, options)),
        naive=naive(at, shown, options, one),
        baseline_runs=judge.runs,
        baseline_events=events,
        baseline_n=asked,
        calibration=tuple(value for value in one.values if value is not None),
        fingerprints=judge.fingerprints,
        view=variance.view,
        label_set=tuple(view_labels(variance.view)),
        guidelines=variance.guidelines,
    )
    told = policy.model_copy(update={"sentences": sentences_of(policy, one)})
    return told.model_copy(update={"derivation": derivation_of(told, one, judge)})


def _items_of(judge: JudgeVariance, one: SignalVariance) -> int:
    return one.components.items if one.components else judge.claims


def _centre(
    one: SignalVariance, options: LimitOptions, history: History | None
) -> tuple[float | None, int]:
    """Frozen centre: an earlier history's, or on fixed claims the calibration's."""
    if history is not None:
        scores = [point.score for point in history if point.score is not None]
        return sum(scores) / len(scores), len(scores)
    if options.claims == "fresh":
        return None, 0
    # one session is worth one evaluation, however many repeats it holds
    known = sum(value is not None for value in one.values)
    unmoved = one.evaluation_sd == 0
    return one.mean, known if unmoved else max(math.floor(one.mean_n or 1.0), 1)


def scaled_noise(
    one: SignalVariance, judge: JudgeVariance, options: LimitOptions, items: int
) -> Noise | None:
    """Noise of one evaluation, for the number of claims it will have; None with one session.

    Returns
    -------
    (sd, df) or None
    """
    if one.evaluation_sd is None:
        return None
    sd = _for_items(one, one.evaluation_sd, _items_of(judge, one), items)
    if options.claims == "fixed":
        return sd, one.evaluation_df
    if one.item_variance is None:
        return None
    return stats.fresh_items_noise(
        sd,
        one.evaluation_df,
        var_item=one.item_variance,
        items=max(items, 2),
        item_df=one.item_df,
    )


def _for_items(one: SignalVariance, sd: float, had: int, items: int) -> float:
    """An sd on `had` claims as it would be on `items`: claims divide the residual part only."""
    parts = one.components
    if items == had or parts is None or parts.residual is None:
        return sd * math.sqrt(had / items) if parts is None else sd
    return math.sqrt(max(sd**2 - parts.residual / had, 0.0) + parts.residual / items)


def _shown_noise(
    one: SignalVariance, noise: Noise | None, options: LimitOptions, items: int
) -> Noise | None:
    """What the limit will rest on once k evaluations are there.

    The calibration pooled with them, or, where the calibration cannot tell, the history alone: its
    sd is not known yet, and that of the repeats within the one session stands in for it.
    """
    k = options.k
    if noise is not None:
        sd, df = noise
        return sd, None if df is None else df + k - 1
    if one.within_sd is None:
        return None
    sd = one.within_sd
    if options.claims == "fresh":
        if one.item_variance is None:
            return None
        sd = math.sqrt(sd**2 + one.item_variance / items)
    return sd, float(max(k, 4) - 1)


def _limit(
    severity: Severity,
    at: float,
    noise: Noise | None,
    options: LimitOptions,
    one: SignalVariance,
    *,
    by_counts: bool,
) -> AlertLimit:
    warning = severity == "warning"
    rate = options.warning_rate if warning else options.critical_rate
    margin = options.warning_margin if warning else options.critical_margin
    if by_counts or noise is None:
        return AlertLimit(
            severity=severity,
            promised_rate=rate,
            margin=0.0 if by_counts else margin,
            expected_rate=rate,
            per_year=stats.false_alarms_per_year(rate, per_year=options.per_year),
        )
    sd, df = noise
    nu = math.inf if df is None else df
    factor = (
        stats.guaranteed_factor(nu, k=options.k, alpha=rate)
        if options.strict
        else stats.prediction_factor(nu, k=options.k, alpha=rate)
    )
    drop = max(factor * sd, margin * abs(at))
    expected, seen = 0.0, drop
    if sd > 0:
        alpha = _plain_rate(factor, nu, options.k) if options.strict else rate
        about = {"sd": sd, "df": nu, "k": options.k, "alpha": alpha, "margin": margin * abs(at)}
        expected = stats.alarm_probability(0.0, **about)  # type: ignore[arg-type]
        seen = stats.detectable_drop(**about, power=options.power)  # type: ignore[arg-type]
    sign = -1 if one.direction == "low" else 1
    return AlertLimit(
        severity=severity,
        promised_rate=rate,
        noise_drop=factor * sd,
        margin=margin,
        drop=drop,
        value=at + sign * drop,
        expected_rate=min(expected, rate),
        per_year=min(expected, rate) * options.per_year,
        detectable_drop=seen,
    )


def _plain_rate(factor: float, df: float, k: int) -> float:
    """The false-alarm rate at which the plain limit is as wide as a strict one."""
    low, high = 1e-9, 0.5
    for _ in range(60):
        middle = math.sqrt(low * high)
        if stats.prediction_factor(df, k=k, alpha=middle) > factor:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)
