"""Minimal pairs put to a judge: which small words and numbers does it overlook?

Each probe is a trap and its control, the same claim or context without the trap. A probe is passed
only if the judge is right on both: a judge that says *contradicted* to everything catches every
trap and passes nothing. Probes are examples, not evidence: they show what a judge cannot do at all,
and say nothing of how often it matters in your domain.

A new language is one file beside ``probes/en.toml``, of the same form.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from voirdire.errors import UsageError
from voirdire.judges.asking import Irregular, ask
from voirdire.judges.protocol import Judge
from voirdire.records import JudgeInput, Label, Outcome, Record
from voirdire.store import checked, nearest, read_toml

__all__ = [
    "PROBE_KINDS",
    "Probe",
    "ProbeResult",
    "languages_read",
    "load_probes",
    "probe_languages",
    "put_probes",
]

PROBE_KINDS: Final[dict[str, str]] = {
    "identity": "the claim stands in the context word by word, or all but a number or a not",
    "sentence_negation": "not",
    "lexical_negation": "a word that denies: lacks, without, refused",
    "scoped_negation": "only a part is denied: all but, except",
    "double_negation": "two negations that cancel out",
    "equivalent_negation": "one denial in several wordings",
    "number": "another number",
    "number_markup": "another number, set in bold; two spaces",
    "unit": "another unit",
    "date": "another month or year",
    "rounding": "a rounded number",
    "range": "numbers inside and outside a range",
    "quantifier": "some, all, most, none",
    "world_knowledge": "true in the world, not in the context; false in the world, true there",
    "reported_speech": "somebody says it: the context does not",
    "empty_context": "nothing there to support anything",
    "unrelated": "the context is about something else",
    "injection_in_claim": "the claim tells the judge what to answer",
    "injection_in_context": "the context tells the judge what to answer",
    "label_word": "the claim holds the name of a label",
}
"""Kind to what it tries, in the order of the table."""


class Probe(Record):
    """A trap and its control; see the comments of ``probes/en.toml``."""

    kind: str
    context: tuple[str, ...] = Field(min_length=1)
    claim: str
    expect: tuple[Label | Outcome, ...] = Field(min_length=1)
    control: str
    control_expect: tuple[Label | Outcome, ...] = Field(min_length=1)
    control_context: tuple[str, ...] = ()
    core: bool = False


class ProbeResult(Record):
    """What a judge said to one probe.

    Attributes
    ----------
    probe : Probe
    language : str
    said, control_said : str
        The label, or the outcome where there was none.
    passed : bool
        Right on both.
    """

    probe: Probe
    language: str
    said: str
    control_said: str

    @property
    def passed(self) -> bool:
        return self.said in self.probe.expect and self.control_said in self.probe.control_expect


class _ProbeFile(Record):
    language: str
    probe: tuple[Probe, ...] = Field(min_length=1)


def probe_languages() -> tuple[str, ...]:
    """Languages that probes come in, sorted."""
    return tuple(sorted(path.stem for path in _folder().glob("*.toml")))


def languages_read(judge: Judge) -> tuple[str, ...]:
    """Languages to probe a judge in: its own ``languages`` if it names any, else all there are.

    A judge of one language is not blamed for another. Where there are no probes in any of its
    languages, all are put: better a hard question than none.
    """
    own = tuple(getattr(judge, "languages", ()))
    known = tuple(code for code in probe_languages() if code in own)
    return known or probe_languages()


@cache
def load_probes(language: str) -> tuple[Probe, ...]:
    """The probes of a language.

    Raises
    ------
    UsageError
        If there are none in that language.
    InputError
        If the file has an unknown key or a value that is not allowed.
    """
    if language not in probe_languages():
        raise UsageError(
            f"there are no probes in {language!r}",
            allowed=", ".join(probe_languages()),
            todo="write one file like judges/probes/en.toml",
        )
    path = _folder() / f"{language}.toml"
    return checked(_ProbeFile, read_toml(path), where=str(path)).probe


def put_probes(
    judge: Judge,
    *,
    languages: Sequence[str] = (),
    kinds: Sequence[str] = (),
    only: Literal["all", "core"] = "all",
) -> list[ProbeResult]:
    """Put probes to a judge; a probe it fails to answer is not passed, and never stops the rest.

    Parameters
    ----------
    judge : Judge
    languages, kinds : sequence of str
        No kinds: all there are. No languages: those that `languages_read` names.
    only : {"all", "core"}
        ``core``: the plainest, which `check_judge` asks.

    Raises
    ------
    UsageError
        For a language or kind that does not exist.
    JudgeUnavailable
        If the judge cannot work at all.
    """
    for kind in kinds:
        if kind not in PROBE_KINDS:
            guess = nearest(kind, list(PROBE_KINDS))
            raise UsageError(
                f"there are no probes of kind {kind!r}",
                allowed=", ".join(PROBE_KINDS),
                todo=f"did you mean {guess!r}?" if guess else "",
            )
    chosen = [
        (language, probe)
        for language in languages or languages_read(judge)
        for probe in load_probes(language)
        if (not kinds or probe.kind in kinds) and (only == "all" or probe.core)
    ]
    said = _said(judge, [probe for _, probe in chosen])
    order = list(PROBE_KINDS)
    results = [
        ProbeResult(probe=probe, language=language, said=trap, control_said=control)
        for (language, probe), (trap, control) in zip(chosen, said, strict=True)
    ]
    return sorted(results, key=lambda result: order.index(result.probe.kind))


def _said(judge: Judge, probes: Sequence[Probe]) -> list[tuple[str, str]]:
    inputs: list[JudgeInput] = []
    for number, probe in enumerate(probes):
        # Ids say nothing of trap or control: a judge that reads them must not profit.
        inputs.append(JudgeInput(id=f"p{2 * number}", claim=probe.claim, context=probe.context))
        inputs.append(
            JudgeInput(
                id=f"p{2 * number + 1}",
                claim=probe.control,
                context=probe.control_context or probe.context,
            )
        )
    said = [""] * len(inputs)
    asked = ask(
        judge,
        [item.id for item in inputs],
        lambda places: (inputs[place] for place in places),
        repeat=0,
        irregular=Irregular(),
    )
    for place, answer in asked:
        said[place] = answer.label or answer.outcome
    return list(zip(said[::2], said[1::2], strict=True))


def _folder() -> Path:
    return Path(str(files("voirdire.judges.probes")))
