"""What every judge with a model server behind it shares: parameters, redaction, plain cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from voirdire.models import LlmSettings, Reply
from voirdire.records import JudgeAnswer, JudgeInput, Outcome
from voirdire.store.redaction import Redaction
from voirdire.store.seals import json_digest

__all__ = [
    "SendingParameters",
    "answer_without_asking",
    "identity",
    "paid",
    "prepared",
    "unanswered",
]

# How a model is reached does not say who answers: a run goes on under another time-out.
_NOT_IDENTITY: Final = frozenset(
    {"key_env", "timeout", "retries", "concurrency", "price_in", "price_out", "answers_as"}
)
_OUTCOMES: Final[dict[str, Outcome]] = {
    "refused": "refused",
    "truncated": "truncated",
    "timed_out": "timed_out",
    "rate_limited": "rate_limited",
    "too_long": "failed",
    "rejected": "failed",
    "failed": "failed",
}


class SendingParameters(LlmSettings):
    """How a model is reached, and what is taken out of a text before it is sent."""

    temperature: Annotated[float, Field(ge=0, le=2)] | Literal["server"] = Field(
        default=0.0, description="sent as it is; 'server': not sent, the server's own"
    )
    seed: int | None = Field(
        default=None, ge=0, description="sent as seed + repeat, so that repeats differ"
    )
    max_tokens: int = Field(default=1024, ge=1, description="most tokens of an answer")
    redact: tuple[str, ...] = Field(
        default=(), description="regular expressions; what they match is not sent"
    )


def identity(
    parameters: SendingParameters, *, base_url: str, redaction: Redaction, leave_out: Sequence[str]
) -> dict[str, Any]:
    """The parameters that say who answers, for a fingerprint."""
    dropped = _NOT_IDENTITY | set(leave_out) | {"redact", "model"}
    said = parameters.model_dump(mode="json")
    kept = {name: value for name, value in said.items() if name not in dropped}
    kept["base_url"] = base_url
    if redaction:
        kept["redact_sha256"] = json_digest(list(redaction.patterns))
    return kept


def prepared(item: JudgeInput, redaction: Redaction) -> JudgeInput:
    """An input as it is sent: redacted, without what UTF-8 cannot say, without empty chunks."""
    return JudgeInput(
        id=item.id,
        claim=_sayable(redaction.apply(item.claim)),
        context=tuple(_sayable(redaction.apply(chunk)) for chunk in item.context if chunk.strip()),
    )


def answer_without_asking(item: JudgeInput) -> JudgeAnswer | None:
    """The answer where there is nothing to ask: an empty claim, an empty context."""
    if not item.claim.strip():
        return JudgeAnswer(
            outcome="not_applicable", error="the claim is empty", attempts=0, seconds=0.0
        )
    if not item.context:
        return JudgeAnswer(
            outcome="judged",
            label="unverifiable",
            rationale="the context is empty; the model was not asked",
            attempts=0,
            seconds=0.0,
            flags=("empty_context",),
        )
    return None


def paid(reply: Reply) -> dict[str, Any]:
    """What a reply cost, as fields of an answer."""
    return {
        "seconds": reply.seconds,
        "attempts": reply.attempts,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "cost": reply.cost,
    }


def unanswered(reply: Reply) -> JudgeAnswer:
    """The outcome of a reply that is no answer."""
    error, flags = reply.error, list(reply.flags)
    if reply.status == "too_long":
        flags.append("context_overflow")
    if reply.status == "truncated":
        error += "; raise the parameter max_tokens"
    return JudgeAnswer(
        outcome=_OUTCOMES[reply.status],
        error=error or reply.status,
        raw=reply.text or None,
        flags=tuple(flags),
        **paid(reply),
    )


def _sayable(text: str) -> str:
    """Lone surrogates as U+FFFD: no request can hold them."""
    return text.encode("utf-8", "replace").decode("utf-8")
