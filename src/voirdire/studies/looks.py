"""Repeated looks at the test split: counted, and every bound corrected for them.

The k-th look spends ``alpha / k^2``: the first is at the level that the study asks for, unchanged;
the second of a study at 95 % is at 98.75 %, the third at 99.44 %. By the union bound the chance
that *any* of the first K looks adopts a judge that stands at a limit is at most ``alpha * (1 + 1/4
+ ... + 1/K^2)``, and below ``alpha * pi^2 / 6``, 1.645 alpha, however many there are: 8.2 % for a
study at 95 %, not 5 %. Who wants 5 % over all looks sets ``level = 0.9696`` in ``[gates]``. Squares
are chosen over halving (``alpha / 2^(k-1)``), which would promise only 2 alpha and leave later
looks next to nothing. Within a look, several candidates share its alpha after Holm.

What this does not cover. A judge that was *tuned* on the claims of the test split, its errors read
and its prompt changed after them, is no longer judged by claims it has not seen, and no correction
mends that; the union bound holds for judges and labels that come about without looking at single
test claims. Looks that another study takes at the same claim set are not seen from here.

Sources: alpha spending, Lan and DeMets (1983), Biometrika 70:659-663; that a holdout wears out with
use, Dwork et al. (2015), Science 349:636-638.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Final

from voirdire.records.looks import Look, LookLedger, PastLook
from voirdire.store import read_document, write_document
from voirdire.studies.alignment import Aligned
from voirdire.studies.splitting import family_splits
from voirdire.studies.study import Study

__all__ = [
    "MOST_ALPHAS",
    "find_look",
    "look_at",
    "look_digest",
    "look_level",
    "record_look",
    "rename_look",
    "spent_alpha",
]

MOST_ALPHAS: Final = math.pi**2 / 6
"""Alphas that all looks together can spend, however many there are."""


def look_level(level: float, number: int) -> float:
    """One-sided confidence of the bounds at a look.

    Raises
    ------
    ValueError
        If number is below 1 or level outside (0, 1).

    Examples
    --------
    >>> [round(look_level(0.95, k), 4) for k in (1, 2, 3)]
    [0.95, 0.9875, 0.9944]
    """
    if number < 1:
        raise ValueError(f"number must be at least 1, got {number}")
    if not 0 < level < 1:
        raise ValueError(f"level must be in (0, 1), got {level}")
    return level if number == 1 else 1 - (1 - level) / number**2


def spent_alpha(level: float, number: int) -> float:
    """Sum over the looks up to this one: the chance that any of them errs is at most this.

    Examples
    --------
    >>> round(spent_alpha(0.95, 1), 4), round(spent_alpha(0.95, 3), 4)
    (0.05, 0.0681)
    """
    return math.fsum(1 - look_level(level, k) for k in range(1, number + 1))


def look_digest(candidates: Mapping[str, Aligned]) -> str:
    """SHA-256 over what a decision rests on: claims, people's labels, first answers of the judges.

    Names, run ids, clocks and the order of judges or claims do not enter, so a rerun that brings
    the same verdicts, or a judge that is only renamed, gives the same digest.
    """
    columns = sorted(
        _hash(sorted([c.id, label] for c, label in zip(one.claims, one.judge, strict=True)))
        for one in candidates.values()
    )
    people = [
        sorted([c.id, str(h), c.family] for c, h in zip(one.claims, one.human, strict=True))
        for one in list(candidates.values())[:1]
    ]
    votes = [
        sorted([c.id, *row] for c, row in zip(one.panel.claims, _votes(one), strict=True))
        for one in list(candidates.values())[:1]
    ]
    return _hash([people, votes, columns])


def _votes(one: Aligned) -> list[list[str]]:
    """What people said of each claim; who said it does not matter here."""
    return [sorted(str(label) for label in row if label is not None) for row in one.panel.people]


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=True).encode()).hexdigest()


def look_at(number: int, *, level: float, digest: str) -> Look:
    """A look as a record, from its number and the level of the first."""
    return Look(
        number=number,
        level=look_level(level, number),
        first_level=level,
        total_alpha=spent_alpha(level, number),
        digest=digest,
    )


def find_look(
    study: Study, aligned: Mapping[str, Aligned], *, reference_lines: Sequence[str] = ()
) -> Look | None:
    """Which look at the test split this is, by the ledger of the study.

    Parameters
    ----------
    study : Study
    aligned : mapping
        Judge name to its aligned claims.
    reference_lines : sequence of str
        Judges that nobody means to adopt; they do not make a look another one.

    Returns
    -------
    Look or None
        None where no claim of the test split is examined (``split = "dev"`` or ``"cal"``): such
        looks cost nothing.
    """
    first = next(iter(aligned.values()))
    splits = family_splits(study)
    if not any(splits.get(claim.family) == "test" for claim in first.claims):
        return None
    candidates = {name: one for name, one in aligned.items() if name not in reference_lines}
    digest = look_digest(candidates or aligned)
    known = [one.digest for one in _ledger(study).looks]
    number = known.index(digest) + 1 if digest in known else len(known) + 1
    return look_at(number, level=study.limits.level, digest=digest)


def record_look(study: Study, look: Look | None, *, made_at: str) -> None:
    """Write a look into ``results/looks.json``, unless it stands there already.

    Raises
    ------
    StoreError
        If the file system refuses.
    """
    ledger = _ledger(study)
    if look is None or look.digest in [one.digest for one in ledger.looks]:
        return
    taken = PastLook(digest=look.digest, made_at=made_at)
    write_document(study.paths.result("looks"), LookLedger(looks=(*ledger.looks, taken)))


def rename_look(study: Study, old: str, new: str) -> None:
    """Put another digest in the place of one, where the data were redacted and nothing else."""
    ledger = _ledger(study)
    if old == new or old not in [one.digest for one in ledger.looks]:
        return
    looks = tuple(
        one.model_copy(update={"digest": new}) if one.digest == old else one for one in ledger.looks
    )
    write_document(study.paths.result("looks"), LookLedger(looks=looks))


def _ledger(study: Study) -> LookLedger:
    path = study.paths.result("looks")
    return read_document(path, LookLedger) if path.is_file() else LookLedger()
