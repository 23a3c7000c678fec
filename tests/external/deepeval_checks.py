"""The deepeval judge where deepeval is installed; run by `test_libraries.py` there."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.external import checking
from tests.external.checking import ask, run
from tests.servers.faults import FaultServer
from voirdire.judges import describe, load


def verdicts(server: FaultServer) -> None:
    for model, label in {
        "deepeval-yes": "supported",
        "deepeval-no": "contradicted",
        "deepeval-borderline": "unverifiable",
        "deepeval-idk": "unverifiable",
        "deepeval-fenced": "contradicted",
    }.items():
        answer = ask("deepeval", server, model)
        assert (answer.label, answer.rationale, answer.tokens_in) == (label, "r", 100), answer


def verdicts_that_are_none(server: FaultServer) -> None:
    """DeepEval scores no verdicts 1.0, drops odd words, and takes 3 verdicts for 1 claim."""
    for model, words in {
        "deepeval-none": "0 verdicts for 1 claim",
        "deepeval-three": "3 verdicts for 1 claim",
        "deepeval-odd": "got 'maybe'",
    }.items():
        answer = ask("deepeval", server, model)
        assert answer.outcome == "unparsable", (model, answer)
        assert words in (answer.error or ""), (model, answer.error)


def chunks_not_truths(server: FaultServer) -> None:
    before = len(server.requests)
    ask("deepeval", server, "deepeval-yes")
    assert len(server.requests) == before + 1, "one call: nothing is extracted"
    assert (
        "The plan costs 12 euro a month.\n\nOdd." in server.requests[-1]["messages"][0]["content"]
    )


def no_telemetry(server: FaultServer) -> None:
    ask("deepeval", server, "deepeval-yes")
    from deepeval.config.settings import get_settings

    assert get_settings().DEEPEVAL_TELEMETRY_OPT_OUT


def nothing_is_written(server: FaultServer) -> None:
    before = sorted(Path.cwd().iterdir())
    ask("deepeval", server, "deepeval-yes")
    assert sorted(Path.cwd().iterdir()) == before


def described(server: FaultServer) -> None:
    assert describe("deepeval").lacks == ""


def real_model(server: FaultServer) -> None:
    """A weak model behind DeepEval's prompt: judged or a named outcome, on the real server."""
    base_url = os.environ.get("VOIRDIRE_TEST_LLAMA")
    if not base_url:
        return
    judge = load("deepeval", parameters={"model": "gemma-270m", "base_url": base_url,
                                         "max_tokens": 120, "timeout": 240.0})  # fmt: skip
    answer = dict(judge([checking.ITEM], repeat=0))["a"]
    judge.close()
    assert answer.outcome in ("judged", "truncated"), answer
    assert (answer.tokens_in or 0) > 250, "the prompt is DeepEval's own"


if __name__ == "__main__":
    run(
        {
            "verdicts": verdicts,
            "verdicts_that_are_none": verdicts_that_are_none,
            "chunks_not_truths": chunks_not_truths,
            "no_telemetry": no_telemetry,
            "nothing_is_written": nothing_is_written,
            "described": described,
            "common": partial(checking.check_common, "deepeval"),
            "nothing_to_ask": partial(checking.check_nothing_to_ask, "deepeval"),
            "two_models": partial(
                checking.check_two_models_are_two_judges,
                "deepeval",
                yes="deepeval-yes",
                no="deepeval-no",
            ),
            "many_in_one_process": partial(
                checking.check_many_in_one_process, "deepeval", model="deepeval-yes"
            ),
            "fingerprint": partial(checking.check_fingerprint, "deepeval", package="deepeval"),
            "plan_and_redaction": partial(
                checking.check_plan_and_redaction, "deepeval", model="deepeval-yes"
            ),
            "real_model": real_model,
        }
    )
