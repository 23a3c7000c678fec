"""Each gate as a function: the bound, the answer, and the sentence that explains it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voirdire import stats
from voirdire.records import Estimate, Gate, GateAnswer
from voirdire.studies import measures
from voirdire.studies.alignment import Aligned
from voirdire.studies.gates import GateLimits
from voirdire.studies.needs import families_needed
from voirdire.studies.wording_gates import wording_gates

__all__ = ["evaluate_gates"]


def evaluate_gates(
    aligned: Aligned, limits: GateLimits, *, level: float, left_out: Sequence[str] = ()
) -> tuple[Gate, ...]:
    """Every gate of `GATE_NAMES` that can be asked, in that order.

    With fewer than two annotators there is no person to compare the judge with: the gate
    ``human_ceiling`` stays open for that, and ``human_comparison`` is not asked a second time.

    Parameters
    ----------
    aligned : Aligned
        Judge, reference and people on the claims that count.
    limits : GateLimits
    level : float
        One-sided confidence of each bound; above ``limits.level`` where several candidates are
        examined (Holm).
    left_out : sequence of str
        Gates on rewording that a declared part has no claims for and is not asked.
    """
    gates: list[Gate | None] = [gate(aligned, limits, level) for gate in _GATES]
    gates += wording_gates(aligned, limits, level=level, left_out=left_out)
    return tuple(
        gate.model_copy(update={"waived": True}) if gate.name in limits.waive else gate
        for gate in gates
        if gate is not None
    )


def _data_adequacy(aligned: Aligned, limits: GateLimits, level: float) -> Gate:
    del level  # counts have no bound
    families = len(set(aligned.family))
    per_label = {
        label: len(set(aligned.family[aligned.human == label])) for label in aligned.labels
    }
    short = {
        label: limits.min_families_per_label - count
        for label, count in per_label.items()
        if count < limits.min_families_per_label
    }
    missing = max(limits.min_families - families, *short.values(), 0)
    listed = ", ".join(f"{label} {count}" for label, count in per_label.items())
    return Gate(
        name="data_adequacy",
        question=(
            f"Are there at least {limits.min_families} families, and "
            f"{limits.min_families_per_label} for each label?"
        ),
        limit=float(limits.min_families),
        answer="inconclusive" if missing else "accept",
        reason=f"{families} families; with each label: {listed}{_ties(aligned)}",
        families_needed=missing or None,
    )


def _ties(aligned: Aligned) -> str:
    """How many claims people labelled without a reference coming of it."""
    compared = {claim.id for claim in aligned.claims}
    left = sum(claim.id not in compared for claim in aligned.panel.claims)
    return f"; {left} claims on which people tie are left out" if left else ""


def _human_ceiling(aligned: Aligned, limits: GateLimits, level: float) -> Gate:
    question = f"Do people agree with each other (alpha at least {limits.human_alpha_floor:.2f})?"
    if len(aligned.annotators) < 2:
        who = "one annotator" if aligned.annotators else "no independent annotator"
        return Gate(
            name="human_ceiling",
            question=question,
            limit=limits.human_alpha_floor,
            answer="inconclusive",
            reason=f"{who}: people's own agreement is not known, so a judge cannot be held to it",
        )
    alpha = stats.krippendorff_alpha(
        aligned.panel.people,
        family=aligned.panel.family,
        labels=aligned.labels,
        level=2 * level - 1,
    )
    answer = stats.three_way(alpha.low, alpha.high, limits.human_alpha_floor)
    blame = "; the guideline needs work before any judge does" if answer == "reject" else ""
    return Gate(
        name="human_ceiling",
        question=question,
        limit=limits.human_alpha_floor,
        lower=alpha.low,
        upper=alpha.high,
        estimate=alpha,
        # People who disagree say nothing against the judge.
        answer="inconclusive" if answer == "reject" else answer,
        reason=_bound_words(alpha, limits.human_alpha_floor, answer) + blame,
        families_needed=families_needed(alpha, limits.human_alpha_floor, limits, answer),
    )


def _human_comparison(aligned: Aligned, limits: GateLimits, level: float) -> Gate | None:
    if len(aligned.annotators) < 2:
        return None
    question = (
        "Does the judge agree with people about as well as a person does "
        f"(at most {limits.human_margin:.2f} less)?"
    )
    delta = stats.leave_one_out(
        aligned.panel.people,
        aligned.panel.judge,
        family=aligned.panel.family,
        labels=aligned.labels,
        level=2 * level - 1,
    ).delta
    answer = stats.three_way(delta.low, delta.high, -limits.human_margin)
    return Gate(
        name="human_comparison",
        question=question,
        limit=-limits.human_margin,
        lower=delta.low,
        upper=delta.high,
        estimate=delta,
        answer=answer,
        reason=_bound_words(delta, -limits.human_margin, answer),
        families_needed=families_needed(delta, -limits.human_margin, limits, answer),
    )


def _kappa(aligned: Aligned, limits: GateLimits, level: float) -> Gate:
    two_sided = 2 * level - 1
    worst = measures.kappa(aligned, level=two_sided, judge=measures.filled(aligned, right=False))
    best = measures.kappa(aligned, level=two_sided, judge=measures.filled(aligned, right=True))
    plain = measures.kappa(aligned, level=two_sided)
    return _bounded(
        "kappa",
        f"Does it agree with people beyond chance (kappa at least {limits.kappa_floor:.2f})?",
        plain,
        worst,
        best,
        limits.kappa_floor,
        limits,
    )


def _contradicted_recall(aligned: Aligned, limits: GateLimits, level: float) -> Gate:
    label = measures.dangerous_label(aligned)
    worst, best = measures.recall_bounds(aligned, label, level=2 * level - 1)
    return _bounded(
        "contradicted_recall",
        f"Does it catch at least {100 * limits.contradicted_recall_floor:.0f} of 100 claims that "
        f"people call {label.replace('_', ' ')}?",
        worst,
        worst,
        best,
        limits.contradicted_recall_floor,
        limits,
    )


_GATES: tuple[Callable[[Aligned, GateLimits, float], Gate | None], ...] = (
    _data_adequacy,
    _human_ceiling,
    _human_comparison,
    _kappa,
    _contradicted_recall,
)


def _bounded(
    name: str,
    question: str,
    plain: Estimate,
    worst: Estimate,
    best: Estimate,
    floor: float,
    limits: GateLimits,
) -> Gate:
    """A gate on a number that missing judgments can move: the bounds take the worst of both."""
    lower = worst.low if worst.defined else None
    upper = best.high if best.defined else None
    answer = stats.three_way(lower, upper, floor)
    shown = plain if plain.defined else worst
    return Gate(
        name=name,
        question=question,
        limit=floor,
        lower=lower,
        upper=upper,
        estimate=shown,
        answer=answer,
        reason=_bound_words(shown, floor, answer, lower, upper),
        families_needed=families_needed(worst, floor, limits, answer),
    )


def _bound_words(
    estimate: Estimate,
    floor: float,
    answer: GateAnswer,
    lower: float | None = None,
    upper: float | None = None,
) -> str:
    if estimate.value is None:
        return f"undefined: {estimate.undefined}"
    lower = estimate.low if lower is None else lower
    upper = estimate.high if upper is None else upper
    if lower is None or upper is None:
        return f"{estimate.value:.2f} without bounds: {estimate.no_interval}"
    bounds = f"{estimate.value:.2f}, bounds {lower:.2f} to {upper:.2f}"
    return {
        "accept": f"{bounds}: even the lower bound keeps {floor:.2f}",
        "reject": f"{bounds}: even the upper bound is below {floor:.2f}",
        "inconclusive": f"{bounds}: {floor:.2f} lies between them",
    }[answer]
