"""Prices, plans, waits and keys by themselves."""

from __future__ import annotations

import tomllib
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from importlib.resources import files

import pytest

from voirdire.errors import SpendLimit, UsageError
from voirdire.models import SpendGuard, SpendPlan, estimated_tokens, price_of
from voirdire.models.keys import is_loopback, without_keys
from voirdire.models.retries import retry_after, wait_before

OPENAI = "https://api.openai.com/v1"


def test_a_price_is_dated_and_unknown_is_unknown() -> None:
    known = price_of("gpt-4", base_url=OPENAI)
    assert known.cost(1_000_000, 0) == known.per_million_in
    assert known.as_of.startswith("20")
    for model, url in (("gpt-4-2031-01-01", OPENAI), ("gpt-4", "http://other/v1")):
        unknown = price_of(model, base_url=url)
        assert not unknown.known
        assert unknown.cost(10, 10) is None


def test_every_price_names_the_page_of_its_provider_and_the_day_it_was_seen() -> None:
    text = files("voirdire.models").joinpath("prices.toml").read_text(encoding="utf-8")
    pages = {"api.openai.com": "https://developers.openai.com/"}
    for host, models in tomllib.loads(text).items():
        if isinstance(models, dict):
            for entry in models.values():
                assert pages[host] in entry["source"]
                assert date.fromisoformat(entry["seen"]).year >= 2026


def test_a_price_given_goes_first() -> None:
    given = price_of("gpt-4o-mini", base_url=OPENAI, price_in=1.0, price_out=3.0)
    assert given.cost(2_000_000, 1_000_000) == 5.0
    assert given.as_of == "given"
    with pytest.raises(ValueError, match="together"):
        price_of("m", base_url=OPENAI, price_in=1.0)


def test_plans_add_up() -> None:
    plan = SpendPlan(calls=2, tokens_in=10, tokens_out=4, cost=0.5, prices_as_of="2025-09-01")
    assert plan.times(3).calls == 6
    assert plan.times(3).cost == 1.5
    both = plan + SpendPlan(calls=1, cost=None)
    assert (both.calls, both.cost, both.prices_as_of) == (3, None, "2025-09-01")
    assert (SpendPlan() + plan).cost == 0.5


def test_a_limit_in_money_needs_a_price() -> None:
    guard = SpendGuard(max_cost=1.0)
    with pytest.raises(UsageError, match="price_in and price_out"):
        guard.check_plan(SpendPlan(calls=3, cost=None), judge="llm")
    guard.check_plan(SpendPlan(calls=0, cost=0.0), judge="lexical")
    SpendGuard(max_calls=1).check_plan(SpendPlan(calls=3, cost=None), judge="llm")


def test_a_guard_books_and_settles() -> None:
    guard = SpendGuard(max_cost=1.0)
    guard.book(0.9)
    guard.settle(0.9, 0.2)
    guard.book(0.8)
    with pytest.raises(SpendLimit):
        guard.book(0.1)
    guard.settle(0.8, None)
    assert (guard.calls, guard.cost) == (2, pytest.approx(1.0))


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
def test_limits_that_are_none(wrong: float) -> None:
    with pytest.raises(ValueError, match="max_cost must be >= 0"):
        SpendGuard(max_cost=wrong)


def test_waits_grow_and_obey() -> None:
    assert wait_before(2, asked=3.5) == 3.5
    assert [wait_before(n, asked=None, random_share=1.0) for n in (2, 3, 4)] == [0.5, 1.0, 2.0]
    assert wait_before(2, asked=None, random_share=0.0) == 0.25
    assert wait_before(99, asked=None) <= 30


def test_retry_after_in_all_its_spellings() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert retry_after({"retry-after": "7"}) == 7
    assert retry_after({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5
    assert 25 < (retry_after({"retry-after": soon}) or 0) <= 30
    for nonsense in ("soon", "inf", "nan", ""):
        assert retry_after({"retry-after": nonsense}) is None
    assert retry_after({"retry-after": "-5"}) == 0
    assert retry_after({}) is None


def test_keys_are_taken_out() -> None:
    text = "bad key s3cr3t-value-1 in Authorization: Bearer abc.def, sk-proj-ABCDEF12345"
    cleaned = without_keys(text, key="s3cr3t-value-1")
    assert "s3cr3t" not in cleaned
    assert "abc.def" not in cleaned
    assert "ABCDEF" not in cleaned
    assert without_keys("none of it", key="none") == "none of it"


def test_what_is_this_machine() -> None:
    assert is_loopback("http://127.0.0.1:8080/v1")
    assert is_loopback("http://[::1]:8080/v1")
    assert is_loopback("http://localhost/v1")
    assert not is_loopback("http://127.example.org/v1")
    assert not is_loopback("https://api.openai.com/v1")


def test_tokens_are_estimated_upwards() -> None:
    assert estimated_tokens("") == 0
    assert estimated_tokens("word " * 100) >= 100
    assert estimated_tokens("\ud800") >= 1
