"""What the studies found: one model per file under ``results/``."""

from __future__ import annotations

from pydantic import Field

from voirdire.records.estimates import Estimate, Record
from voirdire.records.labels import View

__all__ = [
    "AgreementResult",
    "Confusion",
    "FamilyError",
    "FamilyMember",
    "HumanAgreement",
    "JudgeAgreement",
    "Ledger",
    "Provenance",
    "SliceAgreement",
]


class Confusion(Record):
    """Counts, rows = people, columns = judge; the last column is *no judgment*.

    ``counts[i][j]`` belongs to ``labels[i]`` and ``columns[j]``; ``columns`` is ``labels`` plus
    ``"no_judgment"``.
    """

    labels: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


class SliceAgreement(Record):
    """Agreement on a part of the claims: ``kind`` is ``variant``, ``language``, ``topic`` …"""

    kind: str
    value: str
    raw: Estimate
    kappa: Estimate


class FamilyMember(Record):
    """One claim of a family as the page shows it, with every repeat of the judge."""

    claim_id: str
    variant: str
    claim: str
    reference: str | None
    people: dict[str, str]
    answers: tuple[str, ...]
    rationale: str | None = None


class FamilyError(Record):
    """A family the judge got wrong, whole."""

    family: str
    language: str
    context: tuple[str, ...]
    wrong: int = Field(ge=0)
    n: int = Field(ge=0)
    members: tuple[FamilyMember, ...]


class Ledger(Record):
    """What a run took, over all its repeats. Unknown is None, never 0.

    ``fresh + cached`` verdicts make the run; ``failed`` of them have no label; ``retried`` counts
    calls beyond the first. Tokens, cost and seconds are sums over fresh verdicts, and None if any
    of those did not say.
    """

    fresh: int = Field(ge=0)
    cached: int = Field(ge=0)
    failed: int = Field(ge=0)
    retried: int = Field(ge=0)
    tokens_in: int | None = Field(default=None, ge=0)
    tokens_out: int | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, ge=0)


class JudgeAgreement(Record):
    """One judge against the reference on all claims that could be compared.

    Attributes
    ----------
    judge, run_id, fingerprint : str
        Which judge, which of its runs, the digest of its identity.
    view : View
        How labels were compared.
    n_asked : int
        Claims with a reference label that were put to the judge.
    outcomes : dict
        Outcome to count over those claims (first repeat); they sum to ``n_asked``.
    raw, kappa, ac1, mcc, balanced_accuracy : Estimate
        Agreement over judged claims.
    kappa_if_failures_right, kappa_if_failures_wrong : Estimate
        The same number if every claim without a judgment had been right, or wrong.
    recall, precision : dict of str to Estimate
        Per label of the view.
    caught : Estimate
        Share of claims people call contradicted (not_supported in the two-class view) that the
        judge calls so too; a missing judgment is a miss.
    dangerous : Estimate
        Share of claims people call contradicted (not_supported in the two-class view) that the
        judge calls supported.
    constant : Estimate
        Raw agreement a judge would reach that always answers the commonest label.
    slices : tuple of SliceAgreement
        By variant, language and whatever else the study slices by.
    worst : tuple of FamilyError
        Families with most wrong answers first.
    """

    judge: str
    use: str
    run_id: str
    fingerprint: str
    view: View
    repeats: int = Field(ge=1)
    n_asked: int = Field(ge=0)
    outcomes: dict[str, int]
    confusion: Confusion
    raw: Estimate
    kappa: Estimate
    ac1: Estimate
    mcc: Estimate
    balanced_accuracy: Estimate
    kappa_if_failures_right: Estimate
    kappa_if_failures_wrong: Estimate
    recall: dict[str, Estimate]
    precision: dict[str, Estimate]
    caught: Estimate
    dangerous: Estimate
    constant: Estimate
    slices: tuple[SliceAgreement, ...]
    worst: tuple[FamilyError, ...]
    families_wrong: int = Field(ge=0)
    seconds_per_claim: float | None = None
    ledger: Ledger
    notes: tuple[str, ...] = ()


class HumanAgreement(Record):
    """People against each other on the same claims: the ceiling for every judge."""

    annotators: tuple[str, ...]
    n_claims: int = Field(ge=0)
    ceiling: Estimate
    alpha: Estimate
    raw: Estimate
    pairs: dict[str, Estimate] = Field(default_factory=dict)


class Provenance(Record):
    """What an auditor needs to make the numbers again."""

    tool_version: str
    python: str
    packages: dict[str, str]
    seed: int
    made_at: str
    time_zone: str = "UTC"
    command: str = ""
    sets: dict[str, str] = Field(default_factory=dict)
    runs: dict[str, str] = Field(default_factory=dict)
    gates: dict[str, float | str | bool] = Field(default_factory=dict)


class AgreementResult(Record):
    """``results/agreement.json``."""

    study: str
    sets: tuple[str, ...]
    languages: tuple[str, ...]
    view: View
    view_note: str = ""
    reference_rule: str
    reference_counts: dict[str, int]
    n_claims: int = Field(ge=0)
    n_families: int = Field(ge=0)
    families_per_label: dict[str, int]
    exclusions: dict[str, int]
    humans: HumanAgreement | None
    no_humans: str = ""
    judges: tuple[JudgeAgreement, ...]
    provenance: Provenance
