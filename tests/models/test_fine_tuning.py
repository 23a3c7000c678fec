"""Training for real, on a toy model: needs torch, and says so loudly where it is absent."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.tiny_nli import SPECIAL, words
from voirdire.errors import UsageError
from voirdire.models.nli import NliSession, find_files, from_config
from voirdire.models.training import Pair, TrainingSettings
from voirdire.store import json_digest

for package in ("torch", "transformers", "onnx", "onnxscript"):
    pytest.importorskip(
        package, reason=f"TRAINING NOT TESTED: {package} is absent, install voirdire[train]"
    )

RUN = "from voirdire.cli.main import main; main()"
COLOURS = ["red", "green", "blue", "black"]


def pairs(n: int, *, seed: int = 0) -> list[Pair]:
    """Learnable at a glance: said again, denied, or not told."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(n):
        one = rng.choice(COLOURS)
        context = f"the car is {one}"
        claim, label = [
            (f"the car is {one}", "supported"),
            (f"the car is not {one}", "contradicted"),
            ("the car is fast", "unverifiable"),
        ][i % 3]
        made.append(Pair(context, claim, label, "toy", f"family {i}"))  # type: ignore[arg-type]
    return made


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from transformers import BertConfig, BertModel

    from tests.models.tiny_nli import _tokenizer

    folder = tmp_path_factory.mktemp("base")
    vocabulary = [*SPECIAL, *words(["the car is fast not it true that", " ".join(COLOURS)])]
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    _tokenizer(vocabulary).save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text('{"unk_token": "[UNK]", "pad_token": "[PAD]"}')
    return folder


SETTINGS = TrainingSettings(epochs=25, tokens_per_batch=400, learning_rate=2e-3, max_length=32)


