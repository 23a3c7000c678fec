"""Titles of the figures about several judges and about a threshold, made from the numbers."""

from __future__ import annotations

from voirdire.records.contest import ContestResult, CoveragePoint, RiskCoverage
from voirdire.records.operating import OperatingPoint
from voirdire.reports.formats import Formats
from voirdire.reports.words import Words

__all__ = ["contest_findings", "half_point"]


def contest_findings(
    contest: ContestResult | None,
    operating: OperatingPoint | None,
    words: Words,
    formats: Formats,
) -> dict[str, str]:
    """Name of a figure to its title; only of figures that have something to show."""
    found: dict[str, str] = {}
    if contest is not None and any(curve.points for curve in contest.risk):
        found["risk"] = _risk(contest, words, formats)
    if operating is not None and operating.curve:
        found["operating"] = _operating(operating, words, formats)
    return found


def half_point(curve: RiskCoverage) -> CoveragePoint:
    """The point that keeps at least half of the answers, and as few more as can be."""
    enough = [point for point in curve.points if point.coverage >= 0.5]
    return min(enough or curve.points, key=lambda point: abs(point.coverage - 0.5))


def _risk(contest: ContestResult, words: Words, formats: Formats) -> str:
    """What the surest half of the answers saves, for the judge for which it saves most."""
    curves = [curve for curve in contest.risk if curve.points]
    saved = [(curve.points[-1].risk - half_point(curve).risk, curve) for curve in curves]
    most, curve = max(saved, key=lambda one: one[0])
    half, whole = half_point(curve), curve.points[-1]
    if most <= 0:
        return words("finding.risk.none")
    return words(
        "finding.risk.falls",
        judge=curve.judge,
        kept=formats.share(half.coverage),
        half=formats.share(half.risk),
        whole=formats.share(whole.risk),
    )


def _operating(point: OperatingPoint, words: Words, formats: Formats) -> str:
    cost = point.cost_on_test.value
    blind = min(point.always_supported, point.never_supported)
    if cost is None:
        return words("finding.operating.unknown", judge=point.judge)
    key = "saves" if cost < blind else "saves_nothing"
    return words(
        f"finding.operating.{key}",
        judge=point.judge,
        threshold=formats.fine(point.threshold),
        cost=formats.number(cost),
        blind=formats.number(blind),
    )
