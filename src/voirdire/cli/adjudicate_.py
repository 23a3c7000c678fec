"""``voirdire adjudicate``: disagreements to a person who settles them, and decisions back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb
from voirdire.cli.studio import set_argument, url_option
from voirdire.errors import UsageError

if TYPE_CHECKING:
    from voirdire.labels.studio import AdjudicationReport, Server

__all__ = ["command"]


@verb(
    epilog="""
voirdire pull labels/support && voirdire adjudicate labels/support
voirdire adjudicate labels/support --second-look reports/support
voirdire adjudicate labels/support --review reports/support
"""
)
@set_argument
@click.option("--fetch-only", is_flag=True, help="Fetch decisions; send nothing.")
@click.option(
    "--dry-run", is_flag=True, help="List the claims on which people differ; ask no server."
)
@click.option(
    "--second-look",
    type=click.Path(path_type=Path),
    metavar="STUDY",
    help="Send claims on which at least two judges of a study agree against people, blind.",
)
@click.option(
    "--review",
    type=click.Path(path_type=Path),
    metavar="STUDY",
    help="Show people a study's verdicts, in a project of its own, once labelling is closed.",
)
@url_option
@as_json_option
def command(
    claim_set: Path,
    fetch_only: bool,
    dry_run: bool,
    second_look: Path | None,
    review: Path | None,
    url: str | None,
    as_json: bool,
) -> None:
    """Send the claims on which people differ to an adjudicator, and fetch the decisions.

    Works on the labels as last pulled. Votes are shown without names in shuffled order. A
    decision names the labels it decides on; when one of them changes, it is stale and the claim
    goes up again.
    """
    if second_look and review:
        raise UsageError("--second-look and --review exclude each other", todo="choose one")
    if dry_run:
        _show_disputed(claim_set, as_json)
        return
    from voirdire.labels.studio import adjudicate, server_from

    server = server_from(url)
    if second_look or review:
        report = _with_judges(claim_set, server, second_look, review)
    else:
        report = adjudicate(claim_set, server, send=not fetch_only, tell=say)
    if as_json:
        print_json(report.as_dict())
    else:
        print_table(("what", "value"), _rows(report))
    for note in report.notes:
        say(note)


def _with_judges(
    claim_set: Path, server: Server, look: Path | None, review: Path | None
) -> AdjudicationReport:
    from voirdire.cli.studies import study_folder
    from voirdire.labels import load_claim_set
    from voirdire.labels.studio import review_with_judges, second_look
    from voirdire.studies import open_study
    from voirdire.studies.people import label_error_candidates, verdicts_of_study

    study = open_study(study_folder(look or review or Path()))
    known = {claim.id for claim in load_claim_set(claim_set).claims}
    if look:
        pointed = [one for one in label_error_candidates(study) if one in known]
        return second_look(claim_set, server, pointed, tell=say)
    shown = {name: said for name, said in verdicts_of_study(study).items() if name in known}
    return review_with_judges(claim_set, server, shown, tell=say)


def _show_disputed(claim_set: Path, as_json: bool) -> None:
    from voirdire.labels import load_claim_set
    from voirdire.labels.studio import StudioPaths, disputed, read_records

    loaded = load_claim_set(claim_set)
    looks = read_records(StudioPaths.of(claim_set).second_looks)
    found = disputed(loaded.claims, loaded.labels, looks)
    if as_json:
        print_json([{"claim_id": one.claim_id, "votes": list(one.votes)} for one in found])
        return
    votes = [", ".join(sorted(vote["verdict"] for vote in one.votes)) for one in found]
    print_table(
        ("claim", "votes"), [(one.claim_id, v) for one, v in zip(found, votes, strict=True)]
    )
    say(f"{len(found):,} claims on which people differ; nothing was sent")


def _rows(report: AdjudicationReport) -> list[tuple[str, str]]:
    return [
        ("claims in question", f"{report.candidates:,}"),
        ("sent now", f"{report.sent:,}"),
        ("answers that stand", f"{report.decided:,}"),
        ("new", f"{report.new:,}"),
        ("changed", f"{report.changed:,}"),
        ("gone stale", f"{report.stale:,}"),
        ("still open", f"{report.open:,}"),
        *([("begin at", report.link)] if report.link else []),
    ]
