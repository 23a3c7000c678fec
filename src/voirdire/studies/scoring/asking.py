"""Answers put to the instruments, a batch at a time; everything is written down as it comes.

What stands in the files is not asked again, whatever ended the last time. Of several lines of one
key the last counts, so that failures can be asked anew without touching what was written.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import Any, Final

from voirdire.judges import Irregular, Judge
from voirdire.judges.asking import ask
from voirdire.judges.spending import sends
from voirdire.metrics import MadeQuestion, SentenceSplitter, Split, SplitBill, attribute_by_tfidf
from voirdire.records import Answer, AnswerScore, JudgeAnswer, JudgeInput, trusted
from voirdire.store import Appender, read_lines
from voirdire.studies.scoring.answers import score_of
from voirdire.studies.scoring.askings import Asking, Key, askings_of, has_context
from voirdire.studies.scoring.layout import ScorePaths
from voirdire.studies.scoring.meter import Meter
from voirdire.studies.scoring.options import Instruments, ScoreOptions
from voirdire.studies.scoring.rows import Judged, attributed, judged_of, read_rows, row_of
from voirdire.studies.scoring.splits import line_of_split, split_of_line

__all__ = ["Asker", "Scored"]

Scored = tuple[Answer, Split, dict[Key, Judged], AnswerScore]

_BATCH: Final = 512
_HELD: Final = 256
_HELD_SECONDS: Final = 0.25
_PAID: Final = ("attempts", "tokens_in", "tokens_out", "cost", "seconds")
_EMPTY: Final = JudgeAnswer(
    outcome="judged",
    label="unverifiable",
    rationale="the context is empty; the judge was not asked",
    attempts=0,
    seconds=0.0,
    flags=("empty_context",),
)


class Asker:
    """Puts answers to the instruments.

    Parameters
    ----------
    paths : ScorePaths
    tools : Instruments
    options : ScoreOptions
    tell : callable
        Takes messages for the user.
    """

    def __init__(
        self,
        paths: ScorePaths,
        tools: Instruments,
        options: ScoreOptions,
        *,
        tell: Callable[[str], None],
    ) -> None:
        self._tools, self._options, self._paths = tools, options, paths
        self.meter = Meter(free=not sends(tools.judge))
        self.irregular = Irregular()
        self._stack = ExitStack()
        self._done: dict[str, dict[Key, Judged]] = defaultdict(dict)
        for identifier, key, judged, _ in read_rows(paths.claims):
            if options.retry_failed and judged.failed:
                self._done[identifier].pop(key, None)
            else:
                self._done[identifier][key] = judged
        self._splits: dict[str, Split] = {}
        self._made: dict[str, dict[int, MadeQuestion]] = defaultdict(dict)
        self._read_paid()
        standing = sum(map(len, self._done.values()))
        if standing:
            tell(f"{standing} judgments stand and are not asked again")
        self._rows = self._stack.enter_context(Appender(paths.claims))
        self._paid_splits: Appender | None = None
        self._paid_questions: Appender | None = None
        if not isinstance(tools.splitter, SentenceSplitter):
            self._paid_splits = self._stack.enter_context(Appender(paths.splits))
        if tools.questions is not None:
            self._paid_questions = self._stack.enter_context(Appender(paths.questions))

    def close(self) -> None:
        """Close the files."""
        self._stack.close()

    def meter_standing(self, names: set[str]) -> bool:
        """Put what was paid before for some answers on the meter; whether there was any."""
        found = False
        for name, key, _, row in read_rows(self._paths.claims):
            if name in names:
                paid = {field: row[field] for field in _PAID if field in row}
                self.meter.add_answer(key[0], name, JudgeAnswer(outcome="failed", **paid))
                found = True
        for split_name, split in self._splits.items():
            name = split_name.removesuffix("#reference")
            if name in names and split.bill is not None:
                self.meter.add("splitting", name, split.bill)
                found = True
        for name in names & self._made.keys():
            for made in self._made[name].values():
                self.meter.add("answer_relevancy", name, made.bill)
                found = True
        return found

    def score(self, answers: Iterable[Answer]) -> Iterator[Scored]:
        """Each answer with its split, its judgments and its score, in their order."""
        source = iter(answers)
        while batch := list(islice(source, _BATCH)):
            yield from self._batch(batch)

    def _batch(self, batch: Sequence[Answer]) -> Iterator[Scored]:
        # An answer that should refuse is scored by whether it refuses: nothing is asked of it.
        asked = [answer for answer in batch if not answer.should_refuse]
        splits = self._split(batch)
        references = self._references(asked)
        judged = {answer.id: self._done.pop(answer.id, {}) for answer in batch}
        wanted: list[Asking] = []
        for answer in asked:
            known = judged[answer.id]
            wanted += [
                asking
                for asking in askings_of(
                    answer,
                    splits[answer.id],
                    references.get(answer.id),
                    metrics=self._options.metrics,
                    per_chunk=self._options.per_chunk,
                    second=self._tools.second is not None,
                )
                if asking.key not in known
            ]
        self._judge(wanted, judged)
        made = self._questions(asked, splits)
        for answer in batch:
            score = score_of(
                answer,
                splits[answer.id],
                references.get(answer.id),
                judged[answer.id],
                metrics=self._options.metrics,
                per_chunk=self._options.per_chunk,
                made=made.get(answer.id, ()),
            )
            yield answer, splits[answer.id], judged[answer.id], score

    def _split(self, answers: Sequence[Answer]) -> dict[str, Split]:
        found: dict[str, Split] = {}
        left = []
        for answer in answers:
            known = self._splits.pop(answer.id, None)
            if known is None:
                left.append(answer)
            else:
                found[answer.id] = known
        for answer, split in self._tools.splitter(left):
            found[answer.id] = split
            if split.bill is not None:
                self.meter.add("splitting", answer.id.removesuffix("#reference"), split.bill)
            if self._paid_splits is not None:
                self._paid_splits.append(line_of_split(answer.id, split))
        return found

    def _references(self, answers: Sequence[Answer]) -> dict[str, Split]:
        if not {"context_precision", "context_recall"} & set(self._options.metrics):
            return {}
        asked = [
            answer.model_copy(update={"id": f"{answer.id}#reference", "answer": answer.reference})
            for answer in answers
            if answer.reference
        ]
        return {
            name.removesuffix("#reference"): split for name, split in self._split(asked).items()
        }

    def _judge(self, wanted: Sequence[Asking], judged: dict[str, dict[Key, Judged]]) -> None:
        places = self._tfidf(wanted) if self._options.attribution == "tfidf" else {}
        for judge, chosen in (
            (self._tools.judge, [one for one in wanted if one.key[0] != "second"]),
            (self._tools.second, [one for one in wanted if one.key[0] == "second"]),
        ):
            if judge is None or not chosen:
                continue
            rows = (
                self._row(asking, answer, judged, places)
                for asking, answer in self._answers(judge, chosen)
            )
            if sends(judge):  # what was paid for is on the disk before the next one is asked
                for row in rows:
                    self._rows.append(row)
            else:
                self._append_cheap(rows)

    def _append_cheap(self, rows: Iterable[dict[str, Any]]) -> None:
        """Many lines with one flush: at a kill the work of a moment is lost, and done again."""
        held: list[dict[str, Any]] = []
        flushed = time.monotonic()
        try:
            for row in rows:
                held.append(row)
                if len(held) >= _HELD or time.monotonic() - flushed > _HELD_SECONDS:
                    self._rows.append_all(held)
                    held.clear()
                    flushed = time.monotonic()
        finally:
            self._rows.append_all(held)

    def _row(
        self,
        asking: Asking,
        answer: JudgeAnswer,
        judged: dict[str, dict[Key, Judged]],
        places: dict[tuple[str, int], Any],
    ) -> dict[str, Any]:
        """The line of a judgment; it is noted and metered on the way."""
        key = asking.key
        if self._options.attribution == "evidence":
            place = attributed(asking, answer)
        else:
            place = places.get((asking.answer.id, key[1])) if key[0] == "claim" else None
        judged[asking.answer.id][key] = judged_of(answer.outcome, answer.label)
        self.meter.add_answer(key[0], asking.answer.id, answer)
        return row_of(asking, answer, attribution=place)

    def _answers(
        self, judge: Judge, chosen: Sequence[Asking]
    ) -> Iterator[tuple[Asking, JudgeAnswer]]:
        """One answer for each; a claim without any context is never supported, nor asked."""
        full = []
        for asking in chosen:
            if has_context(asking.answer):
                full.append(asking)
            else:
                yield asking, _EMPTY
        ids = [str(number) for number in range(len(full))]

        def inputs(places: Iterable[int]) -> Iterator[JudgeInput]:
            for place in places:
                one = full[place]
                said: Any = {"id": ids[place], "claim": one.claim.text, "context": one.context}
                # A model's claim may hold half characters; the chunks hold none.
                plain = one.claim.text.isascii()
                yield trusted(JudgeInput, said) if plain else JudgeInput(**said)

        for place, answer in ask(judge, ids, inputs, repeat=0, irregular=self.irregular):
            yield full[place], answer

    def _tfidf(self, wanted: Sequence[Asking]) -> dict[tuple[str, int], Any]:
        by_answer: dict[str, list[Asking]] = defaultdict(list)
        for asking in wanted:
            if asking.key[0] == "claim":
                by_answer[asking.answer.id].append(asking)
        found = {}
        for identifier, askings in by_answer.items():
            answer = askings[0].answer
            texts = [asking.claim.text for asking in askings]
            places = attribute_by_tfidf(texts, answer.contexts, language=answer.language)
            for asking, place in zip(askings, places, strict=True):
                found[identifier, asking.key[1]] = place
        return found

    def _questions(
        self, answers: Sequence[Answer], splits: dict[str, Split]
    ) -> dict[str, list[MadeQuestion]]:
        maker = self._tools.questions
        if maker is None or "answer_relevancy" not in self._options.metrics:
            return {}
        usable = [
            answer
            for answer in answers
            if answer.question.strip() and splits[answer.id].status != "empty_answer"
        ]
        missing = (
            (answer, number)
            for answer in usable
            for number in range(maker.each)
            if number not in self._made[answer.id]
        )
        for answer, number, made in maker(missing):
            self._made[answer.id][number] = made
            self.meter.add("answer_relevancy", answer.id, made.bill)
            assert self._paid_questions is not None
            self._paid_questions.append(
                {"answer": answer.id, "number": number, **made._asdict(),
                 "bill": made.bill._asdict()}
            )  # fmt: skip
        return {
            answer.id: [one for _, one in sorted(self._made.pop(answer.id, {}).items())]
            for answer in usable
        }

    def _read_paid(self) -> None:
        """Splits and questions that were paid for already."""
        retry = self._options.retry_failed
        if self._paths.splits.exists():
            for line in read_lines(self._paths.splits):
                split = split_of_line(line.value)
                self._splits[line.value["answer"]] = split
                if retry and split.status == "failed":
                    del self._splits[line.value["answer"]]
        if self._paths.questions.exists():
            for line in read_lines(self._paths.questions):
                row = line.value
                if retry and row["error"]:
                    continue
                self._made[row["answer"]][row["number"]] = MadeQuestion(
                    row["question"], row["evasive"], row["error"], SplitBill(**row["bill"])
                )
