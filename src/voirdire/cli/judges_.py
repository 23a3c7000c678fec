"""``voirdire judges``: which judges there are and what each lacks."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from voirdire.cli.output import as_json_option, print_json, print_table, verb

if TYPE_CHECKING:
    from voirdire.judges import JudgeDescription

__all__ = ["command"]


@verb(
    epilog="""
voirdire judges
voirdire judges --json      # parameters and their defaults too
"""
)
@as_json_option
def command(as_json: bool) -> int:
    """List the judges: presets, what each lacks, and the command that mends it.

    Judges come from installed packages (entry points of the group voirdire.judges). A judge that
    lacks something is still listed; exit code 0.
    """
    from voirdire.judges.registry import describe, names

    found = [describe(name) for name in names()]
    if as_json:
        print_json([asdict(judge) for judge in found])
    else:
        print_table(("judge", "presets", "what it is", "lacks", "to mend, run"), map(_cells, found))
    return 0


def _cells(judge: JudgeDescription) -> tuple[str, str, str, str, str]:
    return (
        judge.name,
        ", ".join(f"{judge.name}:{preset}" for preset in judge.presets),
        judge.description,
        judge.lacks or "nothing",
        judge.mend,
    )
