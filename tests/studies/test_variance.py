"""How much a judge moves by itself: repeats, sessions, caches, and what they may be used for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.studies import repeating as made
from voirdire.errors import NotEnoughEvidence, SealBroken, UsageError
from voirdire.records import LABELS, VarianceResult
from voirdire.store import read_document, write_text
from voirdire.studies import judge_variance, repeats_of, vary
from voirdire.studies.repeats import asked_in, finished_runs

S, C, U = LABELS
WORDS = {"s": S, "c": C, "u": U}


def study_of(tmp_path: Path, runs: list[list[list[str]]], **about: Any) -> Path:
    """A study with one run for each entry: its repeats, each with an answer for each claim."""
    claims = made.claims_of(len(runs[0][0]))
    made.write_claims(tmp_path, claims, {claim.id: [S, S] for claim in claims})
    folder = made.write_study(tmp_path)
    for day, answers in enumerate(runs):
        made.write_run(folder, claims, answers, day=day, **about)
    return folder


def varied(folder: Path, **about: Any) -> Any:
    return vary(made.opened(folder), **about).judges[0]


def test_golden_flips(tmp_path: Path, golden: dict[str, Any]) -> None:
    """golden G06 (scipy; R irr::kappam.fleiss)."""
    case = golden["G06_flip_rate"]
    items = case["input"]["verdicts_items_by_runs"]
    answers = [[WORDS[row[r]] for row in items] for r in range(5)]
    judge = varied(study_of(tmp_path, [answers]))
    wanted, near = case["expected"], case["tolerance"]
    assert judge.pairwise.value == pytest.approx(wanted["pairwise_disagreement"], abs=near)
    assert judge.ever_flip.value == pytest.approx(wanted["share_items_that_ever_flip"], abs=near)
    assert judge.minority.value == pytest.approx(wanted["mean_minority_share"], abs=near)
    assert [one.claim_id for one in judge.unstable] == ["en4", "en1", "en2"]
    assert judge.unstable[0].answers == (C, S, C, S, U)
    assert sum(sum(row.values()) for row in judge.flips.values()) == 6 * 5 * 4


def test_flips_are_pairs_of_answers(tmp_path: Path) -> None:
    judge = varied(study_of(tmp_path, [[[S, C], [S, U], [S, "timed_out"]]]))
    assert judge.flips[S] == {S: 6}
    assert judge.flips[C] == {U: 1, "timed_out": 1}
    assert judge.flips["timed_out"] == {C: 1, U: 1}


def test_a_deterministic_judge_moves_by_exactly_nothing(tmp_path: Path) -> None:
    judge = varied(study_of(tmp_path, [[[S, C, U, S]] * 3]))
    assert judge.deterministic
    assert judge.pairwise.value == 0
    assert judge.ever_flip.k == 0
    for one in judge.signals:
        if one.mean is not None:
            assert one.sd.value == 0
            assert one.evaluation_sd == 0
    assert "exactly 0" in judge.advice[0]


def test_repeats_out_of_a_cache_are_no_evidence(tmp_path: Path) -> None:
    folder = study_of(tmp_path, [[[S, C, U, S]] * 5], cached=lambda repeat: repeat > 0)
    with pytest.raises(NotEnoughEvidence, match="5 repeats .* are cache hits of one call") as found:
        varied(folder)
    assert found.value.exit_code == 3
    assert "--fresh" in str(found.value)


def test_a_wholly_cached_run_is_no_evidence_either(tmp_path: Path) -> None:
    folder = study_of(tmp_path, [[[S, C, U, S]] * 5], cached=lambda repeat: True)
    with pytest.raises(NotEnoughEvidence, match="cache hits of one call"):
        varied(folder)


def test_a_cache_that_knows_repeats_apart_is_evidence(tmp_path: Path) -> None:
    folder = study_of(tmp_path, [[[S, C, U, S], [S, C, U, C], [S, S, U, S]]],
                      cached=lambda repeat: True)  # fmt: skip
    judge = varied(folder)
    assert (judge.repeats, judge.cached) == (3, 0)


def test_cached_sessions_that_repeat_another_are_left_out(tmp_path: Path) -> None:
    claims = made.claims_of(4)
    made.write_claims(tmp_path, claims, {claim.id: [S] for claim in claims})
    folder = made.write_study(tmp_path)
    made.write_run(folder, claims, [[S, C, U, S]])
    made.write_run(folder, claims, [[S, C, U, S]], day=1, cached=lambda repeat: True)
    with pytest.raises(NotEnoughEvidence, match="cache hits"):
        varied(folder)
    made.write_run(folder, claims, [[S, C, S, S]], day=2)
    judge = varied(folder)
    assert (judge.repeats, judge.cached) == (2, 1)
    assert "may be cache hits" in judge.notes[0]


def test_one_run_shows_no_variation(tmp_path: Path) -> None:
    with pytest.raises(NotEnoughEvidence, match="was asked once: one run shows no variation"):
        varied(study_of(tmp_path, [[[S, C, U, S]]]))


def test_two_runs_are_enough_to_begin(tmp_path: Path) -> None:
    judge = varied(study_of(tmp_path, [[[S, S, S, C]], [[S, S, C, C]]]))
    sd = judge.signal("faithfulness").sd
    assert sd.value == pytest.approx(0.25 / np.sqrt(2))
    assert sd.high > 30 * sd.value  # two values know next to nothing of their sd
    assert any("More repeats will not help" in said for said in judge.advice)


def test_missing_cells_go_to_reml(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    answers = [made.asked(rng, made.chances(rng, 40)) for _ in range(4)]
    answers[1][3] = answers[2][5] = "timed_out"
    judge = varied(study_of(tmp_path, [answers]))
    parts = judge.signal("faithfulness").components
    assert parts.method == "REML"
    assert "2 missing cell(s)" in parts.notes[0]
    assert judge.signal("failures").values == (0.0, 1 / 40, 1 / 40, 0.0)


def test_nothing_judged_is_said_and_not_zero(tmp_path: Path) -> None:
    judge = varied(study_of(tmp_path, [[["failed"] * 3] * 2]))
    assert judge.signal("faithfulness").mean is None
    assert judge.signal("faithfulness").sd.undefined
    assert judge.pairwise.undefined
    assert judge.signal("failures").mean == 1
    assert judge.deterministic


def test_unequal_claim_sets_leave_the_common_claims(tmp_path: Path) -> None:
    claims = made.claims_of(5)
    made.write_claims(tmp_path, claims, {claim.id: [S] for claim in claims})
    folder = made.write_study(tmp_path)
    made.write_run(folder, claims[:4], [[S, S, C, U]])
    made.write_run(folder, claims[1:], [[S, C, C, S]], day=1)
    study = made.opened(folder)
    with pytest.raises(NotEnoughEvidence, match="no finished run over the claims as they are now"):
        vary(study)
    from voirdire.judges import read_runs

    table = repeats_of(claims, asked_in(study, read_runs(study.paths)), view="three_class")
    judge = judge_variance(table)
    assert (judge.claims, table.claims_left_out) == (3, 2)
    assert "2 claim(s) were not asked in every run" in judge.notes[0]


def test_another_fingerprint_is_another_judge(tmp_path: Path) -> None:
    claims = made.claims_of(3)
    made.write_claims(tmp_path, claims, {claim.id: [S] for claim in claims})
    folder = made.write_study(tmp_path)
    made.write_run(folder, claims, [[C, C, C]] * 2, mark=made.fingerprint("noisy", "0"))
    made.write_run(folder, claims, [[S, S, S]] * 2, day=1)
    runs, left_out = finished_runs(made.opened(folder), "noisy")
    assert (len(runs), left_out) == (1, 1)
    assert varied(folder).notes == ("1 run(s) of noisy with another fingerprint are left out",)


def test_conditions_taken_as_one_instrument(tmp_path: Path) -> None:
    claims = made.claims_of(4)
    made.write_claims(tmp_path, claims, {claim.id: [S] for claim in claims})
    folder = made.write_study(tmp_path, "a", "b")
    for name, answers in (("a", [S, S, S, C]), ("b", [S, C, S, C])):
        made.write_run(folder, claims, [answers] * 2, judge=name)
    apart = vary(made.opened(folder))
    assert [judge.deterministic for judge in apart.judges] == [True, True]
    one = vary(made.opened(folder), together=True).judges[0]
    assert one.judge == "a+b"
    assert len(one.fingerprints) == 2
    assert len(set(one.sessions)) == 2
    effect = one.signal("faithfulness").session_effect
    assert effect.undefined == "deterministic within sessions"


def test_sessions_that_differ_are_found(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    logit = made.chances(rng, 150)
    runs = [
        [made.asked(rng, logit, shift=shift, run_sd=0) for _ in range(4)]
        for shift in (-1.5, 0, 1.5)
    ]
    one = varied(study_of(tmp_path, runs)).signal("faithfulness")
    assert one.session_effect.p_value < 0.001
    assert one.evaluation_sd > 1.1 * one.sd.value  # three days, not twelve runs
    assert one.evaluation_df < 4
    assert one.components.run > 0


def test_one_session_gives_no_noise_for_limits_but_says_what_to_do(tmp_path: Path) -> None:
    folder, _ = made.noisy_study(tmp_path, days=1, repeats=5)
    judge = varied(folder)
    assert judge.signal("faithfulness").evaluation_sd is None
    assert judge.signal("faithfulness").within_sd > 0
    assert "another day" in judge.advice[0]


def test_the_same_claim_twice_is_a_free_check(tmp_path: Path) -> None:
    claims = [
        claim.model_copy(update={"claim": text, "context": ("Same.",)})
        for claim, text in zip(made.claims_of(4), ("A b.", "A  b.", "C.", "A b."), strict=True)
    ]
    made.write_claims(tmp_path, claims, {claim.id: [S] for claim in claims})
    folder = made.write_study(tmp_path)
    made.write_run(folder, claims, [[S, S, C, C], [S, S, C, S]])
    found = varied(folder).duplicates
    assert found.groups == 1
    assert (found.differing.k, found.differing.n) == (1, 4)
    assert found.examples == (("en0", "en1", "en3"),)


def test_components_and_kappa_follow_the_table(tmp_path: Path) -> None:
    folder, _ = made.noisy_study(tmp_path, n=80, days=6)
    judge = varied(folder)
    one = judge.signal("faithfulness")
    parts = one.components
    assert one.sd.value == pytest.approx(float(np.std(one.values, ddof=1)))
    assert parts.repeatability_limit is None  # 0/1 scores: the flip rate says it
    assert 0 < parts.icc.value < 1
    least = np.sqrt(parts.residual / parts.items)
    assert one.evaluation_sd == pytest.approx(max(one.sd.value, least))
    kappa = judge.signal("kappa")
    assert kappa.components is None
    assert kappa.item_variance > 0
    assert kappa.sd.low < kappa.sd.value < kappa.sd.high


def test_the_result_is_read_back(tmp_path: Path) -> None:
    folder, _ = made.noisy_study(tmp_path)
    result = vary(made.opened(folder), command=["vary", "reports/s"])
    stored = read_document(folder / "results" / "variance.json", VarianceResult)
    assert stored == result
    assert stored.guidelines == ("g1",)
    assert len(stored.provenance.runs) == 5


def test_changed_verdicts_break_the_seal(tmp_path: Path) -> None:
    folder, _ = made.noisy_study(tmp_path)
    path = next(folder.glob("runs/*/verdicts.jsonl"))
    write_text(path, path.read_text(encoding="utf-8").replace(S, C, 1))
    with pytest.raises(SealBroken):
        varied(folder)


def test_an_unknown_judge_is_refused_with_the_nearest(tmp_path: Path) -> None:
    folder, _ = made.noisy_study(tmp_path)
    with pytest.raises(UsageError, match="did you mean 'noisy'"):
        varied(folder, only=["nosy"])


@pytest.mark.parametrize("repeats", [3, 6])
def test_advice_says_what_will_not_help(tmp_path: Path, repeats: int) -> None:
    folder, _ = made.noisy_study(tmp_path, n=200, days=repeats, run_sd=1.5)
    said = " ".join(varied(folder).advice)
    assert "More claims will not help enough: whole runs differ" in said


def test_too_few_columns_are_a_wrong_argument() -> None:
    table = repeats_of([], [], view="three_class")
    with pytest.raises(ValueError, match="at least 2 columns and 1 claim, got 0 and 0"):
        judge_variance(table)
