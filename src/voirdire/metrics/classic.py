"""The classic metrics of retrieval and answering, from verdicts.

Sources: context precision, context recall and answer relevancy as Ragas defines them (Es, James,
Espinosa Anke & Schockaert, 2024); context precision is average precision at the relevant ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from voirdire.metrics.embedding import Embed, tfidf_embedding
from voirdire.records import Estimate

__all__ = ["answer_relevancy", "context_precision", "context_recall"]


def context_precision(relevant: Sequence[Any]) -> Estimate:
    """Mean precision at the ranks of relevant chunks.

    Parameters
    ----------
    relevant : sequence of bool or None, shape (chunks,)
        Whether each chunk is relevant, in the order retrieved; None for no judgment.

    Returns
    -------
    Estimate
        0 if no chunk is relevant. Undefined: ``no contexts``, ``a chunk without judgment`` (its
        rank would move all others).

    Examples
    --------
    >>> [round(context_precision(x).value, 3) for x in ([1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 0])]
    [1.0, 0.5, 0.833, 0.0]
    """
    method = "mean precision at the ranks of relevant chunks"
    if not len(relevant):
        return Estimate.not_defined("no contexts", method=method)
    unknown = sum(one is None for one in relevant)
    if unknown:
        return Estimate.not_defined(
            f"a chunk without judgment: {unknown} of {len(relevant)}",
            method=method,
            n=len(relevant) - unknown,
            n_asked=len(relevant),
        )
    flags = np.array([bool(one) for one in relevant], dtype=np.float64)
    hits = int(flags.sum())
    ranks = np.arange(1, len(flags) + 1)
    value = float((np.cumsum(flags) / ranks * flags).sum() / hits) if hits else 0.0
    return _single(value, n=len(flags), k=hits, method=method)


def context_recall(attributed: Sequence[Any]) -> Estimate:
    """Share of the reference's claims that the context supports.

    Parameters
    ----------
    attributed : sequence of bool or None, shape (claims,)
        Whether the context supports each claim of the reference answer; None for no judgment.

    Returns
    -------
    Estimate
        Undefined: ``no reference claims``, ``no claim was judged``.

    Examples
    --------
    >>> context_recall([1, 0, 1, 1]).value
    0.75
    """
    judged = [bool(one) for one in attributed if one is not None]
    if not judged:
        reason = "no claim was judged" if len(attributed) else "no reference claims"
        return Estimate.not_defined(reason, method="context recall", n_asked=len(attributed))
    return _single(
        sum(judged) / len(judged),
        n=len(judged),
        n_asked=len(attributed),
        k=sum(judged),
        method="context recall",
    )


def answer_relevancy(
    question: str,
    regenerated: Sequence[str | None],
    *,
    evasive: Sequence[bool] | None = None,
    embed: Embed | None = None,
) -> Estimate:
    """Mean cosine between a question and the questions its answer would answer.

    Parameters
    ----------
    question : str
    regenerated : sequence of str or None
        Questions made from the answer; None or blank where none could be made.
    evasive : sequence of bool, optional
        Whether the answer declines, by each of them.
    embed : Embed, optional
        Texts to vectors; default: TF-IDF over these very questions.

    Returns
    -------
    Estimate
        0 if all say that the answer is evasive. In -1..1 with embeddings that have negative
        entries, 0..1 with TF-IDF. Undefined: ``no usable question``.

    Raises
    ------
    ValueError
        If `evasive` has another length, or `embed` gives another number of rows.

    Examples
    --------
    >>> round(answer_relevancy("What does Basic cost?", ["What does Basic cost?"]).value, 3)
    1.0
    """
    method = "mean cosine with regenerated questions"
    if evasive is not None and len(evasive) != len(regenerated):
        raise ValueError(
            f"evasive must be as long as regenerated ({len(regenerated)}), got {len(evasive)}"
        )
    usable = [text for text in regenerated if text and text.strip()]
    if evasive is not None and len(evasive) and all(evasive):
        return _single(0.0, n=len(evasive), method=f"{method}; all are evasive")
    if not usable or not question.strip():
        return Estimate.not_defined("no usable question", method=method, n_asked=len(regenerated))
    vectors = np.asarray((embed or tfidf_embedding)([question, *usable]), dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != len(usable) + 1:
        raise ValueError(
            f"embed must give one row per text ({len(usable) + 1}), got shape {vectors.shape}"
        )
    norms = np.linalg.norm(vectors, axis=1)
    product = norms[1:] * norms[0]
    cosines = np.divide(
        vectors[1:] @ vectors[0], product, out=np.zeros(len(usable)), where=product > 0
    )
    value = float(np.clip(cosines.mean(), -1.0, 1.0))
    return _single(value, n=len(usable), n_asked=len(regenerated), method=method)


def _single(
    value: float, *, n: int, method: str, n_asked: int | None = None, k: int | None = None
) -> Estimate:
    return Estimate(
        value=value,
        n=n,
        n_asked=n if n_asked is None else n_asked,
        k=k,
        method=method,
        no_interval="one answer",
    )
