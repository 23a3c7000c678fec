"""The labelling screen: claim, evidence spans over the chunks, verdict, confidence, comment.

The server and its client check names and references of a screen. They let pass what is checked
here: a choice or a hotkey that stands twice, a screen without a control, a field that the tasks
do not have, and a verdict that is none of our labels.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

from voirdire.errors import InputError
from voirdire.records import LabelSpace
from voirdire.store import read_text

__all__ = [
    "COMMENT",
    "CONFIDENCE",
    "EVIDENCE",
    "TASK_FIELDS",
    "VERDICT",
    "canonical",
    "check_screen",
    "labelling_screen",
    "read_screen",
    "verdict_words",
    "verdicts_of",
]

VERDICT, EVIDENCE, CONFIDENCE, COMMENT = "verdict", "evidence", "confidence", "comment"
TASK_FIELDS: Final = ("item_id", "claim", "context")
"""All that a task holds. Family, variant, label and judge stay at home."""

_HINTS: Final[dict[str, tuple[str, str]]] = {
    "supported": ("1", "The context states it or entails it"),
    "contradicted": ("2", "The context states or entails the opposite"),
    "unverifiable": ("3", "The context does not settle it"),
    "not_supported": ("2", "The context contradicts it or does not settle it"),
}
_STYLE: Final = """
  .vd-claim { border-left: 4px solid #2f6f8f; padding: 8px 12px; margin: 4px 0 10px;
    background: rgba(47,111,143,.08); font-size: 1.15em; }
  .vd-context { max-height: 45vh; overflow-y: auto; border: 1px solid rgba(128,128,128,.35);
    padding: 8px 12px; margin: 6px 0; white-space: pre-wrap; }
  .vd-question { margin-top: 10px; }
"""


def verdict_words(space: LabelSpace) -> tuple[str, ...]:
    """The labels that people may give in a label space, in the order of their hotkeys."""
    if space == "two_class":
        return ("supported", "not_supported")
    return ("supported", "contradicted", "unverifiable")


def labelling_screen(space: LabelSpace = "three_class", *, table: str | None = None) -> str:
    """The screen as Label Studio's XML.

    Parameters
    ----------
    space : LabelSpace
    table : str, optional
        A heading; a table of the task's field ``votes`` is then shown under it. Only for
        projects in which nobody labels independently.
    """
    choices = "\n".join(
        f"      <Choice value={quoteattr(word)} hotkey={quoteattr(_HINTS[word][0])}"
        f" hint={quoteattr(_HINTS[word][1])}/>"
        for word in verdict_words(space)
    )
    shown = _TABLE.format(heading=quoteattr(table)) if table else ""
    return _SCREEN.format(style=escape(_STYLE), choices=choices, table=shown)


_TABLE = """  <View className="vd-question">
    <Header value={heading} size="5"/>
    <Table name="votes" value="$votes"/>
  </View>
"""
_SCREEN = """<View>
  <Style>{style}</Style>
  <View className="vd-claim"><Text name="claim" value="$claim" granularity="word"/></View>
  <Labels name="evidence" toName="context" choice="multiple" showInline="true">
    <Label value="evidence" background="#f5b301" hotkey="4"/>
  </Labels>
  <View className="vd-context"><Text name="context" value="$context" granularity="word"/></View>
{table}  <View className="vd-question">
    <Header value="What does the context alone say about the claim?" size="5"/>
    <Choices name="verdict" toName="claim" choice="single-radio" showInline="true"
      required="true" requiredMessage="Choose one, or skip the task">
{choices}
    </Choices>
  </View>
  <View className="vd-question">
    <Header value="How sure are you?" size="5"/>
    <Choices name="confidence" toName="claim" choice="single-radio" showInline="true">
      <Choice value="low" hotkey="q"/>
      <Choice value="medium" hotkey="w"/>
      <Choice value="high" hotkey="e"/>
    </Choices>
  </View>
  <TextArea name="comment" toName="claim" placeholder="Comment (optional)" rows="2"
    maxSubmissions="1" editable="true"/>