@pytest.fixture(scope="module")
def made(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    from voirdire.models.training.making import make_model

    out = tmp_path_factory.mktemp("out") / "model"
    told = make_model(
        pairs(240), pairs(120, seed=1), base=base, out=out, settings=SETTINGS,
        trained_on={"set": "toy", "digest": "0", "split": "dev"},
    )  # fmt: skip
    return out, told


def accuracy(folder: Path, precision: Any) -> float:
    session = NliSession(find_files(folder, precision=precision))
    labels = from_config(session.files.config, where="", outputs=session.outputs)
    test = pairs(60, seed=9)
    assert not isinstance(labels, tuple)
    logits = session.logits(session.encode([(one.context, one.claim) for one in test]))
    right = [labels.outputs[i] == one.label for i, one in zip(logits.argmax(1), test, strict=True)]
    return float(np.mean(right))


def test_a_model_is_trained_exported_and_loaded(made: tuple[Path, dict[str, Any]]) -> None:
    out, told = made
    for precision in ("fp32", "int8"):
        assert accuracy(out, precision) > 0.9
    assert told["pairs"] == 240
    assert told["steps"] > 30
    assert told["trained_on"]["split"] == "dev"
    assert find_files(out).trained_on == {"set": "toy", "digest": "0", "split": "dev"}
    assert NliSession(find_files(out)).max_length == 32
    assert not (out / "trainer.pt").exists()
    assert json.loads((out / "training.json").read_text()) == told


def test_the_temperature_is_folded_into_the_files(made: tuple[Path, dict[str, Any]]) -> None:
    from voirdire.models.training.fine_tuning import logits_of

    out, told = made
    calibration = told["calibration"]
    assert calibration["pairs"] == 120
    assert calibration["log_loss_after"] <= calibration["log_loss_before"]
    test = pairs(30, seed=2)
    session = NliSession(find_files(out, precision="fp32"))
    ours = session.logits(session.encode([(one.context, one.claim) for one in test]))
    torch_logits = logits_of(test, model_dir=out, max_length=32)
    np.testing.assert_allclose(ours * calibration["temperature"], torch_logits, atol=1e-4)


def test_an_int8_file_gives_its_weights_back(
    made: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    from safetensors.numpy import load_file

    from voirdire.models.training.unpacking import unpacked

    out, told = made
    folder = unpacked(out / "model_quantized.onnx", tmp_path / "again")
    before, after = (load_file(str(f / "model.safetensors")) for f in (out, folder))
    assert set(before) == set(after)
    for name, value in before.items():
        scale = told["calibration"]["temperature"] if name.startswith("classifier") else 1.0
        step = np.abs(value).max() / 127
        assert np.abs(value / scale - after[name]).max() <= step / scale + 1e-6, name


def test_a_checkpoint_is_taken_up_where_it_was_left(base: Path, tmp_path: Path) -> None:
    from voirdire.models.training import train

    settings = TrainingSettings(epochs=2, tokens_per_batch=100, max_length=32, dropout=0.0)

    class Stop(Exception):
        pass

    lines: list[str] = []

    def stop_at_50(line: str) -> None:
        lines.append(line)
        if line.startswith("step 50/"):
            raise Stop

    whole = train(pairs(300), base=base, out=tmp_path / "whole", settings=settings)
    arguments: dict[str, Any] = {"base": base, "out": tmp_path / "cut", "settings": settings}
    with pytest.raises(Stop):
        train(pairs(300), **arguments, tell=stop_at_50, checkpoint_every=40)
    assert (tmp_path / "cut" / "trainer.pt").exists()
    train(pairs(300), **arguments, tell=lines.append)
    assert lines[-2].endswith("from step 40") or any("from step 40" in line for line in lines)
    from safetensors.numpy import load_file

    one, two = (load_file(str(tmp_path / n / "model.safetensors")) for n in ("whole", "cut"))
    assert whole.steps > 50
    for name in one:
        np.testing.assert_allclose(one[name], two[name], atol=1e-5, err_msg=name)


def test_the_base_must_be_whole_and_the_folder_new(base: Path, tmp_path: Path) -> None:
    from voirdire.models.training.making import base_folder, check_ready

    assert base_folder(base, tmp_path) == base
    with pytest.raises(UsageError, match=r"the base has no config\.json"):
        base_folder(tmp_path, tmp_path)
    check_ready(tmp_path)
    (tmp_path / "model.onnx").touch()
    with pytest.raises(UsageError, match="holds a model already"):
        check_ready(tmp_path)


def test_the_verb_trains_on_the_dev_split_only(base: Path, tmp_path: Path) -> None:
    folder = tmp_path / "labels" / "cars"
    folder.mkdir(parents=True)
    rows, labels, families = [], [], {}
    for i, one in enumerate(pairs(90)):
        split = "dev" if i % 2 else "test"
        claim = one.claim if split == "dev" else one.claim + " fast fast"
        rows.append({"id": f"c{i}", "family": one.family, "variant": "original", "claim": claim,
                     "context": [one.context], "language": "en"})  # fmt: skip
        labels.append({"id": f"l{i}", "claim_id": f"c{i}", "annotator": "a1", "label": one.label})
        families[one.family] = split
    for name, lines in (("claims", rows), ("labels", labels)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text)
    splits = {"seed": 0, "shares": {"dev": 0.5, "test": 0.5}, "families": families}
    (folder / "splits.json").write_text(
        json.dumps({"schema": "voirdire/splits", "schema_version": "1.0", **splits})
    )
    out = tmp_path / "model"
    done = subprocess.run(
        [sys.executable, "-c", RUN, "train-nli", str(folder), "--out", str(out),
         "--base", str(base), "--epochs", "2", "--no-rules", "--json", "--max-length", "32"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["pairs"] + told["calibration"]["pairs"] == 45
    assert told["trained_on"]["set"] == "cars"
    of_dev = sorted(name for name, split in families.items() if split == "dev")
    assert told["trained_on"]["families_sha256"] == json_digest(of_dev)
    assert find_files(out).precision == "fp32"
    again = subprocess.run(
        [sys.executable, "-c", RUN, "train-nli", str(folder), "--out", str(out)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert again.returncode == 2
    assert "holds a model already" in again.stderr
