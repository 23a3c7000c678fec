"""What sentences, flags and figures all look up in the results; nothing is estimated here."""

from __future__ import annotations

import re
from typing import Final, Literal

from voirdire.records import (
    JUDGED,
    AgreementResult,
    AlertPolicy,
    Components,
    Decision,
    Estimate,
    InvarianceResult,
    JudgeAgreement,
    JudgeInvariance,
    JudgeVariance,
    PairAgreement,
    PeopleResult,
    PolicyResult,
    SliceAgreement,
    VarianceResult,
    View,
    apply_view,
)

__all__ = [
    "SMALL_SLICE",
    "Place",
    "best_judge",
    "candidates",
    "dangerous_label",
    "decision_of",
    "faithfulness_policy",
    "invariance_of",
    "is_reference_line",
    "label_total",
    "largest_error",
    "pair_of",
    "place_beside_people",
    "policies_of",
    "reference_rules",
    "run_share",
    "slice_of",
    "slice_values",
    "unjudged",
    "variance_of",
    "was_right",
]

SMALL_SLICE: Final = 20
"""A slice of fewer claims is marked as small."""

Place = Literal["below", "beside", "above", "open", "unknown"]


def is_reference_line(judge: JudgeAgreement) -> bool:
    """Whether nobody means to adopt this judge: it shows what no reading at all achieves."""
    return judge.use.partition(":")[0] == "constant"


def candidates(agreement: AgreementResult) -> tuple[JudgeAgreement, ...]:
    """The judges that somebody means to adopt, in the order of the study."""
    return tuple(judge for judge in agreement.judges if not is_reference_line(judge))


def dangerous_label(view: View) -> str:
    """The label whose confusion with *supported* does harm, under a view."""
    return "contradicted" if view == "three_class" else "not_supported"


def decision_of(judge: str, decisions: tuple[Decision, ...]) -> Decision | None:
    """The decision on a judge, None if there is none."""
    return next((one for one in decisions if one.judge == judge), None)


def label_total(judge: JudgeAgreement, label: str) -> int:
    """Claims that people gave a label, judged or not."""
    row = judge.confusion.labels.index(label) if label in judge.confusion.labels else None
    return 0 if row is None else sum(judge.confusion.counts[row])


def reference_rules(agreement: AgreementResult) -> dict[str, int]:
    """Rule to the number of references it made, read from ``author (410), majority (12)``."""
    found = re.findall(r"([a-z-]+(?: [a-z-]+)*) \((\d+)\)", agreement.reference_rule.lower())
    return {rule: int(count) for rule, count in found}


def unjudged(judge: JudgeAgreement) -> int:
    """Claims that were asked and got no label."""
    return judge.n_asked - judge.outcomes.get(JUDGED, 0)


def invariance_of(result: InvarianceResult | None, judge: str) -> JudgeInvariance | None:
    """The certificate of one judge, None if there is none."""
    return next((one for one in result.judges if one.judge == judge), None) if result else None


def variance_of(result: VarianceResult | None, judge: str) -> JudgeVariance | None:
    """What repeats of one judge have shown, None if it was not looked at."""
    return next((one for one in result.judges if one.judge == judge), None) if result else None


def run_share(parts: Components | None) -> float | None:
    """Of the variance of a signal on fixed claims, the share that lies between runs.

    The rest is noise of single calls, divided by the claims. None where nothing moved or the parts
    are not known.
    """
    if parts is None or parts.residual is None or parts.run is None:
        return None
    calls = parts.residual / max(parts.items, 1)
    total = calls + parts.run
    return parts.run / total if total > 0 else None


def policies_of(result: PolicyResult | None, judge: str) -> tuple[AlertPolicy, ...]:
    """The alert policies of one judge, in the order of the signals."""
    return tuple(one for one in result.policies if one.judge == judge) if result else ()


def faithfulness_policy(result: PolicyResult | None, judge: str) -> AlertPolicy | None:
    """The policy of the signal that a dashboard shows, None if there is none."""
    return next((one for one in policies_of(result, judge) if one.signal == "faithfulness"), None)


def pair_of(people: PeopleResult, one: str, other: str) -> PairAgreement | None:
    """Two of the matrix, in either order."""
    wanted = {one, other}
    return next((pair for pair in people.pairs if {pair.one, pair.other} == wanted), None)


def place_beside_people(estimate: Estimate, ceiling: Estimate | None) -> Place:
    """Where a judge's agreement lies beside the people's: apart from it, or not.

    Beside them is a judge whose number reaches their interval, or whose interval holds theirs.
    Where two wide intervals merely touch, nothing is known: 0.00 of few claims is not "as good as
    people".
    """
    value = estimate.value
    if ceiling is None or ceiling.value is None or ceiling.low is None or ceiling.high is None:
        return "unknown"
    if value is None or estimate.low is None or estimate.high is None:
        return "unknown"
    if estimate.high < ceiling.low:
        return "below"
    if estimate.low > ceiling.high:
        return "above"
    near = value >= ceiling.low or estimate.low <= ceiling.value <= estimate.high
    return "beside" if near else "open"


def best_judge(judges: tuple[JudgeAgreement, ...]) -> JudgeAgreement | None:
    """The judge of the highest kappa, the first of equals; None if all are undefined."""
    defined = [judge for judge in judges if judge.kappa.value is not None]
    return max(defined, key=lambda judge: judge.kappa.value or 0.0) if defined else None


def slice_values(agreement: AgreementResult, kind: str) -> tuple[str, ...]:
    """The values of a kind of slice over all judges, ``original`` first, then by name."""
    values = {
        part.value for judge in agreement.judges for part in judge.slices if part.kind == kind
    }
    return tuple(sorted(values, key=lambda value: (value != "original", value)))


def slice_of(judge: JudgeAgreement, kind: str, value: str) -> SliceAgreement | None:
    """One slice of one judge."""
    return next((part for part in judge.slices if part.kind == kind and part.value == value), None)


def largest_error(judge: JudgeAgreement) -> tuple[str, str, int] | None:
    """The commonest wrong judgment as (people say, judge says, claims); None if there is none."""
    table = judge.confusion
    wrong = [
        (table.counts[i][j], -i, -j)
        for i in range(len(table.labels))
        for j in range(len(table.labels))
        if i != j
    ]
    count, row, column = max(wrong, default=(0, 0, 0))
    return (table.labels[-row], table.labels[-column], count) if count else None


def was_right(answer: str, reference: str | None, view: View) -> bool | None:
    """Whether an answer equals the reference under the view; None if it is no judgment."""
    if answer not in ("supported", "contradicted", "unverifiable", "not_supported"):
        return None
    if view == "three_class" and answer == "not_supported":
        return False
    return apply_view(answer, view) == reference  # type: ignore[arg-type]
