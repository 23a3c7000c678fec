"""The gates on rewording: paraphrase, negation, changed numbers.

Each is conditional on people's labels of both variants, by family, and Holm's step-down holds the
level over the three: a gate that is settled leaves the wider share to the rest. A claim without a
judgment counts against acceptance and never for rejection.

A set without negations cannot show that a judge survives them. Such a gate stays open and says how
many families with one would settle it at best, if the judge errs on none; the study waives it by
name if its claims are never negated, or never hold a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from voirdire import stats
from voirdire.records import Estimate, Gate, GateAnswer
from voirdire.stats.intervals import normal_quantile
from voirdire.studies.alignment import Aligned, Column
from voirdire.studies.gates import GateLimits
from voirdire.studies.invariance import flip_map, refuted
from voirdire.studies.needs import families_needed
from voirdire.studies.pairing import Pairs, pair_up

__all__ = ["WORDING_GATES", "families_at_best", "wording_gates"]

WORDING_GATES = ("paraphrase_kept", "negation_flip", "number_seen")

Bound = Callable[[Pairs, Column, Column, float], Estimate]


@dataclass(frozen=True)
class _Kind:
    """One gate: its pairs, its number, and how missing judgments are counted for and against."""

    name: str
    what: str
    question: str
    floor: float
    pairs: Pairs
    number: Bound


def wording_gates(
    aligned: Aligned, limits: GateLimits, *, level: float, left_out: Sequence[str] = ()
) -> tuple[Gate, ...]:
    """The three gates, in the order of `WORDING_GATES`, Holm-corrected among each other.

    Parameters
    ----------
    aligned : Aligned
    limits : GateLimits
    level : float
        One-sided; each gate is first asked at ``1 - (1 - level) / m``, m the gates that have pairs.
    left_out : sequence of str
        Gates that are not asked, because the part examined leaves such claims out.
    """
    kinds = [kind for kind in _kinds(aligned, limits) if kind.name not in left_out]
    settled: dict[str, Gate] = {}
    waiting = [kind for kind in kinds if kind.pairs.size and kind.name not in limits.waive]
    for kind in kinds:
        if kind not in waiting:
            settled[kind.name] = _gate(kind, limits, level)
    while waiting:
        share = 1 - (1 - level) / len(waiting)
        found = {kind.name: _gate(kind, limits, share) for kind in waiting}
        new = {name: gate for name, gate in found.items() if gate.answer != "inconclusive"}
        settled |= new or found
        waiting = [kind for kind in waiting if kind.name not in settled]
    return tuple(settled[kind.name] for kind in kinds)


def families_at_best(name: str, floor: float, *, level: float) -> int:
    """Families that let a gate accept a judge that errs on none of them.

    For a share: the smallest G with ``(1 - level)^(1/G) >= floor``. For lost accuracy: the same
    with Tango's bound, whose value without discordant pairs is ``z^2 / (G + z^2)``.
    """
    if name == "paraphrase_kept":
        margin = -floor
        z = normal_quantile(2 * level - 1)
        return math.ceil(z**2 * (1 - margin) / margin - 1e-9)
    return math.ceil(math.log(1 - level) / math.log(floor) - 1e-9)


def _kinds(aligned: Aligned, limits: GateLimits) -> tuple[_Kind, ...]:
    pairs = pair_up(aligned)
    no = refuted(aligned).replace("_", " ")
    return (
        _Kind(
            "paraphrase_kept",
            "a paraphrase",
            "Is it as often right about a paraphrase as about the original "
            f"(at most {limits.paraphrase_margin:.2f} less)?",
            -limits.paraphrase_margin,
            pairs.of("paraphrase"),
            _kept,
        ),
        _Kind(
            "negation_flip",
            f"a negation that turns supported into {no} or back",
            f"Does a negation turn its answer in at least {100 * limits.negation_flip_floor:.0f} "
            "of 100 cases where it turns people's?",
            limits.negation_flip_floor,
            _turned(pairs.of("negation")),
            _flips,
        ),
        _Kind(
            "number_seen",
            f"a changed number, date or unit that makes a supported claim {no}",
            f"Does it see at least {100 * limits.number_seen_floor:.0f} of 100 changed numbers, "
            "dates and units in claims it rightly called supported?",
            limits.number_seen_floor,
            _refuting(pairs.of("number")),
            _seen,
        ),
    )


def _turned(pairs: Pairs) -> Pairs:
    flip = flip_map(pairs.aligned)
    return pairs.where([flip.get(one) == two for one, two in zip(*pairs.human, strict=True)])


def _refuting(pairs: Pairs) -> Pairs:
    goal = ("supported", refuted(pairs.aligned))
    return pairs.where([both == goal for both in zip(*pairs.human, strict=True)])


def _gate(kind: _Kind, limits: GateLimits, level: float) -> Gate:
    plain, worst, best = (
        kind.number(kind.pairs, *_filled(kind.pairs, how), 2 * level - 1)
        for how in ("as it is", "against", "for")
    )
    lower, upper = worst.low, best.high
    shown = plain if plain.defined else worst
    answer = stats.three_way(lower, upper, kind.floor)
    families = families_at_best(kind.name, kind.floor, level=level)
    return Gate(
        name=kind.name,
        question=kind.question,
        limit=kind.floor,
        lower=lower if upper is not None else None,
        upper=upper if lower is not None else None,
        estimate=shown,
        answer=answer,
        reason=_reason(kind, shown, answer, lower, upper, families),
        families_needed=_needed(shown, kind, limits, answer, families),
    )


def _reason(
    kind: _Kind,
    shown: Estimate,
    answer: GateAnswer,
    lower: float | None,
    upper: float | None,
    families: int,
) -> str:
    have = len(set(kind.pairs.family))
    if shown.value is None or lower is None or upper is None:
        return (
            f"{have} families hold {kind.what}, labelled by people, that can be compared; "
            f"at least {families} are needed, if it errs on none"
        )
    bounds = f"{shown.value:.2f}, bounds {lower:.2f} to {upper:.2f}"
    return {
        "accept": f"{bounds}: even the lower bound keeps {kind.floor:.2f}",
        "reject": f"{bounds}: even the upper bound is below {kind.floor:.2f}",
        "inconclusive": f"{bounds}: {kind.floor:.2f} lies between them ({shown.families} families)",
    }[answer]


def _needed(
    shown: Estimate, kind: _Kind, limits: GateLimits, answer: GateAnswer, at_best: int
) -> int | None:
    if answer != "inconclusive":
        return None
    return max(families_needed(shown, kind.floor, limits, answer) or 0, at_best)


def _filled(pairs: Pairs, how: str) -> tuple[Column, Column]:
    """The judge's labels of both members, pairs with a missing one counted against or for it."""
    one, two = (column.copy() for column in pairs.judge())
    if how == "as it is":
        return one, two
    human_one, human_two = pairs.human
    missing = (one == None) | (two == None)  # noqa: E711 - elementwise
    for row in np.flatnonzero(missing):
        one[row] = human_one[row]
        two[row] = human_two[row] if how == "for" else _other(human_two[row], pairs)
    return one, two


