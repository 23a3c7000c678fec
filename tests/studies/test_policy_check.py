"""Does an alert policy hold for the judge that follows: simulated judges, equal and otherwise."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tests.studies import repeating as made
from voirdire.errors import UsageError
from voirdire.records import (
    AlertPolicy,
    JudgeRun,
    JudgeVariance,
    Provenance,
    Signal,
    VarianceResult,
)
from voirdire.records.upgrade import PolicyCheck, UpgradeResult
from voirdire.studies import LimitOptions, set_limits, vary
from voirdire.studies.limits import make_policy
from voirdire.studies.policy_check import check_policy
from voirdire.studies.repeats import Repeats
from voirdire.studies.upgrade import compare_runs
from voirdire.studies.variance import judge_variance

N, DAYS = 120, 20
SD = 0.3
NO_MARGIN = LimitOptions(warning_margin=0.0, critical_margin=0.0)
CLAIMS = made.claims_of(N)
LOGIT = np.linspace(-2.0, 4.0, N)
"""Evenly spread, so that the share supported moves with the level of a day, and as far."""


def asked(rng: np.random.Generator, *, sd: float, shift: float = 0.0) -> list[str]:
    """Answers that hang together: which claims flip is decided by the level of the day alone."""
    level = shift + rng.normal(0, sd)
    return ["supported" if one + level > 0 else "contradicted" for one in LOGIT]


def variance_of(
    rng: np.random.Generator,
    *,
    sd: float,
    shift: float = 0.0,
    days: int = DAYS,
    repeats: int = 1,
) -> JudgeVariance:
    """What `vary` sees of a judge that was asked on some days."""
    columns = [asked(rng, sd=sd, shift=shift) for _ in range(days) for _ in range(repeats)]
    table = np.array(columns, dtype=object).T
    names = tuple(f"day{day}" for day in range(days) for _ in range(repeats))
    runs = tuple(
        JudgeRun(
            run_id=name,
            judge="noisy",
            use="constant",
            fingerprint=made.fingerprint(),
            claims_sha256="",
            n_claims=N,
            repeats=repeats,
            started_at=made.START,
        )
        for name in dict.fromkeys(names)
    )
    return judge_variance(Repeats(tuple(CLAIMS), table, table, names, runs))


def policy_from(judge: JudgeVariance, options: LimitOptions = NO_MARGIN) -> AlertPolicy:
    one = next(each for each in judge.signals if each.signal == "faithfulness")
    result = VarianceResult(
        study="s",
        view="three_class",
        claims_sha256="",
        judges=(judge,),
        provenance=Provenance.model_construct(),
    )
    return make_policy(result, judge, one, options)


def checked(seed: int, options: LimitOptions = NO_MARGIN, **new: float) -> PolicyCheck:
    rng = np.random.default_rng(seed)
    policy = policy_from(variance_of(rng, sd=SD), options)
    return check_policy(policy, variance_of(rng, **{"sd": SD, **new}))  # type: ignore[arg-type]


def test_twice_the_noise_derive_again() -> None:
    seen: Counter[str] = Counter()
    for seed in range(8):
        found = checked(seed, sd=2 * SD)
        seen[found.answer] += 1
        assert found.assumed_sd is not None
        assert found.noise.value is not None
        assert found.noise.low is not None
        assert found.noise.low < found.noise.value
        assert 1.2 < found.noise.value / found.assumed_sd < 6
        assert found.expected_rate is not None
        assert found.expected_rate > found.promised_rate
        if found.answer == "derive_again":
            assert "more than that even at the lower bound" in found.reasons[0]
    assert seen["derive_again"] >= 6
    assert seen["holds"] == 0


def test_the_expected_warnings_are_those_that_come() -> None:
    """Counted: an evaluation against the mean of the four before it, the limit staying."""
    rng = np.random.default_rng(3)
    policy = policy_from(variance_of(rng, sd=SD))
    found = check_policy(policy, variance_of(rng, sd=2 * SD, days=150))
    shares = np.array([[asked(rng, sd=2 * SD).count("supported") / N for _ in range(5)]
                       for _ in range(4000)])  # fmt: skip
    assert policy.warning.drop is not None
    fired = (shares[:, :4].mean(axis=1) - shares[:, 4] > policy.warning.drop).mean()
    assert found.expected_rate == pytest.approx(fired, rel=0.25)


@pytest.mark.parametrize(("shift", "said"), [(-1.5, "would warn"), (1.5, "seen too late")])
def test_another_level_derive_again(shift: float, said: str) -> None:
    found = checked(1, shift=shift)
    assert found.answer == "derive_again", found.reasons
    assert said in found.reasons[1]
    assert found.level.value is not None
    assert found.centre is not None
    assert found.level.value - found.centre == pytest.approx(shift / 6, abs=0.05)


def test_a_level_within_the_limit_that_would_warn_often_is_no_level_that_holds() -> None:
    found = checked(2, shift=-0.5)
    assert found.warning_drop is not None
    assert found.level.value is not None
    assert found.centre is not None
    assert abs(found.level.value - found.centre) < found.warning_drop
    assert found.answer == "derive_again"
    assert "moved for certain" in found.reasons[1]


def test_an_equal_judge_holds() -> None:
    seen = Counter(checked(100 + seed, days=30).answer for seed in range(8))
    assert seen["holds"] >= 5
    assert seen["derive_again"] <= 2


def test_a_wide_margin_holds_with_few_repeats() -> None:
    """Where the practical margin sets the limit and not the noise, little has to be known of it."""
    found = checked(5, LimitOptions(warning_margin=0.6, critical_margin=0.7), days=6)
    assert found.answer == "holds", found.reasons


@pytest.mark.parametrize(
    ("days", "repeats", "said"),
    [(1, 8, "ask again on another day"), (3, 1, "upper bound would allow more")],
)
def test_too_few_repeats_tell_nothing(days: int, repeats: int, said: str) -> None:
    found = checked(7, days=days, repeats=repeats, sd=SD / 2)
    assert found.answer == "too_few_repeats", found.reasons
    assert said in " ".join(found.reasons)


def test_a_judge_that_does_not_move_holds_on_its_old_level() -> None:
    found = checked(8, sd=0.0, days=2)
    assert found.answer == "holds", found.reasons
    assert found.noise.value == 0
    assert checked(8, sd=0.0, days=2, shift=-1.5).answer == "derive_again"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """An old judge on six days with its policies; a new one, asked on two days, and again once."""
    root, rng = tmp_path_factory.mktemp("lab"), np.random.default_rng(10)
    truth = ["supported" if one > 0 else "contradicted" for one in LOGIT]
    made.write_claims(root, CLAIMS, {c.id: [t, t] for c, t in zip(CLAIMS, truth, strict=True)})
    folder = made.write_study(root)

    def put(days: Sequence[int], version: str, late: int = 0, shift: float = 0.0) -> list[str]:
        mark = made.fingerprint("noisy", version)
        kept = N - late
        return [
            made.write_run(
                folder,
                CLAIMS,
                [[*asked(rng, sd=SD, shift=shift)[:kept], *["timed_out"] * late]],
                day=day,
                mark=mark,
            )
            for day in days
        ]

    old = put(range(6), "1")
    vary(made.opened(folder))
    set_limits(made.opened(folder), NO_MARGIN)
    return Lab(folder, old, put((40, 41), "2", shift=-1.5)[-1], put((50, 51), "3", late=10)[-1],
               put((60,), "4")[-1])  # fmt: skip


class Lab(NamedTuple):
    folder: Path
    old: list[str]
    low: str
    late: str
    once: str

    def compare(
        self, new: str, *signals: Signal, old: str = "", policy: Path | None = None
    ) -> UpgradeResult:
        runs = self.folder / "runs"
        return compare_runs(runs / (old or self.old[0]), runs / new, policy=policy, signals=signals)


def test_shares_at_the_edge_go_by_counts(lab: Lab) -> None:
    """No failure in the calibration: a handful in the new judge is an alarm by itself."""
    (quiet,) = lab.compare(lab.low, "failures").policies
    assert quiet.answer == "holds"
    assert "count: 0 of 120" in quiet.reasons[0]
    (loud,) = lab.compare(lab.late, "failures").policies
    assert loud.answer == "derive_again"
    assert "count: 10 of 120" in loud.reasons[0]


def test_all_signals_together_and_what_is_said(lab: Lab) -> None:
    found = lab.compare(lab.low)
    assert {one.signal for one in found.policies} >= {"faithfulness", "agreement", "failures"}
    assert found.policy == "derive_again"
    assert "does not hold for the new judge" in found.sentences[-1]
    assert "faithfulness" in found.sentences[-1]
    assert "failures" not in found.sentences[-1]


def test_asked_once_tells_nothing_and_the_policys_own_run_holds(lab: Lab) -> None:
    once = lab.compare(lab.once, "faithfulness")
    assert once.policy == "too_few_repeats"
    assert "was asked once" in once.policies[0].reasons[0]
    own = lab.compare(lab.old[1], "faithfulness")
    assert own.policy == "holds"
    assert own.policies[0].reasons == ("the policy rests on this very run",)


def test_a_policy_of_another_judge_is_refused(lab: Lab) -> None:
    policy = lab.folder / "results" / "policy.json"
    with pytest.raises(UsageError, match="no alert policy of the judge in use"):
        lab.compare(lab.old[0], old=lab.low, policy=policy)
    with pytest.raises(UsageError, match="and signal"):
        lab.compare(lab.low, "unverifiable", policy=_without(policy, "unverifiable"))
    assert lab.compare(lab.old[0], old=lab.low).policy is None


def test_a_policy_on_other_claims_must_be_derived_again(lab: Lab) -> None:
    policy = lab.folder / "results" / "policy.json"
    body = json.loads(policy.read_text("utf-8"))
    other = policy.with_name("other.json")
    other.write_text(json.dumps(body | {"claims_sha256": "0" * 64}), encoding="utf-8")
    found = lab.compare(lab.low, policy=other)
    assert found.policy == "derive_again"
    assert "other claims" in found.policies[0].reasons[0]


def _without(policy: Path, signal: str) -> Path:
    body = json.loads(policy.read_text("utf-8"))
    body["policies"] = [one for one in body["policies"] if one["signal"] != signal]
    other = policy.with_name("fewer.json")
    other.write_text(json.dumps(body), encoding="utf-8")
    return other
