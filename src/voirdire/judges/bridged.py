"""What judges that use another library's prompt share: our client, our checks, their words.

The library makes the prompt and hands it over; the request, its retries and its cost are ours, and
so is every check of what comes back: number of verdicts, vocabulary, form. The library's own
client, cache and score are not used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import Field

from voirdire.errors import JudgeUnavailable, UsageError
from voirdire.judges.answers import find_objects
from voirdire.judges.sending import (
    SendingParameters,
    answer_without_asking,
    identity,
    paid,
    prepared,
    unanswered,
)
from voirdire.models import LlmClient, LlmRequest, Reply, SpendGuard, SpendPlan
from voirdire.records import Fingerprint, JudgeAnswer, JudgeInput, Label
from voirdire.store.redaction import Redaction

__all__ = [
    "Bridge",
    "BridgedJudge",
    "BridgedParameters",
    "Said",
    "Seam",
    "Unreadable",
    "installed",
    "refuse_no_model",
    "taken_hold_of",
]


class BridgedParameters(SendingParameters):
    """How a model is reached behind another library's prompt."""

    output: Literal["schema", "json", "text"] = Field(
        default="schema", description="how the form of the answer is forced"
    )
    repair: bool = Field(default=True, description="whether broken JSON is mended, and flagged")


class Unreadable(Exception):
    """The answer is not what the library's prompt asks for; the message says why."""


