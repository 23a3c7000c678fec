"""What goes wrong with a labelling server, said so that a person can mend it.

::

    StudioError           5  the server refused, failed or is not there
    └── UnknownOutcome    5  a request that writes got no answer: it may have been carried out

The client's own exceptions hold response headers, and with them a session cookie: only their
status and the server's ``detail`` are ever repeated.
"""

from __future__ import annotations

import json
import re
from typing import Any

from voirdire.errors import VoirdireError

__all__ = ["StudioError", "UnknownOutcome", "detail_of", "refused"]

_SHOWN = 300


class StudioError(VoirdireError):
    """The labelling server refused, failed or is not there."""


class UnknownOutcome(StudioError):
    """A request that writes got no answer: whether it was carried out has to be looked up."""


def detail_of(body: Any) -> str:
    """What a server's error body says, on one line; of an HTML page only its title."""
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    if isinstance(body, dict):
        said = [body.get("detail"), body.get("validation_errors")]
        parts = [part if isinstance(part, str) else json.dumps(part) for part in said if part]
        text = "; ".join(parts)
    elif isinstance(body, str) and body.lstrip().startswith("<"):
        title = re.search(r"<title[^>]*>(.*?)</title>", body, re.DOTALL | re.IGNORECASE)
        text = f"a web page{', ' + repr(title.group(1).strip()) if title else ''}"
    else:
        text = str(body or "")
    text = re.sub(r"\s+", " ", text).strip()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def refused(status: int | None, body: Any, *, doing: str, url: str, token: str) -> StudioError:
    """A server's answer as an error: what was being done, what it said, what to do.

    Parameters
    ----------
    status : int or None
        HTTP status.
    body : object
        As the client gives it.
    doing : str
        What was being done, as in "cannot <doing>".
    url : str
        Of the server, without user and password.
    token : str
        What kind of token was given, in words.
    """
    said = detail_of(body)
    what = f"cannot {doing}: the server answered {status}" + (f" ({said})" if said else "")
    if status == 401:
        return StudioError(what, where=url, allowed=token, todo=_token_advice(said))
    if status == 200:
        what = f"cannot {doing}: what answers there is not Label Studio ({said or 'no JSON'})"
        return StudioError(what, where=url, todo=_CHECK_URL)
    return StudioError(what, where=url, todo=_ADVICE.get(status or 0, _ADVICE[500]))


_CHECK_URL = (
    "check LABEL_STUDIO_URL: the address you see in the browser, up to but without /projects"
)
_ADVICE = {
    400: "mend what the server names, then run the same command again",
    403: "ask the server's owner to let this account into the project",
    404: "if a project is meant, it was deleted or belongs to another organisation; else "
    + _CHECK_URL,
    409: "another process is changing the same thing: wait, then run the same command again",
    429: "the server asks for fewer requests: wait some minutes, then run the same command again",
    500: "look into the server's log; then run the same command again, nothing is sent twice",
}


def _token_advice(said: str) -> str:
    if "legacy token" in said.lower():
        return (
            "this server has legacy tokens switched off: make a personal access token under "
            "'Account & Settings > Personal Access Token' and set LABEL_STUDIO_API_KEY to it"
        )
    return (
        "copy the token from 'Account & Settings > Access Token' of this very server (it may have "
        "been reset, or belong to another server) and set LABEL_STUDIO_API_KEY to it"
    )
