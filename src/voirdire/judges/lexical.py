"""Counts how much of a claim stands in one sentence of the context; every step can be seen.

The rule. Tokens are runs of letters, digits and slashes, lower-case; stop words go; a token with
a digit is a number, any other is cut to its first letters, the root. Coverage of a sentence is the
share of the claim's different roots and numbers that stand in it; the first sentence of highest
coverage is the evidence. Then

- *supported*: all numbers of the claim stand in the evidence and coverage >= threshold;
- *contradicted*: a number is missing, but the share of roots there is >= threshold (a claim
  without roots counts as 1);
- *unverifiable*: everything else, an empty context among it.

Among sentences of one coverage the evidence is the one that holds all numbers, then the one with
more roots, then (guard on) the one with as many negations, odd or even, as the claim; only then
the first. So neither the order of the chunks nor that of the sentences can change the label.

The negation guard (cue words in the language file): where claim and evidence differ in an odd or
even count of negations, *supported* becomes *contradicted*.

A claim without any root or number, or one that only greets or declines (language file), is
*not applicable*: it asserts nothing that a context could support.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

from pydantic import Field

from voirdire.judges.parameters import described, settled
from voirdire.judges.reading import ChunkRead, ClaimRead, Reader
from voirdire.judges.text import Language, load_language, shipped_languages
from voirdire.judges.text.languages import Words
from voirdire.records import Fingerprint, JudgeAnswer, JudgeInput, Label, Record, trusted

__all__ = ["PARAMETERS", "PATH_PARAMETERS", "PRESETS", "LexicalJudge", "LexicalParameters", "make"]

VERSION: Final = "1"
AUTO: Final = "auto"
_LONGEST_QUOTE = 1000

_DIDACTIC_IT = (
    "il lo la i gli le un una di a da in con su per e al del della che è ha include offre"
)


class LexicalParameters(Record):
    """What can be set of the lexical judge."""

    language: str = Field(
        default="en",
        description="code of a language file, or auto: the language of most stop words",
    )
    language_file: str | None = Field(
        default=None, description="path of a language file of your own, instead of language"
    )
    threshold: float = Field(
        default=0.75, gt=0, le=1, description="coverage from which a claim counts as supported"
    )
    stem_length: int = Field(default=5, ge=1, le=100, description="letters of a token that count")
    stop_words: Words | None = Field(
        default=None, description="words that do not count, instead of the language's"
    )
    normalise_numbers: bool = Field(
        default=True, description="read 1.000,50 and 1,000.50 as one number"
    )
    negation_guard: bool = Field(
        default=True, description="an odd number of negations more or less contradicts"
    )
    not_claims: bool = Field(default=True, description="greetings and refusals are not applicable")


_PRESETS: Final[Mapping[str, dict[str, Any]]] = {
    "en": {"language": "en"},
    "it": {"language": "it"},
    "auto": {"language": AUTO},
    "didactic-it": {
        "language": "it",
        "stop_words": _DIDACTIC_IT,
        "normalise_numbers": False,
        "negation_guard": False,
        "not_claims": False,
    },
}
PRESETS: Final[Mapping[str, str]] = {
    "en": "English, with the negation guard; the default",
    "it": "Italian, with the negation guard",
    "auto": "each claim in the shipped language whose stop words it and its context hold most of",
    "didactic-it": "the bare rule with a short Italian stop list; no guard",
}
PARAMETERS: Final[Mapping[str, str]] = described(LexicalParameters)
PATH_PARAMETERS: Final = ("language_file",)


def make(parameters: dict[str, Any], preset: str | None) -> LexicalJudge:
    """Make a lexical judge; see `LexicalParameters` and `PRESETS`.

    Raises
    ------
    UsageError
        For an unknown preset, parameter or language, or a value that is not allowed.
    InputError
        If a language file of one's own says something that is not allowed.
    """
    set_to = settled(LexicalParameters, parameters, preset, presets=_PRESETS, judge="lexical")
    return LexicalJudge(set_to)


class _Best(NamedTuple):
    """The evidence and what it covers."""

    sentence: str
    hits: int
    root_hits: int
    missing: tuple[str, ...]

    @property
    def all_numbers(self) -> bool:
        return not self.missing


class LexicalJudge:
    """The lexical rule of this module as a judge.

    Parameters
    ----------
    parameters : LexicalParameters
        Everything that can be set.
    """

    def __init__(self, parameters: LexicalParameters) -> None:
        self._set = parameters
        self._languages = _languages(parameters)
        self._reader = Reader(
            self._languages,
            stem_length=parameters.stem_length,
            stop_words=parameters.stop_words,
            normalise_numbers=parameters.normalise_numbers,
        )

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        """Answer claims one by one, in their order. Repeats are alike: the rule knows no chance."""
        for item in inputs:
            yield item.id, self.answer(item)

    def answer(self, item: JudgeInput) -> JudgeAnswer:
        """The answer to one claim; what goes wrong is an outcome."""
        started = time.perf_counter()
        try:
            answer = self._answer(item)
        except Exception as error:
            answer = {"outcome": "failed", "error": f"{type(error).__name__}: {error}"}
        answer["seconds"] = round(time.perf_counter() - started, 7)
        return trusted(JudgeAnswer, answer)

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of its language files."""
        return tuple(language.code for language in self._languages)

    def fingerprint(self) -> Fingerprint:
        """Every parameter and the contents of the language files."""
        parameters = self._set.model_dump(mode="json", exclude={"language_file"})
        parameters["language"] = AUTO if self._auto else self._languages[0].code
        digests = {language.code: language.digest for language in self._languages}
        return Fingerprint(
            judge="lexical",
            version=VERSION,
            parameters={**parameters, "language_sha256": digests},
        )

    def close(self) -> None:
        """Forget the sentences kept for claims with the same context."""
        self._reader.forget()

    @property
    def _auto(self) -> bool:
        return self._set.language_file is None and self._set.language == AUTO

    def _answer(self, item: JudgeInput) -> dict[str, Any]:
        language = self._reader.language_of((item.claim, *item.context))
        claim = self._reader.claim(item.claim, language)
        if not claim.items:
            return _not_applicable("no root or number is left of the claim without stop words")
        if self._set.not_claims and self._reader.is_no_claim(claim, language):
            return _not_applicable("the claim greets or declines and asserts nothing")
        parts = self._reader.context(item.context, language)
        best = self._best(claim, parts, language)
        if best is None:
            return _unverifiable("the context holds no word")
        return self._judged(claim, best, language)

    def _best(self, claim: ClaimRead, parts: list[ChunkRead], language: Language) -> _Best | None:
        """The evidence: highest coverage, ties broken as the module says."""
        most, tied = _most_covering(claim.items, parts)
        if not tied:
            return None
        ranked = [_best_of(part, bit, most, claim.numbers) for part, bit in tied]
        if len(ranked) == 1 or most == 0:
            return ranked[0]
        ranked.sort(key=lambda best: (best.all_numbers, best.root_hits), reverse=True)
        first = ranked[0]
        alike = (
            best
            for best in ranked
            if (best.all_numbers, best.root_hits) == (first.all_numbers, first.root_hits)
            and self._same_negation(claim, best.sentence, language)
        )
        return next(alike, first)

    def _judged(self, claim: ClaimRead, best: _Best, language: Language) -> dict[str, Any]:
        label, why = self._label(claim, best, language)
        if best.hits == 0 and label == "unverifiable":
            return _unverifiable("no root and no number of the claim stands in the context")
        n, quote = len(claim.items), _shortened(best.sentence)
        coverage = best.hits / n
        return {
            "outcome": "judged",
            "label": label,
            "score": coverage,
            "evidence": quote,
            "rationale": f"coverage {coverage:.2f} ({best.hits} of {n} roots and numbers); "
            f'{_shortened(why)}; sentence: "{quote}"',
        }

    def _label(self, claim: ClaimRead, best: _Best, language: Language) -> tuple[Label, str]:
        """The rule itself, and why in words."""
        threshold = self._set.threshold
        if best.all_numbers:
            if best.hits / len(claim.items) < threshold:
                return "unverifiable", f"below the threshold {threshold:g}"
            if not self._same_negation(claim, best.sentence, language):
                return "contradicted", "claim and sentence differ in negation"
            return "supported", f"at least the threshold {threshold:g}, every number there"
        roots = len(claim.items) - len(claim.numbers)
        missing = "lacks " + ", ".join(best.missing)
        agree = f"{best.root_hits} of {roots} roots agree"
        if not roots or best.root_hits / roots >= threshold:
            return "contradicted", f"{agree}, but the sentence {missing}"
        return "unverifiable", f"the sentence {missing}, and only {agree}"

    def _same_negation(self, claim: ClaimRead, sentence: str, language: Language) -> bool:
        if not self._set.negation_guard or sentence == claim.text:
            return True
        in_claim = language.negations(claim.tokens)
        return in_claim % 2 == self._reader.negations(sentence, language) % 2


