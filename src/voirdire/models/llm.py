"""A client for any server that speaks the OpenAI API: every request ends in a named status.

Nothing is raised for one request. `JudgeUnavailable` is raised where no other request can fare
better: the server is gone, the key is not taken, the quota is used up, another model answers.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from importlib.util import find_spec
from typing import Any, Final, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import Field

from voirdire.errors import JudgeUnavailable
from voirdire.models.failures import Failure, failure_of
from voirdire.models.keys import (
    checked_base_url,
    key_from_environment,
    key_variable,
    without_keys,
)
from voirdire.models.loop import LoopThread
from voirdire.models.prices import Price, price_of
from voirdire.models.replies import Reply, read_reply
from voirdire.models.retries import wait_before
from voirdire.models.spending import SpendGuard, SpendPlan, estimated_tokens
from voirdire.records import Record

__all__ = ["LlmClient", "LlmRequest", "LlmSettings", "lacks_openai"]

T = TypeVar("T")
R = TypeVar("R")

Route = Literal["chat", "completions", "native"]

# So many requests in a row that the server did not serve, and the run stops instead of writing
# down the same failure for every claim that is left.
_GIVE_UP_AFTER: Final = 10
# An overloaded server that wants a longer rest than this is not waited for.
_LONGEST_WAIT: Final = 120.0


class LlmSettings(Record):
    """How a model is reached; base of the parameters of every judge that asks one."""

    model: str = Field(default="", description="name of the model; must be given")
    base_url: str = Field(
        default="https://api.openai.com/v1", description="of the server, without the route"
    )
    key_env: str = Field(
        default="",
        description="environment variable with the key, or none; if not set OPENAI_API_KEY for "
        "OpenAI and no key for a server on this machine",
    )
    answers_as: tuple[str, ...] = Field(
        default=(),
        description="other names the model may answer under, * allowed; else another name is "
        "an error",
    )
    timeout: float = Field(default=60.0, gt=0, le=3600, description="seconds for one request")
    retries: int = Field(
        default=4, ge=0, le=20, description="repetitions after a failure; after a time-out one"
    )
    concurrency: int = Field(default=4, ge=1, le=256, description="requests at once")
    price_in: float | None = Field(
        default=None, ge=0, description="price of a million tokens in, instead of the table's"
    )
    price_out: float | None = Field(
        default=None, ge=0, description="price of a million tokens out, instead of the table's"
    )


@dataclass(frozen=True, slots=True)
class LlmRequest:
    """One request.

    Attributes
    ----------
    body : mapping
        The JSON to send, without ``model``.
    route : {"chat", "completions", "native"}
    path : str
        Of a native route, from the root of the server: ``/completion``.
    """

    body: Mapping[str, Any]
    route: Route = "chat"
    path: str = ""


def lacks_openai() -> tuple[str, str] | None:
    """What a judge that asks a language model lacks, and the command that mends it."""
    if find_spec("openai") is None:
        return "the package openai", "python -m pip install 'voirdire[llm]'"
    return None


class LlmClient:
    """Asks one model on one server, several requests at once.

    Parameters
    ----------
    settings : LlmSettings

    Raises
    ------
    UsageError
        If the base URL is none or carries secrets, or it is not said where the key is.
    JudgeUnavailable
        If there is no key in the environment.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        self.base_url = checked_base_url(settings.base_url)
        self._key_variable = key_variable(settings.key_env, base_url=self.base_url)
        self._key = key_from_environment(self._key_variable, base_url=self.base_url)
        self.price: Price = price_of(
            settings.model,
            base_url=self.base_url,
            price_in=settings.price_in,
            price_out=settings.price_out,
        )
        self.guard: SpendGuard | None = None
        self._loop = LoopThread()
        self._openai: Any = None
        self._slots: asyncio.Semaphore | None = None
        self._paused_until = 0.0
        self._failed_in_a_row = 0
        self._right_model_seen = False
        self._broken: JudgeUnavailable | None = None

    @property
    def model(self) -> str:
        """Name of the model asked."""
        return self._settings.model

    def map(self, items: Iterable[T], work: Callable[[T], Awaitable[R]]) -> Iterator[tuple[T, R]]:
        """Work off items in the client's loop; see `LoopThread.map`. ``work`` calls `ask`."""
        return self._loop.map(items, work, limit=self._settings.concurrency)

    def ask_all(self, requests: Iterable[LlmRequest]) -> Iterator[tuple[LlmRequest, Reply]]:
        """Send requests, several at once; replies come as they are ready.

        Raises
        ------
        JudgeUnavailable
            If no other request can fare better; what had come by then is given out before.
        """
        return self.map(requests, self.ask)

    async def ask(self, request: LlmRequest) -> Reply:
        """Send one request, again where that can help. To be awaited within `map`.

        Raises
        ------
        JudgeUnavailable
            As `ask_all`.
        """
        if self._slots is None:
            self._slots = asyncio.Semaphore(self._settings.concurrency)
        async with self._slots:
            began = time.monotonic()
            reply = await self._with_retries(request)
            reply.seconds = time.monotonic() - began
        return reply

    def plan(self, requests: Iterable[LlmRequest]) -> SpendPlan:
        """What requests would cost; nothing is sent."""
        calls = tokens_in = tokens_out = 0
        for request in requests:
            calls += 1
            tokens_in += _tokens_in(request)
            tokens_out += _tokens_out(request)
        return SpendPlan(
            calls=calls,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=self.price.cost(tokens_in, tokens_out) if calls else 0.0,
            currency=self.price.currency,
            prices_as_of=self.price.as_of,
        )

    def close(self) -> None:
        """End connections and thread; a second call does nothing."""
        client, self._openai = self._openai, None
        self._slots = None
        if client is not None:
            self._loop.run(client.close())
        self._loop.close()

    async def _with_retries(self, request: LlmRequest) -> Reply:
        attempt = timeouts = 0
        flags: list[str] = []
        while True:
            attempt += 1
            await self._ready()
            found = await self._once(request)
            if isinstance(found, Reply):
                found.attempts = attempt
                found.flags = [*flags, *found.flags]
                self._note_served(found)
                return found
            timeouts += found.status == "timed_out"
            wait = wait_before(attempt + 1, asked=found.wait)
            if (
                found.again == "no"
                or attempt > self._settings.retries
                or (found.again == "once" and timeouts > 1)
                or wait > _LONGEST_WAIT
            ):
                return await self._given_up(found, attempt)
            if found.status == "rate_limited":  # one is told, all wait
                self._paused_until = max(self._paused_until, time.monotonic() + wait)
            else:
                await asyncio.sleep(wait)

    async def _ready(self) -> None:
        """Wait out a pause the server asked for; nothing is sent once all is lost."""
        while True:
            if self._broken is not None:
                raise self._broken
            pause = self._paused_until - time.monotonic()
            if pause <= 0:
                return
            await asyncio.sleep(pause)

    async def _once(self, request: LlmRequest) -> Reply | Failure:
        booked = self.price.cost(_tokens_in(request), _tokens_out(request))
        if self.guard is not None:
            self.guard.book(booked)
        try:
            reply = await self._send(request)
        except Exception as error:
            failure = failure_of(error, key_env=self._key_variable, timeout=self._settings.timeout)
            if request.route == "native" and failure.http_status == 404:
                failure = replace(failure, status="rejected", hopeless="")  # another make of server
            if self.guard is not None and failure.http_status is not None:
                self.guard.settle(booked, 0.0)  # a request that was turned down is not charged
            return failure
        reply.cost = self.price.cost(reply.tokens_in, reply.tokens_out)
        if self.guard is not None:
            self.guard.settle(booked, reply.cost)
        return reply

    async def _send(self, request: LlmRequest) -> Reply:
        client = self._client()
        if request.route == "native":
            parts = urlsplit(self.base_url)
            url = f"{parts.scheme}://{parts.netloc}{request.path}"
            body = await client.post(url, cast_to=object, body=dict(request.body))
            if isinstance(body, dict):
                return Reply("answered", body=body, model=body.get("model"))
            return Reply("failed", error="the reply is not a JSON object")
        # All goes by way of extra_body, as it is: the SDK would walk through every message of its
        # own parameters and copy it, a fifth of its time, and drop fields of other servers.
        body = {"model": self.model, **request.body}
        if request.route == "chat":
            create = client.chat.completions.with_raw_response.create
            raw = await create(model=self.model, messages=[], extra_body=body)
        else:
            create = client.completions.with_raw_response.create
            raw = await create(model=self.model, prompt="", extra_body=body)
        text = raw.text if isinstance(raw.text, str) else raw.text()
        return read_reply(text, content_type=raw.headers.get("content-type", ""))

    def _client(self) -> Any:
        """The SDK's client, made inside the loop that uses it; the retries are ours."""
        if self._openai is None:
            import openai

            self._openai = openai.AsyncOpenAI(
                api_key=self._key,
                base_url=self.base_url,
                max_retries=0,
                timeout=self._settings.timeout,
            )
        return self._openai

    def _note_served(self, reply: Reply) -> None:
        """Check who answered; scrub what will be written down."""
        reply.error = without_keys(reply.error, key=self._key)
        if not reply.body:  # not JSON at all: a proxy, a login page
            self._count_failure(reply.error)
            return
        self._failed_in_a_row = 0
        if reply.model is None or self._may_answer(reply.model):
            self._right_model_seen = self._right_model_seen or reply.model is not None
            return
        said = f"asked the model {self.model!r}, and {reply.model!r} answered"
        if not self._right_model_seen:
            raise self._unavailable(
                said,
                f"ask the model the server has, or allow the name: answers_as = [{reply.model!r}]",
            )
        reply.status, reply.error, reply.text = "failed", said, ""

    def _may_answer(self, name: str) -> bool:
        allowed = (self.model, *self._settings.answers_as)
        return any(name == one or fnmatchcase(name, one) for one in allowed)

    async def _given_up(self, failure: Failure, attempts: int) -> Reply:
        error = without_keys(failure.error, key=self._key)
        if failure.hopeless:
            raise self._unavailable(error, failure.hopeless)
        if failure.lost and not await self._listens():
            raise self._unavailable(
                f"the server does not answer: {error}",
                "start the server, or check base_url, and run the same command again: it goes on "
                "from here",
            )
        if failure.status in ("timed_out", "rate_limited", "failed"):
            self._count_failure(error)
        else:
            self._failed_in_a_row = 0
        return Reply(
            failure.status, error=error, attempts=attempts, http_status=failure.http_status
        )

    def _count_failure(self, error: str) -> None:
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= _GIVE_UP_AFTER:
            raise self._unavailable(
                f"the last {self._failed_in_a_row} requests all failed, the last with: {error}",
                "wait until the server is well, or lower the parameter concurrency, and run the "
                "same command again: it goes on from here",
            )

    def _unavailable(self, what: str, todo: str) -> JudgeUnavailable:
        self._broken = JudgeUnavailable(what, where=self.base_url, todo=todo)
        return self._broken

    async def _listens(self) -> bool:
        """Whether anything accepts connections where the server should be."""
        parts = urlsplit(self.base_url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            _, writer = await asyncio.wait_for(
                asyncio.open_connection(parts.hostname, port), timeout=5
            )
        except (OSError, TimeoutError):
            return False
        writer.close()
        return True


def _tokens_in(request: LlmRequest) -> int:
    body = request.body
    said = [message["content"] for message in body.get("messages", ())]
    if isinstance(body.get("prompt"), str):
        said.append(body["prompt"])
    return sum(map(estimated_tokens, said))


def _tokens_out(request: LlmRequest) -> int:
    for name in ("max_tokens", "max_completion_tokens", "n_predict"):
        if name in request.body:
            return int(request.body[name])
    return 0
