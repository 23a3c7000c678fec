"""What rewording does to a judge: the certificate, one a judge."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from voirdire.records.estimates import Estimate, Record
from voirdire.records.labels import View
from voirdire.records.results import FamilyMember, Provenance

__all__ = [
    "BrokenFamily",
    "DilutionPoint",
    "InvarianceResult",
    "JudgeInvariance",
    "ReplayNoise",
    "VariantEffect",
    "WordingTest",
]

Better = Literal["high", "low", "zero"]


class WordingTest(Record):
    """One quantity of the certificate.

    Attributes
    ----------
    name : str
        Stable key: ``paraphrase_stability``, ``negation_flip`` …
    estimate : Estimate
        By family, conditional on people's labels of both variants.
    constant : float or None
        What a judge would get that always gives the commonest reference label; None where that
        is undefined.
    better : {"high", "low", "zero"}
        Which way is good.
    """

    name: str
    estimate: Estimate
    constant: float | None = None
    better: Better


class VariantEffect(Record):
    """One kind of variant, by the name it has in the claim set.

    Attributes
    ----------
    variant, group : str
        The name, and the group of tests it belongs to (``paraphrase``, ``negation``, ``number`` …).
    claims : int
        Claims of that name with a reference label.
    pairs : int
        Those that have an original to be compared with.
    stability : Estimate
        Of the pairs that people labelled alike: share with one answer of the judge.
    follows : Estimate
        Of the pairs that people labelled differently: share where the judge is right on both.
    stuck : Estimate
        Of the same pairs: share where the judge's answer stays.
    accuracy : Estimate
        Raw agreement with people on these claims.
    constant_accuracy : float or None
        That of a judge that always gives the commonest label of the whole set.
    """

    variant: str
    group: str
    claims: int = Field(ge=0)
    pairs: int = Field(ge=0)
    stability: Estimate
    follows: Estimate
    stuck: Estimate
    accuracy: Estimate
    constant_accuracy: float | None = None


class DilutionPoint(Record):
    """Claims whose context got ``added`` unrelated chunks: answers that stay, and right ones."""

    added: int = Field(ge=1)
    stability: Estimate
    accuracy: Estimate


class ReplayNoise(Record):
    """How much the judge moves by itself, and what rewording adds to that.

    Attributes
    ----------
    repeats : int
    floor : Estimate
        Chance that two askings of the very same claim differ, over the claims in pairs.
    excess : dict of str to Estimate
        By group of variants that people labelled alike: chance that original and variant differ,
        less the mean chance that each differs from itself. Zero for a judge that only flickers.
    """

    repeats: int = Field(ge=1)
    floor: Estimate
    excess: dict[str, Estimate]


class BrokenFamily(Record):
    """A family in which rewording broke the judge, whole.

    ``breaks`` says of each variant what happened, in the order of ``members``.
    """

    family: str
    language: str
    context: tuple[str, ...]
    breaks: tuple[str, ...] = Field(min_length=1)
    pairs: int = Field(ge=1)
    members: tuple[FamilyMember, ...]


class JudgeInvariance(Record):
    """The invariance certificate of one judge.

    Attributes
    ----------
    judge, run_id : str
    tests : tuple of WordingTest
        In the order of the page.
    variants : tuple of VariantEffect
        One a variant name, as they stand in the set.
    dilution : tuple of DilutionPoint
        By number of unrelated chunks added; empty without such variants.
    replay : ReplayNoise
    broken : tuple of BrokenFamily
        Worst first; a break within the judge's own noise is not one.
    families_broken, families_paired : int
        All that broke, of all that could.
    set_aside : dict of str to int
        Variants that no test could use, by reason; nothing is dropped in silence.
    sentences : tuple of str
        The certificate in plain words.
    """

    judge: str
    run_id: str
    tests: tuple[WordingTest, ...]
    variants: tuple[VariantEffect, ...]
    dilution: tuple[DilutionPoint, ...] = ()
    replay: ReplayNoise
    broken: tuple[BrokenFamily, ...]
    families_broken: int = Field(ge=0)
    families_paired: int = Field(ge=0)
    set_aside: dict[str, int]
    sentences: tuple[str, ...]

    def test(self, name: str) -> WordingTest:
        """The test of that name; KeyError if there is none."""
        for found in self.tests:
            if found.name == name:
                return found
        raise KeyError(name)


class InvarianceResult(Record):
    """``results/invariance.json``."""

    study: str
    view: View
    families_with: dict[str, int]
    judges: tuple[JudgeInvariance, ...]
    provenance: Provenance
