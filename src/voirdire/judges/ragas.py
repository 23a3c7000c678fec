"""Ragas' faithfulness prompt, one claim at a time: supported or not, never contradicted."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from voirdire.judges.bridged import (
    Bridge,
    BridgedJudge,
    BridgedParameters,
    Said,
    Unreadable,
    installed,
    refuse_no_model,
    taken_hold_of,
)
from voirdire.judges.parameters import described, settled
from voirdire.models import lacks_openai

__all__ = ["PARAMETERS", "PRESETS", "lacks", "make"]

# The seam is a private method of this very version; another one is another judge, or none.
RAGAS: Final = "0.4.3"

PRESETS: Final[Mapping[str, str]] = {}
PARAMETERS: Final[Mapping[str, str]] = described(BridgedParameters)

_TWO_STATE: Final = "two_state"
_MEND: Final = "python -m pip install 'voirdire[ragas]'"


def lacks() -> tuple[str, str] | None:
    """What is lacking, and the command that mends it; ragas itself is not imported for that."""
    found = installed("ragas")
    if not found:
        return "the package ragas", _MEND
    if found != RAGAS:
        return f"ragas {RAGAS} (found {found})", _MEND
    community = installed("langchain-community")
    if community and tuple(map(int, community.split(".")[:2])) >= (0, 4):
        # Then `import ragas` fails with a message about a module that nobody asked for.
        return f"langchain-community below 0.4 (found {community})", _MEND
    return lacks_openai()


def make(parameters: dict[str, Any], preset: str | None) -> BridgedJudge:
    """Make a judge; see `BridgedParameters`.

    Raises
    ------
    UsageError
        For a preset, an unknown parameter or a value that is not allowed.
    JudgeUnavailable
        If there is no key in the environment, or the library cannot be used.
    """
    set_to = settled(BridgedParameters, parameters, preset, presets={}, judge="ragas")
    refuse_no_model(set_to, judge="ragas")
    return BridgedJudge(set_to, taken_hold_of(RagasSeam, library="ragas", mend=_MEND))


class RagasSeam:
    """`Faithfulness._create_verdicts` with the claim as the one statement: no decomposition.

    Ragas knows verdicts 1 and 0, and 0 mixes what the context contradicts with what it does not
    mention. So this is a two-state view: 1 is ``supported``, 0 is ``unverifiable`` with the flag
    ``two_state``, and ``contradicted`` never occurs. Compare it under the view
    ``supported_or_not``.
    """

    name = "ragas"
    version = "1"
    label_map: ClassVar[dict[str, str]] = {"1": "supported", "0": "unverifiable"}

    def __init__(self) -> None:
        os.environ["RAGAS_DO_NOT_TRACK"] = "true"
        from ragas.metrics.collections.faithfulness.metric import Faithfulness
        from ragas.metrics.collections.faithfulness.util import (
            NLIStatementInput,
            NLIStatementPrompt,
        )

        self._metric = Faithfulness
        self._input = NLIStatementInput
        self._prompt = NLIStatementPrompt()
        self._llm = _bridged_llm()
        self.packages: dict[str, str] = {"ragas": installed("ragas")}

    def prompt(self, claim: str, context: tuple[str, ...]) -> str:
        """Ragas' prompt for one statement."""
        return str(
            self._prompt.to_string(self._input(context="\n".join(context), statements=[claim]))
        )

    async def verdict(self, claim: str, context: tuple[str, ...], bridge: Bridge) -> Said:
        """Ask through Ragas; its own checks let 2 verdicts for 1 claim, and a verdict 7, pass."""
        metric = self._metric(llm=self._llm(bridge))
        result = await metric._create_verdicts([claim], "\n".join(context))
        if len(result.statements) != 1:
            raise Unreadable(f"{len(result.statements)} verdicts for 1 claim")
        (found,) = result.statements
        if found.verdict not in (0, 1):
            raise Unreadable(f"the verdict {found.verdict!r} is neither 0 nor 1")
        flags = () if _same(found.statement, claim) else ("statement_reworded",)
        if found.verdict == 1:
            return Said("supported", found.reason, flags)
        return Said("unverifiable", found.reason, (_TWO_STATE, *flags))


def _bridged_llm() -> type[Any]:
    """Ragas' class of models, with our client inside; made when ragas is there."""
    from pydantic import ValidationError
    from ragas.llms.base import InstructorBaseRagasLLM

    class BridgedLlm(InstructorBaseRagasLLM):  # type: ignore[misc]
        """Answers by way of a bridge; has no cache, whose key would not hold the model."""

        def __init__(self, bridge: Bridge) -> None:
            self._bridge = bridge

        def generate(self, prompt: str, response_model: Any) -> Any:
            raise NotImplementedError("the judge asks asynchronously only")

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            body = await self._bridge.ask(prompt, field="statements", schema=_SCHEMA)
            try:
                return response_model.model_validate(body, strict=True)
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(map(str, first["loc"]))
                raise Unreadable(f"field {place}: {first['msg']}") from error

    return BridgedLlm


def _same(first: str, second: str) -> bool:
    return first.split() == second.split()


# Ragas' own schema leaves number and range open; a weak model then writes on to the limit.
_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "statements": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "statement": {"type": "string"},
                    "reason": {"type": "string"},
                    "verdict": {"type": "integer", "enum": [0, 1]},
                },
                "required": ["statement", "reason", "verdict"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["statements"],
    "additionalProperties": False,
}
