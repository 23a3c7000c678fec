"""Which files a model directory must hold and which ONNX file is taken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models.fake_hub import FakeHub
from tests.models.tiny_nli import tiny_nli
from voirdire.errors import JudgeUnavailable
from voirdire.models.nli import find_files, onnx_candidates


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return tiny_nli(tmp_path / "model", "A cat sleeps.")


def test_fp32_before_int8_and_each_where_asked(model: Path) -> None:
    (model / "onnx").mkdir()
    (model / "onnx" / "model_qint8_avx512_vnni.onnx").write_bytes(b"int8")
    assert find_files(model).precision == "fp32"
    assert find_files(model, precision="int8").onnx.name == "model_qint8_avx512_vnni.onnx"
    (model / "model_quantized.onnx").write_bytes(b"int8 for all")
    assert find_files(model, precision="int8").onnx.name == "model_quantized.onnx"
    (model / "model.onnx").unlink()
    assert find_files(model).precision == "int8"


def test_a_precision_asked_for_is_never_replaced(model: Path) -> None:
    with pytest.raises(JudgeUnavailable, match="no ONNX file of precision int8") as caught:
        find_files(model, precision="int8")
    assert "it holds model.onnx" in str(caught.value)
    assert "model_quantized.onnx" in str(caught.value)


def test_int8_files_of_another_processor_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    names = onnx_candidates("int8")
    assert names.index("onnx/model_qint8_avx512.onnx") < names.index("onnx/model_qint8_arm64.onnx")
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    names = onnx_candidates("int8")
    assert names.index("onnx/model_qint8_arm64.onnx") < names.index("onnx/model_qint8_avx512.onnx")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.onnx"])
def test_a_missing_file_is_named(model: Path, name: str) -> None:
    (model / name).unlink()
    with pytest.raises(JudgeUnavailable) as caught:
        find_files(model)
    message = str(caught.value)
    assert str(model) in message
    assert (name if name != "model.onnx" else "ONNX file; it holds none") in message


def test_no_directory_at_all(tmp_path: Path) -> None:
    with pytest.raises(JudgeUnavailable, match="no such model directory.*hub"):
        find_files(tmp_path / "cross-encoder" / "nli-small")


@pytest.mark.parametrize("text", ["{", "[]", "\xff"])
def test_a_config_that_is_none(model: Path, text: str) -> None:
    (model / "config.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(JudgeUnavailable, match=r"config\.json"):
        find_files(model)


def test_hashes_follow_contents_and_take_the_data_beside(model: Path) -> None:
    first = find_files(model)
    weights, tokenizer = first.weights_sha256(), first.tokenizer_sha256()
    (model / "model.onnx_data").write_bytes(b"more weights")
    assert find_files(model).weights_sha256() != weights
    (model / "model.onnx_data").unlink()
    assert find_files(model).weights_sha256() == weights
    text = (model / "tokenizer.json").read_text()
    (model / "tokenizer.json").write_text(text + "\n")
    assert find_files(model).tokenizer_sha256() != tokenizer


# The hub: its client reads the environment when it is imported, so each case is a process.

ASK = """
import json, sys, time
from voirdire.errors import JudgeUnavailable
from voirdire.models.nli import from_hub
started = time.time()
try:
    files = from_hub(sys.argv[1], revision=sys.argv[2] or None, precision=sys.argv[3])
    print(json.dumps([files.name, files.revision, files.onnx.name, str(files.folder)]))
except JudgeUnavailable as error:
    print(json.dumps(str(error)))
assert time.time() - started < 20
"""


def asked(
    name: str, *, home: Path, revision: str = "", precision: str = "auto", **env: str
) -> object:
    given = {**os.environ, "HF_HOME": str(home), **env}
    given.pop("HF_HUB_CACHE", None)
    done = subprocess.run(
        [sys.executable, "-c", ASK, name, revision, precision],
        capture_output=True,
        text=True,
        env=given,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


COMMIT = "0123456789abcdef0123456789abcdef01234567"


def cached(home: Path, model: Path, name: str = "maker/nli-tiny") -> None:
    """The hub client's own cache layout, made by hand."""
    repo = home / "hub" / f"models--{name.replace('/', '--')}"
    (repo / "refs").mkdir(parents=True)
    (repo / "refs" / "main").write_text(COMMIT)
    (repo / "snapshots").mkdir()
    model.rename(repo / "snapshots" / COMMIT)


def test_from_the_cache_without_a_network(tmp_path: Path, model: Path) -> None:
    pytest.importorskip("huggingface_hub")
    cached(tmp_path / "home", model)
    for env in ({"HF_HUB_OFFLINE": "1"}, {"HF_ENDPOINT": "http://127.0.0.1:9"}):
        name, revision, onnx, folder = asked("maker/nli-tiny", home=tmp_path / "home", **env)
        assert (name, revision, onnx) == ("maker/nli-tiny", COMMIT, "model.onnx")
        assert COMMIT in folder
    found = asked("maker/nli-tiny", home=tmp_path / "home", revision=COMMIT, HF_HUB_OFFLINE="1")
    assert found[1] == COMMIT


def test_not_in_the_cache_and_offline(tmp_path: Path, model: Path) -> None:
    pytest.importorskip("huggingface_hub")
    message = asked("maker/other", home=tmp_path / "home", HF_HUB_OFFLINE="1")
    assert "'maker/other' is not to be had" in message
    assert "HF_HUB_OFFLINE is set" in message
    assert "hf download maker/other" in message
    cached(tmp_path / "home", model)
    message = asked("maker/nli-tiny", home=tmp_path / "home", precision="int8", HF_HUB_OFFLINE="1")
    assert "int8" in message


def test_no_network_is_told_soon(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    message = asked("maker/other", home=tmp_path / "home", HF_ENDPOINT="http://127.0.0.1:9")
    assert "'maker/other' is not to be had" in message
    assert "hf download maker/other" in message


@pytest.mark.parametrize("name", ["a b", "../up", "one/two/three", ""])
def test_no_name(tmp_path: Path, name: str) -> None:
    message = asked(name, home=tmp_path / "home", HF_HUB_OFFLINE="1")
    assert "is no name on the model hub" in message or "not to be had" in message


def test_downloaded_once_then_from_the_cache(tmp_path: Path, model: Path) -> None:
    """A server that speaks the hub's protocol; only the files needed are fetched."""
    pytest.importorskip("huggingface_hub")
    (model / "model_quantized.onnx").write_bytes(b"int8")
    (model / "pytorch_model.bin").write_bytes(b"never")
    (model / "modeling.py").write_text("raise SystemExit")
    home = tmp_path / "home"
    with FakeHub("maker/nli-tiny", model, commit=COMMIT) as hub:
        found = asked("maker/nli-tiny", home=home, HF_ENDPOINT=hub.url, HF_HUB_DISABLE_XET="1")
        assert found[:3] == ["maker/nli-tiny", COMMIT, "model.onnx"]
        assert hub.fetched == {
            "config.json",
            "tokenizer.json",
            "tokenizer_config.json",
            "model.onnx",
        }
        before = len(hub.asked)
        asked("maker/nli-tiny", home=home, HF_ENDPOINT=hub.url)
        assert len(hub.asked) == before
        missing = asked("maker/absent", home=home, HF_ENDPOINT=hub.url)
        assert "'maker/absent' is not to be had" in missing
    again = asked("maker/nli-tiny", home=home, HF_HUB_OFFLINE="1")
    assert again == found
