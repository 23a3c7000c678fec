"""``voirdire push``: a claim set up to Label Studio."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb
from voirdire.cli.studio import set_argument, share, url_option

if TYPE_CHECKING:
    from voirdire.labels.studio import PushPlan, PushReport

__all__ = ["command"]


@verb(
    epilog="""
export LABEL_STUDIO_URL=http://localhost:8080 LABEL_STUDIO_API_KEY=...
voirdire push labels/support --overlap 3 --duplicates 5% --dry-run
voirdire push labels/support --overlap 3 --duplicates 5%
voirdire push labels/support --per-annotator 3      # a project each, truly independent
"""
)
@set_argument
@click.option("--overlap", type=click.IntRange(1, 100), help="People for each claim.  [default: 2]")
@click.option(
    "--per-annotator",
    type=click.IntRange(1, 100),
    metavar="N",
    help="A project for each of N annotators, so that nobody can see another's labels.",
)
@click.option(
    "--duplicates",
    metavar="SHARE",
    callback=share,
    help="Share of claims asked twice unannounced, such as 5%: it measures self-consistency.",
)
@click.option(
    "--guideline",
    type=click.Path(path_type=Path),
    help="What annotators are told.  [default: guideline.md of the set, else the one that ships]",
)
@click.option(
    "--screen", type=click.Path(path_type=Path), help="A labelling screen (XML) of your own."
)
@click.option("--title", help="Of the project; default: the set's name.")
@click.option("--new-project", is_flag=True, help="Begin anew, where the project was deleted.")
@click.option("--batch", type=click.IntRange(1, 10_000), default=500, show_default=True)
@click.option("--dry-run", is_flag=True, help="Show what would go up; ask no server.")
@url_option
@as_json_option
def command(
    claim_set: Path,
    overlap: int | None,
    per_annotator: int | None,
    duplicates: float | None,
    guideline: Path | None,
    screen: Path | None,
    title: str | None,
    new_project: bool,
    batch: int,
    dry_run: bool,
    url: str | None,
    as_json: bool,
) -> None:
    """Send a claim set to Label Studio to be labelled, or what is new in it.

    People see the claim and its context: no family, no variant, no label, no judge. Pushing again
    adds only what is missing. Address and token come from LABEL_STUDIO_URL and
    LABEL_STUDIO_API_KEY.
    """
    from voirdire.labels.studio import PushOptions, plan_push, push, server_from

    options = PushOptions(
        overlap=overlap,
        per_annotator=per_annotator,
        duplicates=duplicates,
        guideline=guideline,
        screen=screen,
        title=title,
        new_project=new_project,
        batch=batch,
    )
    if dry_run:
        _show_plan(plan_push(claim_set, options), as_json)
        return
    report = push(claim_set, server_from(url), options, tell=say, progress=_progress())
    _show_report(report, as_json)


def _progress() -> Callable[[int, int], None]:
    def told(done: int, total: int) -> None:
        if done == total or done % 1000 == 0:
            say(f"{done:,} of {total:,} tasks sent")

    return told


def _show_plan(plan: PushPlan, as_json: bool) -> None:
    if as_json:
        print_json(plan.as_dict())
        return
    rows = [
        ("projects", f"{plan.projects:,}"),
        ("tasks in each", f"{plan.tasks:,}"),
        ("planted repeats among them", f"{plan.planted:,}"),
        ("pieces of text taken out", f"{plan.redactions:,}"),
        ("fields that go up", ", ".join(plan.fields)),
        ("never sent", ", ".join(plan.never_sent)),
    ]
    print_table(("what", "value"), rows)
    for number, task in enumerate(plan.preview, start=1):
        say(f"preview {number}: claim: {task['claim']}")
        say(f"preview {number}: context: {task['context']}")
    say("nothing was sent: leave --dry-run out to send")


def _show_report(report: PushReport, as_json: bool) -> None:
    if as_json:
        print_json(report.as_dict())
    else:
        rows = [
            ("tasks sent now", f"{report.added:,}"),
            ("there already", f"{report.there:,}"),
            ("outdated on the server", f"{report.outdated:,}"),
            ("not ours", f"{report.foreign:,}"),
        ]
        rows += [("annotators begin at", link) for link in report.links]
        print_table(("what", "value"), rows)
    for note in report.notes:
        say(note)
