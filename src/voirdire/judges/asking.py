"""One asking of many claims, whatever the judge does: every claim gets exactly one answer.

A judge may raise, end too early, answer twice, answer what it was not asked or give something
that is no answer. None of this stops a run, and none of it becomes a label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from voirdire.errors import JudgeUnavailable
from voirdire.judges.protocol import Judge
from voirdire.records import JudgeAnswer, JudgeInput

__all__ = ["NO_ANSWER", "Irregular", "ask"]

NO_ANSWER = "judge returned no answer"


@dataclass(slots=True)
class Irregular:
    """What a judge did that it should not; counted, and refused.

    Attributes
    ----------
    duplicated, unknown : int
        Answers to claims it had answered already; to ids it had not been given.
    malformed : int
        Things that are not a pair of an id and a `JudgeAnswer`.
    raised : int
        Times its stream broke off with an exception.
    """

    duplicated: int = 0
    unknown: int = 0
    malformed: int = 0
    raised: int = 0

    def __str__(self) -> str:
        parts = {
            "answers to claims answered already (the first stands)": self.duplicated,
            "answers to ids it was not given (refused)": self.unknown,
            "items that are no answer (refused)": self.malformed,
            "exceptions (what was left was asked one by one)": self.raised,
        }
        return ", ".join(f"{count} {what}" for what, count in parts.items() if count)


class _Raised(Exception):
    """The judge, and not whoever uses its answers, raised the exception it was chained from."""


def ask(
    judge: Judge,
    ids: Sequence[str],
    inputs: Callable[[Iterable[int]], Iterator[JudgeInput]],
    *,
    repeat: int,
    irregular: Irregular,
) -> Iterator[tuple[int, JudgeAnswer]]:
    """Ask a judge claims; give one answer for each, as they come.

    Parameters
    ----------
    judge : Judge
        Asked once for all; if it raises, once more for each claim not answered by then.
    ids : sequence of str, shape (C,)
        The ids it will see, each once.
    inputs : callable
        Gives the inputs at some places of ``ids``, as a stream.
    repeat : int
        Passed on.
    irregular : Irregular
        Counts are added to it.

    Yields
    ------
    tuple of int and JudgeAnswer
        Place in ``ids`` and the answer; every place exactly once. A place the judge gave no
        answer for comes with the outcome ``failed``.

    Raises
    ------
    JudgeUnavailable
        If the judge cannot work at all.
    """
    pending = {identifier: place for place, identifier in enumerate(ids)}
    try:
        yield from _answers(judge, inputs(range(len(ids))), pending, repeat, irregular)
    except _Raised as raised:
        irregular.raised += 1
        if len(ids) == 1:  # it was asked alone and has had its turn
            yield from _failed(pending, raised.__cause__)
            return
        for identifier, place in pending.items():
            yield from _alone(judge, inputs, {identifier: place}, repeat, irregular)
        return
    yield from _failed(pending, None)


def _alone(
    judge: Judge,
    inputs: Callable[[Iterable[int]], Iterator[JudgeInput]],
    pending: dict[str, int],
    repeat: int,
    irregular: Irregular,
) -> Iterator[tuple[int, JudgeAnswer]]:
    """The answer to one claim, or the outcome that says why there is none."""
    error: BaseException | None = None
    try:
        yield from _answers(judge, inputs(list(pending.values())), pending, repeat, irregular)
    except _Raised as raised:
        # An answer given before the exception stands: `pending` is empty then.
        irregular.raised += 1
        error = raised.__cause__
    yield from _failed(pending, error)


def _failed(
    pending: dict[str, int], error: BaseException | None
) -> Iterator[tuple[int, JudgeAnswer]]:
    """The outcome of claims that got no answer."""
    said = NO_ANSWER if error is None else f"{type(error).__name__}: {error}"
    for place in pending.values():
        yield place, JudgeAnswer(outcome="failed", error=said)


def _answers(
    judge: Judge,
    inputs: Iterator[JudgeInput],
    pending: dict[str, int],
    repeat: int,
    irregular: Irregular,
) -> Iterator[tuple[int, JudgeAnswer]]:
    """Answers to pending claims, taken off ``pending`` as they come."""
    answered: set[str] = set()
    for item in _stream(judge, inputs, repeat):
        pair = _pair(item)
        if pair is None:
            irregular.malformed += 1
            continue
        identifier, answer = pair
        place = pending.pop(identifier, None)
        if place is not None:
            answered.add(identifier)
            yield place, answer
        elif identifier in answered:
            irregular.duplicated += 1
        else:
            irregular.unknown += 1


def _stream(judge: Judge, inputs: Iterator[JudgeInput], repeat: int) -> Iterator[Any]:
    """What the judge gives; its exceptions, and only its own, come out as `_Raised`."""
    stream: Any = None
    try:
        try:
            stream = iter(judge(inputs, repeat=repeat))
        except JudgeUnavailable:
            raise
        except Exception as error:
            raise _Raised from error
        while True:
            try:
                item = next(stream)
            except StopIteration:
                return
            except JudgeUnavailable:
                raise
            except Exception as error:
                raise _Raised from error
            yield item
    finally:
        close = getattr(stream, "close", None)
        if callable(close):
            close()


def _pair(item: Any) -> tuple[str, JudgeAnswer] | None:
    if not (isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)):
        return None
    identifier, answer = item
    if isinstance(answer, JudgeAnswer):
        return identifier, answer
    return identifier, JudgeAnswer(
        outcome="failed", error=f"judge returned {_short(answer)} instead of a JudgeAnswer"
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
