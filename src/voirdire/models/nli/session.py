"""An NLI model at work: pairs of text in, probabilities of the three labels out.

Needs onnxruntime and tokenizers, which are imported when a model is opened. Pairs are sorted by
length and worked off in batches, since most of what a model does with a mixed batch is padding.
The softmax is taken here, in float64: what an ONNX file gives are logits.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from voirdire.errors import JudgeUnavailable
from voirdire.models.nli.files import ModelFiles
from voirdire.models.nli.labels import LabelMap
from voirdire.records import LABELS

__all__ = ["UNFUSED", "Encoded", "NliSession", "softmax"]

Floats = npt.NDArray[np.float64]

UNFUSED: Final = ("SkipLayerNormFusion", "LayerNormFusion")
"""Rewritings of the graph that onnxruntime is kept from.

The kernel that adds and normalises in one step works number by number: the plain operations took
30 % less time in int8 and 20 % less in fp32. In int8 the last digits differ, so an answer may.
"""

_INPUTS: Final = {"input_ids": "ids", "token_type_ids": "type_ids", "attention_mask": "mask"}
_LONGEST: Final = 512
# What a tokenizer that knows no limit writes for it.
_NO_LIMIT: Final = 100_000


@dataclass(frozen=True, slots=True)
class Encoded:
    """A pair as the model reads it.

    Attributes
    ----------
    ids, type_ids : list of int
        Tokens; which of the two texts each belongs to.
    total : int
        Tokens before anything was cut.
    unknown : int
        Tokens that the tokenizer has no word for.
    """

    ids: list[int]
    type_ids: list[int]
    total: int
    unknown: int = 0

    @property
    def kept(self) -> int:
        """Tokens the model sees."""
        return len(self.ids)

    @property
    def cut(self) -> bool:
        """Whether the premise lost its end."""
        return self.kept < self.total


class NliSession:
    """A model that is open.

    Parameters
    ----------
    files : ModelFiles
    threads : int
        Batches worked off at once, each by one thread: the answers are the same to the last bit
        for any number. More threads than free cores gain nothing.
    batch : int or None
        Pairs at once at most. None: 16 in fp32; 1 in int8, for there activations are rounded on
        one scale for the whole batch, so that an answer depends on its neighbours.
    max_length : int or None
        Tokens of a pair at most; None: the model's own limit, at most 512.

    Raises
    ------
    JudgeUnavailable
        If a package is missing, or a file is not what it should be.
    """

    def __init__(
        self,
        files: ModelFiles,
        *,
        threads: int = 1,
        batch: int | None = None,
        max_length: int | None = None,
    ) -> None:
        self.files = files
        self.batch = batch or (16 if files.precision == "fp32" else 1)
        self._threads = threads
        self._session = _opened(files)
        self._tokenizer = _tokenizer(files)
        self._wanted = [one.name for one in self._session.get_inputs()]
        unknown = [name for name in self._wanted if name not in _INPUTS]
        if unknown:
            raise JudgeUnavailable(
                f"the model asks for the input {unknown[0]!r}",
                where=str(files.onnx),
                allowed=", ".join(_INPUTS),
                todo="use a cross-encoder exported for text classification",
            )
        own = _own_limit(files)
        if max_length is not None and max_length > own:
            raise JudgeUnavailable(
                f"max_length is {max_length}, but the model reads {own} tokens",
                where=str(files.folder),
                allowed=f"at most {own}",
            )
        self.max_length = max_length or min(own, _LONGEST)
        self._cutting = _tokenizer(files)
        self._cutting.enable_truncation(self.max_length, strategy="only_first")
        self._padding = _padding(files, self._tokenizer)
        self._special = int(self._tokenizer.num_special_tokens_to_add(True))

    @property
    def outputs(self) -> int:
        """How many classes the ONNX file gives, by trying; a config may say otherwise."""
        return int(self.logits([self.encode([("a", "b")])[0]]).shape[1])

    def packages(self) -> dict[str, str]:
        """Versions of the packages that shape an answer."""
        return {name: version(name) for name in ("onnxruntime", "tokenizers", "numpy")}

    def room(self, claim: str) -> int:
        """Tokens that are left for a premise beside a claim; below 1 the claim is too long."""
        return self.max_length - self._special - self.lengths([claim])[0]

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Tokens of texts, without the marks around a pair."""
        found = self._tokenizer.encode_batch_fast(_plain(texts), add_special_tokens=False)
        return [len(one) for one in found]

    def encode(self, pairs: Sequence[tuple[str, str]]) -> list[Encoded]:
        """Pairs of premise and claim as tokens; only a premise is ever cut, at its end.

        Raises
        ------
        ValueError
            If a claim leaves no room for a premise; see `room`.
        """
        plain = list(zip(_plain([p for p, _ in pairs]), _plain([c for _, c in pairs]), strict=True))
        found = self._tokenizer.encode_batch(plain)
        encoded = []
        for one, (premise, claim) in zip(found, plain, strict=True):
            total = len(one.ids)
            if total > self.max_length:
                if self.room(claim) < 1:
                    raise ValueError(
                        f"claim must leave room for a premise, got {len(claim)} letters"
                    )
                one = self._cutting.encode(premise, claim)
            unknown = one.tokens.count(self._unknown) if self._unknown else 0
            encoded.append(Encoded(one.ids, one.type_ids, total, unknown))
        return encoded

    def probabilities(self, encoded: Sequence[Encoded], labels: LabelMap) -> Floats:
        """Probabilities of pairs; a two-state model gives ``contradicted`` none.

        Returns
        -------
        ndarray, shape (pairs, 3)
            In the order of `LABELS`; a row of NaN where the model gave a number that is none.
        """
        logits = self.logits(encoded)
        shares = softmax(logits)
        probabilities = np.zeros((len(encoded), len(LABELS)))
        for output, label in enumerate(labels.outputs):
            probabilities[:, LABELS.index(label)] = shares[:, output]
        probabilities[~np.isfinite(logits).all(axis=1)] = np.nan
        return probabilities

    def logits(self, encoded: Sequence[Encoded]) -> Floats:
        """What the model gives, in its own order of outputs; shape (pairs, outputs)."""
        order = sorted(range(len(encoded)), key=lambda i: (encoded[i].kept, encoded[i].ids))
        batches = [order[i : i + self.batch] for i in range(0, len(order), self.batch)]
        given = self._run_all([[encoded[i] for i in places] for places in batches])
        rows = dict(zip(order, (row for batch in given for row in batch), strict=True))
        return np.stack([rows[place] for place in range(len(encoded))])

    def _run_all(self, batches: Sequence[Sequence[Encoded]]) -> list[Floats]:
        """Batches in their order. The model runs outside the interpreter's lock."""
        if self._threads == 1 or len(batches) == 1:
            return [self._run(batch) for batch in batches]
        with ThreadPoolExecutor(self._threads, thread_name_prefix="nli") as pool:
            return list(pool.map(self._run, batches))

    def _run(self, batch: Sequence[Encoded]) -> Floats:
        width = max(one.kept for one in batch)
        shape = (len(batch), width)
        arrays = {
            "input_ids": np.full(shape, self._padding, dtype=np.int64),
            "token_type_ids": np.zeros(shape, dtype=np.int64),
            "attention_mask": np.zeros(shape, dtype=np.int64),
        }
        for row, one in enumerate(batch):
            arrays["input_ids"][row, : one.kept] = one.ids
            arrays["token_type_ids"][row, : one.kept] = one.type_ids
            arrays["attention_mask"][row, : one.kept] = 1
        given = self._session.run(None, {name: arrays[name] for name in self._wanted})[0]
        found: Floats = np.asarray(given, dtype=np.float64)
        if found.ndim != 2 or len(found) != len(batch):
            raise JudgeUnavailable(
                f"the model gives an array of shape {found.shape} for {len(batch)} pairs",
                where=str(self.files.onnx),
                allowed="(pairs, classes): one row of logits for each pair",
                todo="use a cross-encoder exported for text classification",
            )
        return found

    @property
    def _unknown(self) -> str | None:
        token = self.files.tokenizer_config.get("unk_token")
        return token.get("content") if isinstance(token, dict) else token


