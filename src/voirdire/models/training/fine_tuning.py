"""Trains a cross-encoder on labelled pairs: what ``voirdire train-nli`` and the shipped model use.

What makes it bearable on a processor: bfloat16 where the processor multiplies it, attention in
plain operations (the fused backward pass is slow there), a fused optimiser, word embeddings left
as they are, batches of pairs of like length holding a set number of tokens, one thread.

Torch and transformers come with the extra ``train`` and are imported inside the functions.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from voirdire.models.training.pairs import Pair
from voirdire.records import LABELS, Label

__all__ = [
    "MODEL_LABELS",
    "TrainingReport",
    "TrainingSettings",
    "label_order",
    "logits_of",
    "train",
]

MODEL_LABELS: Final[dict[Label, str]] = {
    "supported": "entailment",
    "unverifiable": "neutral",
    "contradicted": "contradiction",
}
"""Our label to the name a new head gives it, in the order of its outputs."""

_CHECKPOINT: Final = "trainer.pt"


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """What can be set of the training.

    Attributes
    ----------
    epochs : float
        Times each pair is seen; a fraction ends within the last.
    tokens_per_batch : int
        Tokens, padding included; with pairs of 30 tokens 1280 make a batch of 42.
    learning_rate : float
        Highest, after warm-up; from there it falls in a line to 0.
    warmup : float
        Share of the steps in which the rate rises from 0.
    max_length : int
        Tokens of a pair; the premise is cut, never the claim.
    dropout : float
        Of hidden values; attention weights are never dropped.
    weight_decay : float
        As AdamW understands it.
    label_smoothing : float
        Share of the target spread over all labels.
    threads : int
        Two on a shared machine are slower than one.
    seed : int
        Of order, dropout and the new head.
    """

    epochs: float = 2.0
    tokens_per_batch: int = 1280
    learning_rate: float = 1e-4
    warmup: float = 0.06
    max_length: int = 128
    dropout: float = 0.05
    weight_decay: float = 0.01
    label_smoothing: float = 0.0
    threads: int = 1
    seed: int = 7


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What a training did.

    Attributes
    ----------
    pairs, steps : int
    wall_seconds, cpu_seconds : float
    loss : float
        Mean over the last tenth of the steps.
    settings : dict
    """

    pairs: int
    steps: int
    wall_seconds: float
    cpu_seconds: float
    loss: float
    settings: dict[str, Any]


@dataclass(slots=True)
class _Encoded:
    """A pair as the model reads it."""

    ids: list[int]
    types: list[int]
    target: int


def train(
    pairs: Sequence[Pair],
    *,
    base: Path,
    out: Path,
    settings: TrainingSettings,
    tell: Callable[[str], None] = lambda line: None,
    checkpoint_every: int = 0,
) -> TrainingReport:
    """Fine-tune a model and leave it in `out`: config.json, model.safetensors, tokenizer.json.

    A checkpoint found in `out` is taken up again.

    Parameters
    ----------
    pairs : sequence of Pair
    base : Path
        Directory with config.json, model.safetensors and tokenizer.json. A head with the three
        labels by name is kept; any other is replaced by a new one.
    out : Path
        Made if it is not there.
    settings : TrainingSettings
    tell : callable
        Told one line now and then.
    checkpoint_every : int
        Steps between checkpoints; 0: none.

    Raises
    ------
    ValueError
        If there are no pairs.
    ModuleNotFoundError
        Without the extra ``train``.
    """
    import torch

    if not pairs:
        raise ValueError("pairs must hold at least one, got none")
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    out.mkdir(parents=True, exist_ok=True)
    model, order = _model(base, settings)
    encoded = _encode(pairs, base, settings.max_length, order)
    trainable = [weight for weight in model.parameters() if weight.requires_grad]
    optimiser = torch.optim.AdamW(
        trainable, lr=settings.learning_rate, weight_decay=settings.weight_decay, fused=True
    )
    plan = _plan(encoded, settings)
    done = _resume(out / _CHECKPOINT, model, optimiser)
    tell(f"{len(pairs)} pairs, {len(plan)} steps, from step {done}")
    started, cpu, losses = time.perf_counter(), time.process_time(), []
    model.train()
    for step in range(done, len(plan)):
        for group in optimiser.param_groups:
            group["lr"] = settings.learning_rate * _rate(step, len(plan), settings.warmup)
        losses.append(_step(model, optimiser, [encoded[i] for i in plan[step]], settings))
        if (step + 1) % 50 == 0:
            minutes = (time.perf_counter() - started) / 60
            tell(f"step {step + 1}/{len(plan)} loss {np.mean(losses[-50:]):.4f} {minutes:.1f} min")
        if checkpoint_every and (step + 1) % checkpoint_every == 0:
            _save(out / _CHECKPOINT, model, optimiser, step + 1)
            model.save_pretrained(out)
    model.save_pretrained(out)
    _copy_tokenizer(base, out)
    (out / _CHECKPOINT).unlink(missing_ok=True)
    tail = losses[-max(1, len(losses) // 10) :]
    return TrainingReport(
        pairs=len(pairs),
        steps=len(plan),
        wall_seconds=time.perf_counter() - started,
        cpu_seconds=time.process_time() - cpu,
        loss=float(np.mean(tail)) if tail else math.inf,
        settings=asdict(settings),
    )


def logits_of(
    pairs: Sequence[Pair], *, model_dir: Path, max_length: int = 128, batch: int = 64
) -> npt.NDArray[np.float64]:
    """Logits of a trained model in fp32, in the order of its outputs.

    Returns
    -------
    ndarray, shape (len(pairs), outputs)
    """
    import torch
    from transformers import AutoModelForSequenceClassification

    model = AutoModelForSequenceClassification.from_pretrained(model_dir).eval()
    encoded = _encode(pairs, model_dir, max_length, dict.fromkeys(LABELS, 0))
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i].ids))
    logits = np.zeros((len(encoded), model.config.num_labels))
    with torch.inference_mode():
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            inputs, _ = _tensors([encoded[i] for i in places])
            logits[places] = model(**inputs).logits.float().numpy()
    return logits


