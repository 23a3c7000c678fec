"""A server that fails to order: in front of a real one, or on its own with canned answers.

A rule says which request is struck (method and a part of the path), how often, and how:
``before`` the request is passed on (it was not carried out) or ``after`` (it was, and nobody
hears of it).
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

When = Literal["before", "after"]
What = Literal["answer", "drop", "hang", "truncate", "act"]


@dataclass
class Rule:
    """A fault.

    Attributes
    ----------
    method, path : str
        Of the requests it strikes; the path is a part of it, with query.
    what : str
        ``answer`` with `status` and `body`; ``drop`` the connection; ``hang`` for `seconds`;
        ``truncate`` the answer in the middle; ``act`` passes it on and then calls `action`.
    times : int
        How many requests it strikes; -1 for all.
    skip : int
        How many matching requests it lets pass first.
    """

    method: str
    path: str
    what: What = "answer"
    when: When = "before"
    status: int = 500
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    times: int = 1
    skip: int = 0
    action: Callable[[], object] | None = None


class FaultServer:
    """Listens on a port of its own; passes on to `upstream` what no rule strikes.

    Without upstream every request that no rule strikes is a 404.
    """

    def __init__(
        self, upstream: str = "", *, rules: list[Rule] | None = None, prefix: str = ""
    ) -> None:
        self.upstream = upstream
        self.rules = rules or []
        self.prefix = prefix
        self.seen: list[str] = []
        self._lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _any(self) -> None:
                owner._handle(self)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _any

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}{self.prefix}"

    def count(self, method: str, path: str) -> int:
        """Requests that came, struck ones too."""
        return sum(line.startswith(method + " ") and path in line for line in self.seen)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _rule(self, method: str, path: str) -> Rule | None:
        with self._lock:
            self.seen.append(f"{method} {path}")
            for rule in self.rules:
                if rule.times and rule.method == method and rule.path in path:
                    if rule.skip:
                        rule.skip -= 1
                        return None
                    rule.times -= 1
                    return rule
        return None

    def _handle(self, request: BaseHTTPRequestHandler) -> None:
        length = int(request.headers.get("Content-Length") or 0)
        body = request.rfile.read(length) if length else None
        rule = self._rule(request.command, request.path)
        answer: tuple[int, dict[str, str], bytes] | None = None
        if rule is None or rule.when == "after" or rule.what in ("truncate", "act"):
            answer = self._forward(request, body)
        if rule is not None and rule.what == "act" and rule.action is not None:
            rule.action()
        if rule is None or rule.what == "act":
            assert answer is not None
            _send(request, *answer)
        elif rule.what == "drop":
            _close(request)
        elif rule.what == "hang":
            time.sleep(rule.seconds)
            _close(request)
        elif rule.what == "truncate":
            assert answer is not None
            _send(request, answer[0], answer[1], answer[2], cut=True)
        else:
            text = (
                rule.body
                if isinstance(rule.body, str)
                else json.dumps(rule.body or {"detail": "struck"})
            )
            kind = "text/html" if isinstance(rule.body, str) else "application/json"
            _send(request, rule.status, {"Content-Type": kind, **rule.headers}, text.encode())

    def _forward(
        self, request: BaseHTTPRequestHandler, body: bytes | None
    ) -> tuple[int, dict[str, str], bytes]:
        if not self.upstream or not request.path.startswith(self.prefix):
            return 404, {"Content-Type": "text/html"}, b"<html><title>Not found</title></html>"
        path = request.path.removeprefix(self.prefix)
        kept = {"authorization", "content-type", "accept", "x-api-key"}
        headers = {name: value for name, value in request.headers.items() if name.lower() in kept}
        call = urllib.request.Request(self.upstream + path, body, headers, method=request.command)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(call, timeout=300) as answer:
                return answer.status, _kept(answer.headers), answer.read()
        except urllib.error.HTTPError as error:
            return error.code, _kept(error.headers), error.read()


def _kept(headers: Any) -> dict[str, str]:
    return {"Content-Type": headers.get("Content-Type", "application/json")}


def _send(
    request: BaseHTTPRequestHandler,
    status: int,
    headers: dict[str, str],
    body: bytes,
    *,
    cut: bool = False,
) -> None:
    try:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[: len(body) // 2] if cut else body)
        request.wfile.flush()
    except OSError:  # the client has gone
        return
    if cut:
        _close(request)


def _close(request: BaseHTTPRequestHandler) -> None:
    request.close_connection = True
    with contextlib.suppress(OSError):
        request.connection.shutdown(socket.SHUT_RDWR)
