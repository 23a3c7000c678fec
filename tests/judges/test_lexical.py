"""The lexical rule, case by case, against a second writing of it, and what must not matter."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import UsageError
from voirdire.judges import load, reading
from voirdire.judges.lexical import LexicalJudge, _most_covering, make
from voirdire.judges.reading import ChunkRead
from voirdire.records import JudgeAnswer, JudgeInput

STOP_LIST = "il lo la i gli le un una di a da in con su per e al del della che è ha include offre"
STOP = set(STOP_LIST.split())


def ask(claim: str, *context: str, preset: str = "en", **parameters: Any) -> JudgeAnswer:
    return make(parameters, preset).answer(JudgeInput(id="x", claim=claim, context=context))


def said(*args: Any, **kwargs: Any) -> str:
    answer = ask(*args, **kwargs)
    return answer.label or answer.outcome


def bare_rule(claim: str, sentences: list[str]) -> set[str]:
    """The rule of the preset didactic-it written a second time: the labels that first-of-highest
    could give over all orders of the sentences."""

    def parts(text: str) -> tuple[set[str], set[str]]:
        runs = [t for t in re.findall(r"[^\W_/]+(?:/[^\W_/]+)*", text.lower()) if t not in STOP]
        numbers = {t for t in runs if any(c.isdigit() for c in t)}
        return {t[:5] for t in runs if t not in numbers}, numbers

    roots, numbers = parts(claim)
    best, labels = -1.0, set[str]()
    for sentence in sentences:
        there = set().union(*parts(sentence))
        coverage = len((roots | numbers) & there) / len(roots | numbers)
        share = len(roots & there) / len(roots) if roots else 1
        if numbers <= there:
            label = "supported" if coverage >= 0.75 else "unverifiable"
        else:
            label = "contradicted" if share >= 0.75 else "unverifiable"
        if coverage > best:
            best, labels = coverage, {label}
        elif coverage == best:
            labels.add(label)
    return labels


WORD_LIST = "il piano base costa euro utente assistenza telefono 24/7 12 19 non chat mese"
WORDS = st.sampled_from(WORD_LIST.split())
SENTENCE = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


@given(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=4))
@settings(max_examples=300)
def test_didactic_preset_is_the_bare_rule(claim: str, sentences: list[str]) -> None:
    answer = ask(claim, *(f"{s}." for s in sentences), preset="didactic-it")
    if answer.outcome == "not_applicable":
        assert all(word in STOP for word in claim.split())
    else:
        assert answer.label in bare_rule(claim, sentences)


def test_didactic_preset_is_exactly_as_written() -> None:
    parameters = load("lexical:didactic-it").fingerprint().parameters
    assert set(parameters["stop_words"]) == STOP
    assert parameters["threshold"] == 0.75
    assert parameters["stem_length"] == 5
    assert parameters["negation_guard"] is False


@pytest.mark.parametrize(
    ("claim", "context", "label"),
    [
        ("Il Base include l'assistenza 24/7", "Il Base offre l'assistenza 24/7.", "supported"),
        ("Il piano Base costa 19 euro", "Il piano Base costa 12 euro.", "contradicted"),
        ("Il piano Base include la chat", "Spedizione gratuita da lunedì.", "unverifiable"),
        ("42", "Il piano costa 12 euro.", "contradicted"),  # no roots counts as 1
        ("Il piano Base non include la chat", "Il piano Base include la chat.", "supported"),
    ],
)  # fmt: skip
def test_didactic_cases(claim: str, context: str, label: str) -> None:
    assert said(claim, context, preset="didactic-it") == label


@pytest.mark.parametrize(
    ("claim", "context", "label"),
    [
        ("64 ans", "62 ans", "contradicted"),
        ("The population is 999 million.", "The population is **67 million**.", "contradicted"),
        ("The plan does not include chat help.", "The plan includes chat help.", "contradicted"),
        ("The plan includes chat help.", "The plan doesn't include chat help.", "contradicted"),
        ("Chat phone mail fax not without", "Chat phone mail fax not lacking", "supported"),
        ("Paris", "Paris is in France", "supported"),
        ("Anything at all.", "", "unverifiable"),
        ("It is.", "It is.", "not_applicable"),
        ("?!", "It is.", "not_applicable"),
        ("Hello!", "Paris is in France.", "not_applicable"),
        ("I cannot answer that.", "Paris is in France.", "not_applicable"),
        ("It costs $1,000.50 a month.", "It costs 1000.50 a month.", "supported"),
    ],
)  # fmt: skip
def test_english_cases(claim: str, context: str, label: str) -> None:
    assert said(claim, context) == label


def test_italian_numbers_and_guard() -> None:
    assert said("Costa 1.000,50 euro", "Costa 1,000.50 euro.", preset="it") == "supported"
    assert said("Sconto del 12,5%", "Sconto del 12.5 %.", preset="it") == "supported"
    assert (
        said("Il piano non prevede chat", "Il piano prevede la chat.", preset="it")
        == "contradicted"
    )
    assert said("Il piano non prevede alcuna chat telefonica veloce",
                "Il piano prevede alcuna chat telefonica veloce.",
                preset="it", negation_guard=False) == "supported"  # fmt: skip


def test_no_context_is_never_supported() -> None:
    for context in ((), ("",), (" \n", "***")):
        assert said("The plan costs 12 euro.", *context) == "unverifiable"


def test_auto_reads_each_claim_in_its_language() -> None:
    assert (
        said("Costa 1.000 euro al mese", "Il piano costa 1000 euro al mese.", preset="auto")
        == "supported"
    )
    assert (
        said("It costs 1,000 euro a month", "The plan costs 1000 euro a month.", preset="auto")
        == "supported"
    )


def test_answer_shows_its_reason() -> None:
    answer = ask("Basic costs 19 euro", "Basic **costs** 12 euro. Nothing else.")
    assert answer.score == 0.75
    assert answer.evidence == "Basic costs 12 euro."
    assert answer.rationale is not None
    for part in ("coverage 0.75 (3 of 4", "lacks 19", '"Basic costs 12 euro."'):
        assert part in answer.rationale
    assert answer.probabilities is None
    assert answer.seconds is not None


def test_threshold_and_stem_length() -> None:
    claim, context = "alpha beta gamma delta", "alpha beta gamma."
    assert said(claim, context) == "supported"
    assert said(claim, context, threshold=0.76) == "unverifiable"
    assert said("subscriptions", "subscribers") == "supported"
    assert said("subscriptions", "subscribers", stem_length=9) == "unverifiable"
    assert said("alpha beta", "beta", stop_words="alpha") == "supported"


CLAIMS = st.text(alphabet="abé 1,.2/-'", min_size=1, max_size=30)


@given(CLAIMS, st.lists(CLAIMS, max_size=4), st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_order_of_chunks_changes_no_label(claim: str, chunks: list[str], rng: Any) -> None:
    turned = list(chunks)
    rng.shuffle(turned)
    for preset in ("en", "it", "didactic-it"):
        assert said(claim, *chunks, preset=preset) == said(claim, *turned, preset=preset)


NOT_WORDS = st.sampled_from(["not", "never", "plan", "chat", "12", "phone", "without"])


@given(st.lists(NOT_WORDS, min_size=1, max_size=5).map(" ".join),
       st.lists(st.lists(NOT_WORDS, min_size=1, max_size=5).map(" ".join), max_size=4))  # fmt: skip
def test_order_changes_no_label_under_the_guard(claim: str, chunks: list[str]) -> None:
    assert said(claim, *chunks) == said(claim, *reversed(chunks))


@given(CLAIMS, st.lists(CLAIMS, min_size=1, max_size=3))
@settings(max_examples=200)
def test_white_space_and_bold_change_nothing(claim: str, chunks: list[str]) -> None:
    plain = ask(claim, *chunks)

    def spaced(text: str) -> str:
        return f" {text} ".replace(" ", " \n\t ")

    def bold(text: str) -> str:
        return re.sub(r"[abé]+", lambda found: f"**{found[0]}**", text)

    for change in (spaced, bold, lambda text: f"<b>{text}</b>"):
        changed = ask(change(claim), *map(change, chunks))
        assert (changed.outcome, changed.label, changed.score) == (
            plain.outcome, plain.label, plain.score,
        )  # fmt: skip


def test_unrelated_chunk_changes_nothing() -> None:
    context = ("The Basic plan costs 12 euro.", "Chat is open all day.")
    for claim in ("Basic costs 12 euro", "Basic costs 19 euro", "Chat is closed"):
        assert said(claim, *context) == said(claim, "Bicycles rust in rain.", *context)


def test_one_failing_claim_is_an_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = make({}, None)
    original = LexicalJudge._answer

    def breaks(self: LexicalJudge, item: JudgeInput) -> Any:
        if "boom" in item.claim:
            raise KeyError("boom")
        return original(self, item)

    monkeypatch.setattr(LexicalJudge, "_answer", breaks)
    items = [JudgeInput(id=c, claim=c, context=("x b",)) for c in ("x", "boom", "b")]
    answers = dict(judge(items, repeat=0))
    assert answers["boom"].outcome == "failed"
    assert answers["boom"].error == "KeyError: 'boom'"
    assert answers["x"].label == answers["b"].label == "supported"


def test_long_claim_and_long_context() -> None:
    answer = ask("word " * 20_000, "word " * 200_000)
    assert answer.label == "supported"
    assert len(answer.evidence or "") < 1100
    assert len(answer.rationale or "") < 2500


def test_fingerprint_tells_settings_apart() -> None:
    uses = [("en", {}), ("it", {}), ("auto", {}), ("didactic-it", {}), ("en", {"threshold": 0.8})]
    digests = [make(parameters, preset).fingerprint().digest for preset, parameters in uses]
    assert len(set(digests)) == len(digests)
    assert make({}, None).fingerprint() == make({"language": "en"}, "en").fingerprint()


@pytest.mark.parametrize(
    ("parameters", "preset", "message"),
    [
        ({"treshold": 1}, None, "did you mean 'threshold'"),
        ({}, "didatic-it", "did you mean 'didactic-it'"),
        ({"threshold": 0}, None, "threshold"),
        ({"language": "klingon"}, None, "does not know the language 'klingon'"),
    ],
)
def test_refusals(parameters: dict[str, Any], preset: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make(parameters, preset)


@given(
    st.frozensets(st.sampled_from("abcdef"), min_size=1),
    st.lists(st.lists(st.sets(st.sampled_from("abcdefgh")), min_size=1, max_size=4), max_size=4),
)
@settings(max_examples=150, deadline=None)
def test_chunks_passed_over_could_not_have_won(
    items: frozenset[str], chunks: list[list[set[str]]]
) -> None:
    parts = [_chunk_read(number, chunk) for number, chunk in enumerate(chunks)]
    counts = [
        (f"{n}.{m}", len(items & one)) for n, c in enumerate(chunks) for m, one in enumerate(c)
    ]
    best = max((count for _, count in counts), default=-1)
    wanted = [name for name, count in counts if count == best]
    most, tied = _most_covering(items, parts)
    found = [part.texts[bit.bit_length() - 1] for part, bit in tied]
    assert (most, found) == (best, wanted if best else wanted[:1])


def _chunk_read(number: int, chunk: list[set[str]]) -> ChunkRead:
    places = {
        item: sum(1 << place for place, one in enumerate(chunk) if item in one)
        for item in set().union(*chunk)
    }
    return ChunkRead(tuple(f"{number}.{place}" for place in range(len(chunk))), places)


def test_digits_of_any_script_are_numbers() -> None:
    claim = "Der Plan kostet \u0661\u0662 Euro."
    assert said(claim, "Der Plan kostet \u0661\u0662 Euro.") == "supported"
    assert said(claim, "Der Plan kostet \u0661\u0663 Euro.") == "contradicted"


def test_what_was_read_of_chunks_is_kept_by_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_LETTERS_KEPT", 10)
    asked: list[str] = []

    def read(chunk: str, code: str) -> tuple[ChunkRead, ...]:
        asked.append(chunk)
        return ()

    kept = reading._Kept(read)
    for chunk in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"):  # the third drops the oldest
        assert kept(chunk, "en") == ()
    assert asked == ["aaaa", "bbbb", "cccc", "bbbb"]
    assert kept._letters == 8
    kept("aaaa", "it")
    assert asked[-1] == "aaaa"
    kept.clear()
    kept("aaaa", "it")
    assert len(asked) == 6


def test_claims_of_one_context_and_of_another_do_not_mix() -> None:
    judge = make({}, "en")
    one, two = ("The plan costs 12 euro.",), ("The plan costs 15 euro.",)
    inputs = [
        JudgeInput(id=str(n), claim="The plan costs 12 euro.", context=context)
        for n, context in enumerate((one, one, two, one, ()))
    ]
    assert [answer.label for _, answer in judge(inputs, repeat=0)] == [
        "supported", "supported", "contradicted", "supported", "unverifiable",
    ]  # fmt: skip
