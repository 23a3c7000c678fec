"""What the verbs of a study share: finding it, running it with progress, showing decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from voirdire.cli.output import print_table, say
from voirdire.errors import UsageError

if TYPE_CHECKING:
    from voirdire.records import AgreementResult, Decision, Estimate
    from voirdire.records.looks import Look

__all__ = [
    "exit_code",
    "progress_bar",
    "show_agreement",
    "show_decisions",
    "show_look",
    "study_argument",
    "study_folder",
]

study_argument = click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
"""A study's folder, or its study.toml."""


def study_folder(study: Path) -> Path:
    """The folder of a study named by its folder or by its study.toml.

    Raises
    ------
    UsageError
        If there is no study.toml.
    """
    folder = study.parent if study.name == "study.toml" else study
    if not (folder / "study.toml").is_file():
        raise UsageError(
            "no study.toml there",
            where=str(folder),
            allowed="a folder with a study.toml, or the file itself",
            todo=_what_then(folder),
        )
    return folder


def _what_then(named: Path) -> str:
    """What whoever named no study may have meant."""
    if named.suffix == ".zip":
        if named.is_file():
            return f"a bundle is read by 'voirdire verify {named}'; unpack it for anything else"
        return "there is no such file"
    packed = sorted(named.glob("reports/*/study.toml"))
    if len(packed) == 1:
        return f"did you mean {packed[0].parent}?"
    return "'voirdire examine labels/<set> --judge lexical' makes a study for a claim set"


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A bar per judge on a terminal; one line per judge elsewhere. Both on stderr."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _say_when_done
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bar:
        tasks: dict[str, int] = {}

        def show(judge: str, done: int, total: int) -> None:
            if judge not in tasks:
                tasks[judge] = int(bar.add_task(judge, total=total))
            bar.update(tasks[judge], completed=done)  # type: ignore[arg-type]

        yield show


def _say_when_done(judge: str, done: int, total: int) -> None:
    if done == total:
        say(f"{judge}: {done} of {total} verdicts")


def show_agreement(result: AgreementResult) -> None:
    """Agreement of every judge as a table on stdout."""
    rows = [
        (
            judge.judge,
            f"{judge.raw.n} of {judge.n_asked}",
            number(judge.raw),
            number(judge.kappa),
            number(judge.dangerous),
        )
        for judge in result.judges
    ]
    if result.humans:
        people = result.humans
        rows.append(
            ("people", str(people.n_claims), number(people.raw), number(people.ceiling), "")
        )
    print_table(("judge", "judged", "agreement", "kappa", "contradicted called supported"), rows)
    left = ", ".join(f"{reason}: {n}" for reason, n in result.exclusions.items() if n)
    if left:
        click.echo(f"Claims left out: {left}.")


def show_decisions(decisions: Sequence[Decision]) -> None:
    """Each decision as its sentence, its gates and its next step, on stdout."""
    for decision in decisions:
        click.echo(f"\n{decision.sentence}")
        for gate in decision.gates:
            mark = "waived" if gate.waived else gate.answer
            click.echo(f"  {mark:<12}  {gate.name}: {gate.reason}")
        if decision.families_missing:
            click.echo(f"  Missing: about {decision.families_missing} more families.")
        click.echo(f"  Next: {decision.next_step}.")


def show_look(look: Look | None) -> None:
    """At which level the bounds are, where this is not the first look at the test split."""
    if look is None or look.number == 1:
        return
    click.echo(
        f"\nLook {look.number} at the test split: bounds at {100 * look.level:.4g} % instead of "
        f"{100 * look.first_level:.4g} %; over these looks a judge at a limit is adopted with a "
        f"chance of at most {100 * look.total_alpha:.3g} %, if it was not tuned on these claims."
    )


def number(estimate: Estimate) -> str:
    """An estimate in a table cell: value and interval, or the reason why there is none."""
    if estimate.value is None:
        return f"undefined ({estimate.undefined})"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.2f} (no interval: {estimate.no_interval})"
    return f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"


def exit_code(decisions: Sequence[Decision], reference_lines: Sequence[str] = ()) -> int:
    """Exit code of a study: 0 if a candidate is adopted, 3 if one is still open, else 1."""
    found = [d.decision for d in decisions if d.judge not in reference_lines] or [
        d.decision for d in decisions
    ]
    if "adopt" in found:
        return 0
    return 3 if "not_enough_evidence" in found else 1
