"""``voirdire agree``: verdicts against people's labels, and the decision."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from voirdire.cli.output import as_json_option, print_json, verb
from voirdire.cli.studies import (
    show_agreement,
    show_decisions,
    show_look,
    study_argument,
    study_folder,
)


@verb(epilog="voirdire agree reports/my-study")
@study_argument
@as_json_option
def command(study: Path, as_json: bool) -> None:
    """Compare a study's verdicts with people's labels and decide.

    Reads the latest finished run of each judge, writes results/agreement.json and
    results/decision.json into the study.
    """
    from voirdire.records.contest import ContestResult
    from voirdire.store import read_document
    from voirdire.studies import agree, open_study

    opened = open_study(study_folder(study))
    agreement, decisions = agree(opened, command=sys.argv[1:])
    path = opened.paths.result("contest")
    contest = read_document(path, ContestResult) if path.exists() else None
    cheapest = None if contest is None else contest.cheapest
    if as_json:
        found = {
            "agreement": agreement.model_dump(mode="json"),
            "decision": decisions.model_dump(mode="json"),
        }
        if cheapest is not None:
            found["cheapest"] = cheapest.model_dump(mode="json")
        print_json(found)
        return
    show_agreement(agreement)
    show_look(decisions.look)
    show_decisions(decisions.decisions)
    if cheapest is not None:
        click.echo(f"\n{cheapest.sentence}")
