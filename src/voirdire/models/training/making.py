"""From training pairs to a model directory that the judge ``nli`` loads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from voirdire.errors import JudgeUnavailable, UsageError
from voirdire.models.nli_mini import model_folder
from voirdire.models.training.calibration import fitted_temperature, mean_log_loss
from voirdire.models.training.export import export_onnx, quantise
from voirdire.models.training.fine_tuning import TrainingSettings, label_order, logits_of, train
from voirdire.models.training.pairs import Pair
from voirdire.models.training.unpacking import unpacked

__all__ = ["Calibration", "base_folder", "check_ready", "finish", "make_model"]

_FEW: Final = 100
_PACKAGES: Final = ("torch", "transformers", "onnx", "onnxscript")


@dataclass(frozen=True, slots=True)
class Calibration:
    """The temperature folded into the ONNX files, and what it did to held-out pairs.

    Attributes
    ----------
    temperature : float
        1 where there were too few pairs to fit one.
    pairs : int
        It was fitted on.
    log_loss_before, log_loss_after : float or None
        Mean, in nats.
    """

    temperature: float
    pairs: int
    log_loss_before: float | None = None
    log_loss_after: float | None = None


def check_ready(out: Path) -> None:
    """See to it that a training can begin, before anything is read.

    Raises
    ------
    JudgeUnavailable
        If a package of the extra ``train`` is missing.
    UsageError
        If `out` holds a finished model already.
    """
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise JudgeUnavailable(
            f"training needs the package {missing[0]}",
            todo="run: python -m pip install 'voirdire[train]'",
        )
    if (out / "model.onnx").exists():
        raise UsageError(
            "the folder holds a model already", where=str(out), todo="name a new folder"
        )


def base_folder(given: Path | None, scratch: Path) -> Path:
    """The model to start from; None: the shipped one, its weights taken out of the ONNX file
    into the folder `scratch`.

    Raises
    ------
    UsageError
        If the folder lacks a file.
    """
    if given is None:
        return unpacked(model_folder() / "model_quantized.onnx", scratch)
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        if not (given / name).is_file():
            raise UsageError(
                f"the base has no {name}",
                where=str(given),
                todo="name a folder that save_pretrained of transformers has written",
            )
    return given


def make_model(
    learn: Sequence[Pair],
    calibrate: Sequence[Pair],
    *,
    base: Path,
    out: Path,
    settings: TrainingSettings,
    tell: Callable[[str], None] = lambda line: None,
    checkpoint_every: int = 0,
    trained_on: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Train, fit the temperature, export to ONNX in fp32 and int8.

    Parameters
    ----------
    learn, calibrate : sequence of Pair
        No family in both. With fewer than 100 pairs in the second, the temperature stays 1.
    base, out, settings, tell, checkpoint_every
        As `train` takes them.
    trained_on : mapping or None
        Claim set, its digest and the split, for whoever examines the model on that set.

    Returns
    -------
    dict
        What ``training.json`` in `out` says.
    """
    report = train(
        learn,
        base=base,
        out=out,
        settings=settings,
        tell=tell,
        checkpoint_every=checkpoint_every,
    )
    tell("exporting to ONNX, in fp32 and in int8")
    told = {**asdict(report), "trained_on": dict(trained_on or {})}
    return finish(out, calibrate, report=told, max_length=settings.max_length)


def finish(
    out: Path, calibrate: Sequence[Pair], *, report: dict[str, Any], max_length: int
) -> dict[str, Any]:
    """Calibrate and export what `train` left in `out`; write ``training.json``."""
    calibration = _calibration(out, calibrate, max_length)
    fp32 = export_onnx(out, out, temperature=calibration.temperature)
    quantise(fp32, out / "model_quantized.onnx")
    _set_limit(out / "tokenizer_config.json", max_length)
    told = {
        **report,
        "calibration": asdict(calibration),
        "packages": {name: version(name) for name in (*_PACKAGES, "onnxruntime", "tokenizers")},
    }
    text = json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False)
    (out / "training.json").write_text(text + "\n", encoding="utf-8")
    return told


def _calibration(out: Path, calibrate: Sequence[Pair], max_length: int) -> Calibration:
    if len(calibrate) < _FEW:
        return Calibration(1.0, len(calibrate))
    logits = logits_of(calibrate, model_dir=out, max_length=max_length)
    order = label_order(out) or {}
    targets = np.array([order[pair.label] for pair in calibrate])
    fitted = fitted_temperature(logits, targets)
    return Calibration(
        fitted,
        len(calibrate),
        mean_log_loss(logits, targets, temperature=1.0),
        mean_log_loss(logits, targets, temperature=fitted),
    )


def _set_limit(path: Path, max_length: int) -> None:
    """What it was trained on is what it should be given."""
    config = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    config["model_max_length"] = max_length
    path.write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
