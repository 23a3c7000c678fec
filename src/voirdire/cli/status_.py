"""``voirdire status``: how far labelling is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb
from voirdire.cli.studio import duration, set_argument, url_option

if TYPE_CHECKING:
    from voirdire.labels.studio import AnnotatorProgress, StatusReport

__all__ = ["command"]


@verb(epilog="voirdire status labels/support")
@set_argument
@url_option
@as_json_option
def command(claim_set: Path, url: str | None, as_json: bool) -> None:
    """Say how far labelling is, for each annotator and in all; change nothing.

    Counted from a dump of the project: the server's own counters go wrong when several people
    submit at once.
    """
    from voirdire.labels.studio import server_from, status

    found = status(claim_set, server_from(url))
    if as_json:
        print_json(found.as_dict())
    else:
        header = ("annotator", "labelled", "skipped", "empty", "not used", "median time", "last")
        print_table(header, map(_cells, found.annotators))
    say(_sentence(found))
    for note in found.notes:
        say(note)


def _cells(one: AnnotatorProgress) -> tuple[str, ...]:
    counts = (one.labelled, one.skipped, one.empty, one.not_used)
    return (one.annotator, *map(str, counts), duration(one.median_lead), one.last or "")


def _sentence(found: StatusReport) -> str:
    done = f"{found.given:,} of {found.wanted:,} labels given"
    items = f"{found.finished:,} of {found.items:,} tasks finished"
    if found.given >= found.wanted:
        return f"{done}, {items}: labelling is complete, run 'voirdire pull'"
    left = f"about {duration(found.seconds_left)} of work left for each annotator"
    return f"{done}, {items}" + (f"; {left}" if found.seconds_left is not None else "")
