"""The machine that examines any registered statistic; `test_invariance` feeds it all of them.

Each check takes a statistic and a sample, and returns what is wrong as a list of sentences: an
empty list means passed. So the machine itself can be tested with planted broken statistics.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from voirdire.records import Estimate
from voirdire.stats.registry import Sample, Statistic, _parts, estimates_in

SCHEME = ("contradicted", "unverifiable", "supported")
COLUMNS = ("human", "judge", "second_judge", "ratings", "repeats")
TOLERANCE = 1e-9


def make_sample(seed: int = 7, families: int = 24, missing: float = 0.08) -> Sample:
    """Families of original, paraphrase and negation; raters who agree more often than not."""
    rng = np.random.default_rng(seed)
    rows = 3 * families
    truth = rng.integers(0, 3, rows)
    names = np.array(SCHEME, dtype=object)

    def rater(accuracy: float) -> np.ndarray:
        codes = np.where(rng.random(rows) < accuracy, truth, rng.integers(0, 3, rows))
        labels = names[codes]
        labels[rng.random(rows) < missing] = None
        return labels

    human = rater(0.9)
    outcomes = np.array([np.nan if x is None else float(x == SCHEME[-1]) for x in human])
    scores = np.clip(0.25 + 0.5 * (truth == 2) + rng.normal(0, 0.15, rows), 0.01, 0.99)
    scores[rng.random(rows) < missing] = np.nan
    return Sample(
        human=human,
        judge=rater(0.75),
        second_judge=rater(0.6),
        ratings=np.column_stack([human, rater(0.85), rater(0.8)]),
        repeats=np.column_stack([rater(0.75) for _ in range(4)]),
        scores=scores,
        outcomes=outcomes,
        family=np.repeat(np.arange(families), 3),
        variant=np.array(["original", "paraphrase", "negation"] * families, dtype=object),
        labels=SCHEME,
    )


def with_columns(sample: Sample, **columns: np.ndarray) -> Sample:
    return dataclasses.replace(sample, **columns)


def filled(sample: Sample, label: object) -> Sample:
    """The sample with one label everywhere."""
    columns = {name: np.full(getattr(sample, name).shape, label, object) for name in COLUMNS}
    outcome = math.nan if label is None else float(label == sample.labels[-1])
    columns["outcomes"] = np.full(len(sample.human), outcome)
    columns["scores"] = np.full(len(sample.human), math.nan if label is None else 0.5)
    return with_columns(sample, **columns)


def degenerate_samples(sample: Sample) -> dict[str, Sample]:
    """Data on which formulas break."""
    rows = len(sample.human)
    constant = np.full(rows, sample.labels[0], object)
    shifted = {label: sample.labels[(i + 1) % 3] for i, label in enumerate(sample.labels)}
    wrong = np.array([shifted.get(label) for label in sample.human], dtype=object)
    alone = np.full(rows, None, object)
    first = np.arange(rows) < 3
    return {
        "empty": sample.take(np.arange(0)),
        "all missing": filled(sample, None),
        "one label": filled(sample, sample.labels[0]),
        "last label": filled(sample, sample.labels[-1]),
        "one row": sample.take(np.arange(1)),
        "one family": sample.take(np.arange(3)),
        "all rows in one family": with_columns(sample, family=np.zeros(rows, int)),
        "two families": sample.take(np.arange(6)),
        "each row its own family": with_columns(sample, family=np.arange(rows)),
        "judge constant": with_columns(
            sample, judge=constant, second_judge=constant, scores=np.full(rows, 0.5)
        ),
        "reference constant": with_columns(
            sample,
            human=constant,
            ratings=np.column_stack([constant] * 3),
            outcomes=np.zeros(rows),
        ),
        "perfect": with_columns(
            sample,
            judge=sample.human,
            second_judge=sample.human,
            ratings=np.column_stack([sample.human] * 3),
            repeats=np.column_stack([sample.human] * 4),
            scores=np.where(np.isnan(sample.outcomes), np.nan, np.nan_to_num(sample.outcomes)),
        ),
        "always wrong": with_columns(
            sample, judge=wrong, scores=np.where(sample.outcomes == 1, 0.0, 1.0)
        ),
        "judge missing": with_columns(
            sample, judge=alone, second_judge=alone, scores=np.full(rows, math.nan)
        ),
        "human missing": with_columns(
            sample,
            human=alone,
            ratings=np.full((rows, 3), None, object),
            outcomes=np.full(rows, math.nan),
        ),
        "only one family answered": with_columns(
            sample,
            judge=np.where(first, sample.judge, None),
            second_judge=np.where(first, sample.second_judge, None),
            scores=np.where(first, sample.scores, math.nan),
        ),
        "one annotator": with_columns(
            sample, ratings=np.column_stack([sample.human, alone, alone])
        ),
    }


def renamed(sample: Sample, *, permute: bool) -> Sample:
    """Other names for the labels; with ``permute`` also another order of the scheme."""
    names = dict(zip(sample.labels, ("a-low", "b-middle", "c-high"), strict=True))
    columns = {}
    for name in COLUMNS:
        old = getattr(sample, name)
        new = np.array([names.get(x) for x in old.reshape(-1)], dtype=object)
        columns[name] = new.reshape(old.shape)
    labels = tuple(names[label] for label in sample.labels)
    moved = (labels[1], labels[2], labels[0]) if permute else labels
    return dataclasses.replace(sample, **columns, labels=moved)


def swapped(statistic: Statistic, sample: Sample) -> Sample:
    """Two raters the other way round, or annotators in another order."""
    if statistic.kind == "two-rater":
        return with_columns(sample, human=sample.judge, judge=sample.human)
    return with_columns(sample, ratings=sample.ratings[:, [2, 0, 1]])


def check_order(statistic: Statistic, sample: Sample) -> list[str]:
    if not statistic.order:
        return []
    rows = np.random.default_rng(3).permutation(len(sample.human))
    return _differences("row order", statistic, sample, sample.take(rows), intervals=True)


def check_renaming(statistic: Statistic, sample: Sample) -> list[str]:
    if statistic.renaming == "none":
        return []
    other = renamed(sample, permute=statistic.renaming == "any")
    return _differences("renamed labels", statistic, sample, other, intervals=True)


def check_duplication(statistic: Statistic, sample: Sample) -> list[str]:
    if not statistic.duplication:
        return []
    rows = np.repeat(np.arange(len(sample.human)), 2)
    return _differences("rows twice", statistic, sample, sample.take(rows))


def check_swap(statistic: Statistic, sample: Sample) -> list[str]:
    if not statistic.symmetric:
        return []
    other = swapped(statistic, sample)
    return _differences("swapped raters", statistic, sample, other)


def check_degenerate(statistic: Statistic, sample: Sample) -> list[str]:
    faults = []
    for name, data in degenerate_samples(sample).items():
        try:
            result = statistic.run(data)
        except Exception as error:  # the point of this check is that nothing is raised
            faults.append(f"{name}: raised {type(error).__name__}: {error}")
            continue
        faults += [f"{name}: {fault}" for fault in _sanity(result)]
    return faults


def check_sound(statistic: Statistic, sample: Sample) -> list[str]:
    """On good data: has an estimate, is defined somewhere, holds no nan."""
    result = statistic.run(sample)
    found = estimates_in(result)
    faults = _sanity(result)
    if found and not any(one.defined for one in found.values()):
        faults.append(f"good data: nothing is defined, {next(iter(found.values())).undefined}")
    return faults


CHECKS: dict[str, Callable[[Statistic, Sample], list[str]]] = {
    "sound": check_sound,
    "order": check_order,
    "renaming": check_renaming,
    "duplication": check_duplication,
    "swap": check_swap,
    "degenerate": check_degenerate,
}


def _differences(
    what: str, statistic: Statistic, sample: Sample, other: Sample, *, intervals: bool = False
) -> list[str]:
    before, after = (estimates_in(statistic.run(data)) for data in (sample, other))
    if len(before) != len(after):
        return [f"{what}: {len(before)} estimates became {len(after)}"]
    faults = []
    # keys may be label names, so estimates are compared as a sorted collection
    for one, two in zip(_numbers(before, intervals), _numbers(after, intervals), strict=True):
        if any(abs(x - y) > TOLERANCE for x, y in zip(one, two, strict=True)):
            faults.append(f"{what}: {one} became {two}")
    return faults


def _numbers(found: dict[str, Estimate], intervals: bool) -> list[tuple[float, ...]]:
    """Value (and ends) of each estimate, sorted; a missing number counts as -9."""
    rows = []
    for one in found.values():
        parts = (one.value, one.low, one.high, one.n) if intervals else (one.value,)
        rows.append(tuple(-9.0 if x is None else round(float(x), 10) for x in parts))
    return sorted(rows)


def _sanity(result: object) -> list[str]:
    found = estimates_in(result)
    reason = getattr(result, "undefined", None)  # a result may say once why it holds nothing
    faults = [] if found or reason else ["no estimate in the result and no reason"]
    for path, one in found.items():
        if one.low is None or one.high is None or one.value is None:
            continue
        if not one.low - TOLERANCE <= one.value <= one.high + TOLERANCE:
            faults.append(f"{path or 'value'} {one.value} outside {one.low}..{one.high}")
    faults += [f"nan at {path}" for path in _nan_paths(result)]
    return faults


def _nan_paths(result: object, path: str = "result") -> Iterator[str]:
    if isinstance(result, float) and not math.isfinite(result):
        yield path
    for key, part in _parts(result):
        yield from _nan_paths(part, f"{path}.{key}")


def examine(statistic: Statistic, sample: Sample | None = None) -> dict[str, list[str]]:
    """All checks; only the failed ones are in the result."""
    data = make_sample() if sample is None else sample
    found: dict[str, Any] = {name: check(statistic, data) for name, check in CHECKS.items()}
    return {name: faults for name, faults in found.items() if faults}
