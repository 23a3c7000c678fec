"""Which corrected share may be believed: decided by how the labelled set was drawn.

====================  ==============================================  =========================
labelled set          valid                                           refused
====================  ==============================================  =========================
random, weighted      PPI++ (recommended), post-stratified, labels    (Rogan-Gladen: valid, wide)
enriched              Rogan-Gladen, if Se and Sp carry over           PPI++, post-stratified, labels
prevalence has moved  Rogan-Gladen                                    PPI++ with the old labels
====================  ==============================================  =========================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from voirdire.records.estimates import Estimate, Record

from .post_stratified import post_stratified
from .ppi import Ppi, ppi_mean
from .registry import Sample, statistic
from .rogan_gladen import RoganGladen, rogan_gladen_rows
from .sampling import SamplingDesign
from .scores import check_level, numbers

__all__ = ["CorrectedPrevalence", "corrected_prevalence"]


class CorrectedPrevalence(Record):
    """All corrected shares and the one to use.

    Attributes
    ----------
    recommended : Estimate
        The one the design allows and that is defined; undefined if none is.
    why : str
        Which one it is, and why.
    ppi : Ppi
    rogan_gladen : RoganGladen
    post_stratified : Estimate
    judged_share : float or None
        Uncorrected share of positives the judge reports.
    """

    recommended: Estimate
    why: str
    ppi: Ppi
    rogan_gladen: RoganGladen
    post_stratified: Estimate
    judged_share: float | None


def _corrected_prevalence_on(s: Sample) -> Any:
    called = np.where(np.isnan(s.scores), np.nan, s.scores > 0.5)
    return corrected_prevalence(
        s.outcomes, called, called, sampling_design="random", family=s.family
    )


@statistic(kind="other", renaming="none", duplication=False, call=_corrected_prevalence_on)
def corrected_prevalence(
    human: Any,
    judge: Any,
    traffic: Any,
    *,
    sampling_design: SamplingDesign,
    weights: Any | None = None,
    family: Any | None = None,
    moved: bool = False,
    level: float = 0.95,
) -> CorrectedPrevalence:
    """Share of positives in the traffic, corrected for the judge's errors.

    Parameters
    ----------
    human, judge : sequence, shape (n,)
        1 positive, 0 negative; the labelled items.
    traffic : sequence, shape (N,)
        The judge's calls on the traffic.
    sampling_design : {"random", "weighted", "enriched"}
        How the labelled items were drawn.
    weights : sequence, optional
        1 / inclusion probability, with ``"weighted"``.
    family : sequence, optional
        Families of the labelled items.
    moved : bool
        The prevalence is known to have moved since labelling: only Rogan-Gladen survives.
    level : float

    Returns
    -------
    CorrectedPrevalence

    Raises
    ------
    ValueError
        As `ppi_mean`.

    Examples
    --------
    >>> human, judge = [1] * 20 + [0] * 20, [1] * 18 + [0] * 2 + [0] * 17 + [1] * 3
    >>> result = corrected_prevalence(human, judge, [1] * 60 + [0] * 40,
    ...     sampling_design="enriched")
    >>> round(result.recommended.value, 2), result.ppi.mean.undefined
    (0.6, 'not a random sample')
    """
    check_level(level)
    ppi = ppi_mean(
        human,
        judge,
        traffic,
        sampling_design=sampling_design,
        weights=weights,
        family=family,
        level=level,
    )
    gladen = rogan_gladen_rows(human, judge, traffic, family=family, level=level)
    strata = _by_verdict(human, judge, traffic, sampling_design, level)
    if sampling_design == "enriched" or moved:
        reason = "the labelled set is enriched" if not moved else "the prevalence has moved"
        why = f"Rogan-Gladen, because {reason}; it rests on error rates that carry over"
        chosen = gladen.share
    else:
        why = "PPI++, because the labels are a random sample of the traffic"
        chosen = ppi.mean
    if not chosen.defined:
        why = f"none: {why.split(',')[0]} is undefined ({chosen.undefined})"
    return CorrectedPrevalence(
        recommended=chosen,
        why=why,
        ppi=ppi,
        rogan_gladen=gladen,
        post_stratified=strata,
        judged_share=ppi.judge_mean,
    )


def _by_verdict(
    human: Any, judge: Any, traffic: Any, design: SamplingDesign, level: float
) -> Estimate:
    h, j, u = numbers(human), numbers(judge), numbers(traffic)
    keep = ~(np.isnan(h) | np.isnan(j))
    h, j, u = h[keep], j[keep], u[~np.isnan(u)]
    if not (np.isin(h, (0.0, 1.0)).all() and np.isin(np.r_[j, u], (0.0, 1.0)).all()):
        return Estimate.not_defined(
            "labels other than 0 and 1", method="post-stratified by verdict", n=len(h)
        )
    labelled = {
        name: (int(h[j == code].sum()), int((j == code).sum()))
        for name, code in (("positive", 1.0), ("negative", 0.0))
    }
    counts = {"positive": int((u == 1).sum()), "negative": int((u == 0).sum())}
    return post_stratified(counts, labelled, sampling_design=design, level=level)
