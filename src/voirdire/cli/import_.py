"""``voirdire import``: a file of claims into a claim set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb

if TYPE_CHECKING:
    from voirdire.errors import Fault
    from voirdire.labels import ImportOptions, ImportSummary, SourceError

__all__ = ["command"]

_SHOWN_FAULTS = 50


@verb(
    epilog="""
voirdire import claims.jsonl --into labels/support --language en
voirdire import aussagen.csv --into labels/tarife --language de
    --column claim=Aussage --column context=Quelle --label-column Urteil
    --map-label 'passt=supported' --map-label 'passt nicht=contradicted'
voirdire import two-people.csv --into labels/plans --language en
    --annotator-column a1=Anna --annotator-column a2=Ben
"""
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--into",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder of the claim set, such as labels/support.",
)
@click.option("--replace", "replace_set", is_flag=True, help="Replace the set that is there.")
@click.option("--add", is_flag=True, help="Add new claims to the set that is there.")
@click.option("--name", help="Name of the set; default: of its folder.")
@click.option("--language", help="Language of claims that do not say, such as en.")
@click.option("--licence", help="Licence of claims that do not say.")
@click.option("--source", help="Source of claims that do not say.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the splits."
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Which column of a table holds a field; repeat for context chunks.",
)
@click.option("--label-column", metavar="COLUMN", help="Short for --column label=COLUMN.")
@click.option(
    "--annotator-column",
    "annotators",
    multiple=True,
    metavar="CODE=COLUMN",
    help="A column of one person's labels; repeat for others.",
)
@click.option("--context-separator", metavar="TEXT", help="Splits a context cell into chunks.")
@click.option("--separator", metavar="TEXT", help="Of cells; default: seen from the first row.")
@click.option("--encoding", help="Of a table; default: UTF-8, or UTF-16 by its first bytes.")
@click.option(
    "--map-label",
    "label_map",
    multiple=True,
    metavar="WORD=LABEL",
    help="What a word of the source means; 'none' for no label.",
)
@click.option(
    "--label-space",
    type=click.Choice(["two_class", "three_class"]),
    help="Of claims that do not say; default: seen from their labels.",
)
@click.option(
    "--families",
    type=click.Choice(["auto", "variants", "clusters"]),
    default="auto",
    show_default=True,
    help="An original with its variants, or looser groups.",
)
@click.option(
    "--role",
    type=click.Choice(["published", "author", "annotator", "adjudicator"]),
    default="published",
    show_default=True,
    help="Whose word the plain label is.",
)
@click.option("--annotator", metavar="CODE", help="Code of the plain label; default: the role.")
@click.option(
    "--skip-faulty",
    is_flag=True,
    help="Leave rows with faults out, counted, instead of refusing the file.",
)
@click.option(
    "--layout",
    type=click.Choice(["auto", "jsonl", "json", "table"]),
    default="auto",
    show_default=True,
    help="Of the file.",
)
@as_json_option
def command(
    file: Path, into: Path, replace_set: bool, add: bool, as_json: bool, **given: Any
) -> int:
    """Read FILE into a claim set, whole or not at all.

    FILE is JSON lines (one claim a line, or one family with its members), a JSON array, CSV or
    TSV. Every fault is listed with its line, and then nothing is written. Splits (dev, cal,
    test) are drawn by family from the seed and recorded.
    """
    from voirdire.labels import SourceError, import_file

    options = _options(**given)
    try:
        summary = import_file(file, into, options=options, replace_set=replace_set, add=add)
    except SourceError as error:
        return _refuse(error, as_json)
    if as_json:
        print_json(summary.as_dict())
    else:
        print_table(("what", "count"), _rows(summary))
    for line in (*summary.notes, *(f"Warning: {text}" for text in summary.warnings)):
        say(line)
    return 0


def _options(
    *,
    columns: tuple[str, ...],
    label_column: str | None,
    annotators: tuple[str, ...],
    label_map: tuple[str, ...],
    separator: str | None,
    context_separator: str | None,
    **others: Any,
) -> ImportOptions:
    from voirdire.labels import ImportOptions

    mapped: dict[str, tuple[str, ...]] = {}
    for field, column in _pairs(columns, "--column", "FIELD=COLUMN"):
        mapped[field] = (*mapped.get(field, ()), column)
    if label_column is not None:
        mapped["label"] = (*mapped.get("label", ()), label_column)
    people = [text if "=" in text else f"{text}={text}" for text in annotators]
    return ImportOptions(
        columns=mapped,
        annotator_columns=dict(_pairs(people, "--annotator-column", "CODE=COLUMN")),
        label_map=dict(_pairs(label_map, "--map-label", "WORD=LABEL")),
        separator=_unescaped(separator),
        context_separator=_unescaped(context_separator),
        **others,
    )


def _pairs(texts: Iterable[str], option: str, form: str) -> list[tuple[str, str]]:
    pairs = []
    for text in texts:
        name, mark, value = text.rpartition("=") if option == "--map-label" else text.partition("=")
        if not mark or not name.strip() or not value.strip():
            raise click.UsageError(f"{option} must be {form}, got {text!r}")
        pairs.append((name.strip(), value.strip()))
    return pairs


def _unescaped(text: str | None) -> str | None:
    r"""``\t`` and ``\n`` as a shell user types them."""
    return text.replace("\\t", "\t").replace("\\n", "\n") if text else None


def _refuse(error: SourceError, as_json: bool) -> int:
    if as_json:
        faults = [
            {"where": one.where, "what": one.what, "allowed": one.allowed, "todo": one.todo}
            for one in error.faults
        ]
        print_json({"ok": False, "kinds": error.kinds, "faults": faults})
    for fault in _hinted_once(error.faults[:_SHOWN_FAULTS]):
        say(str(fault))
    if len(error.faults) > _SHOWN_FAULTS:
        say(f"… and {len(error.faults) - _SHOWN_FAULTS:,} more; --json lists them all")
    kinds = ", ".join(f"{kind}: {count:,}" for kind, count in error.kinds.items())
    say(
        f"Error: {len(error.faults):,} fault{'s' if len(error.faults) != 1 else ''} ({kinds}). "
        "Nothing was written. Mend the file, or leave such rows out with --skip-faulty."
    )
    return error.exit_code


def _hinted_once(faults: Sequence[Fault]) -> Iterator[Fault]:
    """The same faults; what is allowed and what to do is said with the first of its kind only."""
    said = {""}
    for fault in faults:
        allowed = "" if fault.allowed in said else fault.allowed
        todo = "" if fault.todo in said else fault.todo
        said |= {fault.allowed, fault.todo}
        yield replace(fault, allowed=allowed, todo=todo)


def _rows(summary: ImportSummary) -> list[tuple[str, str]]:
    rows = [
        ("claims read", f"{summary.rows:,}"),
        ("claims in the set", f"{summary.claims:,}"),
        ("families", f"{summary.families:,}"),
    ]
    groups: list[tuple[str, dict[str, int]]] = [
        ("left out", summary.excluded),
        ("variant", summary.variants),
        ("language", summary.languages),
        ("label space", summary.label_spaces),
        ("reference", summary.labels),
        ("reference by rule", summary.rules),
        ("no reference", summary.without_reference),
        ("labels by", summary.annotators),
        ("families in split", summary.splits),
    ]
    for title, counts in groups:
        rows += [(f"{title}: {name}", f"{count:,}") for name, count in counts.items()]
    if summary.several_labels:
        rows.append(("several labels by one annotator (no vote)", f"{summary.several_labels:,}"))
    rows.append(("seed of the splits", str(summary.seed)))
    rows.append(("claim set", summary.path))
    return rows
