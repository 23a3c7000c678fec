"""An answer taken apart into atomic claims by a language model, each traced to its span."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Final

from voirdire.errors import JudgeUnavailable, UsageError
from voirdire.metrics.checkable import claim_flags
from voirdire.metrics.languages import language_of
from voirdire.metrics.splitting import AnswerClaim, SentenceSplitter, Split, SplitBill
from voirdire.metrics.structured import object_with
from voirdire.metrics.tracing import added_numbers, place_of
from voirdire.models import LlmClient, LlmRequest, LlmSettings, Reply, SpendPlan, lacks_openai
from voirdire.records import Answer
from voirdire.store import json_digest

__all__ = [
    "LlmSplitter",
    "bill_of",
    "client_of",
    "filled",
    "prompt_digest",
    "prompt_text",
    "request_of",
]

VERSION: Final = "1"
_MOST_CLAIMS: Final = 200

_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "quote": {"type": "string"},
                    "claim": {"type": "string"},
                    "resolved": {"type": "boolean"},
                },
                "required": ["quote", "claim", "resolved"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["claims"],
    "additionalProperties": False,
}


class LlmSplitter:
    """Asks a model for the claims of each answer; one call an answer.

    An answer of nothing but greetings, questions or refusals is seen without asking.

    Parameters
    ----------
    settings : LlmSettings
        How the model is reached.
    language : str
        Of answers that do not say and whose script does not tell.
    max_tokens : int
        Most tokens of a reply.

    Raises
    ------
    UsageError, JudgeUnavailable
        As `LlmClient`.
    """

    def __init__(
        self, settings: LlmSettings, *, language: str = "en", max_tokens: int = 2048
    ) -> None:
        self._settings = settings
        self._language = language
        self._max_tokens = max_tokens
        self._plain = SentenceSplitter(language=language)
        self.client = client_of(settings)

    def __call__(self, answers: Iterable[Answer]) -> Iterator[tuple[Answer, Split]]:
        waiting: list[tuple[Answer, Split]] = []

        async def ask(answer: Answer) -> Split:
            return self._read(answer, await self.client.ask(self._request(answer)))

        def to_ask() -> Iterator[Answer]:
            for answer in answers:
                plain = self._plain.split(answer.answer, language=answer.language)
                if plain.status == "split":
                    yield answer
                else:
                    waiting.append((answer, plain))

        for pair in self.client.map(to_ask(), ask):
            yield pair
            while waiting:
                yield waiting.pop()
        yield from waiting

    def plan(self, answers: Iterable[Answer]) -> SpendPlan:
        """What taking these apart would cost at most; nothing is sent."""
        return self.client.plan(
            self._request(answer)
            for answer in answers
            if self._plain.split(answer.answer, language=answer.language).status == "split"
        )

    def identity(self) -> dict[str, Any]:
        return {
            "splitter": "llm",
            "version": VERSION,
            "model": self.client.model,
            "base_url": self.client.base_url,
            "prompt_sha256": prompt_digest("claims"),
            "max_tokens": self._max_tokens,
            "language": self._language,
        }

    def close(self) -> None:
        self.client.close()

    def _request(self, answer: Answer) -> LlmRequest:
        return request_of(
            "claims",
            {"question": answer.question or "(not recorded)", "answer": answer.answer},
            schema=_SCHEMA,
            max_tokens=self._max_tokens,
        )

    def _read(self, answer: Answer, reply: Reply) -> Split:
        bill = bill_of(reply)
        if reply.status != "answered":
            error = f"{reply.status.replace('_', ' ')}: {reply.error}"
            return Split((), {}, "failed", error, bill)
        found, mended = object_with(reply.text, field="claims")
        listed = found.get("claims") if found else None
        if not isinstance(listed, list):
            return Split((), {}, "failed", "the reply holds no list of claims", bill)
        if len(listed) > _MOST_CLAIMS:
            return Split((), {}, "failed", f"{len(listed)} claims in one answer", bill)
        language = language_of(answer.answer, told=answer.language, default=self._language)
        claims = _claims(listed, answer, language, ("repaired",) if mended else ())
        if claims is None:
            return Split((), {}, "failed", "a claim of the reply is not as it was asked for", bill)
        plain = self._plain.split(answer.answer, language=answer.language)
        return Split(claims, plain.not_claims, "split" if claims else "no_claims", "", bill)


def _claims(
    listed: list[Any], answer: Answer, language: str, flags: tuple[str, ...]
) -> tuple[AnswerClaim, ...] | None:
    """The claims of a reply; None if one is not of the form asked for."""
    claims: list[AnswerClaim] = []
    after = 0
    for one in listed:
        if not isinstance(one, dict) or not isinstance(one.get("claim"), str):
            return None
        text = " ".join(one["claim"].split())
        if not text or any(text == known.text for known in claims):
            continue
        quote = one.get("quote")
        place = place_of(quote if isinstance(quote, str) else text, answer.answer, after=after)
        said = list(flags)
        if "pronoun" in claim_flags(text, language=language):
            said.append("pronoun")
        elif one.get("resolved") is False:
            said.append("unresolved")
        if place is None:
            said.append("untraced")
        else:
            after = place[0]
        if added_numbers(text, f"{answer.question}\n{answer.answer}"):
            said.append("number_added")
        claims.append(AnswerClaim(text, *(place or (-1, -1)), tuple(said)))
    return tuple(claims)


def client_of(settings: LlmSettings) -> LlmClient:
    """A client for a model that must be named.

    Raises
    ------
    UsageError
        If none is.
    JudgeUnavailable
        If something is lacking, a package or a key.
    """
    if not settings.model:
        raise UsageError(
            "no model is named for taking answers apart or making questions",
            where="parameter model",
            todo="name it: --model-param model=NAME",
        )
    lacking = lacks_openai()
    if lacking is not None:
        raise JudgeUnavailable(f"lacks {lacking[0]}", todo=f"run: {lacking[1]}")
    return LlmClient(settings)


def request_of(
    name: str, fields: dict[str, str], *, schema: dict[str, Any], max_tokens: int
) -> LlmRequest:
    """A chat request with a prompt of `prompts.toml` and a JSON schema for the reply."""
    told = prompt_text(name)
    form = {"name": name, "schema": schema, "strict": True}
    return LlmRequest(
        {
            "messages": [
                {"role": "system", "content": told["system"].strip()},
                {"role": "user", "content": filled(told["user"].strip(), fields)},
            ],
            "temperature": 0.0,
            "max_tokens": max_tokens,
            "response_format": {"type": "json_schema", "json_schema": form},
        }
    )


def filled(template: str, fields: dict[str, str]) -> str:
    """A template with its fields filled in once, and never again inside a filling."""
    parts = template.split("{")
    text = parts[0]
    for part in parts[1:]:
        name, _, rest = part.partition("}")
        text += fields[name].encode("utf-8", "replace").decode() + rest
    return text


def bill_of(reply: Reply) -> SplitBill:
    """What a reply cost."""
    return SplitBill(reply.attempts, reply.tokens_in, reply.tokens_out, reply.cost, reply.seconds)


def prompt_digest(name: str) -> str:
    """SHA-256 (hex) of a prompt."""
    return json_digest(prompt_text(name))


@cache
def prompt_text(name: str) -> dict[str, str]:
    """System and user part of a prompt."""
    text = files("voirdire.metrics").joinpath("prompts.toml").read_text(encoding="utf-8")
    found: dict[str, str] = tomllib.loads(text)[name]
    return found
