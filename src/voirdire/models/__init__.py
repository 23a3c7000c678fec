"""What talks to models, for everyone: it knows nothing of judging."""

from __future__ import annotations

from voirdire.models.llm import LlmClient, LlmRequest, LlmSettings, lacks_openai
from voirdire.models.loop import LoopThread
from voirdire.models.prices import Price, price_of
from voirdire.models.replies import Reply
from voirdire.models.spending import SpendGuard, SpendPlan, estimated_tokens

__all__ = [
    "LlmClient",
    "LlmRequest",
    "LlmSettings",
    "LoopThread",
    "Price",
    "Reply",
    "SpendGuard",
    "SpendPlan",
    "estimated_tokens",
    "lacks_openai",
    "price_of",
]
