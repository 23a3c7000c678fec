"""A session against models whose answers can be foreseen."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.tiny_nli import tiny_nli
from voirdire.errors import JudgeUnavailable
from voirdire.models.nli import (
    LabelMap,
    NliSession,
    find_files,
    from_config,
    run_self_test,
    softmax,
)
from voirdire.records import LABELS

PREMISE = "The red cat sleeps on 3 chairs."
TEXTS = (PREMISE, "A dog barks loudly at night.", "not 4 nan")
ORDER = LabelMap(("contradicted", "supported", "unverifiable"), ("c", "e", "n"))


def session(folder: Path, **settings: int) -> NliSession:
    return NliSession(find_files(folder), **settings)


def label(of: NliSession, premise: str, claim: str, labels: LabelMap = ORDER) -> str:
    return LABELS[int(of.probabilities(of.encode([(premise, claim)]), labels)[0].argmax())]


def test_it_reads_premise_and_claim(tmp_path: Path) -> None:
    model = session(tiny_nli(tmp_path, *TEXTS))
    assert label(model, PREMISE, "The cat sleeps.") == "supported"
    assert label(model, PREMISE, "The cat not sleeps.") == "contradicted"
    assert label(model, PREMISE, "The red cat sleeps on 4 chairs.") == "contradicted"
    assert label(model, PREMISE, "A dog barks.") == "unverifiable"


@pytest.mark.parametrize(
    "inputs",
    [
        ("input_ids", "attention_mask", "token_type_ids"),
        ("input_ids", "attention_mask"),
        ("attention_mask", "input_ids"),
    ],
)
def test_it_is_fed_what_it_asks_for(tmp_path: Path, inputs: tuple[str, ...]) -> None:
    model = session(tiny_nli(tmp_path, *TEXTS, inputs=inputs))
    assert label(model, PREMISE, "The cat sleeps.") == "supported"
    assert label(model, "The cat sleeps.", PREMISE) == "unverifiable"


def test_an_input_nobody_knows(tmp_path: Path) -> None:
    import onnx
    from onnx import helper

    folder = tiny_nli(tmp_path, *TEXTS)
    model = onnx.load(str(folder / "model.onnx"))
    extra = helper.make_tensor_value_info("pixel_values", onnx.TensorProto.FLOAT, ["b"])
    model.graph.input.append(extra)
    model.graph.output.append(
        helper.make_tensor_value_info("pixels", onnx.TensorProto.FLOAT, ["b"])
    )
    model.graph.node.append(helper.make_node("Identity", ["pixel_values"], ["pixels"]))
    onnx.save(model, str(folder / "model.onnx"))
    with pytest.raises(JudgeUnavailable, match="asks for the input 'pixel_values'"):
        session(folder)


def test_probabilities_are_a_float64_softmax(tmp_path: Path) -> None:
    model = session(tiny_nli(tmp_path, *TEXTS))
    encoded = model.encode([(PREMISE, "The cat sleeps."), (PREMISE, "A dog barks.")])
    logits = model.logits(encoded)
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    found = model.probabilities(encoded, ORDER)
    np.testing.assert_allclose(found[:, LABELS.index("supported")], expected[:, 1], rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)


def test_softmax_holds_at_the_edges() -> None:
    assert softmax(np.array([[1e4, 0, -1e4]])).tolist() == [[1, 0, 0]]
    np.testing.assert_allclose(softmax(np.array([[-1e30, -1e30]])), 0.5)
    for row in ([np.nan, 0], [np.inf, np.inf], [-np.inf, -np.inf]):
        assert np.isnan(softmax(np.array([row]))).any()


def test_a_two_state_model_contradicts_nothing(tmp_path: Path) -> None:
    names = {"0": "entailment", "1": "not_entailment"}
    folder = tiny_nli(tmp_path, *TEXTS, outputs=("entailment", "not"), id2label=names)
    model = session(folder)
    two = from_config({"id2label": names}, where="", outputs=model.outputs)
    assert isinstance(two, LabelMap)
    found = model.probabilities(model.encode([(PREMISE, "The cat not sleeps.")]), two)[0]
    assert found[LABELS.index("contradicted")] == 0
    assert found[LABELS.index("unverifiable")] > 0.9


def test_numbers_that_are_none_come_as_nan_rows(tmp_path: Path) -> None:
    model = session(tiny_nli(tmp_path, *TEXTS, nan_word="nan"))
    found = model.probabilities(
        model.encode([(PREMISE, "The cat sleeps."), (PREMISE, "nan cat")]), ORDER
    )
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_batches_of_like_length_give_each_pair_its_own_answer(tmp_path: Path, batch: int) -> None:
    """Order, padding and batch size change nothing; `noise` makes the answer hang on the length."""
    model = session(tiny_nli(tmp_path, *TEXTS, noise=0.01), batch=batch)
    rng = np.random.default_rng(0)
    words = PREMISE.split() + TEXTS[1].split()
    pairs = [
        (" ".join(rng.choice(words, rng.integers(1, 20))), "The cat sleeps.") for _ in range(30)
    ]
    together = model.logits(model.encode(pairs))
    alone = np.vstack([model.logits(model.encode([pair])) for pair in pairs])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    shuffled = rng.permutation(30)
    again = model.logits(model.encode([pairs[i] for i in shuffled]))
    np.testing.assert_allclose(again, together[shuffled], atol=1e-5)


def test_int8_goes_one_by_one_unless_told(tmp_path: Path) -> None:
    folder = tiny_nli(tmp_path, *TEXTS, file="model_quantized.onnx")
    assert session(folder).batch == 1
    assert session(folder, batch=8).batch == 8
    assert session(tiny_nli(tmp_path / "fp32", *TEXTS)).batch == 16


def test_the_premise_is_cut_and_never_the_claim(tmp_path: Path) -> None:
    model = session(tiny_nli(tmp_path, *TEXTS, limit=16))
    assert model.max_length == 16
    long = f"A dog barks. {'A dog barks loudly at night. ' * 9}{PREMISE}"
    claim = "The red cat sleeps."
    encoded = model.encode([(long, claim), (PREMISE, claim)])
    assert (encoded[0].kept, encoded[0].cut) == (16, True)
    assert encoded[0].total > 60
    assert encoded[0].ids[-6:] == encoded[1].ids[-6:]
    assert (encoded[1].kept, encoded[1].cut) == (encoded[1].total, False)
    assert model.room(claim) == 16 - 3 - 5
    with pytest.raises(ValueError, match="claim must leave room for a premise"):
        model.encode([(PREMISE, claim * 10)])


def test_the_limit_is_the_least_that_is_told(tmp_path: Path) -> None:
    folder = tiny_nli(tmp_path, *TEXTS, limit=40)
    assert session(folder).max_length == 40
    assert session(folder, max_length=20).max_length == 20
    with pytest.raises(JudgeUnavailable, match="max_length is 41, but the model reads 40"):
        session(folder, max_length=41)
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 32}')
    assert session(folder).max_length == 32
    roberta = tiny_nli(tmp_path / "r", *TEXTS, limit=34, config={"model_type": "xlm-roberta"})
    assert session(roberta).max_length == 32


def test_unknown_words_are_counted(tmp_path: Path) -> None:
    model = session(tiny_nli(tmp_path, *TEXTS))
    assert model.encode([("Il gatto dorme.", "The cat sleeps.")])[0].unknown == 3


@pytest.mark.parametrize("text", ["", " ", "\x00\ud800\u202e", "9" * 4000])
def test_hostile_texts_are_read(tmp_path: Path, text: str) -> None:
    model = session(tiny_nli(tmp_path, *TEXTS))
    assert np.isfinite(model.logits(model.encode([(text, "The cat.")]))).all()


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_none(tmp_path: Path, name: str) -> None:
    folder = tiny_nli(tmp_path, *TEXTS)
    (folder / name).write_bytes(b"no such thing")
    with pytest.raises(JudgeUnavailable, match=name) as caught:
        session(folder)
    assert "cannot" in str(caught.value)


def test_a_model_that_gives_no_row_for_each_pair(tmp_path: Path) -> None:
    import onnx
    from onnx import helper

    folder = tiny_nli(tmp_path, *TEXTS)
    model = onnx.load(str(folder / "model.onnx"))
    model.graph.node.append(helper.make_node("ReduceSum", ["logits"], ["total"], keepdims=0))
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("total", onnx.TensorProto.FLOAT, []))
    onnx.save(model, str(folder / "model.onnx"))
    with pytest.raises(JudgeUnavailable, match=r"shape \(\) for 1 pairs"):
        session(folder).outputs


def test_one_session_serves_two_threads(tmp_path: Path) -> None:
    model = session(tiny_nli(tmp_path, *TEXTS))
    long = "A dog barks loudly at night. " * 20
    given: list[list[int]] = []

    def work() -> None:
        for _ in range(50):
            given.append(model.encode([(long, "The cat sleeps.")])[0].ids)
            given.append(model.encode([(PREMISE, "The cat sleeps.")])[0].ids)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len({tuple(ids) for ids in given}) == 2


@pytest.mark.parametrize("batch", [None, 3])
def test_any_number_of_threads_gives_the_same_bytes(tmp_path: Path, batch: int | None) -> None:
    files = find_files(tiny_nli(tmp_path, *TEXTS))
    pairs = [(PREMISE * (1 + n % 5), f"The cat sleeps{' again' * (n % 4)}.") for n in range(40)]
    given = []
    for threads in (1, 2, 5):
        model = NliSession(files, threads=threads, batch=batch)
        given.append(model.logits(model.encode(pairs)).tobytes())
    assert len(set(given)) == 1
    assert not [one for one in threading.enumerate() if one.name.startswith("nli")]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
@pytest.mark.parametrize("threads", [1, 3])
def test_no_more_threads_than_were_set(tmp_path: Path, threads: int) -> None:
    """On two cores a model that takes every core for each of several calls is 7 times slower."""
    folder = tiny_nli(tmp_path, *TEXTS)

    def count() -> int:
        return len(list(Path("/proc/self/task").iterdir()))

    before = count()
    model = session(folder, threads=threads, batch=1)
    opened = count()
    options = model._session.get_session_options()
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)
    assert opened == before, "the session keeps a pool of its own"
    pairs = model.encode([(PREMISE, "The cat sleeps.")] * 60)
    run, seen = model._run, list[tuple[str, int]]()

    def watched(batch: Any) -> Any:
        seen.append((threading.current_thread().name, count()))
        return run(batch)

    model._run = watched  # type: ignore[method-assign]
    model.logits(pairs)
    assert max(number for _, number in seen) - before <= (0 if threads == 1 else threads)
    assert len({name for name, _ in seen}) <= threads
    left = [one.name for one in threading.enumerate() if one.name.startswith("nli")]
    assert not left, "none is left behind"


def test_a_batch_that_fails_fails_the_call_in_any_thread(tmp_path: Path) -> None:
    model = NliSession(find_files(tiny_nli(tmp_path, *TEXTS)), threads=2, batch=1)
    encoded = model.encode([(PREMISE, "The cat sleeps."), (PREMISE, "The cat is awake.")])
    encoded[1].ids[0] = 10**30
    with pytest.raises(OverflowError):
        model.logits(encoded)


# The self-test


@pytest.mark.parametrize(
    "outputs",
    [
        ("contradiction", "entailment", "neutral"),
        ("entailment", "neutral", "contradiction"),
        ("neutral", "contradiction", "entailment"),
    ],
)
def test_three_pairs_settle_the_outputs(tmp_path: Path, outputs: tuple[str, ...]) -> None:
    test = run_self_test(session(tiny_nli(tmp_path, outputs=outputs)))
    meaning = {
        "entailment": "supported",
        "contradiction": "contradicted",
        "neutral": "unverifiable",
    }
    assert test.outputs == tuple(meaning[name] for name in outputs)
    assert test.premise_first is True


def test_a_model_that_reads_the_claim_first_is_seen(tmp_path: Path) -> None:
    test = run_self_test(session(tiny_nli(tmp_path, claim_first=True)))
    assert test.outputs is not None
    assert test.premise_first is False


def test_a_model_that_knows_nothing_settles_nothing(tmp_path: Path) -> None:
    test = run_self_test(session(tiny_nli(tmp_path, outputs=("neutral", "neutral", "neutral"))))
    assert test.outputs is None
    assert "identity 0.33 0.33 0.33" in test.shown()
    nan = run_self_test(session(tiny_nli(tmp_path / "nan", nan_word="museum")))
    assert nan.outputs is None


def test_the_config_of_a_tiny_model_is_what_the_map_is_read_from(tmp_path: Path) -> None:
    folder = tiny_nli(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    assert from_config(config, where="", outputs=3) == LabelMap(
        ("contradicted", "supported", "unverifiable"), ("contradiction", "entailment", "neutral")
    )
