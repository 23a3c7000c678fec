"""A model server of the standard library that fails in every known way: the model's name says how.

Loopback only. `FaultServer.requests` holds every request body in the order received, so a test
can say what was sent and how often.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GOOD = {"rationale": "It says so.", "label": "supported"}
HTML = "<!doctype html><title>Sign in</title><h1>Please sign in to the proxy</h1>"


def completion(asked: str, content: Any, **changes: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **changes.pop("message", {})}
    body: dict[str, Any] = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": changes.pop("model", asked),
        "choices": [
            {"index": 0, "finish_reason": changes.pop("finish", "stop"), "message": message}
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
    body |= changes
    return {key: value for key, value in body.items() if value is not ...}


# What the model says, by the model's name: content, and what else differs.
CONTENTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "good": (json.dumps(GOOD), {}),
    "fenced": (f"Here you are:\n```json\n{json.dumps(GOOD, indent=1)}\n```\nAnything else?", {}),
    "prose": ("The claim seems to be about plans, and I would say it is fine.", {}),
    "lone-word": ("**Unverifiable.**", {}),
    "array": (json.dumps([GOOD]), {}),
    "two-labels": (json.dumps([GOOD, {"label": "contradicted"}]), {}),
    "single-quotes": ("{'rationale': 'ok', 'label': 'contradicted'}", {}),
    "comment": ('{"rationale": "a\nb", "label": "supported" // sure\n}', {}),
    "half-json": ('{"rationale": "It says so.", "label": "suppor', {}),
    "half-json-whole-word": ('{"rationale": "It says so.", "label": "supported', {}),
    "length": ('{"rationale": "It', {"finish": "length"}),
    "length-empty": ("", {"finish": "length"}),
    "refusal": (None, {"message": {"refusal": "I can't help with that."}}),
    "refusal-text": ("I cannot evaluate this.", {}),
    "content-filter": ("", {"finish": "content_filter"}),
    "null-content": (None, {}),
    "no-choices": ("", {"choices": []}),
    "no-usage": (json.dumps(GOOD), {"usage": ...}),
    "odd-usage": (json.dumps(GOOD), {"usage": {"prompt_tokens": -3, "completion_tokens": "9"}}),
    "unsupported": (json.dumps({"label": "unsupported"}), {}),
    "incorrect": (json.dumps({"label": "INCORRECT"}), {}),
    "outside": (json.dumps({"label": "plausible"}), {}),
    "number": (json.dumps({"label": 7}), {}),
    "wrong-schema": (json.dumps({"title": "The Museum of the Future"}), {}),
    "wrong-model": (json.dumps(GOOD), {"model": "gemma-270m"}),
    "dated": (json.dumps(GOOD), {"model": "dated-2026-01-01"}),
    "tool-only": ("", {"message": {"tool_calls": [{"function": {"arguments": json.dumps(GOOD)}}]}}),
}


def _ragas(
    *verdicts: Any, statement: str = "The plan costs 12 euro."
) -> tuple[str, dict[str, Any]]:
    found = [{"statement": statement, "reason": "r", "verdict": verdict} for verdict in verdicts]
    return json.dumps({"statements": found}), {}


def _deepeval(*verdicts: Any) -> tuple[str, dict[str, Any]]:
    return json.dumps({"verdicts": [{"reason": "r", "verdict": one} for one in verdicts]}), {}


CONTENTS |= {
    "ragas-1": _ragas(1),
    "ragas-0": _ragas(0),
    "ragas-7": _ragas(7),
    "ragas-true": _ragas(True),
    "ragas-word": _ragas("1"),
    "ragas-two": _ragas(1, 1),
    "ragas-none": _ragas(),
    "ragas-reworded": _ragas(1, statement="Something else."),
    "deepeval-yes": _deepeval("yes"),
    "deepeval-no": _deepeval("No"),
    "deepeval-borderline": _deepeval("borderline"),
    "deepeval-idk": _deepeval("idk"),
    "deepeval-odd": _deepeval("maybe"),
    "deepeval-three": _deepeval("yes", "yes", "no"),
    "deepeval-none": _deepeval(),
    "deepeval-fenced": (f"```json\n{_deepeval('no')[0]}\n```", {}),
}
# Errors, by the model's name: status, body, headers.
ERRORS: dict[str, tuple[int, Any, dict[str, str]]] = {
    "400": (400, {"error": {"message": "temperature must be below 2"}}, {}),
    "401": (401, {"error": {"message": "Incorrect API key provided: sk-abcdef1234567890"}}, {}),
    "404": (404, {"error": {"message": "The model does not exist", "code": "model_not_found"}}, {}),
    "500": (500, {"error": {"message": "internal"}}, {}),
    "501": (501, {"error": {"message": "not supported", "type": "not_supported_error"}}, {}),
    "quota": (429, {"error": {"message": "quota", "code": "insufficient_quota"}}, {}),
    "429-for-ever": (429, {"error": {"message": "slow down"}}, {"Retry-After": "0"}),
    "429-very-long": (429, {"error": {"message": "slow down"}}, {"Retry-After": "99999"}),
    "overflow-openai": (
        400,
        {"error": {"message": "maximum context length", "code": "context_length_exceeded"}},
        {},
    ),
    "overflow-llama": (
        400,
        {
            "error": {
                "message": "the request exceeds the available context size",
                "code": 400,
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 3000,
                "n_ctx": 2048,
            }
        },
        {},
    ),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FaultServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.dead:
            self.close_connection = True
            self.connection.close()
            return
        if not self.path.startswith("/v1/"):
            self.reply(404, {"error": {"message": f"no route {self.path}"}}, {})
            return
        model = str(body.get("model"))
        number = self.server.note(model, body, dict(self.headers))
        answer = self._scripted(model, body, number)
        if answer is not None:
            self.reply(*answer)

    def _scripted(
        self, model: str, body: dict[str, Any], number: int
    ) -> tuple[int, Any, dict[str, str]] | None:
        if model in ERRORS:
            return ERRORS[model]
        if model == "429-twice" and number <= 2:
            return 429, {"error": {"message": "slow down"}}, {"Retry-After": "0.2"}
        if model == "500-once" and number == 1:
            return 500, {"error": {"message": "internal"}}, {}
        if model == "good-then-500" and number > 2:
            return ERRORS["500"]
        if model.startswith("no-schema") and "response_format" in body:
            return 400, {"error": {"message": "response_format is not supported"}}, {}
        if model.startswith("no-schema-no-tool") and "tools" in body:
            return 400, {"error": {"message": "tools are not supported"}}, {}
        if model == "slow":
            time.sleep(1.5)
        if model == "slow-once" and number == 1:
            time.sleep(1.5)
        if model == "html":
            return 200, HTML, {"Content-Type": "text/html"}
        if model == "cut-body":
            return self._cut()
        if model == "hang-up":
            self.close_connection = True
            self.connection.close()
            return None
        if model == "batch" or model.startswith("batch-"):
            return 200, completion(model, _batch(model, body), **_finish(model)), {}
        if model == "echo":
            return 200, completion(model, body["messages"][-1]["content"]), {}
        if model == "dice":
            label = ("supported", "supported", "contradicted")[number % 3]
            return 200, completion(model, json.dumps({"rationale": "r", "label": label})), {}
        content, changes = CONTENTS.get(model, CONTENTS["good"])
        return 200, completion(model, content, **dict(changes)), {}

    def _cut(self) -> None:
        """Half a body, then the connection ends: the promised length never comes."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "5000")
        self.end_headers()
        self.wfile.write(b'{"id": "x", "choi')
        self.wfile.flush()
        self.close_connection = True

    def reply(self, status: int, body: Any, headers: dict[str, str]) -> None:
        raw = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args: object) -> None:
        pass


