"""How ``voirdire score`` shows a pilot and a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voirdire.cli.output import print_table, say
from voirdire.cli.studies import number

if TYPE_CHECKING:
    from voirdire.records import Estimate, MetricSummary, PilotCost, PilotResult, ScoreSummary

__all__ = ["show_pilot", "show_summary"]

_PILOT = ("metric", "calls", "tokens in", "tokens out", "cost", "seconds")


def show_pilot(pilot: PilotResult, *, to_stderr: bool = False) -> None:
    """What a pilot measured, and what all answers will take."""
    title = f"pilot of {pilot.answers} answers, each:"
    each = [(cost.metric, *_each(cost)) for cost in pilot.costs]
    total = [(cost.metric, *_totals(cost)) for cost in pilot.costs]
    if to_stderr:
        cells = zip(_PILOT[1:], total[-1][1:], strict=True)
        told = ", ".join(f"{name} {cell}" for name, cell in cells)
        say(f"{title[:-7]}; for all {pilot.of}: {told}")
        return
    say(
        f"{title} {pilot.claims_per_answer:.1f} claims, {pilot.chunks_per_answer:.1f} chunks"
        f"{_prices(pilot)}"
    )
    print_table(_PILOT, each)
    say(f"for all {pilot.of} answers:")
    print_table(_PILOT, total)
    for cost in pilot.costs:
        if cost.growth:
            say(f"calls of {cost.metric} grow: {cost.growth}")


def _prices(pilot: PilotResult) -> str:
    """Which money; nothing where nothing is paid, and nothing is known, for."""
    if pilot.currency:
        return f" (cost in {pilot.currency}, prices of {pilot.prices_as_of or 'unknown date'})"
    free = all(one.cost == 0 for one in pilot.costs)
    return "" if free else " (prices unknown)"


def _each(cost: PilotCost) -> tuple[str, ...]:
    values = (cost.calls, cost.tokens_in, cost.tokens_out, cost.cost, cost.seconds)
    return tuple("unknown" if value is None else f"{value:.4g}" for value in values)


def _totals(cost: PilotCost) -> tuple[str, ...]:
    totals = (cost.total_calls, cost.total_tokens_in, cost.total_tokens_out, cost.total_cost,
              cost.total_seconds)  # fmt: skip
    return tuple(map(_total, totals))


def _total(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"unknown ({estimate.undefined})"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.4g}"
    return f"{estimate.value:.4g} ({estimate.low:.4g} to {estimate.high:.4g})"


def show_summary(summary: ScoreSummary) -> None:
    """The metrics with their gaps, then what is apart, then what to do."""
    print_table(
        ("metric", "answers", "mean", "missing", "missing as 0", "missing as 1", "sd", "p10",
         "below .5"),
        map(_metric_cells, summary.metrics),
    )  # fmt: skip
    judged = summary.claims - summary.failed
    rows = [
        ("claims", f"{summary.claims}, {judged} judged"),
        ("supported (micro)", _micro(summary)),
        ("contradicted", number(summary.contradicted_share)),
        ("unverifiable", number(summary.unverifiable_share)),
        ("answers without a checkable claim", str(summary.not_applicable)),
        ("refused, and should", number(summary.refusals.refused_rightly)),
        ("refused, and should not", number(summary.refusals.refused_wrongly)),
    ]
    if summary.conflict is not None:
        found = summary.conflict
        counts = f"{found.none} / {found.sometimes} / {found.all} / {found.silent}"
        rows.append(("claims contradicted by NONE / SOMETIMES / ALL / no chunk speaks", counts))
        rows += [
            (
                "chunks that disagree",
                f"{name}, claim {claim}: chunk {one} supports, {two} contradicts",
            )
            for name, claim, one, two in found.pairs[:5]
        ]
    if summary.corrected is not None:
        rows.append(("supported, corrected", number(summary.corrected)))
        rows.append(("corrected how", summary.corrected_why))
    rows += [(f"failures and {test.attribute}", _tested(test)) for test in summary.failure_tests]
    print_table(("", "found"), rows)
    if summary.worst:
        print_table(
            ("worst answers", "faithfulness", "claims", "contradicted", "unverifiable"),
            [(one.id, f"{one.score:.2f}", str(one.claims), str(one.contradicted),
              str(one.unverifiable)) for one in summary.worst],
        )  # fmt: skip
    if summary.not_scores:
        print_table(
            ("no score", "origin", "answers", "in the mean's bounds", "what mends it"),
            [(f"{one.metric}: {one.reason.replace('_', ' ')}", one.origin, str(one.count),
              "as 0 and as 1" if one.counts_as_missing else "no, does not apply", one.remedy)
             for one in summary.not_scores],
        )  # fmt: skip
    for metric in summary.metrics:
        if metric.sentence:
            say(f"{metric.metric}: {metric.sentence}")


def _metric_cells(metric: MetricSummary) -> tuple[str, ...]:
    plain = [metric.sd, metric.p10, metric.share_below_half]
    answers = f"{metric.mean.n} of {metric.mean.n_asked}"
    partial = f", {metric.partial} partial" if metric.partial else ""
    return (
        metric.metric,
        answers + partial,
        number(metric.mean),
        _share(metric.missing),
        _plain(metric.missing_as_0.value),
        _plain(metric.missing_as_1.value),
        *map(_plain, plain),
    )


def _micro(summary: ScoreSummary) -> str:
    for metric in summary.metrics:
        if metric.micro is not None:
            return number(metric.micro)
    return "not measured"


def _share(estimate: Estimate) -> str:
    if estimate.value is None:
        return "none could be"
    return f"{100 * estimate.value:.1f} % ({estimate.k} of {estimate.n})"


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _tested(test: object) -> str:
    undefined, p = getattr(test, "undefined", None), getattr(test, "p_adjusted", None)
    if undefined or p is None:
        return f"not tested: {undefined}"
    rates = ", ".join(f"{name} {rate:.3g}" for name, rate in getattr(test, "rates", {}).items())
    verdict = "they go together" if p < 0.05 else "nothing seen"
    return f"{verdict} (p {p:.3f}; {rates})"
