"""Blind spots: each detector on claims that do and do not show it."""

from __future__ import annotations

import pytest

from voirdire.errors import InputError
from voirdire.records import Claim
from voirdire.store import StudyConfig
from voirdire.studies.slicing import DEFAULT_SLICES, KINDS, slice_value

CONTEXT = ("The Basic plan costs 12 euro.", "Phones ring.", "Support answers within two days.")


def value(kind: str, text: str, *, language: str = "en", context: tuple[str, ...] = CONTEXT) -> str:
    claim = Claim(
        id="c", family="f", variant="original", claim=text, context=context, language=language
    )
    return slice_value(claim, kind)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("length", "Basic costs little.", "under 5 words"),
        ("length", "Basic costs twelve euro monthly.", "5 words or more"),
        ("numbers", "Basic costs 12 euro.", "with a number"),
        ("numbers", "Basic costs twelve euro.", "without a number"),
        ("negation", "Basic doesn't cost much.", "with a negation"),
        ("negation", "Basic costs much.", "without a negation"),
        ("implied", "The Basic plan costs 12 euro.", "words in the context"),
        ("implied", "Calls are taken after breakfast.", "few words in the context"),
        ("chunks", "x", "2 to 3 chunks"),
        ("evidence", "The Basic plan costs 12 euro.", "first chunk"),
        ("evidence", "Phones ring.", "middle chunk"),
        ("evidence", "Support answers within days.", "last chunk"),
        ("evidence", "Bicycles rust.", "nowhere plainly"),
        ("language", "x", "en"),
        ("topic", "x", ""),
    ],
)
def test_detectors(kind: str, text: str, expected: str) -> None:
    assert value(kind, text) == expected


def test_italian_negations() -> None:
    for text in ("Non costa molto.", "Senza costi.", "Nessuno risponde.", "Né caldo né freddo."):
        assert value("negation", text, language="it") == "with a negation", text
    assert value("negation", "Costa 12,50 euro.", language="it") == "without a negation"


def test_a_language_without_a_file_is_left_out_where_cues_are_needed() -> None:
    assert value("negation", "Das ist nicht so.", language="de") == ""
    assert value("length", "Das ist nicht so.", language="de") == "under 5 words"


def test_chunk_counts() -> None:
    assert value("chunks", "x", context=("a",)) == "1 chunk"
    assert value("chunks", "x", context=("a",) * 5) == "4 chunks or more"
    assert value("evidence", "x", context=("a",)) == ""


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'length'"):
        value("lenght", "x")


def test_a_study_slices_by_all_of_them_unless_it_says_otherwise() -> None:
    config = StudyConfig(name="s", labels=("l",), judges=({"name": "c", "use": "constant"},))  # type: ignore[arg-type]
    assert config.slices == DEFAULT_SLICES
    assert set(DEFAULT_SLICES) < set(KINDS)
