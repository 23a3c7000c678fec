"""A policy in sentences: what it can and cannot see, and how each number came about."""

from __future__ import annotations

from collections.abc import Iterator

from voirdire.records import AlertLimit, AlertPolicy, JudgeVariance, SignalVariance
from voirdire.studies.signals import NAMES

__all__ = ["derivation_of", "sentences_of"]


def sentences_of(policy: AlertPolicy, one: SignalVariance) -> tuple[str, ...]:
    """What the policy does, for a reader who wants no formula."""
    return tuple(_sentences(policy, one))


def _sentences(policy: AlertPolicy, one: SignalVariance) -> Iterator[str]:
    if policy.rule == "counts":
        yield (
            f"{_share_name(policy)} is watched by counts, exactly: a count fires that would be "
            f"seen in at most {_percent(policy.warning.promised_rate)} (warning) or "
            f"{_percent(policy.critical.promised_rate)} (critical) of evaluations if nothing had "
            "changed."
        )
        yield _yearly(policy)
        return
    if policy.sd is None and one.within_sd is None:
        yield "The repeats tell nothing of the noise: the history of evaluations alone will."
        return
    if policy.sd is None:
        yield (
            "All repeats are of one session, so the limits rest on the history of evaluations "
            f"alone: they need {max(policy.k, 4)} of them, and the numbers below are what they "
            "would be if days added nothing."
        )
    if _noise(policy) == 0:
        yield (
            "The judge is deterministic on these claims: the noise limit is 0, any change is a "
            "real change of input or judge, and the practical margins alone decide."
        )
    for limit in (policy.warning, policy.critical):
        yield _limit_sentence(policy, limit)
    yield _yearly(policy)
    yield from _wanted_drop(policy)
    if policy.naive is not None and policy.naive.sd > 0:
        yield (
            "The usual rule, 5 % or 10 % below the mean of the last "
            f"{policy.naive.k}, would fire without cause in {_percent(policy.naive.warning_rate)} "
            f"and {_percent(policy.naive.critical_rate)} of evaluations here."
        )


def _share_name(policy: AlertPolicy) -> str:
    name = NAMES[policy.signal]
    return name[0].upper() + name[1:]


def _limit_sentence(policy: AlertPolicy, limit: AlertLimit) -> str:
    assert limit.drop is not None
    assert limit.noise_drop is not None
    word = "drop" if policy.direction == "low" else "rise"
    at = _at(policy)
    why = (
        f"noise alone reaches {limit.noise_drop:.4f}"
        if limit.noise_drop >= limit.margin * abs(at)
        else f"the practical margin of {_percent(limit.margin)}; noise reaches "
        f"{limit.noise_drop:.4f}"
    )
    return (
        f"{limit.severity.capitalize()}: a {word} of more than {limit.drop:.4f} "
        f"({_percent(limit.drop / abs(at)) if at else 'of a centre of 0'}) below the mean of the "
        f"last {policy.k} ({why})."
    ).replace("below", "below" if policy.direction == "low" else "above")


def _yearly(policy: AlertPolicy) -> str:
    one, two = policy.warning, policy.critical
    return (
        f"At {policy.per_year:g} evaluations a year expect at most "
        f"{one.per_year or 0:.1f} false warnings and {two.per_year or 0:.1f} false criticals a "
        "year while nothing changes."
    )


def _wanted_drop(policy: AlertPolicy) -> Iterator[str]:
    """Whether this design can see the drop the user cares about, by its noise alone."""
    at, wanted = _at(policy), policy.wanted_drop
    word = "drop" if policy.direction == "low" else "rise"
    seen = policy.warning.detectable_drop
    if seen is None or not at:
        return
    if policy.warning.noise_drop == 0:
        yield f"A true {word} beyond the limit is always seen, one within it never."
        return
    limit = policy.warning.drop or 0.0
    yield (
        f"Two sizes, not to be confused: a true {word} as large as the warning's limit itself, "
        f"{limit:.4f}, fires in about half of the evaluations, because noise puts the newest on "
        f"either side of the limit; a true {word} of {seen:.4f} ({_percent(seen / abs(at))}) lies "
        f"far enough beyond it to fire in {100 * policy.power_wanted:.0f} %."
    )
    needed = policy.items_needed
    if needed is None:
        yield (
            f"This design cannot see a {_percent(wanted)} {word}, and no number of claims would: "
            "whole evaluations differ by more. Average several runs an evaluation."
        )
    elif needed > policy.items:
        yield (
            f"This design cannot see a {_percent(wanted)} {word}: noise hides it at "
            f"{policy.items} claims; {needed} claims would bring the noise low enough."
        )
    elif policy.warning.margin >= wanted:
        held = "is just" if policy.warning.margin == wanted else "lies within"
        share = "about" if policy.warning.margin == wanted else "less than"
        yield (
            f"A {_percent(wanted)} {word} {held} the practical margin of "
            f"{_percent(policy.warning.margin)}, so it fires in {share} half of the evaluations. "
            f"The margin holds it back, not the noise: {needed} claims are enough for that "
            f"({policy.items} are there)."
        )
    else:
        yield f"A {_percent(wanted)} {word} can be seen: {needed} claims are enough."


