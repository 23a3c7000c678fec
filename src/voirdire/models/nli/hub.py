"""Models by their name on the hub: from its cache on disk first, from the network if need be.

Only data files are fetched: config.json, tokenizer files and one ONNX file. No code is loaded
from the hub and nothing is unpickled. A directory never comes here, so it costs no network.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from voirdire.errors import JudgeUnavailable
from voirdire.models.nli.files import ModelFiles, Precision, find_files, onnx_candidates

__all__ = ["from_hub"]

_NAME: Final = re.compile(r"^\w[\w.-]*(/\w[\w.-]*)?$", re.ASCII)
_SMALL_FILES: Final = ("config.json", "tokenizer.json", "tokenizer_config.json")
_ANSWER_WITHIN: Final = 10.0


def from_hub(
    name: str, *, revision: str | None = None, precision: Precision = "auto"
) -> ModelFiles:
    """Files of a model on the hub.

    Parameters
    ----------
    name : str
        ``owner/model``.
    revision : str or None
        Commit, tag or branch; None: the main branch. A study should name a commit.
    precision : {"auto", "fp32", "int8"}

    Raises
    ------
    JudgeUnavailable
        Without the package huggingface-hub; if the name is none; if the model is neither in the
        cache nor to be had.
    """
    if not _NAME.match(name):
        raise JudgeUnavailable(
            f"{name!r} is no name on the model hub",
            allowed="owner/model",
            todo="a directory goes into the parameter model",
        )
    if find_spec("huggingface_hub") is None:
        raise JudgeUnavailable(
            f"the model {name!r} is to come from the hub, but the package huggingface-hub is "
            "not installed",
            todo="run: python -m pip install 'voirdire[hub]'",
        )
    folder = _cached(name, revision)
    try:
        if folder is not None:
            return _found(folder, name, precision)
        reason = "it is not in the cache"
    except JudgeUnavailable as error:  # the cache may hold another precision only
        reason = str(error)
    if _offline():
        raise _absent(name, revision, f"{reason.rstrip('.')}, and HF_HUB_OFFLINE is set")
    return _downloaded(name, revision, precision)


def _cached(name: str, revision: str | None) -> Path | None:
    """The folder of the snapshot in the cache; no network is touched."""
    from huggingface_hub import try_to_load_from_cache

    try:
        found = try_to_load_from_cache(name, "config.json", revision=revision)
    except ValueError as error:  # the hub's own rules for names are stricter
        raise _absent(name, revision, str(error)) from error
    return Path(found).parent if isinstance(found, str) else None


def _downloaded(name: str, revision: str | None, precision: Precision) -> ModelFiles:
    from huggingface_hub import HfApi, hf_hub_download

    try:
        info = HfApi().model_info(name, revision=revision, timeout=_ANSWER_WITHIN)
        listed = {file.rfilename for file in info.siblings or ()}
        chosen = next((path for path in onnx_candidates(precision) if path in listed), None)
        if chosen is None:
            raise JudgeUnavailable(
                f"the model {name!r} has no ONNX file of precision {precision}",
                where="model hub",
                allowed=", ".join(onnx_candidates(precision)),
                todo="export it once with 'optimum-cli export onnx' and name the directory",
            )
        wanted = [*_SMALL_FILES, chosen, f"{chosen}_data", f"{chosen}.data"]
        paths = [
            hf_hub_download(name, path, revision=revision, etag_timeout=_ANSWER_WITHIN)
            for path in wanted
            if path in listed
        ]
    except JudgeUnavailable:
        raise
    except Exception as error:  # its errors are those of its HTTP client, which has changed
        why = str(error).strip().partition("\n")[0]
        raise _absent(name, revision, f"{type(error).__name__}: {why}") from error
    return _found(Path(paths[0]).parent, name, precision)


def _found(folder: Path, name: str, precision: Precision) -> ModelFiles:
    return find_files(folder, precision=precision, name=name, revision=folder.name)


def _absent(name: str, revision: str | None, why: str) -> JudgeUnavailable:
    at = f" --revision {revision}" if revision else ""
    return JudgeUnavailable(
        f"the model {name!r} is not to be had: {why.rstrip('.')}",
        where="model hub",
        todo=f"with network, run: hf download {name}{at}; or name a directory with the "
        "parameter model",
    )


def _offline() -> bool:
    from huggingface_hub import constants

    return bool(constants.HF_HUB_OFFLINE)
