"""Does the alert policy of a judge hold for the judge that follows it?

A limit promises so many warnings per evaluation without a change. It stands at a distance from a
level, and the distance was made from the old judge's noise. So two things are asked of the new
judge's repeats on the same claims: whether its noise, the limit staying where it is, keeps the
promise; and whether its own level lies within the warning limits. Each has three answers:

- derive again, if the promise is broken even at the lower bound of the noise, if the level lies
  beyond a limit with its whole interval, or if it has moved for certain and so far that warnings
  would come more than three times as often as promised;
- holds, if at the upper bound of the noise there are at most three times as many warnings as
  promised, and the level lies within the limits with its whole interval;
- not enough repeats to tell, else. A noise between days shows only in several sessions.

A level that moved the good way counts as well: a drop from there is seen too late.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import Any, Final

from voirdire import stats
from voirdire.records import AlertPolicy, Estimate, JudgeVariance, SignalVariance
from voirdire.records.upgrade import PolicyAnswer, PolicyCheck
from voirdire.stats import distributions
from voirdire.studies.limit_numbers import LimitOptions, baseline_counts
from voirdire.studies.limits import scaled_noise

__all__ = ["TOLERATED", "check_policy", "in_all", "not_checked"]

TOLERATED: Final = 3.0
"""So many times the promised warnings still hold: a limit is hardly known better itself."""

_ORDER: Final[tuple[PolicyAnswer, ...]] = ("derive_again", "too_few_repeats", "holds")
_NOISE = "sd of one evaluation between repeats, chi-square interval"
_LEVEL = "mean of the repeats on the policy's claims, t interval of its distance from the policy's"


@dataclass(frozen=True, slots=True)
class _Part:
    """What one question came to."""

    answer: PolicyAnswer
    reason: str


def in_all(answers: Sequence[PolicyAnswer]) -> PolicyAnswer:
    """One answer for several: the gravest."""
    return min(answers, key=_ORDER.index)


def not_checked(
    policy: AlertPolicy, reason: str, *, answer: PolicyAnswer, runs: Sequence[str] = ()
) -> PolicyCheck:
    """An answer that needs no repeats: another guideline, say, or one single asking."""
    return PolicyCheck(
        signal=policy.signal,
        direction=policy.direction,
        answer=answer,
        reasons=(reason,),
        runs=tuple(runs),
        assumed_sd=policy.sd,
        noise=Estimate.not_defined(reason, method=_NOISE),
        promised_rate=policy.warning.promised_rate,
        centre=_at(policy),
        level=Estimate.not_defined(reason, method=_LEVEL),
        warning_drop=policy.warning.drop,
        warning_value=policy.warning.value,
    )


def check_policy(policy: AlertPolicy, judge: JudgeVariance, *, level: float = 0.95) -> PolicyCheck:
    """Hold one policy against the repeats of a judge on the policy's own claims.

    Parameters
    ----------
    policy : AlertPolicy
        Of the judge in use.
    judge : JudgeVariance
        The new judge's repeats, as `judge_variance` reads them.
    level : float
        Two-sided, of the bounds.
    """
    one = next((each for each in judge.signals if each.signal == policy.signal), None)
    if one is None or one.mean is None:
        why = f"the new judge's repeats give no {policy.signal}"
        return not_checked(policy, why, answer="derive_again", runs=judge.runs)
    if policy.rule == "counts" or policy.warning.drop is None:
        noise, expected = (
            Estimate.not_defined("a limit on counts rests on none", method=_NOISE),
            None,
        )
        where = _bare(one, judge)
        parts = [_counts(policy, judge, one)]
    else:
        noise = _noise(policy, judge, one, level)
        where = _level(policy, judge, one, level)
        expected = None if noise.value is None else _rate(policy, noise.value)
        parts = [_noise_part(policy, judge, noise), _level_part(policy, noise, where)]
    return PolicyCheck(
        signal=policy.signal,
        direction=policy.direction,
        answer=in_all([part.answer for part in parts]),
        reasons=tuple(part.reason for part in parts),
        runs=judge.runs,
        repeats=judge.repeats,
        assumed_sd=policy.sd,
        noise=noise,
        promised_rate=policy.warning.promised_rate,
        expected_rate=expected,
        centre=_at(policy),
        level=where,
        warning_drop=policy.warning.drop,
        warning_value=policy.warning.value,
    )


def _at(policy: AlertPolicy) -> float | None:
    if policy.centre is not None:
        return policy.centre
    return fmean(policy.calibration) if policy.calibration else None


def _rate(policy: AlertPolicy, sd: float, *, shift: float = 0.0) -> float:
    """Warnings per evaluation of a judge with this noise that lies so much nearer to the limit."""
    left = (policy.warning.drop or 0.0) - shift
    if sd == 0:
        return float(left <= 0)
    return NormalDist().cdf(-left / (sd * math.sqrt(1 + 1 / policy.k)))


def _noise(
    policy: AlertPolicy, judge: JudgeVariance, one: SignalVariance, level: float
) -> Estimate:
    """The new judge's noise on evaluations like the policy's; within a day if it had one only."""
    options = LimitOptions(claims=policy.claims, items=policy.items)
    about: dict[str, Any] = {
        "method": _NOISE,
        "n": judge.repeats,
        "n_asked": judge.repeats,
        "level": level,
    }
    found = scaled_noise(one, judge, options, policy.items)
    notes: tuple[str, ...] = ()
    if found is None and one.within_sd is not None:
        fresh = (one.item_variance or 0.0) / policy.items if policy.claims == "fresh" else 0.0
        found = math.sqrt(one.within_sd**2 + fresh), float(judge.repeats - 1)
        notes = ("one session: noise between days is not in it",)
    if found is None:
        return Estimate.not_defined("asked once", **about)
    sd, df = found
    if sd == 0 or df is None:
        why = "nothing moved"
        return Estimate(value=sd, no_interval=why, notes=notes, **about)
    low, high = stats.sd_bounds(sd, df=df, level=level)
    if math.isinf(high):
        why = "too few repeats for an upper bound"
        return Estimate(value=sd, no_interval=why, notes=notes, **about)
    return Estimate(value=sd, low=low, high=high, notes=notes, **about)


def _noise_part(policy: AlertPolicy, judge: JudgeVariance, noise: Estimate) -> _Part:
    if noise.value is None:
        return _Part("too_few_repeats", f"noise: {noise.undefined}")
    promised, moved = policy.warning.promised_rate, noise.value > 0
    assumed = "none of its own" if policy.sd is None else f"{policy.sd:.4f}"
    told = f"noise: sd {noise.value:.4f}" + (
        f" ({noise.low:.4f} to {noise.high:.4f})" if noise.low is not None else ""
    )
    told += (
        f", the policy has {assumed}; with its limit that is {_rate(policy, noise.value):.1%} "
        f"warnings per evaluation, {promised:.1%} are promised"
    )
    if noise.low is not None and _rate(policy, noise.low) > promised:
        return _Part("derive_again", f"{told}; more than that even at the lower bound")
    if moved and len(set(judge.sessions)) < 2 and len(policy.baseline_runs) > 1:
        return _Part(
            "too_few_repeats",
            f"{told}; the policy rests on {len(policy.baseline_runs)} sessions, this on one: ask "
            "again on another day ('voirdire run --fresh')",
        )
    if not moved and noise.no_interval is not None:
        return _Part("holds", told)
    if noise.high is not None and _rate(policy, noise.high) <= TOLERATED * promised:
        return _Part("holds", told)
    return _Part(
        "too_few_repeats",
        f"{told}; the upper bound would allow more than {TOLERATED:g} times that",
    )


def _level(
    policy: AlertPolicy, judge: JudgeVariance, one: SignalVariance, level: float
) -> Estimate:
    """The new level, with the interval of its distance from the old one on the same claims."""
    assert one.mean is not None
    about: dict[str, Any] = {
        "method": _LEVEL,
        "n": judge.claims,
        "n_asked": judge.claims,
        "level": level,
    }
    before = list(policy.calibration)
    sds = (
        (one.evaluation_sd if one.evaluation_sd is not None else one.within_sd) or 0.0,
        stdev(before) if len(before) > 1 else 0.0,
    )
    known = len(before) if sds[1] == 0 else max(min(len(policy.baseline_runs), len(before)), 1)
    worth = one.mean_n or 1.0, float(known)
    parts = [sd**2 / n for sd, n in zip(sds, worth, strict=True)]
    error = math.sqrt(sum(parts))
    if error == 0:
        return Estimate(value=one.mean, low=one.mean, high=one.mean, **about)
    freedom = (
        max(one.evaluation_df or judge.repeats - 1.0, 1.0),
        max(len(before) - 1.0, 1.0),
    )
    df = sum(parts) ** 2 / sum(part**2 / f for part, f in zip(parts, freedom, strict=True))
    reach = float(distributions.t_isf((1 - level) / 2, df)) * error
    return Estimate(value=one.mean, low=one.mean - reach, high=one.mean + reach, **about)


def _bare(one: SignalVariance, judge: JudgeVariance) -> Estimate:
    return Estimate(
        value=one.mean,
        no_interval="held against the policy's count",
        method="mean of the repeats",
        n=judge.claims,
        n_asked=judge.claims,
    )


def _level_part(policy: AlertPolicy, noise: Estimate, where: Estimate) -> _Part:
    """The distance from the level that the old judge had on the same claims, to either side."""
    drop, at = policy.warning.drop, _at(policy)
    if drop is None or at is None or not policy.calibration or where.value is None:
        return _Part("too_few_repeats", "level: the policy has none to be held against")
    old = fmean(policy.calibration)
    assert where.low is not None
    assert where.high is not None
    low, high = where.low - old, where.high - old
    shift = where.value - old
    told = (
        f"level: {where.value:.4f} ({where.low:.4f} to {where.high:.4f}), the old judge's "
        f"{old:.4f} on the same claims, a warning {drop:.4f} from it"
    )
    least = max(low, -high, 0.0)
    rate = _rate(policy, noise.value or 0.0, shift=abs(shift))
    if least > drop:
        worse = (shift < 0) == (policy.direction == "low")
        then = "evaluations would warn" if worse else "a change for the worse is seen too late"
        return _Part("derive_again", f"{told}; it lies beyond: {then}")
    if least > 0 and rate > TOLERATED * policy.warning.promised_rate:
        return _Part(
            "derive_again",
            f"{told}; it has moved for certain, and {rate:.1%} of evaluations would lie beyond",
        )
    if max(high, -low) <= drop:
        return _Part("holds", f"{told}: within")
    return _Part("too_few_repeats", f"{told}: it may lie on either side")


def _counts(policy: AlertPolicy, judge: JudgeVariance, one: SignalVariance) -> _Part:
    """Events in the mean repeat, held against the policy's as `watch` would."""
    events, n = _of_one(*baseline_counts(judge, one), sum(v is not None for v in one.values))
    old = policy.baseline_events, policy.baseline_n
    usual = _of_one(*old, len(policy.calibration))
    told = f"count: {events} of {n} in the mean repeat, the policy's {usual[0]} of {usual[1]}"
    if not n or not usual[1]:
        return _Part("too_few_repeats", f"{told}: nothing to compare")
    rates: dict[str, Any] = {
        "alpha_warning": policy.warning.promised_rate,
        "alpha_critical": policy.critical.promised_rate,
    }
    worse = stats.count_alarm([old[0]], [old[1]], events, n, **rates).state
    if worse in ("warning", "critical"):
        return _Part("derive_again", f"{told}: that is a {worse} by itself")
    better = stats.count_alarm([events], [n], *usual, **rates).state
    if better == "critical":
        return _Part("derive_again", f"{told}: far fewer, a rise would be seen too late")
    return _Part("holds", f"{told}: no more than chance gives")


def _of_one(events: int, n: int, repeats: int) -> tuple[int, int]:
    return (round(events / repeats), n // repeats) if repeats else (0, 0)