def _other(label: str, pairs: Pairs) -> str:
    return refuted(pairs.aligned) if label == "supported" else "supported"


def _kept(pairs: Pairs, one: Column, two: Column, level: float) -> Estimate:
    """Accuracy on paraphrases less accuracy on their originals."""
    harm = stats.paraphrase_harm(
        *pairs.human, one, two, family=pairs.family, labels=pairs.aligned.labels, level=level
    ).difference
    if harm.value is None:
        return harm
    low = None if harm.high is None else -harm.high
    high = None if harm.low is None else -harm.low
    return harm.model_copy(update={"value": -harm.value + 0.0, "low": low, "high": high})


def _flips(pairs: Pairs, one: Column, two: Column, level: float) -> Estimate:
    return stats.negation_flip_rate(
        *pairs.human,
        one,
        two,
        family=pairs.family,
        labels=pairs.aligned.labels,
        flip=flip_map(pairs.aligned),
        level=level,
    )


def _seen(pairs: Pairs, one: Column, two: Column, level: float) -> Estimate:
    """One less the blind rate."""
    blind = stats.blind_rate(
        *pairs.human,
        one,
        two,
        family=pairs.family,
        labels=pairs.aligned.labels,
        contradicted=refuted(pairs.aligned),
        level=level,
    )
    if blind.value is None:
        return blind
    low = None if blind.high is None else 1 - blind.high
    high = None if blind.low is None else 1 - blind.low
    hits = None if blind.k is None else blind.n - blind.k
    return blind.model_copy(update={"value": 1 - blind.value, "low": low, "high": high, "k": hits})
