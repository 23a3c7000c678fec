"""Markup, sentences, tokens, numbers and languages."""

from __future__ import annotations

import time
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.errors import InputError, UsageError
from voirdire.judges.text import (
    canonical_number,
    cleaned,
    load_language,
    sentences,
    shipped_languages,
    tokens,
    tokens_of_each,
)

EN = {"decimal": ".", "group": (",",)}
IT = {"decimal": ",", "group": (".", "'", "\u2019")}


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("67 **million** people", "67 million people"),
        ("im**port**ant", "important"),
        ("__init__ and user_id", "init and user_id"),
        ("_a_ *b* `c` ~~d~~ ***e***", "a b c d e"),
        ("<b>67</b> mil<i>lion</i><br/>people", "67 million people"),
        ("[the plan](https://x.y/z_1) costs", "the plan costs"),
        ("two  spaces\tand\n\nlines\u00a0here", "two spaces and lines here"),
        ("soft\u00adhyphen zero\u200bwidth \ufeffmark", "softhyphen zerowidth mark"),
        ("e\u0300 composed", "\u00e8 composed"),
        ("a < b and c > d", "a < b and c > d"),
    ],
)
def test_cleaned(marked: str, plain: str) -> None:
    assert cleaned(marked) == plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs 3.50 euro. It is good!", ["It costs 3.50 euro.", "It is good!"]),
        ("Ask Dr. Rossi. Or J. Smith, e.g. today.", ["Ask Dr. Rossi.", "Or J. Smith, e.g. today."]),
        ("no full stop at all", ["no full stop at all"]),
        ("Version 2.0.1 is out", ["Version 2.0.1 is out"]),
        ("He said \u201cyes.\u201d Then left.", ["He said \u201cyes.\u201d", "Then left."]),
        ("Really?! Yes... No.", ["Really?!", "Yes...", "No."]),
        (
            "\u6771\u4eac\u306f\u9996\u90fd\u3002\u5927\u962a\u306f\u90fd\u5e02\u3002",
            ["\u6771\u4eac\u306f\u9996\u90fd\u3002", "\u5927\u962a\u306f\u90fd\u5e02\u3002"],
        ),
        ("\u2022 Basic: 10 GB \u2022 Pro: 20 GB", ["Basic: 10 GB", "Pro: 20 GB"]),
        ("* Basic: 10 GB * Pro: 20 GB", ["Basic: 10 GB", "Pro: 20 GB"]),
        ("king III . The exhumation", ["king III .", "The exhumation"]),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text, abbreviations=frozenset({"dr"})) == expected


@given(st.text(alphabet="aB1 .!?\u3002\u2022*()\"'", max_size=60))
def test_sentences_lose_nothing(text: str) -> None:
    clean = cleaned(text)
    kept = "".join(sentences(clean))
    assert tokens(" ".join(sentences(clean))) == tokens(clean)
    assert len(kept) <= len(clean)


@pytest.mark.parametrize(
    "hostile",
    [
        "." * 200_000 + "x",
        "[" * 200_000,
        "*_`<" * 50_000,
        '."' * 100_000,
        "a." * 100_000,
        "1," * 100_000,
        "/" * 200_000,
    ],
)
def test_hostile_text_takes_linear_time(hostile: str) -> None:
    started = time.process_time()
    for sentence in sentences(cleaned(hostile)):
        tokens(sentence, **EN)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("L'utente paga \u20ac12,50!", ["l", "utente", "paga", "12", "50"]),
        ("24/7 and/or x_y", ["24/7", "and/or", "x", "y"]),
        ("A / B // C", ["a", "b", "c"]),
        ("30GB, \u00e8 GRANDE", ["30gb", "\u00e8", "grande"]),
        ("\u6771\u4eac2024", ["\u6771", "\u4eac", "2024"]),
        ("...!?", []),
    ],
)
def test_bare_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_numbers_inside_tokens() -> None:
    assert tokens("$1,000.50 or 1.000,50\u20ac, 12.5% on 05/06/2024 at 09:30, 1.5m", **EN) == [
        "1000.5", "or", "1000.5", "12.5", "on", "5/6/2024", "at", "9", "30", "1.5m",
    ]  # fmt: skip
    assert tokens("1.000 e 1,000 e 12.5 e 1'000 e 3.2.1", **IT) == [
        "1000", "e", "1", "e", "12.5", "e", "1000", "e", "3.2.1",
    ]  # fmt: skip


