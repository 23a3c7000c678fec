"""Opens a model for a judge: its labels settled, its reading order tested."""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.errors import JudgeUnavailable
from voirdire.models.nli import (
    LabelMap,
    ModelFiles,
    NliSession,
    SelfTest,
    from_config,
    from_names,
    run_self_test,
)
from voirdire.records import Label

__all__ = ["OpenModel", "opened"]


@dataclass(frozen=True, slots=True)
class OpenModel:
    """A session, what its outputs mean, and what the self-test said."""

    session: NliSession
    labels: LabelMap
    self_test: str


def opened(session: NliSession, *, told: tuple[Label, ...] | None = None) -> OpenModel:
    """Settle the labels of a model.

    In this order: what a person told; the names in the model's config; where those say nothing,
    the self-test. The self-test always runs: a model whose named labels it clearly turns round,
    or that reads the claim before the premise, is refused unless a person told the labels.

    Raises
    ------
    JudgeUnavailable
        If the labels stay open, or names and self-test contradict each other.
    """
    files = session.files
    named = _named(files, session.outputs, told)
    test = run_self_test(session, known=named if isinstance(named, LabelMap) else None)
    known = named if isinstance(named, LabelMap) else _by_self_test(named, test, files)
    if known.settled == "names":
        _refuse_turned(known, test, files)
    if test.premise_first is False and told is None:
        raise JudgeUnavailable(
            "the model seems to read the claim before the premise: a general claim does not "
            "follow from a special premise, but the other way round it does",
            where=files.name,
            todo="use a model trained on (premise, claim); if it is one, tell its labels in the "
            "order of its outputs with the parameter labels",
        )
    return OpenModel(session, known, _summary(known, test))


def _named(
    files: ModelFiles, outputs: int, told: tuple[Label, ...] | None
) -> LabelMap | tuple[str, ...]:
    where = str(files.folder / "config.json")
    if told is not None:
        names = tuple(f"output {i}" for i in range(outputs))
        return from_names(told, names, where=where)
    return from_config(files.config, where=where, outputs=outputs)


def _by_self_test(names: tuple[str, ...], test: SelfTest, files: ModelFiles) -> LabelMap:
    if test.outputs is None:
        raise JudgeUnavailable(
            f"the model's labels say nothing ({', '.join(names)}), and the self-test does not "
            f"settle them: {test.shown()}",
            where=str(files.folder / "config.json"),
            todo="name them in config.json (id2label), or say what each output means, in order: "
            "labels = ['contradicted', 'supported', 'unverifiable']",
        )
    return LabelMap(test.outputs, names, "self-test")


def _refuse_turned(named: LabelMap, test: SelfTest, files: ModelFiles) -> None:
    if test.outputs is not None and test.outputs != named.outputs:
        raise JudgeUnavailable(
            f"by the names in its config the model's outputs are {', '.join(named.outputs)}, by "
            f"the self-test {', '.join(test.outputs)} ({test.shown()})",
            where=str(files.folder / "config.json"),
            todo="mend id2label, or say what each output means, in order, with the parameter "
            "labels",
        )


def _summary(labels: LabelMap, test: SelfTest) -> str:
    if labels.two_state:
        return "two outputs"
    if test.outputs is None:
        return "inconclusive"
    return "agrees" if test.outputs == labels.outputs else "disagrees with what was told"
