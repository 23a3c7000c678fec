"""``voirdire compare``: an incumbent's upgrade, verdict by verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from voirdire.cli.output import as_json_option, print_json, print_table, verb

if TYPE_CHECKING:
    from voirdire.records import Signal

_SIGNALS = ("faithfulness", "agreement", "kappa", "contradicted", "unverifiable", "failures")
_CODES = {"not_worse": 0, "worse": 1, "open": 3}
_run = click.Path(path_type=Path, exists=True, file_okay=False)


@verb(
    epilog="voirdire compare reports/s/runs/judge-20260101T080000Z-0a1b2c "
    "reports/s/runs/judge-20260301T080000Z-3d4e5f"
)
@click.argument("old", type=_run, metavar="RUN")
@click.argument("new", type=_run, metavar="RUN")
@click.option(
    "--margin",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="How much less accuracy would still do.",
)
@click.option(
    "--kappa-margin",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.10,
    show_default=True,
    help="How much less kappa would still do.",
)
@click.option(
    "--policy",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Alert policies of the judge in use: does each still hold for the new one?  "
    "[default: results/policy.json of the new run's study, if there]",
)
@click.option(
    "--signal",
    "signals",
    multiple=True,
    type=click.Choice(_SIGNALS),
    help="Policy to check; repeat for several. Fewer are judged more sharply.  [default: all]",
)
@as_json_option
@click.pass_context
def command(
    context: click.Context,
    old: Path,
    new: Path,
    margin: float,
    kappa_margin: float,
    policy: Path | None,
    signals: tuple[Signal, ...],
    as_json: bool,
) -> None:
    """Compare two runs over the same claims: the judge in use, and what is to follow it.

    RUN is the folder of a run, reports/<study>/runs/<run_id>; the judge in use comes first. Ends
    with 0 if the second is not worse by more than a margin, with 1 if it is, with 3 if the claims
    cannot tell. Whether the alert policy holds is said beside, from all repeats of the new judge;
    it does not change the exit code.
    """
    from voirdire.studies.upgrade import compare_runs

    found = compare_runs(
        old,
        new,
        accuracy_margin=margin,
        kappa_margin=kappa_margin,
        policy=policy,
        signals=signals,
    )
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        rows = [(c.claim_id, c.variant, c.people, c.old, c.new, c.effect) for c in found.changed]
        if rows:
            print_table(("claim", "variant", "people", "old", "new", "effect"), rows)
            click.echo()
        for sentence in found.sentences:
            click.echo(sentence)
        for gate in found.gates:
            click.echo(f"  {gate.answer:<12}  {gate.name}: {gate.reason}")
        for one in found.policies:
            click.echo(f"  {one.answer.replace('_', ' ')}  policy on {one.signal}")
            for reason in one.reasons:
                click.echo(f"    {reason}")
    context.exit(_CODES[found.answer])
