"""The judge ``nli`` on models whose answers can be foreseen: labels, windows, rules, outcomes."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.tiny_nli import tiny_nli
from voirdire.errors import JudgeUnavailable, UsageError
from voirdire.judges import check_judge, describe, load
from voirdire.judges.contract import _ODD, _PLAN, _TEAM
from voirdire.judges.nli import make
from voirdire.judges.nli.evidence import RULES, decisive
from voirdire.judges.nli.windows import chunk_sentences, windows
from voirdire.records import LABELS, JudgeAnswer, JudgeInput

OPEN = "The museum is open on Monday."
SHUT = "The museum is not open on Monday."
CAFE = "The cafe sells 3 kinds of cake."
FILLER = "A river flows through the old town."
TEXTS = (OPEN, SHUT, CAFE, FILLER, _ODD, _PLAN, _TEAM, "19 nan Il museo apre lunedi")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_nli(tmp_path / "model", *TEXTS)


def judged(judge: Any, claim: str, *context: str) -> JudgeAnswer:
    item = JudgeInput(id="x", claim=claim, context=context)
    ((name, answer),) = judge(iter([item]), repeat=0)
    assert name == "x"
    return answer


def made(folder: Path, **parameters: Any) -> Any:
    return make({"model": str(folder), **parameters}, None)


def test_it_passes_every_check(folder: Path) -> None:
    failed = [result for result in check_judge(made(folder)) if not result.passed]
    assert not failed


def test_three_labels_with_probabilities_and_evidence(folder: Path) -> None:
    judge = made(folder)
    for claim, label, sentence in [(OPEN, "supported", OPEN), (SHUT, "contradicted", OPEN)]:
        answer = judged(judge, claim, CAFE, OPEN, FILLER)
        assert answer.label == label
        assert answer.evidence == sentence
        assert answer.probabilities is not None
        assert answer.probabilities[label] > 0.99
        assert sum(answer.probabilities.values()) == pytest.approx(1, abs=1e-12)
        assert answer.tokens_in is not None
        assert answer.tokens_in > 20
        assert answer.flags == ()
    assert judged(judge, FILLER, CAFE, OPEN).label == "unverifiable"


@pytest.mark.parametrize(
    "outputs", list(itertools.permutations(("entailment", "neutral", "contradiction")))
)
def test_every_order_of_outputs_gives_the_same_answer(
    tmp_path: Path, outputs: tuple[str, ...]
) -> None:
    judge = made(tiny_nli(tmp_path, *TEXTS, outputs=outputs))
    assert judged(judge, OPEN, OPEN).label == "supported"
    assert judged(judge, SHUT, OPEN).label == "contradicted"


def test_unnamed_outputs_are_settled_by_the_self_test(tmp_path: Path) -> None:
    unnamed = {str(i): f"LABEL_{i}" for i in range(3)}
    outputs = ("neutral", "contradiction", "entailment")
    judge = made(tiny_nli(tmp_path, *TEXTS, outputs=outputs, id2label=unnamed))
    assert judged(judge, SHUT, OPEN).label == "contradicted"
    fingerprint = judge.fingerprint()
    assert fingerprint.parameters["labels_settled_by"] == "self-test"
    assert fingerprint.label_map == {
        "0 LABEL_0": "unverifiable",
        "1 LABEL_1": "contradicted",
        "2 LABEL_2": "supported",
    }


def test_unnamed_outputs_that_stay_open_are_refused_until_a_person_tells(tmp_path: Path) -> None:
    unnamed = {str(i): f"LABEL_{i}" for i in range(3)}
    folder = tiny_nli(tmp_path, *TEXTS, outputs=("neutral",) * 3, id2label=unnamed)
    with pytest.raises(JudgeUnavailable, match="LABEL_0, LABEL_1, LABEL_2") as caught:
        made(folder)
    assert "identity 0.33 0.33 0.33" in str(caught.value)
    assert "labels = [" in str(caught.value)
    told = made(folder, labels=["contradicted", "supported", "unverifiable"])
    assert told.fingerprint().parameters["labels_settled_by"] == "told"


def test_names_that_the_self_test_turns_round_are_refused(tmp_path: Path) -> None:
    wrong = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    folder = tiny_nli(
        tmp_path, *TEXTS, outputs=("contradiction", "neutral", "entailment"), id2label=wrong
    )
    with pytest.raises(JudgeUnavailable, match="by the names in its config"):
        made(folder)
    judge = made(folder, labels=["contradicted", "unverifiable", "supported"])
    assert judged(judge, OPEN, OPEN).label == "supported"


def test_a_model_that_reads_the_claim_first_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JudgeUnavailable, match="claim before the premise"):
        made(tiny_nli(tmp_path, *TEXTS, claim_first=True))


def test_two_classes_never_contradict_and_say_so(tmp_path: Path) -> None:
    names = {"0": "not_entailment", "1": "entailment"}
    judge = made(tiny_nli(tmp_path, *TEXTS, outputs=("neutral", "entailment"), id2label=names))
    answer = judged(judge, SHUT, OPEN)
    assert (answer.label, answer.flags) == ("unverifiable", ("two_state",))
    assert answer.probabilities is not None
    assert answer.probabilities["contradicted"] == 0
    assert judged(judge, OPEN, OPEN).label == "supported"


@pytest.mark.parametrize("context", [(), ("",), (" \n ", "\u200b")])
def test_an_empty_context_supports_nothing(folder: Path, context: tuple[str, ...]) -> None:
    answer = judged(made(folder), OPEN, *context)
    assert (answer.outcome, answer.label) == ("judged", "unverifiable")
    assert answer.rationale == "the context is empty"


def test_what_cannot_be_judged_is_an_outcome(tmp_path: Path) -> None:
    judge = made(tiny_nli(tmp_path, *TEXTS, nan_word="nan"))
    items = [
        JudgeInput(id="empty", claim=" ", context=(OPEN,)),
        JudgeInput(id="long", claim="open " * 100, context=(OPEN,)),
        JudgeInput(id="nan", claim="nan museum", context=(OPEN,)),
        JudgeInput(id="fine", claim=OPEN, context=(OPEN,)),
    ]
    found = dict(judge(iter(items), repeat=0))
    assert {name: answer.outcome for name, answer in found.items()} == {
        "empty": "not_applicable",
        "long": "truncated",
        "nan": "failed",
        "fine": "judged",
    }
    assert found["long"].error is not None
    assert found["long"].error.startswith("claim_too_long: the claim has 103 tokens")
    assert "NaN" in str(found["nan"].error)
    assert all(a.label is None and a.probabilities is None for n, a in found.items() if n != "fine")


def test_one_claim_that_breaks_the_session_takes_no_other_with_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = made(folder)
    run = judge._session.logits

    def breaks(encoded: Any) -> Any:
        if any(one.total > 20 for one in encoded):
            raise MemoryError("too much")
        return run(encoded)

    monkeypatch.setattr(type(judge._session), "logits", lambda self, encoded: breaks(encoded))
    items = [
        JudgeInput(id="a", claim=OPEN, context=(OPEN,)),
        JudgeInput(id="b", claim=OPEN, context=(f"{OPEN} {CAFE}",)),
    ]
    found = dict(judge(iter(items), repeat=0))
    assert found["a"].label == "supported"
    assert found["b"].outcome == "failed"
    assert found["b"].error == "MemoryError: too much"


def test_a_cut_input_says_so_and_how_much_was_read(tmp_path: Path) -> None:
    judge = made(tiny_nli(tmp_path, *TEXTS, limit=20))
    unbroken = "a river flows through the old town and " * 10
    answer = judged(judge, OPEN, unbroken, OPEN)
    assert answer.label == "supported"
    assert answer.flags == ("input_cut",)
    assert "tokens were read" in str(answer.rationale)
    assert judged(judge, OPEN, f"{FILLER} {CAFE} {OPEN}").flags == ()  # in two windows, uncut


def test_the_stream_is_read_as_it_is_worked_off(folder: Path) -> None:
    taken = 0

    def stream() -> Any:
        nonlocal taken
        for i in range(2000):
            taken += 1
            yield JudgeInput(id=str(i), claim=OPEN, context=(OPEN,))

    answers = made(folder)(stream(), repeat=0)
    next(answers)
    assert taken < 1000
    assert sum(1 for _ in answers) == 1999


# Windows


def lengths(texts: Any) -> list[int]:
    return [len(text.split()) for text in texts]


def cut(*context: str, each: int = 2, overlap: int = 1, room: int = 100) -> list[str]:
    found = windows(context, sentences_each=each, overlap=overlap, room=room, lengths=lengths)
    return [window.text for window in found]


def test_windows_overlap_and_stay_within_a_chunk() -> None:
    assert cut("Aa bb. Cc dd. Ee ff.", "Gg hh.") == ["Aa bb. Cc dd.", "Cc dd. Ee ff.", "Gg hh."]
    assert cut("Aa bb. Cc dd. Ee ff.", overlap=0) == ["Aa bb. Cc dd.", "Ee ff."]
    assert cut("Aa bb. Cc dd. Ee ff.", each=1, overlap=0) == ["Aa bb.", "Cc dd.", "Ee ff."]
    assert cut("Aa bb. Cc dd. Ee ff.", each=9) == ["Aa bb. Cc dd. Ee ff."]
    assert cut("", " ") == []


def test_windows_grow_no_longer_than_the_model_reads() -> None:
    assert cut("Aa bb. Cc dd. Ee ff.", each=3, room=4) == ["Aa bb. Cc dd.", "Cc dd. Ee ff."]
    assert cut("Aa b c d e ff. Gg.", each=3, room=4) == ["Aa b c d e ff.", "Gg."]


def test_every_sentence_is_in_a_window() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        parts = [" ".join(["w"] * int(n)) + f" {i}." for i, n in enumerate(rng.integers(1, 9, 12))]
        each, room = int(rng.integers(1, 5)), int(rng.integers(1, 20))
        found = cut(" ".join(parts), each=each, overlap=int(rng.integers(0, each)), room=room)
        assert all(any(part in text for text in found) for part in parts)
        assert len(found) <= len(parts)


def test_a_blank_line_ends_a_sentence_and_markup_goes() -> None:
    assert chunk_sentences("# Title\n\nThe **cat**\nsleeps. Dr. Rossi, e.g. he, sleeps.") == [
        "# Title",
        "The cat sleeps.",
        "Dr. Rossi, e.g. he, sleeps.",
    ]


# Rules


def share(supported: float, contradicted: float) -> list[float]:
    by = {"supported": supported, "contradicted": contradicted}
    return [by.get(label, 1 - supported - contradicted) for label in LABELS]


def picked(rule: Any, *rows: list[float]) -> int:
    return decisive(np.array(rows), [f"text {i}" for i in range(len(rows))], rule=rule)


SURE, AGAINST, HALF = share(0.98, 0.01), share(0.01, 0.96), share(0.1, 0.5)


def test_support_elsewhere_does_not_hide_a_contradiction() -> None:
    assert picked("contradiction-first", SURE, AGAINST) == 1
    assert picked("strongest", SURE, AGAINST) == 0
    assert picked("max-entailment", SURE, AGAINST) == 0


def test_a_window_half_about_the_claim_contradicts_nothing() -> None:
    assert picked("contradiction-first", SURE, HALF) == 0
    assert picked("contradiction-first", share(0.01, 0.01), HALF) == 1


def test_max_entailment_looks_for_support() -> None:
    assert picked("max-entailment", AGAINST, share(0.4, 0.1)) == 1


@pytest.mark.parametrize("rule", RULES)
def test_no_rule_looks_at_the_place(rule: Any) -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        rows = rng.dirichlet([0.3] * 3, size=5).round(1)  # rounded: ties are common
        texts = np.array([f"text {i}" for i in range(5)])
        first = texts[decisive(rows, list(texts), rule=rule)]
        order = rng.permutation(5)
        assert texts[order][decisive(rows[order], list(texts[order]), rule=rule)] == first


def test_the_rule_changes_the_answer_and_the_fingerprint(folder: Path) -> None:
    context = (SHUT, CAFE, OPEN)
    first = made(folder)
    second = made(folder, aggregation="max-entailment")
    assert judged(first, OPEN, *context).label == "contradicted"
    assert judged(second, OPEN, *context).label == "supported"
    assert first.fingerprint().digest != second.fingerprint().digest


# Identity


def test_the_fingerprint_knows_what_shapes_an_answer(folder: Path, tmp_path: Path) -> None:
    base = made(folder).fingerprint()
    assert base.weights_sha256 is not None
    assert len(base.weights_sha256) == 64
    assert set(base.packages) == {"onnxruntime", "tokenizers", "numpy"}
    for other in ({"sentences": 2}, {"overlap": 0}, {"max_length": 32}, {"batch": 4}):
        assert made(folder, **other).fingerprint().digest != base.digest
    assert made(folder, threads=2).fingerprint().digest == base.digest
    moved = tiny_nli(tmp_path / "elsewhere", *TEXTS)
    assert made(moved).fingerprint().digest == base.digest
    config = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps(config, indent=1))
    assert made(folder).fingerprint().digest != base.digest


def test_int8_is_another_judge(folder: Path) -> None:
    (folder / "model_quantized.onnx").write_bytes((folder / "model.onnx").read_bytes())
    fp32, int8 = made(folder), made(folder, precision="int8")
    assert fp32.fingerprint().parameters["precision"] == "fp32"
    assert int8.fingerprint().parameters["precision"] == "int8"
    assert fp32.fingerprint().digest != int8.fingerprint().digest


# Parameters


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "judge nli: one of model .* and hub .* must be given, got neither"),
        ({"model": "a", "hub": "b/c"}, "got both"),
        ({"model": "a", "revision": "main"}, "revision must go with hub"),
        ({"model": "a", "sentences": 2, "overlap": 2}, "overlap must be below sentences"),
        ({"model": "a", "precision": "fp16"}, "precision"),
        ({"model": "a", "agregation": "strongest"}, "did you mean 'aggregation'"),
        ({"model": "a", "labels": ["yes", "no"]}, "labels"),
    ],
)
def test_parameters_that_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make(parameters, None)


def test_a_directory_is_taken_from_the_study(folder: Path) -> None:
    judge = load("nli", parameters={"model": folder.name}, folder=folder.parent)
    assert judged(judge, OPEN, OPEN).label == "supported"


def test_a_directory_that_is_not_there_costs_no_network(tmp_path: Path) -> None:
    with pytest.raises(JudgeUnavailable, match="no such model directory.*parameter hub"):
        make({"model": str(tmp_path / "cross-encoder" / "nli-small")}, None)


def test_five_classes(tmp_path: Path) -> None:
    names = {str(i): str(i) for i in range(5)}
    with pytest.raises(JudgeUnavailable, match="5 classes"):
        made(tiny_nli(tmp_path, outputs=("neutral",) * 5, id2label=names))


def test_it_is_described_without_being_made() -> None:
    found = describe("nli")
    assert found.description.startswith("Any NLI cross-encoder")
    assert "aggregation" in found.parameters
    assert found.lacks == ""
