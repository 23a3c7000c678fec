"""Every claim gets exactly one answer, whatever the judge does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from tests.judges.helpers import SUPPORTED, Made, all_supported
from voirdire.errors import JudgeUnavailable
from voirdire.judges.asking import NO_ANSWER, Irregular, ask
from voirdire.records import JudgeAnswer, JudgeInput

N = 6


def ask_all(behaviour: Callable[..., Any]) -> tuple[dict[int, JudgeAnswer], Irregular]:
    ids = [f"id{i}" for i in range(N)]

    def inputs(places: Iterable[int]) -> Iterator[JudgeInput]:
        return (JudgeInput(id=ids[i], claim=str(i), context=("x",)) for i in places)

    irregular = Irregular()
    pairs = list(ask(Made(behaviour), ids, inputs, repeat=0, irregular=irregular))
    assert sorted(place for place, _ in pairs) == list(range(N)), "each once"
    return dict(pairs), irregular


def outcomes(answers: dict[int, JudgeAnswer]) -> list[str]:
    return [answers[place].outcome for place in sorted(answers)]


def test_well_behaved() -> None:
    answers, irregular = ask_all(all_supported)
    assert outcomes(answers) == ["judged"] * N
    assert str(irregular) == ""


def test_raises_in_mid_stream() -> None:
    def raises(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        for item in inputs:
            if item.claim == "2":
                raise KeyError("no such thing")
            yield item.id, SUPPORTED

    answers, irregular = ask_all(raises)
    assert outcomes(answers) == ["judged", "judged", "failed", "judged", "judged", "judged"]
    assert answers[2].error == "KeyError: 'no such thing'"
    assert answers[2].label is None
    assert irregular.raised == 2  # in the stream, and alone


@pytest.mark.parametrize("eager", [True, False])
def test_raises_for_everything(eager: bool) -> None:
    def now(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        raise RuntimeError("broken")

    def later(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        yield from ()
        raise RuntimeError("broken")

    answers, _ = ask_all(now if eager else later)
    assert outcomes(answers) == ["failed"] * N
    assert {answer.error for answer in answers.values()} == {"RuntimeError: broken"}


def test_gathers_a_batch_that_fails_whole() -> None:
    """A judge that works in batches loses the batch once, then each claim stands alone."""

    def batch(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        items = list(inputs)
        if any(item.claim == "4" for item in items):
            raise ValueError("bad batch")
        yield from ((item.id, SUPPORTED) for item in items)

    assert outcomes(ask_all(batch)[0]) == ["judged"] * 4 + ["failed", "judged"]


def test_answers_before_the_exception_stand() -> None:
    def raises_last(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        yield from all_supported(inputs, repeat)
        raise RuntimeError("at the very end")

    answers, irregular = ask_all(raises_last)
    assert outcomes(answers) == ["judged"] * N
    assert irregular.raised == 1


def test_missing_duplicated_unknown_malformed() -> None:
    def messy(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        items = list(inputs)
        yield items[0].id, SUPPORTED
        yield items[0].id, JudgeAnswer(outcome="judged", label="contradicted")
        yield "nobody", SUPPORTED
        yield "not a pair"
        yield items[1].id, "supported"
        yield None
        yield from ((item.id, SUPPORTED) for item in reversed(items[3:]))

    answers, irregular = ask_all(messy)
    assert outcomes(answers) == ["judged", "failed", "failed", "judged", "judged", "judged"]
    assert answers[0].label == "supported"
    assert answers[1].error == "judge returned 'supported' instead of a JudgeAnswer"
    assert answers[2].error == NO_ANSWER
    assert (irregular.duplicated, irregular.unknown, irregular.malformed) == (1, 1, 2)
    assert "2 items that are no answer" in str(irregular)


def test_answers_for_another_claim_when_asked_alone() -> None:
    """One answer for the wrong claim must not make two verdicts of it."""

    def wrong(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        items = list(inputs)
        if len(items) > 1:
            raise RuntimeError("no batches")
        yield "id5", SUPPORTED

    assert outcomes(ask_all(wrong)[0]) == ["failed"] * 5 + ["judged"]


@pytest.mark.parametrize("bad", [None, 7, [1, 2]])
def test_no_stream_at_all(bad: Any) -> None:
    answers, _ = ask_all(lambda inputs, repeat: bad)
    assert outcomes(answers) == ["failed"] * N


def test_unavailable_stops() -> None:
    def gone(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        yield next(iter(inputs)).id, SUPPORTED
        raise JudgeUnavailable("the model is gone", todo="run: pip install it")

    with pytest.raises(JudgeUnavailable, match="pip install it"):
        ask_all(gone)


def test_the_users_exceptions_are_not_the_judges() -> None:
    ids = ["a", "b"]
    stream = ask(
        Made(all_supported), ids,
        lambda places: (JudgeInput(id=ids[i], claim="x", context=()) for i in places),
        repeat=0, irregular=Irregular(),
    )  # fmt: skip
    next(stream)
    with pytest.raises(OSError, match="disk full"):
        stream.throw(OSError("disk full"))  # type: ignore[attr-defined]
