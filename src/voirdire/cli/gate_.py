"""``voirdire gate``: the decision as an exit code, for CI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from voirdire.cli.output import as_json_option, print_json, say, verb
from voirdire.cli.studies import show_decisions, study_argument, study_folder

if TYPE_CHECKING:
    from voirdire.records import Decision


@verb(
    epilog="voirdire gate reports/my-study --judge words\n"
    "voirdire gate reports/my-study --judge words --junit gate.xml --markdown gate.md"
)
@study_argument
@click.option("--judge", metavar="NAME", help="Which judge; needed if the study has several.")
@click.option("--allow-narrower", is_flag=True, help="Let adopt_narrower pass.")
@click.option(
    "--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write the gates as JUnit XML."
)
@click.option(
    "--markdown",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the gates as Markdown, for the summary of a CI job.",
)
@as_json_option
@click.pass_context
def command(
    context: click.Context,
    study: Path,
    judge: str | None,
    allow_narrower: bool,
    junit: Path | None,
    markdown: Path | None,
    as_json: bool,
) -> None:
    """Let a build pass or fail by the decision on a judge.

    The numbers are made again first. Ends with 0 on adopt, 1 on do_not_adopt and adopt_narrower,
    3 on not_enough_evidence, 4 if claims, labels, verdicts or the judge changed since.
    """
    from voirdire.reports import junit_xml
    from voirdire.reports.gate_summary import gate_summary
    from voirdire.store import write_text
    from voirdire.studies import open_study
    from voirdire.studies.examined import examined_decision

    opened = open_study(study_folder(study))
    decision = examined_decision(opened, judge or "", tell=lambda text: say(f"Warning: {text}"))
    for path, made in ((junit, junit_xml), (markdown, gate_summary)):
        if path is not None:
            write_text(path, made([decision], study=opened.config.name))
    if as_json:
        print_json(decision.model_dump(mode="json"))
    else:
        show_decisions([decision])
    context.exit(_code(decision, allow_narrower=allow_narrower))


def _code(decision: Decision, *, allow_narrower: bool) -> int:
    if decision.decision == "adopt":
        return 0
    if decision.decision == "adopt_narrower":
        return 0 if allow_narrower else 1
    return 3 if decision.decision == "not_enough_evidence" else 1
