"""What the client's exceptions mean: a named status, and whether asking again can help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from voirdire.models.replies import ReplyStatus
from voirdire.models.retries import retry_after

__all__ = ["Failure", "failure_of"]

Again = Literal["no", "once", "yes"]

_TOO_LONG = ("context_length_exceeded", "exceed_context_size_error")
_NO_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")


@dataclass(frozen=True, slots=True)
class Failure:
    """What became of one request.

    Attributes
    ----------
    status : ReplyStatus
    error : str
    again : {"no", "once", "yes"}
        Whether to ask again. After a time-out once: the server may still be at work on it.
    wait : float or None
        Seconds the server asks for.
    lost : bool
        Whether there was no reply at all: the server may be gone.
    hopeless : str
        If no other request can fare better: the command or step that mends it.
    http_status : int or None
    """

    status: ReplyStatus
    error: str
    again: Again = "no"
    wait: float | None = None
    lost: bool = False
    hopeless: str = ""
    http_status: int | None = None


def failure_of(error: Exception, *, key_env: str, timeout: float) -> Failure:
    """Name an exception of the openai client.

    Parameters
    ----------
    error : Exception
    key_env : str
        Variable the key came from, for the message; empty if there is none.
    timeout : float
        Seconds, for the message.
    """
    import openai

    if isinstance(error, openai.APITimeoutError):
        return Failure("timed_out", f"no reply within {timeout:g} s", again="once")
    if isinstance(error, openai.APIStatusError):
        return _by_status(error, key_env)
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__
        why = f"{type(cause).__name__}: {cause}" if cause else str(error)
        return Failure("failed", f"connection lost ({why})", again="yes", lost=True)
    return Failure("failed", f"{type(error).__name__}: {error}")


def _by_status(error: Any, key_env: str) -> Failure:
    status: int = error.status_code
    body = _error_body(error.body)
    said = f"HTTP {status}: {body.get('message') or error.message}"
    kinds = (str(body.get("code")), str(body.get("type")))
    if any(kind in _TOO_LONG for kind in kinds):
        return Failure("too_long", _sizes(said, body), http_status=status)
    if any(kind in _NO_QUOTA for kind in kinds):
        mend = "the account has no quota left: add credit, then run the same command again"
        return Failure("rate_limited", said, hopeless=mend, http_status=status)
    if status in (401, 403):
        mend = (
            f"the server does not take this key: check the environment variable {key_env}"
            if key_env
            else "no key was sent: put it into an environment variable and name that with the "
            "parameter key_env"
        )
        return Failure("failed", said, hopeless=mend, http_status=status)
    if status == 404:
        mend = "check the parameters model and base_url (it usually ends in /v1)"
        if any(kind == "model_not_found" for kind in kinds):
            mend = "check the parameter model; what the server has it lists at <base_url>/models"
        return Failure("failed", said, hopeless=mend, http_status=status)
    if status == 429:
        wait = retry_after(error.response.headers)
        return Failure("rate_limited", said, again="yes", wait=wait, http_status=status)
    if status in (408, 409) or status >= 500:
        again: Again = "no" if status == 501 else "yes"
        wait = retry_after(error.response.headers)
        kind: ReplyStatus = "rejected" if status == 501 else "failed"
        return Failure(kind, said, again=again, wait=wait, http_status=status)
    return Failure("rejected", said, http_status=status)


def _error_body(body: object) -> Mapping[str, Any]:
    """The error object of a reply, at the top or one level down."""
    if isinstance(body, dict):
        inner = body.get("error")
        return inner if isinstance(inner, dict) else body
    return {}


def _sizes(said: str, body: Mapping[str, Any]) -> str:
    """What llama.cpp adds: how long the prompt is and how long it may be; and what helps."""
    if "n_prompt_tokens" in body and "n_ctx" in body:
        said = f"{said} ({body['n_prompt_tokens']} tokens, the model takes {body['n_ctx']})"
    return f"{said}; give less context, or ask a model that takes more"
