"""``voirdire plan``: how many families, people, hours and repeats a decision takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb
from voirdire.errors import UsageError

if TYPE_CHECKING:
    from voirdire.studies.gates import GateLimits
    from voirdire.studies.next_families import NextFamilies
    from voirdire.studies.planning import Plan

__all__ = ["command"]


@verb(
    epilog="""
voirdire plan
voirdire plan --prevalence supported=0.7,contradicted=0.2,unverifiable=0.1 --people 3
voirdire plan labels/support --kappa 0.75
voirdire plan reports/support            # after a study: what to label next, too
"""
)
@click.argument("target", type=click.Path(path_type=Path), metavar="[SET|STUDY]", required=False)
@click.option(
    "--prevalence",
    metavar="LABEL=SHARE,...",
    help="Expected shares of the labels.  [default: those at hand, else .5/.3/.2]",
)
@click.option("--family-size", type=click.FloatRange(1), help="Claims a family.  [default: 4]")
@click.option("--people", type=click.IntRange(1), help="Who label each claim.  [default: 2]")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    help="For one label.  [default: the median measured, else 45]",
)
@click.option(
    "--kappa",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="True kappa of the judge to be accepted.  [default: 0.8]",
)
@click.option("--kappa-floor", type=click.FloatRange(0, 1), help="Of the gate.  [default: 0.6]")
@click.option(
    "--per-year",
    type=click.FloatRange(0, min_open=True),
    help="Evaluations a year of the metric it will feed.  [default: 52]",
)
@click.option(
    "--run-sd",
    type=click.FloatRange(0, min_open=True),
    help="Run-to-run standard deviation of that metric.  [default: from 'vary', else 0.02]",
)
@click.option(
    "--drop",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Relative drop an alert must find.  [default: 0.1]",
)
@click.option("--waive", multiple=True, metavar="GATE", help="A gate not to plan for.")
@click.option("--next", "coming", type=click.IntRange(1), default=20, show_default=True,
              help="Families to write next, after a study.")  # fmt: skip
@as_json_option
def command(
    target: Path | None, waive: tuple[str, ...], coming: int, as_json: bool, **given: Any
) -> int:
    """Say how many families must be labelled, by how many people, and how often to ask the judge.

    SET or STUDY gives the shares of the labels, the size of the families and the time a label
    takes; what is said on the command line stands instead. Every gate is simulated for the labels
    you expect. Exit code 3 if no number of families up to 1,000 is enough.
    """
    from voirdire.studies.plan_sources import next_of_study
    from voirdire.studies.planning import PlanInputs, plan

    known, limits = _known(target)
    limits = _limits(limits, given.pop("kappa_floor"), waive)
    prevalence = given.pop("prevalence")
    if prevalence:
        known["prevalence"] = _shares(prevalence)
    known.setdefault("prevalence", {"supported": 0.5, "contradicted": 0.3, "unverifiable": 0.2})
    if given["seconds"]:
        known["seconds_measured"] = False
    if given["run_sd"]:
        known["run_sd_measured"] = False
    known |= {name: value for name, value in given.items() if value is not None}
    made = plan(PlanInputs(**known), limits)
    following = next_of_study(target, families=coming) if target and _is_study(target) else None
    if as_json:
        print_json(
            {
                **made.model_dump(mode="json"),
                "next": following.model_dump(mode="json") if following else None,
            }
        )
    else:
        _show(made, following)
    return 0 if made.families is not None else 3


def _known(target: Path | None) -> tuple[dict[str, Any], GateLimits]:
    from voirdire.studies import GateLimits
    from voirdire.studies.plan_sources import from_claim_set, from_study

    if target is None:
        return {}, GateLimits()
    if _is_study(target):
        return from_study(target.parent if target.name == "study.toml" else target)
    return from_claim_set(str(target)), GateLimits()


def _is_study(target: Path) -> bool:
    return target.name == "study.toml" or (target / "study.toml").is_file()


def _limits(limits: GateLimits, floor: float | None, waive: tuple[str, ...]) -> GateLimits:
    from voirdire.studies import read_gates

    changed = limits.model_dump()
    if floor is not None:
        changed["kappa_floor"] = floor
    if waive:
        changed["waive"] = (*limits.waive, *waive)
    return read_gates(changed, where="--waive")


def _shares(text: str) -> dict[str, float]:
    from voirdire.records import LABELS

    names = (*LABELS, "not_supported")
    found: dict[str, float] = {}
    for piece in text.split(","):
        label, equals, share = piece.partition("=")
        if label.strip() in found:
            raise UsageError(f"{label.strip()!r} has two shares", where="--prevalence")
        try:
            found[label.strip()] = float(share)
        except ValueError:
            equals = ""
        if not equals or label.strip() not in names or not 0 <= found[label.strip()] < 1e9:
            raise UsageError(
                f"not a share of a label: {piece!r}",
                where="--prevalence",
                allowed="LABEL=SHARE with " + ", ".join(names),
                todo="for example supported=0.5,contradicted=0.3,unverifiable=0.2",
            )
    if sum(share > 0 for share in found.values()) < 2:
        raise UsageError(
            "at least two labels need a share",
            where="--prevalence",
            todo="for example supported=0.5,contradicted=0.3,unverifiable=0.2",
        )
    total = sum(found.values())
    if not any(abs(total - whole) <= 0.011 * whole for whole in (1, 100)):
        raise UsageError(
            f"the shares sum to {total:g}",
            where="--prevalence",
            allowed="shares that sum to 1, or per cents that sum to 100",
            todo="for example supported=0.5,contradicted=0.3,unverifiable=0.2",
        )
    return {label: share / total for label, share in found.items()}


def _show(made: Plan, following: NextFamilies | None) -> None:
    click.echo(made.sentence)
    names = list(made.chances[0].gates)
    print_table(
        ("families", *names, "all of them"),
        [
            (
                str(chance.families),
                *(f"{100 * chance.gates[name]:.0f} %" for name in names),
                f"{100 * chance.together:.0f} %",
            )
            for chance in made.chances
        ],
        title="Chance that a judge as good as assumed is accepted",
    )
    if made.at_hand:
        listed = ", ".join(f"kappa {k}: {100 * p:.0f} %" for k, p in made.at_hand.items())
        at_hand = made.inputs.families_at_hand
        click.echo(f"The {at_hand} families at hand accept by the kappa gate: {listed}")
    if following is not None:
        click.echo(following.sentence)
        for why in following.why:
            click.echo(f"  {why}")
    for note in made.notes:
        say(note)