def derivation_of(
    policy: AlertPolicy, one: SignalVariance, judge: JudgeVariance
) -> tuple[str, ...]:
    """How the numbers came about, step by step, filled in."""
    return tuple(_steps(policy, one, judge))


def _steps(policy: AlertPolicy, one: SignalVariance, judge: JudgeVariance) -> Iterator[str]:
    days = len(set(judge.sessions))
    values = ", ".join("–" if value is None else f"{value:.4f}" for value in one.values[:12])
    more = f" … ({len(one.values)} in all)" if len(one.values) > 12 else ""
    yield f"signal: {NAMES[policy.signal]}, at each of {judge.repeats} repeats: {values}{more}"
    yield (
        f"mean {one.mean:.4f}; sd of the repeats {one.sd.value or 0:.4f} on {judge.claims} claims; "
        f"{days} session(s)"
    )
    parts = one.components
    if parts is not None and parts.residual is not None:
        yield (
            f"components ({parts.method}): claims {parts.item:.6f}, runs {parts.run:.6f}, residual "
            f"{parts.residual:.6f}; variance of the mean on {parts.items} fixed claims = runs + "
            f"residual/{parts.items} = {(parts.run or 0) + parts.residual / parts.items:.6f}"
        )
    if policy.rule == "counts":
        yield (
            "near 0 or 1 a normal limit is wrong: the newest count is held against the earlier "
            f"ones exactly; calibration {policy.baseline_events} of {policy.baseline_n}"
        )
        return
    yield from _noise_steps(policy, one)
    yield from _limit_steps(policy)


def _noise_steps(policy: AlertPolicy, one: SignalVariance) -> Iterator[str]:
    if policy.sd is None:
        yield (
            "noise of one evaluation: one session cannot tell it; s comes from the last "
            f"{max(policy.k, 4)} evaluations (df {max(policy.k, 4) - 1}), from up to 12 by their "
            "successive differences"
        )
        return
    df = "known" if policy.df is None else f"{policy.df:.1f}"
    text = (
        f"noise of one evaluation: s = {policy.sd:.4f}, df {df} (variance between sessions counts "
        "whole; Satterthwaite)"
    )
    if policy.claims == "fresh" and one.item_variance is not None:
        text += (
            f"; fresh claims add {one.item_variance:.4f}/{policy.items} = "
            f"{one.item_variance / policy.items:.6f} to its square"
        )
    yield text
    if policy.df is not None:
        yield (
            f"pooled with the last k = {policy.k}: s² = (df s² + (k-1) s_hist²)/(df + k-1), "
            f"df {policy.df + policy.k - 1:.1f}; if the history is noisier (F at 5 %) it stands "
            "alone"
        )


def _limit_steps(policy: AlertPolicy) -> Iterator[str]:
    at = _at(policy)
    kind = "z √(1+1/k) √(df/χ²)" if policy.strict else "t √(1+1/k)"
    for limit in (policy.warning, policy.critical):
        if limit.noise_drop is None or limit.drop is None:
            continue
        yield (
            f"{limit.severity}: noise limit = {kind} s = {limit.noise_drop:.4f} at "
            f"{_percent(limit.promised_rate)} false alarms; margin = {limit.margin:g} x {at:.4f} = "
            f"{limit.margin * abs(at):.4f}; limit = the larger = {limit.drop:.4f}; today at "
            f"{limit.value:.4f}; expected false alarms {_percent(limit.expected_rate or 0)}"
        )
    if policy.drift is not None:
        yield (
            f"drift: EWMA, weight {policy.drift.weight:g}, against the frozen centre; limit t s "
            f"√(w/(2-w)(1-(1-w)^2t) + (1-(1-w)^t)²/n) with n = {policy.centre_n or 'baseline'} "
            f"evaluations, {_percent(policy.drift.rate)} an evaluation"
        )


def _noise(policy: AlertPolicy) -> float | None:
    return policy.sd


def _at(policy: AlertPolicy) -> float:
    """The level that margins are relative to."""
    if policy.centre is not None:
        return policy.centre
    return sum(policy.calibration) / len(policy.calibration) if policy.calibration else 0.0


def _percent(share: float) -> str:
    value = 100 * share
    return f"{value:.1f} %" if value < 10 and value != int(value) else f"{value:.0f} %"
