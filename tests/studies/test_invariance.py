"""The certificate, on judges made to break in known ways."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from voirdire.judges import load
from voirdire.labels import load_claim_set, references, starter_set
from voirdire.records import Claim, JudgeInput, JudgeInvariance
from voirdire.studies import Aligned, GateLimits, align
from voirdire.studies.invariance import families_with, invariance
from voirdire.studies.variant_groups import group_of
from voirdire.studies.wording_gates import WORDING_GATES, families_at_best, wording_gates

TURN = {"supported": "contradicted", "contradicted": "supported", "unverifiable": "unverifiable"}
NAMES = (
    "original",
    "paraphrase",
    "negation",
    "lexical_negation",
    "number_swap",
    "formatting_noise",
)

Answer = Callable[[Claim, str, int], str | None]


def made(
    families: int, answer: Answer, *, repeats: int = 1, names: tuple[str, ...] = NAMES, **more: str
) -> Aligned:
    """Families of all variants; people's labels as the variants mean, unless ``more`` says."""
    claims, labels, answers = [], {}, {}
    for number in range(families):
        base = ("supported", "contradicted", "supported", "unverifiable")[number % 4]
        for name in names:
            claim = Claim(
                id=f"{number}-{name}",
                family=f"f{number:03}",
                variant=name,
                claim=f"a claim of {number} words that is {name}",
                context=(f"context {number}",),
                language="en",
            )
            claims.append(claim)
            label = TURN[base] if "negation" in name else base
            if name == "number_swap" and base == "supported":
                label = "contradicted"
            labels[claim.id] = more.get(name, label)
            said = [answer(claim, labels[claim.id], k) for k in range(repeats)]
            answers[claim.id] = [("judged", s) if s else ("timed_out", None) for s in said]
    return align(claims, labels, answers, view="three_class")  # type: ignore[arg-type]


def right(claim: Claim, label: str, repeat: int) -> str:
    return label


def blind_to_negation(claim: Claim, label: str, repeat: int) -> str:
    return TURN[label] if "negation" in claim.variant else label


def value(found: JudgeInvariance, name: str) -> float | None:
    return found.test(name).estimate.value


def test_a_judge_that_is_always_right_holds_everywhere() -> None:
    found = invariance(made(40, right))
    for name in ("paraphrase_stability", "negation_flip", "equivalent_negation"):
        assert value(found, name) == 1, name
    assert value(found, "negation_stuck") == value(found, "number_blind") == 0
    assert value(found, "paraphrase_harm") == 0
    assert found.broken == ()
    assert found.set_aside == {"number edit not from supported to contradicted": 20}


def test_a_judge_blind_to_negation_is_said_to_be() -> None:
    found = invariance(made(40, blind_to_negation), judge="blind")
    assert value(found, "negation_flip") == 0
    assert value(found, "negation_stuck") == 1
    assert found.test("negation_flip").estimate.n == 60  # two negations of 30 turned originals
    assert found.families_broken == 30
    assert found.broken[0].breaks == (
        "negation: people turn supported to contradicted, the answer stays supported",
        "lexical negation: people turn supported to contradicted, the answer stays supported",
    )
    assert len(found.broken[0].members) == len(NAMES)
    assert "blind turns its answer too in 0 of 100 cases" in found.sentences[0]
    assert "a claim and its denial look alike to it" in found.sentences[0]


@pytest.mark.parametrize("label", ["supported", "contradicted", "unverifiable"])
def test_a_judge_that_never_reads_keeps_every_paraphrase_and_turns_nothing(label: str) -> None:
    aligned = made(40, lambda *_: label)
    found = invariance(aligned)
    assert value(found, "paraphrase_stability") == 1
    assert found.test("paraphrase_stability").constant == 1
    assert value(found, "negation_flip") == 0  # unverifiable twice is no turn
    assert found.test("negation_flip").constant == 0
    gate = {g.name: g for g in wording_gates(aligned, GateLimits(), level=0.95)}["negation_flip"]
    assert gate.answer == "reject"


def test_people_decide_what_a_variant_is() -> None:
    """A paraphrase people labelled differently, a negation they did not turn: counted apart."""
    found = invariance(made(40, right, paraphrase="unverifiable", negation="supported"))
    assert found.set_aside["paraphrase that people labelled differently"] == 30
    assert found.set_aside["negation that people did not turn"] == 20
    assert found.test("paraphrase_stability").estimate.n_asked == 10
    assert found.test("negation_flip").estimate.n_asked == 30 + 10


