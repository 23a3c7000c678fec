"""Alert policies: what the repeats promise, and what a policy refuses to promise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from tests.studies import repeating as made
from voirdire import stats
from voirdire.errors import NotEnoughEvidence, SealBroken, UsageError
from voirdire.records import (
    AlertLimit,
    AlertPolicy,
    HistoryPoint,
    JudgeVariance,
    PolicyResult,
    VarianceResult,
)
from voirdire.store import History, read_document, write_document
from voirdire.studies import LimitOptions, set_limits, vary


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, _ = made.noisy_study(tmp_path_factory.mktemp("noisy"), n=120, days=6)
    vary(made.opened(folder))
    return folder


def policy_of(folder: Path, signal: Any = "faithfulness", **options: Any) -> AlertPolicy:
    result = set_limits(made.opened(folder), LimitOptions(**options), signals=[signal])
    return result.policies[0]


def said(policy: AlertPolicy) -> str:
    return " ".join(policy.sentences)


def test_the_limit_is_noise_or_margin_whichever_is_larger(noisy: Path) -> None:
    policy = policy_of(noisy, warning_margin=0.0, critical_margin=0.0)
    assert policy.sd is not None
    assert policy.df is not None
    for limit, rate in ((policy.warning, 0.05), (policy.critical, 0.01)):
        factor = stats.prediction_factor(policy.df + 3, k=4, alpha=rate)
        assert limit.noise_drop == pytest.approx(factor * policy.sd)
        assert limit.drop == limit.noise_drop
        assert limit.expected_rate == pytest.approx(rate, abs=0.002)
        assert limit.per_year == pytest.approx(52 * rate, rel=0.05)
    wide = policy_of(noisy, warning_margin=0.3, critical_margin=0.5)
    assert wide.centre is not None
    assert wide.warning.drop == pytest.approx(0.3 * wide.centre)
    assert wide.warning.expected_rate is not None
    assert wide.warning.expected_rate < 0.001


def test_the_detectable_drop_is_seen_with_the_power_wanted(noisy: Path) -> None:
    policy = policy_of(noisy)
    limit = policy.warning
    assert limit.detectable_drop is not None
    assert policy.sd is not None
    assert policy.df is not None
    assert policy.centre is not None
    seen = stats.alarm_probability(
        limit.detectable_drop, sd=policy.sd, df=policy.df + 3, margin=0.05 * policy.centre
    )
    assert seen == pytest.approx(0.8, abs=1e-6)
    chances = [point.warning for point in policy.power]
    assert chances == sorted(chances)
    assert chances[-1] > 0.95


def test_strict_limits_are_wider(noisy: Path) -> None:
    plain, strict = policy_of(noisy), policy_of(noisy, strict=True)
    assert strict.critical.noise_drop > plain.critical.noise_drop  # type: ignore[operator]
    assert strict.critical.expected_rate < 0.01  # type: ignore[operator]


def test_fresh_claims_add_their_own_variance(noisy: Path) -> None:
    fixed, fresh = policy_of(noisy), policy_of(noisy, claims="fresh")
    assert fresh.sd > fixed.sd  # type: ignore[operator]
    assert fresh.centre is None  # production is another population: its history makes the centre
    more = policy_of(noisy, claims="fresh", items=1000)
    assert more.sd < fresh.sd  # type: ignore[operator]
    result = vary(made.opened(noisy)).judges[0].signal("faithfulness")
    assert result is not None
    assert result.evaluation_sd is not None
    wanted = np.sqrt(result.evaluation_sd**2 + result.item_variance / 120)
    assert fresh.sd == pytest.approx(wanted)


def test_more_claims_divide_the_call_noise_only(noisy: Path) -> None:
    one = vary(made.opened(noisy)).judges[0].signal("faithfulness")
    assert one is not None
    assert one.components is not None
    assert one.evaluation_sd is not None
    assert one.components.residual is not None
    whole = max(one.evaluation_sd**2 - one.components.residual / 120, 0)
    policy = policy_of(noisy, items=480)
    assert policy.sd == pytest.approx(np.sqrt(whole + one.components.residual / 480))


def test_a_drop_that_cannot_be_seen_is_said_with_the_claims_it_takes(noisy: Path) -> None:
    policy = policy_of(noisy, wanted_drop=0.05)
    assert policy.items_needed is not None
    assert policy.items_needed > policy.items
    assert f"cannot see a 5 % drop: noise hides it at 120 claims; {policy.items_needed} claims" in (
        said(policy)
    )
    enough = policy_of(noisy, wanted_drop=0.3)
    assert "A 30 % drop can be seen" in said(enough)


def test_the_limit_and_the_detectable_drop_are_told_apart(noisy: Path) -> None:
    policy = policy_of(noisy, items=5000)
    told = said(policy)
    limit, seen = policy.warning.drop, policy.warning.detectable_drop
    assert limit is not None
    assert seen is not None
    assert seen > limit
    assert f"limit itself, {limit:.4f}, fires in about half of the evaluations" in told
    assert f"a true drop of {seen:.4f}" in told
    assert "to fire in 80 %" in told
    assert "every other time" not in told
    margin = said(
        policy_of(noisy, items=5000, wanted_drop=0.2, warning_margin=0.2, critical_margin=0.3)
    )
    assert "A 20 % drop is just the practical margin of 20 %" in margin


def test_run_effects_that_no_number_of_claims_removes(tmp_path: Path) -> None:
    folder, _ = made.noisy_study(tmp_path, n=150, days=6, run_sd=2.0)
    vary(made.opened(folder))
    policy = policy_of(folder)
    assert policy.items_needed is None
    assert "no number of claims would" in said(policy)


def test_h17_claims_for_a_drop(golden: dict[str, Any]) -> None:
    """golden H17: 351.5, none, 136.6 (scipy, R); the sentence rounds up."""
    case = golden["H17_items_needed_for_drop"]
    for one, wanted in zip(case["input"]["cases"], case["expected"]["items"], strict=True):
        about = {key: one[key] for key in ("var_run", "alpha", "power", "k")}
        found = stats.items_for_drop(one["drop"], var_residual=one["var_resid"], **about)
        assert found == (None if wanted is None else pytest.approx(wanted, abs=case["tolerance"]))


def test_one_session_leaves_the_noise_to_the_history(tmp_path: Path) -> None:
    folder, _ = made.noisy_study(tmp_path, days=1, repeats=6)
    vary(made.opened(folder))
    policy = policy_of(folder)
    assert (policy.sd, policy.df, policy.centre_n) == (None, None, 1)
    assert "All repeats are of one session" in said(policy)
    assert policy.warning.noise_drop is not None


def test_a_deterministic_judge_has_noise_limit_zero(tmp_path: Path) -> None:
    claims = made.claims_of(30)
    made.write_claims(tmp_path, claims, {claim.id: ["supported"] for claim in claims})
    folder = made.write_study(tmp_path)
    answers = ["supported"] * 20 + ["contradicted"] * 10
    made.write_run(folder, claims, [answers] * 3)
    vary(made.opened(folder))
    policy = policy_of(folder)
    assert policy.sd == 0
    assert policy.warning.noise_drop == 0
    assert policy.warning.drop == pytest.approx(0.05 * 2 / 3)
    assert policy.warning.expected_rate == 0
    assert "deterministic" in said(policy)
    assert "A true drop beyond the limit is always seen, one within it never." in said(policy)
    fresh = policy_of(folder, claims="fresh")
    item = np.var([1] * 20 + [0] * 10, ddof=1)
    assert fresh.sd == pytest.approx(np.sqrt(item / 30))


def test_shares_near_the_edge_are_watched_by_counts(noisy: Path) -> None:
    policy = policy_of(noisy, "failures")
    assert policy.rule == "counts"
    assert policy.drift is None
    assert (policy.baseline_events, policy.baseline_n) == (0, 720)
    assert "by counts, exactly" in said(policy)


def test_a_history_makes_the_centre(noisy: Path) -> None:
    points = [
        HistoryPoint(time=made.START.replace(month=m), score=0.8 + m / 1000) for m in range(1, 7)
    ]
    study = made.opened(noisy)
    result = set_limits(study, signals=["faithfulness"], history=History(points))
    policy = result.policies[0]
    assert (policy.centre, policy.centre_n) == (pytest.approx(0.8035), 6)
    with pytest.raises(UsageError, match="one signal.*--signal"):
        set_limits(study, history=History(points))
    with pytest.raises(NotEnoughEvidence, match=r"a history of 2 score\(s\) makes no centre"):
        set_limits(study, signals=["faithfulness"], history=History(points[:2]))


def test_a_constant_judge_is_left_out_unless_named(noisy: Path) -> None:
    path = noisy / "results" / "variance.json"
    before = path.read_text("utf-8")
    variance = read_document(path, VarianceResult)
    own = variance.judges[0].model_copy(update={"use": "lexical:en"})
    line = own.model_copy(update={"judge": "line", "use": "constant:supported"})
    twin = own.model_copy(update={"judge": "twin"})
    points = [HistoryPoint(time=made.START.replace(month=m), score=0.8) for m in range(1, 7)]

    def judges(*stored: JudgeVariance, **about: Any) -> set[str]:
        write_document(path, variance.model_copy(update={"judges": stored}))
        return {one.judge for one in set_limits(made.opened(noisy), **about).policies}

    about: dict[str, Any] = {"signals": ["faithfulness"], "history": History(points)}
    try:
        assert judges(line, own) == {"noisy"}
        assert judges(line, own, judges=["line"]) == {"line"}
        assert judges(line) == {"line"}
        assert judges(line, own, **about) == {"noisy"}
        with pytest.raises(UsageError, match="one judge.*--judge"):
            judges(twin, own, **about)
        assert judges(twin, own, judges=["twin"], **about) == {"twin"}
    finally:
        path.write_text(before, encoding="utf-8")


def test_the_derivation_has_the_numbers_in_it(noisy: Path) -> None:
    policy = policy_of(noisy)
    steps = " ".join(policy.derivation)
    for number in (policy.sd, policy.warning.noise_drop, policy.critical.drop, policy.centre):
        assert f"{number:.4f}" in steps
    assert "components (two-way ANOVA)" in steps
    assert "pooled with the last k = 4" in steps


def test_the_usual_rule_stands_beside_it(noisy: Path) -> None:
    policy = policy_of(noisy)
    assert policy.naive is not None
    assert policy.naive.warning_rate == pytest.approx(
        stats.naive_false_alarm(0.05, mean=policy.centre, sd=policy.sd)  # type: ignore[arg-type]
    )
    assert "The usual rule" in said(policy)


def test_the_policy_file_is_read_back(noisy: Path) -> None:
    result = set_limits(made.opened(noisy))
    stored = read_document(noisy / "results" / "policy.json", PolicyResult)
    assert stored == result
    assert [one.signal for one in stored.policies] == [
        "faithfulness", "agreement", "kappa", "contradicted", "unverifiable", "failures",
    ]  # fmt: skip
    assert all(one.guidelines == ("g1",) for one in stored.policies)
    assert len(stored.reference_labels) == 120


def test_limits_need_the_repeats_first(tmp_path: Path) -> None:
    folder, _ = made.noisy_study(tmp_path)
    with pytest.raises(NotEnoughEvidence, match="run 'voirdire vary"):
        set_limits(made.opened(folder))


def test_changed_claims_are_noticed(tmp_path: Path) -> None:
    folder, claims = made.noisy_study(tmp_path)
    vary(made.opened(folder))
    changed = [claims[0].model_copy(update={"claim": "Another claim."}), *claims[1:]]
    made.write_claims(tmp_path, changed, {claim.id: ["supported"] for claim in claims})
    with pytest.raises(SealBroken, match="the claims changed since the repeats were read"):
        set_limits(made.opened(folder))


def test_unknown_judges_and_signals_are_listed(noisy: Path) -> None:
    with pytest.raises(NotEnoughEvidence, match="judges noisy; signals faithfulness"):
        set_limits(made.opened(noisy), judges=["other"])


def test_a_critical_limit_inside_the_warning_is_no_policy(noisy: Path) -> None:
    policy = policy_of(noisy)
    inside = AlertLimit(severity="critical", promised_rate=0.01, margin=0.1, drop=0.001)
    with pytest.raises(ValidationError, match="must not be below the warning"):
        AlertPolicy.model_validate(policy.model_dump() | {"critical": inside})
    with pytest.raises(ValidationError, match="must hold the limits of those names"):
        AlertPolicy.model_validate(policy.model_dump() | {"critical": policy.warning})
