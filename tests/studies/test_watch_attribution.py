"""What moved? Planted changes of each kind are found, and not put down to another cause."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.studies import repeating as made
from voirdire.errors import NotEnoughEvidence, SealBroken, UsageError
from voirdire.records import AlertPolicy, HistoryPoint, PolicyResult, SlicePart
from voirdire.store import read_document
from voirdire.studies import Canary, ask_canary, set_limits, vary, what_moved

KINDS = ("nothing", "judge", "labels", "mix", "system")
CANARY, ITEMS = 200, 400
RATES = {"language:en": 0.95, "language:it": 0.70}


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, AlertPolicy]:
    folder, _ = made.noisy_study(tmp_path_factory.mktemp("a"))
    vary(made.opened(folder))
    found = set_limits(made.opened(folder)).policies
    # production draws 400 claims; the noise of one evaluation is that of the draw and of the run
    return {one.signal: one.model_copy(update={"sd": 0.018, "df": 30.0}) for one in found}


def evaluation(
    rng: np.random.Generator, week: int, kind: str, signal: str, *, new: bool
) -> HistoryPoint:
    """One evaluation of production: two languages, a judge, labels."""
    italian = 0.85 if new and kind == "mix" else 0.2
    counts = {"language:it": int(rng.binomial(ITEMS, italian))}
    counts["language:en"] = ITEMS - counts["language:it"]
    slices = {}
    for name, n in counts.items():
        rate = RATES[name]
        if new and kind in ("judge", "system"):
            rate *= 0.86
        if new and kind == "labels" and signal == "agreement":
            rate = rate * 0.86 + (1 - rate) * 0.14
        slices[name] = SlicePart(n=n, score=float(rng.binomial(n, rate)) / n)
    score = sum(part.n * part.score for part in slices.values()) / ITEMS
    return HistoryPoint(
        time=made.START + timedelta(weeks=week), score=score, n=ITEMS, failures=0, slices=slices
    )


def canary(rng: np.random.Generator, kind: str) -> Canary:
    """Frozen claims whose judge has a little noise of its own."""
    claims = made.claims_of(CANARY * 4 // 5) + made.claims_of(CANARY // 5, language="it")
    chance = np.where(rng.random(CANARY) < 0.9, 0.98, 0.5)

    def ask(harsher: float) -> Any:
        yes = rng.random(CANARY) < chance * (1 - harsher)
        return np.where(yes, "supported", "unverifiable").astype(object)

    labels = np.full(CANARY, "supported", dtype=object)
    changed = labels.copy()
    if kind == "labels":
        changed[rng.random(CANARY) < 0.14] = "contradicted"
    return Canary(
        claims=tuple(claims),
        before=np.column_stack([ask(0.0) for _ in range(5)]),
        now=ask(0.14 if kind == "judge" else 0.0),
        labels_before=labels,
        labels_now=changed,
        guideline_differs=kind == "labels",
    )


def moved(policies: dict[str, AlertPolicy], kind: str, seed: int) -> tuple[str, ...]:
    rng = np.random.default_rng((seed, KINDS.index(kind)))
    signal = "agreement" if kind == "labels" else "faithfulness"
    points = [evaluation(rng, week, kind, signal, new=False) for week in range(8)]
    points.append(evaluation(rng, 8, kind, signal, new=True))
    return what_moved(policies[signal], points, canary(rng, kind)).moved


def planted(policies: dict[str, AlertPolicy], kind: str, seeds: int) -> tuple[float, float]:
    """Share found, and share with another cause named."""
    found = [moved(policies, kind, seed) for seed in range(seeds)]
    right = sum(kind in one for one in found) / seeds
    wrong = sum(bool(set(one) - {kind}) for one in found) / seeds
    return right, wrong


@pytest.mark.parametrize("kind", KINDS)
def test_planted_changes_are_found(policies: dict[str, AlertPolicy], kind: str) -> None:
    right, wrong = planted(policies, kind, 40)
    assert kind == "nothing" or right >= 0.85
    assert wrong <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_planted_changes_are_found_over_500_seeds(
    policies: dict[str, AlertPolicy], kind: str
) -> None:
    right, wrong = planted(policies, kind, 500)
    assert kind == "nothing" or right >= 0.90
    assert wrong <= 0.05


def test_the_causes_add_up(policies: dict[str, AlertPolicy]) -> None:
    rng = np.random.default_rng(5)
    points = [evaluation(rng, week, "judge", "faithfulness", new=week == 8) for week in range(9)]
    result = what_moved(policies["faithfulness"], points, canary(rng, "judge"))
    changes = [one.change.value for one in result.causes]
    assert sum(changes) == pytest.approx(result.total.value)  # type: ignore[arg-type]
    shares = {one.cause: one.share for one in result.causes}
    assert sum(one.value for one in shares.values()) == pytest.approx(1)  # type: ignore[misc]
    assert shares["judge"].low < 1 < shares["judge"].high  # type: ignore[operator]
    assert "the judge" in result.sentence
    assert Counter(one.cause for one in result.causes) == Counter(KINDS[1:])


def test_without_a_canary_nothing_is_apportioned(policies: dict[str, AlertPolicy]) -> None:
    rng = np.random.default_rng(5)
    points = [evaluation(rng, week, "judge", "faithfulness", new=False) for week in range(9)]
    with pytest.raises(NotEnoughEvidence, match="without a canary.*nothing is apportioned") as it:
        what_moved(policies["faithfulness"], points, None)
    assert it.value.exit_code == 3
    with pytest.raises(NotEnoughEvidence, match="kappa cannot be apportioned"):
        what_moved(policies["kappa"], points, canary(rng, "judge"))
    with pytest.raises(NotEnoughEvidence, match=r"1 baseline score\(s\)"):
        what_moved(policies["faithfulness"], points[:2], canary(rng, "judge"))


def test_without_slices_the_mix_is_unknown_and_said(policies: dict[str, AlertPolicy]) -> None:
    rng = np.random.default_rng(5)
    points = [
        evaluation(rng, week, "nothing", "faithfulness", new=False).model_copy(
            update={"slices": {}}
        )
        for week in range(9)
    ]
    result = what_moved(policies["faithfulness"], points, canary(rng, "nothing"))
    mix = next(one for one in result.causes if one.cause == "mix")
    assert mix.change.undefined == "no slices in the history"
    assert not mix.moved
    assert "would show as the system" in " ".join(result.assumptions)
    assert result.sentence.startswith("Nothing moved beyond noise")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A constant judge, examined twice: its canary answers the same for ever."""
    claims = made.claims_of(20)
    made.write_claims(tmp_path, claims, {claim.id: ["supported"] for claim in claims})
    folder = made.write_study(tmp_path, "constant")
    from voirdire.judges import load

    mark = load("constant").fingerprint()
    for day in range(2):
        made.write_run(folder, claims, [["supported"] * 20], judge="constant", day=day, mark=mark)
    vary(made.opened(folder))
    set_limits(made.opened(folder))
    return folder


