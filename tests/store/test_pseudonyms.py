"""What is taken out, what stays, and that one text always gets one name."""

from __future__ import annotations

import json

import pytest

from voirdire.errors import UsageError
from voirdire.store.pseudonyms import Pseudonyms

PLANTED = {
    "secret": [
        "sk-" + "proj-Ab12Cd34Ef56Gh78Ij90",
        "hf_" + "AbCdEfGhIjKlMnOpQrSt",
        "ghp_" + "0123456789abcdefghij0123",
        "AKIA" + "ABCDEFGHIJKLMNOP",
        "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0.abc-_123",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    ],
    "e-mail": ["anna.rossi+rag@mail.example.org", "b@x.it"],
    "home": ["/home/anna", "/Users/Bo", "C:\\Users\\Carla"],
    "iban": ["DE89 3704 0044 0532 0130 00", "IT60X0542811101000000123456"],
    "phone": ["+39 06 1234 5678", "+1 (212) 555-0134"],
    "card": ["4111 1111 1111 1111"],
}


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in PLANTED.items() for text in texts]
)
def test_planted_things_are_found_and_named(kind: str, text: str) -> None:
    names = Pseudonyms()
    assert names.text(f"say {text} here") == f"say [{kind} 1] here"
    assert names.found == {kind: 1}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Authorization: Bearer abcdef0123456789", "Authorization: Bearer [secret 1]"),
        ("https://u/?api_key=hunter22&x=1", "https://u/?api_key=[secret 1]&x=1"),
        ("https://anna:geheim@host/x", "https://[secret 1]@host/x"),
        ("open /home/anna/secret.txt", "open [home 1]/secret.txt"),
    ],
)
def test_only_the_part_that_is_secret_goes(before: str, after: str) -> None:
    assert Pseudonyms().text(before) == after


@pytest.mark.parametrize(
    "text",
    [
        "The plan costs 1 234 567 890 123 euros.",
        "From 2019 to 2024 it grew by 12.5 %, 4111 1111 1111 1112 times.",
        "a" * 64,
        "0123456789abcdef" * 4,
        "words-20260101T000000Z-0a1b2c",
        "see /homeless/shelter and sk-ip",
        "write to a@b",
    ],
)
def test_what_is_judged_stays(text: str) -> None:
    assert Pseudonyms().text(text) == text


def test_equal_stays_equal_and_different_different() -> None:
    names = Pseudonyms()
    first = names.value({"annotator": "a@x.it", "votes": {"b@x.it": "supported"}})
    assert first == {"annotator": "[e-mail 1]", "votes": {"[e-mail 2]": "supported"}}
    assert names.text("b@x.it, a@x.it") == "[e-mail 2], [e-mail 1]"


def test_a_sets_own_patterns_come_first() -> None:
    names = Pseudonyms([r"customer \d+"])
    assert names.text("customer 77 (c@x.it)") == "[redacted 1] ([e-mail 1])"
    with pytest.raises(UsageError, match="not a regular expression"):
        Pseudonyms(["("])


def test_lines_without_a_find_stay_byte_for_byte() -> None:
    odd = '{"a" :  1,"b":"\\u00e9"}\n'
    text = odd + '{"b": "a@x.it\\"q"}\n'
    assert Pseudonyms().lines(text) == odd + '{"b": "[e-mail 1]\\"q"}\n'
    assert Pseudonyms().document(odd) == odd
    assert json.loads(Pseudonyms().document('{"k": ["a@x.it"]}')) == {"k": ["[e-mail 1]"]}


def test_coordinates_of_a_page_stay() -> None:
    page = '<path d="M4111 1111 1111 1111"/><p>4111 1111 1111 1111 a@x.it</p>'
    assert Pseudonyms().html(page) == ('<path d="M4111 1111 1111 1111"/><p>[card 1] [e-mail 1]</p>')
