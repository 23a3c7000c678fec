"""What moved? A change of the signal put down to the judge, the labels, the data or the system.

The newest evaluation less the baseline is taken apart: what a changed mix of slices explains
(Kitagawa's decomposition); what the judge's own change explains, measured on the canary; what
changed labels explain, measured there too; and what is left over, which is the system's. Without a
canary the judge cannot be told from the system, so nothing is apportioned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from voirdire import stats
from voirdire.errors import NotEnoughEvidence
from voirdire.records import (
    AlertPolicy,
    Attribution,
    Cause,
    CauseShare,
    Claim,
    Estimate,
    HistoryPoint,
    SlicePart,
)
from voirdire.studies.canary import Canary
from voirdire.studies.signals import item_scores
from voirdire.studies.watching import BASELINE

__all__ = ["what_moved"]

LEVEL: Final = 0.99
"""Of the intervals that decide: several causes are looked at."""
_FLIP_RATE: Final = 0.005
_FEW: Final = 5
"""Canary claims a slice must have to be weighted by production's share."""
_Z: Final = 2.5758293035489004


@dataclass(frozen=True, slots=True)
class _Part:
    """A contribution with its standard error, and how it goes with the total's noise."""

    value: float
    se: float
    n: int
    covariance: float = 0.0
    extra: bool = False
    evidence: str = ""
    undefined: str = ""


def what_moved(
    policy: AlertPolicy, history: Sequence[HistoryPoint], canary: Canary | None
) -> Attribution:
    """Apportion the move of the newest evaluation against the baseline.

    Parameters
    ----------
    policy : AlertPolicy
        Of a signal that is a mean over claims.
    history : sequence of HistoryPoint
        Oldest first; its first 8 evaluations (never the newest) are the baseline. Slices, where
        given, do not overlap and cover the evaluation; names as ``language:en`` also weight the
        canary.
    canary : Canary or None

    Raises
    ------
    NotEnoughEvidence
        Without a canary; for kappa, which is no mean over claims; with fewer than 2 scores in the
        baseline or no newest score.
    """
    if canary is None:
        raise NotEnoughEvidence(
            "without a canary a changed judge cannot be told from a changed system, so nothing "
            "is apportioned",
            todo="name the study whose claims can be asked again: --canary STUDY",
        )
    if policy.signal in ("kappa", "failures"):
        raise NotEnoughEvidence(
            f"{policy.signal} cannot be apportioned over claims",
            allowed="faithfulness, agreement, contradicted, unverifiable",
            todo="watch one of those with the same canary",
        )
    base, now = _base_and_newest(history)
    total = _total(policy, base, now)
    mix = _mix(base, now)
    judge = _judge(policy, canary, now.slices)
    labels = _labels(policy, canary)
    system = _Part(
        total.value - mix.value - judge.value - labels.value,
        math.sqrt(total.se**2 + judge.se**2 + labels.se**2),
        total.n,
        covariance=total.se**2,
        evidence="what judge, labels and data mix leave over"
        + ("" if not mix.undefined else " (a changed mix would be in it: no slices)"),
    )
    named: tuple[tuple[Cause, _Part], ...] = (
        ("judge", judge),
        ("labels", labels),
        ("mix", mix),
        ("system", system),
    )
    causes = tuple(_share(cause, part, total) for cause, part in named)
    moved = tuple(one.cause for one in causes if one.moved)
    return Attribution(
        total=_estimate(total, "newest evaluation less the baseline"),
        causes=causes,
        moved=moved,
        sentence=_sentence(total, moved),
        assumptions=_assumptions(canary, mix),
    )


def _base_and_newest(history: Sequence[HistoryPoint]) -> tuple[list[HistoryPoint], HistoryPoint]:
    earlier = [point for point in history[:-1] if point.score is not None][:BASELINE]
    if len(earlier) < 2 or history[-1].score is None:
        raise NotEnoughEvidence(
            f"the history has {len(earlier)} baseline score(s)"
            if len(earlier) < 2
            else "the newest evaluation has no score",
            allowed="2 or more earlier scores, and a newest one",
        )
    return earlier, history[-1]


def _total(policy: AlertPolicy, base: Sequence[HistoryPoint], now: HistoryPoint) -> _Part:
    scores = np.array([point.score for point in base], dtype=np.float64)
    sd = policy.sd if policy.sd is not None else float(scores.std(ddof=1))
    assert now.score is not None
    if now.judged:  # production's claims are drawn anew, whatever the calibration's were
        p = float(scores.mean())
        sd = max(sd, math.sqrt(max(p * (1 - p), 0.0) / now.judged))
    return _Part(
        now.score - float(scores.mean()), sd * math.sqrt(1 + 1 / len(scores)), now.judged or 0
    )


