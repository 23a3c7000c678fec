"""``voirdire status``: how far labelling is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb
from voirdire.cli.studio import duration, set_argument, url_option

if TYPE_CHECKING:
    from voirdire.labels.studio import AnnotatorProgress, LocalStatus, StatusReport

__all__ = ["command"]


@verb(epilog="voirdire status labels/support")
@set_argument
@url_option
@as_json_option
def command(claim_set: Path, url: str | None, as_json: bool) -> None:
    """Say how far labelling is, for each annotator and in all; change nothing.

    Counted from a dump of the project: the server's own counters go wrong when several people
    submit at once. Where no server is named, or nothing was pushed, what was imported or pulled
    is counted.
    """
    from voirdire.labels.studio import server_from, status

    if (local := _without_server(claim_set, url)) is not None:
        _show(local, as_json)
        say(_local_sentence(local, claim_set))
        return
    found = status(claim_set, server_from(url))
    _show(found, as_json)
    say(_sentence(found))
    for note in found.notes:
        say(note)


def _show(found: StatusReport | LocalStatus, as_json: bool) -> None:
    if as_json:
        print_json(found.as_dict())
    else:
        header = ("annotator", "labelled", "skipped", "empty", "not used", "median time", "last")
        print_table(header, map(_cells, found.annotators))


def _without_server(claim_set: Path, url: str | None) -> LocalStatus | None:
    from voirdire.labels.studio import StudioPaths, local_status

    pushed = StudioPaths.of(claim_set).push.is_file()
    named = url or os.environ.get("LABEL_STUDIO_URL", "").strip()
    return None if pushed and named else local_status(claim_set)


def _local_sentence(found: LocalStatus, claim_set: Path) -> str:
    from voirdire.labels.studio import StudioPaths

    people = sum(one.labelled > 0 for one in found.annotators)
    counted = (
        f"{found.labelled:,} of {found.claims:,} claims have a label: {found.labels:,} labels by "
        f"{people:,} {'person' if people == 1 else 'people'}, as imported or pulled"
    )
    if StudioPaths.of(claim_set).push.is_file():
        return (
            f"{counted}. No labelling server is named: set LABEL_STUDIO_URL to its address to see "
            "what was said there since"
        )
    return f"{counted}. Nothing of this set was sent to a labelling server; 'voirdire push' does"


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
