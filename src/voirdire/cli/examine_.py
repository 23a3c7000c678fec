"""``voirdire examine``: the whole way for one study."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from voirdire.cli.output import as_json_option, print_json, say, verb
from voirdire.cli.spending import Announced, guard_of, show_plans, spending_options
from voirdire.cli.studies import (
    exit_code,
    progress_bar,
    show_agreement,
    show_decisions,
    show_look,
    study_folder,
)
from voirdire.errors import UsageError

if TYPE_CHECKING:
    from voirdire.models import SpendGuard


@verb(
    epilog="voirdire examine reports/my-study\n"
    "voirdire examine labels/my-set --judge lexical --into reports/my-study"
)
@click.argument("target", type=click.Path(path_type=Path), metavar="STUDY|SET")
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="NAME[:PRESET]",
    help="A judge to examine; only with a claim set. Repeat for several.",
)
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where the study goes; only with a claim set. Default: reports/<set>.",
)
@click.option("--repeats", type=click.IntRange(1), help="Times each claim is asked; with a set.")
@click.option("--seed", type=click.IntRange(0), help="The one seed; with a set.")
@click.option("--fresh", is_flag=True, help="Ask anew, even where finished runs are at hand.")
@spending_options
@as_json_option
@click.pass_context
def command(
    context: click.Context,
    target: Path,
    judges: tuple[str, ...],
    into: Path | None,
    repeats: int | None,
    seed: int | None,
    fresh: bool,
    dry_run: bool,
    max_calls: int | None,
    max_cost: float | None,
    as_json: bool,
) -> None:
    """Walk the whole way for one study: run, agree, decide, report.

    STUDY is a folder with a study.toml. SET is a claim set: a study is made for it first, with
    the judges named by --judge. Ends with 0 if a judge is adopted, 3 if there is not enough
    evidence for one, else 1; reference lines (constant) do not count.
    """
    if judges and not _is_claim_set(target) and not (target / "study.toml").is_file():
        raise _no_set(target)
    if _is_claim_set(target):
        folder = _make_study(target, judges, into, repeats=repeats or 1, seed=seed or 0)
    else:
        if judges or into or repeats or seed is not None:
            raise UsageError(
                "--judge, --into, --repeats and --seed go with a claim set; a study has its own",
                where=str(target),
                todo="edit study.toml instead",
            )
        folder = study_folder(target)
    if dry_run:
        from voirdire.studies import open_study, plan_study

        show_plans(plan_study(open_study(folder), fresh=fresh))
        return
    guard = guard_of(max_cost, max_calls)
    context.exit(examine(folder, fresh=fresh, as_json=as_json, guard=guard))


def examine(
    folder: Path,
    *,
    fresh: bool,
    as_json: bool,
    language: str = "en",
    guard: SpendGuard | None = None,
) -> int:
    """Run, agree, decide, report; prints and returns the exit code."""
    from voirdire.reports import write_report
    from voirdire.studies import agree, open_study, run_study

    study = open_study(folder)
    with progress_bar() as progress:
        run_study(
            study,
            fresh=fresh,
            progress=progress,
            tell=say,
            guard=guard,
            announce=Announced().take,
        )
    agreement, decisions = agree(study, command=sys.argv[1:])
    written = write_report(study.paths, language=language)
    if as_json:
        print_json(
            {
                "decisions": [d.model_dump(mode="json") for d in decisions.decisions],
                "files": [str(path) for path in written],
            }
        )
    else:
        show_agreement(agreement)
        show_look(decisions.look)
        show_decisions(decisions.decisions)
        click.echo(f"\nPage: {study.paths.page}")
    lines = [j.name for j in study.config.judges if j.use.partition(":")[0] == "constant"]
    return exit_code(decisions.decisions, lines)


def _is_claim_set(target: Path) -> bool:
    from voirdire.labels import STARTER_SETS

    return (target / "claims.jsonl").is_file() or str(target) in STARTER_SETS


def _make_study(
    claim_set: Path, judges: tuple[str, ...], into: Path | None, *, repeats: int, seed: int
) -> Path:
    from voirdire.labels import STARTER_SETS
    from voirdire.store import JudgeConfig, StudyConfig, dump_study, read_study, write_text

    if not judges:
        raise UsageError(
            "no judge is named",
            todo="name one or more with --judge; 'voirdire judges' lists them",
        )
    for use in judges:
        _refuse_unknown(use)
    if len(set(judges)) < len(judges):
        raise UsageError("a judge is named twice", todo="name each once with --judge")
    folder = into or Path("reports") / claim_set.name
    named = str(claim_set) if str(claim_set) in STARTER_SETS else str(claim_set.resolve())
    config = StudyConfig(
        name=folder.name,
        labels=(named,),
        judges=tuple(JudgeConfig(name=use.replace(":", "-"), use=use) for use in judges),
        repeats=repeats,
        seed=seed,
    )
    path = folder / "study.toml"
    if not path.exists():
        write_text(path, dump_study(config))
    elif read_study(path) != config:
        raise UsageError(
            "another study stands there",
            where=str(path),
            todo="name another folder with --into, or examine that study as it is",
        )
    return folder


def _refuse_unknown(use: str) -> None:
    """Refuse a judge or preset that does not exist before anything is written."""
    from voirdire.judges import describe

    name, colon, preset = use.partition(":")
    described = describe(name)
    if colon and preset not in described.presets:
        raise UsageError(
            f"judge {name!r} has no preset {preset!r}", allowed=", ".join(described.presets)
        )


def _no_set(target: Path) -> UsageError:
    """The error for a claim set, or study, that is not there; the nearest set is suggested."""
    from voirdire.labels import STARTER_SETS
    from voirdire.labels.claim_set import sets_in
    from voirdire.store import nearest

    known = [str(target.parent / name) for name in sets_in(target.parent)]
    guess = nearest(str(target), [*known, *STARTER_SETS])
    return UsageError(
        "neither a claim set nor a study is there",
        where=str(target),
        allowed=", ".join([*known, *STARTER_SETS]),
        todo=f"did you mean {guess!r}?" if guess else "make one with 'voirdire import'",
    )
