"""An exported model says nothing of the machine it was exported on."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from voirdire.models.nli_mini import model_folder
from voirdire.models.training.export import forget_origin


def test_notes_with_paths_are_taken_out(tmp_path: Path) -> None:
    node = helper.make_node("Identity", ["x"], ["y"], doc_string="File /somewhere/export.py")
    node.metadata_props.add(key="stack", value="File /somewhere/export.py, line 1")
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["b"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["b"])],
    )
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph), str(path))
    assert b"/somewhere/" in path.read_bytes()
    forget_origin(path)
    assert b"/somewhere/" not in path.read_bytes()
    onnx.checker.check_model(onnx.load(str(path)))


@pytest.mark.parametrize("trace", [b"site-packages", b"/home/", b"export.py"])
def test_the_shipped_model_names_no_machine(trace: bytes) -> None:
    assert trace not in (model_folder() / "model_quantized.onnx").read_bytes()
