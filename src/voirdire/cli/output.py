"""How verbs speak: results to stdout, talk to stderr, nothing that a terminal would obey."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

import click

__all__ = ["as_json_option", "inert", "nearest_verb", "print_json", "print_table", "say", "verb"]

F = TypeVar("F", bound=Callable[..., Any])

# C0 and C1 controls, line and paragraph separators, bidirectional overrides and isolates,
# zero-width marks: all that could move the cursor, hide text or turn it round.
_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)


def inert(text: str) -> str:
    """Text with every character a terminal would obey replaced by its visible code."""
    return _OBEYED.sub(lambda found: f"\\x{ord(found.group()):02x}", text)


def say(text: str) -> None:
    """One message on stderr."""
    click.echo(inert(text), err=True)


def print_json(value: Any) -> None:
    """A result as JSON on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "") -> None:
    """A result as a table on stdout: ruled on a terminal, tab-separated in a pipe."""
    if not sys.stdout.isatty():
        click.echo("\t".join(header))
        for row in rows:
            click.echo("\t".join(inert(cell).replace("\t", " ").replace("\n", " ") for cell in row))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*header, title=title or None, box=SIMPLE_HEAD, title_justify="left")
    for row in rows:
        table.add_row(*(Text(inert(cell)) for cell in row))
    Console().print(table)


def nearest_verb(name: str, verbs: Iterable[str]) -> str:
    """`` Did you mean 'x'?`` or an empty string."""
    found = get_close_matches(name, list(verbs), n=1, cutoff=0.5)
    return f" Did you mean {found[0]!r}?" if found else ""


class Verb(click.Command):
    """A command whose options also read ``VOIRDIRE_<OPTION>``, named as on the command line."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        for parameter in self.params:
            if isinstance(parameter, click.Option) and parameter.envvar is None:
                longest = max((*parameter.opts, *parameter.secondary_opts), key=len)
                parameter.envvar = "VOIRDIRE_" + longest.lstrip("-").replace("-", "_").upper()


def verb(*, epilog: str) -> Callable[[Callable[..., Any]], click.Command]:
    """A verb; the epilog is its example."""
    return click.command(
        cls=Verb,
        context_settings={
            "help_option_names": ["-h", "--help"],
            "max_content_width": 100,
        },
        epilog="\b\nExample:\n" + "\n".join(f"  {line}" for line in epilog.strip().splitlines()),
    )


def as_json_option(function: F) -> F:
    """``--json``: the result as JSON instead of a table."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(
        function
    )
