"""Cascade, panel, calibrated: whose answer it is, what it cost, and that a tie stays one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voirdire.errors import InputError, JudgeUnavailable, SpendLimit, UsageError
from voirdire.judges import check_judge, load
from voirdire.judges.calibrated import CalibratedJudge
from voirdire.judges.cascade import CascadeJudge, CascadeParameters
from voirdire.judges.panel import PanelJudge, PanelParameters
from voirdire.judges.parts import Part, Parts
from voirdire.judges.spending import limit_spending, plan_spending, redact_inputs
from voirdire.models import SpendGuard, SpendPlan
from voirdire.records import Fingerprint, JudgeAnswer, JudgeInput, Label
from voirdire.stats.calibration_map import IdentityMap
from voirdire.stats.platt import fit_one_vs_rest, fit_platt
from voirdire.store.redaction import Redaction


class Fixed:
    """Answers by the claim's text, or the same to all; costs nothing."""

    def __init__(self, answers: dict[str, JudgeAnswer] | JudgeAnswer) -> None:
        self.answers = answers
        self.asked: list[tuple[str, int]] = []
        self.closed = False

    def __call__(self, inputs: Iterable[JudgeInput], *, repeat: int) -> Iterator[Any]:
        for item in inputs:
            self.asked.append((item.claim, repeat))
            one = self.answers
            yield item.id, one[item.claim] if isinstance(one, dict) else one

    def fingerprint(self) -> Fingerprint:
        return Fingerprint(judge="fixed", version="1", parameters={"id": id(self)})

    def close(self) -> None:
        self.closed = True


class Paid(Fixed):
    """The same at a price, with a guard and a redaction."""

    guard: SpendGuard | None = None
    redaction = Redaction()

    def __call__(self, inputs: Iterable[JudgeInput], *, repeat: int) -> Iterator[Any]:
        for item in inputs:
            if self.guard is not None:
                self.guard.book(None)
            yield from super().__call__([item], repeat=repeat)

    def plan(self, inputs: Iterable[JudgeInput]) -> SpendPlan:
        return SpendPlan(calls=len(list(inputs)), tokens_in=10, tokens_out=5, cost=None)

    def limit(self, guard: SpendGuard) -> None:
        self.guard = guard

    def redact(self, redaction: Redaction) -> None:
        self.redaction = redaction


def judged(label: Label, **fields: Any) -> JudgeAnswer:
    return JudgeAnswer(outcome="judged", label=label, **fields)


def sure(label: Label, p: float) -> JudgeAnswer:
    others = [one for one in ("supported", "contradicted", "unverifiable") if one != label]
    rest = (1 - p) / 2
    return judged(label, probabilities={label: p, others[0]: rest, others[1]: rest})


FAILED = JudgeAnswer(outcome="failed", error="no")
DEAR = judged("contradicted", tokens_in=100, tokens_out=7, cost=0.5, seconds=2.0)


def parts_of(*judges: Any) -> Parts:
    parts = Parts((), folder=None)
    parts.judges = list(judges)
    return parts


def ask(judge: Any, *claims: str, repeat: int = 0) -> list[JudgeAnswer]:
    items = [JudgeInput(id=claim, claim=claim, context=("x",)) for claim in claims]
    answers = dict(judge(iter(items), repeat=repeat))
    return [answers[claim] for claim in claims]


def cascade(first: Any, second: Any, **rule: Any) -> CascadeJudge:
    part = Part(use="x")
    return CascadeJudge(CascadeParameters(first=part, second=part, **rule), parts_of(first, second))


def panel(*judges: Any, weights: tuple[float, ...] = (), **rule: Any) -> PanelJudge:
    members = tuple(
        Part(use=f"m{n}", weight=weights[n] if weights else 1.0) for n in range(len(judges))
    )
    rule = {"weighted": bool(weights), **rule}
    return PanelJudge(PanelParameters(members=members, **rule), parts_of(*judges))


