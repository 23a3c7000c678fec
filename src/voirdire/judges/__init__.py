"""The machines that judge claims: what a judge is, which there are, and how they are asked."""

from __future__ import annotations

from voirdire.judges.asking import Irregular
from voirdire.judges.blinding import opaque_id
from voirdire.judges.contract import CheckResult, check_judge
from voirdire.judges.probing import (
    PROBE_KINDS,
    Probe,
    ProbeResult,
    languages_read,
    load_probes,
    probe_languages,
    put_probes,
)
from voirdire.judges.protocol import Judge, MakeJudge
from voirdire.judges.registry import JudgeDescription, describe, load, names
from voirdire.judges.runner import Progress, run_judge
from voirdire.judges.runs import (
    VerdictColumns,
    latest_sealed_runs,
    read_runs,
    read_verdicts,
    verify_seal,
)

__all__ = [
    "PROBE_KINDS",
    "CheckResult",
    "Irregular",
    "Judge",
    "JudgeDescription",
    "MakeJudge",
    "Probe",
    "ProbeResult",
    "Progress",
    "VerdictColumns",
    "check_judge",
    "describe",
    "languages_read",
    "latest_sealed_runs",
    "load",
    "load_probes",
    "names",
    "opaque_id",
    "probe_languages",
    "put_probes",
    "read_runs",
    "read_verdicts",
    "run_judge",
    "verify_seal",
]
