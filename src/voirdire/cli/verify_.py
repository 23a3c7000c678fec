"""``voirdire verify``: every number of a study, made again."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb
from voirdire.cli.studies import study_argument, study_folder


@verb(epilog="voirdire verify reports/my-study\nvoirdire verify my-study.zip")
@study_argument
@as_json_option
@click.pass_context
def command(context: click.Context, study: Path, as_json: bool) -> None:
    """Recompute every number of a study, or of a bundle, from claims, labels and verdicts.

    Ends with 0 if all are confirmed, with 4 if any differs; the differences are listed.
    """
    from voirdire.studies import newer_runs, open_study, verify
    from voirdire.studies.unbundling import verify_bundle

    bundle = study.suffix == ".zip" and study.is_file()
    opened = None if bundle else open_study(study_folder(study))
    found = verify_bundle(study) if opened is None else verify(opened)
    for judge in newer_runs(opened) if opened else ():
        say(
            f"Note: judge {judge!r} has a newer finished run than the one compared; "
            f"'voirdire agree {study}' compares that one."
        )
    if as_json:
        print_json({"differences": [dataclasses.asdict(item) for item in found]})
    elif found:
        rows = [(d.file, d.place, d.stored, d.recomputed) for d in found]
        print_table(("file", "place", "stored", "recomputed"), rows)
    else:
        click.echo("Every number is confirmed.")
    if found:
        say(
            f"Error: {len(found)} numbers differ from what claims, labels and verdicts give. "
            "Restore the results from a copy, or make them anew with 'voirdire agree' "
            "(variance.json with 'voirdire vary', policy.json with 'voirdire limits')."
        )
        context.exit(4)
