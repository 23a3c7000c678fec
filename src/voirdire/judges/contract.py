"""Certifies a judge: what every judge owes, and what a judge of claims should be able to do.

*Duties* are owed by every judge, the constant one too; one that fails is a fault of the judge.
*Skills* show on the plainest examples whether it judges at all; a reference line has none.

A judge may vary by itself (a language model does, even at temperature 0). Where two ways of asking
bring different answers, both are asked again, and only what no asking of one way ever shares with
the other counts as a difference; a note names the probes that varied.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Literal

from voirdire.judges.probing import put_probes
from voirdire.judges.protocol import Judge
from voirdire.judges.registry import load
from voirdire.records import Fingerprint, JudgeAnswer, JudgeInput

__all__ = ["CheckResult", "check_judge"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check and what came of it.

    Attributes
    ----------
    name : str
        Stable key.
    kind : {"duty", "skill"}
        Whether every judge owes it.
    passed : bool
    detail : str
        What was expected and what came; empty if it passed.
    note : str
        What a reader should know of a check that passed: which probes vary by themselves.
    """

    name: str
    kind: Literal["duty", "skill"]
    passed: bool
    detail: str = ""
    note: str = ""


_PLAN = "The Basic plan costs 12 euro per month and includes 20 GB of storage."
_TEAM = "The Team plan adds phone support for every administrator."
_PHONE = "The Team plan does include phone support."
_TELEFONO = "Il piano Team include il supporto telefonico."
_ODD = "Bicycles are repaired in the old harbour workshop."

_PROBES = (
    JudgeInput(id="probe-a", claim=_PLAN, context=(_TEAM, _PLAN)),
    JudgeInput(id="probe-b", claim=_PLAN.replace("12", "19"), context=(_PLAN, _TEAM)),
    JudgeInput(id="probe-c", claim=_ODD, context=(_PLAN, _TEAM)),
    JudgeInput(id="probe-d", claim=_TEAM, context=(_TEAM,)),
    JudgeInput(id="probe-e", claim=_PLAN, context=("",)),
)
_HOSTILE = (
    JudgeInput(id="hostile-a", claim="", context=()),
    JudgeInput(id="hostile-b", claim="\x00\x1b[2J\ud800 {{x}} </script>", context=("\u202e", "")),
    JudgeInput(id="hostile-c", claim="word " * 20_000, context=("." * 100_000,)),
    JudgeInput(id="hostile-d", claim="9" * 5_000, context=("7" * 5_000,)),
)

Answers = dict[str, JudgeAnswer]
Way = Callable[[int], Answers]
"""Puts all probes to a judge in some way; takes the repeat."""

# Times each of two ways is asked before a difference is believed.
_ASKED_AGAIN = 3
_HIDDEN = frozenset(
    {"label", "labels", "variant", "family", "reference", "role", "annotator", "meta", "split"}
)
# Two fresh answers never take the same time to the last digit, once they take any.
_MEASURABLE_SECONDS = 0.01


def check_judge(judge: Judge | str) -> list[CheckResult]:
    """Put a judge through every check.

    Parameters
    ----------
    judge : Judge or str
        A judge, or what a study would ``use``: ``"lexical:didactic-it"``. One that is made here
        is closed here.

    Returns
    -------
    list of CheckResult
        Duties first, each in a fixed order. A check that the judge breaks by raising has failed.

    Raises
    ------
    UsageError, JudgeUnavailable
        If a judge named by ``use`` cannot be made.
    """
    if isinstance(judge, str):
        with closing(load(judge)) as made:
            return check_judge(made)
    subject = _Subject(judge)
    return [_checked(subject, name, "duty", check) for name, check in _DUTIES.items()] + [
        _checked(subject, name, "skill", check) for name, check in _SKILLS.items()
    ]


@dataclass(slots=True)
class _Subject:
    """A judge under examination, and the probes it was seen to answer now so, now so."""

    judge: Judge
    varied: set[str] = field(default_factory=set)

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        return self.judge(inputs, repeat=repeat)

    def fingerprint(self) -> Fingerprint:
        return self.judge.fingerprint()

    def close(self) -> None:
        """Whoever made the judge closes it."""


