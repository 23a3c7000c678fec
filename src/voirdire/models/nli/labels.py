"""What the outputs of an NLI model mean: by the names in its own config, never by position."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from voirdire.errors import JudgeUnavailable
from voirdire.records import Label

__all__ = ["LabelMap", "Settled", "from_config", "from_names"]

Settled = Literal["names", "self-test", "told"]

_WORDS: Final[tuple[tuple[re.Pattern[str], Label], ...]] = (
    (re.compile(r"^(entail|support)"), "supported"),
    (re.compile(r"^(contradict|refute)"), "contradicted"),
    (re.compile(r"^(neutral|unverifiable$|nei$|not ?enough ?info)"), "unverifiable"),
)
_NOT_ENTAILED: Final = re.compile(r"^(not|non|no) ?(entail|support)")


@dataclass(frozen=True, slots=True)
class LabelMap:
    """Which output stands for which label.

    Attributes
    ----------
    outputs : tuple of Label
        The label of each output, in order. Two outputs are a two-state view: what is not
        entailed is ``unverifiable``, and nothing is ever ``contradicted``.
    names : tuple of str
        The model's own words, in the same order.
    settled : {"names", "self-test", "told"}
        What the map rests on.
    """

    outputs: tuple[Label, ...]
    names: tuple[str, ...]
    settled: Settled = "names"

    @property
    def two_state(self) -> bool:
        """Whether the model cannot tell contradicted from unverifiable."""
        return len(self.outputs) == 2

    def as_words(self) -> dict[str, str]:
        """The model's word (or place) of each output to our label, for the fingerprint."""
        return {f"{i} {name}": label for i, (name, label) in enumerate(self._pairs())}

    def _pairs(self) -> list[tuple[str, Label]]:
        return list(zip(self.names, self.outputs, strict=True))


def from_config(
    config: Mapping[str, Any], *, where: str, outputs: int
) -> LabelMap | tuple[str, ...]:
    """The map that a model's ``config.json`` names.

    Parameters
    ----------
    config : mapping
    where : str
        The file, for messages.
    outputs : int
        Numbers the model gives for a pair; a config without names has that many unnamed ones.

    Returns
    -------
    LabelMap or tuple of str
        The names alone, in the order of the outputs, where they are three and say nothing
        ("LABEL_0"): a self-test has to settle them.

    Raises
    ------
    JudgeUnavailable
        For any number of labels but two and three, for two that are not entailed or not, for
        another number of labels than outputs, for ``id2label`` with gaps, and for names of which
        only some are known.
    """
    names = _names(config, where, outputs)
    if len(names) not in (2, 3):
        raise JudgeUnavailable(
            f"the model has {len(names)} classes: {_listed(names)}",
            where=where,
            allowed="entailment, neutral and contradiction; or entailment and not_entailment",
            todo="use a model trained for natural language inference",
        )
    if len(names) != outputs:
        raise JudgeUnavailable(
            f"the config names {len(names)} labels, but the ONNX file gives {outputs} numbers",
            where=where,
            todo="take config.json and ONNX file from the same model",
        )
    if len(names) == 2:
        return _two_state(names, where)
    labels = [label for label in map(_label, names) if label is not None]
    if len(set(labels)) == 3:
        return LabelMap(tuple(labels), names)
    if labels:
        raise JudgeUnavailable(
            f"of the model's labels {_listed(names)} only {len(set(labels))} can be told",
            where=where,
            allowed="entailment, neutral and contradiction, in any order",
            todo="say what each output means, in order: "
            "labels = ['supported', 'unverifiable', 'contradicted']",
        )
    return names


def from_names(told: Sequence[Label], names: Sequence[str], *, where: str) -> LabelMap:
    """The map that a person told, against the outputs the model has.

    Raises
    ------
    JudgeUnavailable
        If their numbers differ, a label is told twice, or two outputs are not
        supported and unverifiable.
    """
    expected = {"supported", "unverifiable"} if len(names) == 2 else set(_ALL)
    if len(told) != len(names) or set(told) != expected:
        raise JudgeUnavailable(
            f"labels {_listed(told)} do not fit a model with {len(names)} outputs",
            where=where,
            allowed=", ".join(sorted(expected)) + ", each once, in the order of the outputs",
        )
    return LabelMap(tuple(told), tuple(names), "told")


_ALL: Final[tuple[Label, ...]] = ("supported", "contradicted", "unverifiable")


def _names(config: Mapping[str, Any], where: str, outputs: int) -> tuple[str, ...]:
    table = config.get("id2label")
    if not table:
        return tuple(f"LABEL_{i}" for i in range(outputs))
    try:
        return tuple(str(table[key]) for key in sorted(table, key=int)) if _dense(table) else ()
    except (ValueError, TypeError, AttributeError) as error:
        raise JudgeUnavailable(
            f"id2label cannot be read: {error}", where=where, allowed='{"0": "entailment", …}'
        ) from error


def _dense(table: Mapping[str, Any]) -> bool:
    if sorted(int(key) for key in table) != list(range(len(table))):
        raise ValueError(f"its numbers are {', '.join(map(str, table))}")
    return True


def _two_state(names: tuple[str, ...], where: str) -> LabelMap:
    entailed = [_label(name) == "supported" for name in names]
    denied = [bool(_NOT_ENTAILED.match(_plain(name))) for name in names]
    if sorted(entailed) == [False, True] and denied == [not one for one in entailed]:
        return LabelMap(tuple("supported" if one else "unverifiable" for one in entailed), names)
    raise JudgeUnavailable(
        f"the model's two labels are {_listed(names)}",
        where=where,
        allowed="entailment and not_entailment",
        todo="if one means entailed and the other not, say so in the order of the outputs: "
        "labels = ['supported', 'unverifiable']",
    )


def _label(name: str) -> Label | None:
    plain = _plain(name)
    if _NOT_ENTAILED.match(plain):
        return None
    return next((label for pattern, label in _WORDS if pattern.match(plain)), None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]+", " ", name.lower()).strip()


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
