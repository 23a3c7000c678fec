"""One request to a language model made from claims, and its reply made into answers."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from voirdire.judges.answers import LabelWords, Parsed, read_answer, read_batch
from voirdire.judges.bills import summed
from voirdire.judges.label_probabilities import LabelProbabilities
from voirdire.judges.outputs import LADDERS, Form, answer_fields
from voirdire.judges.prompts import Example, Prompt
from voirdire.judges.sending import answer_without_asking, paid, unanswered
from voirdire.models import LlmClient, LlmRequest, Reply
from voirdire.records import LABELS, JudgeAnswer, JudgeInput, Label

if TYPE_CHECKING:
    from voirdire.judges.llm import LlmParameters

__all__ = ["LlmAsking"]

Answers = list[tuple[str, JudgeAnswer]]

# Words by which servers say that they do not know a form of output.
_FORM_WORDS: Final = ("response_format", "json_schema", "schema", "tool", "grammar", "json_object")


class LlmAsking:
    """Asks about groups of claims that share a context, a group a request.

    Parameters
    ----------
    parameters : LlmParameters
    prompt : Prompt
    examples : sequence of Example
    client : LlmClient
    """

    def __init__(
        self,
        parameters: LlmParameters,
        prompt: Prompt,
        examples: Sequence[Example],
        client: LlmClient,
    ) -> None:
        self._set = parameters
        self._prompt = prompt
        self._client = client
        self._examples = examples
        self._shown = {(one.claim, one.context) for one in examples}
        self._words = LabelWords(parameters.language)
        self._ladder: tuple[Form, ...] = (
            LADDERS[parameters.endpoint] if parameters.output == "auto" else (parameters.output,)
        )
        self._rung = 0
        self._settled = len(self._ladder) == 1
        self._settling: asyncio.Lock | None = None
        self._probabilities = LabelProbabilities(client)
        self._head = self._completion_head() if self._completes else self._chat_head()

    @property
    def _completes(self) -> bool:
        return self._set.endpoint == "completions"

    async def answers(self, group: Sequence[JudgeInput], *, repeat: int) -> Answers:
        """An answer for each claim of a group; nothing is raised for one of them.

        Raises
        ------
        JudgeUnavailable
            As `LlmClient.ask`.
        """
        answered: Answers = []
        to_ask: list[JudgeInput] = []
        for item in group:
            plain = answer_without_asking(item)
            if plain is None:
                to_ask.append(item)
            else:
                answered.append((item.id, plain))
        if len(to_ask) == 1:
            answered.append(
                (to_ask[0].id, self._flagged(to_ask[0], await self._one(to_ask[0], repeat)))
            )
        elif to_ask:
            answered += await self._several(to_ask, repeat)
        return answered

    def requests(self, group: Sequence[JudgeInput]) -> Iterator[LlmRequest]:
        """What asking a group would send, for a plan."""
        to_ask = [item for item in group if answer_without_asking(item) is None]
        if not to_ask:
            return
        if self._set.probabilities == "logit_bias":
            yield from self._probabilities.requests(self._text(to_ask[0]))
            return
        request = self._request(to_ask, self._ladder[0], seed=None)
        for _ in range(self._set.samples if self._set.probabilities == "samples" else 1):
            yield request

    async def _one(self, item: JudgeInput, repeat: int) -> JudgeAnswer:
        if self._set.probabilities == "logit_bias":
            return await self._probabilities.answer(self._text(item))
        if self._set.probabilities == "samples":
            return await self._sampled(item, repeat)
        return self._read(item, *await self._reply([item], self._seed(repeat)))

    async def _sampled(self, item: JudgeInput, repeat: int) -> JudgeAnswer:
        """Several answers to one claim, one after the other: claims already run side by side."""
        count = self._set.samples
        answers = [
            self._read(item, *await self._reply([item], self._seed(repeat * count + number)))
            for number in range(count)
        ]
        return _shares(answers)

    async def _several(self, items: Sequence[JudgeInput], repeat: int) -> Answers:
        """One request for several claims; each is looked for by its number."""
        reply, form = await self._reply(items, self._seed(repeat))
        count = len(items)
        bills = _split(reply, count)
        if reply.status not in ("answered", "truncated"):
            whole = unanswered(reply)
            return [
                (item.id, whole.model_copy(update=bill))
                for item, bill in zip(items, bills, strict=True)
            ]
        cut = reply.status == "truncated"
        read = read_batch(
            reply.text, count=count, words=self._words, repair=self._set.repair, cut=cut
        )
        flags = self._flags_of(form)
        if len(read) < count:
            flags = (*flags, "partial_batch")
        answers: Answers = []
        for number, (item, bill) in enumerate(zip(items, bills, strict=True), 1):
            parsed = read.get(number)
            if parsed is None:
                answer = _missing(number, count, len(read), reply, cut)
            else:
                answer = _answer(parsed, raw=reply.text if number == 1 else None, reply=reply)
            update = {**bill, "flags": tuple(dict.fromkeys((*answer.flags, *flags)))}
            answers.append((item.id, self._flagged(item, answer.model_copy(update=update))))
        return answers

    async def _reply(self, items: Sequence[JudgeInput], seed: int | None) -> tuple[Reply, Form]:
        """Ask in the strictest form the server takes; which that is the first replies show."""
        if not self._settled:
            if self._settling is None:
                self._settling = asyncio.Lock()
            async with self._settling:
                if not self._settled:
                    return await self._settle(items, seed)
        form = self._ladder[self._rung]
        return await self._client.ask(self._request(items, form, seed=seed)), form

    async def _settle(self, items: Sequence[JudgeInput], seed: int | None) -> tuple[Reply, Form]:
        spent = 0
        while True:
            form = self._ladder[self._rung]
            reply = await self._client.ask(self._request(items, form, seed=seed))
            spent += reply.attempts
            reply.attempts = spent
            if not _form_refused(reply) or self._rung + 1 == len(self._ladder):
                # A claim that does not fit, or an outage, says nothing about the form.
                self._settled = reply.status in ("answered", "truncated", "refused")
                return reply, form
            self._rung += 1

    def _request(self, items: Sequence[JudgeInput], form: Form, *, seed: int | None) -> LlmRequest:
        settings = self._set
        body: dict[str, Any] = {settings.token_limit: settings.max_tokens}
        if settings.temperature != "server":
            body["temperature"] = settings.temperature
        if settings.top_p is not None:
            body["top_p"] = settings.top_p
        if seed is not None:
            body["seed"] = seed
        body |= answer_fields(
            form, order=settings.rationale, route=settings.endpoint, batch=len(items)
        )
        body |= settings.extra
        if self._completes:
            return LlmRequest({"prompt": self._text(items[0]), **body}, route="completions")
        if len(items) == 1:
            user = self._prompt.user(items[0].claim, items[0].context)
        else:
            user = self._prompt.user_batch([item.claim for item in items], items[0].context)
        head = self._head if len(items) == 1 else self._chat_head("batch")
        return LlmRequest({"messages": [*head, {"role": "user", "content": user}], **body})

    def _chat_head(self, answer: str = "") -> list[dict[str, str]]:
        """The instruction and the examples: the same before every claim."""
        messages = [
            {"role": "system", "content": self._prompt.system(answer or self._set.rationale)}
        ]
        if answer == "batch":
            return messages
        for one in self._examples:
            messages.append({"role": "user", "content": self._prompt.user(one.claim, one.context)})
            messages.append({"role": "assistant", "content": _shown(one, self._set.rationale)})
        return messages

    def _completion_head(self) -> str:
        shown = [
            f"{self._prompt.completion(one.claim, one.context)} {one.label}"
            for one in self._examples
        ]
        return "".join(f"{one}\n\n" for one in shown)

    def _text(self, item: JudgeInput) -> str:
        return f"{self._head}{self._prompt.completion(item.claim, item.context)}"

    def _seed(self, number: int) -> int | None:
        return None if self._set.seed is None else self._set.seed + number

    def _read(self, item: JudgeInput, reply: Reply, form: Form) -> JudgeAnswer:
        flags = self._flags_of(form)
        if reply.status != "answered":
            answer = unanswered(reply)
        else:
            parsed = read_answer(
                reply.text,
                words=self._words,
                repair=self._set.repair,
                given="\n".join((item.claim, *item.context)),
            )
            answer = _answer(parsed, raw=reply.text, reply=reply)
        return answer.model_copy(update={"flags": (*answer.flags, *flags)}) if flags else answer

    def _flags_of(self, form: Form) -> tuple[str, ...]:
        """Asked for a form and had to take a looser one: that is not what was asked for."""
        return () if form == self._ladder[0] else (f"output_{form}",)

    def _flagged(self, item: JudgeInput, answer: JudgeAnswer) -> JudgeAnswer:
        if (item.claim, item.context) not in self._shown:
            return answer
        return answer.model_copy(update={"flags": (*answer.flags, "shown_as_example")})


def _answer(parsed: Parsed, *, raw: str | None, reply: Reply) -> JudgeAnswer:
    return JudgeAnswer(
        outcome=parsed.outcome,
        label=parsed.label,
        rationale=parsed.rationale,
        error=None if parsed.label else parsed.error,
        raw=raw,
        flags=(*reply.flags, *parsed.flags),
        **paid(reply),
    )


def _missing(number: int, count: int, found: int, reply: Reply, cut: bool) -> JudgeAnswer:
    return JudgeAnswer(
        outcome="truncated" if cut else "unparsable",
        error=f"no verdict on claim {number} of {count}: the answer holds {found}"
        + ("; raise the parameter max_tokens" if cut else ""),
        raw=reply.text if number == 1 else None,
        flags=tuple(reply.flags),
    )


def _split(reply: Reply, count: int) -> list[dict[str, Any]]:
    """One bill shared out so that the parts sum to it; the calls stand with the first claim."""
    bills: list[dict[str, Any]] = []
    for place in range(count):
        bills.append(
            {
                "seconds": reply.seconds / count,
                "attempts": reply.attempts if place == 0 else 0,
                "tokens_in": _part(reply.tokens_in, place, count),
                "tokens_out": _part(reply.tokens_out, place, count),
                "cost": None if reply.cost is None else reply.cost / count,
            }
        )
    return bills


def _part(total: int | None, place: int, count: int) -> int | None:
    return None if total is None else total // count + (place < total % count)


def _shown(example: Example, order: str) -> str:
    rationale = {"rationale": example.rationale or "The context says so."}
    label = {"label": example.label}
    fields = {"before": rationale | label, "after": label | rationale, "none": label}[order]
    return json.dumps(fields, ensure_ascii=False)


def _form_refused(reply: Reply) -> bool:
    said = reply.error.lower()
    return reply.status == "rejected" and any(word in said for word in _FORM_WORDS)


def _shares(answers: Sequence[JudgeAnswer]) -> JudgeAnswer:
    """Several answers as one: the label most of them give, the shares as probabilities."""
    votes: Counter[Label] = Counter(answer.label for answer in answers if answer.label)
    bill = summed(answers)
    if not votes:
        return answers[0].model_copy(update=bill)
    given = votes.total()
    ranked = votes.most_common()
    flags = list(dict.fromkeys(flag for answer in answers for flag in answer.flags))
    if given < len(answers):
        flags.append("samples_missing")
    body: dict[str, Any] = {
        **bill,
        "raw": " | ".join(str(answer.label or answer.outcome) for answer in answers),
    }
    if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
        return JudgeAnswer(
            outcome="abstained",
            error=f"a tie among {given} samples",
            flags=(*flags, "tie"),
            **body,
        )
    label = ranked[0][0]
    return JudgeAnswer(
        outcome="judged",
        label=label,
        probabilities={one: votes[one] / given for one in LABELS},
        rationale=next(answer.rationale for answer in answers if answer.label == label),
        flags=tuple(flags),
        **body,
    )