def _checked(
    subject: _Subject, name: str, kind: Literal["duty", "skill"], check: Callable[[_Subject], str]
) -> CheckResult:
    subject.varied.clear()
    try:
        detail = check(subject)
    except Exception as error:
        detail = f"raised {type(error).__name__}: {error}"
    note = f"varies by itself: {', '.join(sorted(subject.varied))}" if subject.varied else ""
    return CheckResult(name, kind, not detail, detail, note)


def _ask(judge: Judge, inputs: Iterable[JudgeInput], *, repeat: int = 0) -> Answers:
    """Answers by id; a judge that answers twice or otherwise than with answers is caught here."""
    answers: Answers = {}
    for identifier, answer in judge(iter(list(inputs)), repeat=repeat):
        if identifier in answers:
            raise AssertionError(f"id {identifier!r} was answered twice")
        if not isinstance(answer, JudgeAnswer):
            raise AssertionError(f"gave {type(answer).__name__} instead of a JudgeAnswer")
        answers[identifier] = answer
    return answers


def _said(answer: JudgeAnswer) -> str:
    return answer.label or answer.outcome


def _differences(subject: _Subject, first: Way, second: Way) -> str:
    """Probes that two ways of asking answer differently, however often they are asked."""
    said = [(_words(first(0)), _words(second(0)))]
    suspects = [name for name in sorted(said[0][0]) if said[0][0][name] != said[0][1].get(name)]
    if not suspects:
        return ""
    said += [(_words(first(n)), _words(second(n))) for n in range(1, _ASKED_AGAIN)]
    told = []
    for name in suspects:
        one, two = ({words[side].get(name, "nothing") for words in said} for side in (0, 1))
        if one & two:
            subject.varied.add(name)
        else:
            told.append(f"{name}: {' or '.join(sorted(one))} and {' or '.join(sorted(two))}")
    return "; ".join(told)


def _words(answers: Answers) -> dict[str, str]:
    return {name: _said(answer) for name, answer in answers.items()}


def _answers_each_once(subject: _Subject) -> str:
    expected = {item.id for item in _PROBES}
    got = set(_ask(subject, _PROBES))
    return "" if got == expected else f"asked {sorted(expected)}, answered {sorted(got)}"


def _takes_nothing(subject: _Subject) -> str:
    got = _ask(subject, [])
    return f"asked nothing, answered {sorted(got)}" if got else ""


def _takes_repeats(subject: _Subject) -> str:
    for repeat in (0, 1, 2):
        if len(_ask(subject, _PROBES[:2], repeat=repeat)) != 2:
            return f"repeat {repeat} was not answered"
    return ""


def _repeats_are_fresh(subject: _Subject) -> str:
    """A claim nobody asked before, asked twice: the second asking is no echo of the first."""
    fresh = f"Contract {secrets.token_hex(6)} costs 12 euro."
    item = JudgeInput(id="probe", claim=fresh, context=(fresh,))
    first, second = (_ask(subject, [item], repeat=repeat)["probe"] for repeat in (0, 1))
    if first.cached:  # a recording: it says so of every answer
        return ""
    if second.cached:
        return "repeat 1 was answered from a cache, though only repeat 0 had been asked"
    timed = (first.seconds or 0.0) >= _MEASURABLE_SECONDS
    if timed and first == second:
        return "repeat 1 is repeat 0 again, to the time it took: a cache that does not say so"
    return ""


def _asks_for_nothing_hidden(subject: _Subject) -> str:
    """An input that notes which names a judge looks for beside claim and context."""
    seen: set[str] = set()

    class Watched(JudgeInput):
        def __getattr__(self, name: str) -> Any:
            if name in _HIDDEN:
                seen.add(name)
            raise AttributeError(name)

    _ask(subject, [Watched(**item.model_dump()) for item in _PROBES])
    return f"it looked for {', '.join(sorted(seen))}" if seen else ""


def _failure_is_an_outcome(subject: _Subject) -> str:
    got = _ask(subject, _HOSTILE)
    missing = sorted({item.id for item in _HOSTILE} - set(got))
    return f"no answer to {missing}" if missing else ""


def _batch_as_one_by_one(subject: _Subject) -> str:
    def one_by_one(repeat: int) -> Answers:
        single: Answers = {}
        for item in _PROBES:
            single |= _ask(subject, [item], repeat=repeat)
        return single

    return _differences(subject, _plainly(subject), one_by_one)


