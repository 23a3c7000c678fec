"""NLI models: which files they are, what their outputs mean, and how pairs are put to them."""

from __future__ import annotations

from voirdire.models.nli.files import ModelFiles, Precision, find_files, onnx_candidates
from voirdire.models.nli.hub import from_hub
from voirdire.models.nli.labels import LabelMap, from_config, from_names
from voirdire.models.nli.selftest import SelfTest, run_self_test
from voirdire.models.nli.session import UNFUSED, Encoded, NliSession, softmax

__all__ = [
    "UNFUSED",
    "Encoded",
    "LabelMap",
    "ModelFiles",
    "NliSession",
    "Precision",
    "SelfTest",
    "find_files",
    "from_config",
    "from_hub",
    "from_names",
    "onnx_candidates",
    "run_self_test",
    "softmax",
]
