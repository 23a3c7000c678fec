"""Asks a language model behind any OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, Literal

from pydantic import Field

from voirdire.errors import UsageError
from voirdire.judges.answers import LANGUAGES
from voirdire.judges.llm_asking import LlmAsking
from voirdire.judges.outputs import Order
from voirdire.judges.parameters import CHANGE, described, set_it, settled
from voirdire.judges.prompts import read_examples, read_prompt
from voirdire.judges.sending import SendingParameters, identity, prepared
from voirdire.models import LlmClient, SpendGuard, SpendPlan, lacks_openai
from voirdire.records import LABELS, Fingerprint, JudgeAnswer, JudgeInput
from voirdire.store.redaction import Redaction

__all__ = [
    "PARAMETERS",
    "PATH_PARAMETERS",
    "PRESETS",
    "LlmJudge",
    "LlmParameters",
    "lacks",
    "make",
]

VERSION: Final = "1"

# So many claims are held to find those that share a context, and never more.
_HELD_BATCHES: Final = 64


class LlmParameters(SendingParameters):
    """What can be set of the llm judge."""

    endpoint: Literal["chat", "completions"] = Field(
        default="chat", description="chat, or completions for a base model without a chat template"
    )
    output: Literal["auto", "schema", "tool", "json", "grammar", "text"] = Field(
        default="auto",
        description="how the form of the answer is forced; auto: the strictest the server takes",
    )
    language: str = Field(
        default="en", description=f"of prompt and label words: {', '.join(LANGUAGES)}"
    )
    prompt: str = Field(default="", description="a prompt file instead of the one that ships")
    examples: str = Field(
        default="", description="JSON lines of labelled claims of the dev split, shown as examples"
    )
    rationale: Order = Field(
        default="before", description="where the rationale stands: before the label, after, none"
    )
    top_p: float | None = Field(default=None, gt=0, le=1, description="sent if set")
    token_limit: Literal["max_tokens", "max_completion_tokens"] = Field(
        default="max_tokens", description="name the server knows the limit of tokens by"
    )
    batch: int = Field(
        default=1, ge=1, le=50, description="claims in a request, if they share their context"
    )
    probabilities: Literal["none", "logit_bias", "samples"] = Field(
        default="none",
        description="logit_bias: exact, llama.cpp only, without a rationale; samples: shares of "
        "several answers",
    )
    samples: int = Field(default=5, ge=2, le=100, description="answers with probabilities=samples")
    repair: bool = Field(default=True, description="whether broken JSON is mended, and flagged")
    extra: dict[str, Any] = Field(
        default_factory=dict, description="further fields of the request, sent as they are"
    )


_PRESETS: Final[Mapping[str, dict[str, Any]]] = {
    "en": {},
    "it": {"language": "it"},
    "base": {"endpoint": "completions", "max_tokens": 8},
}
PRESETS: Final[Mapping[str, str]] = {
    "en": "the English prompt",
    "it": "the Italian prompt",
    "base": "a base model that continues a text with the label (llama.cpp)",
}
PARAMETERS: Final[Mapping[str, str]] = described(LlmParameters)
PATH_PARAMETERS: Final = ("prompt", "examples")
lacks = lacks_openai


def make(parameters: dict[str, Any], preset: str | None) -> LlmJudge:
    """Make a judge; see `LlmParameters`.

    Raises
    ------
    UsageError
        For an unknown preset or parameter, values that do not go together, a base URL that is
        none, a prompt file that lacks a field, examples that are not of the dev split.
    JudgeUnavailable
        If there is no key in the environment.
    """
    set_to = settled(LlmParameters, parameters, preset, presets=_PRESETS, judge="llm")
    _refuse_contradictions(set_to)
    return LlmJudge(set_to)


class LlmJudge:
    """One model, one prompt, one way to read the answer.

    Parameters
    ----------
    parameters : LlmParameters
    """

    def __init__(self, parameters: LlmParameters) -> None:
        self._set = parameters
        self._prompt = read_prompt(parameters.prompt, language=parameters.language)
        self._examples, self._examples_sha256 = read_examples(parameters.examples)
        self._redaction = Redaction(parameters.redact)
        self._client = LlmClient(parameters)
        self._asking = LlmAsking(parameters, self._prompt, self._examples, self._client)

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        """Answers as they come, several requests at once; there is no cache to be reached.

        Raises
        ------
        JudgeUnavailable
            If the server is gone, does not take the key, or another model answers.
        SpendLimit
            If a guard stands before it and its limit is reached.
        """

        async def answers(group: list[JudgeInput]) -> list[tuple[str, JudgeAnswer]]:
            return await self._asking.answers(group, repeat=repeat)

        for _, answered in self._client.map(self._groups(inputs), answers):
            yield from answered

    @property
    def answers_alone(self) -> bool:
        """Whether a request holds one claim; claims in one prompt are read together."""
        return self._set.batch == 1

    def plan(self, inputs: Iterable[JudgeInput]) -> SpendPlan:
        """Calls, tokens and cost of asking these claims once; nothing is sent."""
        requests = (
            request for group in self._groups(inputs) for request in self._asking.requests(group)
        )
        return self._client.plan(requests)

    def limit(self, guard: SpendGuard) -> None:
        """Book every call with a guard from now on."""
        self._client.guard = guard

    def redact(self, redaction: Redaction) -> None:
        """Take out what these patterns match too, from now on."""
        self._redaction = Redaction((*self._redaction.patterns, *redaction.patterns))

    def fingerprint(self) -> Fingerprint:
        """Model, server, prompt, examples and parameters; of the seed the rule ``seed+repeat``."""
        parameters = identity(
            self._set,
            base_url=self._client.base_url,
            redaction=self._redaction,
            leave_out=("prompt", "examples"),
        )
        if self._examples_sha256:
            parameters["examples_sha256"] = self._examples_sha256
        return Fingerprint(
            judge="llm",
            version=VERSION,
            parameters=parameters,
            model=self._set.model,
            prompt_sha256=self._prompt.sha256,
            label_map={label: label for label in LABELS},
            packages=_packages() if self._set.repair else {},
        )

    def close(self) -> None:
        """End connections and thread."""
        self._client.close()

    def _groups(self, inputs: Iterable[JudgeInput]) -> Iterator[list[JudgeInput]]:
        """Inputs as they are sent together: one by one, or by context."""
        items = (prepared(item, self._redaction) for item in inputs)
        if self._set.batch == 1:
            yield from ([item] for item in items)
            return
        while held := list(islice(items, self._set.batch * _HELD_BATCHES)):
            by_context: dict[tuple[str, ...], list[JudgeInput]] = {}
            for item in held:
                by_context.setdefault(item.context, []).append(item)
            for group in by_context.values():
                for start in range(0, len(group), self._set.batch):
                    yield group[start : start + self._set.batch]


def _packages() -> dict[str, str]:
    """Versions of the packages that shape an answer: what mends broken JSON."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return {"json-repair": version("json-repair")}
    except PackageNotFoundError:
        return {}


