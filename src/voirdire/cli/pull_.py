"""``voirdire pull``: labels down from Label Studio."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb
from voirdire.cli.studio import set_argument, url_option

if TYPE_CHECKING:
    from voirdire.records import PullResult

__all__ = ["command"]


@verb(epilog="voirdire pull labels/support")
@set_argument
@click.option(
    "--with-emails", is_flag=True, help="Write e-mails beside the codes in studio/annotators.json."
)
@click.option(
    "--accept-deletions",
    is_flag=True,
    help="Go on where most labels were deleted on the server.",
)
@url_option
@as_json_option
def command(
    claim_set: Path, with_emails: bool, accept_deletions: bool, url: str | None, as_json: bool
) -> None:
    """Fetch what people labelled and append it to labels.jsonl.

    A dump of the project is kept with its hash under studio/archive. Skipped tasks, double and
    faulty annotations are listed with their reason in studio/pull.json. Annotators become codes
    (a1, a2 …). A changed label supersedes the old one, a deleted one is recorded as gone.
    """
    from voirdire.labels.studio import pull, server_from

    result = pull(
        claim_set,
        server_from(url),
        with_emails=with_emails,
        accept_deletions=accept_deletions,
    )
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        print_table(("what", "count"), _rows(result))
    say(_reconciled(result))
    for note in result.notes:
        say(note)


def _reconciled(result: PullResult) -> str:
    """The line that says where every annotation went."""
    counts = result.counts
    tasks = f"{counts['tasks']:,} tasks, {counts['tasks annotated']:,} of them annotated"
    gone = f"{result.added['gone']:,} labels recorded as gone"
    parts = [f"{counts[name]:,} {name}" for name in ("labelled", "skipped", "empty", "not used")]
    return f"{tasks}: {counts['annotations']:,} annotations = {' + '.join(parts)}; {gone}"


def _rows(result: PullResult) -> list[tuple[str, str]]:
    rows = [(name, f"{count:,}") for name, count in result.counts.items()]
    rows += [(f"records appended: {name}", f"{count:,}") for name, count in result.added.items()]
    reasons = Counter(one.why for one in result.unused)
    rows += [(f"not used: {why}", f"{count:,}") for why, count in sorted(reasons.items())]
    rows += [("archive", one.file) for one in result.archives]
    return rows
