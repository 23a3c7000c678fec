"""The files of an NLI model: which a directory must hold and which ONNX file is taken."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from voirdire.errors import JudgeUnavailable

__all__ = ["ONNX_FILES", "ModelFiles", "Precision", "find_files", "onnx_candidates"]

Precision = Literal["auto", "fp32", "int8"]

ONNX_FILES: Final[dict[str, tuple[str, ...]]] = {
    "fp32": ("model.onnx",),
    "int8": (
        "model_quantized.onnx",
        "model_int8.onnx",
        "model_qint8_avx512_vnni.onnx",
        "model_qint8_avx512.onnx",
        "model_quint8_avx2.onnx",
        "model_qint8_arm64.onnx",
    ),
}
"""File names by precision, as model hubs use them; first those made for every processor."""

_FOLDERS: Final = ("", "onnx/")
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model found on disk.

    Attributes
    ----------
    folder : Path
    onnx : Path
        The file chosen.
    precision : {"fp32", "int8"}
        By its name.
    config : dict
        ``config.json``.
    tokenizer : Path
        ``tokenizer.json``.
    tokenizer_config : dict
        ``tokenizer_config.json``; empty if there is none.
    name : str
        What it is called in messages and fingerprint.
    revision : str or None
        The hub's commit, where it came from one.
    trained_on : dict
        Claim sets it was trained on, as ``training.json`` names them; empty if it does not.
    """

    folder: Path
    onnx: Path
    precision: Literal["fp32", "int8"]
    config: dict[str, Any]
    tokenizer: Path
    tokenizer_config: dict[str, Any]
    name: str
    revision: str | None = None
    trained_on: dict[str, Any] = field(default_factory=dict)

    def weights_sha256(self) -> str:
        """SHA-256 (hex) of the ONNX file and of the data file beside it, if it has one."""
        beside = [self.onnx.with_name(self.onnx.name + ending) for ending in ("_data", ".data")]
        return _digest([self.onnx, *(path for path in beside if path.is_file())])

    def tokenizer_sha256(self) -> str:
        """SHA-256 (hex) of ``tokenizer.json``."""
        return _digest([self.tokenizer])


def find_files(
    folder: Path, *, precision: Precision = "auto", name: str = "", revision: str | None = None
) -> ModelFiles:
    """The files of a model directory.

    ``auto`` takes fp32 if it is there, else int8: another precision is another judge, so it is
    never taken silently where one was asked for.

    Raises
    ------
    JudgeUnavailable
        If the directory or one of its files is missing or cannot be read as what it should be.
    """
    if not folder.is_dir():
        raise JudgeUnavailable(
            "no such model directory",
            where=str(folder),
            todo="name a directory with config.json, tokenizer.json and an ONNX file; "
            "a name on the model hub goes into the parameter hub",
        )
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        raise _missing(
            folder,
            "tokenizer.json",
            "save the fast tokenizer there: AutoTokenizer.from_pretrained(…).save_pretrained(…)",
        )
    config = _read_json(folder / "config.json")
    onnx, found = _onnx(folder, precision)
    beside = folder / "tokenizer_config.json"
    return ModelFiles(
        folder=folder,
        onnx=onnx,
        precision=found,
        config=config,
        tokenizer=tokenizer,
        tokenizer_config=_read_json(beside) if beside.is_file() else {},
        name=name or folder.resolve().name,
        revision=revision,
        trained_on=_trained_on(folder / "training.json"),
    )


def onnx_candidates(precision: Precision) -> list[str]:
    """Relative paths that would do, best first; the processor decides among the int8 files."""
    if precision == "auto":
        return [*onnx_candidates("fp32"), *onnx_candidates("int8")]
    names: Iterable[str] = ONNX_FILES[precision]
    if precision == "int8":
        names = sorted(names, key=_unfit)
    return [f"{folder}{name}" for name in names for folder in _FOLDERS]


def _unfit(name: str) -> int:
    """0 for files that fit this processor, 1 for those made for another; sorting is stable."""
    arm = platform.machine().lower() in {"arm64", "aarch64"}
    return int(("avx" in name) if arm else ("arm" in name))


def _onnx(folder: Path, precision: Precision) -> tuple[Path, Literal["fp32", "int8"]]:
    for path in onnx_candidates(precision):
        if (folder / path).is_file():
            fp32 = Path(path).name in ONNX_FILES["fp32"]
            return folder / path, "fp32" if fp32 else "int8"
    others = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.onnx"))
    wanted = "ONNX file" if precision == "auto" else f"ONNX file of precision {precision}"
    raise JudgeUnavailable(
        f"the model directory has no {wanted}; it holds {', '.join(others) or 'none'}",
        where=str(folder),
        allowed=f"{_named(precision)}, in the directory or in onnx/",
        todo="export the model: 'voirdire train-nli' writes both, "
        "so does 'optimum-cli export onnx'",
    )


def _named(precision: Precision) -> str:
    kinds = ("fp32", "int8") if precision == "auto" else (precision,)
    return ", ".join(dict.fromkeys(name for kind in kinds for name in ONNX_FILES[kind]))


def _missing(folder: Path, name: str, todo: str) -> JudgeUnavailable:
    return JudgeUnavailable(f"the model directory has no {name}", where=str(folder), todo=todo)


def _read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise _missing(path.parent, path.name, "copy it from where the model came from")
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise JudgeUnavailable(f"cannot be read as JSON: {error}", where=str(path)) from error
    if not isinstance(value, dict):
        raise JudgeUnavailable("holds no JSON object", where=str(path))
    return value


def _trained_on(path: Path) -> dict[str, Any]:
    found = _read_json(path).get("trained_on") if path.is_file() else None
    return found if isinstance(found, dict) else {}


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as handle:
            while block := handle.read(_CHUNK):
                digest.update(block)
    return digest.hexdigest()