def test_a_family_without_original_is_counted() -> None:
    aligned = made(20, right)
    keep = [not (c.variant == "original" and c.family < "f005") for c in aligned.claims]
    found = invariance(aligned.where(keep))
    assert found.set_aside["paraphrase without a labelled original"] == 5
    assert found.set_aside["negation without a labelled original"] == 10
    assert found.families_paired == 15


def test_flicker_is_not_counted_as_an_effect_of_wording() -> None:
    rng = np.random.default_rng(1)

    def flickers(claim: Claim, label: str, repeat: int) -> str:
        return "unverifiable" if rng.random() < 0.2 else label

    noisy = invariance(made(200, flickers, repeats=5)).replay
    excess = noisy.excess["paraphrase"]
    assert noisy.floor.value == pytest.approx(0.32 * 0.75, abs=0.03)  # nothing to flip to for U
    assert excess.low is not None
    assert excess.high is not None
    assert excess.low < 0 < excess.high
    stable = invariance(made(200, right, repeats=5)).replay
    assert stable.floor.value == stable.excess["paraphrase"].value == 0


def test_wording_beyond_flicker_is_seen() -> None:
    rng = np.random.default_rng(2)

    def worse(claim: Claim, label: str, repeat: int) -> str:
        rate = 0.1 if claim.variant == "original" else 0.6
        return "unverifiable" if rng.random() < rate else label

    found = invariance(made(200, worse, repeats=4))
    low = found.replay.excess["paraphrase"].low
    assert low is not None
    assert low > 0.1
    assert "beyond that" in found.sentences[-1]


def test_one_asking_and_cached_repeats_leave_the_noise_unknown() -> None:
    once = invariance(made(20, right))
    assert "asked once" in str(once.replay.floor.undefined)
    assert "repeats in study.toml" in once.sentences[-1]
    cached = invariance(made(20, right, repeats=3), fresh_repeats=False)
    assert "cache" in str(cached.replay.excess["paraphrase"].undefined)


def test_a_break_of_a_single_asking_of_three_is_none() -> None:
    def once_wrong(claim: Claim, label: str, repeat: int) -> str:
        wrong = claim.variant == "paraphrase" and repeat == 0
        return "unverifiable" if wrong else label

    found = invariance(made(20, once_wrong, repeats=3))
    assert found.families_broken == 0
    assert value(found, "paraphrase_stability") == 5 / 20  # of the first asking, as everywhere


def test_gates_hold_open_and_reject() -> None:
    names = {g.name: g for g in wording_gates(made(400, right), GateLimits(), level=0.95)}
    assert tuple(names) == WORDING_GATES
    assert {g.answer for g in names.values()} == {"accept"}
    blind = {
        g.name: g for g in wording_gates(made(100, blind_to_negation), GateLimits(), level=0.95)
    }
    assert blind["negation_flip"].answer == "reject"
    assert blind["number_seen"].answer == "accept"


def test_a_gate_without_pairs_is_open_and_names_the_families_it_takes() -> None:
    bare = made(60, right, names=("original", "paraphrase"))
    gate = {g.name: g for g in wording_gates(bare, GateLimits(), level=0.95)}["negation_flip"]
    assert gate.answer == "inconclusive"
    assert gate.families_needed == families_at_best("negation_flip", 0.8, level=0.95) == 14
    assert "0 families hold a negation" in gate.reason


@pytest.mark.parametrize(
    ("name", "floor"), [("paraphrase_kept", -0.05), ("negation_flip", 0.8), ("number_seen", 0.9)]
)
def test_families_at_best_is_the_smallest_number_that_settles(name: str, floor: float) -> None:
    """So many families with such a pair accept a judge without a fault, and one fewer does not."""
    need = families_at_best(name, floor, level=0.95)
    limits = GateLimits(waive=tuple(other for other in WORDING_GATES if other != name))

    def answer(families: int) -> str:
        full = made(4 * families, right)
        chosen = sorted({c.family for c in full.claims if c.family})[: 4 * families : 4][:families]
        aligned = full.where(
            [c.family in chosen and c.variant != "lexical_negation" for c in full.claims]
        )
        return {g.name: g for g in wording_gates(aligned, limits, level=0.95)}[name].answer

    assert answer(need) == "accept"
    assert answer(need - 1) == "inconclusive"


