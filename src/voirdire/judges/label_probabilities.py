"""Exact probabilities of the three labels from a llama.cpp server, by its own route.

A grammar's log-probabilities are those from before the grammar, and a list of the likeliest
tokens may lack a label: neither gives the probabilities of the labels. Raising the logits of the
first tokens of the three labels by one and the same bias does: it cancels among them.

Two requests to ``/completion`` a claim, the second with the prompt in the server's cache:
a bias of 60 leaves nothing but the labels, so what comes back is their softmax; a bias of 8
leaves the rest visible, and from the share q of the labels then follows which mass they cover
without any bias: ``m = q / (q + (1 - q) exp(8))``. A model to which the labels do not occur
(m near 0) is being made to choose; such answers are flagged ``low_label_mass``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, Final

from voirdire.errors import JudgeUnavailable
from voirdire.judges.bills import summed
from voirdire.judges.sending import paid, unanswered
from voirdire.models import LlmClient, LlmRequest, Reply
from voirdire.records import LABELS, JudgeAnswer, Label

__all__ = ["LOW_MASS", "LabelProbabilities"]

LOW_MASS: Final = 0.5
_EXACT_BIAS: Final = 60.0
_MASS_BIAS: Final = 8.0


class LabelProbabilities:
    """Reads the distribution over the labels at the end of a prompt.

    Parameters
    ----------
    client : LlmClient
    """

    def __init__(self, client: LlmClient) -> None:
        self._client = client
        self._tokens: dict[int, Label] = {}

    def requests(self, prompt: str) -> Iterator[LlmRequest]:
        """The requests of one claim, for a plan."""
        for bias in (_EXACT_BIAS, _MASS_BIAS):
            yield _request(prompt, self._tokens or dict.fromkeys(range(3), LABELS[0]), bias)

    async def answer(self, prompt: str) -> JudgeAnswer:
        """The likeliest label, all three probabilities, and the mass the labels cover.

        Raises
        ------
        JudgeUnavailable
            If the server does not have the route, or two labels begin with the same token.
        """
        if not self._tokens:
            self._tokens = await self._first_tokens()
        replies = []
        shares = []
        for bias in (_EXACT_BIAS, _MASS_BIAS):
            reply = await self._client.ask(_request(prompt, self._tokens, bias))
            if reply.status != "answered":
                return unanswered(reply)
            _read_counts(reply)
            reply.cost = self._client.price.cost(reply.tokens_in, reply.tokens_out)
            replies.append(reply)
            shares.append(_shares(reply.body, self._tokens))
        bill = summed([JudgeAnswer(outcome="failed", **paid(reply)) for reply in replies])
        return _judged(shares[0], _mass(shares[1]), bill)

    async def _first_tokens(self) -> dict[int, Label]:
        """The token that each label begins with after "Label:"."""
        found: dict[int, Label] = {}
        for label in LABELS:
            body = {"content": f" {label}", "add_special": False}
            reply = await self._client.ask(LlmRequest(body, route="native", path="/tokenize"))
            tokens = reply.body.get("tokens")
            if reply.status != "answered" or not isinstance(tokens, list) or not tokens:
                raise JudgeUnavailable(
                    f"the server cannot say how it cuts {label!r} into tokens: {reply.error}",
                    where=self._client.base_url,
                    todo="probabilities = 'logit_bias' needs a llama.cpp server; elsewhere take "
                    "probabilities = 'samples'",
                )
            found[int(tokens[0])] = label
        if len(found) < len(LABELS):
            raise JudgeUnavailable(
                "two labels begin with the same token of this model, so one token cannot tell "
                "them apart",
                where=self._client.base_url,
                todo="take probabilities = 'samples' instead",
            )
        return found


def _request(prompt: str, tokens: dict[int, Label], bias: float) -> LlmRequest:
    body = {
        "prompt": prompt,
        "n_predict": 1,
        "logit_bias": [[token, bias] for token in tokens],
        "samplers": ["temperature"],
        "temperature": 1.0,
        "n_probs": 20,
        "post_sampling_probs": True,
        "cache_prompt": True,
    }
    return LlmRequest(body, route="native", path="/completion")


def _shares(body: dict[str, Any], tokens: dict[int, Label]) -> dict[Label, float]:
    """Probability of each label's token in a reply; 0 where it is not listed."""
    shares = dict.fromkeys(LABELS, 0.0)
    places = body.get("completion_probabilities") or [{}]
    for one in places[0].get("top_probs") or ():
        label = tokens.get(one.get("id"))
        if label is not None:
            shares[label] = float(one.get("prob", 0.0))
    return shares


def _mass(biased: dict[Label, float]) -> float:
    share = min(sum(biased.values()), 1.0)
    return share / (share + (1 - share) * math.exp(_MASS_BIAS))


def _judged(shares: dict[Label, float], mass: float, bill: dict[str, Any]) -> JudgeAnswer:
    total = sum(shares.values())
    if not 0.99 < total < 1.01 or min(shares.values()) < 0:
        return JudgeAnswer(
            outcome="unparsable",
            error=f"the server's probabilities of the labels sum to {total:.3g} instead of 1",
            **bill,
        )
    probabilities = {label: share / total for label, share in shares.items()}
    return JudgeAnswer(
        outcome="judged",
        label=max(LABELS, key=lambda label: probabilities[label]),
        probabilities=probabilities,
        raw=json.dumps({"method": "logit_bias", "label_mass": round(mass, 6)}),
        flags=("low_label_mass",) if mass < LOW_MASS else (),
        **bill,
    )


def _read_counts(reply: Reply) -> None:
    """Tokens as llama.cpp's own route names them."""
    evaluated, predicted = reply.body.get("tokens_evaluated"), reply.body.get("tokens_predicted")
    reply.tokens_in = evaluated if type(evaluated) is int else None
    reply.tokens_out = predicted if type(predicted) is int else None
