"""The small English NLI model that comes with the package; its weights are CC BY-SA 4.0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from voirdire.judges.nli.judge import NliJudge
from voirdire.judges.nli.opening import opened
from voirdire.judges.nli.parameters import WindowParameters
from voirdire.judges.parameters import described, settled
from voirdire.models.nli import NliSession, find_files
from voirdire.models.nli_mini import model_folder

__all__ = ["PARAMETERS", "PRESETS", "make"]

PRESETS: Final[Mapping[str, str]] = {}
PARAMETERS: Final[Mapping[str, str]] = described(WindowParameters)


def make(parameters: dict[str, Any], preset: str | None) -> NliJudge:
    """Make the judge; see `WindowParameters`. Its card lies beside the weights.

    Raises
    ------
    UsageError
        For an unknown parameter or a value that is not allowed.
    JudgeUnavailable
        If the installed package is not whole.
    """
    set_to = settled(WindowParameters, parameters, preset, presets={}, judge="nli-mini")
    session = NliSession(
        find_files(model_folder(), precision="int8", name="nli-mini"),
        threads=set_to.threads,
        batch=set_to.batch,
        max_length=set_to.max_length,
    )
    model = opened(session)
    return NliJudge("nli-mini", model, set_to, model_name="nli-mini", languages=("en",))
