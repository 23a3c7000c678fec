"""The closed vocabulary: labels, outcomes, roles; and the named two-class view."""

from __future__ import annotations

from typing import Final, Literal, get_args

__all__ = [
    "JUDGED",
    "LABELS",
    "OUTCOMES",
    "VIEWS",
    "Label",
    "LabelSpace",
    "Outcome",
    "ReferenceLabel",
    "Role",
    "Status",
    "View",
    "apply_view",
    "view_labels",
]

Label = Literal["supported", "contradicted", "unverifiable"]
"""What a judge may answer, given the context."""

ReferenceLabel = Literal["supported", "contradicted", "unverifiable", "not_supported"]
"""What people may have said; ``not_supported`` only in a two-class source."""

LabelSpace = Literal["three_class", "two_class"]

Outcome = Literal[
    "judged",
    "abstained",
    "refused",
    "unparsable",
    "truncated",
    "timed_out",
    "rate_limited",
    "failed",
    "not_applicable",
]
"""``judged``, or the named way it was not. Closed, and coerced to a label never."""

Role = Literal["annotator", "adjudicator", "published", "author"]
"""Who gave a label: an independent annotator, the one who settled a dispute, a source that
published one label without saying whose, or the author of a written example."""

Status = Literal["labelled", "skipped", "cancelled", "empty"]

View = Literal["three_class", "supported_or_not"]
"""How labels are compared: as they are, or `contradicted` and `unverifiable` together as
`not_supported`. The second is the only view under which a two-class source is scored."""

LABELS: Final[tuple[Label, ...]] = get_args(Label)
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
VIEWS: Final[tuple[View, ...]] = get_args(View)
JUDGED: Final[Outcome] = "judged"


def view_labels(view: View) -> tuple[ReferenceLabel, ...]:
    """The labels that can occur under a view, in the fixed order of every table."""
    return LABELS if view == "three_class" else ("supported", "not_supported")


def apply_view(label: ReferenceLabel, view: View) -> ReferenceLabel:
    """A label as the view shows it.

    Raises
    ------
    ValueError
        If a two-class label is asked for under the three-class view: it is not known whether
        the source meant contradicted or unverifiable.
    """
    if view == "three_class":
        if label == "not_supported":
            raise ValueError("'not_supported' has no place in the three-class view")
        return label
    return "supported" if label == "supported" else "not_supported"
