"""Every language says the same things, and nothing is kept that nobody says."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

from voirdire import reports
from voirdire.records import FlagCode
from voirdire.reports.words import LANGUAGES, load_words

OTHERS = [language for language in LANGUAGES if language != "en"]
ITS_OWN = ("retell.", "label.")


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", OTHERS)
def test_languages_have_the_same_keys(language: str) -> None:
    english, other = load_words("en").keys, load_words(language).keys
    assert english - other == set()
    assert {key for key in other - english if not key.startswith(ITS_OWN)} == set()


@pytest.mark.parametrize("language", OTHERS)
def test_languages_fill_in_the_same_fields(language: str) -> None:
    english, other = load_words("en"), load_words(language)
    differ = [
        key
        for key in sorted(english.keys)
        if fields(english._texts[key]) != fields(other._texts[key])
    ]
    assert differ == []


DYNAMIC = [
    "agreement.ac1",
    "agreement.mcc",
    "agreement.balanced",
    "agreement.if_right",
    "agreement.if_wrong",
    "agreement.constant",
    "answer.",
    "answer_flag.",
    "decision.",
    "finding.forest.single.",
    "finding.noise.",
    "finding.worst",
    "noise.",
    "identity.",
    "test.",
    "rule.",
    "signal.",
    "certificate.",
    "alerts.",
    "stability.",
    "attribute.",
    "flag.",
    "learned.",
    "gate_name.",
    "cheapest.",
    "contest_part.",
    "operating.",
    "finding.operating.",
    "headline.",
    "kind.",
    "label.",
    "limits.",
    "markdown.",
    "method.",
    "number.",
    "reason.",
    "why.",
]
"""Keys that the code puts together: of a gate, a flag, a label …"""


def test_every_key_is_said_somewhere() -> None:
    room = Path(reports.__file__).parent
    source = "".join(
        path.read_text(encoding="utf-8")
        for path in room.rglob("*")
        if path.suffix in (".py", ".j2")
    )
    said = set(re.findall(r'"([a-z_.]+)"', source))
    unsaid = [
        key
        for key in sorted(load_words("en").keys)
        if re.sub(r"\.(one|other)$", "", key) not in said and not key.startswith(tuple(DYNAMIC))
    ]
    assert unsaid == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_flag_says_what_it_is_and_what_to_do(language: str) -> None:
    keys = load_words(language).keys
    for code in get_args(FlagCode):
        assert {f"flag.{code}.text", f"flag.{code}.todo"} <= keys


def test_a_text_with_braces_in_a_value_is_not_read_again() -> None:
    assert "{judge.__class__}" in load_words("en")("numbers.gates", judge="{judge.__class__}")


def test_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="language must be one of en, it, got 'xx'"):
        load_words("xx")


def test_unknown_labels_stand_as_they_are() -> None:
    assert load_words("it").label("contradicted") == "contraddetta"
    assert load_words("it").label("some_new_kind") == "some new kind"