class _NotAnswered(Exception):
    """There was no answer; the reply says why."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply


@dataclass(frozen=True, slots=True)
class Said:
    """What the library made of an answer."""

    label: Label
    rationale: str | None = None
    flags: tuple[str, ...] = ()


class Bridge:
    """Carries one prompt of a library to the client, and the answer back as a checked object.

    Parameters
    ----------
    client : LlmClient
    parameters : BridgedParameters
    seed : int or None
    """

    def __init__(
        self, client: LlmClient, parameters: BridgedParameters, *, seed: int | None
    ) -> None:
        self._client = client
        self._set = parameters
        self._seed = seed
        self.reply: Reply | None = None
        self.repaired = False

    async def ask(self, prompt: str, *, field: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Send a prompt; the JSON object with ``field`` that came back.

        Raises
        ------
        Unreadable
            If nothing that came back is such an object, or two differ.
        """
        request = LlmRequest(self.body(prompt, schema))
        reply = self.reply = await self._client.ask(request)
        if reply.status != "answered":
            raise _NotAnswered(reply)
        found = find_objects(reply.text, field=field, repair=self._set.repair)
        if found.twice or any(one != found.objects[0] for one in found.objects[1:]):
            raise Unreadable("the answer holds several objects that differ")
        if not found.objects:
            raise Unreadable(f"the answer holds no JSON object with the field {field!r}")
        self.repaired = found.repaired
        return found.objects[0]

    def body(self, prompt: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The request, without the model."""
        body: dict[str, Any] = {
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": self._set.max_tokens,
        }
        if self._set.temperature != "server":
            body["temperature"] = self._set.temperature
        if self._seed is not None:
            body["seed"] = self._seed
        if self._set.output == "schema":
            form = {"name": "verdicts", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        elif self._set.output == "json":
            body["response_format"] = {"type": "json_object"}
        return body


class Seam(Protocol):
    """Where a library is taken hold of.

    Attributes
    ----------
    name, version : str
        Of the judge, and of this adapter.
    packages : dict
        Library and version: another version renders another prompt.
    label_map : dict
        The library's words to our labels.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def packages(self) -> dict[str, str]: ...
    @property
    def label_map(self) -> dict[str, str]: ...

    def prompt(self, claim: str, context: tuple[str, ...]) -> str:
        """The library's own prompt."""
        ...

    async def verdict(self, claim: str, context: tuple[str, ...], bridge: Bridge) -> Said:
        """Have the library ask about one claim.

        Raises
        ------
        Unreadable
            If number or vocabulary of the verdicts are wrong.
        """
        ...


class BridgedJudge:
    """One model behind another library's prompt.

    Parameters
    ----------
    parameters : BridgedParameters
    seam : Seam
    """

    def __init__(self, parameters: BridgedParameters, seam: Seam) -> None:
        self._set = parameters
        self._seam = seam
        self._redaction = Redaction(parameters.redact)
        self._client = LlmClient(parameters)
        rendered = seam.prompt("{claim}", ("{context}",))
        self._prompt_sha256 = hashlib.sha256(rendered.encode("utf-8")).hexdigest()

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

        async def answer(item: JudgeInput) -> JudgeAnswer:
            return await self._answer(item, repeat)

        items = (prepared(item, self._redaction) for item in inputs)
        for item, answered in self._client.map(items, answer):
            yield item.id, answered

    def plan(self, inputs: Iterable[JudgeInput]) -> SpendPlan:
        """Calls, tokens and cost of asking these claims once; nothing is sent."""
        items = (prepared(item, self._redaction) for item in inputs)
        bridge = Bridge(self._client, self._set, seed=None)
        return self._client.plan(
            LlmRequest(bridge.body(self._seam.prompt(item.claim, item.context), {}))
            for item in items
            if answer_without_asking(item) is None
        )

    def limit(self, guard: SpendGuard) -> None:
        """Book every call with a guard from now on."""
        self._client.guard = guard

    def redact(self, redaction: Redaction) -> None:
        """Take out what these patterns match too, from now on."""
        self._redaction = Redaction((*self._redaction.patterns, *redaction.patterns))

    def fingerprint(self) -> Fingerprint:
        """Model, server, parameters, the library's version and its prompt as rendered."""
        return Fingerprint(
            judge=self._seam.name,
            version=self._seam.version,
            parameters=identity(
                self._set,
                base_url=self._client.base_url,
                redaction=self._redaction,
                leave_out=(),
            ),
            model=self._set.model,
            prompt_sha256=self._prompt_sha256,
            label_map=dict(self._seam.label_map),
            packages=self._seam.packages,
        )

    def close(self) -> None:
        """End connections and thread."""
        self._client.close()

    async def _answer(self, item: JudgeInput, repeat: int) -> JudgeAnswer:
        plain = answer_without_asking(item)
        if plain is not None:
            return plain
        seed = None if self._set.seed is None else self._set.seed + repeat
        bridge = Bridge(self._client, self._set, seed=seed)
        try:
            said = await self._seam.verdict(item.claim, item.context, bridge)
        except JudgeUnavailable:
            raise
        except _NotAnswered as missing:
            return unanswered(missing.reply)
        except Unreadable as error:
            return _unjudged("unparsable", str(error), bridge)
        except Exception as error:  # the library's own: its failure is an outcome, not a number
            return _unjudged("failed", f"{type(error).__name__}: {error}", bridge)
        reply = bridge.reply or Reply("answered")
        flags = (*reply.flags, *(("repaired",) if bridge.repaired else ()), *said.flags)
        return JudgeAnswer(
            outcome="judged",
            label=said.label,
            rationale=said.rationale,
            raw=reply.text or None,
            flags=flags,
            **paid(reply),
        )


def _unjudged(outcome: Literal["unparsable", "failed"], error: str, bridge: Bridge) -> JudgeAnswer:
    reply = bridge.reply or Reply("failed", attempts=0)
    return JudgeAnswer(
        outcome=outcome,
        error=error,
        raw=reply.text or None,
        flags=tuple(reply.flags),
        **paid(reply),
    )


def installed(package: str) -> str:
    """Version of an installed package; empty if it is not there."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def refuse_no_model(parameters: BridgedParameters, *, judge: str) -> None:
    """Refuse parameters that name no model.

    Raises
    ------
    UsageError
    """
    if not parameters.model.strip():
        raise UsageError(
            "model must be given", where=f"judge {judge}", todo="set the parameter model"
        )


def taken_hold_of(make_seam: Callable[[], Seam], *, library: str, mend: str) -> Seam:
    """The seam of a library.

    Raises
    ------
    JudgeUnavailable
        If the library cannot be imported, or does not have what is taken hold of.
    """
    try:
        seam = make_seam()
        seam.prompt("", ("",))
    except Exception as error:  # a library may fail in any way while it is imported
        raise JudgeUnavailable(
            f"{library} {installed(library)} cannot be used: {type(error).__name__}: {error}",
            todo=f"run: {mend}",
        ) from error
    return seam