def label_order(base: Path) -> dict[Label, int] | None:
    """Which output of a model stands for which label; None where its head is none of three."""
    config = json.loads((base / "config.json").read_text(encoding="utf-8"))
    known = {str(name).lower(): int(i) for i, name in (config.get("id2label") or {}).items()}
    if set(known) != set(MODEL_LABELS.values()):
        return None
    return {label: known[name] for label, name in MODEL_LABELS.items()}


def _model(base: Path, settings: TrainingSettings) -> tuple[Any, dict[Label, int]]:
    """The model to train and which output stands for which label."""
    from transformers import AutoModelForSequenceClassification

    config = json.loads((base / "config.json").read_text(encoding="utf-8"))
    order = label_order(base)
    head: dict[str, Any] = {}
    if order is None:
        names = dict(enumerate(MODEL_LABELS.values()))
        head = {
            "num_labels": len(names),
            "id2label": names,
            "label2id": {name: i for i, name in names.items()},
        }
        order = {label: i for i, label in enumerate(MODEL_LABELS)}
    dropout: dict[str, Any] = {}
    if "hidden_dropout_prob" in config:
        dropout = {
            "hidden_dropout_prob": settings.dropout,
            "attention_probs_dropout_prob": 0.0,
        }
    model = AutoModelForSequenceClassification.from_pretrained(
        base, attn_implementation="eager", **head, **dropout
    )
    model.get_input_embeddings().weight.requires_grad = False
    return model, order


def _encode(
    pairs: Sequence[Pair], base: Path, max_length: int, order: dict[Label, int]
) -> list[_Encoded]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length, strategy="longest_first")
    found = tokenizer.encode_batch([(pair.context, pair.claim) for pair in pairs])
    return [
        _Encoded(one.ids, one.type_ids, order[pair.label])
        for one, pair in zip(found, pairs, strict=True)
    ]


def _plan(encoded: Sequence[_Encoded], settings: TrainingSettings) -> list[list[int]]:
    """Which pairs each step sees: every epoch in new batches, in random order."""
    rng = np.random.default_rng(settings.seed)
    lengths = np.array([len(one.ids) for one in encoded])
    plan: list[list[int]] = []
    whole = math.ceil(settings.epochs)
    for epoch in range(whole):
        batches = list(_batches(lengths, settings.tokens_per_batch, rng))
        share = min(1.0, settings.epochs - epoch)
        keep = max(1, round(share * len(batches)))
        plan += [batches[i] for i in rng.permutation(len(batches))[:keep]]
    return plan


def _batches(
    lengths: npt.NDArray[np.int64], tokens: int, rng: np.random.Generator
) -> Iterator[list[int]]:
    """Pairs of like length, as many as `tokens` hold once padded to the longest."""
    noisy = lengths + rng.uniform(0, 2, size=len(lengths))
    batch: list[int] = []
    for i in np.argsort(noisy, kind="stable"):
        longest = max(int(lengths[i]), *(int(lengths[j]) for j in batch[-8:]), 0)
        if batch and (len(batch) + 1) * longest > tokens:
            yield batch
            batch = []
        batch.append(int(i))
    if batch:
        yield batch


def _rate(step: int, steps: int, warmup: float) -> float:
    rising = max(1, round(warmup * steps))
    if step < rising:
        return (step + 1) / rising
    return (steps - step) / max(1, steps - rising)


def _tensors(batch: Sequence[_Encoded]) -> tuple[dict[str, Any], Any]:
    import torch

    width = max(len(one.ids) for one in batch)
    ids = torch.zeros(len(batch), width, dtype=torch.long)
    types, mask = torch.zeros_like(ids), torch.zeros_like(ids)
    for row, one in enumerate(batch):
        length = len(one.ids)
        ids[row, :length] = torch.tensor(one.ids)
        types[row, :length] = torch.tensor(one.types)
        mask[row, :length] = 1
    inputs = {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}
    return inputs, torch.tensor([one.target for one in batch])


def _step(model: Any, optimiser: Any, batch: list[_Encoded], settings: TrainingSettings) -> float:
    import torch

    inputs, target = _tensors(batch)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(**inputs).logits
    loss = torch.nn.functional.cross_entropy(
        logits.float(), target, label_smoothing=settings.label_smoothing
    )
    loss.backward()
    torch.nn.utils.clip_grad_norm_(
        [weight for weight in model.parameters() if weight.grad is not None], 1.0
    )
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    return float(loss.detach())


def _save(path: Path, model: Any, optimiser: Any, step: int) -> None:
    import torch

    state = {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step}
    fresh = path.with_suffix(".new")
    torch.save(state, fresh)
    fresh.replace(path)


def _resume(path: Path, model: Any, optimiser: Any) -> int:
    import torch

    if not path.is_file():
        return 0
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    optimiser.load_state_dict(state["optimiser"])
    return int(state["step"])


def _copy_tokenizer(base: Path, out: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        if (base / name).is_file() and base != out:
            (out / name).write_bytes((base / name).read_bytes())
