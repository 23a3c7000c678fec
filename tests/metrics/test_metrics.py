"""Numbers of the metrics, by hand and against the issue's and Ragas' figures."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from voirdire.judges import load
from voirdire.metrics import (
    REASONS,
    answer_faithfulness,
    answer_relevancy,
    attribute_by_evidence,
    attribute_by_tfidf,
    borderline_kinds,
    bounds_with_partial,
    context_precision,
    context_recall,
    context_verdict,
    draw_queue,
    draw_sample,
    extrapolated,
    gap_sentence,
    growth_of,
    parse_share,
    spread,
    tfidf_cosines,
)
from voirdire.metrics.missing import counted
from voirdire.records import JudgeInput
from voirdire.stats import missing_bounds

S, C, U = "supported", "contradicted", "unverifiable"


def test_faithfulness_is_supported_over_judged() -> None:
    assert answer_faithfulness([S, S, U, C]).score == 0.5
    worked = answer_faithfulness([S, S, S, U])
    assert (worked.score, worked.contradicted, worked.unverifiable) == (0.75, 0.0, 0.25)


def test_a_failed_claim_is_never_supported_and_never_refuted() -> None:
    found = answer_faithfulness([S, None, None, C])
    assert (found.score, found.low, found.high, found.partial) == (0.5, 0.25, 0.75, True)
    nothing = answer_faithfulness([None, None])
    assert (nothing.score, nothing.low, nothing.high, nothing.partial) == (None, 0.0, 1.0, False)
    with pytest.raises(ValueError, match="label must be supported, contradicted, unverifiable"):
        answer_faithfulness(["plausible"])


def test_spread_of_the_worked_example() -> None:
    found = spread([1, 1, 0.75, 1, 0, 0.5, 1, 1])
    assert round(found.mean, 3) == 0.781
    assert round(found.sd, 3) == 0.364
    assert round(found.p10, 3) == 0.350
    assert found.share_below_half == 0.125
    assert found.histogram == (1, 0, 0, 0, 0, 1, 0, 1, 0, 5)
    assert sum(found.histogram) == found.n == 8
    assert spread([None]).mean is None
    assert spread([0.3]).sd is None


def test_histogram_bins_take_their_lower_end_despite_rounding() -> None:
    found = spread([k / 10 for k in range(11)])
    assert found.histogram == (1, 1, 1, 1, 1, 1, 1, 1, 1, 2)


@pytest.mark.parametrize(
    ("relevant", "wanted"),
    [([1, 0, 0], 1.0), ([0, 1, 0], 0.5), ([1, 0, 1], 0.833), ([0, 0, 0], 0.0)],
)
def test_context_precision(relevant, wanted) -> None:
    assert round(context_precision(relevant).value, 3) == wanted


def test_context_precision_undefined() -> None:
    assert context_precision([]).undefined == "no contexts"
    assert context_precision([1, None]).undefined == "a chunk without judgment: 1 of 2"


def test_context_recall() -> None:
    assert context_recall([1, 1, 0, 1]).value == 0.75
    partial = context_recall([1, None])
    assert (partial.value, partial.n, partial.n_asked) == (1.0, 1, 2)
    assert context_recall([]).undefined == "no reference claims"
    assert context_recall([None]).undefined == "no claim was judged"


def test_answer_relevancy_of_three_examples() -> None:
    """TF-IDF over the questions themselves; figures worked out by hand below."""
    question = "What does the Basic plan cost?"
    same = answer_relevancy(question, [question, question, question])
    assert same.value == pytest.approx(1.0, abs=1e-12)
    # idf = ln((1+3)/(1+df)) + 1: 'basic', 'cost' in 2 texts, the rest in 1 of the three texts.
    two, one = np.log(4 / 3) + 1, np.log(4 / 2) + 1
    q, a, b = ["basic", "cost"], ["basic", "refund"], ["cost", "open"]
    norm_q, norm = np.sqrt(2 * two**2), np.sqrt(two**2 + one**2)
    wanted = two**2 / (norm_q * norm)
    mixed = answer_relevancy(" ".join(q), [" ".join(a), " ".join(b)])
    assert mixed.value == pytest.approx(wanted, abs=1e-12)
    assert answer_relevancy(question, ["Who won yesterday?"]).value == 0.0


def test_answer_relevancy_when_evasive_or_without_question() -> None:
    assert answer_relevancy("q", ["a", "b"], evasive=[True, True]).value == 0.0
    assert answer_relevancy("a b", ["a b", "a b"], evasive=[True, False]).value == pytest.approx(1)
    assert answer_relevancy("q", [None, " "]).undefined == "no usable question"
    assert answer_relevancy(" ", ["a"]).undefined == "no usable question"
    with pytest.raises(ValueError, match="evasive must be as long"):
        answer_relevancy("q", ["a"], evasive=[True, False])


def test_embeddings_are_pluggable() -> None:
    def embed(texts):
        return [[len(text), 1.0] for text in texts]

    assert answer_relevancy("ab", ["ab"], embed=embed).value == pytest.approx(1.0)
    with pytest.raises(ValueError, match="embed must give one row per text"):
        answer_relevancy("ab", ["ab"], embed=lambda texts: [[1.0]])


def test_attribution_by_tfidf_finds_chunk_and_neighbours() -> None:
    chunks = [
        "Refunds take 14 days. Write to us.",
        "Plans are simple. Basic costs 12 euro a month. It is billed yearly. Ask for more.",
    ]
    found = attribute_by_tfidf(["The Basic plan costs 12 euro", "zzz"], chunks, widen=1)
    assert found[0].chunk == 1
    said = chunks[1][found[0].start : found[0].end]
    assert said == "Plans are simple. Basic costs 12 euro a month. It is billed yearly."
    assert found[1] is None
    narrow = attribute_by_tfidf(["Basic costs 12 euro"], chunks, widen=0)[0]
    assert chunks[1][narrow.start : narrow.end] == "Basic costs 12 euro a month."
    with pytest.raises(ValueError, match="widen must be >= 0"):
        attribute_by_tfidf(["a"], chunks, widen=-1)


def test_tfidf_cosines_are_scikit_learns() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    claims, chunks = ["basic costs twelve"], ["basic costs twelve euro", "refund in days"]
    rows = TfidfVectorizer(token_pattern=r"\w+").fit_transform(claims + chunks)
    wanted = cosine_similarity(rows[:1], rows[1:])
    assert np.allclose(tfidf_cosines(claims, chunks), wanted, atol=1e-12)
    assert tfidf_cosines(["..."], ["!"]).tolist() == [[0.0]]
    assert tfidf_cosines([], ["a"]).shape == (0, 1)


def test_attribution_by_evidence_survives_markup() -> None:
    chunks = ["Nothing here.", "The **Basic** plan\ncosts 12 euro. It is cheap."]
    assert attribute_by_evidence("The Basic plan costs 12 euro.", chunks).chunk == 1
    plain = attribute_by_evidence("It is cheap.", chunks, widen=1)
    assert chunks[1][plain.start : plain.end] == chunks[1]
    assert attribute_by_evidence("Unheard of.", chunks) is None
    assert attribute_by_evidence(None, chunks) is None


def test_conflict_among_chunks_is_never_hidden() -> None:
    found = context_verdict([S, U, C, S])
    assert (found.label, found.level, found.pairs) == (C, "SOMETIMES", ((0, 2), (3, 2)))
    assert context_verdict([S, U]).level == "NONE"
    assert context_verdict([C, U, C]).level == "ALL"
    assert (context_verdict([U, U]).label, context_verdict([U]).level) == (U, None)
    assert context_verdict([None, None]).label is None
    assert context_verdict([None, U]).label == U
    assert context_verdict([S, C], rule="support_first").label == S
    assert context_verdict([S, S, C], rule="majority").label == S
    assert context_verdict([S, C], rule="majority").label == C
    with pytest.raises(ValueError, match="rule must be one of"):
        context_verdict([S], rule="first")  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", ["contradiction_first", "support_first", "majority"])
def test_the_order_of_chunks_changes_no_aggregate(rule) -> None:
    for labels in itertools.product([S, C, U, None], repeat=4):
        wanted = context_verdict(labels, rule=rule)
        for order in itertools.permutations(labels):
            found = context_verdict(order, rule=rule)
            assert (found.label, found.level) == (wanted.label, wanted.level)


def test_order_and_unrelated_chunks_do_not_move_the_lexical_judge() -> None:
    judge = load("lexical")
    rng = random.Random(3)
    words = [
        "basic",
        "plan",
        "costs",
        "month",
        "euro",
        "refund",
        "support",
        "never",
        "not",
        "free",
        "yearly",
        "twelve",
    ]
    unrelated = ["Zebras graze quietly nearby.", "Xylophones sound bright."]
    for _ in range(200):
        chunks = [
            " ".join(rng.choices([*words, "12", "19"], k=6)).capitalize() + "."
            for _ in range(rng.randint(1, 4))
        ]
        claim = " ".join(rng.choices([*words, "12", "19"], k=4))

        def label(context, claim=claim):
            return judge.answer(JudgeInput(id="x", claim=claim, context=tuple(context))).label

        wanted = label(chunks)
        shuffled = rng.sample(chunks, len(chunks))
        assert label(shuffled) == wanted
        assert label([*unrelated, *shuffled]) == wanted
        assert label([*shuffled, *unrelated]) == wanted


def test_ten_scores_with_three_missing() -> None:
    scores = [1, 1, 1, 1, 1, 0.8, 0.8, None, None, None]
    bounds = missing_bounds(scores)
    assert round(bounds.mean_valid.value, 3) == 0.943
    assert round(bounds.missing_as_0.value, 3) == 0.660
    assert round(bounds.missing_as_1.value, 3) == 0.960
    sentence = gap_sentence(bounds, difference=0.05)
    assert "3 of 10 scores are missing" in sentence
    assert ".943" in sentence
    assert "from .660 to .960" in sentence
    assert "cannot be claimed" in sentence
    assert "narrower" in gap_sentence(bounds, difference=0.5)
    assert gap_sentence(missing_bounds([1, 0.5]), difference=0.05) == ""


def test_golden_bounds(golden) -> None:
    """Manski (1990), Imbens & Manski (2004); golden.json F07, F08 (scipy, R)."""
    case, interval = golden["F07_nan_bounds"], golden["F08_imbens_manski_interval"]
    scores = np.array([np.nan if x is None else x for x in case["input"]["scores"]])
    gone = np.isnan(scores)
    found = bounds_with_partial(scores, np.where(gone, 0, scores), np.where(gone, 1, scores))
    expected, tolerance = case["expected"], case["tolerance"]
    assert found.mean_valid.value == pytest.approx(expected["mean_valid"], abs=tolerance)
    assert found.missing_as_0.value == pytest.approx(expected["mean_nan_as_0"], abs=tolerance)
    assert found.missing_as_1.value == pytest.approx(expected["mean_nan_as_1"], abs=tolerance)
    assert found.missing_rate.value == pytest.approx(expected["nan_rate"], abs=tolerance)
    assert [found.low, found.high] == pytest.approx(
        interval["expected"]["ci"], abs=interval["tolerance"]
    )


def test_partial_scores_widen_the_bounds() -> None:
    scores, low, high = [1.0, 0.5, 0.5], [1.0, 0.25, 0.5], [1.0, 0.75, 0.5]
    found = bounds_with_partial(scores, low, high)
    assert found.mean_valid.value == pytest.approx(2 / 3)
    assert found.missing_as_0.value == pytest.approx(1.75 / 3)
    assert found.missing_as_1.value == pytest.approx(2.25 / 3)
    assert found.low < found.missing_as_0.value
    assert found.high > found.missing_as_1.value


def test_every_reason_has_an_origin_and_a_remedy() -> None:
    assert {reason.origin for reason in REASONS.values()} == {
        "judge or service failed", "no claims extracted", "no usable question",
        "nothing to divide by",
    }  # fmt: skip
    for code, reason in REASONS.items():
        assert reason.remedy, code
        assert reason.missing == (reason.origin != "nothing to divide by")
    rows = counted("faithfulness", {"judge_failed": 2, "empty_answer": 1})
    assert [(one.reason, one.count, one.counts_as_missing) for one in rows] == [
        ("judge_failed", 2, True),
        ("empty_answer", 1, False),
    ]


def test_a_share_is_read_as_people_write_it() -> None:
    assert parse_share("5%") == parse_share("0.05") == parse_share(" .05 ")
    for text in ("0", "5", "101%", "x", "-1%", "nan"):
        with pytest.raises(Exception, match="is no share"):
            parse_share(text)


def test_samples_are_seeded_and_lose_no_stratum() -> None:
    strata = ["en"] * 100 + ["it"] * 3
    places, record = draw_sample(strata, share=0.05, seed=1)
    again, _ = draw_sample(strata, share=0.05, seed=1)
    other, _ = draw_sample(strata, share=0.05, seed=2)
    assert places.tolist() == again.tolist() != other.tolist()
    assert (record.design, record.drawn) == ("random", {"en": 5, "it": 1})
    assert draw_sample(strata, share=1.0, seed=1)[1].design == "census"
    with pytest.raises(ValueError, match="share must be in"):
        draw_sample(strata, share=0, seed=1)


def test_each_answer_has_the_same_chance() -> None:
    hits = np.zeros(20)
    for seed in range(600):
        hits[draw_sample(["a"] * 20, share=0.25, seed=seed)[0]] += 1
    assert hits.min() > 100
    assert hits.max() < 200


def test_extrapolation_covers_the_total() -> None:
    rng = np.random.default_rng(4)
    inside = 0
    for _ in range(400):
        everything = rng.poisson(5, size=300).astype(float)
        pilot = rng.permutation(300)[:10]
        found = extrapolated(everything[pilot].tolist(), to=300)
        inside += found.low <= everything.sum() <= found.high
    assert 0.92 < inside / 400 < 0.98


def test_unknown_costs_stay_unknown() -> None:
    found = extrapolated([0.1, None, 0.1], to=100)
    assert found.value is None
    assert found.undefined == "unknown for 1 of 3 answers"
    assert extrapolated([2.0], to=10).no_interval == "one answer only"
    assert "chunks" in growth_of("context_precision", per_chunk=False)


def test_borderline_claims_and_their_chances() -> None:
    kinds = borderline_kinds(
        [S, S, C, None], [0.74, 1.0, 0.2, 0.75], operating_point=0.75, margin=0.02,
        second=[S, C, C, S],
    )  # fmt: skip
    assert kinds == ["near", "disputed", "plain", None]
    queue = draw_queue(["near"] * 20 + ["plain"] * 80 + [None] * 5, size=10, seed=1)
    assert len(queue) == 10
    chances = {one.kind: one.chance for one in queue}
    assert chances == {"near": 7 / 20, "plain": 3 / 80}
    assert draw_queue(["near"], size=5, seed=1)[0].chance == 1.0
    assert draw_queue([None], size=5, seed=1) == []
    with pytest.raises(ValueError, match="of one length"):
        borderline_kinds([S], [], operating_point=0.5, margin=0.1)
