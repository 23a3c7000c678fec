"""Pairs to learn from: read, kept apart, made by rules that refuse what they cannot surely do."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import InputError, UsageError
from voirdire.models.training import (
    DEFAULT_AMOUNTS,
    Pair,
    augmented,
    families_by_text,
    hold_out,
    negated,
    number_swapped,
    read_pairs,
    without_overlap,
)
from voirdire.models.training.calibration import fitted_temperature, mean_log_loss


def pair(context: str, claim: str = "c", label: str = "supported", source: str = "s") -> Pair:
    return Pair(context, claim, label, source)  # type: ignore[arg-type]


def test_plain_and_packed_lines(tmp_path: Path) -> None:
    row = {"context": "A.\u2028B.", "claim": "C.", "label": "supported", "source": "x", "more": 1}
    text = json.dumps(row, ensure_ascii=False) + "\n"
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(text.encode("utf-8")))
    expected = [Pair("A.\u2028B.", "C.", "supported", "x")]
    assert read_pairs(tmp_path / "a.jsonl") == read_pairs(tmp_path / "a.jsonl.gz") == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "no labelled pair"),
        ("[]", "no labelled pair"),
        ('{"context": "a", "claim": "b"}', "KeyError 'label'"),
        ('{"context": "a", "claim": "b", "label": "entailment"}', "unknown label 'entailment'"),
    ],
)
def test_a_line_that_is_no_pair(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"context": "a", "claim": "b", "label": "supported"}\n' + line + "\n")
    with pytest.raises(InputError, match=message) as caught:
        read_pairs(file)
    assert f"{file}:2" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file of pairs"):
        read_pairs(tmp_path / "a.jsonl")


def test_families_by_premise_and_where_told_by_claim() -> None:
    pairs = [pair("A dog."), pair("a  DOG!"), pair("A cat."), pair("A cow.", "A dog.")]
    assert len(set(families_by_text(pairs))) == 3
    pairs = [pair("One.", "x"), pair("Two.", "x"), pair("Two.", "y"), pair("Three.", "z")]
    assert len(set(families_by_text(pairs))) == 3
    joined = families_by_text(pairs, by_claim=lambda one: True)
    assert joined[0] == joined[1] == joined[2] != joined[3]


def test_no_family_is_on_both_sides_and_every_source_gives_its_share() -> None:
    pairs = [
        Pair(f"p{i // 3}", f"c{i}", "supported", f"s{i % 2}", f"f{i // 3}") for i in range(600)
    ]
    learn, held = hold_out(pairs, share=0.1, seed=3)
    assert not {one.family for one in learn} & {one.family for one in held}
    assert len(learn) + len(held) == 600
    assert 0.08 < len(held) / 600 < 0.25  # families of both sources are drawn twice
    assert hold_out(pairs, share=0.1, seed=3) == (learn, held)
    assert hold_out(pairs, share=0.1, seed=4) != (learn, held)
    assert hold_out(pairs, share=0, seed=3) == (pairs, [])
    with pytest.raises(ValueError, match="share must be at least 0 and below 1, got 1"):
        hold_out(pairs, share=1, seed=3)


def test_what_models_are_measured_on_is_not_learned_from() -> None:
    avoid = [("The premise there.", "A claim of more than six words there.")]
    kept = pair("New premise.", "Short claim.")
    assert without_overlap(
        [
            kept,
            pair("THE premise, there"),
            pair("A claim of more than six words there."),
            pair("x", "The premise there."),
            pair("x", "a claim of more than six words there"),
        ],
        avoid,
    ) == [kept]
    short = pair("New premise.", "A dog.")
    assert without_overlap([short], [("Other.", "A dog.")]) == [short]


# Negation

GUITAR = "A man is playing a guitar."


@pytest.mark.parametrize(
    ("sentence", "form", "expected"),
    [
        (GUITAR, "not", "A man is not playing a guitar."),
        (GUITAR, "contracted", "A man isn't playing a guitar."),
        (GUITAR, "sentence", "It is not true that a man is playing a guitar."),
        ("There is a dog outside.", "no", "There is no dog outside."),
        ("There are some dogs outside.", "no", "There are no dogs outside."),
        ("The dogs have been outside.", "not", "The dogs have not been outside."),
        ("The price did rise in May.", "contracted", "The price didn't rise in May."),
    ],
)
def test_negations(sentence: str, form: str, expected: str) -> None:
    assert negated(sentence, form) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "sentence",
    [
        "A man is not playing.", "Nobody is there now.", "No dogs are outside.",
        "He isn't here today.", "All dogs are outside.", "Some people are happy.",
        "A man who is tall sings.", "If it is cold, he stays.", "Is he tall or short?",
        "A man plays a guitar.", "He is.", "The dogs have a house here.",
        "Two men walking, one is tall.", "He is here. She is there.", "Few dogs are outside.",
        "There is a dog outside.",
    ],
)  # fmt: skip
def test_what_is_not_surely_denied_is_left(sentence: str) -> None:
    assert negated(sentence, "not") is None
    assert negated(sentence, "contracted") is None


def test_a_sentence_that_starts_with_a_name_is_not_put_in_a_clause() -> None:
    assert negated("Italy is in Europe today.", "sentence") is None
    assert negated("Italy is in Europe today.", "not") == "Italy is not in Europe today."


def test_numbers() -> None:
    assert number_swapped("Three dogs run.", step=2) == "Five dogs run."
    assert number_swapped("It cost 12 euro in all.", step=3) == "It cost 15 euro in all."
    for sentence in ("Dogs run.", "Two dogs and 3 cats.", "At least two dogs.", "It cost 1,200.",
                     "It rose by 12%.", "In version 3.5 it works."):  # fmt: skip
        assert number_swapped(sentence) is None


# Pairs made by rule


@pytest.fixture(scope="module")
def corpus() -> list[Pair]:
    rng = np.random.default_rng(5)
    subjects = ["man", "woman", "child", "dog", "farmer", "singer", "teacher", "pilot"]
    doings = ["eating bread", "playing chess", "riding a horse", "reading a book", "painting"]
    made = []
    for i in range(400):
        who, what = rng.choice(subjects), rng.choice(doings)
        context = f"A {who} in a green coat is {what} near house {i}."
        label = ("supported", "contradicted", "unverifiable")[i % 3]
        claim = {
            "supported": f"A {who} is {what}.",
            "contradicted": f"A {who} is sleeping near house {i}.",
            "unverifiable": f"A {who} is famous.",
        }[label]
        made.append(Pair(context, claim, label, "made", f"family {i}"))  # type: ignore[arg-type]
    return made


def test_rules_make_what_logic_settles(corpus: list[Pair]) -> None:
    found = augmented(corpus, seed=1, amounts={"negation": 200, "identity": 50, "number": 50})
    kinds = {
        kind: [one for one in found if one.source == f"rule:{kind}"] for kind in DEFAULT_AMOUNTS
    }
    assert len(kinds["identity"]) == 50
    assert all(o.context == o.claim and o.label == "supported" for o in kinds["identity"])
    assert kinds["number"]
    assert all(o.label == "contradicted" and o.context != o.claim for o in kinds["number"])
    negation = kinds["negation"]
    assert {one.label for one in negation} == {"supported", "contradicted", "unverifiable"}
    denials = ("not", "n't", " no ", "false")
    for one in negation:
        denied = [any(word in text for word in denials) for text in (one.context, one.claim)]
        if (
            one.context.replace(" not", "") == one.claim.replace(" not", "")
            and denied[0] != denied[1]
        ):
            assert one.label == "contradicted"


def test_a_negation_gives_no_label_away(corpus: list[Pair]) -> None:
    many = [Pair(one.context, one.claim, one.label, one.source, f"{one.family}.{k}")
            for k in range(10) for one in corpus]  # fmt: skip
    found = augmented(many, seed=1, amounts={"negation": 3000})
    counts = [
        sum(one.label == label for one in found)
        for label in ("supported", "contradicted", "unverifiable")
    ]
    assert len(found) > 1500
    assert max(counts) - min(counts) <= 301


def test_unrelated_and_surrounded_share_no_word_with_others(corpus: list[Pair]) -> None:
    found = augmented(corpus, seed=1, amounts={"unrelated": 100, "surrounded": 100})
    by_claim = {one.claim: one for one in corpus}
    contexts = {one.context for one in corpus}
    for one in found:
        origin = by_claim[one.claim]
        if one.source == "rule:unrelated":
            assert one.label == "unverifiable"
            assert one.context in contexts
        else:
            assert one.label == origin.label
            assert sum(context in one.context for context in contexts) >= 2
    assert {one.source for one in found} == {"rule:unrelated", "rule:surrounded"}


def test_the_same_seed_makes_the_same_pairs(corpus: list[Pair]) -> None:
    amounts = dict.fromkeys(DEFAULT_AMOUNTS, 30)
    assert augmented(corpus, seed=1, amounts=amounts) == augmented(corpus, seed=1, amounts=amounts)
    assert augmented(corpus, seed=1, amounts=amounts) != augmented(corpus, seed=2, amounts=amounts)
    with pytest.raises(ValueError, match="amounts must be of .*, got 'typos'"):
        augmented(corpus, seed=1, amounts={"typos": 1})


# Calibration


def test_the_temperature_is_the_one_of_least_loss() -> None:
    rng = np.random.default_rng(6)
    logits = rng.normal(size=(4000, 3)) * 2
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    targets = np.array([rng.choice(3, p=row) for row in shares])
    for true in (0.5, 1.0, 3.0):
        fitted = fitted_temperature(logits * true, targets)
        assert fitted == pytest.approx(true, rel=0.06)
        for other in (fitted * 0.98, fitted * 1.02):
            assert mean_log_loss(logits * true, targets, temperature=fitted) <= mean_log_loss(
                logits * true, targets, temperature=other
            )
    with pytest.raises(ValueError, match="targets must hold at least one"):
        fitted_temperature(np.zeros((0, 3)), np.zeros(0, dtype=np.int64))