def test_a_cascade_keeps_what_is_sure() -> None:
    first = Fixed({"a": sure("supported", 0.9), "b": sure("supported", 0.8), "c": FAILED})
    second = Paid(DEAR)
    a, b, c = ask(cascade(first, second, threshold=0.85), "a", "b", "c", repeat=3)
    assert (a.label, a.flags, a.cost, a.attempts) == ("supported", ("kept",), None, 1)
    assert (b.label, b.flags) == ("contradicted", ("deferred",))
    assert (c.label, c.flags) == ("contradicted", ("deferred",))
    assert second.asked == [("b", 3), ("c", 3)], "the repeat reaches the parts"


def test_the_limit_itself_is_kept() -> None:
    (answer,) = ask(cascade(Fixed(sure("supported", 0.85)), Fixed(DEAR), threshold=0.85), "a")
    assert answer.flags == ("kept",)


def test_a_cascade_pays_for_both() -> None:
    first = Paid(judged("supported", tokens_in=10, tokens_out=1, cost=0.1, seconds=1.0, attempts=2))
    (answer,) = ask(cascade(first, Paid(DEAR), threshold=0.5), "a")
    assert (answer.tokens_in, answer.tokens_out, answer.cost) == (110, 8, 0.6)
    assert (answer.seconds, answer.attempts) == (3.0, 3)
    unknown = Paid(judged("supported", tokens_in=None, cost=None))
    (answer,) = ask(cascade(unknown, Paid(DEAR), threshold=0.5), "a")
    assert (answer.tokens_in, answer.cost) == (None, None), "one unknown makes the sum unknown"
    (answer,) = ask(cascade(Fixed(FAILED), Paid(DEAR), threshold=0.5), "a")
    assert (answer.tokens_in, answer.cost) == (100, 0.5), "a part that sends nothing costs nothing"


def test_a_band_passes_the_middle_on() -> None:
    first = Fixed({"low": sure("contradicted", 0.9), "mid": sure("supported", 0.5),
                   "high": sure("supported", 0.95)})  # fmt: skip
    answers = ask(cascade(first, Fixed(DEAR), band=(0.3, 0.7)), "low", "mid", "high")
    assert [a.flags[-1] for a in answers] == ["kept", "deferred", "kept"]


def test_a_cascade_on_scores_and_on_some_labels() -> None:
    first = Fixed({"s": judged("supported", score=0.9), "c": judged("contradicted", score=0.9)})
    rule = {"threshold": 0.5, "confidence": "score", "keep": ("supported",)}
    answers = ask(cascade(first, Fixed(DEAR), **rule), "s", "c")
    assert [a.flags[-1] for a in answers] == ["kept", "deferred"]


def test_a_majority() -> None:
    s, c, u = (Fixed(judged(one)) for one in ("supported", "contradicted", "unverifiable"))
    (answer,) = ask(panel(s, s, c), "a")
    assert (answer.label, answer.score) == ("supported", pytest.approx(2 / 3))
    assert answer.rationale == "m0: supported; m1: supported; m2: contradicted"
    (tie,) = ask(panel(s, c), "a")
    assert (tie.outcome, tie.label, tie.flags) == ("abstained", None, ("tie",))
    (tie,) = ask(panel(s, c, u), "a")
    assert tie.flags == ("tie",)


def test_votes_that_were_not_cast() -> None:
    s, f = Fixed(judged("supported")), Fixed(FAILED)
    assert ask(panel(s, s, f), "a")[0].label == "supported"
    (few,) = ask(panel(s, f, f), "a")
    assert (few.outcome, few.flags) == ("abstained", ("no_quorum",))
    assert "1 of 3 members judged, 2 must" in (few.error or "")
    assert ask(panel(s, f, f, quorum=1), "a")[0].label == "supported"


def test_weights() -> None:
    s, c = Fixed(judged("supported")), Fixed(judged("contradicted"))
    assert ask(panel(s, c, c, weights=(3.0, 1.0, 1.0)), "a")[0].label == "supported"
    (tie,) = ask(panel(s, c, c, weights=(0.3, 0.1, 0.2)), "a")
    assert tie.flags == ("tie",), "0.1 + 0.2 is 0.3, whatever floats say"


def test_a_panel_pays_for_all() -> None:
    (answer,) = ask(panel(Paid(DEAR), Paid(DEAR), Fixed(judged("supported"))), "a")
    assert (answer.cost, answer.tokens_in, answer.attempts) == (1.0, 200, 3)


