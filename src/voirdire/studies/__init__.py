"""The questions: does a judge agree with people, and what follows from that."""

from __future__ import annotations

from voirdire.studies.agreement import human_agreement, judge_agreement
from voirdire.studies.alignment import Aligned, align
from voirdire.studies.attribution import what_moved
from voirdire.studies.canary import Canary, ask_canary
from voirdire.studies.comparing import agree, compare
from voirdire.studies.decision import decide, decide_all
from voirdire.studies.gatekeeping import evaluate_gates
from voirdire.studies.gates import GATE_NAMES, GateLimits, read_gates
from voirdire.studies.limit_numbers import LimitOptions
from voirdire.studies.limits import make_policy, set_limits
from voirdire.studies.naive_watching import watch_naively
from voirdire.studies.repeats import Repeats, finished_runs, repeats_of
from voirdire.studies.study import Study, open_study, plan_study, run_study
from voirdire.studies.variance import judge_variance, vary
from voirdire.studies.verification import Difference, newer_runs, verify
from voirdire.studies.watching import choose_policy, watch

__all__ = [
    "GATE_NAMES",
    "Aligned",
    "Canary",
    "Difference",
    "GateLimits",
    "LimitOptions",
    "Repeats",
    "Study",
    "agree",
    "align",
    "ask_canary",
    "choose_policy",
    "compare",
    "decide",
    "decide_all",
    "evaluate_gates",
    "finished_runs",
    "human_agreement",
    "judge_agreement",
    "judge_variance",
    "make_policy",
    "newer_runs",
    "open_study",
    "plan_study",
    "read_gates",
    "repeats_of",
    "run_study",
    "set_limits",
    "vary",
    "verify",
    "watch",
    "watch_naively",
    "what_moved",
]
