"""Which server, and with which token: both from the environment, neither ever shown whole."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from voirdire.errors import UsageError

__all__ = ["KEY_VARIABLE", "URL_VARIABLE", "Server", "TokenKind", "public_url", "server_from"]

URL_VARIABLE = "LABEL_STUDIO_URL"
KEY_VARIABLE = "LABEL_STUDIO_API_KEY"

TokenKind = Literal["legacy", "personal", "access", "unknown"]

_WHERE = "'Account & Settings > Access Token' (or 'Personal Access Token')"


@dataclass(frozen=True, slots=True)
class Server:
    """Address and token of a labelling server.

    Attributes
    ----------
    url : str
        With a slash at its end, so that a sub-path stays part of it.
    key : str
        The token; not part of the representation.
    """

    url: str
    key: str = field(repr=False)

    @property
    def kind(self) -> TokenKind:
        """What kind of token the key looks like."""
        return token_kind(self.key)

    @property
    def token_words(self) -> str:
        """What was given, without giving it away."""
        given = {
            "legacy": "a legacy token",
            "personal": "a personal access token",
            "access": "an access token",
            "unknown": "something that looks like no token of Label Studio",
        }[self.kind]
        return f"a token this server knows; given was {given} of {len(self.key)} characters"


def server_from(url: str | None = None, *, environment: Mapping[str, str] | None = None) -> Server:
    """The server of an address, or of the environment; the token only of the environment.

    Raises
    ------
    UsageError
        If address or token are missing or cannot be right; it says what was given and where the
        right one is found.
    """
    environment = os.environ if environment is None else environment
    address = (url or environment.get(URL_VARIABLE) or "").strip()
    if not address:
        raise UsageError(
            "no labelling server is named",
            todo=f"set {URL_VARIABLE} to its address, such as http://localhost:8080",
        )
    key = (environment.get(KEY_VARIABLE) or "").strip()
    server = Server(_checked_url(address), key)
    _refuse_key(server)
    return server


def public_url(url: str) -> str:
    """An address without user, password, query and fragment, and without a slash at its end."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    place = host + (f":{parts.port}" if parts.port else "")
    return urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", ""))


def token_kind(key: str) -> TokenKind:
    """What a token looks like: 40 hex digits are legacy, a JWT says itself what it is."""
    if re.fullmatch(r"[0-9a-fA-F]{40}", key):
        return "legacy"
    parts = key.split(".")
    if len(parts) != 3:
        return "unknown"
    try:
        padded = parts[1] + "=" * (-len(parts[1]) % 4)
        body = json.loads(base64.urlsafe_b64decode(padded))
    except (ValueError, UnicodeDecodeError):
        return "unknown"
    kind = body.get("token_type") if isinstance(body, dict) else None
    return "personal" if kind == "refresh" else "access" if kind == "access" else "unknown"


def _checked_url(address: str) -> str:
    try:
        parts = urlsplit(address)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise UsageError(
            f"{_without_userinfo(address)!r} is no address of a server",
            where=URL_VARIABLE,
            allowed="http:// or https://, a host, perhaps a port and a path",
            todo="copy it from the browser, up to but without /projects: http://localhost:8080",
        )
    path = parts.path.rstrip("/")
    path = path.removesuffix("/api") if path.endswith("/api") else path
    return urlunsplit((parts.scheme, parts.netloc, path + "/", "", ""))


def _without_userinfo(address: str) -> str:
    return re.sub(r"//[^/@]*@", "//…@", address)


def _refuse_key(server: Server) -> None:
    if not server.key:
        raise UsageError(
            "no token for the labelling server",
            where=KEY_VARIABLE,
            todo=f"copy it from {_WHERE} in Label Studio and set {KEY_VARIABLE} to it",
        )
    if not re.fullmatch(r"[\x21-\x7e]+", server.key):
        raise UsageError(
            "the token holds spaces or characters that no token has",
            where=KEY_VARIABLE,
            todo=f"copy it again from {_WHERE}, without quotes and line breaks",
        )
    if server.kind == "access":
        raise UsageError(
            "the token is a short-lived access token (it ends after minutes)",
            where=KEY_VARIABLE,
            allowed="a personal access token (its token_type is 'refresh') or a legacy token of "
            "40 hex digits",
            todo=f"copy the long-lived one from {_WHERE} in Label Studio",
        )