@given(st.text(max_size=80))
def test_ascii_path_and_pattern_agree(text: str) -> None:
    """The fast way for ASCII text gives what the pattern gives: an umlaut beside forces it."""
    ascii_text = cleaned(text.encode("ascii", "ignore").decode())
    assert tokens(ascii_text + " \u00fc") == [*tokens(ascii_text), "\u00fc"]


@given(st.lists(st.text(max_size=30).map(cleaned), min_size=1, max_size=5))
def test_one_sweep_is_one_by_one(texts: list[str]) -> None:
    assert tokens_of_each(texts, **IT) == [tokens(text, **IT) for text in texts]


@given(st.text(max_size=60))
def test_tokens_are_runs(text: str) -> None:
    for token in tokens(cleaned(text)):
        assert token
        assert token == token.lower() or not token.isascii()
        assert all(c.isalnum() or c == "/" for c in token)
        assert any(c.isalnum() for c in token)


def written(value: Decimal, *, decimal: str, group: str) -> str:
    """A number as a language writes it, built apart from the code under test."""
    whole, _, fraction = f"{value:,f}".partition(".")
    return whole.replace(",", group) + (decimal + fraction if fraction else "")


NUMBERS = st.decimals(min_value=0, max_value=10**9, places=2, allow_nan=False)


@given(NUMBERS)
def test_number_is_one_in_every_spelling(value: Decimal) -> None:
    plain = format(value.normalize(), "f")
    assert canonical_number(written(value, decimal=".", group=","), **EN) == plain
    assert canonical_number(written(value, decimal=",", group="."), **IT) == plain
    assert canonical_number(written(value, decimal=",", group="'"), **IT) == plain
    # Two decimals leave no doubt, so the other language's spelling is read as well.
    assert canonical_number(written(value, decimal=",", group="."), **EN) == plain
    assert canonical_number(written(value, decimal=".", group=","), **IT) == plain


@given(NUMBERS, NUMBERS)
def test_different_numbers_stay_different(one: Decimal, two: Decimal) -> None:
    same = canonical_number(str(one), **EN) == canonical_number(str(two), **EN)
    assert same == (one == two)


def test_number_edges() -> None:
    assert canonical_number("007", **EN) == "7"
    assert canonical_number("0,500", **EN) == "0.5"
    assert canonical_number("000", **EN) == "0"
    assert canonical_number("\uff11\uff12", **EN) == "12"
    assert canonical_number("1.000.000", **EN) == "1000000"
    assert len(canonical_number("9" * 100_000, **EN)) == 100_000


def test_languages() -> None:
    assert shipped_languages() == ("en", "it")
    for code in shipped_languages():
        language = load_language(code)
        assert language.code == code
        cues = {*language.negation.words, *language.negation.concord}
        # A negation that is a stop word could never show in the coverage.
        assert not cues & set(language.stop_words)
        for words in (language.stop_words, language.negation.words, language.negation.concord):
            assert len(set(words)) == len(words)
            assert all(tokens(word) == [word] for word in words), words


@pytest.mark.parametrize(
    ("code", "text", "count"),
    [
        ("en", "It does not work", 1),
        ("en", "It doesn't work", 1),
        ("en", "not without support", 2),
        ("en", "neither phone nor chat", 1),
        ("en", "It works", 0),
        ("it", "Non c'\u00e8 nessun limite", 1),
        ("it", "Nessun limite", 1),
        ("it", "non senza limiti", 2),
        ("it", "senza limiti", 1),
    ],
)
def test_negations(code: str, text: str, count: int) -> None:
    assert load_language(code).negations(tokens(text)) == count


def test_own_language_file(tmp_path: Path) -> None:
    file = tmp_path / "de.toml"
    file.write_text(
        'code = "de"\nname = "German"\nstop_words = "der die das"\n'
        '[numbers]\ndecimal = ","\ngroup = ["."]\n[negation]\nwords = "nicht kein"\n',
        encoding="utf-8",
    )
    language = load_language("", file=str(file))
    assert language.stop_words == ("der", "die", "das")
    file.write_text('code = "de"\nname = "G"\nstopwords = "x"\n[numbers]\ndecimal=","\n')
    load_language.cache_clear()
    with pytest.raises(InputError, match="did you mean 'stop_words'"):
        load_language("", file=str(file))
    with pytest.raises(UsageError, match="allowed: en, it, auto"):
        load_language("xx")
