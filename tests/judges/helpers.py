"""Judges that misbehave, each in one way, and one that logs whom it was asked about."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from voirdire.records import Fingerprint, JudgeAnswer, JudgeInput

SUPPORTED = JudgeAnswer(outcome="judged", label="supported")
Behaviour = Callable[[Iterable[JudgeInput], int], Iterator[Any]]


class Made:
    """A judge made of one function of (inputs, repeat)."""

    def __init__(self, behaviour: Behaviour, *, name: str = "made") -> None:
        self.behaviour = behaviour
        self.name = name
        self.closed = 0

    def __call__(self, inputs: Iterable[JudgeInput], *, repeat: int) -> Iterator[Any]:
        return self.behaviour(inputs, repeat)

    def fingerprint(self) -> Fingerprint:
        return Fingerprint(judge=self.name, version="1")

    def close(self) -> None:
        self.closed += 1


def all_supported(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
    for item in inputs:
        yield item.id, SUPPORTED


class Logging:
    """Writes repeat and claim of each asking to a file before it answers, slowly."""

    def __init__(self, log: Path, *, seconds: float = 0.0) -> None:
        self.log = log
        self.seconds = seconds

    def __call__(self, inputs: Iterable[JudgeInput], *, repeat: int) -> Iterator[Any]:
        handle = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            for item in inputs:
                os.write(handle, f"{repeat} {item.id}\n".encode())
                if self.seconds:
                    time.sleep(self.seconds)
                yield item.id, SUPPORTED
        finally:
            os.close(handle)

    def fingerprint(self) -> Fingerprint:
        return Fingerprint(judge="logging", version="1")

    def close(self) -> None:
        pass

    def asked(self) -> list[tuple[int, str]]:
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        return [(int(line.split()[0]), line.split()[1]) for line in lines]
