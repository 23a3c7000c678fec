"""Numbers as the language writes them; none claims more than it is."""

from __future__ import annotations

import pytest

from tests.reports.report_factory import estimate, rate
from voirdire.reports.formats import Formats
from voirdire.reports.words import load_words

EN, IT = Formats(load_words("en")), Formats(load_words("it"))


@pytest.mark.parametrize(
    ("value", "english", "italian"),
    [
        (0.744, "0.74", "0,74"),
        (-0.05, "−0.05", "−0,05"),
        (-0.001, "0.00", "0,00"),
        (0.999, ">0.99", ">0,99"),
        (1.0, "1.00", "1,00"),
        (-0.999, "<−0.99", "<−0,99"),
    ],
)
def test_numbers(value: float, english: str, italian: str) -> None:
    assert (EN.number(value), IT.number(value)) == (english, italian)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "50 %"),
        (1.0, "100 %"),
        (0.0, "0 %"),
        (0.998, "99.8 %"),
        (0.002, "0.2 %"),
        (0.99999, ">99.9 %"),
        (0.00001, "<0.1 %"),
    ],
)
def test_a_share_is_never_rounded_to_all_or_nothing(value: float, shown: str) -> None:
    assert EN.share(value).replace("\xa0", " ") == shown


def test_differences_carry_their_sign() -> None:
    assert [EN.difference(one) for one in (0.1, -0.1, 0.0, 0.001)] == [
        "+0.10",
        "−0.10",
        "0.00",
        "0.00",
    ]


def test_counts() -> None:
    assert (EN.count(1234567), IT.count(1234567)) == ("1,234,567", "1.234.567")


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0001, "under a millisecond"),
        (0.25, "250 ms"),
        (3.21, "3.2 s"),
        (600, "10 min"),
        (9000, "2.5 h"),
    ],
)
def test_times(seconds: float, shown: str) -> None:
    assert EN.seconds(seconds) == shown


def test_undefined_is_a_word_with_its_reason() -> None:
    nothing = estimate(None, undefined="class absent: no item is labelled 'x'")
    assert EN.short(nothing) == "undefined: no claim carries this label: no item is labelled 'x'"
    assert IT.short(nothing).startswith(
        "non definito: nessuna affermazione porta questa etichetta:"
    )
    assert EN.value(nothing) == "undefined"


def test_a_reason_we_do_not_know_stands_as_it_was_recorded() -> None:
    assert EN.reason("moon in the wrong house") == "moon in the wrong house"


def test_an_estimate_without_interval_says_so() -> None:
    alone = estimate(0.5, low=None, high=None, no_interval="one family")
    assert EN.short(alone) == "0.50 (no interval)"


def test_every_rate_shows_k_of_n_and_n_asked() -> None:
    assert EN.basis(rate(91, 100, asked=103)) == "91 of 100, 103 asked"
    assert EN.basis(rate(91, 100)) == "91 of 100"
    assert EN.basis(estimate(0.5)) == "400 claims"
    assert IT.basis(rate(91, 100, asked=103)) == "91 su 100, 103 chieste"
