"""The client against a server that fails in every known way: each request has a named end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.servers.faults import FaultServer
from voirdire.errors import JudgeUnavailable, SpendLimit, UsageError
from voirdire.models import LlmClient, LlmRequest, LlmSettings, Reply, SpendGuard

pytest.importorskip("openai", reason="THE EXTRA llm IS ABSENT")


@contextmanager
def client_of(server: FaultServer, model: str, **settings: Any) -> Iterator[LlmClient]:
    settings = {"base_url": server.base_url, "timeout": 5.0, "retries": 3, **settings}
    made = LlmClient(LlmSettings(model=model, **settings))
    try:
        yield made
    finally:
        made.close()


def request(text: str = "hi", **body: Any) -> LlmRequest:
    return LlmRequest({"messages": [{"role": "user", "content": text}], "max_tokens": 50, **body})


def one(server: FaultServer, model: str, **settings: Any) -> Reply:
    with client_of(server, model, **settings) as client:
        return next(iter(client.ask_all([request()])))[1]


@pytest.mark.parametrize(
    ("model", "status", "words"),
    [
        ("good", "answered", ""),
        ("length", "truncated", "cut at the limit"),
        ("length-empty", "truncated", "before a word"),
        ("refusal", "refused", "I can't help"),
        ("content-filter", "refused", "filter"),
        ("null-content", "failed", "no content"),
        ("no-choices", "failed", "no choices"),
        ("html", "failed", "not JSON (text/html): <!doctype"),
        ("overflow-openai", "too_long", "maximum context length"),
        ("overflow-llama", "too_long", "3000 tokens, the model takes 2048"),
        ("400", "rejected", "temperature must be below 2"),
        ("501", "rejected", "not supported"),
    ],
)
def test_each_reply_has_its_name(server: FaultServer, model: str, status: str, words: str) -> None:
    reply = one(server, model)
    assert reply.status == status, reply
    assert words in reply.error
    assert reply.attempts == 1


def test_a_tool_call_is_read(server: FaultServer) -> None:
    assert one(server, "tool-only").text.startswith('{"rationale"')


def test_usage_that_is_missing_or_odd_stays_unknown(server: FaultServer) -> None:
    for model in ("no-usage", "odd-usage"):
        reply = one(server, model, price_in=1.0, price_out=1.0)
        assert (reply.status, reply.tokens_in, reply.cost) == ("answered", None, None)


def test_cost_is_tokens_by_price(server: FaultServer) -> None:
    reply = one(server, "good", price_in=2.0, price_out=10.0)
    assert reply.cost == pytest.approx((100 * 2 + 10 * 10) / 1e6)
    assert one(server, "good").cost is None
    assert one(server, "no-usage", price_in=0.0, price_out=0.0).cost == 0


def test_retry_after_is_honoured(server: FaultServer) -> None:
    began = time.monotonic()
    reply = one(server, "429-twice")
    assert (reply.status, reply.attempts) == ("answered", 3)
    assert time.monotonic() - began >= 0.4
    assert reply.seconds >= 0.4, "waits count as time"


def test_retries_are_bounded(server: FaultServer) -> None:
    reply = one(server, "429-for-ever", retries=2)
    assert (reply.status, reply.attempts) == ("rate_limited", 3)
    reply = one(server, "500", retries=1)
    assert (reply.status, reply.attempts) == ("failed", 2)
    assert "HTTP 500: internal" in reply.error


def test_a_rest_too_long_is_not_waited_for(server: FaultServer) -> None:
    began = time.monotonic()
    assert one(server, "429-very-long").status == "rate_limited"
    assert time.monotonic() - began < 3


def test_a_passing_error_is_passed(server: FaultServer) -> None:
    reply = one(server, "500-once")
    assert (reply.status, reply.attempts) == ("answered", 2)


def test_used_up_quota_is_not_asked_again(server: FaultServer) -> None:
    before = len(server.requests)
    with pytest.raises(JudgeUnavailable, match="add credit"):
        one(server, "quota")
    assert len(server.requests) == before + 1


def test_a_time_out_is_repeated_once(server: FaultServer) -> None:
    """The server may still be at work on the first: a third would compete with two ghosts."""
    reply = one(server, "slow", timeout=0.3, retries=5)
    assert (reply.status, reply.attempts) == ("timed_out", 2)
    assert "within 0.3 s" in reply.error


def test_a_body_cut_short_is_no_answer(server: FaultServer) -> None:
    assert one(server, "cut-body", timeout=0.5).status in ("timed_out", "failed")


def test_a_lost_connection_to_a_living_server_is_one_failure(server: FaultServer) -> None:
    reply = one(server, "hang-up", retries=1)
    assert (reply.status, reply.attempts) == ("failed", 2)
    assert "connection lost" in reply.error


def test_a_server_that_is_gone_stops_everything() -> None:
    with FaultServer() as gone:
        pass
    began = time.monotonic()
    with client_of(gone, "good", retries=1) as client:
        with pytest.raises(JudgeUnavailable, match="does not answer.*start the server"):
            list(client.ask_all(request() for _ in range(100)))
    assert time.monotonic() - began < 20


def test_answers_before_the_end_are_kept(server: FaultServer) -> None:
    with client_of(server, "good-then-500", retries=0, concurrency=1) as client:
        seen = []
        with pytest.raises(JudgeUnavailable, match="last 10 requests all failed"):
            for _, reply in client.ask_all(request() for _ in range(100)):
                seen.append(reply.status)
    assert seen[:2] == ["answered"] * 2
    assert 9 <= seen.count("failed") <= 12, "it does not write 98 failures down"


def test_prose_does_not_stop_the_run(server: FaultServer) -> None:
    """What the model says is no fault of the server."""
    with client_of(server, "prose") as client:
        assert len(list(client.ask_all(request() for _ in range(30)))) == 30


def test_another_model_is_an_error(server: FaultServer) -> None:
    with pytest.raises(JudgeUnavailable, match="'wrong-model', and 'gemma-270m' answered"):
        one(server, "wrong-model")
    assert one(server, "wrong-model", answers_as=("gemma-270m",)).status == "answered"
    assert one(server, "dated", answers_as=("dated-*",)).status == "answered"


def test_a_wrong_key_stops_and_is_not_shown(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", "sk-abcdef1234567890")
    with pytest.raises(JudgeUnavailable) as caught:
        one(server, "401", key_env="A_KEY")
    assert "check the environment variable A_KEY" in str(caught.value)
    assert "abcdef" not in str(caught.value)
    assert server.headers[-1]["authorization"] == "Bearer sk-abcdef1234567890"


def test_a_key_goes_to_nobody_it_was_not_made_for(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-abcdef1234567890")
    one(server, "good")
    assert server.headers[-1]["authorization"] == "Bearer none", "a server on this machine"
    with pytest.raises(UsageError, match="set the parameter key_env"):
        LlmClient(LlmSettings(model="m", base_url="https://models.example.org/v1"))
    LlmClient(LlmSettings(model="m", base_url="https://models.example.org/v1", key_env="none"))
    LlmClient(LlmSettings(model="m"))


def test_an_unknown_model_stops(server: FaultServer) -> None:
    with pytest.raises(JudgeUnavailable, match="check the parameter model; what the server has"):
        one(server, "404")


def test_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(JudgeUnavailable, match="export OPENAI_API_KEY"):
        LlmClient(LlmSettings(model="m"))
    monkeypatch.setenv("MY_KEY", "two words")
    with pytest.raises(JudgeUnavailable, match="MY_KEY does not hold a key"):
        LlmClient(LlmSettings(model="m", key_env="MY_KEY"))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("localhost:8080/v1", "did you mean 'http://localhost:8080/v1'"),
        ("ftp://host/v1", "is no base URL"),
        ("http://user:secret@host/v1", "carries a user"),
        ("https://host/v1?key=secret", "carries a user, a password, a query"),
        ("", "is no base URL"),
    ],
)
def test_base_urls_that_are_none(url: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        LlmClient(LlmSettings(model="m", base_url=url))
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


def test_the_order_of_replies_is_nothing(server: FaultServer) -> None:
    requests = [request(f"text {n}") for n in range(40)]
    with client_of(server, "echo", concurrency=8) as client:
        replies = list(client.ask_all(requests))
    assert sorted(reply.text for _, reply in replies) == sorted(f"text {n}" for n in range(40))
    for sent, reply in replies:
        assert sent.body["messages"][0]["content"] == reply.text


def test_at_most_so_many_at_once(server: FaultServer) -> None:
    running = most = 0

    async def watched(client: LlmClient, sent: LlmRequest) -> Reply:
        return await client.ask(sent)

    with client_of(server, "slow", timeout=10, concurrency=2) as client:
        send = client._send

        async def counted(sent: LlmRequest) -> Reply:
            nonlocal running, most
            running += 1
            most = max(most, running)
            try:
                return await send(sent)
            finally:
                running -= 1

        client._send = counted  # type: ignore[method-assign]
        list(client.ask_all(request() for _ in range(6)))
    assert most == 2


def test_requests_are_taken_as_they_are_needed(server: FaultServer) -> None:
    taken = 0

    def endless() -> Iterator[LlmRequest]:
        nonlocal taken
        while True:
            taken += 1
            yield request()

    with client_of(server, "good", concurrency=4) as client:
        replies = client.ask_all(endless())
        for _ in range(20):
            next(replies)
        replies.close()  # type: ignore[attr-defined]
    assert taken <= 20 + 2 * 4 + 1


def test_it_works_inside_a_running_loop_and_twice(server: FaultServer) -> None:
    """A notebook: the client's loop is its own, so a second asyncio.run meets no closed one."""

    async def notebook(client: LlmClient) -> str:
        return next(iter(client.ask_all([request()])))[1].status

    with client_of(server, "good") as client:
        assert asyncio.run(notebook(client)) == "answered"
        assert asyncio.run(notebook(client)) == "answered"
        client.close()
        assert asyncio.run(notebook(client)) == "answered", "closed, and used again"


