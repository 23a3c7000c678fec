"""``voirdire report``: the page, the JSON, the rows and the summary, from a study's results."""

from __future__ import annotations

import warnings
from pathlib import Path

import click

from voirdire.cli.output import as_json_option, print_json, say, verb
from voirdire.cli.studies import study_argument


@verb(epilog="voirdire report reports/my-study\nvoirdire report reports/my-study --lang it --bom")
@study_argument
@click.option(
    "--lang",
    type=click.Choice(["en", "it"]),
    default="en",
    show_default=True,
    help="Language of page, memo and summary.",
)
@click.option("--bom", is_flag=True, help="Begin rows.csv with a byte-order mark, for Excel.")
@as_json_option
def command(study: Path, lang: str, bom: bool, as_json: bool) -> None:
    """Make the page again from a study's results.

    Reads results/agreement.json and results/decision.json, and what else is there (invariance,
    variance, policy, people); writes report.html, memo.html, report.json, rows.csv and report.md
    beside them. The same results give the same bytes. The page is one file: it needs no network
    and no script, and prints on A4.
    """
    from voirdire.reports import write_report
    from voirdire.store import StudyPaths

    folder = study.parent if study.name == "study.toml" else study
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        written = write_report(StudyPaths(folder), language=lang, bom=bom)
    for warning in caught:
        say(f"Warning: {warning.message}")
    if as_json:
        print_json({"files": [str(path) for path in written]})
        return
    for path in written:
        click.echo(str(path))
