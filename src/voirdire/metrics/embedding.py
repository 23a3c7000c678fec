"""Texts to vectors: anything callable will do; TF-IDF is at hand without a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Embed", "tfidf_embedding", "vectoriser"]

Embed = Callable[[Sequence[str]], Any]
"""Takes n texts, gives an array of shape (n, dimensions)."""

# Runs of letters and digits; scripts without blanks between words go letter by letter.
_LETTERS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_TOKENS = rf"(?u)[{_LETTERS}]|[^\W_{_LETTERS}]+"


def vectoriser() -> Any:
    """A fresh TF-IDF vectoriser: words of one letter too, smoothed idf, rows of length 1."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(lowercase=True, token_pattern=_TOKENS, sublinear_tf=False)


def tfidf_embedding(texts: Sequence[str]) -> NDArray[np.float64]:
    """TF-IDF rows over these texts alone; a text without a word is a row of zeros.

    Examples
    --------
    >>> rows = tfidf_embedding(["basic costs", "basic costs", "refund"])
    >>> round(float(rows[0] @ rows[1]), 6), round(float(rows[0] @ rows[2]), 6)
    (1.0, 0.0)
    """
    try:
        found: NDArray[np.float64] = vectoriser().fit_transform(texts).toarray()
    except ValueError:  # not one word in any text
        return np.zeros((len(texts), 1))
    return found
