"""DeepEval's faithfulness prompt, one claim at a time against the chunks themselves."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
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
from voirdire.records import Label

__all__ = ["PARAMETERS", "PRESETS", "lacks", "make"]

PRESETS: Final[Mapping[str, str]] = {}
PARAMETERS: Final[Mapping[str, str]] = described(BridgedParameters)

_MEND: Final = "python -m pip install 'voirdire[deepeval]'"
# Read when deepeval is imported: no telemetry, and no .env file read into the environment.
_ENVIRONMENT: Final = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0",
}
_WORDS: Final[Mapping[str, Label]] = {
    "yes": "supported",
    "no": "contradicted",
    "borderline": "unverifiable",
    "idk": "unverifiable",  # its name for borderline before version 4
}


def lacks() -> tuple[str, str] | None:
    """What is lacking, and the command that mends it; deepeval is not imported for that."""
    found = installed("deepeval")
    if not found:
        return "the package deepeval", _MEND
    parts = tuple(int(part) for part in found.split(".")[:2] if part.isdigit())
    if not (4, 3) <= parts < (5,):
        return f"deepeval 4.3 or a later 4 (found {found})", _MEND
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
    set_to = settled(BridgedParameters, parameters, preset, presets={}, judge="deepeval")
    refuse_no_model(set_to, judge="deepeval")
    return BridgedJudge(set_to, taken_hold_of(DeepEvalSeam, library="deepeval", mend=_MEND))


class DeepEvalSeam:
    """`FaithfulnessMetric._a_generate_verdicts` with the chunks for truths and the claim as the
    one claim.

    The metric itself judges claims it extracted against truths it extracted; here it judges the
    claim as it stands against the context as it stands. ``yes`` is ``supported``, ``no``
    ("directly contradicts") is ``contradicted``, ``borderline`` ("not backed up") is
    ``unverifiable``.
    """

    name = "deepeval"
    version = "1"
    label_map: ClassVar[dict[str, str]] = {**_WORDS}

    def __init__(self) -> None:
        os.environ.update(_ENVIRONMENT)
        with redirect_stdout(sys.stderr):  # what it has to say is no result of ours
            from deepeval.metrics import FaithfulnessMetric

            self._llm = _bridged_llm()
        self._metric = FaithfulnessMetric
        self.packages: dict[str, str] = {"deepeval": installed("deepeval")}

    def prompt(self, claim: str, context: tuple[str, ...]) -> str:
        """DeepEval's prompt for one claim."""
        metric = self._made(None, claim, context)
        return str(
            metric._get_prompt(
                "generate_verdicts",
                multimodal=False,
                claims=metric.claims,
                retrieval_context="\n\n".join(metric.truths),
            )
        )

    async def verdict(self, claim: str, context: tuple[str, ...], bridge: Bridge) -> Said:
        """Ask through DeepEval, which lets 3 verdicts for 1 claim pass and drops odd words."""
        verdicts = await self._made(bridge, claim, context)._a_generate_verdicts(False)
        if len(verdicts) != 1:
            raise Unreadable(f"{len(verdicts)} verdicts for 1 claim")
        (found,) = verdicts
        return Said(_WORDS[str(found.verdict)], found.reason)

    def _made(self, bridge: Bridge | None, claim: str, context: tuple[str, ...]) -> Any:
        """A metric of its own for each claim: it keeps claims and truths in itself."""
        metric = self._metric(
            model=self._llm(bridge), include_reason=False, async_mode=True, eval_mode="llm"
        )
        metric.truths, metric.claims = list(context), [claim]
        return metric


def _bridged_llm() -> type[Any]:
    """DeepEval's class of models, with our client inside; made when deepeval is there."""
    from deepeval.models import DeepEvalBaseLLM
    from pydantic import ValidationError

    class BridgedLlm(DeepEvalBaseLLM):  # type: ignore[misc]
        """Answers by way of a bridge, with a checked instance of the schema that is asked for."""

        def __init__(self, bridge: Bridge | None) -> None:
            self._bridge = bridge
            super().__init__("voirdire")

        def load_model(self, *args: Any, **kwargs: Any) -> Any:
            return self

        def get_model_name(self, *args: Any, **kwargs: Any) -> str:
            return "voirdire"

        def generate(self, *args: Any, **kwargs: Any) -> str:
            raise NotImplementedError("the judge asks asynchronously only")

        async def a_generate(self, prompt: str, schema: Any = None, **kwargs: Any) -> Any:
            if self._bridge is None or schema is None:
                raise NotImplementedError("a bridge and a schema are needed to ask")
            body = await self._bridge.ask(prompt, field="verdicts", schema=_SCHEMA)
            try:
                return schema.model_validate(_in_its_words(body))
            except ValidationError as error:
                first = error.errors()[0]
                place, got = ".".join(map(str, first["loc"])), first.get("input")
                raise Unreadable(f"field {place}: {first['msg']}, got {got!r}") from error

    return BridgedLlm


def _in_its_words(body: dict[str, Any]) -> dict[str, Any]:
    """Verdicts in small letters and under today's names; anything else is left to be refused."""
    verdicts = body.get("verdicts")
    if not isinstance(verdicts, list):
        return body
    return {"verdicts": [_plain(one) if isinstance(one, dict) else one for one in verdicts]}


def _plain(verdict: dict[str, Any]) -> dict[str, Any]:
    word = verdict.get("verdict")
    word = word.strip().lower() if isinstance(word, str) else word
    word = "borderline" if word == "idk" else word
    return {"verdict": word, "reason": verdict.get("reason")}


_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "reason": {"type": "string"},
                    "verdict": {"type": "string", "enum": ["yes", "no", "borderline"]},
                },
                "required": ["reason", "verdict"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}