</View>
"""


def read_screen(path: Path, space: LabelSpace) -> str:
    """A screen of the user's own, checked.

    Raises
    ------
    UsageError, InputError
        If it is not there, not XML, or would not give our labels.
    """
    text = read_text(path)
    check_screen(text, fields=TASK_FIELDS, space=space, where=str(path))
    return text


def check_screen(
    xml: str, *, fields: Sequence[str], space: LabelSpace, where: str = "labelling screen"
) -> None:
    """Refuse what neither the server nor its client would.

    Parameters
    ----------
    xml : str
    fields : sequence of str
        That every task has.
    space : LabelSpace
        Whose labels the control ``verdict`` must offer, all and no other.
    where : str
        For the message.

    Raises
    ------
    InputError
        If it is not XML, has no control, shows a field that the tasks lack, names something
        twice, or its verdicts are not our labels.
    """
    root = _parsed(xml, where)
    controls = [tag for tag in root.iter() if tag.get("toName")]
    if not controls:
        raise InputError(
            "the screen has no control, so nobody can label on it",
            where=where,
            allowed="at least <Choices name='verdict' toName='claim'> with the labels",
        )
    _refuse_fields(root, fields, where)
    names = [tag.get("name", "") for tag in root.iter() if tag.get("name")]
    _refuse_twins(names, "name", where)
    for control in controls:
        values = [child.get("value", "") for child in control if child.get("value")]
        _refuse_twins(values, f"choice of {control.get('name', control.tag)!r}", where)
    hotkeys = [tag.get("hotkey", "").lower() for tag in root.iter() if tag.get("hotkey")]
    _refuse_twins(hotkeys, "hotkey", where)
    _refuse_verdicts(root, space, where)


def verdicts_of(xml: str) -> tuple[str, ...]:
    """The verdicts a screen offers; none if it cannot be read."""
    try:
        root = _parsed(xml, "")
    except InputError:
        return ()
    return tuple(
        child.get("value", "")
        for control in root.iter("Choices")
        if control.get("name") == VERDICT
        for child in control
    )


def canonical(xml: str) -> str:
    """A screen without the spaces that do not matter; unreadable ones as they are."""
    try:
        _parsed(xml, "")
    except InputError:
        return xml
    return ET.canonicalize(re.sub(r"\s+", " ", xml), strip_text=True)


def _parsed(xml: str, where: str) -> ET.Element:
    if "<!DOCTYPE" in xml or "<!ENTITY" in xml:  # entities could grow without end
        raise InputError("the screen declares entities", where=where, allowed="plain XML")
    try:
        return ET.fromstring(xml)  # noqa: S314 - entities are refused above
    except ET.ParseError as error:
        raise InputError(
            f"not XML: {error}", where=where, todo="mend it; & is written &amp; in XML"
        ) from error


def _refuse_fields(root: ET.Element, fields: Sequence[str], where: str) -> None:
    for tag in root.iter():
        value = tag.get("value", "")
        is_object = tag.tag in ("Text", "HyperText", "Paragraphs", "Table", "Repeater", "List")
        if is_object and tag.get("name") and not value.startswith("$"):
            raise InputError(
                f"<{tag.tag} name={tag.get('name')!r}> shows the same on every task",
                where=where,
                allowed="value='$field', a field of the tasks",
            )
        if value.startswith("$") and value[1:] not in fields:
            raise InputError(
                f"the screen shows the field {value!r}, which the tasks do not have",
                where=where,
                allowed=", ".join(f"${name}" for name in fields),
            )


def _refuse_twins(values: Iterable[str], what: str, where: str) -> None:
    twins = [value for value, count in Counter(values).items() if count > 1]
    if twins:
        raise InputError(f"{what} {twins[0]!r} stands twice", where=where, todo="give each its own")


def _refuse_verdicts(root: ET.Element, space: LabelSpace, where: str) -> None:
    found = sorted(
        child.get("value", "")
        for control in root.iter("Choices")
        if control.get("name") == VERDICT
        for child in control
    )
    wanted = verdict_words(space)
    if found != sorted(wanted):
        raise InputError(
            f"the choices named 'verdict' are {', '.join(found) or 'not there'}",
            where=where,
            allowed=f"<Choices name='verdict'> with exactly {', '.join(wanted)}",
            todo="labels in other words can be imported with 'voirdire import --map-label'",
        )