def asked(folder: Path) -> tuple[Canary, AlertPolicy]:
    document = read_document(folder / "results" / "policy.json", PolicyResult)
    policy = document.policies[0]
    return ask_canary(made.opened(folder), document, policy), policy


def test_the_canary_is_asked_again_and_the_frozen_runs_stay(study: Path) -> None:
    before = sorted(path.name for path in (study / "runs").iterdir())
    found, _ = asked(study)
    assert list(found.now) == ["supported"] * 20
    assert found.before.shape == (20, 2)
    assert not found.judge_differs
    assert not found.guideline_differs
    assert sorted(path.name for path in (study / "runs").iterdir()) == before
    assert len(list((study / "canary" / "runs").iterdir())) == 1


def test_changed_labels_show_on_the_canary(study: Path) -> None:
    claims = made.claims_of(20)
    given = {claim.id: ["contradicted" if n < 5 else "supported"] for n, claim in enumerate(claims)}
    made.write_claims(study.parent.parent, claims, given)
    found, _ = asked(study)
    assert sum(found.labels_before != found.labels_now) == 5


def test_a_canary_of_other_claims_is_refused(study: Path) -> None:
    claims = made.claims_of(19)
    made.write_claims(study.parent.parent, claims, {claim.id: ["supported"] for claim in claims})
    with pytest.raises(SealBroken, match="canary's claims are not those"):
        asked(study)


def test_a_lost_run_and_an_unknown_judge(study: Path) -> None:
    document = read_document(study / "results" / "policy.json", PolicyResult)
    policy = document.policies[0]
    opened = made.opened(study)
    with pytest.raises(UsageError, match="no judge 'other' to ask again"):
        ask_canary(opened, document, policy.model_copy(update={"judge": "other"}))
    with pytest.raises(SealBroken, match="a run that the policy rests on is gone"):
        ask_canary(opened, document, policy.model_copy(update={"baseline_runs": ("lost",)}))
