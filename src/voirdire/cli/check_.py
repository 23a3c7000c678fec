"""``voirdire check``: every fault of a claim set, and nothing changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb

if TYPE_CHECKING:
    from voirdire.errors import Fault

__all__ = ["command"]


@verb(
    epilog="""
voirdire check labels/support
voirdire check claims.jsonl        # a file that is about to be imported
"""
)
@click.argument("path", type=click.Path(path_type=Path))
@as_json_option
def command(path: Path, as_json: bool) -> int:
    """List every fault of a claim set, with file and line; change nothing.

    PATH is the folder of a claim set, or a file that you mean to import. Faults stop a set,
    warnings do not. Exit code 0 without faults, 2 with.
    """
    faults, warnings, counts = _look(path)
    if as_json:
        print_json(
            {
                "path": str(path),
                "ok": not faults,
                "faults": [_plain(fault) for fault in faults],
                "warnings": [_plain(fault) for fault in warnings],
                **counts,
            }
        )
        return 2 if faults else 0
    rows = [("fault", *_cells(fault)) for fault in faults]
    rows += [("warning", *_cells(fault)) for fault in warnings]
    if rows:
        print_table(("", "where", "what", "allowed", "what to do"), rows)
    else:
        click.echo(f"{path}: no faults in {counts['claims']:,} claims")
    say(f"{path}: {_number(faults, 'fault')}, {_number(warnings, 'warning')}; nothing was changed")
    return 2 if faults else 0


def _look(path: Path) -> tuple[list[Fault], list[Fault], dict[str, int]]:
    from voirdire.labels import inspect_claim_set, read_source
    from voirdire.labels.findings import only_faults, only_warnings

    if path.is_file():
        read = read_source(path)
        counts = {"claims": len(read.claims), "labels": len(read.labels)}
        return only_faults(read.findings), only_warnings(read.findings), counts
    seen = inspect_claim_set(path)
    counts = {"claims": len(seen.claims), "labels": len(seen.labels)}
    return seen.faults, seen.warnings, counts


def _cells(fault: Fault) -> tuple[str, str, str, str]:
    return fault.where, fault.what, fault.allowed, fault.todo


def _plain(fault: Fault) -> dict[str, str]:
    return {"where": fault.where, "what": fault.what, "allowed": fault.allowed, "todo": fault.todo}


def _number(items: list[Fault], word: str) -> str:
    return f"{len(items):,} {word}{'' if len(items) == 1 else 's'}"