def _batch(model: str, body: dict[str, Any]) -> str:
    """Answers to a batch: how many claims were asked is read from the request."""
    asked = len(re.findall(r"^<claim \d+ ", body["messages"][-1]["content"], re.MULTILINE))
    verdicts: list[dict[str, Any]] = [
        {"claim": n, "rationale": f"r{n}", "label": "supported"} for n in range(1, asked + 1)
    ]
    if model == "batch-few":
        verdicts = verdicts[:6]
    elif model == "batch-many":
        verdicts += [{"claim": n, "label": "contradicted"} for n in (asked + 1, asked + 2)]
    elif model == "batch-twice":
        verdicts.append({"claim": 1, "label": "contradicted"})
    elif model == "batch-shuffled":
        verdicts = [
            {**one, "label": ("contradicted", "supported")[one["claim"] % 2]} for one in verdicts
        ][::-1]
    elif model == "batch-unnumbered":
        verdicts = [{"rationale": "r", "label": "supported"} for _ in verdicts]
    text = json.dumps({"verdicts": verdicts})
    return text[: text.rindex('{"claim"') + 20] if model == "batch-cut" else text


def _finish(model: str) -> dict[str, Any]:
    return {"finish": "length"} if model == "batch-cut" else {}


class FaultServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.dead = False
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def note(self, model: str, body: dict[str, Any], headers: dict[str, str]) -> int:
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            self._counts[model] += 1
            return self._counts[model]

    def __enter__(self) -> FaultServer:
        self._thread.start()
        return self

    def die(self) -> None:
        """No new connections, and the old ones are hung up on."""
        self.dead = True
        self.shutdown()
        self.server_close()

    def __exit__(self, *exit: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that hangs up is part of the play
