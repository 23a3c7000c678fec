"""When to stop repeating: what more repeats, more claims and more days would bring, and would not.

A limit that is no wider than the practical margin needs an sd of at most ``margin / 2.6`` (the
prediction factor at 1 percent with a well-known sd). As long as the interval of the sd lies on
both sides of that, more repeats can settle the question; once it lies on one side they cannot, and
claims or the runs themselves are what to change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

from voirdire import stats
from voirdire.records import SignalVariance

__all__ = ["FACTOR", "advice_on"]

FACTOR = 2.6
"""Prediction factor at 1 percent, four evaluations in the base, sd known."""
MARGIN = 0.05


def advice_on(
    signals: Sequence[SignalVariance],
    sessions: Sequence[str],
    *,
    deterministic: bool,
    served: bool = False,
) -> tuple[str, ...]:
    """Sentences on what to do next, the most useful first.

    Parameters
    ----------
    signals : sequence of SignalVariance
        The first with a mean is spoken of: faithfulness.
    sessions : sequence of str
        Session of each repeat.
    deterministic : bool
        Whether no answer ever changed.
    served : bool
        Whether a model behind a server answered: what else it serves then, its batches and its
        caches move its answers even at temperature 0, so that repeats alike prove nothing.
    """
    one = next((signal for signal in signals if signal.mean is not None), None)
    days = len(set(sessions))
    if deterministic and served:
        return (
            f"No answer changed in these {len(sessions)} repeats, which does not make the judge "
            "deterministic: a model behind a server flips by load, batches and caches, even at "
            "temperature 0. How often it may flip all the same is the interval above; more claims "
            "narrow it, and a run on another day, with --fresh, shows other conditions.",
        )
    if deterministic:
        return (
            "No answer ever changed: the noise on these claims is exactly 0, and any change of "
            "the signal on them is a change of judge or input. More repeats show nothing new.",
            "On fresh claims the signal still moves, by which claims are drawn: the limits count "
            "that (voirdire limits --fresh).",
        )
    if one is None or one.mean is None:
        return ("No signal could be formed, so there is nothing to repeat for.",)
    said = [] if days > 1 else [_one_session(len(sessions))]
    said += _repeats(one, len(sessions))
    said += _claims(one)
    return tuple(said)


def _one_session(repeats: int) -> str:
    return (
        f"All {repeats} repeats are of one session: what another day adds is not known, so limits "
        "will rest on the history of evaluations alone. Run once more on another day with --fresh; "
        "more repeats within this session do not help."
    )


def _repeats(one: SignalVariance, repeats: int) -> list[str]:
    """Whether more repeats would settle if the noise fits under the practical margin."""
    sd, target = one.sd, MARGIN * abs(one.mean or 0.0) / FACTOR
    if sd.value is None:
        return []
    if sd.low is None or sd.high is None:
        return ["The repeats of this signal never differed; its noise is 0 so far."]
    bounds = f"sd {sd.value:.4f}, {sd.low:.4f} to {sd.high:.4f}"
    if sd.high <= target:
        return [
            f"Enough repeats: even the upper end of the sd ({bounds}) keeps a 1 % limit inside a "
            f"drop of {100 * MARGIN:.0f} %."
        ]
    if sd.low > target:
        return [
            f"More repeats will not help: even the lower end of the sd ({bounds}) is too large for "
            f"a limit inside a drop of {100 * MARGIN:.0f} % (at most {target:.4f})."
        ]
    more = _repeats_to_settle(sd.value, target)
    if more is None or more <= repeats:
        return [
            f"The sd ({bounds}) lies close to {target:.4f}, what a 5 % limit allows: hundreds of "
            "more repeats would be needed to tell on which side."
        ]
    return [
        f"About {more - repeats} more repeats would show whether a 1 % limit fits inside a drop of "
        f"{100 * MARGIN:.0f} %: the sd ({bounds}) may lie on either side of {target:.4f}."
    ]


def _repeats_to_settle(sd: float, target: float) -> int | None:
    """Repeats with which the interval of this sd no longer holds the target; None above 1000."""
    for n in chain(range(3, 60), range(60, 1001, 10)):
        low, high = stats.sd_factors(n)
        if sd * high <= target or sd * low > target:
            return n
    return None


def _claims(one: SignalVariance) -> list[str]:
    """What more claims would bring: they divide the residual part, never the run effect."""
    parts, mean = one.components, abs(one.mean or 0.0)
    if parts is None or parts.run is None or parts.residual is None or not mean:
        return []
    total = parts.run + parts.residual / parts.items
    if total <= 0:
        return []
    share = 100 * parts.residual / parts.items / total
    target = MARGIN * mean / FACTOR
    if math.sqrt(total) <= target:
        return []
    if parts.run >= target**2:
        return [
            f"More claims will not help enough: whole runs differ with an sd of "
            f"{math.sqrt(parts.run):.4f}, above {target:.4f}, whatever the number of claims. "
            "Averaging several runs an evaluation does."
        ]
    needed = math.ceil(parts.residual / (target**2 - parts.run))
    return [
        f"More claims help: {share:.0f} % of the variance is call noise, which claims divide. "
        f"{needed} claims instead of {parts.items} bring the sd to {target:.4f}; asking each claim "
        f"{math.ceil(needed / parts.items)} times and averaging does about the same."
    ]
