"""The alternative-annotator test: may the judge replace a person of the panel?

Original: for each annotator, on each item, does the judge agree with the remaining people at least
as well as the annotator does? A t-test with margin epsilon per annotator, Benjamini-Yekutieli over
annotators, and the share of annotators beaten (winning rate) must reach one half. Its t-test takes
items as independent: where errors cluster by claim family it passes a judge at the boundary in
10.8 % instead of 5 %. The clustered version has the same statistic with the standard error by
family and t(F-1), and keeps 5 %. Both are reported, the gate stands on the clustered one.

With 60 items a judge exactly as good as people passes in only 22 to 53 % of cases.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from voirdire.records import Estimate, Record
from voirdire.stats.bounded import clustered_ratio
from voirdire.stats.coding import Labels
from voirdire.stats.difference import family_difference
from voirdire.stats.judged_panel import JudgedPanel, panel_of
from voirdire.stats.multiplicity import benjamini_yekutieli
from voirdire.stats.panel_sums import Ratings
from voirdire.stats.reasons import FEW_FAMILIES, TOO_FEW_ANNOTATORS, TOO_FEW_ITEMS
from voirdire.stats.registry import statistic
from voirdire.stats.tables import ratio

__all__ = ["EPSILON", "AltTest", "AltTestAnnotator", "alternative_annotator_test"]

#: Margin by who labelled: the cheaper the person, the less the judge must prove.
EPSILON = {"expert": 0.2, "skilled": 0.15, "crowd": 0.1}

Who = Literal["expert", "skilled", "crowd"]


class AltTestAnnotator(Record):
    """One annotator compared with the judge.

    Attributes
    ----------
    annotator : int
        Column of the ratings.
    items, families : int
        Items with the annotator, the judge and at least one other person.
    difference : float or None
        Mean of (annotator at least as good) - (judge at least as good); small favours the judge.
    advantage : float or None
        Share of items where the judge agrees with the others at least as well.
    p, p_adjusted, p_clustered, p_clustered_adjusted : float or None
        Against "difference >= epsilon", raw and Benjamini-Yekutieli.
    beaten, beaten_clustered : bool
        Adjusted p <= q.
    undefined : str or None
        Why this annotator was left out.
    """

    annotator: int
    items: int
    families: int
    difference: float | None = None
    advantage: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    p_clustered: float | None = None
    p_clustered_adjusted: float | None = None
    beaten: bool = False
    beaten_clustered: bool = False
    undefined: str | None = None


class AltTest(Record):
    """Result of `alternative_annotator_test`.

    Attributes
    ----------
    epsilon, q : float
    annotators : tuple of AltTestAnnotator
        All columns, those left out with their reason.
    winning_rate, winning_rate_clustered : Estimate
        Share of annotators beaten; no interval (a decision, not a sample).
    advantage : Estimate
        Mean over annotators of their ``advantage``, family-jackknife interval.
    advantage_by_class : Estimate
        The same with every class of the others' majority weighing the same; the plain one is
        dominated by the frequent class.
    passed, passed_clustered : bool or None
        Winning rate >= 0.5; None when undefined.
    """

    epsilon: float
    q: float
    annotators: tuple[AltTestAnnotator, ...]
    winning_rate: Estimate
    winning_rate_clustered: Estimate
    advantage: Estimate
    advantage_by_class: Estimate
    passed: bool | None
    passed_clustered: bool | None


class _Wins(NamedTuple):
    """Per item of one annotator: used, judge at least as good, person at least as good, weight."""

    used: NDArray[np.bool_]
    judge: NDArray[np.float64]
    person: NDArray[np.float64]
    weight: NDArray[np.float64]


@statistic(kind="panel")
def alternative_annotator_test(
    ratings: Ratings,
    judge: Labels,
    *,
    family: Labels | None = None,
    labels: Sequence[Any] | None = None,
    epsilon: float | Who = "skilled",
    q: float = 0.05,
    minimum_annotators: int = 3,
    minimum_items: int = 30,
    level: float = 0.95,
) -> AltTest:
    """Alternative-annotator test, original and clustered by family.

    Parameters
    ----------
    ratings : array_like, shape (C, A)
        Labels of A annotators; None is missing.
    judge : sequence of length C
        The judge's labels; None is missing.
    family : sequence of length C, optional
        Family of each item. Without it the clustered test takes items as families.
    labels : sequence of length L, optional
        The coding scheme.
    epsilon : float or {'expert', 'skilled', 'crowd'}
        Margin: 0.2, 0.15 and 0.1 for the names.
    q : float
        False discovery rate over annotators.
    minimum_annotators, minimum_items : int
        Annotators with fewer comparable items are left out; fewer annotators left: undefined.
    level : float
        Level of the intervals of the advantage.

    Returns
    -------
    AltTest
        Undefined: 'too few annotators'. An annotator: 'too few items'. Zero variance gives p = 0
        if the mean difference is below epsilon, else p = 1.

    Raises
    ------
    ValueError
        If shapes differ, a label is not in the scheme, epsilon is outside [0, 1], q outside
        (0, 1).

    References
    ----------
    Calderon, Reichart & Dror (2025), ACL 2025, "The alternative annotator test for LLM-as-a-judge".

    Examples
    --------
    >>> ratings = [["s", "s", "s"], ["c", "c", "c"], ["s", "s", "c"]] * 12
    >>> test = alternative_annotator_test(ratings, ["s", "c", "s"] * 12)
    >>> test.winning_rate.value, round(test.advantage.value, 3), test.passed
    (1.0, 1.0, True)
    """
    margin = _margin(epsilon)
    if not 0 < q < 1:
        raise ValueError(f"q must be between 0 and 1, got {q}")
    panel = panel_of(ratings, judge, family=family, labels=labels)
    wins = [_wins(panel, a) for a in range(panel.annotators)]
    rows = [_compare(panel, a, wins[a], margin, minimum_items) for a in range(panel.annotators)]
    kept = [row.annotator for row in rows if row.undefined is None]
    rows = _adjusted(rows, q)
    reason = None
    if len(kept) < minimum_annotators:
        reason = (
            f"{TOO_FEW_ANNOTATORS}: {len(kept)} with {minimum_items} items, "
            f"{minimum_annotators} needed"
        )
    plain = _winning_rate(panel, [rows[a].beaten for a in kept], reason, "t-test on items")
    alone = None if all(rows[a].families > 1 for a in kept) else FEW_FAMILIES
    by_family = _winning_rate(
        panel, [rows[a].beaten_clustered for a in kept], reason or alone, "clustered by family"
    )
    return AltTest(
        epsilon=margin,
        q=q,
        annotators=tuple(rows),
        winning_rate=plain,
        winning_rate_clustered=by_family,
        advantage=_advantage(panel, [wins[a] for a in kept], reason, level, weighted=False),
        advantage_by_class=_advantage(panel, [wins[a] for a in kept], reason, level, weighted=True),
        passed=None if plain.value is None else plain.value >= 0.5,
        passed_clustered=None if by_family.value is None else by_family.value >= 0.5,
    )


def _margin(epsilon: float | str) -> float:
    if isinstance(epsilon, str):
        if epsilon not in EPSILON:
            raise ValueError(f"epsilon must be a number or one of {list(EPSILON)}, got {epsilon!r}")
        return EPSILON[epsilon]
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon must be in [0, 1], got {epsilon}")
    return float(epsilon)


def _wins(panel: JudgedPanel, annotator: int) -> _Wins:
    votes = panel.votes_of_others(annotator)
    person = panel.people[:, annotator]
    used = (person >= 0) & (panel.judge >= 0) & (votes.sum(axis=1) > 0)
    rows = np.arange(panel.items)
    # votes for a label: the score times the number of others, which both sides share
    of_judge, of_person = votes[rows, panel.judge], votes[rows, person]
    return _Wins(
        used=used,
        judge=(of_judge >= of_person).astype(float),
        person=(of_person >= of_judge).astype(float),
        weight=_class_weight(votes, used),
    )


def _class_weight(votes: NDArray[np.int64], used: NDArray[np.bool_]) -> NDArray[np.float64]:
    """1 / share of the class most others chose; where classes tie, the mean over them."""
    top = (votes == votes.max(axis=1, keepdims=True, initial=0)) & (votes > 0) & used[:, None]
    split = top / np.maximum(top.sum(axis=1, keepdims=True), 1)
    share = split.sum(axis=0) / max(int(used.sum()), 1)
    inverse = np.where(share > 0, 1 / np.where(share > 0, share, 1.0), 0.0)
    return np.asarray(split @ inverse)


def _compare(
    panel: JudgedPanel, annotator: int, wins: _Wins, margin: float, minimum: int
) -> AltTestAnnotator:
    used = wins.used
    items, families = int(used.sum()), int(np.unique(panel.family[used]).size)
    if items < max(minimum, 2):
        return AltTestAnnotator(
            annotator=annotator,
            items=items,
            families=families,
            undefined=f"{TOO_FEW_ITEMS}: {items}, {max(minimum, 2)} needed",
        )
    d = wins.person[used] - wins.judge[used]
    number = np.unique(panel.family[used], return_inverse=True)[1].reshape(-1)
    _, se_family, _ = clustered_ratio(d, np.ones(items), number)
    mean = float(d.mean())
    return AltTestAnnotator(
        annotator=annotator,
        items=items,
        families=families,
        difference=mean,
        advantage=float(wins.judge[used].mean()),
        p=_p_below(mean, float(d.std(ddof=1)) / math.sqrt(items), margin, items - 1),
        p_clustered=None if families < 2 else _p_below(mean, se_family, margin, families - 1),
    )


def _p_below(mean: float, se: float, margin: float, df: int) -> float:
    """One-sided p against "mean >= margin"; the limit where the variance is zero."""
    if se < 1e-15:
        return 0.0 if mean < margin else 1.0
    return float(special.stdtr(df, (mean - margin) / se))


def _adjusted(rows: list[AltTestAnnotator], q: float) -> list[AltTestAnnotator]:
    plain = benjamini_yekutieli([row.p for row in rows])
    clustered = benjamini_yekutieli([row.p_clustered for row in rows])
    return [
        row.model_copy(
            update={
                "p_adjusted": p,
                "p_clustered_adjusted": pc,
                "beaten": p is not None and p <= q,
                "beaten_clustered": pc is not None and pc <= q,
            }
        )
        for row, p, pc in zip(rows, plain, clustered, strict=True)
    ]


def _winning_rate(panel: JudgedPanel, beaten: list[bool], reason: str | None, how: str) -> Estimate:
    method = f"share of annotators the judge may replace, {how}, Benjamini-Yekutieli"
    if reason is not None:
        return Estimate.not_defined(reason, method=method, n=len(beaten), n_asked=panel.annotators)
    return Estimate(
        value=sum(beaten) / len(beaten),
        k=sum(beaten),
        n=len(beaten),
        n_asked=panel.annotators,
        method=method,
        no_interval="a decision about these annotators, not a sample of annotators",
    )


def _advantage(
    panel: JudgedPanel, wins: list[_Wins], reason: str | None, level: float, *, weighted: bool
) -> Estimate:
    method = "advantage probability" + (", classes weighted alike" if weighted else "")
    if reason is not None:
        return Estimate.not_defined(reason, method=method, n_asked=panel.items, level=level)
    columns = np.zeros((panel.items, 2 * len(wins)))
    for place, win in enumerate(wins):
        mass = np.where(win.used, win.weight if weighted else 1.0, 0.0)
        columns[:, 2 * place] = mass * win.judge
        columns[:, 2 * place + 1] = mass
    used = np.asarray(columns[:, 1::2].any(axis=1))
    sums = panel.sums(columns, used)

    def mean(totals: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(ratio(totals[..., 0::2], totals[..., 1::2]).mean(axis=-1))

    return family_difference(sums, mean).estimate(sums, method, level=level, span=(0.0, 1.0))
