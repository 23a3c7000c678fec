"""Checks that run in another environment: plain functions, one JSON line as the result."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

from tests.servers.faults import FaultServer
from voirdire.judges import load
from voirdire.records import JudgeAnswer, JudgeInput

ITEM = JudgeInput(
    id="a", claim="The plan costs 12 euro.", context=("The plan costs 12 euro a month.", "Odd.")
)


def ask(use: str, server: FaultServer, model: str, **parameters: Any) -> JudgeAnswer:
    given = {"model": model, "base_url": server.base_url, "retries": 1, "timeout": 5.0}
    judge = load(use, parameters={**given, **parameters})
    try:
        return dict(judge([ITEM], repeat=0))["a"]
    finally:
        judge.close()


# What the client and the runner's rules make of these is the same whatever the prompt.
COMMON = {
    "length": "truncated",
    "refusal": "refused",
    "content-filter": "refused",
    "html": "failed",
    "no-choices": "failed",
    "429-for-ever": "rate_limited",
    "500": "failed",
    "overflow-llama": "failed",
    "prose": "unparsable",
    "good": "unparsable",
}


def check_common(use: str, server: FaultServer) -> None:
    for model, outcome in COMMON.items():
        answer = ask(use, server, model)
        assert answer.outcome == outcome, (model, answer)
        assert answer.error
        assert answer.label is None


def check_nothing_to_ask(use: str, server: FaultServer) -> None:
    before = len(server.requests)
    judge = load(use, parameters={"model": "good", "base_url": server.base_url})
    empty = JudgeInput(id="e", claim="X.", context=("", " "))
    blank = JudgeInput(id="b", claim=" ", context=("X.",))
    answers = dict(judge([empty, blank], repeat=0))
    judge.close()
    assert answers["e"].label == "unverifiable", "not 1.0, not NaN"
    assert answers["b"].outcome == "not_applicable"
    assert len(server.requests) == before


def check_two_models_are_two_judges(use: str, server: FaultServer, yes: str, no: str) -> None:
    """A cache whose key does not hold the model would serve the first one's verdict twice."""
    first = ask(use, server, yes)
    second = ask(use, server, no)
    assert first.label == "supported"
    assert second.label != "supported"
    again = ask(use, server, yes)
    assert not any(answer.cached for answer in (first, second, again))


def check_many_in_one_process(use: str, server: FaultServer, model: str) -> None:
    """A second use in a process meets no closed event loop; parallel claims do not mix."""
    for _ in range(2):
        judge = load(use, parameters={"model": model, "base_url": server.base_url})
        items = [ITEM.model_copy(update={"id": f"i{n}"}) for n in range(20)]
        answers = dict(judge(items, repeat=0))
        judge.close()
        assert len(answers) == 20
        assert {answer.outcome for answer in answers.values()} == {"judged"}


def check_fingerprint(use: str, server: FaultServer, package: str) -> None:
    judge = load(use, parameters={"model": "m", "base_url": server.base_url})
    found = judge.fingerprint()
    judge.close()
    from importlib.metadata import version

    assert found.packages == {package: version(package)}
    assert found.prompt_sha256 is not None
    seam = judge._seam  # type: ignore[attr-defined]
    assert "CLAIM-X" in seam.prompt("CLAIM-X", ("CHUNK-Y",))
    assert "CHUNK-Y" in seam.prompt("CLAIM-X", ("CHUNK-Y",))


def check_plan_and_redaction(use: str, server: FaultServer, model: str) -> None:
    from voirdire.judges.spending import plan_spending, redact_inputs
    from voirdire.store.redaction import Redaction

    judge = load(use, parameters={"model": model, "base_url": server.base_url, "seed": 5,
                                  "temperature": 0.3, "max_tokens": 99})  # fmt: skip
    plan = plan_spending(judge, [ITEM, ITEM], repeats=2)
    assert plan.calls == 4
    assert plan.tokens_out == 4 * 99
    assert plan.tokens_in > 4 * 200, "the library's prompt is long"
    redact_inputs(judge, Redaction([r"\d+ euro"]))
    list(judge([ITEM], repeat=3))
    judge.close()
    sent = server.requests[-1]
    assert "12 euro" not in json.dumps(sent)
    assert (sent["seed"], sent["temperature"], sent["max_tokens"]) == (8, 0.3, 99)


def run(checks: dict[str, Callable[[FaultServer], None]]) -> None:
    """Run every check; print a JSON object of name to "ok" or what went wrong."""
    results = {}
    with FaultServer() as server:
        for name, check in checks.items():
            try:
                check(server)
                results[name] = "ok"
            except Exception:
                results[name] = traceback.format_exc()
    print("RESULTS " + json.dumps(results))
    sys.exit(0)
