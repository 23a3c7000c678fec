"""Keys come from the environment and go into the request, and nowhere else."""

from __future__ import annotations

import os
import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from voirdire.errors import JudgeUnavailable, UsageError

__all__ = [
    "NO_KEY",
    "checked_base_url",
    "is_loopback",
    "key_from_environment",
    "key_variable",
    "without_keys",
]

# What looks like a key or a token in a message of a server, ours or not.
_KEY_LIKE = re.compile(
    r"(?i)\b(?:sk|pk|rk|key|hf|gsk|xai)[-_][A-Za-z0-9*_-]{6,}|\bbearer\s+\S+|\bAIza[\w-]{10,}"
)
_HIDDEN = "[key]"
NO_KEY = "none"


def checked_base_url(base_url: str) -> str:
    """A base URL without trailing slashes.

    Raises
    ------
    UsageError
        If it has no scheme or host, or carries a user, a password, a query or a fragment: those
        may be secret, and a base URL is written into every run.
    """
    parts = urlsplit(base_url)
    where = "parameter base_url"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        guess = base_url.partition("://")[2] or base_url
        raise UsageError(
            f"{base_url!r} is no base URL",
            where=where,
            allowed="http://host[:port]/path or https://host/path",
            todo=f"did you mean 'http://{guess.lstrip('/')}'?" if guess else "",
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            "the base URL carries a user, a password, a query or a fragment",
            where=where,
            allowed="scheme, host, port and path only; it is written into every run",
            todo="put the key into an environment variable and name that with key_env",
        )
    return base_url.rstrip("/")


def is_loopback(base_url: str) -> bool:
    """Whether a base URL names this machine: nothing said there leaves it."""
    host = (urlsplit(base_url).hostname or "").lower()
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name
        return False


def key_variable(name: str, *, base_url: str) -> str:
    """The environment variable that holds the key for a server; empty for a server without one.

    A key is sent to nobody but whom it was made for: that of OpenAI to OpenAI, any other where
    its variable was named, and none to a server on this machine unless one was.

    Parameters
    ----------
    name : str
        As set: a variable, ``none`` for no key, or empty for the default.
    base_url : str

    Raises
    ------
    UsageError
        If nothing was set for a server elsewhere that is not OpenAI's.
    """
    if name:
        return "" if name == NO_KEY else name
    if is_loopback(base_url):
        return ""
    if urlsplit(base_url).hostname == "api.openai.com":
        return "OPENAI_API_KEY"
    raise UsageError(
        "it is not said where the key for this server is",
        where=base_url,
        allowed=f"key_env = the name of an environment variable, or {NO_KEY!r} for no key",
        todo="set the parameter key_env, with --param key_env=NAME or in study.toml",
    )


def key_from_environment(variable: str, *, base_url: str) -> str:
    """The key in an environment variable; a stand-in where there is to be none.

    Raises
    ------
    JudgeUnavailable
        If there is none, or it holds what no key can (a line end, a blank).
    """
    if not variable:
        return NO_KEY  # the client insists on one
    key = os.environ.get(variable, "").strip()
    if not key:
        raise JudgeUnavailable(
            f"there is no key in the environment variable {variable}",
            where=base_url,
            todo=f"run: export {variable}=...",
        )
    if not key.isascii() or any(letter.isspace() for letter in key):
        raise JudgeUnavailable(
            f"the environment variable {variable} does not hold a key: it has blanks or letters "
            "outside ASCII",
            todo=f"run: export {variable}=...",
        )
    return key


def without_keys(text: str, *, key: str) -> str:
    """A text with this key, and what looks like any other, taken out."""
    if len(key) >= 6:
        text = text.replace(key, _HIDDEN)
    return _KEY_LIKE.sub(_HIDDEN, text)