def _mix(base: Sequence[HistoryPoint], now: HistoryPoint) -> _Part:
    """Sum over slices of the change of share times the mean score of the slice, then and now."""
    before = _pooled([point.slices for point in base])
    if not before or not now.slices:
        return _Part(0.0, 0.0, 0, undefined="no slices in the history")
    names = sorted(set(before) | set(now.slices))
    empty = SlicePart(n=0, score=0.0)
    old = [before.get(name, empty) for name in names]
    new = [now.slices.get(name, empty) for name in names]
    n0, n1 = sum(part.n for part in old), sum(part.n for part in new)
    if n0 == 0 or n1 == 0:
        return _Part(0.0, 0.0, 0, undefined="slices without claims")
    w0 = np.array([part.n / n0 for part in old])
    w1 = np.array([part.n / n1 for part in new])
    # a slice that is new or gone has one score only: it stands for both
    score = np.array(
        [
            (one.score + two.score) / 2 if one.n and two.n else (one if one.n else two).score
            for one, two in zip(old, new, strict=True)
        ]
    )
    value = float(((w1 - w0) * score).sum())
    spread = sum(
        float((w * score**2).sum() - (w * score).sum() ** 2) / n for w, n in ((w0, n0), (w1, n1))
    )
    moved = max(range(len(names)), key=lambda i: abs(w1[i] - w0[i]))
    return _Part(
        value,
        math.sqrt(max(spread, 0.0)),
        n1,
        covariance=max(spread, 0.0),
        evidence=f"{names[moved]}: {100 * w0[moved]:.0f} % of claims then, "
        f"{100 * w1[moved]:.0f} % now",
    )


def _pooled(slices: Sequence[dict[str, SlicePart]]) -> dict[str, SlicePart]:
    found: dict[str, tuple[int, float]] = {}
    for one in slices:
        for name, part in one.items():
            n, hits = found.get(name, (0, 0.0))
            found[name] = (n + part.n, hits + part.n * part.score)
    return {name: SlicePart(n=n, score=hits / n) for name, (n, hits) in found.items() if n}


def _judge(policy: AlertPolicy, canary: Canary, slices: dict[str, SlicePart]) -> _Part:
    """The canary's score now less before, on the labels of before, weighted to production."""
    before = item_scores(policy.signal, canary.before, canary.labels_before)
    now = item_scores(policy.signal, canary.now[:, None], canary.labels_before)
    assert before is not None
    assert now is not None
    known = ~np.isnan(now[:, 0]) & ~np.isnan(before).all(axis=1)
    if not known.any():
        return _Part(0.0, 0.0, 0, undefined="no canary claim was judged then and now")
    change = now[known, 0] - np.nanmean(before[known], axis=1)
    claims = [claim for claim, keep in zip(canary.claims, known, strict=True) if keep]
    value, se = _weighted_mean(change, claims, slices)
    run = stats.run_components(before[known]).var_run or 0.0
    repeats = max(before.shape[1], 1)
    flips, p = _flips(canary)
    return _Part(
        value,
        math.sqrt(se**2 + run * (1 + 1 / repeats)),
        int(known.sum()),
        extra=p is not None and p <= _FLIP_RATE,
        evidence=flips + ("; its fingerprint is another one" if canary.judge_differs else ""),
    )


def _flips(canary: Canary) -> tuple[str, float | None]:
    """Claims answered unlike the calibration's commonest answer, against the judge's own flips."""
    table = canary.before
    repeats = table.shape[1]
    now = _unlike(table, canary.now)
    own = [_unlike(np.delete(table, r, axis=1), table[:, r]) for r in range(repeats)]
    n = len(canary.claims)
    if repeats < 2:
        return f"{now} of {n} answers changed; the calibration has one repeat", None
    found = stats.count_alarm(own, [n] * repeats, now, n)
    return (
        f"{now} of {n} answers changed, {sum(own) / repeats:.1f} by its own noise",
        found.p_value,
    )


def _unlike(table: Any, column: Any) -> int:
    """Rows whose value in a column is not the commonest one of the table."""
    count = 0
    for row, value in zip(table, column, strict=True):
        names, counts = np.unique([str(one) for one in row], return_counts=True)
        count += str(value) != str(names[int(np.argmax(counts))])
    return count


