"""From a trained model to ONNX files: fp32, and int8 with weights rounded channel by channel."""

from __future__ import annotations

import logging
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final

__all__ = ["export_onnx", "forget_origin", "quantise"]

_OPSET: Final = 18


def export_onnx(model_dir: Path, out: Path, *, temperature: float = 1.0) -> Path:
    """Write ``model.onnx`` in fp32, with free batch size and length.

    Parameters
    ----------
    model_dir : Path
        From `train`: config.json and model.safetensors.
    out : Path
        Folder for the file.
    temperature : float
        The logits are divided by it, inside the file: the labels stay, the probabilities do not.

    Raises
    ------
    ValueError
        If the temperature is not above 0.
    """
    import torch
    from transformers import AutoModelForSequenceClassification

    if not temperature > 0:
        raise ValueError(f"temperature must be above 0, got {temperature!r}")
    model = AutoModelForSequenceClassification.from_pretrained(
        model_dir, attn_implementation="eager"
    ).eval()
    with torch.no_grad():
        model.classifier.weight /= temperature
        model.classifier.bias /= temperature
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    example = {name: torch.ones(2, 9, dtype=torch.long) for name in inputs}
    free = {0: torch.export.Dim("batch", min=1), 1: torch.export.Dim("length", min=2)}
    out.mkdir(parents=True, exist_ok=True)
    path = out / "model.onnx"
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    torch.onnx.export(
        _LogitsOnly(model),
        kwargs=example,
        f=str(path),
        input_names=list(inputs),
        output_names=["logits"],
        dynamic_shapes=dict.fromkeys(inputs, free),
        dynamo=True,
        external_data=False,
        opset_version=_OPSET,
        verbose=False,
    )
    forget_origin(path)
    return path


def forget_origin(path: Path) -> None:
    """Take the exporter's notes out of a model: they hold the paths of the machine it ran on."""
    import onnx

    model = onnx.load(str(path))
    for owner in (model, model.graph, *model.functions):
        del owner.metadata_props[:]
    graph = model.graph
    for group in (graph.node, graph.input, graph.output, graph.value_info, graph.initializer):
        for one in group:
            del one.metadata_props[:]
            one.doc_string = ""
    onnx.save(model, str(path))


def quantise(onnx: Path, out: Path) -> Path:
    """Write an int8 copy: weights per channel, activations measured at work.

    Raises
    ------
    ModuleNotFoundError
        Without the package onnx.
    """
    from onnxruntime.quantization import QuantType, quant_pre_process, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        shaped = Path(folder) / "shaped.onnx"
        try:
            quant_pre_process(str(onnx), str(shaped), skip_symbolic_shape=True)
        except Exception:  # what it does is a convenience: the file as it is will do
            shutil.copy(onnx, shaped)
        quantize_dynamic(
            str(shaped),
            str(out),
            per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True},
        )
    return out


def _LogitsOnly(model: Any) -> Any:  # noqa: N802 - made like a class, which torch must define
    import torch

    class LogitsOnly(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            return self.model(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).logits

    return LogitsOnly().eval()