def test_no_judgment_counts_against_acceptance_and_never_for_rejection() -> None:
    def silent(claim: Claim, label: str, repeat: int) -> str | None:
        return None if claim.variant != "original" else label

    for gate in wording_gates(made(200, silent), GateLimits(), level=0.95):
        assert gate.answer == "inconclusive", gate


def test_holm_gives_the_last_gate_the_whole_level() -> None:
    """34 families with changed numbers: enough at 95 %, not at the half of its error."""
    aligned = made(68, right)
    limits = GateLimits(waive=("paraphrase_kept",))
    assert families_at_best("number_seen", 0.9, level=0.95) <= 34
    assert families_at_best("number_seen", 0.9, level=0.975) > 34
    gates = {gate.name: gate for gate in wording_gates(aligned, limits, level=0.95)}
    assert gates["negation_flip"].answer == gates["number_seen"].answer == "accept"
    stuck = made(68, lambda c, label, k: "unverifiable" if c.variant == "negation" else label)
    gates = {gate.name: gate for gate in wording_gates(stuck, limits, level=0.95)}
    assert gates["number_seen"].answer == "accept"  # a rejected gate is settled, too


def test_two_class_view() -> None:
    claims, labels, answers = [], {}, {}
    for n in range(30):
        for name in ("original", "negation"):
            claim = Claim(
                id=f"{n}{name}",
                family=str(n),
                variant=name,
                claim=f"c {n} {name}",
                context=("x",),
                language="en",
                label_space="two_class",
            )
            claims.append(claim)
            labels[claim.id] = "supported" if name == "original" else "not_supported"
            answers[claim.id] = [("judged", "supported" if name == "original" else "unverifiable")]
    found = invariance(align(claims, labels, answers, view="supported_or_not"))  # type: ignore[arg-type]
    assert value(found, "negation_flip") == 1


def test_translations_and_dilution_are_paired_with_the_original() -> None:
    claims, labels, answers = [], {}, {}
    for n in range(20):
        rows = (
            ("original", "en", ("one",)),
            ("translation", "it", ("uno",)),
            ("dilution_3", "en", ("one", "far", "away", "off")),
            ("dilution_1", "en", ("one", "far")),
        )
        for name, language, context in rows:
            claim = Claim(
                id=f"{n}{name}",
                family=str(n),
                variant=name,
                claim=f"c {n}",
                context=context,
                language=language,
            )
            claims.append(claim)
            labels[claim.id] = "supported"
            drowned = name == "dilution_3" and n % 2
            answers[claim.id] = [("judged", "unverifiable" if drowned else "supported")]
    found = invariance(align(claims, labels, answers, view="three_class"))  # type: ignore[arg-type]
    assert value(found, "language_parity_stability") == 1
    assert [(p.added, p.stability.value) for p in found.dilution] == [(1, 1.0), (3, 0.5)]


def test_the_starter_set_shows_that_words_alone_do_not_read_negation() -> None:
    claim_set = load_claim_set(starter_set("starter-en"))
    reference = references(claim_set.claims, claim_set.labels)
    judge = load("lexical")
    asked = (JudgeInput(id=c.id, claim=c.claim, context=c.context) for c in claim_set.claims)
    answers = {i: [(a.outcome, a.label)] for i, a in judge(asked, repeat=0)}
    aligned = align(claim_set.claims, reference.labels, answers, view="three_class")
    found = invariance(aligned, judge="lexical")
    high = found.test("negation_flip").estimate.high
    assert high is not None
    assert high < 0.5
    assert families_with(aligned)["negation"] == 112
    assert sum(effect.claims for effect in found.variants) == len(claim_set.claims)


def test_no_claims() -> None:
    empty = made(1, right).where([False] * len(NAMES))
    found = invariance(empty)
    assert all(test.estimate.undefined for test in found.tests)
    assert found.families_paired == 0
    assert all("not known" in sentence for sentence in found.sentences)


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("original", "original"),
        ("paraphrase_edit", "paraphrase"),
        ("double_negation", "negation"),
        ("negation_context", "other"),
        ("negation_both", "other"),
        ("antonym_swap+negation_insertion_removal", "other"),
        ("Number_Swap", "number"),
        ("date_swap", "number"),
        ("context_swap", "other"),
        ("context_dilution", "dilution"),
        ("formatting_noise", "formatting"),
        ("translation", "translation"),
        ("short", "short"),
        ("whatever", "other"),
    ],
)
def test_groups_by_name(name: str, group: str) -> None:
    assert group_of(name) == group
