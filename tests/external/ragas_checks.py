"""The ragas judge where ragas is installed; run by `test_libraries.py` in that environment."""

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
    answer = ask("ragas", server, "ragas-1")
    assert (answer.label, answer.rationale, answer.flags) == ("supported", "r", ())
    assert (answer.tokens_in, answer.attempts) == (100, 1)


def two_state(server: FaultServer) -> None:
    """0 mixes contradicted and unverifiable: never contradicted, and flagged."""
    answer = ask("ragas", server, "ragas-0")
    assert (answer.label, answer.flags) == ("unverifiable", ("two_state",))


def verdicts_that_are_none(server: FaultServer) -> None:
    for model, words in {
        "ragas-7": "neither 0 nor 1",
        "ragas-two": "2 verdicts for 1 claim",
        "ragas-none": "0 verdicts for 1 claim",
        "ragas-word": "verdict",
        "ragas-true": "verdict",
    }.items():
        answer = ask("ragas", server, model)
        assert answer.outcome == "unparsable", (model, answer)
        assert words in (answer.error or ""), (model, answer.error)


def reworded(server: FaultServer) -> None:
    assert ask("ragas", server, "ragas-reworded").flags == ("statement_reworded",)


def schema_is_tight(server: FaultServer) -> None:
    ask("ragas", server, "ragas-1")
    schema = server.requests[-1]["response_format"]["json_schema"]["schema"]
    statements = schema["properties"]["statements"]
    assert (statements["minItems"], statements["maxItems"]) == (1, 1)
    assert "faithfulness" in server.requests[-1]["messages"][0]["content"]


def no_telemetry(server: FaultServer) -> None:
    ask("ragas", server, "ragas-1")
    assert os.environ["RAGAS_DO_NOT_TRACK"] == "true"
    from ragas._analytics import do_not_track

    assert do_not_track()


def described(server: FaultServer) -> None:
    assert describe("ragas").lacks == ""


def real_model(server: FaultServer) -> None:
    """A weak model behind Ragas' prompt: judged or a named outcome, on the real server."""
    base_url = os.environ.get("VOIRDIRE_TEST_LLAMA")
    if not base_url:
        return
    judge = load("ragas", parameters={"model": "gemma-270m", "base_url": base_url,
                                      "max_tokens": 120, "timeout": 240.0})  # fmt: skip
    answer = dict(judge([checking.ITEM], repeat=0))["a"]
    judge.close()
    assert answer.outcome in ("judged", "truncated"), answer
    assert answer.label in ("supported", "unverifiable", None)
    assert (answer.tokens_in or 0) > 500, "the prompt is Ragas' own"


if __name__ == "__main__":
    run(
        {
            "verdicts": verdicts,
            "two_state": two_state,
            "verdicts_that_are_none": verdicts_that_are_none,
            "reworded": reworded,
            "schema_is_tight": schema_is_tight,
            "no_telemetry": no_telemetry,
            "described": described,
            "common": partial(checking.check_common, "ragas"),
            "nothing_to_ask": partial(checking.check_nothing_to_ask, "ragas"),
            "two_models": partial(
                checking.check_two_models_are_two_judges, "ragas", yes="ragas-1", no="ragas-0"
            ),
            "many_in_one_process": partial(
                checking.check_many_in_one_process, "ragas", model="ragas-1"
            ),
            "fingerprint": partial(checking.check_fingerprint, "ragas", package="ragas"),
            "plan_and_redaction": partial(
                checking.check_plan_and_redaction, "ragas", model="ragas-1"
            ),
            "real_model": real_model,
        }
    )
