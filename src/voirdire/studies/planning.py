"""How many families must be labelled, by how many people, how often the judge is asked.

The gates of this project are simulated for the user's own labels: the kappa gate by
`voirdire.stats.gate_power`, the gates on shares and on rewording by `share_power` and `kept_power`,
each for a judge as good as the plan assumes. The chance that *all* accept is taken as the product;
gates that go together only make that larger. The chance of a share jumps with the counts that can
occur, so what is given for a number of families is the chance kept from there on: it never falls
as families are added.

Holm's correction among the gates on rewording is not simulated: the last of them has the whole
level, the first a third of its error. Two things more are not: whether people agree, which depends
on the guideline and not on the number of claims, and whether the judge agrees with people as a
person does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import Field

from voirdire import stats
from voirdire.records import Record
from voirdire.stats.intervals import t_quantile
from voirdire.stats.share_power import kept_power, share_power
from voirdire.studies.gates import GateLimits
from voirdire.studies.wording_gates import WORDING_GATES

__all__ = ["GRID", "FamilyChance", "Plan", "PlanInputs", "Repeats", "plan"]

GRID: Final = (20, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 700, 1000)
DEFAULT_PREVALENCE: Final = {"supported": 0.5, "contradicted": 0.3, "unverifiable": 0.2}
DEFAULT_SECONDS: Final = 45.0
SHOWN_KAPPAS: Final = (0.6, 0.7, 0.8, 0.9)
WARN, ALERT = 0.05, 0.01
MOST_REPEATS: Final = 60


class PlanInputs(Record):
    """What a plan rests on; every assumption is named and can be set.

    Attributes
    ----------
    prevalence : dict of str to float
        Expected shares of the labels.
    family_size : float
        Claims a family.
    people : int
        People who label each claim.
    seconds : float
        For one label; ``seconds_measured`` says whether it is a median of labels at hand.
    kappa, recall, negation_flip, number_seen : float
        How good the judge is that the gates should accept.
    families_at_hand : int
        Labelled already.
    with_negation, with_number, with_paraphrase : float
        Share of families that will hold such a variant.
    per_year : float
        Evaluations a year of the metric that the judge will feed.
    run_sd, metric : float
        Standard deviation of that metric between runs, and its mean.
    drop : float
        Relative drop that an alert must find.
    history : int
        Evaluations that the latest is compared with.
    """

    prevalence: dict[str, float]
    family_size: float = Field(default=4, ge=1)
    people: int = Field(default=2, ge=1)
    seconds: float = Field(default=DEFAULT_SECONDS, gt=0)
    seconds_measured: bool = False
    kappa: float = Field(default=0.8, gt=0, lt=1)
    recall: float = Field(default=0.9, gt=0, le=1)
    negation_flip: float = Field(default=0.95, gt=0, le=1)
    number_seen: float = Field(default=0.98, gt=0, le=1)
    families_at_hand: int = Field(default=0, ge=0)
    with_paraphrase: float = Field(default=1, ge=0, le=1)
    with_negation: float = Field(default=1, ge=0, le=1)
    with_number: float = Field(default=0.5, ge=0, le=1)
    per_year: float = Field(default=52, gt=0)
    run_sd: float = Field(default=0.02, gt=0)
    run_sd_measured: bool = False
    metric: float = Field(default=0.85, gt=0, le=1)
    drop: float = Field(default=0.10, gt=0, lt=1)
    history: int = Field(default=4, ge=1)
    simulations: int = Field(default=400, ge=50)
    seed: int = Field(default=0, ge=0)


class FamilyChance(Record):
    """Chances that hold from a number of families on: of each gate to accept, and of all."""

    families: int
    gates: dict[str, float]
    together: float


class Repeats(Record):
    """How often to ask the judge for limits that see a drop.

    Attributes
    ----------
    needed : int or None
        Smallest number of repeats with which the alert finds the drop in 80 of 100 cases; None if
        no number does.
    smallest_drop : float
        Relative drop found in 80 of 100 cases with as many repeats as anyone would ask.
    false_warnings, false_alerts : float
        A year, without any change.
    """

    needed: int | None
    smallest_drop: float
    false_warnings: float
    false_alerts: float


class Plan(Record):
    """An answer for a meeting, and the numbers behind it.

    Attributes
    ----------
    families : int or None
        Needed in all, to ten families; None if the largest number of the grid is not enough.
    holds_back : str
        The gate that needs most.
    claims, hours : float or None
        Claims in these families; hours of all people together.
    at_hand : dict of str to float
        Chance that the kappa gate accepts, by true kappa, on the families labelled already.
    sentence : str
        One line.
    """

    inputs: PlanInputs
    families: int | None
    holds_back: str
    claims: int | None
    hours: float | None
    chances: tuple[FamilyChance, ...]
    at_hand: dict[str, float]
    repeats: Repeats
    sentence: str
    notes: tuple[str, ...]


def plan(inputs: PlanInputs, limits: GateLimits) -> Plan:
    """Make a plan.

    Parameters
    ----------
    inputs : PlanInputs
    limits : GateLimits
        Of the study; a waived gate is not planned for.

    Raises
    ------
    ValueError
        If fewer than two labels have a share.
    """
    grid = sorted({*GRID, inputs.families_at_hand} - set(range(2)))
    chances = _refined(inputs, limits, _chances(inputs, limits, grid))
    families = _needed([(chance.families, chance.together) for chance in chances], limits.power)
    claims = None if families is None else math.ceil(families * inputs.family_size)
    hours = None if claims is None else claims * inputs.people * inputs.seconds / 3600
    repeats = _repeats(inputs, limits.power)
    return Plan(
        inputs=inputs,
        families=families,
        holds_back=_holds_back(chances, limits.power),
        claims=claims,
        hours=hours,
        chances=chances,
        at_hand=_at_hand(inputs, limits),
        repeats=repeats,
        sentence=_sentence(inputs, limits, families, claims, hours),
        notes=_notes(inputs, limits, repeats),
    )


def _refined(
    inputs: PlanInputs, limits: GateLimits, chances: tuple[FamilyChance, ...]
) -> tuple[FamilyChance, ...]:
    """The same rows, and that of the first multiple of ten which is enough."""
    rows = {chance.families for chance in chances}
    enough = _needed([(one.families, one.together) for one in chances], limits.power)
    before = max((row for row in rows if enough is not None and row < enough), default=None)
    if enough is None or before is None:
        return chances
    tens = range(before // 10 * 10 + 10, enough, 10)
    if not tens:
        return chances
    finer = _chances(inputs, limits, sorted(rows | set(tens)))
    first = _needed([(one.families, one.together) for one in finer], limits.power)
    return tuple(one for one in finer if one.families in rows or one.families == first)


def _chances(
    inputs: PlanInputs, limits: GateLimits, grid: Sequence[int]
) -> tuple[FamilyChance, ...]:
    kappa = _kappa_chances(inputs, limits, (inputs.kappa,), grid)[inputs.kappa]
    found: list[FamilyChance] = []
    kept: dict[str, float] = {}
    for families in sorted(grid, reverse=True):
        gates = {
            "data_adequacy": _adequate(inputs, limits, families),
            "kappa": kappa[families],
            "contradicted_recall": share_power(
                inputs.recall, limits.contradicted_recall_floor, _recall_items(inputs, families)
            ),
            **_wording(inputs, limits, families),
        }
        kept = {
            name: min(chance, kept.get(name, 1.0))
            for name, chance in gates.items()
            if name not in limits.waive
        }
        together = math.prod(kept.values())
        found.append(FamilyChance(families=families, gates=kept, together=together))
    return tuple(reversed(found))


def _kappa_chances(
    inputs: PlanInputs, limits: GateLimits, kappas: Sequence[float], grid: Sequence[int]
) -> dict[float, dict[int, float]]:
    power = stats.gate_power(
        prevalence=list(inputs.prevalence.values()),
        floor=limits.kappa_floor,
        family_size=max(1, round(inputs.family_size)),
        kappas=kappas,
        families=grid,
        simulations=inputs.simulations,
        rng=inputs.seed,
    )
    found: dict[float, dict[int, float]] = {kappa: {} for kappa in kappas}
    for cell in power.cells:
        found[cell.kappa][cell.families] = cell.accept
    return found


def _adequate(inputs: PlanInputs, limits: GateLimits, families: int) -> float:
    """One if there are enough families, and enough of each label to be expected."""
    rarest = min(share for share in inputs.prevalence.values() if share > 0)
    holding = families * (1 - (1 - rarest) ** inputs.family_size)
    enough = families >= limits.min_families and holding >= limits.min_families_per_label
    return 1.0 if enough else 0.0


def _recall_items(inputs: PlanInputs, families: int) -> int:
    """Families that hold a claim people call contradicted: their claims go together."""
    labels = inputs.prevalence
    share = labels.get("contradicted", labels.get("not_supported", 0.0))
    return round(families * (1 - float((1 - share) ** inputs.family_size)))


def _wording(inputs: PlanInputs, limits: GateLimits, families: int) -> dict[str, float]:
    """The gates on rewording; a negation turns what was supported or contradicted."""
    shares = inputs.prevalence
    total = sum(shares.values())
    supported = shares.get("supported", 0.0) / total
    turned = supported + shares.get("contradicted", 0.0) / total
    return {
        "paraphrase_kept": kept_power(
            limits.paraphrase_margin,
            round(families * inputs.with_paraphrase),
            simulations=inputs.simulations,
            rng=inputs.seed,
        ),
        "negation_flip": share_power(
            inputs.negation_flip,
            limits.negation_flip_floor,
            round(families * inputs.with_negation * turned),
        ),
        "number_seen": share_power(
            inputs.number_seen,
            limits.number_seen_floor,
            round(families * inputs.with_number * supported),
        ),
    }


def _needed(chances: Sequence[tuple[int, float]], power: float) -> int | None:
    """Smallest number from which on all are adequate."""
    needed = None
    for families, chance in sorted(chances, reverse=True):
        if chance < power:
            break
        needed = families
    return needed


def _holds_back(chances: Sequence[FamilyChance], power: float) -> str:
    """The gate that becomes adequate last."""
    most, name = -1.0, ""
    for gate in chances[0].gates if chances else ():
        need = _needed([(c.families, c.gates[gate]) for c in chances], power) or math.inf
        if need > most:
            most, name = need, gate
    return name


def _at_hand(inputs: PlanInputs, limits: GateLimits) -> dict[str, float]:
    if inputs.families_at_hand < 2:
        return {}
    found = _kappa_chances(inputs, limits, SHOWN_KAPPAS, (inputs.families_at_hand,))
    return {f"{kappa:.2f}": by[inputs.families_at_hand] for kappa, by in found.items()}


def _repeats(inputs: PlanInputs, power: float) -> Repeats:
    """The pooled t limit of the alert rule, with the sd of R repeats and of the history."""
    needed = next(
        (
            repeats
            for repeats in range(2, MOST_REPEATS + 1)
            if _smallest_drop(inputs, repeats, power) <= inputs.drop
        ),
        None,
    )
    return Repeats(
        needed=needed,
        smallest_drop=_smallest_drop(inputs, MOST_REPEATS, power),
        false_warnings=WARN * inputs.per_year,
        false_alerts=ALERT * inputs.per_year,
    )


def _smallest_drop(inputs: PlanInputs, repeats: int, power: float) -> float:
    freedom = repeats + inputs.history - 2
    spread = inputs.run_sd * math.sqrt(1 + 1 / inputs.history)
    reach = t_quantile(1 - 2 * ALERT, freedom) + t_quantile(2 * power - 1, freedom)
    return reach * spread / inputs.metric


def _sentence(
    inputs: PlanInputs,
    limits: GateLimits,
    families: int | None,
    claims: int | None,
    hours: float | None,
) -> str:
    goal = f"a judge of kappa {inputs.kappa:.2f} is shown to be good enough"
    if families is None or claims is None or hours is None:
        return (
            f"Not even {GRID[-1]:,} families settle it: {goal} in fewer than "
            f"{100 * limits.power:.0f} of 100 studies; lower the limits or choose a better judge."
        )
    people = "1 person" if inputs.people == 1 else f"{inputs.people} people"
    return (
        f"With {families} families ({claims:,} claims) labelled by {people} each, about "
        f"{hours:.0f} hours of work in all, {goal} in at least {100 * limits.power:.0f} of 100 "
        "studies."
    )


def _notes(inputs: PlanInputs, limits: GateLimits, repeats: Repeats) -> tuple[str, ...]:
    source = "the median of the labels at hand" if inputs.seconds_measured else "assumed"
    notes = [f"{inputs.seconds:.0f} seconds a label ({source})"]
    waived = [name for name in limits.waive if name in (*WORDING_GATES, "kappa")]
    if waived:
        notes.append(f"not planned for, because waived: {', '.join(waived)}")
    if inputs.people < 2 and "human_ceiling" not in limits.waive:
        notes.append(
            "one person has no one to disagree with: without a second, nothing can be adopted"
        )
    spread = "measured" if inputs.run_sd_measured else "assumed"
    if repeats.needed is None:
        notes.append(
            f"no number of repeats lets the alert see a drop of {100 * inputs.drop:.0f} %: with "
            f"a run-to-run sd of {inputs.run_sd:.3f} ({spread}) it sees "
            f"{100 * repeats.smallest_drop:.0f} %; evaluate on more claims each time"
        )
    else:
        notes.append(
            f"ask the judge {repeats.needed} times before setting limits: an alert then finds a "
            f"drop of {100 * inputs.drop:.0f} % in {100 * limits.power:.0f} of 100 cases "
            f"(run-to-run sd {inputs.run_sd:.3f}, {spread})"
        )
    notes.append(
        f"at {inputs.per_year:.0f} evaluations a year, expect {repeats.false_warnings:.1f} false "
        f"warnings and {repeats.false_alerts:.1f} false alerts a year"
    )
    return tuple(notes)


def shares_of_labels(counts: Mapping[str, int]) -> dict[str, float]:
    """Shares from counts; the defaults where fewer than two labels occur."""
    total = sum(counts.values())
    if sum(count > 0 for count in counts.values()) < 2:
        return dict(DEFAULT_PREVALENCE)
    return {label: count / total for label, count in counts.items()}