def test_parts_are_planned_limited_redacted_and_closed() -> None:
    free, paid = Fixed(FAILED), Paid(DEAR)
    for made in (cascade(free, paid, threshold=0.5), panel(free, paid)):
        items = [JudgeInput(id="a", claim="a", context=("x",))] * 3
        assert plan_spending(made, items, repeats=2).calls == 6
        redact_inputs(made, Redaction(["secret"]))
        assert paid.redaction.patterns == ("secret",)
        limit_spending(made, SpendGuard(max_calls=2))
        with pytest.raises(SpendLimit):
            ask(made, "a", "b", "c")
        made.close()
        assert paid.closed
        assert free.closed


def test_a_stop_keeps_what_was_paid_for() -> None:
    guard = SpendGuard(max_calls=2)
    for made in (cascade(Fixed(FAILED), Paid(DEAR), threshold=0.5), panel(Fixed(DEAR), Paid(DEAR))):
        limit_spending(made, SpendGuard(max_calls=2))
        items = [JudgeInput(id=name, claim=name, context=("x",)) for name in "abcd"]
        seen = []
        with pytest.raises(SpendLimit):
            for name, _ in made(items, repeat=0):
                seen.append(name)
        assert seen == ["a", "b"]
    assert guard.calls == 0


def test_fingerprints_are_those_of_the_parts() -> None:
    a, b = Fixed(DEAR), Fixed(DEAR)
    one = cascade(a, b, threshold=0.5).fingerprint()
    assert one.parts == (a.fingerprint().digest, b.fingerprint().digest)
    assert one.digest != cascade(a, b, threshold=0.6).fingerprint().digest
    assert one.digest != cascade(b, a, threshold=0.5).fingerprint().digest
    assert panel(a, b).fingerprint().digest != panel(a, b, quorum=1).fingerprint().digest


def write_map(path: Path, fitted: Any) -> str:
    path.write_text(json.dumps(fitted.to_dict()), encoding="utf-8")
    return str(path)


