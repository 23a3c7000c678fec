"""``voirdire agree``: verdicts against people's labels, and the decision."""

from __future__ import annotations

import sys
from pathlib import Path

from voirdire.cli.output import as_json_option, print_json, verb
from voirdire.cli.studies import show_agreement, show_decisions, study_argument, study_folder


@verb(epilog="voirdire agree reports/my-study")
@study_argument
@as_json_option
def command(study: Path, as_json: bool) -> None:
    """Compare a study's verdicts with people's labels and decide.

    Reads the latest finished run of each judge, writes results/agreement.json and
    results/decision.json into the study.
    """
    from voirdire.studies import agree, open_study

    agreement, decisions = agree(open_study(study_folder(study)), command=sys.argv[1:])
    if as_json:
        print_json(
            {
                "agreement": agreement.model_dump(mode="json"),
                "decision": decisions.model_dump(mode="json"),
            }
        )
        return
    show_agreement(agreement)
    show_decisions(decisions.decisions)
