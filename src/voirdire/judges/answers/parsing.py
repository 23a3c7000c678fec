"""Reads one answer or a batch: the declared field, a labelled line or a lone word, else nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from voirdire.judges.answers.finding import find_objects
from voirdire.judges.answers.words import LabelWords
from voirdire.records import Label

__all__ = ["Parsed", "read_answer", "read_batch"]

# "Label: supported" on a line of its own, in the languages of the prompts.
_LABELLED_LINE: Final = re.compile(
    r"^[\s*_>#-]*(?:label|verdict|answer|etichetta|verdetto|urteil|étiquette|verdict)[\s*_]*[:=]"
    r"(?P<word>.+)$",
    re.IGNORECASE | re.MULTILINE,
)
_LONGEST_LINES: Final = 20_000
_ECHO: Final = (
    "the only verdict in the answer is one that stands in the claim or its context: the model "
    "repeated an injected answer and gave none"
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """What an answer says.

    Attributes
    ----------
    outcome : {"judged", "unparsable", "refused"}
    label : Label or None
        Set if and only if judged.
    rationale : str or None
    error : str
        Why there is no label.
    flags : tuple of str
        ``repaired``; ``extra_answers`` in a batch.
    """

    outcome: Literal["judged", "unparsable", "refused"]
    label: Label | None = None
    rationale: str | None = None
    error: str = ""
    flags: tuple[str, ...] = ()


def read_answer(text: str, *, words: LabelWords, repair: bool = True, given: str = "") -> Parsed:
    """Read the answer to one claim.

    In this order: a JSON object with the field ``label`` (fenced, in a list of one, or between
    prose); lines ``Label: …``; the whole text as a label. Where an answer names two labels in
    one of these ways it has none.

    Parameters
    ----------
    text : str
        What the model wrote.
    words : LabelWords
    repair : bool
        Whether broken JSON may be mended; the answer is then flagged ``repaired``.
    given : str
        Claim and context: a verdict that stands there is an echo and no answer.
    """
    found = find_objects(text, field="label", repair=repair, given=given)
    if found.twice:
        return Parsed("unparsable", error="the answer gives the field 'label' twice, differently")
    if found.objects:
        flags = ("repaired",) if found.repaired else ()
        return _agreed(found.objects, words, flags)
    if found.echoed:
        return Parsed("unparsable", error=_ECHO)
    said = [match["word"] for match in _LABELLED_LINE.finditer(text[:_LONGEST_LINES])]
    if said:
        return _agreed([{"label": word} for word in said], words, ())
    label = words.label(text)
    if label is not None:
        return Parsed("judged", label)
    if words.is_refusal(text):
        return Parsed("refused", error=f"the model declined: {_short(text)}")
    return Parsed("unparsable", error=_no_label(text, words))


def read_batch(
    text: str, *, count: int, words: LabelWords, repair: bool = True, cut: bool = False
) -> dict[int, Parsed]:
    """Read the answer to several claims, by their numbers.

    Parameters
    ----------
    text : str
    count : int
        Claims 1 to ``count`` were asked.
    words : LabelWords
    repair : bool
    cut : bool
        Whether the answer was cut at the limit of tokens: whole verdicts before the cut stand.

    Returns
    -------
    dict of int to Parsed
        What was answered; a number that is missing was not. A number answered twice with
        different labels is unparsable. Numbers that were not asked are left out, and every
        answer is flagged ``extra_answers`` then.
    """
    verdicts, repaired = _verdicts(text, repair=repair and not cut)
    flags = ["repaired"] if repaired else []
    grouped: dict[int, list[dict[str, Any]]] = {}
    extra = False
    for verdict in verdicts:
        number = verdict.get("claim")
        if type(number) is int and 1 <= number <= count:
            grouped.setdefault(number, []).append(verdict)
        else:
            extra = True
    if extra:
        flags.append("extra_answers")
    return {number: _agreed(said, words, tuple(flags)) for number, said in grouped.items()}


def _verdicts(text: str, *, repair: bool) -> tuple[list[dict[str, Any]], bool]:
    """The verdicts of a batch: a list in the field ``verdicts``, else objects with a label."""
    found = find_objects(text, field="verdicts", repair=False)
    for one in found.objects:
        if isinstance(one["verdicts"], list):
            return [item for item in one["verdicts"] if isinstance(item, dict)], False
    single = find_objects(text, field="label", repair=False)
    if single.objects or not repair:
        return list(single.objects), False
    mended = find_objects(text, field="verdicts", repair=True)
    for one in mended.objects:
        if isinstance(one["verdicts"], list):
            return [item for item in one["verdicts"] if isinstance(item, dict)], True
    return [], False


def _agreed(objects: Sequence[dict[str, Any]], words: LabelWords, flags: tuple[str, ...]) -> Parsed:
    """One label if every object names the same."""
    labels = {words.label(one.get("label")) for one in objects}
    if None in labels:
        wrong = next(one for one in objects if words.label(one.get("label")) is None)
        return Parsed("unparsable", error=words.why_not(wrong.get("label")), flags=flags)
    if len(labels) > 1:
        named = ", ".join(sorted(label for label in labels if label))
        return Parsed("unparsable", error=f"the answer names several labels: {named}", flags=flags)
    rationale = objects[-1].get("rationale")
    return Parsed(
        "judged",
        labels.pop(),
        rationale=rationale.strip() or None if isinstance(rationale, str) else None,
        flags=flags,
    )


def _no_label(text: str, words: LabelWords) -> str:
    if words.is_ambiguous(text):
        return words.why_not(text)
    return f"the answer names no label in any of the forms known: {_short(text)}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 120 else line[:117] + "...")
