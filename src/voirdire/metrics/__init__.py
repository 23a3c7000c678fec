"""From verdicts to RAG metrics: claims of an answer, faithfulness, attribution, and their gaps."""

from __future__ import annotations

from voirdire.metrics.attribution import (
    Attribution,
    attribute_by_evidence,
    attribute_by_tfidf,
    tfidf_cosines,
)
from voirdire.metrics.borderline import Drawn, borderline_kinds, draw_queue
from voirdire.metrics.classic import answer_relevancy, context_precision, context_recall
from voirdire.metrics.context_conflict import ContextVerdict, context_verdict
from voirdire.metrics.costs import extrapolated, growth_of
from voirdire.metrics.embedding import Embed, tfidf_embedding
from voirdire.metrics.faithfulness import AnswerFaithfulness, answer_faithfulness
from voirdire.metrics.llm_splitting import LlmSplitter
from voirdire.metrics.missing import REASONS, bounds_with_partial, gap_sentence
from voirdire.metrics.questions import LlmQuestions, MadeQuestion
from voirdire.metrics.reading import AnswerFile
from voirdire.metrics.sampling import draw_sample, parse_share
from voirdire.metrics.splitting import AnswerClaim, SentenceSplitter, Split, SplitBill, Splitter
from voirdire.metrics.spread import Spread, spread

__all__ = [
    "REASONS",
    "AnswerClaim",
    "AnswerFaithfulness",
    "AnswerFile",
    "Attribution",
    "ContextVerdict",
    "Drawn",
    "Embed",
    "LlmQuestions",
    "LlmSplitter",
    "MadeQuestion",
    "SentenceSplitter",
    "Split",
    "SplitBill",
    "Splitter",
    "Spread",
    "answer_faithfulness",
    "answer_relevancy",
    "attribute_by_evidence",
    "attribute_by_tfidf",
    "borderline_kinds",
    "bounds_with_partial",
    "context_precision",
    "context_recall",
    "context_verdict",
    "draw_queue",
    "draw_sample",
    "extrapolated",
    "gap_sentence",
    "growth_of",
    "parse_share",
    "spread",
    "tfidf_cosines",
    "tfidf_embedding",
]
