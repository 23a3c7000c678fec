"""Labels by name, in any order and spelling; what says nothing is never guessed by position."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from voirdire.errors import JudgeUnavailable
from voirdire.models.nli import LabelMap, from_config, from_names

MEANING = {"entailment": "supported", "neutral": "unverifiable", "contradiction": "contradicted"}


def mapped(*names: str, outputs: int | None = None) -> LabelMap | tuple[str, ...]:
    table = {str(i): name for i, name in enumerate(names)}
    count = len(names) if outputs is None else outputs
    return from_config({"id2label": table}, where="config.json", outputs=count)


@pytest.mark.parametrize("order", list(permutations(MEANING)))
def test_every_order_is_read_by_name(order: tuple[str, ...]) -> None:
    found = mapped(*order)
    assert isinstance(found, LabelMap)
    assert found.outputs == tuple(MEANING[name] for name in order)
    assert found.settled == "names"
    assert not found.two_state


@pytest.mark.parametrize(
    "names",
    [
        ("CONTRADICTION", "NEUTRAL", "ENTAILMENT"),
        ("contradictory", "neutral", "entailed"),
        ("Contradicts", "Neutral", "Entails"),
        ("REFUTES", "NOT ENOUGH INFO", "SUPPORTS"),
        ("contradicted", "unverifiable", "supported"),
        ("refuted", "NEI", "supported"),
    ],
)
def test_spellings(names: tuple[str, ...]) -> None:
    found = mapped(*names)
    assert isinstance(found, LabelMap)
    assert found.outputs == ("contradicted", "unverifiable", "supported")


def test_the_keys_are_numbers_whatever_their_order_in_the_file() -> None:
    table = {"2": "neutral", "0": "contradiction", "1": "entailment"}
    found = from_config({"id2label": table}, where="", outputs=3)
    assert isinstance(found, LabelMap)
    assert found.outputs == ("contradicted", "supported", "unverifiable")
    assert found.as_words() == {
        "0 contradiction": "contradicted",
        "1 entailment": "supported",
        "2 neutral": "unverifiable",
    }


@pytest.mark.parametrize(
    "negative", ["not_entailment", "non-entailment", "not entailed", "NOT_SUPPORTED"]
)
def test_two_classes_are_a_two_state_view_that_never_contradicts(negative: str) -> None:
    for names in (("entailment", negative), (negative, "entailment")):
        found = mapped(*names)
        assert isinstance(found, LabelMap)
        assert found.two_state
        assert set(found.outputs) == {"supported", "unverifiable"}
        assert found.outputs[names.index("entailment")] == "supported"


def test_names_that_say_nothing_are_handed_back() -> None:
    assert mapped("LABEL_0", "LABEL_1", "LABEL_2") == ("LABEL_0", "LABEL_1", "LABEL_2")
    assert mapped("a", "b", "c") == ("a", "b", "c")
    nothing: dict[str, Any] = {}
    assert from_config(nothing, where="", outputs=3) == ("LABEL_0", "LABEL_1", "LABEL_2")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("a", "b", "c", "d", "e"), "5 classes: a, b, c, d, e"),
        (("score",), "1 classes: score"),
        (("LABEL_0", "LABEL_1"), "two labels are LABEL_0, LABEL_1"),
        (("entailment", "contradiction"), "two labels are entailment, contradiction"),
        (("entailment", "neutral", "other"), "only 2 can be told"),
        (("entailment", "entails", "neutral"), "only 2 can be told"),
        (("not_entailment", "neutral", "contradiction"), "only 2 can be told"),
    ],
)
def test_what_is_refused(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(JudgeUnavailable, match=message) as caught:
        mapped(*names)
    assert "config.json" in str(caught.value)
    assert "allowed" in str(caught.value)


def test_more_names_than_numbers() -> None:
    with pytest.raises(JudgeUnavailable, match="names 3 labels, but the ONNX file gives 2 numbers"):
        mapped("entailment", "neutral", "contradiction", outputs=2)


@pytest.mark.parametrize(
    "table",
    [
        {"0": "entailment", "2": "neutral", "3": "contradiction"},
        {"a": "entailment"},
        ["entailment", "neutral"],
    ],
)
def test_id2label_that_is_none(table: Any) -> None:
    with pytest.raises(JudgeUnavailable, match="id2label cannot be read"):
        from_config({"id2label": table}, where="config.json", outputs=3)


def test_labels_told_by_a_person() -> None:
    names = ("output 0", "output 1", "output 2")
    found = from_names(("contradicted", "supported", "unverifiable"), names, where="")
    assert found.settled == "told"
    assert from_names(("unverifiable", "supported"), names[:2], where="").two_state
    for told in (("supported", "unverifiable"), ("supported", "supported", "unverifiable")):
        with pytest.raises(JudgeUnavailable, match="do not fit a model with 3 outputs"):
            from_names(told, names, where="")
    with pytest.raises(JudgeUnavailable, match="do not fit a model with 2 outputs"):
        from_names(("supported", "contradicted"), names[:2], where="")
