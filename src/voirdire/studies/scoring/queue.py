"""Claims of the traffic for people to look at: near the operating point, in dispute, and some more.

They become a claim set of their own, without labels and without the judge's word, ready for
``voirdire push``: labelled, it re-validates the judge on the traffic it measures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from voirdire.errors import NotEnoughEvidence, UsageError
from voirdire.judges import Judge
from voirdire.labels import ClaimSet, SetInfo, write_claim_set
from voirdire.metrics import AnswerFile, Drawn, borderline_kinds, draw_queue
from voirdire.metrics.languages import language_of
from voirdire.records import Answer, Claim
from voirdire.store import ClaimSetPaths
from voirdire.studies.scoring.layout import ScorePaths
from voirdire.studies.scoring.rows import read_rows

__all__ = ["check_queue", "operating_point", "write_queue"]

_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), " ")


def operating_point(judge: Judge) -> float:
    """The score at which a judge's label turns: its threshold, or one half.

    Examples
    --------
    >>> from voirdire.judges import load
    >>> operating_point(load("lexical"))
    0.75
    """
    found = judge.fingerprint().parameters.get("threshold")
    return float(found) if isinstance(found, int | float) else 0.5


def check_queue(into: Path) -> None:
    """Whether a claim set can be written to a folder.

    Raises
    ------
    UsageError
        If there is one already, or a file stands there.
    """
    if into.exists() and not into.is_dir():
        raise UsageError("a file, and not a folder", where=str(into), todo="name another folder")
    if ClaimSetPaths(into).claims.exists():
        raise UsageError(
            "there is a claim set already",
            where=str(into),
            todo="name another folder with --queue, or leave --queue out: labels may lie there",
        )


def write_queue(
    paths: ScorePaths,
    answers: AnswerFile,
    into: Path,
    *,
    size: int,
    point: float,
    margin: float,
    seed: int,
    replace: bool = False,
) -> tuple[ClaimSet, dict[str, int]]:
    """Draw a queue and write it as a claim set.

    Parameters
    ----------
    paths : ScorePaths
        Of a finished scoring.
    answers : AnswerFile
        The file that was scored.
    into : Path
        Folder of the claim set.
    size : int
    point, margin : float
        Operating point, and how near to it is near.
    seed : int
    replace : bool

    Returns
    -------
    ClaimSet
        Each claim's ``meta`` says its answer, and the chance with which it was drawn.
    drawn : dict of str to int
        Claims by kind.

    Raises
    ------
    NotEnoughEvidence
        If no claim was judged.
    UsageError
        If there is a set already and `replace` is false.
    """
    places, texts, labels, scores, second = _judged(paths)
    kinds = borderline_kinds(labels, scores, operating_point=point, margin=margin, second=second)
    queue = draw_queue(kinds, size=size, seed=seed)
    if not queue:
        raise NotEnoughEvidence("no claim was judged, so none can be put into the queue")
    wanted = {places[one.place][0] for one in queue}
    sources = {answer.id: answer for answer in answers if answer.id in wanted}
    claims = _claims(queue, places, texts, sources)
    info = SetInfo(
        name=into.resolve().name,
        title="Claims of the traffic, drawn for people to judge",
        languages=tuple(sorted({claim.language for claim in claims})),
        families="clusters",
        origin="drawn from answers by 'voirdire score'; claims near the judge's operating point "
        "or in dispute are over-represented; meta.chance is each claim's chance",
        not_evidence_for="the share of supported claims, unless weighted by 1 / meta.chance",
    )
    written = write_claim_set(into, claims, info=info, seed=seed, replace=replace)
    return written, dict(sorted(Counter(one.kind for one in queue).items()))


def _judged(
    paths: ScorePaths,
) -> tuple[
    list[tuple[str, int]], list[str], list[str | None], list[float | None], list[str | None]
]:
    """Place, text, label, score and the second judge's label of every claim with a context."""
    found: dict[tuple[str, int], list[Any]] = {}
    for identifier, key, judged, row in read_rows(paths.claims):
        if key[0] == "claim" and "empty_context" not in row.get("flags", ()):
            entry = found.setdefault((identifier, key[1]), [None] * 4)
            entry[:3] = [row["text"], judged.label, _score(row)]
        elif key[0] == "second":
            found.setdefault((identifier, key[1]), [None] * 4)[3] = judged.label
    kept = {place: entry for place, entry in found.items() if entry[0] is not None}
    columns = list(zip(*kept.values(), strict=True)) if kept else [()] * 4
    return list(kept), *(list(column) for column in columns)  # type: ignore[return-value]


def _score(row: Mapping[str, Any]) -> float | None:
    """The judge's own number, or its probability of ``supported``."""
    if row.get("score") is not None:
        return float(row["score"])
    probabilities = row.get("probabilities") or {}
    return probabilities.get("supported")


def _claims(
    queue: Sequence[Drawn],
    places: Sequence[tuple[str, int]],
    texts: Sequence[str],
    sources: Mapping[str, Answer],
) -> list[Claim]:
    claims = []
    for one in queue:
        identifier, number = places[one.place]
        answer = sources[identifier]
        chunks = [chunk.translate(_CONTROL) for chunk in answer.contexts if chunk.strip()]
        claims.append(
            Claim(
                id=f"{identifier[:180]}/{number}",
                family=identifier,
                variant="original",
                claim=texts[one.place].translate(_CONTROL),
                context=tuple(chunks),
                language=language_of(answer.answer, told=answer.language),
                source="traffic",
                meta={"answer": identifier, "claim": number, "chance": one.chance},
            )
        )
    return claims
