"""The Markdown for a pull request: short, and only text where text may stand."""

from __future__ import annotations

import re

import pytest

from tests.reports import report_factory as make
from voirdire.reports import make_report, render_summary


def test_it_says_the_decision_the_numbers_and_the_next_step() -> None:
    text = render_summary(make_report(*make.ordinary()))
    assert text.startswith("## None of 2 judges can be adopted now\n")
    assert "| lexical | Do not adopt | 0\\.55 \\(0\\.49 to 0\\.61\\)" in text
    assert "390 of 400" in text
    assert "reference line, not a candidate" in text
    assert "| People with each other | – | 0\\.72" in text
    assert "Next: Label more families" in text
    assert "- `single_run` nli\\-base was asked once" in text


def test_it_is_short(any_results) -> None:
    assert len(render_summary(make_report(*any_results))) < 12_000


@pytest.mark.parametrize("language", ["en", "it"])
def test_every_row_has_as_many_cells_as_the_head(any_results, language: str) -> None:
    lines = render_summary(make_report(*any_results, language=language)).splitlines()
    rows = [re.findall(r"(?<!\\)\|", line) for line in lines if line.startswith("|")]
    assert len({len(row) for row in rows}) == 1


def test_hostile_text_is_inert() -> None:
    text = render_summary(make_report(*make.hostile()))
    assert "<" not in text.replace("<!-- -->", "")
    assert "://" not in text
    assert not set(text) & set("\x00\x1b\u202e\u202c")


def test_no_claim_is_quoted() -> None:
    assert "The plan includes support" not in render_summary(make_report(*make.ordinary()))
