"""Any NLI cross-encoder with an ONNX file, from a directory or the model hub; no torch needed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from voirdire.judges.nli.judge import NliJudge
from voirdire.judges.nli.opening import opened
from voirdire.judges.nli.parameters import NliParameters
from voirdire.judges.parameters import described, settled
from voirdire.models.nli import NliSession, find_files, from_hub

__all__ = ["PARAMETERS", "PATH_PARAMETERS", "PRESETS", "NliJudge", "NliParameters", "make"]

PRESETS: Final[Mapping[str, str]] = {}
PARAMETERS: Final[Mapping[str, str]] = described(NliParameters)
PATH_PARAMETERS: Final = ("model",)


def make(parameters: dict[str, Any], preset: str | None) -> NliJudge:
    """Make an NLI judge; see `NliParameters`.

    Raises
    ------
    UsageError
        For an unknown parameter or a value that is not allowed.
    JudgeUnavailable
        If the model is not there, not whole, or its labels cannot be told.
    """
    set_to = settled(NliParameters, parameters, preset, presets={}, judge="nli")
    if set_to.hub is not None:
        files = from_hub(set_to.hub, revision=set_to.revision, precision=set_to.precision)
    else:
        files = find_files(Path(set_to.model or ""), precision=set_to.precision)
    session = NliSession(
        files, threads=set_to.threads, batch=set_to.batch, max_length=set_to.max_length
    )
    model = opened(session, told=set_to.labels)
    # A directory may lie anywhere; the same weights are the same judge wherever they lie.
    name = set_to.hub or f"weights {files.weights_sha256()[:12]}"
    return NliJudge("nli", model, set_to, model_name=name)
