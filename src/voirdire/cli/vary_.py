"""``voirdire vary``: how much each judge moves by itself."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from voirdire.cli.output import as_json_option, print_json, print_table, verb
from voirdire.cli.studies import study_argument, study_folder

if TYPE_CHECKING:
    from voirdire.records import Estimate, JudgeVariance, VarianceResult


@verb(
    epilog="voirdire run reports/my-study --repeats 5\n"
    "voirdire vary reports/my-study\n"
    "voirdire vary reports/my-study --judge wording-a --judge wording-b --together"
)
@study_argument
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="NAME",
    help="A judge of the study. Repeat for several.  [default: all]",
)
@click.option(
    "--together",
    is_flag=True,
    help="Take the judges as one under several conditions (wording, temperature, batch size).",
)
@as_json_option
def command(study: Path, judges: tuple[str, ...], together: bool, as_json: bool) -> None:
    """Say how much each judge of a study moves by itself.

    Reads all finished runs of each judge over the claims as they are; each run is a session, its
    repeats belong to it. Writes results/variance.json. Repeats that may be hits of one cached call
    are no evidence: exit code 3 then, as with a judge that was asked once.
    """
    from voirdire.studies import open_study, vary

    result = vary(
        open_study(study_folder(study)), only=judges, together=together, command=sys.argv[1:]
    )
    if as_json:
        print_json(result.model_dump(mode="json"))
        return
    _show(result)


def _show(result: VarianceResult) -> None:
    for judge in result.judges:
        click.echo(
            f"\n{judge.judge}: {judge.claims} claims, {judge.repeats} repeats in "
            f"{len(set(judge.sessions))} session(s)"
        )
        print_table(("what", "value", "of"), _stability(judge))
        print_table(("signal", "mean", "sd", "runs", "residual", "session effect"), _signals(judge))
        for claim in judge.unstable[:5]:
            click.echo(f"  unstable: {claim.claim_id}: {', '.join(claim.answers)}")
        if judge.unstable_claims > 5:
            click.echo(f"  … {judge.unstable_claims - 5} more in results/variance.json")
        for sentence in (*judge.advice, *judge.notes):
            click.echo(f"  {sentence}")


def _stability(judge: JudgeVariance) -> list[tuple[str, str, str]]:
    rows = [
        ("two repeats differ on a claim", _share(judge.pairwise), f"{judge.pairwise.n} claims"),
        (
            "claims that ever flip",
            _share(judge.ever_flip),
            f"{judge.ever_flip.k} of {judge.ever_flip.n}",
        ),
        ("alpha of the repeats", _number(judge.alpha), f"{judge.alpha.n} claims"),
    ]
    if judge.duplicates.groups:
        found = judge.duplicates.differing
        text = f"{found.k} of {found.n}"
        rows.append(("the same claim twice, answers differ", _share(found), text))
    return rows


def _signals(judge: JudgeVariance) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for one in judge.signals:
        parts = one.components
        p = one.session_effect.p_value
        rows.append(
            (
                one.signal,
                "undefined" if one.mean is None else f"{one.mean:.4f}",
                _number(one.sd, digits=4),
                "" if parts is None or parts.run is None else f"{parts.run:.2g}",
                "" if parts is None or parts.residual is None else f"{parts.residual:.2g}",
                one.session_effect.undefined or f"p = {p:.3f}",
            )
        )
    return rows


def _share(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined ({estimate.undefined})"
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:.1f} % (no interval: {estimate.no_interval})"
    low, high = 100 * estimate.low, 100 * estimate.high
    return f"{100 * estimate.value:.1f} % ({low:.1f} to {high:.1f})"


def _number(estimate: Estimate, *, digits: int = 2) -> str:
    if estimate.value is None:
        return f"undefined ({estimate.undefined})"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.{digits}f}"
    return f"{estimate.value:.{digits}f} ({estimate.low:.{digits}f} to {estimate.high:.{digits}f})"