def test_a_map_of_one_number(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    scores = rng.uniform(size=300)
    fitted = fit_platt(scores, rng.uniform(size=300) < scores**3)
    judge = CalibratedJudge(parts_of(Fixed(sure("supported", 0.6))), fitted, on="probability",
                            map_sha256="0")  # fmt: skip
    (answer,) = ask(judge, "a")
    expected = float(fitted.predict([0.6])[0])
    assert answer.probabilities is not None
    assert answer.probabilities["supported"] == pytest.approx(expected)
    assert answer.probabilities["contradicted"] == answer.probabilities["unverifiable"]
    assert expected < 1 / 3
    assert answer.label != "supported"
    assert "label_changed_by_map" in answer.flags


def test_the_identity_changes_nothing() -> None:
    inside = Fixed(sure("contradicted", 0.6))
    judge = CalibratedJudge(parts_of(inside), IdentityMap(n=1), on="probability", map_sha256="0")
    (answer,) = ask(judge, "a")
    assert answer.probabilities == pytest.approx(inside.answers.probabilities)  # type: ignore[union-attr]
    assert (answer.label, answer.flags) == ("contradicted", ())


def test_a_map_of_whole_rows() -> None:
    rng = np.random.default_rng(1)
    table = rng.dirichlet([1, 1, 1], size=200)
    labels = [int(rng.choice(3, p=row)) for row in table]
    fitted = fit_one_vs_rest(table, labels)
    judge = CalibratedJudge(parts_of(Fixed(sure("supported", 0.8))), fitted, on="probability",
                            map_sha256="0")  # fmt: skip
    (answer,) = ask(judge, "a")
    assert answer.probabilities is not None
    assert list(answer.probabilities.values()) == pytest.approx(
        list(fitted.predict([[0.8, 0.1, 0.1]])[0])
    )


def test_a_map_of_the_score_leaves_the_label() -> None:
    fitted = fit_platt([0.1, 0.2, 0.8, 0.9] * 20, [0, 0, 1, 1] * 20)
    inside = Fixed(judged("unverifiable", score=0.9))
    judge = CalibratedJudge(parts_of(inside), fitted, on="score", map_sha256="0")
    (answer,) = ask(judge, "a")
    assert answer.label == "unverifiable"
    assert answer.score == pytest.approx(float(fitted.predict([0.9])[0]))


def test_without_the_number_it_says_so() -> None:
    for on in ("probability", "score"):
        judge = CalibratedJudge(parts_of(Fixed(judged("supported"))), IdentityMap(n=1), on=on,
                                map_sha256="0")  # fmt: skip
        (answer,) = ask(judge, "a")
        assert answer.flags == ("not_calibrated",)
    judge = CalibratedJudge(parts_of(Fixed(FAILED)), IdentityMap(n=1), on="score", map_sha256="0")
    assert ask(judge, "a") == [FAILED]


def test_stored_and_loaded_it_answers_alike(tmp_path: Path) -> None:
    """Paths of the map and of the judge within start in the study's folder."""
    fitted = fit_platt([0.1, 0.2, 0.8, 0.9] * 20, [0, 0, 1, 1] * 20)
    write_map(tmp_path / "map.json", fitted)
    parameters = {"judge": {"use": "lexical"}, "map": "map.json", "on": "score"}
    first = load("calibrated", parameters=parameters, folder=tmp_path)
    second = load("calibrated", parameters=parameters, folder=tmp_path)
    assert first.fingerprint() == second.fingerprint()
    claims = ("The plan costs 12 euro.", "x")
    for one, two in zip(ask(first, *claims), ask(second, *claims), strict=True):
        assert (one.label, one.score) == (two.label, two.score)


@pytest.mark.parametrize(
    ("use", "parameters", "words"),
    [
        ("cascade", {}, "needs the parameters 'first' and 'second'"),
        ("cascade", {"first": {"use": "lexical"}, "second": {"use": "constant"}}, "either a thr"),
        (
            "cascade",
            {"first": {"use": "lexcal"}, "second": {"use": "constant"}, "threshold": 0.5},
            "did you mean 'lexical'",
        ),
        (
            "cascade",
            {"first": {"use": "lexical"}, "second": {"use": "constant"}, "band": [0.9, 0.1]},
            "low <= high",
        ),
        ("panel", {"members": [{"use": "lexical"}]}, "two members or more"),
        ("panel", {"members": [{"use": "lexical"}] * 2, "quorum": 3}, "quorum must be <= 2"),
        (
            "panel",
            {"members": [{"use": "lexical", "weight": 2.0}, {"use": "constant"}]},
            "weighted is false",
        ),
        ("calibrated", {"judge": {"use": "lexical"}}, "'judge' and 'map'"),
        ("calibrated", {"judge": {"use": "lexical"}, "map": "nowhere.json"}, "no such file"),
    ],
)
def test_parameters_that_are_not_allowed(use: str, parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(use, parameters=parameters)
    assert words in str(caught.value)


@pytest.mark.parametrize("text", ["{}", "[]", "no json", '{"kind": "platt"}'])
def test_files_that_hold_no_map(tmp_path: Path, text: str) -> None:
    (tmp_path / "map.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="holds no calibration map"):
        load("calibrated", parameters={"judge": {"use": "lexical"}, "map": "map.json"},
             folder=tmp_path)  # fmt: skip


def test_a_part_that_is_unavailable_closes_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    pytest.importorskip("openai", reason="THE EXTRA llm IS ABSENT")
    with pytest.raises(JudgeUnavailable, match="export OPENAI_API_KEY"):
        keyless = {"use": "llm", "parameters": {"model": "m"}}
        load("panel", parameters={"members": [{"use": "lexical"}, keyless]})


def test_they_are_judges() -> None:
    use = {
        "cascade": {"first": {"use": "lexical"}, "second": {"use": "constant"},
                    "threshold": 0.9, "confidence": "score"},
        "panel": {"members": [{"use": "lexical"}, {"use": "lexical"}, {"use": "constant"}]},
    }  # fmt: skip
    for name, parameters in use.items():
        judge = load(name, parameters=parameters)
        failed = [r for r in check_judge(judge) if r.kind == "duty" and not r.passed]
        assert failed == [], name
        judge.close()