def softmax(logits: Floats) -> Floats:
    """Shares that sum to 1 along the last axis; rows that hold NaN or both infinities are NaN.

    Examples
    --------
    >>> softmax(np.array([[1000.0, 1000.0]])).tolist()
    [[0.5, 0.5]]
    """
    with np.errstate(invalid="ignore", over="ignore"):
        exponents = np.exp(logits - logits.max(axis=-1, keepdims=True))
        shares: Floats = exponents / exponents.sum(axis=-1, keepdims=True)
    return shares


def _plain(texts: Sequence[str]) -> list[str]:
    """Texts that any tokenizer takes: half of a surrogate pair cannot be handed over."""
    return [text.encode("utf-8", "replace").decode("utf-8") for text in texts]


def _opened(files: ModelFiles) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise JudgeUnavailable(
            f"onnxruntime cannot be imported: {error}",
            todo="run: python -m pip install --force-reinstall onnxruntime",
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            str(files.onnx),
            sess_options=options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=list(UNFUSED),
        )
    except Exception as error:  # its errors share no base but Exception
        raise JudgeUnavailable(
            f"onnxruntime cannot open the model: {str(error).strip().splitlines()[0]}",
            where=str(files.onnx),
            todo="export the model anew, or upgrade onnxruntime",
        ) from error


def _tokenizer(files: ModelFiles) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise JudgeUnavailable(
            f"tokenizers cannot be imported: {error}",
            todo="run: python -m pip install --force-reinstall tokenizers",
        ) from error
    try:
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
    except Exception as error:
        raise JudgeUnavailable(
            f"tokenizers cannot read the file: {error}",
            where=str(files.tokenizer),
            todo="save the tokenizer anew, or upgrade tokenizers",
        ) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _own_limit(files: ModelFiles) -> int:
    """Tokens the model can read: the least that tokenizer and positions say."""
    limits = [_LONGEST]
    told = files.tokenizer_config.get("model_max_length")
    if isinstance(told, int | float) and told < _NO_LIMIT:
        limits = [int(told)]
    positions = files.config.get("max_position_embeddings")
    if isinstance(positions, int) and positions > 0:
        # RoBERTa counts its positions from the padding's number on.
        taken = 2 if "roberta" in str(files.config.get("model_type", "")) else 0
        limits.append(positions - taken)
    return min(limits)


def _padding(files: ModelFiles, tokenizer: Any) -> int:
    told = files.config.get("pad_token_id")
    if isinstance(told, int):
        return told
    token = files.tokenizer_config.get("pad_token") or "[PAD]"
    found = tokenizer.token_to_id(token["content"] if isinstance(token, dict) else token)
    return int(found) if found is not None else 0
