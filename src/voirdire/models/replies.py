"""What came back from a model server, and the named ways in which nothing did."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Reply", "ReplyStatus", "read_reply", "whole_number"]

ReplyStatus = Literal[
    "answered",
    "refused",
    "truncated",
    "timed_out",
    "rate_limited",
    "too_long",
    "rejected",
    "failed",
]
"""``too_long``: the input does not fit the model. ``rejected``: the server does not take the
request as it is (status 4xx). ``failed``: anything else; ``error`` says what."""

_SHOWN = 300


@dataclass(slots=True)
class Reply:
    """One reply, whatever became of it.

    Attributes
    ----------
    status : ReplyStatus
    text : str
        What the model wrote: the arguments of its call where a tool was to be called.
    model, finish_reason : str or None
        As the server names them.
    tokens_in, tokens_out : int or None
        None where the server does not say: unknown, not zero.
    cost : float or None
        None where price or tokens are unknown.
    seconds : float
        From the first request to the last reply, waits between attempts included.
    attempts : int
        Requests sent.
    error : str
        Empty if answered.
    http_status : int or None
    body : dict
        The reply as JSON; empty if there was none.
    flags : list of str
        What a page should count.
    """

    status: ReplyStatus
    text: str = ""
    model: str | None = None
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    attempts: int = 1
    error: str = ""
    http_status: int | None = None
    body: dict[str, Any] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)


def read_reply(raw: str, *, content_type: str) -> Reply:
    """A reply of status 200, of the chat or the completions route, read without trust.

    A proxy's web page, a list without choices, no content, a refusal, a filter and an answer
    that was cut are all sent with status 200.
    """
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        kind = content_type or "no content type"
        return Reply("failed", error=f"the reply is not JSON ({kind}): {_short(raw)}")
    if not isinstance(body, dict):
        return Reply("failed", error=f"the reply is not a JSON object: {_short(raw)}")
    reply = _read_body(body, raw)
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    reply.tokens_in = whole_number(usage.get("prompt_tokens"))
    reply.tokens_out = whole_number(usage.get("completion_tokens"))
    reply.model = body["model"] if isinstance(body.get("model"), str) else None
    reply.body = body
    return reply


def whole_number(value: Any) -> int | None:
    """A count as a server sent it; None for anything that is not a whole number >= 0."""
    return value if type(value) is int and value >= 0 else None


def _read_body(body: dict[str, Any], raw: str) -> Reply:
    choices = body.get("choices")
    choices = choices if isinstance(choices, list) else []
    choice = choices[0] if choices else None
    if not isinstance(choice, dict):
        return Reply("failed", error=f"the reply has no choices: {_short(raw)}")
    reason = choice.get("finish_reason")
    reply = _read_choice(choice, reason)
    reply.finish_reason = reason if isinstance(reason, str) else None
    if len(choices) > 1:
        reply.flags.append("extra_choices")  # asked for one; their tokens may not be counted
    return reply


def _read_choice(choice: dict[str, Any], reason: Any) -> Reply:
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    text = _text_of(choice, message)
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        return Reply("refused", text=refusal, error=f"the model refused: {_short(refusal)}")
    if reason == "content_filter":
        return Reply("refused", text=text, error="a content filter of the provider held it back")
    if reason == "length":
        return Reply(
            "truncated",
            text=text,
            error="the answer was cut at the limit of tokens" + ("" if text else ", before a word"),
        )
    if not text.strip():
        return Reply("failed", error=f"the reply has no content (finish_reason {reason!r})")
    return Reply("answered", text=text)


def _text_of(choice: dict[str, Any], message: dict[str, Any]) -> str:
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls and isinstance(calls[0], dict):
        function = calls[0].get("function")
        arguments = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(arguments, str):
            return arguments
    content = message.get("content", choice.get("text"))
    if isinstance(content, list):  # content in parts, as some servers send it
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."
