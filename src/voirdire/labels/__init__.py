"""The human side: claim sets, what people said of them, and the reference label."""

from __future__ import annotations

from voirdire.labels.check import check_claim_set
from voirdire.labels.claim_set import (
    ClaimSet,
    Inspection,
    SetInfo,
    inspect_claim_set,
    load_claim_set,
)
from voirdire.labels.frames import from_frame, labels_frame, to_frame
from voirdire.labels.importing import (
    ImportSummary,
    SourceError,
    check_source,
    import_file,
    read_source,
)
from voirdire.labels.options import ImportOptions
from voirdire.labels.reference import (
    Reference,
    References,
    references,
    resolve_view,
    standing_labels,
)
from voirdire.labels.selection import (
    STARTER_SETS,
    SelectedSet,
    StudyClaims,
    claims_of_study,
    find_claim_set,
    select_claims,
    starter_set,
)
from voirdire.labels.splits import DEFAULT_SHARES, make_splits
from voirdire.labels.writing import write_claim_set

__all__ = [
    "DEFAULT_SHARES",
    "STARTER_SETS",
    "ClaimSet",
    "ImportOptions",
    "ImportSummary",
    "Inspection",
    "Reference",
    "References",
    "SelectedSet",
    "SetInfo",
    "SourceError",
    "StudyClaims",
    "check_claim_set",
    "check_source",
    "claims_of_study",
    "find_claim_set",
    "from_frame",
    "import_file",
    "inspect_claim_set",
    "labels_frame",
    "load_claim_set",
    "make_splits",
    "read_source",
    "references",
    "resolve_view",
    "select_claims",
    "standing_labels",
    "starter_set",
    "to_frame",
    "write_claim_set",
]
