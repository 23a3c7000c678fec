"""Claims and questions made by a model: traced, flagged, and every failure named."""

from __future__ import annotations

import json

import pytest

from tests.servers import faults
from voirdire.errors import SpendLimit
from voirdire.metrics import LlmQuestions, LlmSplitter
from voirdire.metrics.llm_splitting import filled
from voirdire.metrics.structured import object_with
from voirdire.metrics.tracing import added_numbers, place_of
from voirdire.models import LlmSettings, SpendGuard
from voirdire.records import Answer

ANSWER = "The Basic plan costs 12 euro. It has support, and it can be cancelled."


def claims(*listed, **changes):
    return json.dumps({"claims": [dict(zip(("quote", "claim", "resolved"), one, strict=True))
                                  for one in listed]}), changes  # fmt: skip


GOOD = claims(
    ("The Basic plan costs 12 euro.", "The Basic plan costs 12 euro.", True),
    ("It has support", "The Basic plan has support.", True),
    ("it can be cancelled", "It can be cancelled.", False),
)
faults.CONTENTS |= {
    "split-good": GOOD,
    "split-fenced": (f"Sure:\n```json\n{GOOD[0]}\n```", {}),
    "split-mended": (GOOD[0].replace('"claims"', "claims"), {}),
    "split-none": claims(),
    "split-invented": claims(("nowhere in it at all", "The Pro plan costs 15 euro.", True)),
    "split-twice": claims(("a", "Same.", True), ("b", "Same.", True), ("c", " ", True)),
    "split-odd": (json.dumps({"claims": ["text alone"]}), {}),
    "split-prose": ("There are two claims in it.", {}),
    "split-cut": (GOOD[0][:90], {"finish": "length"}),
    "ask-good": (json.dumps({"question": "What does Basic cost?", "evasive": False}), {}),
    "ask-evasive": (json.dumps({"question": "", "evasive": True}), {}),
    "ask-empty": (json.dumps({"question": " ", "evasive": False}), {}),
}


@pytest.fixture(scope="module")
def server():
    pytest.importorskip("openai", reason="THE EXTRA llm IS ABSENT")
    with faults.FaultServer() as running:
        yield running


def settings(server, model) -> LlmSettings:
    return LlmSettings(model=model, base_url=server.base_url, key_env="", timeout=5, retries=0)


def split(server, model, text=ANSWER):
    splitter = LlmSplitter(settings(server, model))
    try:
        ((_, found),) = list(splitter([Answer(id="a", question="What is Basic?", answer=text)]))
    finally:
        splitter.close()
    return found


def test_claims_are_traced_and_pronouns_flagged(server) -> None:
    found = split(server, "split-good")
    assert found.status == "split"
    assert [ANSWER[one.start : one.end] for one in found.claims] == [
        "The Basic plan costs 12 euro.",
        "It has support",
        "it can be cancelled",
    ]
    assert [one.flags for one in found.claims] == [(), (), ("pronoun",)]
    assert found.bill.calls == 1
    assert (found.bill.tokens_in, found.bill.tokens_out, found.bill.cost) == (100, 10, None)


def test_the_reply_is_asked_for_by_schema_and_the_answer_is_no_template(server) -> None:
    split(server, "split-good", text="Ignore {question}. The plan costs {answer} 12 euro.")
    body = server.requests[-1]
    assert body["response_format"]["json_schema"]["strict"] is True
    assert "Ignore {question}. The plan costs {answer} 12 euro." in body["messages"][1]["content"]
    assert filled("{a} {b}", {"a": "{b}", "b": "x"}) == "{b} x"


@pytest.mark.parametrize("model", ["split-fenced", "split-mended"])
def test_slightly_broken_replies_are_read(server, model) -> None:
    found = split(server, model)
    assert len(found.claims) == 3
    assert all(("repaired" in one.flags) == (model == "split-mended") for one in found.claims)


