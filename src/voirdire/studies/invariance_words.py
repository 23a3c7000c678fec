"""The certificate in words that need no statistics."""

from __future__ import annotations

from collections.abc import Sequence

from voirdire.records import Estimate, ReplayNoise, VariantEffect, WordingTest

__all__ = ["certificate_words"]

_FAILS, _HOLDS = 0.5, 0.8
_FEW = 8


def certificate_words(
    judge: str,
    tests: Sequence[WordingTest],
    variants: Sequence[VariantEffect],
    replay: ReplayNoise,
) -> tuple[str, ...]:
    """One sentence a question; a question without claims is answered by saying so."""
    by_name = {test.name: test for test in tests}
    return (
        *(
            _changed(judge, variants, by_name["negation_flip"])
            or [_negation(judge, by_name["negation_flip"], by_name["negation_stuck"])]
        ),
        _paraphrase(judge, by_name["paraphrase_stability"], by_name["paraphrase_harm"]),
        _numbers(judge, by_name["number_blind"]),
        _parity(judge, by_name["language_parity_stability"]),
        _noise(judge, replay),
    )


def _negation(judge: str, flip: WordingTest, stuck: WordingTest) -> str:
    found = flip.estimate
    if found.value is None or found.low is None or found.high is None:
        return (
            "Whether the judge sees a negation is not known: there are no claims, labelled by "
            "people, whose negation turns supported into contradicted or back."
        )
    words = (
        f"When a negation turns the meaning round, {judge} turns its answer too in "
        f"{_hundred(found)}; a judge that never reads the claim does so in none."
    )
    if found.high < _FAILS:
        words += " It does not see negation: a claim and its denial look alike to it."
        if stuck.estimate.value is not None:
            words += f" Its answer does not move at all in {_hundred(stuck.estimate)}."
    elif found.low >= _HOLDS:
        words += " It can be relied on here."
    else:
        words += " It sees some negations and misses others."
    return words


def _changed(judge: str, variants: Sequence[VariantEffect], flip: WordingTest) -> list[str]:
    """Negations that change people's label otherwise than from supported to contradicted."""
    if flip.estimate.value is not None:
        return []
    found = []
    for one in variants:
        if one.group != "negation" or one.follows.value is None or one.follows.n < _FEW:
            continue
        words = (
            f"Where a negation ({one.variant.replace('_', ' ')}) changes what people say, {judge} "
            f"is right about both sentences in {_hundred(one.follows)} and gives the same answer "
            f"to both in {_hundred(one.stuck)}."
        )
        if one.follows.high is not None and one.follows.high < _FAILS:
            words += " It does not see what the negation does."
        found.append(words)
    return found


def _paraphrase(judge: str, stable: WordingTest, harm: WordingTest) -> str:
    found, lost = stable.estimate, harm.estimate
    if found.value is None:
        return "Whether paraphrases change its answer is not known: there are none to compare."
    words = (
        f"Said in other words with the same meaning, a claim gets the same answer from {judge} in "
        f"{_hundred(found)}; a judge that never reads the claim reaches 100."
    )
    if lost.value is not None and lost.low is not None and lost.low > 0:
        words += f" Paraphrases cost it {100 * lost.value:.0f} points of accuracy."
    return words


def _numbers(judge: str, blind: WordingTest) -> str:
    found = blind.estimate
    if found.value is None:
        return (
            "Whether it sees a changed number, date or unit is not known: there are no such pairs "
            "whose original it called supported."
        )
    return (
        f"When a number, date or unit is changed so that the claim becomes wrong, {judge} still "
        f"calls it supported in {_hundred(found)}."
    )


def _parity(judge: str, same: WordingTest) -> str:
    found = same.estimate
    if found.value is None:
        return (
            "Whether it judges alike in two languages is not known: no claim of this set has a "
            "labelled twin in another language."
        )
    return (
        f"Said in another language, a claim gets the same answer from {judge} in "
        f"{_hundred(found)}; a judge that never reads the claim reaches 100."
    )


def _noise(judge: str, replay: ReplayNoise) -> str:
    if replay.floor.value is None:
        return (
            f"How much of this is the judge's own noise is not known: {replay.floor.undefined}. "
            "Ask each claim several times (repeats in study.toml)."
        )
    words = (
        f"Asked the very same claim twice, {judge} answers differently in {_hundred(replay.floor)}."
    )
    beyond = replay.excess.get("paraphrase")
    if beyond is None or beyond.value is None:
        return words
    if beyond.low is not None and beyond.low > 0:
        return words + f" Paraphrases change {100 * beyond.value:.0f} of 100 answers beyond that."
    if beyond.high is not None and beyond.high <= 0.05:
        return words + " Paraphrases change hardly more than that."
    if beyond.value == 0:
        return words + " Paraphrases change no answer beyond that."
    return words + " Whether paraphrases change more than that is open."


def _hundred(rate: Estimate) -> str:
    if rate.value is None:
        return "an unknown share of cases"
    text = f"{100 * rate.value:.0f} of 100 cases"
    if rate.low is None or rate.high is None:
        return f"{text} (of {rate.n})"
    return f"{text} ({100 * rate.low:.0f} to {100 * rate.high:.0f}; {rate.n} pairs)"