def _refuse_contradictions(parameters: LlmParameters) -> None:
    """Refuse values that do not go together."""
    completions = parameters.endpoint == "completions"
    checks = {
        "model must be given": not parameters.model.strip(),
        f"language must be one of {', '.join(LANGUAGES)}": parameters.language not in LANGUAGES,
        "output of the endpoint completions must be auto, grammar or text": completions
        and parameters.output not in ("auto", "grammar", "text"),
        "batch must be 1 with the endpoint completions": completions and parameters.batch > 1,
        "batch must be 1 with probabilities": parameters.probabilities != "none"
        and parameters.batch > 1,
        "batch goes with rationale = 'before'": parameters.batch > 1
        and parameters.rationale != "before",
        "probabilities = 'samples' must have a temperature above 0: at 0 the answers are one "
        "answer": parameters.probabilities == "samples" and parameters.temperature == 0,
        "probabilities = 'logit_bias' goes with the endpoint completions": not completions
        and parameters.probabilities == "logit_bias",
        "price_in and price_out must be given together": (parameters.price_in is None)
        != (parameters.price_out is None),
        "extra must not set n: usage then counts one answer only": "n" in parameters.extra,
    }
    for rule, broken in checks.items():
        if broken:
            todo = set_it("model", "NAME") if "model must" in rule else CHANGE
            raise UsageError(rule, where="judge llm", todo=todo)
