"""``voirdire run``: the claims of a study, put to its judges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb
from voirdire.cli.spending import (
    Announced,
    guard_of,
    show_ledgers,
    show_plans,
    spending_options,
)
from voirdire.cli.studies import progress_bar, study_argument, study_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from voirdire.judges.planning import RunPlan
    from voirdire.records import JudgeRun
    from voirdire.studies import Study

__all__ = ["command"]


@verb(
    epilog="""
voirdire run reports/my-study
voirdire run reports/my-study --judge lexical --repeats 3
voirdire run reports/my-study --dry-run
voirdire run reports/my-study --max-cost 2.50 --max-calls 2000
"""
)
@study_argument
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="NAME",
    help="A judge of the study, by the name it has there. Repeat for several.  [default: all]",
)
@click.option("--repeats", type=click.IntRange(1, 1000), help="Instead of the study's.")
@click.option("--fresh", is_flag=True, help="Ask anew, even where finished runs are at hand.")
@spending_options
@as_json_option
def command(
    study: Path,
    judges: tuple[str, ...],
    repeats: int | None,
    fresh: bool,
    dry_run: bool,
    max_calls: int | None,
    max_cost: float | None,
    as_json: bool,
) -> int:
    """Put the claims of a study to its judges.

    STUDY is the folder of a study, or its study.toml. Every answer is written down as it comes:
    a run that was stopped, however it was, goes on where it stood when the same command runs
    again. A judge that cannot work does not keep the others from it; exit code 5 then. At a limit
    set by --max-cost or --max-calls it stops with exit code 3 and keeps all.
    """
    from voirdire.errors import JudgeUnavailable, SpendLimit
    from voirdire.studies import open_study, plan_study, run_study

    opened = open_study(study_folder(study))
    if repeats is not None:
        opened = _with_repeats(opened, repeats)
    names = judges or tuple(judge.name for judge in opened.config.judges)
    if dry_run:
        _show_dry_run(plan_study(opened, only=names, fresh=fresh), as_json=as_json)
        return 0
    guard = guard_of(max_cost, max_calls)
    runs: list[JudgeRun] = []
    code = 0
    announced = Announced()
    with progress_bar() as progress:
        for name in dict.fromkeys(names):
            try:
                runs += run_study(
                    opened,
                    only=[name],
                    fresh=fresh,
                    progress=progress,
                    tell=say,
                    guard=guard,
                    announce=announced.take,
                )
            except SpendLimit as error:
                say(f"Error: judge {name!r}: {error}")
                code = error.exit_code
                break
            except JudgeUnavailable as error:
                say(f"Error: judge {name!r}: {error}")
                code = error.exit_code
    if as_json:
        print_json([run.model_dump(mode="json") for run in runs])
    else:
        print_table(("judge", "run", "verdicts", "outcomes"), map(_cells, runs))
        show_ledgers(opened.paths, [run for run in runs if run.judge in announced])
    return code


def _show_dry_run(plans: Sequence[RunPlan], *, as_json: bool) -> None:
    if as_json:
        print_json([plan.model_dump(mode="json") for plan in plans])
    else:
        show_plans(plans)


def _with_repeats(study: Study, repeats: int) -> Study:
    from dataclasses import replace

    return replace(study, config=study.config.model_copy(update={"repeats": repeats}))


def _cells(run: JudgeRun) -> tuple[str, str, str, str]:
    outcomes = run.seal.outcomes if run.seal else {}
    return (
        run.judge,
        run.run_id,
        str(run.seal.verdicts if run.seal else 0),
        ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in outcomes.items()),
    )
