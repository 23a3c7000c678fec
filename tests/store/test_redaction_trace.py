"""The way back from a redacted text to the original."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.store.redaction import Redaction, trace

PATTERNS = [r"\d+", "b", r"(?=c)", r"\[redacted\] ", "é+"]


def test_a_hidden_piece_stands_for_all_of_it() -> None:
    traced = Redaction([r"\d{3,}"]).traced("call 1234567 now")
    assert (traced.text, traced.count) == ("call [redacted] now", 1)
    assert traced.original_span(0, 4) == (0, 4)
    assert traced.original_span(6, 7) == (5, 12)
    assert traced.original_span(0, len(traced.text)) == (0, 16)
    assert traced.original_span(16, 19) == (13, 16)


@pytest.mark.parametrize("span", [(0, 0), (2, 1), (-1, 2), (0, 99)])
def test_no_span_is_refused(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="must be a span of the text, got"):
        Redaction().traced("abc").original_span(*span)


@given(st.text(alphabet="ab1é c", max_size=30), st.lists(st.sampled_from(PATTERNS), max_size=3))
def test_traced_and_applied_are_the_same_text(text: str, patterns: list[str]) -> None:
    redaction = Redaction(patterns)
    traced = redaction.traced(text)
    assert traced.text == redaction.apply(text)
    assert len(traced.places) == len(traced.text)
    if traced.text and text:
        first, last = traced.original_span(0, len(traced.text))
        assert 0 <= first <= last <= len(text)


def test_the_way_there_covers_whole_replacements() -> None:
    traced = Redaction([r"\d+"]).traced("call 0612 now")
    assert traced.text == "call [redacted] now"
    assert traced.redacted_span(0, 4) == (0, 4)
    assert traced.redacted_span(6, 7) == (5, 15), "a part of what was hidden is all of it"
    assert traced.redacted_span(10, 13) == (16, 19)
    assert traced.redacted_span(3, 3) is None
    assert traced.redacted_span(40, 50) is None


def test_a_match_that_is_to_stay_stays_letter_by_letter() -> None:
    traced = trace("ab", [(re.compile("ab"), lambda match: match.group())])
    assert (traced.text, traced.count, traced.redacted_span(0, 1)) == ("ab", 0, (0, 1))
