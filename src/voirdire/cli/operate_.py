"""``voirdire operate``: a threshold for stated costs, and which answers may be kept."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from voirdire.cli.output import as_json_option, print_json, verb
from voirdire.cli.studies import number, study_argument, study_folder

_cost = click.FloatRange(0, min_open=True)
_share = click.FloatRange(0, 1, min_open=True, max_open=True)


@verb(epilog="voirdire operate reports/my-study --judge nli --false-accept 5 --false-reject 1")
@study_argument
@click.option("--judge", metavar="NAME", required=True, help="Which judge; it must give scores.")
@click.option(
    "--false-accept",
    type=_cost,
    default=5.0,
    show_default=True,
    help="Cost of calling an unsupported claim supported: the dangerous error.",
)
@click.option(
    "--false-reject", type=_cost, default=1.0, show_default=True, help="Cost of the reverse."
)
@click.option(
    "--target",
    type=_share,
    default=0.05,
    show_default=True,
    help="Error rate allowed among answers that are kept.",
)
@click.option(
    "--delta",
    type=_share,
    default=0.05,
    show_default=True,
    help="Chance that this promise may fail.",
)
@as_json_option
@click.pass_context
def command(
    context: click.Context,
    study: Path,
    judge: str,
    false_accept: float,
    false_reject: float,
    target: float,
    delta: float,
    as_json: bool,
) -> None:
    """Set a judge's threshold for stated costs of its errors.

    Chosen on the families of the split cal, reported on those of test; writes
    results/operating-point.json. Ends with 3 if no answers can be certified to be kept.
    """
    from voirdire.studies import open_study
    from voirdire.studies.operating_point import set_operating_point

    found = set_operating_point(
        open_study(study_folder(study)),
        judge=judge,
        false_accept=false_accept,
        false_reject=false_reject,
        target=target,
        delta=delta,
        command=sys.argv[1:],
    )
    kept = found.kept
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        click.echo(
            f"Call a claim supported from a {found.score} of {found.threshold:.4g} up "
            f"(chosen on {found.n_cal} claims)."
        )
        click.echo(
            f"Mean cost on {found.n_test} other claims: {number(found.cost_on_test)}; "
            f"all called supported: {found.always_supported:.2f}, none: "
            f"{found.never_supported:.2f}."
        )
        if kept.threshold is None:
            click.echo(f"No answers can be kept at {kept.target:.0%} errors: {kept.refused}.")
        else:
            click.echo(
                f"Keep answers from a confidence of {kept.threshold:.4g} up: at most "
                f"{kept.target:.0%} of them wrong, with {1 - kept.delta:.0%} confidence. On test "
                f"that keeps {number(kept.kept_on_test)}, wrong: {number(kept.error_on_test)}."
            )
    context.exit(3 if kept.threshold is None else 0)
