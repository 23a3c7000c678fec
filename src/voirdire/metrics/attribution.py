"""Which chunk, and which sentences of it, a claim rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voirdire.metrics.checkable import tidy
from voirdire.metrics.embedding import vectoriser
from voirdire.metrics.languages import language_of
from voirdire.metrics.sentences import sentences

__all__ = ["Attribution", "attribute_by_evidence", "attribute_by_tfidf", "tfidf_cosines"]


class Attribution(NamedTuple):
    """The place a claim rests on.

    Attributes
    ----------
    chunk : int
        Number of the chunk, from 0.
    start, end : int
        In the chunk: the best sentence with its neighbours; end exclusive.
    score : float or None
        Cosine of claim and chunk; None for attribution by evidence.
    method : str
        ``tfidf`` or ``evidence``.
    """

    chunk: int
    start: int
    end: int
    score: float | None
    method: str


def tfidf_cosines(claims: Sequence[str], chunks: Sequence[str]) -> NDArray[np.float64]:
    """Cosine of each claim with each chunk, shape (claims, chunks).

    The weights are those of these claims and chunks together. A text without a word has the
    cosine 0 with every other.
    """
    if not claims or not chunks:
        return np.zeros((len(claims), len(chunks)))
    try:
        rows = vectoriser().fit_transform([*claims, *chunks])
    except ValueError:
        return np.zeros((len(claims), len(chunks)))
    product: NDArray[np.float64] = (rows[: len(claims)] @ rows[len(claims) :].T).toarray()
    return product


def attribute_by_tfidf(
    claims: Sequence[str],
    chunks: Sequence[str],
    *,
    widen: int = 1,
    least: float = 0.0,
    language: str | None = None,
) -> list[Attribution | None]:
    """For each claim the chunk of highest TF-IDF cosine, and the best sentences in it.

    Parameters
    ----------
    claims, chunks : sequence of str
    widen : int
        Neighbours taken along on either side of the best sentence: evidence often goes over a
        full stop.
    least : float
        A cosine not above this attributes nothing.
    language : str or None
        Of the chunks; None: by their script.

    Returns
    -------
    list of Attribution or None, one per claim
        None where no chunk shares a word. Of chunks of one cosine the first is taken.

    Raises
    ------
    ValueError
        If `widen` is negative.

    Examples
    --------
    >>> chunks = ["Cats sleep. Dogs bark.", "Basic costs 12 euro. It is billed monthly. Ask us."]
    >>> found = attribute_by_tfidf(["The Basic plan costs 12 euro"], chunks, widen=1)[0]
    >>> found.chunk, chunks[1][found.start:found.end]
    (1, 'Basic costs 12 euro. It is billed monthly.')
    """
    if widen < 0:
        raise ValueError(f"widen must be >= 0, got {widen}")
    cosines = tfidf_cosines(claims, chunks)
    found: list[Attribution | None] = []
    for claim, row in zip(claims, cosines, strict=True):
        best = int(row.argmax()) if row.size else -1
        if best < 0 or row[best] <= least:
            found.append(None)
            continue
        start, end = _best_sentences(claim, chunks[best], widen, language)
        found.append(Attribution(best, start, end, float(row[best]), "tfidf"))
    return found


def attribute_by_evidence(
    evidence: str | None, chunks: Sequence[str], *, widen: int = 0
) -> Attribution | None:
    """The chunk in which the judge's own evidence stands; None where it stands in none.

    Judges quote what they read, so markup and blanks may differ: both sides are compared tidy.
    Of several chunks that hold it the first is taken.

    Examples
    --------
    >>> attribute_by_evidence("Basic costs 12 euro.", ["Other.", "**Basic** costs 12 euro."]).chunk
    1
    """
    if not evidence or not evidence.strip():
        return None
    for number, chunk in enumerate(chunks):
        start = chunk.find(evidence)
        if start >= 0:
            end = start + len(evidence)
            return Attribution(number, *_widened(chunk, start, end, widen), None, "evidence")
    wanted = tidy(evidence).removesuffix("[…]").strip().casefold()
    for number, chunk in enumerate(chunks):
        if wanted and wanted in tidy(chunk).casefold():
            return Attribution(number, 0, len(chunk), None, "evidence")
    return None


def _widened(chunk: str, start: int, end: int, widen: int) -> tuple[int, int]:
    if not widen:
        return start, end
    places = [(s.start, s.end) for s in sentences(chunk, language=language_of(chunk))]
    within = [n for n, (first, last) in enumerate(places) if first < end and last > start]
    return _around(places, within[0], within[-1], widen) if within else (start, end)


def _best_sentences(claim: str, chunk: str, widen: int, language: str | None) -> tuple[int, int]:
    code = language_of(chunk, told=language)
    places = [(one.start, one.end) for one in sentences(chunk, language=code)]
    if not places:
        return 0, len(chunk)
    texts = [chunk[start:end] for start, end in places]
    best = int(tfidf_cosines([claim], texts)[0].argmax())
    return _around(places, best, best, widen)


def _around(
    places: Sequence[tuple[int, int]], first: int, last: int, widen: int
) -> tuple[int, int]:
    first, last = max(first - widen, 0), min(last + widen, len(places) - 1)
    return places[first][0], places[last][1]
