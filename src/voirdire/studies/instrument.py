"""Is it still the instrument that the policy was made for? Judge, label set and guideline."""

from __future__ import annotations

from typing import Final

from voirdire.errors import SealBroken
from voirdire.records import AlertPolicy, HistoryPoint

__all__ = ["of_this_instrument"]

_SHORTEST_DIGEST: Final = 12


def of_this_instrument(
    policy: AlertPolicy, points: list[HistoryPoint]
) -> tuple[list[HistoryPoint], list[str]]:
    """The evaluations by the judge, labels and guideline that the policy holds for.

    Older lines of another instrument are left out; once the policy's own instrument has been seen,
    or on the newest line, another one is a fault.
    """
    notes: list[str] = []
    start = 0
    for place, point in enumerate(points):
        if not _same(policy, point) and all(not _same(policy, one) for one in points[:place]):
            start = place + 1
    if start >= len(points) > 0:
        _refuse_other(policy, points[-1])
    if start:
        notes.append(
            f"{start} older evaluation(s) of another judge, label set or guideline are left out"
        )
    for point in points[start:]:
        _refuse_other(policy, point)
    if any(point.judge is None for point in points[start:]):
        notes.append("some lines do not name the judge: that it is the policy's is not checked")
    return points[start:], notes


def _same(policy: AlertPolicy, point: HistoryPoint) -> bool:
    return not _difference(policy, point)


def _difference(policy: AlertPolicy, point: HistoryPoint) -> tuple[str, str, str] | None:
    """What differs: name, found, expected; None if nothing that is said does."""
    if point.judge is not None and not any(
        _names(point.judge, digest) for digest in policy.fingerprints
    ):
        return "judge", point.judge, ", ".join(one[:16] for one in policy.fingerprints)
    if point.label_set is not None and point.label_set not in (
        policy.view,
        "|".join(policy.label_set),
    ):
        return "label set", point.label_set, policy.view
    if point.guideline is not None and point.guideline not in policy.guidelines:
        return "guideline", point.guideline, ", ".join(policy.guidelines) or "none"
    return None


def _names(said: str, digest: str) -> bool:
    """Whether a fingerprint, or its first twelve letters or more, names a digest."""
    return len(said) >= _SHORTEST_DIGEST and digest.startswith(said.lower())


def _refuse_other(policy: AlertPolicy, point: HistoryPoint) -> None:
    difference = _difference(policy, point)
    if difference is None:
        return
    name, found, expected = difference
    raise SealBroken(
        f"the {name} of the evaluation of {point.time.date()} is {found[:64]!r}: the policy holds "
        "for another instrument",
        where=f"line {point.line}" if point.line else "",
        allowed=f"{name} {expected}",
        todo="repeat the judge as it is now and set new limits: 'voirdire run --fresh', 'vary', "
        "'limits'",
    )