def test_the_guard_stops_before_the_call(server: FaultServer) -> None:
    before = len(server.requests)
    with client_of(server, "good", concurrency=3) as client:
        client.guard = SpendGuard(max_calls=7)
        seen = []
        with pytest.raises(SpendLimit, match="--max-calls 7.*7 calls made"):
            for item in client.ask_all(request() for _ in range(50)):
                seen.append(item)
    assert len(server.requests) - before == len(seen) == 7, "what was paid for was given out"


def test_the_guard_counts_money_ahead(server: FaultServer) -> None:
    """50 tokens out at most, 10 used: 1 dollar a token leaves room for the fifth call, no more."""
    with client_of(server, "good", concurrency=1, price_in=0.0, price_out=1e6) as client:
        client.guard = SpendGuard(max_cost=90.0)
        seen = []
        with pytest.raises(SpendLimit, match="--max-cost 90"):
            for _, reply in client.ask_all(request() for _ in range(50)):
                seen.append(reply.cost)
    assert seen == [10.0] * 5
    assert client.guard.cost == 50


def test_retries_count_as_calls(server: FaultServer) -> None:
    with client_of(server, "500", retries=5) as client:
        client.guard = SpendGuard(max_calls=2)
        with pytest.raises(SpendLimit):
            list(client.ask_all([request()]))
        assert client.guard.calls == 2
