"""Weights back out of an int8 ONNX file, so that a shipped model can be trained further.

What rounding took is gone: the weights are those the int8 file works with. Needs the extra
``train``.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError

__all__ = ["unpacked"]

Array = npt.NDArray[Any]
_QUANTISED: Final = "_quantized"
_PREFIX: Final = "model."
_TOKENIZER: Final = ("tokenizer.json", "tokenizer_config.json")


def unpacked(onnx_file: Path, out: Path) -> Path:
    """Write config.json, model.safetensors and tokenizer of an int8 model to a folder.

    Parameters
    ----------
    onnx_file : Path
        As `quantise` writes it, with config.json and tokenizer.json beside it.
    out : Path
        Made if it is not there.

    Returns
    -------
    Path
        `out`, a base for `train`.

    Raises
    ------
    InputError
        If the file holds other weights than its config asks for.
    """
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification

    source = onnx_file.parent
    model = AutoModelForSequenceClassification.from_config(AutoConfig.from_pretrained(source))
    weights = _weights(onnx_file)
    state = model.state_dict()
    wanted = {name for name in state if not name.endswith("position_ids")}
    odd = sorted(
        name
        for name in wanted
        if name not in weights or weights[name].shape != tuple(state[name].shape)
    )
    if odd:
        raise InputError(
            f"{len(odd)} weights of the model cannot be read, first {odd[0]}",
            where=str(onnx_file),
            todo="start from a directory with model.safetensors instead",
        )
    model.load_state_dict(
        {name: torch.from_numpy(weights[name].copy()) for name in wanted},
        strict=False,
    )
    out.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(out)
    for name in _TOKENIZER:
        shutil.copy(source / name, out / name)
    return out


def _weights(onnx_file: Path) -> dict[str, Array]:
    """Weights by the names torch gave them before the export."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(onnx_file)).graph
    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    found: dict[str, Array] = {}
    for name, value in stored.items():
        if name.endswith(_QUANTISED):
            plain = _dequantised(stored, name.removesuffix(_QUANTISED))
            found[_owner(graph.node, name, stored) or name.removesuffix(_QUANTISED)] = plain
        elif value.dtype == np.float32:
            found[name] = value
    return {
        name.removeprefix(_PREFIX): value.T if name in _turned(found) else value
        for name, value in found.items()
    }


def _turned(found: dict[str, Array]) -> set[str]:
    """Names of matrices that stand transposed: those whose bias says so."""
    return {
        name
        for name in found
        if name.endswith(".weight") and name[:-7] + ".bias" in found and found[name].ndim == 2
    }


def _dequantised(stored: dict[str, Array], name: str) -> Array:
    scale, zero = stored[f"{name}_scale"], stored[f"{name}_zero_point"]
    whole = stored[name + _QUANTISED].astype(np.float32) - zero.astype(np.float32)
    return (whole * scale).astype(np.float32)


def _owner(nodes: Any, name: str, stored: dict[str, Array]) -> str | None:
    """The name of a matrix, by the bias that is added to its product; None where none is."""
    outputs = {name}
    multiplied = False
    for node in nodes:
        if not outputs & set(node.input):
            continue
        multiplied = multiplied or node.op_type == "MatMulInteger"
        if not multiplied:
            return None
        biases = [one for one in node.input if one in stored and one.endswith(".bias")]
        if node.op_type == "Add" and biases:
            return str(biases[0]).removesuffix(".bias") + ".weight"
        if node.op_type in {"MatMulInteger", "Cast", "Mul"}:
            outputs.update(node.output)
    return None
