"""Label Studio: claims out blind, labels back whole, disagreements to be settled.

The server is a screen, the files of the claim set are the truth. Its client is imported only in
`client`, inside functions.
"""

from __future__ import annotations

from voirdire.labels.studio.adjudicating import adjudicate, review_with_judges, second_look
from voirdire.labels.studio.connection import Server, server_from
from voirdire.labels.studio.failures import StudioError, UnknownOutcome
from voirdire.labels.studio.layout import StudioPaths
from voirdire.labels.studio.plans import PushOptions, PushPlan, PushReport, read_state
from voirdire.labels.studio.progress import (
    AnnotatorProgress,
    LocalStatus,
    StatusReport,
    local_status,
    status,
)
from voirdire.labels.studio.pulling import pull, pull_file, read_records
from voirdire.labels.studio.pushing import plan_push, push
from voirdire.labels.studio.side_projects import AdjudicationReport, Candidate, disputed

__all__ = [
    "AdjudicationReport",
    "AnnotatorProgress",
    "Candidate",
    "LocalStatus",
    "PushOptions",
    "PushPlan",
    "PushReport",
    "Server",
    "StatusReport",
    "StudioError",
    "StudioPaths",
    "UnknownOutcome",
    "adjudicate",
    "disputed",
    "local_status",
    "plan_push",
    "pull",
    "pull_file",
    "push",
    "read_records",
    "read_state",
    "review_with_judges",
    "second_look",
    "server_from",
    "status",
]
