"""``voirdire bundle``: a study in one file that verifies anywhere."""

from __future__ import annotations

from pathlib import Path

import click

from voirdire.cli.output import as_json_option, print_json, say, verb
from voirdire.cli.studies import study_argument, study_folder


@verb(epilog="voirdire bundle reports/my-study --into my-study.zip\nvoirdire verify my-study.zip")
@study_argument
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="FILE.zip",
    required=True,
    help="The file to write.",
)
@click.option("--no-redaction", is_flag=True, help="Pack texts as they are.")
@as_json_option
def command(study: Path, into: Path, no_redaction: bool, as_json: bool) -> None:
    """Pack study, claims, labels, raw verdicts and report into one file.

    Keys, e-mail addresses, home folders, IBANs, cards, telephone numbers with a country's prefix
    and what the claim sets declare under "redact" are replaced, the same text by the same name.
    'voirdire verify FILE.zip' makes every number again on another machine.
    """
    from voirdire.studies import open_study
    from voirdire.studies.bundling import bundle_study

    manifest = bundle_study(open_study(study_folder(study)), into, redact=not no_redaction)
    if as_json:
        print_json(manifest.model_dump(mode="json"))
        return
    click.echo(f"{into}: {len(manifest.files)} files")
    for kind, number in manifest.redacted.items():
        click.echo(f"  replaced: {kind}, {number} places")
    if manifest.redacted:
        say("Look the bundle over before you pass it on: patterns find what has a form, not names.")
    if manifest.remade:
        say(f"Made again on the redacted files: {', '.join(manifest.remade)}.")
