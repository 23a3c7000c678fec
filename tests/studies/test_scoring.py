"""Answers scored: rows, gaps, refusals, resuming, pilots, corrections and queues."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import pytest

from voirdire.errors import InputError, JudgeUnavailable, UsageError
from voirdire.judges import load
from voirdire.labels import load_claim_set
from voirdire.metrics import Split, SplitBill
from voirdire.records import AnswerScore, Fingerprint, JudgeAnswer, JudgeInput, ScoreSummary
from voirdire.store import JudgeConfig, StudyConfig, dump_study, read_history, write_text
from voirdire.studies.scoring import (
    Instruments,
    ScoreOptions,
    append_to_history,
    corrected_share,
    history_line,
    open_scoring,
    operating_point,
    write_queue,
)

BASIC = "The Basic plan costs 12 euro a month."
PRO = "The Pro plan costs 19 euro a month."


class Scripted:
    """Says what the claim says: 'good …', 'bad …', 'odd …', 'fail …', 'empty …'."""

    def __init__(self, *, stop_after: int | None = None, cost: float | None = None) -> None:
        self.asked: list[JudgeInput] = []
        self._stop, self._cost = stop_after, cost

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        for item in inputs:
            if self._stop is not None and len(self.asked) >= self._stop:
                raise JudgeUnavailable("the service is gone", todo="start it")
            self.asked.append(item)
            word = item.claim.split()[0].lower()
            label = {"good": "supported", "bad": "contradicted", "odd": "unverifiable"}.get(word)
            if "against" in " ".join(item.context) and len(item.context) == 1:
                label = "contradicted"
            if label is not None:
                yield item.id, JudgeAnswer(outcome="judged", label=label, score=0.5)
            elif word == "fail":
                yield item.id, JudgeAnswer(outcome="timed_out", error="too slow")
            else:
                yield item.id, JudgeAnswer(outcome="not_applicable")

    def fingerprint(self) -> Fingerprint:
        return Fingerprint(judge="scripted", version="1")

    def close(self) -> None:
        pass


def row(identifier, answer, *, contexts=("some context",), question="What is it?", **more):
    return {"id": identifier, "question": question, "contexts": list(contexts),
            "answer": answer, **more}  # fmt: skip


def write(path, *rows):
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def run(tmp_path, rows, *, judge=None, into="out", tools=None, **options):
    source = write(tmp_path / "answers.jsonl", *rows)
    judge = judge or Scripted()
    tools = tools or Instruments(judge=judge, use="scripted")
    with open_scoring(source, tmp_path / into, tools, ScoreOptions(**options)) as scoring:
        summary, tally = scoring.run()
    return summary, tally, scoring


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def metric(summary: ScoreSummary, name="faithfulness"):
    return next(one for one in summary.metrics if one.metric == name)


def test_two_of_four_claims(tmp_path) -> None:
    summary, _, scoring = run(tmp_path, [row("a", "Good one. Good two. Bad one. Odd one.")])
    (score,) = lines(scoring.paths.answers)
    assert score["faithfulness"] == 0.5
    assert (score["supported"], score["contradicted"], score["unverifiable"]) == (2, 1, 1)
    rows = lines(scoring.paths.claims)
    assert [one["text"] for one in rows] == ["Good one.", "Good two.", "Bad one.", "Odd one."]
    assert [(one["start"], one["end"]) for one in rows][:2] == [(0, 9), (10, 19)]
    assert (summary.claims, summary.supported) == (4, 2)
    assert summary.contradicted_share.value == 0.25


def test_every_line_of_answers_is_a_whole_record(tmp_path) -> None:
    rows = [row("a", "Good one. Fail two."), row("b", ""), row("c", "No.", should_refuse=True),
            row("d", "Good one.", reference="Good one.")]  # fmt: skip
    wanted = ("faithfulness", "context_recall", "context_precision")
    _, _, scoring = run(tmp_path, rows, per_chunk=True, metrics=wanted)
    for line in lines(scoring.paths.answers):
        score = AnswerScore.model_validate(line)
        assert (score.faithfulness is None) <= ("faithfulness" in score.not_a_score
                                                or score.should_refuse is True)  # fmt: skip


def test_the_worked_summary(tmp_path) -> None:
    parts = {1.0: "Good one. Good two.", 0.75: "Good one. Good two. Good three. Odd four.",
             0.0: "Bad one. Odd two.", 0.5: "Good one. Odd two."}  # fmt: skip
    scores = [1, 1, 0.75, 1, 0, 0.5, 1, 1]
    rows = [row(f"a{n}", parts[score], question=f"q{n}") for n, score in enumerate(scores)]
    summary, _, _ = run(tmp_path, rows)
    found = metric(summary)
    shown = [found.mean.value, found.sd, found.p10, found.share_below_half]
    assert [round(value, 3) for value in shown] == [0.781, 0.364, 0.350, 0.125]
    assert found.micro.value == pytest.approx(14 / 18)
    assert [one.id for one in summary.worst] == ["a4", "a5", "a2"]
    assert found.mean.families == 8
    assert found.mean.low < found.mean.value < found.mean.high


def test_one_question_asked_often_is_one_family(tmp_path) -> None:
    rows = [row(f"a{n}", "Good one." if n % 3 else "Odd one.", question="Same?") for n in range(9)]
    rows += [row("b", "Good one.", question="other?")]
    summary, _, _ = run(tmp_path, rows)
    assert metric(summary).mean.families == 2
    assert summary.questions == 2


def test_no_score_is_not_a_low_score(tmp_path) -> None:
    rows = [
        row("ok", "Good one."), row("failed", "Fail one. Fail two."),
        row("partial", "Good one. Fail two."),
        row("hello", "Hello!"), row("empty", ""), row("judge-says-no-claim", "Nothing here."),
    ]  # fmt: skip
    summary, _, scoring = run(tmp_path, rows)
    scores = {one["id"]: one for one in lines(scoring.paths.answers)}
    assert "faithfulness" not in scores["failed"]
    assert scores["failed"]["not_a_score"] == {"faithfulness": "judge_failed"}
    assert (scores["partial"]["faithfulness"], scores["partial"]["partial"]) == (1.0, True)
    assert (scores["partial"]["low"], scores["partial"]["high"]) == (0.5, 1.0)
    found = metric(summary)
    assert (found.mean.value, found.mean.n, found.mean.n_asked) == (1.0, 2, 3)
    assert found.missing_as_0.value == pytest.approx(1.5 / 3)
    assert found.missing_as_1.value == 1.0
    assert found.missing.k == 1
    assert "1 of 3 scores are missing" in found.sentence
    assert not found.comparable
    counts = {one.reason: one for one in summary.not_scores}
    assert set(counts) == {"judge_failed", "nothing_to_check", "empty_answer"}
    assert counts["nothing_to_check"].count == 2
    assert all(one.remedy for one in summary.not_scores)
    assert summary.not_applicable == 3


def test_an_empty_context_is_never_supported_and_not_asked(tmp_path) -> None:
    judge = Scripted()
    rows = [row("a", "Good one.", contexts=[]), row("b", "Good two.", contexts=["", "  "])]
    summary, _, scoring = run(tmp_path, rows, judge=judge)
    assert metric(summary).mean.value == 0.0
    assert judge.asked == []
    assert all(one["flags"] == ["empty_context"] for one in lines(scoring.paths.claims))


def test_refusing_is_rewarded_where_it_is_right(tmp_path) -> None:
    judge = Scripted()
    rows = [
        row("r", "I don't know.", should_refuse=True, question="q1"),
        row("s", "Good one.", should_refuse=True, question="q2"),
        row("t", "I cannot answer that.", should_refuse=False, question="q3"),
        row("u", "Good one.", should_refuse=False, question="q4"),
    ]
    summary, _, _ = run(tmp_path, rows, judge=judge)
    assert summary.refusals.refused_rightly.value == 0.5
    assert summary.refusals.refused_wrongly.value == 0.5
    assert metric(summary).mean.n_asked == 1
    assert len(judge.asked) == 1
    plain, _, _ = run(tmp_path, [row("a", "Good one.")], into="plain")
    assert (
        plain.refusals.refused_rightly.undefined == "no answer is marked as one that should refuse"
    )


def test_per_chunk_verdicts_show_a_corpus_that_disagrees_with_itself(tmp_path) -> None:
    rows = [
        row("a", "Good one. Good two.", contexts=["for it", "", "against it"]),
        row("b", "Odd one.", contexts=["for it"]),
        row("c", "Bad one.", contexts=["x", "y"]),
    ]
    summary, _, scoring = run(tmp_path, rows, per_chunk=True)
    found = summary.conflict
    assert (found.none, found.sometimes, found.all, found.silent) == (0, 2, 1, 1)
    assert found.pairs == (("a", 0, 0, 2), ("a", 1, 0, 2))
    assert lines(scoring.paths.answers)[0]["conflict"] == 2


def test_precision_and_recall_from_verdicts_on_the_reference(tmp_path) -> None:
    judge = load("lexical")
    tools = Instruments(judge=judge, use="lexical")
    rows = [
        row("a", BASIC, contexts=["Zebras graze.", BASIC, PRO], reference=f"{BASIC} {PRO}"),
        row("b", BASIC, contexts=["Zebras graze."], reference=BASIC),
        row("c", BASIC, contexts=[BASIC]),
        row("d", BASIC, contexts=[], reference=BASIC),
    ]
    wanted = ("faithfulness", "context_precision", "context_recall")
    _, _, scoring = run(tmp_path, rows, tools=tools, metrics=wanted)
    found = {one["id"]: one for one in lines(scoring.paths.answers)}
    assert found["a"]["context_precision"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert found["a"]["context_recall"] == 1.0
    assert (found["b"]["context_precision"], found["b"]["context_recall"]) == (0.0, 0.0)
    assert found["c"]["not_a_score"]["context_recall"] == "no_reference"
    assert found["d"]["not_a_score"]["context_precision"] == "no_contexts"
    assert found["d"]["context_recall"] == 0.0


def test_attribution_by_evidence_and_by_tfidf(tmp_path) -> None:
    tools = Instruments(judge=load("lexical"), use="lexical")
    rows = [row("a", PRO, contexts=["Zebras graze.", BASIC, f"Hello. {PRO} Bye."])]
    _, _, scoring = run(tmp_path, rows, tools=tools)
    (one,) = lines(scoring.paths.claims)
    assert one["rests_on"] == {"chunk": 2, "start": 7, "end": 42, "method": "evidence"}
    _, _, scoring = run(tmp_path, rows, tools=tools, into="tfidf", attribution="tfidf")
    (one,) = lines(scoring.paths.claims)
    assert (one["rests_on"]["chunk"], one["rests_on"]["method"]) == (2, "tfidf")


def test_a_judge_that_fails_on_a_third(tmp_path) -> None:
    rows = []
    for n in range(60):
        kind = "long" if n % 3 == 0 else "short"
        claim = "Fail one." if n % 3 == 0 else "Good one."
        context = "word " * (500 if n % 3 == 0 else 5 + n % 7)
        rows.append(row(f"a{n}", claim, question=f"q{n}", kind=kind, contexts=[context]))
    summary, _, _ = run(tmp_path, rows)
    found = metric(summary)
    assert found.missing.value == pytest.approx(1 / 3)
    assert (found.mean.value, found.missing_as_0.value) == (1.0, pytest.approx(2 / 3))
    tests = {one.attribute: one for one in summary.failure_tests}
    assert tests["kind of question"].rates == {"long": 1.0, "short": 0.0}
    assert tests["kind of question"].p_adjusted < 0.01
    assert tests["length of the context"].p_adjusted < 0.01


def test_a_stopped_scoring_goes_on_and_asks_nothing_twice(tmp_path) -> None:
    rows = [row(f"a{n}", "Good one. Bad two.", question=f"q{n}") for n in range(30)]
    first = Scripted(stop_after=25)
    with pytest.raises(JudgeUnavailable):
        run(tmp_path, rows, judge=first)
    second = Scripted()
    summary, _, scoring = run(tmp_path, rows, judge=second)
    assert len(first.asked) + len(second.asked) == 60
    assert metric(summary).mean.value == 0.5
    third = Scripted()
    again, _, _ = run(tmp_path, rows, judge=third)
    assert third.asked == []
    assert again == summary
    with (tmp_path / "out" / "claims.jsonl").open("ab") as torn:
        torn.write(b'{"answer": "a1", "fo')
    assert run(tmp_path, rows, judge=Scripted())[0] == summary
    assert scoring.settings.sample.design == "census"


def test_failures_are_asked_again_only_when_told(tmp_path) -> None:
    rows = [row("a", "Good one. Fail two.")]
    run(tmp_path, rows)
    judge = Scripted()
    run(tmp_path, rows, judge=judge)
    assert judge.asked == []
    run(tmp_path, rows, judge=judge, retry_failed=True)
    assert [one.claim for one in judge.asked] == ["Fail two."]


def test_another_scoring_is_not_overwritten(tmp_path) -> None:
    run(tmp_path, [row("a", "Good one.")])
    with pytest.raises(UsageError, match="another scoring lies there; it differs in source_sha256"):
        run(tmp_path, [row("a", "Bad one.")])
    with pytest.raises(UsageError, match="metrics"):
        run(tmp_path, [row("a", "Good one.")], metrics=("faithfulness", "context_recall"))


def test_damaged_rows_are_named(tmp_path) -> None:
    rows = [row("a", "Good one.")]
    run(tmp_path, rows)
    path = tmp_path / "out" / "claims.jsonl"
    path.write_text('{"answer": "a", "for": "dinner", "claim": 0, "outcome": "judged"}\n')
    with pytest.raises(InputError, match=r"claims\.jsonl:1: the line is no judgment"):
        run(tmp_path, rows)


def test_a_sample_is_drawn_within_strata_and_recorded(tmp_path) -> None:
    rows = [row(f"a{n}", "Good one.", question=f"q{n}", language="it" if n < 4 else "en")
            for n in range(44)]  # fmt: skip
    summary, _, scoring = run(tmp_path, rows, share=0.1, seed=5, stratify=("language",))
    sample = summary.settings.sample
    assert (sample.design, sample.share, sample.seed) == ("random", 0.1, 5)
    assert sample.of == {"language:en": 40, "language:it": 4}
    assert sample.drawn == {"language:en": 4, "language:it": 1}
    assert summary.answers == 5
    drawn = [one["id"] for one in lines(scoring.paths.answers)]
    assert drawn == sorted(drawn, key=lambda name: int(name[1:]))
    assert run(tmp_path, rows, share=0.1, seed=5, stratify=("language",))[0] == summary


class PaidSplitter:
    """Splits by a full stop, at a price."""

    def __call__(self, answers):
        from voirdire.metrics import SentenceSplitter

        for answer in answers:
            found = SentenceSplitter().split(answer.answer)
            yield answer, Split(found.claims, found.not_claims, found.status, "",
                                SplitBill(1, 100, 20, 0.01, 0.2))  # fmt: skip

    def identity(self):
        return {"splitter": "paid"}

    def close(self):
        pass


def test_a_pilot_says_what_all_will_take_and_is_kept(tmp_path) -> None:
    rows = [row(f"a{n}", "Good one. " * (1 + n % 3), question=f"q{n}") for n in range(50)]
    source = write(tmp_path / "answers.jsonl", *rows)
    judge = Scripted()
    tools = Instruments(judge=judge, use="scripted", splitter=PaidSplitter())  # type: ignore[arg-type]
    with open_scoring(source, tmp_path / "out", tools, ScoreOptions(pilot=10)) as scoring:
        pilot = scoring.pilot()
        asked = len(judge.asked)
        costs = {one.metric: one for one in pilot.costs}
        assert (pilot.answers, pilot.of) == (10, 50)
        assert pilot.claims_per_answer == pytest.approx(asked / 10)
        assert costs["splitting"].calls == 1.0
        assert costs["splitting"].total_cost.value == pytest.approx(0.5)
        assert costs["faithfulness"].calls == pytest.approx(asked / 10)
        total = costs["faithfulness"].total_calls
        assert total.low <= 99 <= total.high
        assert costs["faithfulness"].cost == 0.0
        assert "claim" in costs["faithfulness"].growth
        assert costs["all"].total_cost.value == pytest.approx(0.5)
        again = {one.metric: one for one in scoring.pilot().costs}
        assert len(judge.asked) == asked  # what stands is not asked, and is not free for that
        assert again["splitting"] == costs["splitting"]
        assert again["faithfulness"].total_calls == total
        assert again["all"].total_cost == costs["all"].total_cost
        scoring.run()
    assert len(judge.asked) == 99
    assert len(lines(tmp_path / "out" / "splits.jsonl")) == 50


def test_the_history_line_is_what_watch_reads(tmp_path) -> None:
    rows = [row("a", "Good one. Bad two.", kind="x"), row("b", "Odd one. Fail two.", kind="y")]
    summary, tally, _ = run(tmp_path, rows)
    line = history_line(summary, tally, at=datetime(2026, 3, 1, tzinfo=UTC))
    path = tmp_path / "history.jsonl"
    assert append_to_history(path, line)
    (point,) = read_history(path)
    assert point.score == pytest.approx(1 / 3)
    assert (point.n, point.failures, point.contradicted, point.unverifiable) == (4, 1, 1, 1)
    assert point.judge == Scripted().fingerprint().digest
    parts = point.slices.values()
    assert sum(part.n for part in parts) == point.judged
    assert sum(part.n * part.score for part in parts) == pytest.approx(point.score * point.judged)
    assert not append_to_history(path, line, unless_known=True)
    with pytest.raises(UsageError, match=r"allowed: \.jsonl"):
        append_to_history(tmp_path / "history.csv", line)


def test_nothing_judged_is_a_gap_in_the_history(tmp_path) -> None:
    summary, tally, _ = run(tmp_path, [row("a", "Fail one.")])
    line = history_line(summary, tally, at=datetime(2026, 3, 1, tzinfo=UTC))
    append_to_history(tmp_path / "h.jsonl", line)
    (point,) = read_history(tmp_path / "h.jsonl")
    assert (point.score, point.n, point.failures) == (None, 1, 1)


def test_a_queue_becomes_a_claim_set_that_gives_nothing_away(tmp_path) -> None:
    rows = [row(f"a{n}", "Good one. Bad two. Fail three.", question=f"q{n}",
                contexts=["a\x00b", " "]) for n in range(20)]  # fmt: skip
    _, _, scoring = run(tmp_path, rows)
    written, drawn = write_queue(
        scoring.paths, scoring.answers, tmp_path / "queue", size=12, point=0.5, margin=0.1, seed=1
    )
    assert drawn == {"near": 12}
    assert load_claim_set(tmp_path / "queue").digest == written.digest
    assert len({claim.id for claim in written.claims}) == 12
    assert {claim.meta["chance"] for claim in written.claims} == {12 / 40}
    text = (tmp_path / "queue" / "claims.jsonl").read_text()
    assert "supported" not in text
    assert "contradicted" not in text
    assert written.info.not_evidence_for
    with pytest.raises(UsageError, match="there is a claim set already"):
        write_queue(scoring.paths, scoring.answers, tmp_path / "queue", size=1, point=0.5,
                    margin=0.1, seed=1)  # fmt: skip


def test_disputes_between_two_judges_go_to_the_queue(tmp_path) -> None:
    tools = Instruments(judge=load("lexical"), use="lexical", second=Scripted(), second_use="s")
    rows = [row(f"a{n}", "Good is the plan.", contexts=["Zebras graze."]) for n in range(5)]
    _, _, scoring = run(tmp_path, rows, tools=tools)
    _, drawn = write_queue(
        scoring.paths, scoring.answers, tmp_path / "q", size=3, point=0.75, margin=0.1, seed=1
    )
    assert drawn == {"disputed": 3}
    assert operating_point(load("lexical")) == 0.75
    assert operating_point(Scripted()) == 0.5


def study_of(tmp_path, *, same_judge=True):
    """A study on a set of labelled claims, answered by the scripted judge."""
    from voirdire.judges import run_judge
    from voirdire.labels import write_claim_set
    from voirdire.records import Claim, LabelRecord
    from voirdire.store import StudyPaths

    truth = ["supported"] * 30 + ["contradicted"] * 30
    words = ["Good"] * 27 + ["Odd"] * 3 + ["Bad"] * 24 + ["Good"] * 6
    claims = [Claim(id=f"c{n}", family=f"f{n}", variant="original", claim=f"{word} claim {n}.",
                    context=("some context",), language="en", meta={"chance": 0.5})
              for n, word in enumerate(words)]  # fmt: skip
    labels = [LabelRecord(id=f"l{n}", claim_id=f"c{n}", annotator="a1", label=label)
              for n, label in enumerate(truth)]  # fmt: skip
    write_claim_set(tmp_path / "set", claims, labels)
    folder = tmp_path / "study"
    config = JudgeConfig(name="scripted", use="constant")
    study = StudyConfig(name="s", labels=("../set",), judges=(config,))
    write_text(folder / "study.toml", dump_study(study))
    judge = Scripted() if same_judge else load("lexical")
    run_judge(judge, claims, paths=StudyPaths(folder), config=config, repeats=1, seed=0)
    return folder


def test_correction_follows_the_design(tmp_path) -> None:
    rows = [
        row(f"a{n}", "Good one. Good two. Bad three. Odd four.", question=f"q{n}")
        for n in range(50)
    ]
    summary, tally, _ = run(tmp_path, rows)
    folder = study_of(tmp_path)
    enriched, why = corrected_share(summary, tally, folder, design="enriched")
    # Rogan-Gladen: (0.5 + Sp - 1) / (Se + Sp - 1) with Se 27/30, Sp 24/30.
    assert enriched.value == pytest.approx((0.5 + 0.8 - 1) / (0.9 + 0.8 - 1))
    assert "Rogan-Gladen" in why
    assert "PPI++ is refused: not a random sample" in why
    random, why = corrected_share(summary, tally, folder, design="random")
    assert random.defined
    assert why.startswith("PPI++")
    assert corrected_share(summary, tally, folder, design="weighted")[0].defined


def test_no_correction_by_another_judges_errors(tmp_path) -> None:
    summary, tally, _ = run(tmp_path, [row("a", "Good one.")])
    found, why = corrected_share(
        summary, tally, study_of(tmp_path, same_judge=False), design="random"
    )
    assert found.undefined == "no finished run of this very judge in the study"
    assert "its errors are not known" in why