def test_what_a_model_invents_is_flagged(server) -> None:
    (claim,) = split(server, "split-invented").claims
    assert (claim.start, claim.end) == (-1, -1)
    assert claim.flags == ("untraced", "number_added")


def test_twins_and_empty_claims_are_dropped(server) -> None:
    assert [one.text for one in split(server, "split-twice").claims] == ["Same."]


@pytest.mark.parametrize(
    ("model", "status", "error"),
    [
        ("split-none", "no_claims", ""),
        ("split-prose", "failed", "the reply holds no list of claims"),
        ("split-odd", "failed", "a claim of the reply is not as it was asked for"),
        ("split-cut", "failed", "truncated"),
        ("refusal", "failed", "refused"),
        ("500", "failed", "failed"),
    ],
)
def test_every_failure_is_named(server, model, status, error) -> None:
    found = split(server, model)
    assert (found.status, found.claims) == (status, ())
    assert error in found.error


def test_what_asserts_nothing_is_not_sent(server) -> None:
    before = len(server.requests)
    found = split(server, "split-good", text="I don't know.")
    assert (found.status, found.refused) == ("nothing_to_check", True)
    assert split(server, "split-good", text="").status == "empty_answer"
    assert len(server.requests) == before


def test_several_answers_all_come_back(server) -> None:
    splitter = LlmSplitter(settings(server, "split-good"))
    answers = [Answer(id=str(n), answer=ANSWER if n % 3 else "Hi!") for n in range(20)]
    found = {answer.id: one.status for answer, one in splitter(answers)}
    assert len(found) == 20
    assert found["0"] == "nothing_to_check"
    assert found["1"] == "split"
    assert splitter.plan(answers).calls == 13
    splitter.close()


def test_a_ceiling_stops_before_the_next_call(server) -> None:
    splitter = LlmSplitter(settings(server, "split-good"))
    splitter.client.guard = SpendGuard(max_calls=2)
    with pytest.raises(SpendLimit, match="--max-calls 2"):
        list(splitter([Answer(id=str(n), answer=ANSWER) for n in range(5)]))
    splitter.close()


@pytest.mark.parametrize(
    ("model", "question", "evasive", "error"),
    [
        ("ask-good", "What does Basic cost?", False, ""),
        ("ask-evasive", None, True, ""),
        ("ask-empty", None, False, "the reply holds no question"),
        ("split-prose", None, False, "the reply holds no question"),
        ("500", None, False, "failed"),
    ],
)
def test_questions(server, model, question, evasive, error) -> None:
    maker = LlmQuestions(settings(server, model), each=1)
    ((_, number, made),) = list(maker([(Answer(id="a", answer=ANSWER), 0)]))
    maker.close()
    assert (number, made.question, made.evasive) == (0, question, evasive)
    assert made.error.startswith(error) if error else not made.error


def test_repeated_questions_are_other_requests(server) -> None:
    maker = LlmQuestions(settings(server, "ask-good"), each=2)
    list(maker((Answer(id="a", answer=ANSWER), n) for n in range(2)))
    maker.close()
    assert {body["seed"] for body in server.requests[-2:]} == {0, 1}


def test_places_of_quotes() -> None:
    text = "It costs 12. Later it costs 12 euro."
    assert place_of("costs 12", text) == (3, 11)
    assert place_of("costs 12", text, after=5) == (22, 30)
    assert place_of("LATER  it", text) == (13, 21)
    assert place_of("later it costs 12 EUR, roughly", text) == (13, 34)
    assert place_of("Nothing alike here", text) is None
    assert place_of(" ", text) is None


def test_numbers_a_claim_adds() -> None:
    assert added_numbers("It costs 1.000,50 euro on 3 May.", "1.000,50 euro") == ("3",)


def test_objects_in_prose() -> None:
    assert object_with('{"a": 1} {"claims": []}', field="claims") == ({"claims": []}, False)
    assert object_with("nothing", field="claims")[0] is None
    assert object_with('{"claims": [{"claim": "cut', field="claims")[0] is None
    assert object_with("{" * 100_000, field="claims")[0] is None
