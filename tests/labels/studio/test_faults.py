"""Faults that need no server of Label Studio: canned answers, or nobody at all."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.servers.fault_server import FaultServer, Rule
from voirdire.cli.main import main
from voirdire.errors import UsageError, VoirdireError
from voirdire.labels.studio import Server, StudioError, UnknownOutcome, push, server_from
from voirdire.labels.studio.client import Studio
from voirdire.labels.studio.connection import public_url, token_kind

KEY = "0" * 40
ME = {"id": 1, "email": "me@example.com", "username": "me", "first_name": "", "last_name": ""}


def jwt(kind: str) -> str:
    parts = [{"alg": "HS256"}, {"token_type": kind, "exp": 9_999_999_999}]
    coded = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts
    ]
    return ".".join([*coded, "c2ln"])


def studio_of(server: FaultServer, **more: Any) -> Studio:
    return Studio(Server(server.url + "/", KEY), sleep=lambda _: None, **more)


def who(**answer: Any) -> Rule:
    return Rule("GET", "/whoami", times=-1, **answer)


NOT_FOUND, BAD_GATEWAY, SHOP = (
    f"<html><title>{title}</title></html>" for title in ("Not found", "Bad gateway", "A shop")
)
DISABLED = "legacy token authentication has been disabled for this organization"
FAILURES: list[tuple[dict[str, Any], str]] = [
    ({"status": 401, "body": {"detail": "Invalid token."}}, "answered 401 .Invalid token"),
    ({"status": 401, "body": {"detail": "no"}}, "given was a legacy token of 40 characters"),
    ({"status": 401, "body": {"detail": "no"}}, "'Account & Settings > Access Token'"),
    ({"status": 401, "body": {"detail": DISABLED}}, "switched off: make a personal access token"),
    ({"status": 403, "body": {"detail": "no"}}, "answered 403 .no.*let this account into"),
    ({"status": 404, "body": NOT_FOUND}, "a web page, 'Not found'.*check LABEL_STUDIO_URL"),
    ({"status": 409, "body": {"detail": "busy"}}, "answered 409 .busy.*wait, then run the same"),
    ({"status": 429, "headers": {"Retry-After": "0.1"}}, "answered 429.*wait some minutes"),
    ({"status": 500}, "answered 500 .struck.*nothing is sent twice"),
    ({"status": 502, "body": BAD_GATEWAY}, "answered 502 .a web page, 'Bad gateway'"),
    ({"status": 200, "body": SHOP}, "not Label Studio .a web page, 'A shop'.*check LABEL_ST"),
    ({"status": 200, "body": {"hello": "world"}}, "not Label Studio"),
    ({"what": "drop"}, "the connection broke or the answer was cut off"),
    ({"what": "truncate"}, "the connection broke or the answer was cut off|answered 404"),
]


@pytest.mark.parametrize(("answer", "message"), FAILURES)
def test_every_failure_says_what_to_do(answer: dict[str, Any], message: str) -> None:
    with FaultServer(rules=[who(**answer)]) as server:
        with pytest.raises(StudioError, match=message) as caught:
            studio_of(server).check()
    said = str(caught.value)
    assert KEY not in said
    assert "Set-Cookie" not in said
    assert "headers" not in said


def test_a_timeout_is_an_unknown_outcome() -> None:
    with FaultServer(rules=[who(what="hang", seconds=1.5)]) as server:
        with pytest.raises(UnknownOutcome, match="no answer in time"):
            studio_of(server, timeout=0.3).check()


def test_a_request_that_writes_is_never_repeated() -> None:
    rules = [Rule("POST", "/api/projects", status=500, times=-1)]
    with FaultServer(rules=rules) as server:
        with pytest.raises(UnknownOutcome):
            studio_of(server).create(title="abc", description="x")
        assert server.count("POST", "/api/projects") == 1
        with pytest.raises(StudioError):
            studio_of(server).send(3, [{"item_id": "a"}])
        assert server.count("POST", "/import") == 1


def test_a_request_that_reads_is_repeated() -> None:
    rules = [Rule("GET", "/whoami", status=503, times=2), who(status=200, body=ME)]
    rules.append(Rule("GET", "/version", status=200, body={"release": "1.23.2"}, times=-1))
    with FaultServer(rules=rules) as server:
        assert studio_of(server).check() == "1.23.2"
        assert server.count("GET", "/whoami") == 3


def test_nobody_there() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(StudioError, match="nobody answers there.*start the server"):
        Studio(Server(f"http://127.0.0.1:{port}/", KEY), sleep=lambda _: None).check()


def test_a_listing_that_stops_short_is_refused() -> None:
    page = {
        "tasks": [{"id": 1, "data": {"item_id": "a"}}],
        "total": 2,
        "total_annotations": 0,
        "total_predictions": 0,
    }
    rules = [
        Rule("GET", "/api/tasks", status=200, body=page),
        Rule("GET", "/api/tasks", status=404, body={"detail": "Invalid page."}, times=-1),
    ]
    with FaultServer(rules=rules) as server:
        with pytest.raises(StudioError, match="1 tasks came, 2 were announced"):
            studio_of(server).tasks(1)


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({}, "no labelling server is named.*set LABEL_STUDIO_URL"),
        ({"LABEL_STUDIO_URL": "localhost:8080"}, "'localhost:8080' is no address"),
        ({"LABEL_STUDIO_URL": "ftp://host"}, "is no address of a server"),
        ({"LABEL_STUDIO_URL": "http://u:pw@/x"}, "is no address"),
        ({"LABEL_STUDIO_URL": "http://h"}, "no token.*'Account & Settings > Access Token'"),
        ({"LABEL_STUDIO_URL": "http://h", "LABEL_STUDIO_API_KEY": "a b"}, "holds spaces"),
        (
            {"LABEL_STUDIO_URL": "http://h", "LABEL_STUDIO_API_KEY": jwt("access")},
            "short-lived access token.*copy the long-lived one",
        ),
    ],
)
def test_a_wrong_address_or_token_is_said_at_once(
    environment: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        server_from(environment=environment)
    assert "pw" not in str(caught.value)
    key = environment.get("LABEL_STUDIO_API_KEY", "~")
    assert key not in str(caught.value)


def test_addresses_are_brought_into_one_form() -> None:
    for given in ("http://h:8/ls", "http://h:8/ls/", "http://h:8/ls/api", " http://h:8/ls/?x=1#y "):
        found = server_from(given, environment={"LABEL_STUDIO_API_KEY": KEY})
        assert found.url == "http://h:8/ls/"
    assert public_url("https://me:secret@h/ls/?q=1") == "https://h/ls"
    assert KEY not in repr(found)


def test_tokens_are_told_apart() -> None:
    assert token_kind(KEY) == "legacy"
    assert token_kind(jwt("refresh")) == "personal"
    assert token_kind(jwt("access")) == "access"
    assert [token_kind(text) for text in ("", "abc", "a.b.c", "a.!!.c")] == ["unknown"] * 4


@pytest.mark.parametrize("verb", ["push", "pull", "adjudicate"])
def test_the_command_ends_with_a_sentence_and_a_code(
    verb: str,
    make_set: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = make_set()
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", KEY)
    with FaultServer(rules=[who(status=401, body={"detail": "Invalid token."})]) as server:
        monkeypatch.setenv("LABEL_STUDIO_URL", server.url)
        with pytest.raises(SystemExit) as ended:
            main([verb, str(folder)])
    out, err = capsys.readouterr()
    assert ended.value.code == (5 if verb == "push" else 2)
    assert not out
    assert "Traceback" not in err
    assert KEY not in err
    assert ("Access Token" if verb == "push" else "run 'voirdire push") in err


def test_a_refused_push_leaves_no_secret_in_any_file(make_set: Callable[..., Path]) -> None:
    folder = make_set()
    rules = [
        who(status=200, body=ME),
        Rule("GET", "/version", status=200, body={"release": "x"}, times=-1),
    ]
    with FaultServer(rules=rules) as server:
        url = server.url.replace("http://", "http://user:secret@") + "/"
        with pytest.raises(VoirdireError):
            push(folder, Server(url, KEY))
    for path in folder.rglob("*"):
        if path.is_file():
            assert KEY not in path.read_text(encoding="utf-8")
            assert "secret" not in path.read_text(encoding="utf-8")