def _labels(policy: AlertPolicy, canary: Canary) -> _Part:
    """The canary's score on today's labels less on those of before, by today's answers."""
    old, new = canary.labels_before, canary.labels_now
    differ = int(sum(one != two for one, two in zip(old, new, strict=True)))
    said = f"{differ} of {len(old)} reference labels changed"
    said += "; another guideline" if canary.guideline_differs else ""
    if policy.signal != "agreement":
        return _Part(0.0, 0.0, len(old), evidence=said + "; this signal uses no labels")
    one = item_scores("agreement", canary.now[:, None], old)
    two = item_scores("agreement", canary.now[:, None], new)
    assert one is not None
    assert two is not None
    known = (
        ~np.isnan(one[:, 0])
        & np.array([label is not None for label in old])
        & np.array([label is not None for label in new])
    )
    if not known.any():
        return _Part(0.0, 0.0, 0, undefined="no canary claim has labels then and now")
    change = (two - one)[known, 0]
    claims = [claim for claim, keep in zip(canary.claims, known, strict=True) if keep]
    value, se = _weighted_mean(change, claims, {})
    return _Part(value, se, len(claims), evidence=said)


def _weighted_mean(
    change: Any, claims: Sequence[Claim], slices: dict[str, SlicePart]
) -> tuple[float, float]:
    """Mean change and its family-clustered standard error, weighted to production's slices."""
    weight = _weights(claims, slices)
    value = float((weight * change).sum())
    names = {name: place for place, name in enumerate(dict.fromkeys(c.family for c in claims))}
    sums = np.zeros(len(names))
    for claim, part in zip(claims, weight * (change - value), strict=True):
        sums[names[claim.family]] += part
    families = len(names)
    if families < 2:
        return value, 0.0
    return value, math.sqrt(families / (families - 1) * float((sums**2).sum()))


def _weights(claims: Sequence[Claim], slices: dict[str, SlicePart]) -> Any:
    """Each claim's weight: production's share of its slice, or equal where that cannot be told."""
    equal = np.full(len(claims), 1.0 / len(claims))
    found = [_slice_of(claim, slices) for claim in claims]
    total = sum(part.n for part in slices.values())
    if not slices or None in found or total == 0:
        return equal
    counts = {name: found.count(name) for name in slices}
    if any(counts[name] < _FEW for name, part in slices.items() if part.n):
        return equal
    return np.array([slices[name].n / total / counts[name] for name in found if name is not None])


def _slice_of(claim: Claim, slices: dict[str, SlicePart]) -> str | None:
    for name in slices:
        kind, colon, value = name.partition(":")
        known = colon and kind in ("language", "topic", "variant", "source")
        if known and str(getattr(claim, kind) or "") == value:
            return name
    return None


def _share(cause: Cause, part: _Part, total: _Part) -> CauseShare:
    excludes = abs(part.value) > _Z * part.se + 1e-12
    change = _estimate(part, f"contribution of the {cause}")
    return CauseShare(
        cause=cause,
        change=change,
        share=_share_estimate(part, total),
        moved=not part.undefined and (excludes or part.extra),
        evidence=part.evidence or part.undefined,
    )


def _share_estimate(part: _Part, total: _Part) -> Estimate:
    method = f"share of the move, delta method, {100 * LEVEL:.0f} %"
    about: dict[str, Any] = {"method": method, "n": part.n, "level": LEVEL}
    if part.undefined:
        return Estimate.not_defined(part.undefined, **about)
    if abs(total.value) <= _Z * total.se:
        return Estimate.not_defined("the move is within noise", **about)
    share = part.value / total.value
    variance = part.se**2 + share**2 * total.se**2 - 2 * share * part.covariance
    half = _Z * math.sqrt(max(variance, 0.0)) / abs(total.value)
    return Estimate(value=share, low=share - half, high=share + half, n_asked=part.n, **about)


def _estimate(part: _Part, method: str) -> Estimate:
    about: dict[str, Any] = {"method": method, "n": part.n, "level": LEVEL}
    if part.undefined:
        return Estimate.not_defined(part.undefined, **about)
    half = _Z * part.se
    return Estimate(
        value=part.value, low=part.value - half, high=part.value + half, n_asked=part.n, **about
    )


_WORDS: Final[dict[Cause, str]] = {
    "judge": "the judge",
    "labels": "the labels",
    "mix": "the data mix",
    "system": "the system under test",
}


def _sentence(total: _Part, moved: Sequence[Cause]) -> str:
    beyond = abs(total.value) > _Z * total.se
    size = f"{total.value:+.3f} against the baseline"
    if moved:
        names = " and ".join(_WORDS[cause] for cause in moved)
        return f"What moved: {names} ({size})."
    if beyond:
        return f"The signal moved ({size}), but no single cause stands out from noise."
    return f"Nothing moved beyond noise ({size})."


def _assumptions(canary: Canary, mix: _Part) -> tuple[str, ...]:
    said = [
        f"the judge's change on {len(canary.claims)} canary claims is taken for its change on "
        "production's claims",
        f"intervals at {100 * LEVEL:.0f} %, because several causes are looked at",
    ]
    if mix.undefined:
        said.append(f"data mix: {mix.undefined}; a changed mix would show as the system")
    return tuple(said)
