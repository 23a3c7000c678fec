"""`check_judge` passes every built-in and catches each way of breaking the contract."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.judges.conftest import make_claims
from tests.judges.helpers import SUPPORTED, Made, all_supported
from voirdire.judges import check_judge, load, run_judge
from voirdire.judges.replay import ReplayJudge
from voirdire.records import JudgeAnswer, JudgeInput
from voirdire.store import JudgeConfig, StudyPaths


def failed(judge: Any, kind: str = "") -> set[str]:
    return {r.name for r in check_judge(judge) if not r.passed and kind in ("", r.kind)}


@pytest.mark.parametrize("use", ["lexical", "lexical:it", "lexical:auto"])
def test_lexical_passes_everything(use: str) -> None:
    assert failed(use) == set()


def test_the_didactic_rule_has_no_eye_for_negation() -> None:
    assert failed("lexical:didactic-it") == {"sees_a_negation"}


@pytest.mark.parametrize("label", ["supported", "contradicted", "unverifiable"])
def test_constant_owes_only_duties(label: str) -> None:
    assert failed(f"constant:{label}", "duty") == set()
    assert failed(f"constant:{label}", "skill")


def test_replay_owes_only_duties(paths: StudyPaths, config: JudgeConfig) -> None:
    with_answers = run_judge(
        load("lexical"), make_claims(3), paths=paths, config=config, repeats=1, seed=0
    )
    assert failed(ReplayJudge(paths.run(with_answers.run_id)), "duty") == set()


def by_id(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
    for item in inputs:
        label = "contradicted" if "neg" in item.id else "supported"
        yield item.id, JudgeAnswer(outcome="judged", label=label)


def by_place(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
    for number, item in enumerate(inputs):
        label = "contradicted" if number else "supported"
        yield item.id, JudgeAnswer(outcome="judged", label=label)


def twice(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
    for item in inputs:
        yield item.id, SUPPORTED
        yield item.id, SUPPORTED


def drops_the_last(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
    items = list(inputs)
    yield from ((item.id, SUPPORTED) for item in items[:-1])


def raises_on_the_empty(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
    for item in inputs:
        if not item.claim:
            raise IndexError("empty")
        yield item.id, SUPPORTED


def once_only(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
    return all_supported(inputs if repeat == 0 else [], repeat)


def invents(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
    yield "out of nothing", SUPPORTED
    yield from all_supported(inputs, repeat)


def answers_from_a_cache(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
    """The cache's key does not hold the repeat."""
    for item in inputs:
        yield item.id, SUPPORTED.model_copy(update={"cached": repeat > 0, "seconds": 0.5})


def hides_its_cache(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
    for item in inputs:
        yield item.id, SUPPORTED.model_copy(update={"seconds": 0.5})


def peeks(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
    for item in inputs:
        negated = getattr(item, "variant", "") == "negation"
        yield item.id, JudgeAnswer(outcome="judged", label="contradicted") if negated else SUPPORTED


@pytest.mark.parametrize(
    ("behaviour", "check"),
    [
        (answers_from_a_cache, "repeats_are_asked_anew"),
        (hides_its_cache, "repeats_are_asked_anew"),
        (peeks, "looks_for_nothing_hidden"),
        (all_supported, "sees_a_negation"),
        (by_id, "ids_tell_nothing"),
        (by_place, "batch_as_one_by_one"),
        (by_place, "order_of_claims_is_nothing"),
        (twice, "answers_each_claim_once"),
        (drops_the_last, "answers_each_claim_once"),
        (raises_on_the_empty, "failure_is_an_outcome"),
        (once_only, "takes_repeats"),
        (invents, "takes_an_empty_stream"),
        (all_supported, "empty_context_supports_nothing"),
    ],
)
def test_each_breach_is_caught(behaviour: Any, check: str) -> None:
    assert check in failed(Made(behaviour))


def test_fingerprint_that_drifts_is_caught() -> None:
    class Drifts(Made):
        def fingerprint(self) -> Any:
            self.name += "x"
            return super().fingerprint()

    assert failed(Drifts(all_supported), "duty") == {"fingerprint_stays"}


def test_a_judge_that_varies_by_itself_is_not_blamed_for_it() -> None:
    """A coin on one probe: it varies in every way of asking, so no way makes the difference."""
    throws = random.Random(5)

    def coin(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        for item in inputs:
            heads = "19 euro" in item.claim and throws.random() < 0.5
            label = "contradicted" if heads else "supported"
            yield item.id, JudgeAnswer(outcome="judged", label=label)

    results = {result.name: result for result in check_judge(Made(coin))}
    compared = ("batch_as_one_by_one", "order_of_claims_is_nothing", "ids_tell_nothing")
    assert all(results[name].passed for name in compared), results
    notes = {result.note for result in results.values()}
    assert notes == {"", "varies by itself: probe-b"}
    assert results["answers_each_claim_once"].note == ""


def test_a_judge_made_here_is_closed_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    judge = Made(all_supported)
    monkeypatch.setattr("voirdire.judges.contract.load", lambda use: judge)
    check_judge("made")
    assert judge.closed == 1
