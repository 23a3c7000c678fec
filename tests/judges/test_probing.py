"""Probes: well-formed, each with a control, and passed by no judge that says one thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from voirdire.errors import UsageError
from voirdire.judges import PROBE_KINDS, load, load_probes, probe_languages, put_probes
from voirdire.records import LABELS, JudgeAnswer, JudgeInput


def test_every_kind_comes_in_every_language() -> None:
    assert probe_languages() == ("en", "it")
    for language in probe_languages():
        assert {probe.kind for probe in load_probes(language)} == set(PROBE_KINDS)


@pytest.mark.parametrize("language", ["en", "it"])
def test_trap_and_control_differ_in_text_and_in_what_is_right(language: str) -> None:
    for probe in load_probes(language):
        trap = (probe.claim, probe.context)
        control = (probe.control, probe.control_context or probe.context)
        assert trap != control, probe
        assert not set(probe.expect) & set(probe.control_expect), probe
    texts = [(probe.claim, probe.context) for probe in load_probes(language)]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("label", LABELS)
def test_no_judge_passes_by_always_saying_the_same(label: str) -> None:
    assert not any(result.passed for result in put_probes(load(f"constant:{label}")))


class Oracle:
    """Right on all probes; fails or lies where it is told to."""

    def __init__(self, *, wrong: str = "", raises: str = "") -> None:
        self.right = {}
        for language in probe_languages():
            for probe in load_probes(language):
                self.right[probe.claim, probe.context] = probe.expect[0]
                control = (probe.control, probe.control_context or probe.context)
                self.right[control] = probe.control_expect[0]
        self.wrong, self.raises = wrong, raises

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        for item in inputs:
            if self.raises and self.raises in item.claim:
                raise RuntimeError("broken")
            label = self.right[item.claim, item.context]
            if self.wrong and self.wrong in item.claim:
                label = "unverifiable"
            yield item.id, JudgeAnswer(outcome="judged", label=label)


def test_a_judge_that_is_right_passes_all_and_one_slip_costs_its_probe() -> None:
    assert all(result.passed for result in put_probes(Oracle()))  # type: ignore[arg-type]
    slipped = put_probes(Oracle(wrong="999 million"))  # type: ignore[arg-type]
    assert [r.probe.kind for r in slipped if not r.passed] == ["number"]


def test_an_exception_costs_its_probe_and_no_other() -> None:
    results = put_probes(Oracle(raises="999 million"))  # type: ignore[arg-type]
    assert [(r.said, r.passed) for r in results if not r.passed] == [("failed", False)]


def test_kinds_languages_and_core() -> None:
    judge = load("lexical")
    assert {r.probe.kind for r in put_probes(judge, kinds=("date",))} == {"date"}
    assert {r.language for r in put_probes(judge, languages=("it",))} == {"it"}
    core = put_probes(judge, languages=("en",), only="core")
    assert {r.probe.kind for r in core} == {"identity", "number", "unrelated"}
    assert all(r.passed for r in core)


def test_a_judge_of_one_language_is_put_probes_of_that_language() -> None:
    assert {r.language for r in put_probes(load("lexical"))} == {"en"}
    assert {r.language for r in put_probes(load("lexical:it"))} == {"it"}
    assert {r.language for r in put_probes(load("lexical:auto"))} == {"en", "it"}
    assert {r.language for r in put_probes(load("nli-mini"), kinds=("date",))} == {"en"}
    assert {r.language for r in put_probes(load("constant"))} == {"en", "it"}  # it names none


def test_refusals() -> None:
    with pytest.raises(UsageError, match="did you mean 'number'"):
        put_probes(load("lexical"), kinds=("nmber",))
    with pytest.raises(UsageError, match=r"judges/probes/en\.toml"):
        put_probes(load("lexical"), languages=("xx",))
