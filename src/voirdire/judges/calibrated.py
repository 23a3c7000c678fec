"""A judge whose scores are put through a calibration map that was fitted on labelled claims."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, ValidationError

from voirdire.errors import InputError, UsageError
from voirdire.judges.parameters import described, settled
from voirdire.judges.parts import Part, Parts
from voirdire.models import SpendGuard, SpendPlan
from voirdire.records import LABELS, Fingerprint, JudgeAnswer, JudgeInput, Label, Record
from voirdire.store import file_digest, read_text
from voirdire.store.redaction import Redaction

__all__ = ["PARAMETERS", "PATH_PARAMETERS", "PRESETS", "CalibratedJudge", "make"]

VERSION: Final = "1"
TAKES_FOLDER: Final = True

_WHOLE_ROWS: Final = ("temperature", "one_vs_rest")


class CalibratedParameters(Record):
    """What can be set of the calibrated judge."""

    judge: Part | None = Field(
        default=None, description="the judge within: a table with use and parameters; must be given"
    )
    map: str = Field(default="", description="JSON file of a fitted calibration map; must be given")
    on: Literal["probability", "score"] = Field(
        default="probability",
        description="what the map was fitted on: P(supported) or whole rows of probabilities, or "
        "the score",
    )


PRESETS: Final[Mapping[str, str]] = {}
PARAMETERS: Final[Mapping[str, str]] = described(CalibratedParameters)
PATH_PARAMETERS: Final = ("map",)


def make(
    parameters: dict[str, Any], preset: str | None, *, folder: Path | None = None
) -> CalibratedJudge:
    """Make a calibrated judge; see `CalibratedParameters`.

    Raises
    ------
    UsageError
        If judge or map is not given, or the map's file is not there.
    InputError
        If the file holds no calibration map.
    JudgeUnavailable
        If the judge within lacks something.
    """
    set_to = settled(CalibratedParameters, parameters, preset, presets={}, judge="calibrated")
    if set_to.judge is None or not set_to.map:
        raise UsageError(
            "the judge 'calibrated' needs the parameters 'judge' and 'map'",
            where="judge calibrated",
            allowed='judge = { use = "nli" } and map = "map.json"',
        )
    path = Path(set_to.map)
    fitted = _read_map(path)
    if set_to.on == "score" and fitted.kind in _WHOLE_ROWS:
        raise UsageError(
            f"a map of the kind {fitted.kind!r} takes whole rows of probabilities, not a score",
            where="judge calibrated",
            todo="set on = 'probability'",
        )
    parts = Parts((set_to.judge,), folder=folder)
    return CalibratedJudge(parts, fitted, on=set_to.on, map_sha256=file_digest(path))


class CalibratedJudge:
    """The judge within, its numbers mapped.

    A map of one number changes P(supported); the other two keep their proportion. The label is
    the likeliest one after the map, so that label and probabilities agree; where the map changed
    it the answer is flagged ``label_changed_by_map``. With ``on = "score"`` the score becomes a
    probability and the label stays.

    Parameters
    ----------
    parts : Parts
        The judge within, alone.
    fitted : CalibrationMap
    on : {"probability", "score"}
    map_sha256 : str
        Of the map's file.
    """

    def __init__(self, parts: Parts, fitted: Any, *, on: str, map_sha256: str) -> None:
        self._parts = parts
        self._map = fitted
        self._on = on
        self._map_sha256 = map_sha256

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        """The answers of the judge within, mapped; one without the number it takes is flagged.

        Raises
        ------
        JudgeUnavailable
            If the judge within cannot work at all.
        """
        for items in self._parts.windows(inputs):
            for place, answer in self._parts.ask(0, items, repeat=repeat):
                yield items[place].id, self._mapped(answer)

    @property
    def answers_alone(self) -> bool:
        """Whether its parts answer each claim without seeing others."""
        return self._parts.answer_alone()

    def plan(self, inputs: Iterable[JudgeInput]) -> SpendPlan:
        """What the judge within would ask for."""
        return self._parts.plan(inputs)

    def limit(self, guard: SpendGuard) -> None:
        """Let a guard stand before the judge within."""
        self._parts.limit(guard)

    def redact(self, redaction: Redaction) -> None:
        """Let a redaction stand before what is sent."""
        self._parts.redact(redaction)

    def fingerprint(self) -> Fingerprint:
        """The judge within and the map."""
        rule = {"on": self._on, "kind": self._map.kind, "map_sha256": self._map_sha256}
        return Fingerprint(
            judge="calibrated",
            version=VERSION,
            parameters=rule | self._parts.models(),
            parts=self._parts.digests(),
        )

    def close(self) -> None:
        """Close the judge within."""
        self._parts.close()

    def _mapped(self, answer: JudgeAnswer) -> JudgeAnswer:
        if answer.label is None:
            return answer
        if self._on == "score":
            if answer.score is None:
                return _flagged(answer, "not_calibrated")
            value = float(self._map.predict([answer.score])[0])
            return answer.model_copy(update={"score": value})
        if answer.probabilities is None:
            return _flagged(answer, "not_calibrated")
        row = self._row([answer.probabilities.get(label, 0.0) for label in LABELS])
        total = sum(row)
        if not total > 0 or not math.isfinite(total):
            return _flagged(answer, "not_calibrated")
        mapped: dict[Label, float] = {
            label: value / total for label, value in zip(LABELS, row, strict=True)
        }
        label = max(LABELS, key=lambda one: (mapped[one], one == answer.label))
        changed = answer.model_copy(update={"probabilities": mapped, "label": label})
        return changed if label == answer.label else _flagged(changed, "label_changed_by_map")

    def _row(self, row: list[float]) -> list[float]:
        """Probabilities of the three labels after the map."""
        if self._map.kind in _WHOLE_ROWS:
            return [float(value) for value in self._map.predict([row])[0]]
        supported = float(self._map.predict([row[0]])[0])
        rest = row[1] + row[2]
        # Where all the mass lay on supported, nothing says how the rest is to be shared.
        shares = [value / rest if rest > 0 else 0.5 for value in row[1:]]
        return [supported, *(share * (1 - supported) for share in shares)]


def _flagged(answer: JudgeAnswer, flag: str) -> JudgeAnswer:
    return answer.model_copy(update={"flags": (*answer.flags, flag)})


def _read_map(path: Path) -> Any:
    from voirdire.stats.calibrators import calibrator_from_dict

    text = read_text(path)
    try:
        body = json.loads(text)
        if not isinstance(body, dict):
            raise ValueError("not a JSON object")
        return calibrator_from_dict(body)
    except (ValueError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise InputError(
            f"the file holds no calibration map: {first}",
            where=str(path),
            todo="write it with a calibrator's to_dict()",
        ) from error
