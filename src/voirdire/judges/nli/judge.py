"""The judge: windows of the context go to the model, one of them decides."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from voirdire.judges.nli.evidence import NEARLY, decisive
from voirdire.judges.nli.language import looks_foreign
from voirdire.judges.nli.opening import OpenModel
from voirdire.judges.nli.parameters import WindowParameters
from voirdire.judges.nli.windows import Window, windows
from voirdire.judges.text import cleaned
from voirdire.models.nli import UNFUSED, Encoded
from voirdire.records import LABELS, Fingerprint, JudgeAnswer, JudgeInput

__all__ = ["NliJudge"]

Floats = npt.NDArray[np.float64]
VERSION: Final = "1"
_AT_ONCE: Final = 256
_LONGEST_QUOTE: Final = 1000


@dataclass(frozen=True, slots=True)
class _Ready:
    """A claim with its windows as tokens, or the answer that needs no model."""

    windows: Sequence[Window] = ()
    encoded: Sequence[Encoded] = ()
    flags: tuple[str, ...] = ()
    answer: dict[str, Any] | None = None


class NliJudge:
    """A cross-encoder for natural language inference as a judge.

    Parameters
    ----------
    name : str
        Under which it is registered.
    model : OpenModel
    parameters : WindowParameters
    model_name : str
        What the fingerprint calls the model.
    languages : sequence of str
        Codes of those it was trained on; a claim in another one is answered and flagged.
    """

    def __init__(
        self,
        name: str,
        model: OpenModel,
        parameters: WindowParameters,
        *,
        model_name: str,
        languages: Sequence[str] = (),
    ) -> None:
        self._name = name
        self._model = model
        self._session = model.session
        self._set = parameters
        self._model_name = model_name
        self._languages = tuple(languages)
        self._fingerprint = self._identity()

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        """Answer claims some hundred at a time, in their order; repeats are alike."""
        stream = iter(inputs)
        while block := list(islice(stream, _AT_ONCE)):
            yield from zip((item.id for item in block), self._answers(block), strict=True)

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the model's languages; empty where it is not known."""
        return self._languages

    @property
    def answers_alone(self) -> bool:
        """Not in int8 with several pairs at once: they are rounded on one scale."""
        return self._session.files.precision == "fp32" or self._session.batch == 1

    def fingerprint(self) -> Fingerprint:
        """Weights, tokenizer, labels, windows, rule and package versions; not the threads."""
        return self._fingerprint

    def close(self) -> None:
        """Nothing to give back: the session goes with the judge."""

    def _identity(self) -> Fingerprint:
        files = self._session.files
        parameters = self._set.model_dump(
            mode="json", include={"sentences", "overlap", "aggregation"}
        )
        return Fingerprint(
            judge=self._name,
            version=VERSION,
            parameters={
                **parameters,
                "batch": self._session.batch,
                "unfused": list(UNFUSED),
                "nearly": NEARLY,
                "max_length": self._session.max_length,
                "precision": files.precision,
                "onnx_file": files.onnx.name,
                "tokenizer_sha256": files.tokenizer_sha256(),
                "labels_settled_by": self._model.labels.settled,
                "self_test": self._model.self_test,
                "trained_on": files.trained_on,
            },
            model=self._model_name,
            revision=files.revision,
            weights_sha256=files.weights_sha256(),
            label_map=self._model.labels.as_words(),
            packages=self._session.packages(),
        )

    def _answers(self, block: Sequence[JudgeInput]) -> list[JudgeAnswer]:
        started = time.perf_counter()
        ready = [self._guarded(item) for item in block]
        pairs = [pair for one in ready for pair in one.encoded]
        try:
            scores = self._scores(pairs)
        except Exception as error:
            if len(block) > 1:  # one claim must not take the others with it
                return [answer for item in block for answer in self._answers([item])]
            scores, failed = np.empty((0, len(LABELS))), _failed(error)
            ready = [_Ready(answer=failed)]
        each = (time.perf_counter() - started) / max(1, len(pairs) + len(block))
        answers, place = [], 0
        for one in ready:
            rows = scores[place : place + len(one.encoded)]
            place += len(one.encoded)
            given = one.answer or self._decided(one, rows)
            answers.append(JudgeAnswer(**given, seconds=each * (1 + len(one.encoded))))
        return answers

    def _scores(self, pairs: Sequence[Encoded]) -> Floats:
        if not pairs:
            return np.empty((0, len(LABELS)))
        return self._session.probabilities(pairs, self._model.labels)

    def _guarded(self, item: JudgeInput) -> _Ready:
        try:
            return self._ready(item)
        except Exception as error:
            return _Ready(answer=_failed(error))

    def _ready(self, item: JudgeInput) -> _Ready:
        claim = cleaned(item.claim)
        if not claim:
            return _Ready(answer={"outcome": "not_applicable", "rationale": "the claim is empty"})
        room = self._session.room(claim)
        if room < 1:
            longest = self._session.max_length
            return _Ready(
                answer={
                    "outcome": "truncated",
                    "error": f"claim_too_long: the claim has {longest - room} tokens with the "
                    f"marks around a pair, the model reads {longest}",
                }
            )
        found = windows(
            item.context,
            sentences_each=self._set.sentences,
            overlap=self._set.overlap,
            room=room,
            lengths=self._session.lengths,
        )
        if not found:
            return _Ready(
                answer={
                    "outcome": "judged",
                    "label": "unverifiable",
                    "rationale": "the context is empty",
                }
            )
        encoded = self._session.encode([(window.text, claim) for window in found])
        return _Ready(found, encoded, self._flags(claim, encoded))

    def _flags(self, claim: str, encoded: Sequence[Encoded]) -> tuple[str, ...]:
        flags = {
            "input_cut": any(one.cut for one in encoded),
            "two_state": self._model.labels.two_state,
            "other_language": looks_foreign(claim, own=self._languages),
        }
        return tuple(name for name, there in flags.items() if there)

    def _decided(self, one: _Ready, probabilities: Floats) -> dict[str, Any]:
        if not np.isfinite(probabilities).all():
            return {"outcome": "failed", "error": "the model gave a number that is none (NaN)"}
        texts = [window.text for window in one.windows]
        place = decisive(probabilities, texts, rule=self._set.aggregation)
        shares = dict(zip(LABELS, map(float, probabilities[place]), strict=True))
        kept, total = (sum(getattr(e, name) for e in one.encoded) for name in ("kept", "total"))
        cut = f"; {kept} of {total} tokens were read" if kept < total else ""
        return {
            "outcome": "judged",
            "label": max(LABELS, key=lambda label: shares[label]),
            "probabilities": shares,
            "evidence": _shortened(texts[place]),
            "rationale": f"decided by one of {len(texts)} windows, rule "
            f"{self._set.aggregation}{cut}",
            "tokens_in": kept,
            "flags": one.flags,
        }


def _failed(error: Exception) -> dict[str, Any]:
    return {"outcome": "failed", "error": f"{type(error).__name__}: {error}"}


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + " […]"
