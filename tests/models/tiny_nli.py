"""Tiny ONNX models that judge by rules a test can foresee, with real tokenizers beside them.

The graph counts which of the claim's content words stand in the premise. Enough of them, and it
says entailed; with a negation or a number on one side only, contradicted; else neutral.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.models.nli.selftest import TEXTS

CONTENTLESS = frozenset(["a", "an", "the", "is", "are", "of", "on", "in", "to", "and", "it"])
NEGATIONS = frozenset(["not", "no", "never", "cannot"])
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
MEANINGS = ("entailment", "neutral", "contradiction")


def words(texts: Sequence[str]) -> list[str]:
    return sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]", text.lower())})


def tiny_nli(
    folder: Path,
    *texts: str,
    outputs: Sequence[str] = ("contradiction", "entailment", "neutral"),
    id2label: dict[str, str] | None = None,
    inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids"),
    file: str = "model.onnx",
    limit: int = 64,
    claim_first: bool = False,
    nan_word: str = "",
    noise: float = 0.0,
    config: dict[str, Any] | None = None,
) -> Path:
    """A model directory; `texts` hold every word the model is to know."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = [*SPECIAL, *words([*TEXTS, *texts, *sorted(NEGATIONS), nan_word])]
    names = id2label or {str(i): name for i, name in enumerate(outputs)}
    body = {"id2label": names, "max_position_embeddings": limit, "pad_token_id": 0}
    (folder / "config.json").write_text(json.dumps({**body, **(config or {})}))
    _tokenizer(vocabulary).save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": 10**30, "unk_token": "[UNK]", "pad_token": "[PAD]"})
    )
    import onnx

    graph = _graph(vocabulary, outputs, inputs, claim_first, nan_word, noise)
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8
    )
    onnx.checker.check_model(model)
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(folder / file))
    return folder


def _tokenizer(vocabulary: list[str]) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    places = {word: i for i, word in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordLevel(places, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", places["[SEP]"]), ("[CLS]", places["[CLS]"])
    )
    # As hub files are: with truncation and padding switched on, which a session must undo.
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    return tokenizer


def _graph(
    vocabulary: list[str],
    outputs: Sequence[str],
    inputs: Sequence[str],
    claim_first: bool,
    nan_word: str,
    noise: float,
) -> Any:
    from onnx import TensorProto, helper, numpy_helper

    size = len(vocabulary)
    nodes: list[Any] = []
    constants: list[Any] = []

    def constant(name: str, value: Any) -> str:
        constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(kind: str, *of: str, **attributes: Any) -> str:
        name = f"{kind}_{len(nodes)}"
        nodes.append(helper.make_node(kind, list(of), [name], **attributes))
        return name

    f32 = np.float32
    one = constant("one", f32(1))
    axis1 = constant("axis1", np.array([1], dtype=np.int64))
    axis2 = constant("axis2", np.array([2], dtype=np.int64))
    hot = node(
        "OneHot", "input_ids", constant("depth", np.int64(size)), constant("on", f32([0, 1]))
    )
    mask = node("Cast", "attention_mask", to=TensorProto.FLOAT)
    if "token_type_ids" in inputs:
        second = node("Mul", node("Cast", "token_type_ids", to=TensorProto.FLOAT), mask)
    else:  # after the first separator
        separator = constant("separator", np.int64(vocabulary.index("[SEP]")))
        marks = node("Cast", node("Equal", "input_ids", separator), to=TensorProto.FLOAT)
        before = node("CumSum", marks, constant("along", np.int64(1)), exclusive=1)
        second = node("Mul", node("Min", before, one), mask)
    first = node("Sub", mask, second)
    bags = [
        node("ReduceMax", node("Mul", hot, node("Unsqueeze", side, axis2)), axes=[1], keepdims=0)
        for side in (first, second)
    ]
    premise, claim = bags[::-1] if claim_first else bags

    def share(name: str, chosen: Sequence[bool]) -> str:
        return constant(name, np.array(chosen, dtype=f32).reshape(size, 1))

    negative = share("negative", [word in NEGATIONS for word in vocabulary])
    numbers = share("numbers", [word.isdigit() for word in vocabulary])
    content = share(
        "content",
        [
            word not in CONTENTLESS | NEGATIONS | set(SPECIAL)
            and word.isalpha()
            and word != nan_word
            for word in vocabulary
        ],
    )
    both = node("Mul", premise, claim)
    known = node("MatMul", both, content)
    asked = node("Add", node("MatMul", claim, content), constant("tiny", f32(1e-6)))
    covered = node("Div", known, asked)
    negation = node("Abs", node("Sub", *(node("MatMul", bag, negative) for bag in bags)))
    wrong = node("MatMul", node("Sub", claim, both), numbers)
    denied = node("Min", node("Add", negation, wrong), one)
    about = node(
        "Mul", node("Sub", covered, constant("enough", f32(0.6))), constant("steep", f32(20))
    )
    if noise:
        length = node("ReduceSum", mask, axis1, keepdims=1)
        about = node("Add", about, node("Mul", length, constant("noise", f32(noise))))
    forty = constant("forty", f32(40))
    logits = {
        "entailment": node("Sub", about, node("Mul", denied, forty)),
        "contradiction": node("Sub", about, node("Mul", node("Sub", one, denied), forty)),
        "neutral": node("Mul", about, constant("zero", f32(0))),
    }
    if nan_word:
        chosen = share("nan_word", [word == nan_word for word in vocabulary])
        there = node("MatMul", claim, chosen)
        bad = node(
            "Where",
            node("Greater", there, constant("half", f32(0.5))),
            constant("nan", f32("nan")),
            constant("fine", f32(0)),
        )
        logits["neutral"] = node("Add", logits["neutral"], bad)
    nodes.append(
        helper.make_node(
            "Concat", [logits.get(n, logits["neutral"]) for n in outputs], ["logits"], axis=1
        )
    )
    return helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["b", "l"]) for n in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["b", len(outputs)])],
        constants,
    )