def _most_covering(
    items: frozenset[str], parts: Sequence[ChunkRead]
) -> tuple[int, list[tuple[ChunkRead, int]]]:
    """The highest count of items in one sentence, and the sentences that have it, in order.

    A sentence is a part and its bit in there. Where no sentence holds any item, the first of all
    stands for them: they are alike.
    """
    most, tied = -1, list[tuple[ChunkRead, int]]()
    for part in parts:
        shared = items & part.places.keys()
        if len(shared) < most:  # no sentence of it can hold as many
            continue
        hits = _hits(shared, part.places)
        top = max(hits.values(), default=0)
        if top < most or (top == most == 0):
            continue
        if top > most:
            most, tied = top, []
        tied += [(part, bit) for bit in sorted(hits) if hits[bit] == top] if top else [(part, 1)]
    return most, tied


def _hits(shared: Set[str], places: Mapping[str, int]) -> dict[int, int]:
    """How many of the items shared with a chunk stand in each of its sentences, by its bit."""
    hits: dict[int, int] = {}
    for item in shared:
        bits = places[item]
        while bits:
            lowest = bits & -bits
            hits[lowest] = hits.get(lowest, 0) + 1
            bits ^= lowest
    return hits


def _best_of(part: ChunkRead, bit: int, hits: int, numbers: frozenset[str]) -> _Best:
    missing = tuple(sorted(one for one in numbers if not part.places.get(one, 0) & bit))
    root_hits = hits - (len(numbers) - len(missing))
    return _Best(part.texts[bit.bit_length() - 1], hits, root_hits, missing)


def _languages(parameters: LexicalParameters) -> tuple[Language, ...]:
    if parameters.language_file is not None:
        return (load_language("", file=parameters.language_file),)
    if parameters.language == AUTO:
        return tuple(load_language(code) for code in shipped_languages())
    return (load_language(parameters.language),)


def _not_applicable(why: str) -> dict[str, Any]:
    return {"outcome": "not_applicable", "rationale": why}


def _unverifiable(why: str) -> dict[str, Any]:
    return {
        "outcome": "judged",
        "label": "unverifiable",
        "score": 0.0,
        "rationale": f"coverage 0.00; {why}",
    }


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + " […]"
