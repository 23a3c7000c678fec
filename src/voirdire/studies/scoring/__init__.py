"""Traffic measured by a validated judge: answers in, metrics out, with gaps and costs counted."""

from __future__ import annotations

from voirdire.studies.scoring.correction import corrected_share
from voirdire.studies.scoring.history import append_to_history, check_history, history_line
from voirdire.studies.scoring.layout import ScorePaths
from voirdire.studies.scoring.options import Instruments, ScoreOptions
from voirdire.studies.scoring.queue import check_queue, operating_point, write_queue
from voirdire.studies.scoring.running import Scoring, open_scoring

__all__ = [
    "Instruments",
    "ScoreOptions",
    "ScorePaths",
    "Scoring",
    "append_to_history",
    "check_history",
    "check_queue",
    "corrected_share",
    "history_line",
    "open_scoring",
    "operating_point",
    "write_queue",
]