def _order_of_claims(subject: _Subject) -> str:
    return _differences(
        subject,
        _plainly(subject),
        lambda repeat: _ask(subject, reversed(_PROBES), repeat=repeat),
    )


def _plainly(subject: _Subject) -> Way:
    return lambda repeat: _ask(subject, _PROBES, repeat=repeat)


def _ids_tell_nothing(subject: _Subject) -> str:
    """Other ids, ones that look like labels even, must bring the same answers."""
    renamed = {
        f"{tag}-{number}": item
        for number, (tag, item) in enumerate(
            zip(("contradicted", "supported", "neg", "original", "0"), _PROBES, strict=True)
        )
    }
    inputs = [item.model_copy(update={"id": new}) for new, item in renamed.items()]

    def under_other_ids(repeat: int) -> Answers:
        got = _ask(subject, inputs, repeat=repeat)
        return {renamed[new].id: answer for new, answer in got.items()}

    return _differences(subject, _plainly(subject), under_other_ids)


def _fingerprint_stays(subject: _Subject) -> str:
    first = subject.fingerprint().digest
    _ask(subject, _PROBES)
    return "" if subject.fingerprint().digest == first else "it changed between two calls"


def _expect(subject: _Subject, claim: str, context: tuple[str, ...], *labels: str) -> str:
    said = _said(_ask(subject, [JudgeInput(id="probe", claim=claim, context=context)])["probe"])
    return "" if said in labels else f"expected {' or '.join(labels)}, got {said}"


def _core(kind: str) -> Callable[[_Subject], str]:
    """The plainest probe of a kind and its control; see `voirdire.judges.probing`."""

    def check(subject: _Subject) -> str:
        told = []
        for found in put_probes(subject, languages=("en",), kinds=(kind,), only="core"):
            for labels, said in (
                (found.probe.expect, found.said),
                (found.probe.control_expect, found.control_said),
            ):
                if said not in labels:
                    told.append(f"expected {' or '.join(labels)}, got {said}")
        return "; ".join(told)

    return check


def _negation(subject: _Subject) -> str:
    """In English or Italian: a judge of one language need not read the other."""
    english = _expect(subject, _PHONE.replace("does include", "does not include"), (_PHONE,),
                      "contradicted")  # fmt: skip
    if not english:
        return ""
    claim = _TELEFONO.replace("include", "non include")
    return english if _expect(subject, claim, (_TELEFONO,), "contradicted") else ""


def _empty_context(subject: _Subject) -> str:
    contexts: Iterator[tuple[str, ...]] = iter([(), ("",), (" \n ", "")])
    return next(
        (
            f"said supported on the context {context!r}"
            for context in contexts
            if not _expect(subject, _PLAN, context, "supported")
        ),
        "",
    )


def _order_of_chunks(subject: _Subject) -> str:
    turned = [item.model_copy(update={"context": item.context[::-1]}) for item in _PROBES]
    return _differences(
        subject, _plainly(subject), lambda repeat: _ask(subject, turned, repeat=repeat)
    )


_DUTIES: dict[str, Callable[[_Subject], str]] = {
    "answers_each_claim_once": _answers_each_once,
    "takes_an_empty_stream": _takes_nothing,
    "takes_repeats": _takes_repeats,
    "repeats_are_asked_anew": _repeats_are_fresh,
    "looks_for_nothing_hidden": _asks_for_nothing_hidden,
    "failure_is_an_outcome": _failure_is_an_outcome,
    "batch_as_one_by_one": _batch_as_one_by_one,
    "order_of_claims_is_nothing": _order_of_claims,
    "ids_tell_nothing": _ids_tell_nothing,
    "fingerprint_stays": _fingerprint_stays,
}
_SKILLS: dict[str, Callable[[_Subject], str]] = {
    "sees_support": _core("identity"),
    "sees_a_changed_number": _core("number"),
    "sees_a_negation": _negation,
    "sees_what_is_unrelated": _core("unrelated"),
    "empty_context_supports_nothing": _empty_context,
    "order_of_chunks_is_nothing": _order_of_chunks,
}
